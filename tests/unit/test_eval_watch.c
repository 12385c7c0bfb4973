/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics asked after every tree against scarce_metrics_compute, while scores change a little or
 * altogether. */
#include "core/alloc.h"
#include "core/context.h"
#include "eval/watch.h"
#include "lcg.h"
#include "test.h"

enum { MOST = 6000, ROUNDS = 12 };

typedef struct sample {
    size_t n;
    float score[MOST];
    double wide[MOST], weight[MOST], time[MOST];
    uint8_t label[MOST];
    int32_t group[MOST];
} sample;

static void make(sample *s, uint64_t seed, size_t n, unsigned rarity, unsigned cards)
{
    lcg r = lcg_start(seed);
    s->n = n;
    for (size_t i = 0; i < n; ++i) {
        s->label[i] = i == 0 || (i != 1 && lcg_below(&r, rarity) == 0);
        s->weight[i] = (double)lcg_below(&r, 5) / 2;
        s->group[i] = (int32_t)lcg_below(&r, cards);
        s->time[i] = 86400.0 * (double)lcg_below(&r, 9) + (double)lcg_below(&r, 86400) - 86400.0;
        s->score[i] = 0;
    }
    s->weight[0] = s->weight[1] = 1;
}

/* ties: few different values; jump: nothing remains of the last scores */
static void move(sample *s, lcg *r, int ties, int jump)
{
    for (size_t i = 0; i < s->n; ++i) {
        float x = ((float)lcg_below(r, 2000) - 1000) / 500 + (s->label[i] ? 0.5f : 0.0f);
        if (ties) x = floorf(x);
        s->score[i] = jump ? 8 * x : s->score[i] + 0.25f * x;
        s->wide[i] = (double)s->score[i];
    }
}

static void compare(const char *name, sample *s, int ties, int weighted, int threads)
{
    const size_t metric = scarce_metric_find(name);
    const scarce_scored rows = {s->n, s->wide, s->label, weighted ? s->weight : NULL,
                                NULL, s->time, NULL,     s->group};
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__watch *w = NULL;
    lcg r = lcg_start(s->n + (uint64_t)ties);

    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    CHECK(scarce__watch_knows(metric));
    CHECK(scarce__watch_new(&w, metric, &rows, scarce__context_pool(ctx), NULL) == SCARCE_OK);
    for (int round = 0; round < ROUNDS; ++round) {
        scarce_metrics m = SCARCE_METRICS_INIT;
        move(s, &r, ties, round % 5 == 4);
        if (round == 7)
            for (size_t i = 0; i < s->n; ++i) s->wide[i] = (double)(s->score[i] = 1.5f); /* all equal */
        CHECK(scarce_metrics_compute(&m, &rows, NULL, ctx, NULL) == SCARCE_OK);
        const double want = scarce_metric_value(&m, metric);
        double got;
        CHECK(scarce__watch_value(&got, w, s->score, scarce__context_pool(ctx), NULL) == SCARCE_OK);
        CHECK(fabs(got - want) <= 1e-12 || (isnan(got) && isnan(want)));
    }
    scarce__watch_free(w);
    scarce_context_free(ctx);
}

static void test_values(void)
{
    static sample s;
    static const char *const names[] = {"ap", "precision_at_k", "recall_at_k", "card_precision_at_k"};
    static const size_t sizes[] = {2, 9, 100, 4095, 6000};
    for (size_t m = 0; m < 4; ++m)
        for (size_t k = 0; k < 5; ++k)
            for (int way = 0; way < 4; ++way) {
                make(&s, 3 * k + m, sizes[k], k % 2 ? 50 : 5, k == 4 ? 900 : 40);
                compare(names[m], &s, way & 1, way & 2, 1 + way % 3);
            }
}

/* Rare positives: the way without a sort; scores at the ends of float, and positives all alike. */
static void test_rare(void)
{
    static sample s;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        make(&s, seed, MOST - 7 * (size_t)seed, seed % 3 ? 40 : 600, 20);
        compare("ap", &s, (int)(seed & 1), 0, 1 + (int)(seed % 3));
    }
    const float odd[6] = {-3e38f, 3e38f, 1e-40f, -1e-40f, 0.0f, -0.0f};
    const scarce_scored rows = {s.n, s.wide, s.label, NULL, NULL, NULL, NULL, NULL};
    scarce__watch *w = NULL;
    CHECK(scarce__watch_new(&w, scarce_metric_find("ap"), &rows, NULL, NULL) == SCARCE_OK);
    for (int round = 0; round < 40; ++round) {
        scarce_metrics m = SCARCE_METRICS_INIT;
        double got;
        lcg r = lcg_start(100 + (uint64_t)round);
        for (size_t i = 0; i < s.n; ++i) {
            s.score[i] = odd[lcg_below(&r, round % 2 ? 6 : 2)];
            if (round % 4 == 3 && s.label[i]) s.score[i] = odd[round / 4 % 6];
            s.wide[i] = (double)s.score[i];
        }
        CHECK(scarce_metrics_compute(&m, &rows, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(scarce__watch_value(&got, w, s.score, NULL, NULL) == SCARCE_OK);
        CHECK_NEAR(got, m.ap, 1e-12);
    }
    scarce__watch_free(w);
}

/* More cards a day than are looked at, and cards found before among the best of later days. */
static void test_cards(void)
{
    static sample s;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        make(&s, seed, MOST, 4, 300 + 40 * (unsigned)seed);
        compare("card_precision@k", &s, (int)(seed & 1), 0, 2);
    }
}

static void test_refusals(void)
{
    static sample s;
    scarce__watch *w = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    make(&s, 1, 50, 5, 7);
    scarce_scored rows = {s.n, NULL, s.label, NULL, NULL, NULL, NULL, s.group};
    CHECK(scarce__watch_new(&w, scarce_metric_find("cp@k"), &rows, NULL, &err) == SCARCE_EINVAL && !w);
    CHECK_TEXT(err.text, "card_precision_at_k needs a time and a group column in the validation rows");
    rows.time = s.time;
    s.group[3] = -1;
    CHECK(scarce__watch_new(&w, scarce_metric_find("cp@k"), &rows, NULL, &err) == SCARCE_EDATA && !w);
    CHECK(!scarce__watch_knows(scarce_metric_find("f1_best")));
    memset(s.label, 0, sizeof s.label); /* nothing to find: undefined */
    CHECK(scarce__watch_new(&w, scarce_metric_find("p@k"), &rows, NULL, NULL) == SCARCE_OK);
    double got = 0;
    CHECK(scarce__watch_value(&got, w, s.score, NULL, NULL) == SCARCE_OK && isnan(got));
    scarce__watch_free(w);
}

static const test_case tests[] = {
    {"values", test_values}, {"rare", test_rare}, {"cards", test_cards}, {"refusals", test_refusals}};
TEST_MAIN(tests)
