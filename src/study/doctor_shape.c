/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of no use, and of awkward shape: constant, empty, infinite, heavy-tailed, rounded, with as many
 * categories as rows, and copies of other columns.
 *
 * Copies are found by hashes that the sorted walk leaves behind: where many rows share a value, of which rows
 * are equal (so a recoding is found, too); else of the order of the rows, in either direction (so the
 * logarithm or the negative of a column is found, too, which is all the same to trees). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "study/doctor.h"

static scarce_status judge_empty(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double missing = d->columns[f].missing;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (x->present == 0) {
        finding = scarce__doctor_add(d, "empty", SCARCE_SEVERITY_WARN, f, NULL, err);
        scarce__doctor_textf(&t, "%s has no value at all", scarce__doctor_name(d, f));
        return scarce__doctor_say(finding, &t,
                                  "find out whether it was lost on the way, or leave it out (--ignore)", err);
    }
    if (missing >= 0.95) {
        finding = scarce__doctor_add(d, "nearly-empty", SCARCE_SEVERITY_NOTE, f, NULL, err);
        scarce__doctor_figure(finding, "missing", missing);
        scarce__doctor_textf(&t, "%s is missing in %p of the rows (values there: %z)",
                             scarce__doctor_name(d, f), missing, x->present);
        return scarce__doctor_say(finding, &t, "check that it is not lost on the way; else it does no harm",
                                  err);
    }
    if (x->distinct == 1) {
        finding = scarce__doctor_add(d, "constant", SCARCE_SEVERITY_NOTE, f, NULL, err);
        scarce__doctor_figure(finding, "missing", missing);
        scarce__doctor_textf(&t, "%s has one value only%s", scarce__doctor_name(d, f),
                             missing > 0 ? ", where it is not missing" : "");
        return scarce__doctor_say(finding, &t, "leave it out (--ignore), or find out whether it should vary",
                                  err);
    }
    return SCARCE_OK;
}

static scarce_status judge_numbers(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double spread = x->p95 - x->p05;
    const double far = x->high - x->p50 > x->p50 - x->low ? x->high : x->low;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (d->columns[f].kind == SCARCE_COLUMN_CATEGORY) return SCARCE_OK;
    if (x->infinite > 0) {
        finding = scarce__doctor_add(d, "infinite", SCARCE_SEVERITY_WARN, f, NULL, err);
        scarce__doctor_figure(finding, "rows", (double)x->infinite);
        scarce__doctor_textf(&t, "%s is infinite in %z row%S", scarce__doctor_name(d, f), x->infinite);
        return scarce__doctor_say(
            finding, &t, "a division by 0 or an overflow made them: repair them, or make them missing", err);
    }
    if (x->distinct > 20 && spread > 0 && fabs(far - x->p50) > 1000 * spread) {
        finding = scarce__doctor_add(d, "heavy-tail", SCARCE_SEVERITY_NOTE, f, NULL, err);
        scarce__doctor_figure(finding, "p05", x->p05);
        scarce__doctor_figure(finding, "p95", x->p95);
        scarce__doctor_figure(finding, "farthest", far);
        scarce__doctor_textf(&t, "%s reaches %n, while 90 %% of its values lie between %n and %n",
                             scarce__doctor_name(d, f), far, x->p05, x->p95);
        return scarce__doctor_say(
            finding, &t,
            "trees do not mind; for linear methods and distances take the logarithm or ranks, and "
            "check that it is no code for missing",
            err);
    }
    if (x->whole && x->distinct > 100 && 100 * x->beyond_exact > x->present &&
        !scarce__doctor_has(d, f, "identifier") && !scarce__doctor_has(d, f, "clock") &&
        !scarce__doctor_has(d, f, "sorted")) {
        finding = scarce__doctor_add(d, "rounded", SCARCE_SEVERITY_NOTE, f, NULL, err);
        scarce__doctor_figure(finding, "rows", (double)x->beyond_exact);
        scarce__doctor_textf(
            &t, "%s has whole numbers beyond 16777216 in %z row%S; features are kept with 7 digits",
            scarce__doctor_name(d, f), x->beyond_exact);
        return scarce__doctor_say(
            finding, &t,
            "if it is a number that names something, say --categorical or --group, or leave it out", err);
    }
    return SCARCE_OK;
}

const char *scarce__doctor_stray_text(const scarce_doctor *d, size_t f, size_t *n)
{
    const scarce__dictionary *c = &d->table->schema.features[f].categories;
    const char *stray = NULL;
    size_t texts = 0;

    if (d->columns[f].kind != SCARCE_COLUMN_CATEGORY) return NULL;
    for (size_t i = 0; i < c->count; ++i) {
        const char *text = scarce__dictionary_text(c, i);
        double value;
        if (scarce__parse_double(text, strlen(text), &value)) continue;
        if (texts++ == 0) stray = text;
    }
    if (n) *n = texts;
    return c->count >= 20 && 20 * texts <= c->count ? stray : NULL;
}

/* One "12,5x" makes categories of a whole column of numbers; whoever declares it numeric hears
 * in which line. */
static scarce_status judge_stray_text(scarce_doctor *d, size_t f, scarce_error *err)
{
    scarce__text t = SCARCE__TEXT_INIT;
    size_t n;
    const char *stray = scarce__doctor_stray_text(d, f, &n);

    if (!stray) return SCARCE_OK;
    scarce_doctor_finding *finding = scarce__doctor_add(d, "stray-text", SCARCE_SEVERITY_WARN, f, NULL, err);
    scarce__doctor_figure(finding, "texts", (double)n);
    scarce__doctor_textf(&t, "%s is numbers but for %z text%S, so each number counts as a category; ",
                         scarce__doctor_name(d, f), n);
    scarce__text_addf(&t, "such a text is \"%.60s\"", stray);
    return scarce__doctor_say(finding, &t,
                              "repair it (--numeric COL names its line), or say that it means missing "
                              "(--missing TEXT)",
                              err);
}

static scarce_status judge_categories(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double per = x->distinct ? (double)x->present / (double)x->distinct : 0;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (d->columns[f].kind != SCARCE_COLUMN_CATEGORY || scarce__doctor_has(d, f, "identifier") ||
        scarce__doctor_has(d, f, "leak-id") || scarce__doctor_has(d, f, "stray-text") || x->distinct < 50 ||
        (x->distinct < 1000 && per > 10))
        return SCARCE_OK;
    finding = scarce__doctor_add(d, "many-categories", per < 3 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                                 f, NULL, err);
    scarce__doctor_figure(finding, "categories", (double)x->distinct);
    scarce__doctor_figure(finding, "rows_per_category", per);
    scarce__doctor_textf(&t, "%s has %z categories, with %n rows each on average", scarce__doctor_name(d, f),
                         x->distinct, per);
    return scarce__doctor_say(
        finding, &t,
        "if it names an entity (card, firm), use it as --group and count over its past instead; else "
        "join the rare ones",
        err);
}

/* ---- columns that are copies of others */

typedef struct fingerprint {
    uint64_t hash;
    size_t column;
} fingerprint;

static int by_hash(const void *a, const void *b)
{
    const fingerprint *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Chance lets two columns agree that differ from their usual value in one or two rows only. */
static int comparable(const scarce__doctor_facts *x)
{
    return x->distinct >= 2 && x->present >= x->top.rows + 3 && x->present >= 20;
}

static int same_values(const scarce_doctor *d, size_t a, size_t b)
{
    const scarce_table *t = d->table;
    if (d->columns[a].kind != SCARCE_COLUMN_NUMERIC || d->columns[b].kind != SCARCE_COLUMN_NUMERIC) return 0;
    for (size_t i = 0; i < t->n_rows; ++i) {
        const float x = t->columns[a].number[i], y = t->columns[b].number[i];
        if (!(x == y || (isnan(x) && isnan(y)))) return 0;
    }
    return 1;
}

static scarce_status say_same(scarce_doctor *d, size_t first, size_t f, scarce_error *err)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding = scarce__doctor_add(d, "copy", SCARCE_SEVERITY_NOTE, f, NULL, err);
    scarce__doctor_textf(&t,
                         same_values(d, first, f)
                             ? "%s has the values of %s"
                             : "%s is %s in other words: each value of one goes with one value of the other",
                         scarce__doctor_name(d, f), scarce__doctor_name(d, first));
    return scarce__doctor_say(
        finding, &t,
        "leave one out (--ignore): two split the importance between them, and weigh twice in distances", err);
}

static scarce_status judge_same(scarce_doctor *d, scarce_error *err)
{
    fingerprint *p = scarce__malloc_array(d->n_columns + 1, sizeof *p);
    size_t *first = scarce__malloc_array(d->n_columns + 1, sizeof *first), n = 0;
    scarce_status st = p && first ? SCARCE_OK : scarce__fail_memory(err, "the columns", 0);

    for (size_t f = 0; st == SCARCE_OK && f < d->n_columns; ++f) {
        const scarce__doctor_facts *x = &d->facts[f];
        first[f] = f;
        if (!comparable(x)) continue;
        p[n].hash = 2 * x->distinct <= x->present                  ? x->parts
                    : d->columns[f].kind == SCARCE_COLUMN_CATEGORY ? x->rising
                                                                   : x->rising + x->falling;
        p[n++].column = f;
    }
    if (st == SCARCE_OK) qsort(p, n, sizeof *p, by_hash);
    for (size_t i = 1; i < n; ++i)
        if (p[i].hash == p[i - 1].hash) first[p[i].column] = first[p[i - 1].column];
    for (size_t f = 0; st == SCARCE_OK && f < d->n_columns; ++f)
        if (first[f] != f) st = say_same(d, first[f], f, err);
    scarce__free(p);
    scarce__free(first);
    return st;
}

scarce_status scarce__doctor_shape(scarce_doctor *d, scarce_error *err)
{
    for (size_t f = 0; f < d->n_columns; ++f) {
        SCARCE__TRY(judge_empty(d, f, err));
        if (d->facts[f].present == 0) continue;
        SCARCE__TRY(judge_numbers(d, f, err));
        SCARCE__TRY(judge_stray_text(d, f, err));
        SCARCE__TRY(judge_categories(d, f, err));
    }
    return judge_same(d, err);
}
