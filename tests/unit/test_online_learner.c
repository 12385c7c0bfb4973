/* SPDX-License-Identifier: Apache-2.0 */
/* Learners: the same however rows are cut into blocks; labels teach when they are due, as a slow loop says; a checkpoint
 * goes on byte for byte; rows that can't be learnt do no harm; categories grow and are bounded; classes. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <scarce/scarce.h>

#include "data/table.h"
#include "method/learner.h"
#include "test.h"
#include "unit/lcg.h"

enum { ROWS = 1500 };

static const char *const methods[] = {"onlb",          "onlb:scheme=paper",     "onlb:weak=tree",
                                      "online-bbm",    "adaboost-ol",           "adaboost-ol-w",
                                      "ogb",           "streamboost",           "mlp",
                                      "online-net",    "online-linear",         "online-tree",
                                      "ogb:weak=tree", "online-bbm:weak=linear"};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

/* Rows with times, cards, a category that grows, missing values; label, when it came, whether it came early. */
static char *make_rows(size_t rows)
{
    char *text = malloc(rows * 100 + 200);
    size_t n = (size_t)sprintf(text, "time,card,a,b,shop,label,known,early\n");
    lcg r = lcg_start(3);
    for (size_t i = 0; i < rows; ++i) {
        const size_t a = lcg_below(&r, 1000), shop = lcg_below(&r, 5 + i / 20),
                     risk = (size_t)(a > 800) + (size_t)(shop == 3);
        const size_t label = lcg_below(&r, 100) < (risk ? 60u : 5u),
                     time = 1000000 + 60 * i + lcg_below(&r, 50);
        n += (size_t)sprintf(text + n, "%zu,c%zu,%zu.5,", time, lcg_below(&r, 40), a);
        if (lcg_below(&r, 8)) n += (size_t)sprintf(text + n, "%zu", lcg_below(&r, 30));
        n += (size_t)sprintf(text + n, ",s%zu,%zu,%zu,%d\n", shop, label, time + lcg_below(&r, 9000),
                             lcg_below(&r, 9) == 0);
    }
    return text;
}

static scarce_read_options read_as(void)
{
    static const char *const exact[] = {"known", "early"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.time = "time";
    o.group = "card";
    o.exact = (scarce_names){exact, 2};
    o.time_format = SCARCE_TIME_NUMBER;
    return o;
}

static scarce_table *table_of(const char *text)
{
    scarce_read_options o = read_as();
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_table_read_bytes(&t, text, strlen(text), "rows.csv", &o, NULL, &err))
        fprintf(stderr, "%s\n", err.text);
    CHECK(t != NULL);
    return t;
}

static scarce_learner *learner_of(const char *spec, const scarce_schema *schema,
                                  const scarce_learner_options *o)
{
    scarce_params *params = NULL;
    scarce_learner *l = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_params_of_spec(&params, spec, &err) == SCARCE_OK);
    if (scarce_learner_new(&l, params, schema, o, NULL, &err)) fprintf(stderr, "%s\n", err.text);
    CHECK(l != NULL);
    scarce_params_free(params);
    return l;
}

static void *model_bytes(const scarce_learner *l, size_t *n)
{
    scarce_model *m = NULL;
    void *bytes = NULL;
    CHECK(scarce_learner_model(&m, l, NULL) == SCARCE_OK);
    CHECK(scarce_model_bytes(&bytes, n, m, NULL) == SCARCE_OK);
    scarce_model_free(m);
    return bytes;
}

static int same_models(const scarce_learner *a, const scarce_learner *b)
{
    size_t n, m;
    void *x = model_bytes(a, &n), *y = model_bytes(b, &m);
    const int same = n == m && memcmp(x, y, n) == 0;
    scarce_bytes_free(x);
    scarce_bytes_free(y);
    return same;
}

/* Learns rows from..to-1 in pieces of `size`. */
static void feed(scarce_learner *l, const scarce_table *t, size_t from, size_t to, size_t size, double *score)
{
    for (size_t i = from; i < to; i += size) {
        const scarce_view_options vo = {sizeof vo, i, i + size < to ? size : to - i, NULL, NULL, 0};
        scarce_table *part = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce_table_view(&part, t, &vo, NULL) == SCARCE_OK);
        if (scarce_learner_block(l, part, 0, score ? score + i : NULL, &err)) {
            fprintf(stderr, "%s\n", err.text);
            CHECK(0);
        }
        scarce_table_free(part);
    }
}

/* ---- blocks */

static void test_blocks(void)
{
    char *text = make_rows(ROWS);
    scarce_table *t = table_of(text);
    static double a[ROWS], b[ROWS];
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    o.delay = 3000;
    for (size_t i = 0; t && i < N_METHODS; ++i) {
        scarce_learner *x = learner_of(methods[i], &t->schema, &o),
                       *y = learner_of(methods[i], &t->schema, &o);
        feed(x, t, 0, ROWS, ROWS, a);
        feed(y, t, 0, ROWS, 7, b);
        CHECK(memcmp(a, b, sizeof a) == 0 && same_models(x, y));
        scarce_learner_free(x);
        scarce_learner_free(y);
    }
    scarce_table_free(t);
    free(text);
}

/* ---- labels that come late, by a loop that looks at all rows each time */

static void check_delay(const char *method, scarce_learner_options o)
{
    char *text = make_rows(300);
    scarce_table *t = table_of(text);
    static double score[300];
    uint8_t done[300] = {0};
    scarce_learner *l = learner_of(method, &t->schema, &o), *slow = learner_of(method, &t->schema, NULL);
    float row[3];

    feed(l, t, 0, 300, 64, score);
    for (size_t i = 0; i < 300; ++i) {
        for (;;) { /* the row that is due first */
            size_t best = SIZE_MAX;
            double due = 0;
            for (size_t j = 0; j < i; ++j) {
                const int early = o.early >= 0 && t->exact[o.early][j] != 0;
                double d = o.label_time >= 0 ? t->exact[o.label_time][j] : t->time[j] + o.delay;
                if (early && t->time[j] + o.early_delay < d) d = t->time[j] + o.early_delay;
                if (!done[j] && d <= t->time[i] && (best == SIZE_MAX || d < due)) best = j, due = d;
            }
            if (best == SIZE_MAX) break;
            done[best] = 1;
            scarce_table_row(t, best, row);
            CHECK(scarce_learner_learn(slow, row, t->label[best],
                                       o.early >= 0 && t->exact[o.early][best] != 0 ? o.early_weight : 1,
                                       NULL) == SCARCE_OK);
        }
        scarce_table_row(t, i, row);
        CHECK(scarce_learner_score(slow, row) == score[i]);
    }
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    size_t learnt = 0;
    for (size_t i = 0; i < 300; ++i) learnt += done[i];
    CHECK(s.rows == 300 && s.learnt == learnt && s.pending == 300 - learnt && s.lag > 0);
    CHECK(scarce_learner_flush(l, NULL) == SCARCE_OK && scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    CHECK(s.learnt == 300 && s.pending == 0);
    scarce_learner_free(l);
    scarce_learner_free(slow);
    scarce_table_free(t);
    free(text);
}

static void test_delay(void)
{
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    o.delay = 3600;
    check_delay("onlb", o);
    o.delay = 0;
    o.label_time = 0;
    check_delay("online-linear", o);
    o.early = 1;
    o.early_delay = 600;
    o.early_weight = 0.5;
    check_delay("mlp", o);
}

/* More wait than may: the one that is due first is dropped. */
static void test_dropped(void)
{
    char *text = make_rows(200);
    scarce_table *t = table_of(text);
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    o.delay = 1e6;
    o.max_pending = 50;
    scarce_learner *l = learner_of("onlb", &t->schema, &o);
    feed(l, t, 0, 200, 200, NULL);
    CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    CHECK(s.dropped == 150 && s.pending == 50 && s.learnt == 0);
    scarce_learner_free(l);
    scarce_table_free(t);
    free(text);
}

/* ---- checkpoints */

static void test_resume(void)
{
    char *text = make_rows(ROWS), path[] = "/tmp/scarce_learner_XXXXXX";
    const int fd = mkstemp(path);
    scarce_table *t = table_of(text);
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    o.delay = 5000;
    o.window = 300;
    o.adapt = SCARCE_ADAPT_RESTART_WEAKEST;
    CHECK(fd >= 0 && close(fd) == 0);
    for (size_t i = 0; t && i < N_METHODS; ++i) {
        scarce_learner *whole = learner_of(methods[i], &t->schema, &o),
                       *first = learner_of(methods[i], &t->schema, &o);
        scarce_learner *rest = NULL;
        scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
        scarce_model *m = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        feed(whole, t, 0, ROWS, ROWS, NULL);
        feed(first, t, 0, 777, 100, NULL);
        CHECK(scarce_learner_checkpoint(first, path, NULL) == SCARCE_OK);
        CHECK(scarce_model_load(&m, path, NULL) == SCARCE_OK);
        if (scarce_learner_go_on(&rest, m, &o, NULL, &err)) fprintf(stderr, "%s\n", err.text);
        CHECK(rest != NULL);
        if (!rest) continue;
        CHECK(scarce_learner_get_status(&s, rest, NULL) == SCARCE_OK && s.rows == 777 && s.pending > 0);
        feed(rest, t, 777, ROWS, 50, NULL);
        CHECK(same_models(whole, rest));
        CHECK(scarce_learner_checkpoint(rest, path, NULL) ==
              SCARCE_OK); /* the rows that wait are the same too */
        scarce_learner_free(first);
        scarce_model_free(m);
        CHECK(scarce_model_load(&m, path, NULL) == SCARCE_OK && m->state != NULL);
        CHECK(scarce_learner_flush(whole, NULL) == SCARCE_OK &&
              scarce_learner_flush(rest, NULL) == SCARCE_OK);
        CHECK(same_models(whole, rest));
        scarce_learner_free(whole);
        scarce_learner_free(rest);
        scarce_model_free(m);
    }
    remove(path);
    scarce_table_free(t);
    free(text);
}

/* A model that was saved goes on as if it had never been: without what waited, there is no difference. */
static void test_go_on(void)
{
    char *text = make_rows(ROWS);
    scarce_table *t = table_of(text);
    for (size_t i = 0; t && i < N_METHODS; ++i) {
        scarce_learner *whole = learner_of(methods[i], &t->schema, NULL), *rest = NULL;
        static double a[ROWS], b[ROWS];
        scarce_model *m = NULL;
        feed(whole, t, 0, 700, 700, a);
        CHECK(scarce_learner_model(&m, whole, NULL) == SCARCE_OK);
        CHECK(scarce_learner_go_on(&rest, m, NULL, NULL, NULL) == SCARCE_OK);
        feed(whole, t, 700, ROWS, 700, a);
        feed(rest, t, 700, ROWS, 31, b);
        CHECK(memcmp(a + 700, b + 700, (ROWS - 700) * sizeof *a) == 0);
        scarce_model_free(m);
        scarce_learner_free(whole);
        scarce_learner_free(rest);
    }
    scarce_table_free(t);
    free(text);
}

/* The same rows by `train` in the order of rows, and by a learner. */
static void test_train(void)
{
    char *text = make_rows(ROWS);
    scarce_table *t = table_of(text);
    for (size_t i = 0; t && i < N_METHODS; ++i) {
        scarce_learner *l = learner_of(methods[i], &t->schema, NULL);
        scarce_params *params = NULL;
        scarce_model *m = NULL;
        scarce_scorer *scorer = NULL;
        static double score[ROWS];
        float row[3];
        CHECK(scarce_params_of_spec(&params, methods[i], NULL) == SCARCE_OK);
        CHECK(scarce_params_set(params, "passes", "1", NULL) == SCARCE_OK);
        CHECK(scarce_train(&m, t, params, NULL, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
        CHECK(scarce_scorer_table(scorer, t, score, NULL, NULL, NULL) == SCARCE_OK);
        feed(l, t, 0, ROWS, ROWS, NULL);
        for (size_t k = 0; k < ROWS; k += 11) {
            scarce_table_row(t, k, row);
            CHECK(scarce_learner_score(l, row) == score[k]);
        }
        scarce_scorer_free(scorer);
        scarce_model_free(m);
        scarce_params_free(params);
        scarce_learner_free(l);
    }
    scarce_table_free(t);
    free(text);
}

/* ---- rows that can't be learnt */

static void test_poison(void)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0};
    char *text = make_rows(400);
    scarce_table *t = table_of(text);
    for (size_t i = 0; t && i < N_METHODS; ++i) {
        scarce_learner *l = learner_of(methods[i], &t->schema, NULL);
        scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
        scarce_model *m = NULL;
        feed(l, t, 0, 400, 400, NULL);
        for (size_t k = 0; k < 343; ++k) {
            const float row[3] = {bad[k % 7], bad[k / 7 % 7], bad[k / 49]};
            CHECK(isfinite(scarce_learner_score(l, row)));
            CHECK(scarce_learner_learn(l, row, k % 2, 1, NULL) == SCARCE_OK);
        }
        const float plain[3] = {100, 3, 1};
        CHECK(scarce_learner_learn(l, plain, 1, (double)NAN, NULL) == SCARCE_OK);
        CHECK(scarce_learner_learn(l, plain, 1, (double)INFINITY, NULL) == SCARCE_OK);
        CHECK(scarce_learner_learn(l, plain, 1, -1, NULL) == SCARCE_OK);
        CHECK(scarce_learner_learn(l, plain, 2, 1, NULL) == SCARCE_OK);
        for (int k = 0; k < 50; ++k)
            CHECK(scarce_learner_learn(l, plain, (size_t)(k % 2), 1e30, NULL) == SCARCE_OK);
        CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK && s.refused == 4);
        CHECK(isfinite(scarce_learner_score(l, plain)));
        CHECK(scarce_learner_model(&m, l, NULL) == SCARCE_OK); /* a reader refuses what is not finite */
        scarce_model_free(m);
        scarce_learner_free(l);
    }
    scarce_table_free(t);
    free(text);
}

/* ---- categories */

static void test_categories(void)
{
    const char *one = "x,shop,label\n1,a,0\n2,b,1\n3,a,0\n",
               *two = "x,shop,label\n1,c,1\n2,a,0\n3,d,1\n4,e,0\n";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *s = NULL, *t = NULL;
    scarce_learner_status st = SCARCE_LEARNER_STATUS_INIT;
    CHECK(scarce_table_read_bytes(&s, one, strlen(one), NULL, &o, NULL, NULL) == SCARCE_OK);
    o.schema = &s->schema;
    o.part = 1;
    CHECK(scarce_table_read_bytes(&t, two, strlen(two), NULL, &o, NULL, NULL) == SCARCE_OK);
    scarce_learner *l = learner_of("online-linear:max_categories=3", &s->schema, NULL);
    CHECK(scarce_learner_block(l, s, 0, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_learner_block(l, t, 0, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_learner_get_status(&st, l, NULL) == SCARCE_OK);
    CHECK(st.new_categories == 1 && st.shared_categories == 2);
    const scarce_schema *schema = scarce_learner_schema(l);
    CHECK(scarce_schema_categories(schema, 1) == 3);
    CHECK_TEXT(scarce_schema_category(schema, 1, 2), "c");
    const float a[2] = {1, 0}, unknown[2] = {1, 3}, beyond[2] = {1, 77};
    CHECK(scarce_learner_score(l, unknown) == scarce_learner_score(l, beyond));
    CHECK(scarce_learner_score(l, a) != scarce_learner_score(l, unknown));
    scarce_learner_free(l);
    scarce_table_free(s);
    scarce_table_free(t);
}

/* ---- classes */

static void test_classes(void)
{
    const char *text = "x,y,label\n1,2,0\n2,1,1\n";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_params *params = NULL;
    scarce_learner *l = NULL;
    lcg r = lcg_start(9);
    size_t right = 0;
    double p[4];
    CHECK(scarce_table_read_bytes(&t, text, strlen(text), NULL, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_params_new(&params, "onlb", NULL) == SCARCE_OK);
    CHECK(scarce_learner_new_classes(&l, params, &t->schema, 4, 2, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 6000; ++i) { /* quadrants */
        const float row[2] = {(float)lcg_below(&r, 1000) - 500, (float)lcg_below(&r, 1000) - 500};
        const size_t y = (row[0] > 0) + 2 * (size_t)(row[1] > 0);
        CHECK(scarce_learner_classes(l, row, p, NULL) == SCARCE_OK);
        CHECK_NEAR(p[0] + p[1] + p[2] + p[3], 1, 1e-9);
        CHECK_NEAR(scarce_learner_score(l, row), log(p[2] / (1 - p[2])),
                   1e-6 * (1 + fabs(scarce_learner_score(l, row))));
        size_t best = 0;
        for (size_t j = 1; j < 4; ++j)
            if (p[j] > p[best]) best = j;
        right += i >= 5000 && best == y;
        CHECK(scarce_learner_learn(l, row, y, 1, NULL) == SCARCE_OK);
    }
    CHECK(right > 950);
    scarce_learner_free(l);
    CHECK(scarce_learner_new_classes(&l, params, &t->schema, 1, 0, NULL, NULL, NULL) == SCARCE_EINVAL);
    scarce_params_free(params);
    CHECK(scarce_params_new(&params, "mlp", NULL) == SCARCE_OK);
    CHECK(scarce_learner_new_classes(&l, params, &t->schema, 3, 0, NULL, NULL, NULL) == SCARCE_EINVAL);
    scarce_params_free(params);
    CHECK(scarce_params_new(&params, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_learner_new(&l, params, &t->schema, NULL, NULL, NULL) == SCARCE_EINVAL && !l);
    scarce_params_free(params);
    scarce_table_free(t);
}

/* Rows of four classes with times, cards and a category; now and then a label that is none of them. */
static scarce_table *quadrants(size_t rows)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    scarce_read_options o = read_as();
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    char *text = malloc(rows * 80 + 100);
    size_t n = (size_t)sprintf(text, "time,card,x,y,shop,label,known,early\n");
    lcg r = lcg_start(11);
    for (size_t i = 0; i < rows; ++i) {
        const size_t x = lcg_below(&r, 1000), y = lcg_below(&r, 1000);
        const char *label = lcg_below(&r, 50) ? names[(x > 500) + 2 * (y > 500)] : "strange";
        n += (size_t)sprintf(text + n, "%zu,c%zu,%zu,%zu,s%zu,%s,%zu,%d\n", 1000000 + 60 * i,
                             lcg_below(&r, 40), x, y, lcg_below(&r, 5), label,
                             1000000 + 60 * i + lcg_below(&r, 9000), lcg_below(&r, 9) == 0);
    }
    o.classes = (scarce_names){names, 4};
    o.positive = "b";
    if (scarce_table_read_bytes(&t, text, n, "rows.csv", &o, NULL, &err)) fprintf(stderr, "%s\n", err.text);
    CHECK(t != NULL);
    free(text);
    return t;
}

/* Blocks of rows with classes: figures as a slow loop over the rows says; the same from a checkpoint, and from a model that goes
 * on; probabilities are those of the rows before they were learnt. */
static void test_class_blocks(void)
{
    enum { N = 4000, HALF = 1700 };
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    scarce_table *t = quadrants(N);
    static double p[N * 4], q[N * 4];
    const uint8_t *own = scarce_table_classes(t);
    scarce_class_metrics figures[4], slow[4];
    uint64_t learnt[4], counted[4] = {0}, others = 0;
    double error, loss;

    CHECK(scarce_schema_n_classes(&t->schema) == 4 && strcmp(scarce_schema_class(&t->schema, 2), "c") == 0);
    o.window = N;
    scarce_learner *l = learner_of("onlb", &t->schema, &o);
    CHECK(scarce_learner_n_classes(l) == 4);
    CHECK(scarce_learner_block_classes(l, t, 0, NULL, p, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i) {
        CHECK((own[i] == 1) == (scarce_table_label(t)[i] == 1));
        if (own[i] == SCARCE_NO_CLASS) ++others;
        else ++counted[own[i]];
    }
    CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    CHECK(others > 20 && s.other_labels == others && s.learnt == N - others && s.positives == counted[1]);
    CHECK(scarce_learner_get_classes(figures, learnt, l, NULL) == SCARCE_OK);
    size_t first = 0; /* the first row with a class was scored before anything was learnt */
    while (own[first] == SCARCE_NO_CLASS) ++first;
    CHECK(scarce_metrics_classes(slow, &error, &loss, own + first + 1, p + 4 * (first + 1), N - first - 1, 4,
                                 NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(s.error, error, 1e-12);
    CHECK_NEAR(s.log_loss, loss, 1e-9);
    CHECK(error < 0.2 && error > 0);
    for (size_t j = 0; j < 4; ++j) {
        CHECK(learnt[j] == counted[j] && figures[j].rows == slow[j].rows && figures[j].hits == slow[j].hits);
        CHECK(figures[j].guessed == slow[j].guessed && slow[j].ap > 0.9 && isnan(figures[j].ap));
        CHECK_NEAR(figures[j].precision, slow[j].hits / slow[j].guessed, 1e-12);
    }
    /* delays, pieces, a checkpoint in between */
    o.delay = 7200;
    scarce_learner *whole = learner_of("onlb", &t->schema, &o), *part = learner_of("onlb", &t->schema, &o),
                   *rest = NULL;
    scarce_model *m = NULL;
    feed(whole, t, 0, N, N, NULL);
    feed(part, t, 0, HALF, 37, NULL);
    CHECK(scarce_learner_checkpoint(part, "classes.part", NULL) == SCARCE_OK);
    CHECK(scarce_model_load(&m, "classes.part", NULL) == SCARCE_OK);
    CHECK(scarce_schema_n_classes(scarce_model_schema(m)) == 4);
    CHECK(scarce_learner_go_on(&rest, m, &o, NULL, NULL) == SCARCE_OK);
    feed(rest, t, HALF, N, 100, NULL);
    CHECK(same_models(whole, rest));
    CHECK(scarce_learner_get_classes(figures, learnt, whole, NULL) == SCARCE_OK);
    CHECK(scarce_learner_get_classes(slow, counted, rest, NULL) == SCARCE_OK);
    CHECK(memcmp(figures, slow, sizeof figures) == 0 || isnan(figures[0].ap));
    for (size_t j = 0; j < 4; ++j) CHECK(learnt[j] == counted[j] && figures[j].hits == slow[j].hits);
    scarce_model_free(m);
    scarce_learner_free(rest);
    unlink("classes.part");
    /* a model scores all classes, and goes on with what it counted */
    scarce_scorer *scorer = NULL;
    CHECK(scarce_learner_model(&m, whole, NULL) == SCARCE_OK && scarce_model_n_classes(m) == 4);
    CHECK(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_classes(scorer, t, p, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < 20; ++i) {
        float row[3];
        scarce_table_row(t, i, row);
        CHECK(scarce_learner_classes(whole, row, q, NULL) == SCARCE_OK &&
              memcmp(q, p + 4 * i, 4 * sizeof *q) == 0);
        CHECK_NEAR(scarce_scorer_probability(scorer, scarce_scorer_score(scorer, row)), q[1], 1e-9);
    }
    CHECK(scarce_learner_go_on(&rest, m, &o, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_learner_get_classes(slow, counted, rest, NULL) == SCARCE_OK);
    for (size_t j = 0; j < 4; ++j) CHECK(learnt[j] == counted[j]);
    scarce_scorer_free(scorer);
    scarce_model_free(m);
    scarce_learner_free(rest);
    scarce_learner_free(part);
    scarce_learner_free(whole);
    scarce_learner_free(l);
    scarce_table_free(t);
}

/* A weight of the positive class is undone in what is called a probability. */
static void test_class_weight(void)
{
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_table *t = quadrants(300);
    scarce_learner *l = learner_of("onlb:pos_weight=5", &t->schema, &o);
    float row[3];
    double p[4];

    feed(l, t, 0, 300, 300, NULL);
    scarce_table_row(t, 7, row);
    CHECK(scarce_learner_classes(l, row, p, NULL) == SCARCE_OK);
    CHECK_NEAR(log(p[1] / (1 - p[1])), scarce_learner_score(l, row) - log(5.0), 1e-9);
    scarce_learner_free(l);
    scarce_table_free(t);
}

static scarce_status read_classes(const char *const *names, size_t n, const char *positive, scarce_error *err)
{
    const char *text = "x,label\n1,a\n2,b\n3,c\n";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    o.classes = (scarce_names){names, n};
    o.positive = positive;
    const scarce_status st = scarce_table_read_bytes(&t, text, strlen(text), NULL, &o, NULL, err);
    CHECK((st == SCARCE_OK) == (t != NULL));
    scarce_table_free(t);
    return st;
}

static void test_class_lists(void)
{
    static const char *const names[] = {"a", "b", "c", "1", "1.0"}, *many[65];
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(read_classes(names, 3, NULL, &err) == SCARCE_OK && read_classes(names, 4, "a", &err) == SCARCE_OK);
    CHECK(read_classes(names, 2, NULL, &err) == SCARCE_EINVAL && strstr(err.text, "3 to 64"));
    CHECK(read_classes(names, 5, NULL, &err) == SCARCE_EINVAL && strstr(err.text, "twice"));
    CHECK(read_classes(names, 3, "z", &err) == SCARCE_EINVAL && strstr(err.text, "none of the classes"));
    for (size_t i = 0; i < 65; ++i) many[i] = "x";
    CHECK(read_classes(many, 65, NULL, &err) == SCARCE_EINVAL && strstr(err.text, "65 classes"));
}

/* ---- the window: scores given before a positive was learnt say nothing, and would be the highest of a rare class */

static void test_blind_rows(void)
{
    scarce_learner_options o = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_read_options read = SCARCE_READ_OPTIONS_INIT;
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    enum { LONG = 4000, DELAY = 500 };
    char *text = malloc(LONG * 32), *at = text;
    scarce_table *t = NULL;
    scarce_model *m = NULL;
    scarce_scorer *scorer = NULL;
    double *score = malloc(LONG * sizeof *score);
    lcg r = lcg_start(9);
    size_t first = SIZE_MAX, alerts = 0, positives = 0;

    at += sprintf(at, "t,x,label\n");
    for (size_t i = 0; i < LONG; ++i) {
        const int x = (int)lcg_below(&r, 1000), y = x >= 990 && i > 700;
        if (y && first == SIZE_MAX) first = i;
        positives += y && i >= first + DELAY;
        at += sprintf(at, "%zu,%d,%d\n", i, x, y);
    }
    read.time = "t";
    read.part = 1;
    CHECK(scarce_table_read_bytes(&t, text, strlen(text), NULL, &read, NULL, NULL) == SCARCE_OK);
    o.delay = DELAY;
    scarce_learner *l = learner_of("online-linear", &t->schema, &o);
    CHECK(scarce_learner_block(l, t, 0, score, NULL) == SCARCE_OK);
    CHECK(scarce_learner_flush(l, NULL) == SCARCE_OK);
    CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    CHECK(s.learnt == LONG && s.window == LONG - (first + DELAY));
    CHECK(score[0] == 0 && score[DELAY - 1] == 0); /* what they were: an even chance */
    CHECK(scarce_learner_model(&m, l, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_new(&scorer, m, NULL) == SCARCE_OK);
    for (size_t i = first + DELAY; i < LONG; ++i) alerts += score[i] >= scarce_model_threshold(m);
    CHECK(alerts >= positives && alerts < positives + 5);
    scarce_scorer_free(scorer);
    scarce_model_free(m);
    scarce_learner_free(l);
    scarce_table_free(t);
    free(score);
    free(text);
}

/* ---- drift: a rule that turns round is unlearnt sooner with --adapt, where steps had become small */

static double late_loss(const char *method, scarce_adapt how, uint64_t *drifts)
{
    const char *text = "x,y,label\n1,2,0\n2,1,1\n";
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_learner_options lo = SCARCE_LEARNER_OPTIONS_INIT;
    scarce_table *t = NULL;
    lcg r = lcg_start(4);
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    lo.adapt = how;
    lo.window = 1500;
    CHECK(scarce_table_read_bytes(&t, text, strlen(text), NULL, &o, NULL, NULL) == SCARCE_OK);
    scarce_learner *l = learner_of(method, &t->schema, &lo);
    for (size_t i = 0; i < 21500; ++i) {
        const float row[2] = {(float)lcg_below(&r, 1000) - 500, (float)lcg_below(&r, 1000) - 500};
        const int y = (row[0] > 0) != (row[1] > 0), turned = i >= 20000;
        CHECK(scarce_learner_learn(l, row, (size_t)(turned ? !y : y), 1, NULL) == SCARCE_OK);
    }
    CHECK(scarce_learner_get_status(&s, l, NULL) == SCARCE_OK);
    *drifts = s.drifts_loss;
    CHECK((how == SCARCE_ADAPT_NONE) ==
          (s.decays + s.restarts == 0)); /* one learner alone can't begin anew: it decays */
    scarce_learner_free(l);
    scarce_table_free(t);
    return s.log_loss;
}

static void test_adapt(void)
{
    static const char *const some[] = {"mlp", "streamboost", "onlb"};
    for (int i = 0; i < 3; ++i) {
        uint64_t drifts;
        const double none = late_loss(some[i], SCARCE_ADAPT_NONE, &drifts);
        CHECK(drifts > 0);
        const double decay = late_loss(some[i], SCARCE_ADAPT_DECAY, &drifts);
        const double restart = late_loss(some[i], SCARCE_ADAPT_RESTART_WEAKEST, &drifts);
        if (i == 2) CHECK(none < 0.6 && decay < 0.6 && restart < 0.6); /* it turns round by itself */
        else CHECK(decay < 0.8 * none && restart < 0.8 * none);
    }
}

static const test_case tests[] = {{"blocks", test_blocks},
                                  {"delay", test_delay},
                                  {"dropped", test_dropped},
                                  {"resume", test_resume},
                                  {"go_on", test_go_on},
                                  {"train", test_train},
                                  {"poison", test_poison},
                                  {"categories", test_categories},
                                  {"classes", test_classes},
                                  {"class blocks", test_class_blocks},
                                  {"class weight", test_class_weight},
                                  {"class lists", test_class_lists},
                                  {"blind rows", test_blind_rows},
                                  {"adapt", test_adapt}};

TEST_MAIN(tests)
