/* SPDX-License-Identifier: Apache-2.0 */
/* A loss of the caller through scarce_train: logistic written again gives the very trees of the built-in one;
 * lists, samples, what is refused, and what the model says of it. */
#include <stdatomic.h>
#include <string.h>

#include <scarce/scarce.h>

#include "boost/exp.h"
#include "boost/list.h"
#include "lcg.h"
#include "test.h"

enum { ROWS = 30000, COLUMNS = 6 };

static scarce_table *make_table(void)
{
    static float x[ROWS * COLUMNS];
    static uint8_t y[ROWS];
    scarce_table *table = NULL;
    lcg r = lcg_start(5);
    for (size_t i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (size_t k = 0; k < COLUMNS; ++k) {
            x[i * COLUMNS + k] = (float)lcg_below(&r, 1000) / 500 - 1;
            sum += (double)x[i * COLUMNS + k] * (double)(k + 1);
        }
        y[i] = sum + (double)lcg_below(&r, 1000) / 200 > 14;
    }
    CHECK(scarce_table_from_floats(&table, x, ROWS, COLUMNS, NULL, y, NULL) == SCARCE_OK);
    CHECK(scarce_table_positives(table) > 100 && scarce_table_positives(table) < 3000);
    return table;
}

/* What a caller's payload counts. */
typedef struct seen {
    atomic_size_t calls, rows, wrong_rows;
    int finished;
    const uint8_t *label; /* of the table */
    int fail_after;
    float bad;
} seen;

static int logistic(void *payload, const scarce_loss_rows *rows, float *g, float *h)
{
    seen *s = payload;
    atomic_fetch_add(&s->calls, 1);
    atomic_fetch_add(&s->rows, rows->n);
    for (size_t i = 0; i < rows->n; ++i) {
        const float z = rows->score[i], e = scarce__expf(z < 0 ? z : -z);
        const float large = 1.0f / (1.0f + e), small = e * large;
        g[i] = rows->label[i] ? -(z < 0 ? large : small) : (z < 0 ? small : large);
        h[i] = small * large;
    }
    if (s->fail_after > 0 && (int)atomic_load(&s->calls) > s->fail_after) return 1;
    if (s->bad != 0 && rows->first == 0) g[rows->n / 2] = s->bad;
    return 0;
}

/* The row number leads to the row's own label (all are 0 when it is asked how much negatives matter). */
static int logistic_by_row(void *payload, const scarce_loss_rows *rows, float *g, float *h)
{
    seen *s = payload;
    for (size_t i = 0; i < rows->n; ++i)
        if (rows->label[i] && !s->label[scarce_loss_row(rows, i)]) atomic_fetch_add(&s->wrong_rows, 1);
    return logistic(payload, rows, g, h);
}

static double log_odds(void *payload, const scarce_loss_rows *rows)
{
    double p = 0, n = 0;
    (void)payload;
    for (size_t i = 0; i < rows->n; ++i)
        *(rows->label[i] ? &p : &n) += rows->weight ? (double)rows->weight[i] : 1;
    CHECK(rows->score == NULL && rows->n == ROWS);
    return log(p / n);
}

static double mean_loss(void *payload, const scarce_loss_rows *rows)
{
    double sum = 0;
    (void)payload;
    for (size_t i = 0; i < rows->n; ++i) {
        const double z = (double)rows->score[i] * (rows->label[i] ? 1 : -1);
        sum += log1p(exp(-z));
    }
    return sum / (double)rows->n;
}

static void finish(void *payload)
{
    ((seen *)payload)->finished += 1;
}

static scarce_status train(scarce_model **model, const scarce_table *table, const char *list,
                           const scarce_loss *loss, const scarce_table *valid, int threads, int early_stop,
                           scarce_error *err)
{
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_params *params = NULL;
    scarce_status st;

    co.threads = threads;
    o.loss = loss;
    o.valid = valid;
    o.early_stop = early_stop;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    CHECK(scarce_params_new(&params, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_params_set_list(params, list, ':', NULL) == SCARCE_OK);
    st = scarce_train(model, table, params, &o, NULL, ctx, err);
    scarce_params_free(params);
    scarce_context_free(ctx);
    return st;
}

static int same_trees(const scarce_model *a, const scarce_model *b)
{
    char *ta = NULL, *tb = NULL;
    CHECK(scarce_model_show(&ta, a, "dot", NULL) == SCARCE_OK &&
          scarce_model_show(&tb, b, "dot", NULL) == SCARCE_OK);
    const int same = strcmp(ta, tb) == 0;
    scarce_bytes_free(ta);
    scarce_bytes_free(tb);
    return same;
}

static void test_same_trees(void)
{
    static const char *const settings[] = {"n_trees=20:sample=all",
                                           "n_trees=20:pos_weight=3",
                                           "n_trees=20:sample=uniform:subsample=0.5",
                                           "n_trees=20:sample=goss",
                                           "n_trees=20:sample=mvs:subsample=0.2",
                                           "n_trees=30:sample=importance:neg_per_pos=2"};
    scarce_table *table = make_table();
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k)
        for (int threads = 1; threads <= 2; ++threads) {
            seen s;
            scarce_loss loss = SCARCE_LOSS_INIT;
            scarce_model *built_in = NULL, *own = NULL;
            scarce_error err = SCARCE_ERROR_INIT;
            memset(&s, 0, sizeof s);
            s.label = scarce_table_label(table);
            loss.name = "mine";
            loss.payload = &s;
            loss.gradients = logistic_by_row;
            loss.start = log_odds;
            loss.value = mean_loss;
            loss.finish = finish;
            loss.link = threads - 1;
            CHECK(train(&built_in, table, settings[k], NULL, NULL, threads, 0, &err) == SCARCE_OK);
            CHECK(train(&own, table, settings[k], &loss, NULL, threads, 0, &err) == SCARCE_OK);
            CHECK(same_trees(built_in, own));
            CHECK(s.finished == 1 && atomic_load(&s.wrong_rows) == 0 && atomic_load(&s.calls) > 0);
            CHECK_TEXT(scarce_model_note(own, "loss"), "user:mine");
            CHECK_TEXT(scarce_model_note(own, "link"), threads == 1 ? "unknown" : "1");
            CHECK(scarce_model_note(own, "param.loss") == NULL);
            CHECK(scarce_model_has_probability(own) == (threads == 2));
            scarce_model_free(built_in);
            scarce_model_free(own);
        }
    scarce_table_free(table);
}

/* RankBoost's loss as a list of the caller. */
static int rank_list(void *payload, const scarce_loss_rows *rows, float *g, float *h)
{
    double sum[2] = {0, 0}, p = 0;
    atomic_fetch_add(&((seen *)payload)->calls, 1);
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1;
        sum[rows->label[i]] += w * exp((rows->label[i] ? -1 : 1) * (double)rows->score[i]);
        p += rows->label[i] ? w : 0;
    }
    for (size_t i = 0; i < rows->n; ++i) {
        const double w = rows->weight ? (double)rows->weight[i] : 1, sign = rows->label[i] ? -1 : 1;
        g[i] = (float)(p * sign * w * exp(sign * (double)rows->score[i]) / sum[rows->label[i]]);
        h[i] = fabsf(g[i]);
    }
    return 0;
}

static void by_exp(void *payload, const scarce_loss_rows *rows, float *out)
{
    (void)payload;
    for (size_t i = 0; i < rows->n; ++i) out[i] = expf(rows->score[i]);
}

static double ap_of(const scarce_model *model, const scarce_table *table)
{
    static double score[ROWS];
    double ap = 0;
    scarce_scorer *scorer = NULL;
    CHECK(scarce_scorer_new(&scorer, model, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(scorer, table, score, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_average_precision(&ap, score, scarce_table_label(table), NULL, ROWS, NULL, NULL) ==
          SCARCE_OK);
    scarce_scorer_free(scorer);
    return ap;
}

static void test_list(void)
{
    scarce_table *table = make_table();
    static const char *const settings[] = {"n_trees=20:min_child_weight=1:sample=all",
                                           "n_trees=20:min_child_weight=1:sample=importance:neg_per_pos=2"};
    for (int k = 0; k < 2; ++k) {
        seen s;
        char with_loss[120];
        scarce_loss loss = SCARCE_LOSS_INIT;
        scarce_model *built_in = NULL, *own = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        memset(&s, 0, sizeof s);
        loss.payload = &s;
        loss.whole_list = 1;
        loss.gradients = rank_list;
        snprintf(with_loss, sizeof with_loss, "%s:loss=rankboost", settings[k]);
        CHECK(train(&built_in, table, with_loss, NULL, NULL, 2, 0, NULL) == SCARCE_OK);
        if (k == 1) { /* a list without its own interest can't be sampled by it */
            CHECK(train(&own, table, settings[k], &loss, NULL, 2, 0, &err) == SCARCE_EUNSUPPORTED && !own);
            loss.interest = by_exp;
            atomic_store(&s.calls, 0);
        }
        CHECK(train(&own, table, settings[k], &loss, NULL, 2, 0, &err) == SCARCE_OK);
        CHECK(atomic_load(&s.calls) == 20);
        CHECK_NEAR(ap_of(own, table), ap_of(built_in, table), k ? 0.02 : 0.005);
        CHECK_TEXT(scarce_model_note(own, "loss"), "user:own");
        scarce_model_free(built_in);
        scarce_model_free(own);
    }
    scarce_table_free(table);
}

static void expect(const scarce_table *table, const char *list, const scarce_loss *loss, int early_stop,
                   scarce_status status, const char *text)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    CHECK(train(&model, table, list, loss, NULL, 2, early_stop, &err) == status);
    CHECK(model == NULL);
    CHECK_TEXT(err.text, text);
}

static void test_refusals(void)
{
    scarce_table *table = make_table();
    scarce_loss loss = SCARCE_LOSS_INIT;
    seen s;
    memset(&s, 0, sizeof s);
    loss.payload = &s;
    expect(table, "n_trees=3", &loss, 0, SCARCE_EINVAL, "the caller's loss has no gradients");
    loss.gradients = logistic;
    expect(table, "n_trees=3:loss=focal", &loss, 0, SCARCE_EINVAL,
           "there is a loss of the caller and the parameter loss: give one");
    expect(table, "n_trees=3:sample=uniform:subsample=0.5", &loss, 2, SCARCE_EINVAL,
           "early stopping by rows outside the bags needs the value of the loss, own has none");
    s.fail_after = 5;
    expect(table, "n_trees=30", &loss, 0, SCARCE_EINVAL, "the loss own ended the training");
    s.fail_after = 0;
    s.bad = NAN;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    CHECK(train(&model, table, "n_trees=30:sample=all", &loss, NULL, 2, 0, &err) == SCARCE_EDATA);
    CHECK(strncmp(err.text, "the loss own gives g nan", 24) == 0 && strstr(err.text, "for row 4097;"));
    s.bad = 0;
    loss.link = -1;
    expect(table, "n_trees=3", &loss, 0, SCARCE_EINVAL,
           "the link of the caller's loss is -1, 0 or more is allowed");
    loss.link = 0;
    scarce_params *params = NULL;
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    o.loss = &loss;
    CHECK(scarce_params_new(&params, "logistic", NULL) == SCARCE_OK);
    CHECK(scarce_train(&model, table, params, &o, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK_TEXT(err.text, "method logistic takes no loss of the caller");
    const int before = s.finished;
    loss.finish = finish;
    CHECK(scarce_train(&model, table, params, &o, NULL, NULL, &err) == SCARCE_EINVAL);
    CHECK(s.finished == before + 1);
    scarce_params_free(params);
    scarce_table_free(table);
}

static const test_case tests[] = {
    {"same_trees", test_same_trees}, {"list", test_list}, {"refusals", test_refusals}};
TEST_MAIN(tests)
