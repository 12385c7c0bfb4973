/* SPDX-License-Identifier: Apache-2.0 */
/* Clean data give no alarm: noise of all kinds with 10 to 2000 positives, the toys and the payment stream of
 * `scarce simulate`, over many seeds. And leaks planted into the stream are found. */
#include <scarce/simulate.h>

#include "core/alloc.h"
#include "data/table.h"
#include "unit/doctors.h"

/* 24 columns of noise: normal, log-normal, whole numbers, flags, with missing values, and categories. */
static scarce_table *noise(size_t rows, size_t positives, uint64_t seed)
{
    scarce__random r = scarce__random_start(seed, SCARCE__FOR_TEST, 500 + positives);
    scarce__text csv = SCARCE__TEXT_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    size_t left = positives;

    ro.time = "when";
    for (int k = 0; k < 24; ++k) scarce__text_addf(&csv, "c%d,", k);
    scarce__text_add(&csv, "when,label\n");
    for (size_t i = 0; i < rows; ++i) {
        const int y = scarce__random_below(&r, rows - i) < left;
        left -= (size_t)y;
        for (int k = 0; k < 24; ++k) {
            const double z = scarce__random_normal(&r);
            if (k % 6 == 5) scarce__text_addf(&csv, ",k%d", (int)scarce__random_below(&r, k < 12 ? 4 : 60));
            else if (k % 6 == 4) add_number(&csv, scarce__random_unit(&r) < 0.4 ? (double)NAN : z);
            else
                add_number(&csv, k % 6 == 0   ? z
                                 : k % 6 == 1 ? exp(2 * z)
                                 : k % 6 == 2 ? floor(3 * z)
                                              : z > 1);
        }
        add_number(&csv, 1.5e9 + 3600.0 * (double)i);
        scarce__text_addf(&csv, ",%d\n", y);
    }
    return table_of(&csv, &ro);
}

static void test_noise(void)
{
    static const size_t positives[] = {10, 20, 50, 200, 2000};
    size_t false_alarms = 0, sets = 0;
    for (size_t p = 0; p < 5; ++p)
        for (uint64_t seed = 1; seed <= (positives[p] == 2000 ? 4 : 20); ++seed) {
            const size_t rows = positives[p] == 2000 ? 8000 : positives[p] == 10 ? 400 : 1000;
            scarce_table *t = noise(rows, positives[p], seed);
            scarce_doctor *d = examine(t, NULL);
            false_alarms += alarms(d, 1) > 0;
            ++sets;
            scarce_doctor_free(d);
            scarce_table_free(t);
        }
    CHECK(sets == 84 && false_alarms == 0); /* at most 1 in 1000 for each kind of check */
}

/* ---- simulated data */

static scarce_table *simulated(const char *kind, const char *const *settings, size_t n, uint64_t seed)
{
    char path[] = "/tmp/scarce-doctor-sim-XXXXXX";
    const char *paths[1] = {path}, *ignore[] = {"tx_id", "label_time"};
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = NULL;
    scarce_table *t = NULL;
    const int fd = mkstemp(path);

    if (fd >= 0) close(fd);
    co.seed = seed;
    co.threads = 1;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    if (kind[0] == 'f') {
        ro.time = "time";
        ro.group = "card";
        ro.amount = "amount";
        ro.ignore.items = ignore;
        ro.ignore.count = 2;
    }
    if (scarce_simulate(kind, settings, n, path, ctx, NULL, &err) ||
        scarce_table_read(&t, paths, 1, &ro, ctx, &err)) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    }
    unlink(path);
    scarce_context_free(ctx);
    return t;
}

/* The stream really drifts, and its counts over the past begin empty: those findings are true. */
static size_t accusations(const scarce_doctor *d, scarce_severity least)
{
    size_t n = 0;
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i) {
        const scarce_doctor_finding *f = scarce_doctor_get(d, i);
        const int accuses = strncmp(f->code, "leak", 4) == 0 || strcmp(f->code, "pure-value") == 0 ||
                            strcmp(f->code, "strong-column") == 0 || strcmp(f->code, "identifier") == 0 ||
                            strcmp(f->code, "clock") == 0;
        if (accuses && f->severity >= least) fprintf(stderr, "alarm: %s: %s\n", f->code, f->what);
        n += accuses && f->severity >= least ? 1 : 0;
    }
    return n;
}

static void test_simulated(void)
{
    static const char *const hard[] = {"preset=hard", "transactions=15000"};
    static const char *const handbook[] = {"preset=handbook", "transactions=15000"};
    static const char *const square[] = {"variant=square"};
    for (uint64_t seed = 1; seed <= 8; ++seed)
        for (int kind = 0; kind < 3; ++kind) {
            scarce_table *t = simulated(kind == 2 ? "toy" : "fraud",
                                        kind == 0   ? hard
                                        : kind == 1 ? handbook
                                                    : square,
                                        kind == 2 ? 1 : 2, seed);
            scarce_doctor *d = examine(t, NULL);
            /* all payments above 220 are fraud in the handbook: worth a note */
            CHECK(accusations(d, kind == 1 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE) == 0);
            scarce_doctor_free(d);
            scarce_table_free(t);
        }
}

/* Puts new values into the column `night` of the stream. */
static scarce_doctor *with_leak(scarce_table *t, int kind)
{
    const size_t f = scarce_schema_find(scarce_table_schema(t), "night");
    scarce__random r = scarce__random_start(9, SCARCE__FOR_TEST, (uint64_t)kind);
    size_t *frauds = scarce__calloc(t->groups.count, sizeof *frauds);
    float *x = t->columns[f].number;

    for (size_t i = 0; i < t->n_rows; ++i) frauds[t->group[i]] += t->label[i];
    for (size_t i = 0; i < t->n_rows; ++i) {
        const int y = t->label[i];
        const double u = scarce__random_unit(&r);
        if (kind == 0) x[i] = (float)y;
        else if (kind == 1) x[i] = (float)(y && u < 0.9);
        else if (kind == 2) x[i] = (float)(scarce__random_normal(&r) + 5 * y);
        else if (kind == 3) x[i] = (float)frauds[t->group[i]]; /* of the card's whole life, the future too */
        else if (kind == 4) x[i] = y || u < 0.02 ? (float)u : (float)NAN;
        else x[i] = (float)(2 * (i * 7919 % t->n_rows) + (y ? t->n_rows + 1 - t->n_rows % 2 : 0));
    }
    scarce__free(frauds);
    return examine(t, NULL);
}

static void test_planted(void)
{
    static const char *const hard[] = {"preset=hard", "transactions=40000"};
    static const char *const code[] = {"leak-label",    "leak-label",   "leak-label",
                                       "strong-column", "leak-missing", "leak-id"};
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        scarce_table *t = simulated("fraud", hard, 2, seed);
        for (int kind = 0; kind < 6; ++kind) {
            scarce_doctor *d = with_leak(t, kind);
            CHECK(found(d, code[kind], "night") || (kind == 3 && found(d, "leak-label", "night")));
            if (!found(d, code[kind], "night")) fprintf(stderr, "kind %d, seed %d\n", kind, (int)seed);
            scarce_doctor_free(d);
        }
        scarce_table_free(t);
    }
}

static const test_case tests[] = {
    {"noise", test_noise}, {"simulated", test_simulated}, {"planted", test_planted}};
TEST_MAIN(tests)
