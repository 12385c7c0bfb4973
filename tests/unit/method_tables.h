/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for tests that go over all methods, written as text and read as a user's file would be. The rows come
 * from the plain generator of lcg.h, so they are the same everywhere.
 *
 *     payments   numbers, two categories, missing values; about one positive in seven
 *     rare       the same with about one in twenty
 *     weighted   payments with case weights of 1, 2 and 0.5
 *     merchants  two columns of many categories whose pairs matter; one positive in four
 *     words      sparse: 30 columns of which a row has a few; one positive in eight
 */
#ifndef SCARCE_TEST_METHOD_TABLES_H
#define SCARCE_TEST_METHOD_TABLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scarce/method.h>
#include <scarce/table.h>

#include "data/table.h"
#include "test.h"
#include "unit/lcg.h"

typedef enum table_kind {
    TABLE_PAYMENTS,
    TABLE_RARE,
    TABLE_WEIGHTED,
    TABLE_WORDS,
    TABLE_MERCHANTS,
    TABLE_WIDE,
    TABLE_KINDS
} table_kind;

static inline void write_payments(FILE *f, size_t rows, lcg *r, table_kind kind)
{
    static const char *const countries[] = {"DE", "FR", "IT", "US", "XX"};
    static const char *const weights[] = {"1", "2", "0.5"};
    const size_t most = kind == TABLE_RARE ? 2 : 1, seldom = kind == TABLE_RARE ? 1 : 2; /* risk, percent */

    fprintf(f, "amount,country,count,shop,noise,hour,%slabel\n", kind == TABLE_WEIGHTED ? "weight," : "");
    for (size_t i = 0; i < rows; ++i) {
        const size_t amount = lcg_below(r, 5) ? lcg_below(r, 5000) : lcg_below(r, 50000);
        const size_t country = lcg_below(r, 4) ? lcg_below(r, 3) : lcg_below(r, 5), count = lcg_below(r, 20);
        const size_t shop = lcg_below(r, 12), hour = lcg_below(r, 24), noise = lcg_below(r, 1000);
        const size_t risk = (amount > 15000) * 2u + (country == 4) * 2u + (count > 16) + (hour < 5) +
                            (shop == 3 && country == 1);
        const size_t label = lcg_below(r, 100) < (risk > most ? 60 : seldom);
        fprintf(f, "%zu.%02zu,", amount / 100, amount % 100);
        fprintf(f, "%s,", lcg_below(r, 20) ? countries[country] : "");
        if (lcg_below(r, 10)) fprintf(f, "%zu", count);
        fprintf(f, ",s%zu,%zu.%zu,%zu,", shop, noise / 8, noise % 8, hour);
        if (kind == TABLE_WEIGHTED) fprintf(f, "%s,", weights[lcg_below(r, 3)]);
        fprintf(f, "%zu\n", label);
    }
}

static inline void write_merchants(FILE *f, size_t rows, lcg *r)
{
    fprintf(f, "amount,merchant,terminal,label\n");
    for (size_t i = 0; i < rows; ++i) {
        const size_t merchant = lcg_below(r, 50), terminal = lcg_below(r, 40);
        const size_t risk = (merchant + terminal) % 4 == 0 ? 70 : merchant < 5 ? 30 : 3;
        fprintf(f, "%zu,", lcg_below(r, 500));
        if (lcg_below(r, 20)) fprintf(f, "m%zu", merchant);
        fprintf(f, ",[%zu-%zu),%d\n", terminal, terminal + 1, lcg_below(r, 100) < risk);
    }
}

/* Four columns of many categories. */
static inline void write_wide(FILE *f, size_t rows, lcg *r)
{
    fprintf(f, "amount,who,what,where,how,label\n");
    for (size_t i = 0; i < rows; ++i) {
        const size_t who = lcg_below(r, 60), what = lcg_below(r, 50);
        fprintf(f, "%zu,u%zu,v%zu,w%zu,x%zu,%d\n", lcg_below(r, 500), who, what, lcg_below(r, 45),
                lcg_below(r, 40), lcg_below(r, 100) < ((who + what) % 4 ? 5 : 70));
    }
}

static inline void write_words(FILE *f, size_t rows, lcg *r)
{
    char line[1024];
    for (size_t i = 0; i < rows; ++i) {
        size_t risk = 0;
        int n = 0;
        line[0] = '\0';
        for (size_t w = 1; w <= 30; ++w) {
            const size_t v = 1 + lcg_below(r, 12);
            if (lcg_below(r, 6)) continue;
            n += snprintf(line + n, sizeof line - (size_t)n, " %zu:%zu.5", w, v);
            if (w % 10 == 3) risk += v;
        }
        fprintf(f, "%s%s\n", lcg_below(r, 100) < (risk > 8 ? 70u : 3u) ? "+1" : "-1", line);
    }
}

/* NULL when something fails, which the test then finds. Read with `like`, if given: the same features and
 * codes, as validation rows need. */
static inline scarce_table *make_table_of(table_kind kind, size_t rows, uint64_t seed,
                                          const scarce_table *like)
{
    char path[] = "/tmp/scarce_methods_XXXXXX";
    const char *name = path;
    const int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *table = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    lcg r = lcg_start(seed);

    if (!f) return NULL;
    if (kind == TABLE_WORDS) write_words(f, rows, &r);
    else if (kind == TABLE_MERCHANTS) write_merchants(f, rows, &r);
    else if (kind == TABLE_WIDE) write_wide(f, rows, &r);
    else write_payments(f, rows, &r, kind);
    o.format = kind == TABLE_WORDS ? SCARCE_FORMAT_LIBSVM : SCARCE_FORMAT_CSV;
    if (kind == TABLE_WEIGHTED) o.weight = "weight";
    if (like) o.schema = scarce_table_schema(like);
    if (fclose(f) != 0 || scarce_table_read(&table, &name, 1, &o, NULL, &err))
        fprintf(stderr, "a table for tests: %s\n", err.text);
    remove(path);
    return table;
}

/* Row i as scarce_scorer_score takes it. */
static inline void take_row(float *row, const scarce_table *table, size_t i)
{
    for (size_t f = 0; f < scarce_table_features(table); ++f) {
        const float *number = scarce_table_numbers(table, f);
        const int32_t *code = scarce_table_codes(table, f);
        const scarce__sparse *sparse = &table->columns[f].sparse;
        row[f] = number ? number[i] : code && code[i] >= 0 ? (float)code[i] : code ? (float)NAN : 0;
        for (size_t k = 0; !number && !code && k < sparse->count; ++k)
            if (sparse->row[k] == i) row[f] = sparse->value[k];
    }
}

/* The parameter that says how many steps a method learns in; NULL: it has none. */
static inline const char *stages_of(size_t method)
{
    return scarce_method_get(method).stages;
}

/* What methods that have the parameter `categories`, or whose inner method does, get for it; NULL: as it is. */
static const char *categories_wanted;

/* Parameters of a method, with so many steps where it, or the method inside it, has steps. */
static inline scarce_params *params_of(size_t method, int stages, scarce_status *st, scarce_error *err)
{
    char number[24];
    scarce_params *params = NULL;
    snprintf(number, sizeof number, "%d", stages);
    *st = scarce_params_new(&params, scarce_method_get(method).name, err);
    if (!*st && stages_of(method)) *st = scarce_params_set(params, stages_of(method), number, err);
    if (!*st && !stages_of(method)) (void)scarce_params_set(params, "inner.n_trees", number, NULL);
    if (!*st &&
        strcmp(scarce_method_get(method).family, "metric") == 0) /* steps towards a metric: a few will do */
        (void)scarce_params_set(params, "max_iterations", "4", NULL);
    if (!*st && categories_wanted) {
        (void)scarce_params_set(params, "categories", categories_wanted, NULL);
        if (strcmp(scarce_method_get(method).name, "bag") == 0) /* whose inner method is gb */
            *st = scarce_params_set(params, "inner.categories", categories_wanted, err);
    }
    return params;
}

#endif
