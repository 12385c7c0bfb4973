/* SPDX-License-Identifier: Apache-2.0 */
/* Distillation: a ranking tree taught by another model's probabilities. A row with probability p is positive in
 * part, g = -p and h = 1 (tree/criterion.h), so gini becomes the variance of p, and the AP criterion that of the
 * expected list: noise of the labels is gone, and every row teaches. After Hinton, Vinyals and Dean (2015) and
 * Craven and Shavlik (1996), with trees that rank.
 *
 * Of rare positives the variance of p is that of the few rows that the model is sure of, most of them rows it was
 * trained on, and splits found for them say little of the others. A single tree is taught sqrt(p) there, so that rows of
 * p = 0.1 count too; its leaves hold the mean of p all the same. (docs/ranking-trees.md has what it is worth.) */
#include <scarce/distil.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/options.h"
#include "core/random.h"
#include "model/model.h"
#include "rank/rank.h"

typedef struct work {
    const scarce_model *teacher;
    const scarce_table *table;
    const scarce_distil_options *options;
    scarce_context *ctx;
    double *score, *share; /* of the teacher, per row of the table */
    double
        *root; /* of the share where positives are rare, else the share: what splits of a single tree see */
    uint32_t *fit, *test; /* rows */
    size_t n_fit, n_test;
} work;

/* ---- Who learns, who judges */

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The time from which on rows judge. */
static scarce_status time_cut(double *cut, const scarce_table *table, double fraction, scarce_error *err)
{
    const size_t n = table->n_rows;
    double *sorted = scarce__malloc_array(n, sizeof *sorted);

    if (!sorted) return scarce__fail_memory(err, "times", n * sizeof *sorted);
    memcpy(sorted, table->time, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_number);
    *cut = sorted[(size_t)((1 - fraction) * (double)n)];
    scarce__free(sorted);
    return SCARCE_OK;
}

static scarce_status part_rows(work *w, scarce_error *err)
{
    const scarce_table *t = w->table;
    const uint64_t key = scarce__key(scarce_context_seed(w->ctx), SCARCE__FOR_SPLIT, 77);
    const double fraction = w->options->test ? 0 : w->options->test_fraction;
    double cut = INFINITY;

    if (fraction > 0 && t->time) SCARCE__TRY(time_cut(&cut, t, fraction, err));
    for (size_t i = 0; i < t->n_rows; ++i) {
        const size_t id = t->group ? (size_t)t->group[i] : i;
        const int judges = t->time ? t->time[i] >= cut : scarce__to_unit(scarce__hash(key, id)) < fraction;
        if (judges) w->test[w->n_test++] = (uint32_t)i;
        else w->fit[w->n_fit++] = (uint32_t)i;
    }
    if (w->n_fit < 10 || (fraction > 0 && w->n_test < 2))
        return scarce__fail(
            err, SCARCE_EDATA,
            "%zu rows to learn from and %zu to judge are too few; give more data, or a test file", w->n_fit,
            w->n_test);
    return SCARCE_OK;
}

/* ---- What is taught */

static int by_score(const void *a, const void *b)
{
    return by_number(b, a);
}

/* The share of rows that a model without probabilities takes for positive: as many as it alerts. */
static double share_of_alerts(const work *w)
{
    const size_t n = w->table->n_rows;
    const double cut = scarce_model_threshold(w->teacher), known = scarce_model_prevalence(w->teacher);
    size_t alerts = 0;

    if (known > 0 && known < 1) return known;
    for (size_t i = 0; !isnan(cut) && i < n; ++i) alerts += w->score[i] >= cut;
    return alerts > 0 && alerts < n ? (double)alerts / (double)n : 0.01;
}

/* Without probabilities and labels: the highest rows are positive. */
static scarce_status teach_order(work *w, scarce_error *err)
{
    const size_t n = w->table->n_rows;
    const double q = share_of_alerts(w);
    double *sorted = scarce__malloc_array(n, sizeof *sorted);

    if (!sorted) return scarce__fail_memory(err, "scores", n * sizeof *sorted);
    memcpy(sorted, w->score, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_score);
    size_t k = (size_t)(q * (double)n + 0.5);
    if (k < 1) k = 1;
    const double cut = sorted[k - 1] > sorted[n - 1] ? sorted[k - 1] : nextafter(sorted[n - 1], INFINITY);
    for (size_t i = 0; i < n; ++i) w->share[i] = w->score[i] >= cut;
    scarce__free(sorted);
    return SCARCE_OK;
}

static scarce_status teach(work *w, scarce_error *err)
{
    const scarce_table *t = w->table;
    const size_t n = t->n_rows;
    scarce_scorer *scorer = NULL;
    scarce_status st = scarce_scorer_new(&scorer, w->teacher, err);

    if (st == SCARCE_OK) st = scarce_scorer_table(scorer, t, w->score, w->share, w->ctx, err);
    scarce_scorer_free(scorer);
    SCARCE__TRY(st);
    size_t other = 0;
    for (size_t i = 0; i < n; ++i) other += w->score[i] != w->score[0];
    if (other == 0)
        return scarce__fail(err, SCARCE_EDATA,
                            "the model gives all %zu rows the same score: there is nothing to "
                            "imitate",
                            n);
    if (scarce_model_has_probability(w->teacher)) return SCARCE_OK;
    if (t->label && t->n_positives > 0 && t->n_positives < n) {
        scarce__calibrator c = {.kind = SCARCE__CALIBRATOR_NONE};
        SCARCE__TRY(scarce__calibrate_platt(&c, w->score, t->label, t->weight, n, err));
        scarce__calibrator_apply_all(&c, w->score, n, w->share);
        scarce__calibrator_deinit(&c);
        return SCARCE_OK;
    }
    return teach_order(w, err);
}

static const double rare = 0.05;

static void find_roots(work *w)
{
    const size_t n = w->table->n_rows;
    double sum = 0;

    for (size_t i = 0; i < n; ++i) sum += w->share[i];
    for (size_t i = 0; i < n; ++i) w->root[i] = sum < rare * (double)n ? sqrt(w->share[i]) : w->share[i];
}

/* ---- Shapes */

enum { MOST_SHAPES = 4 };

static size_t shapes_of(scarce__rank_options shape[MOST_SHAPES], const work *w)
{
    scarce__rank_options o = SCARCE__RANK_OPTIONS_INIT;
    size_t n = 0;

    o.seed = scarce_context_seed(w->ctx);
    o.scores = SCARCE__SCORES_LEAF;
    o.min_rows = 5;
    o.max_categories = 30;
    o.shape = SCARCE__CART;
    o.criterion = "gini";
    o.max_depth = w->options->rules > 0 ? 0 : w->options->depth;
    o.max_leaves = w->options->rules;
    shape[n++] = o;
    if (w->options->rules > 0) return n;
    o.shape = SCARCE__METAAP;
    if (o.max_depth > 2) {
        o.inner_depth = 2;
        shape[n++] = o;
    }
    o.inner_depth = 0;
    shape[n++] = o;
    o.shape = SCARCE__TREERANK;
    shape[n++] = o;
    return n;
}

static scarce_status learn(scarce__rank **out, const scarce__rank_options *shape, const work *w,
                           const uint32_t *rows, size_t n, scarce_error *err)
{
    const scarce__rank_data data = {.table = w->table,
                                    .rows = rows,
                                    .n = n,
                                    .share = w->share,
                                    .taught = shape->shape == SCARCE__CART ? w->root : NULL};
    return scarce__rank_learn(out, &data, shape, w->ctx, err);
}

/* AP of the imitator on rows, by their labels where these are enough, else by the model's top. */
static scarce_status judge_shape(double *ap, const scarce__rank *rank, const work *w, const uint32_t *rows,
                                 size_t n, scarce_error *err)
{
    const scarce_table *t = w->table;
    scarce_table *part = NULL;
    scarce_metrics m = SCARCE_METRICS_INIT;
    double *score = scarce__malloc_array(n, sizeof *score);
    uint8_t *label = scarce__malloc(n);
    scarce_status st = score && label ? scarce_table_rows_of(&part, t, rows, n, w->ctx, err)
                                      : scarce__fail_memory(err, "scores", 9 * n);

    if (st == SCARCE_OK) st = scarce__rank_score_table(rank, part, score, w->ctx, err);
    if (st == SCARCE_OK) {
        scarce_scored in = scarce_scored_of_table(part, score, NULL);
        size_t positives = 0;
        for (size_t i = 0; i < n; ++i) {
            label[i] = t->label ? t->label[rows[i]] : w->share[rows[i]] > 0.5;
            positives += label[i];
        }
        if (!t->label && positives == 0) /* the half with more probability than the mean */
            for (size_t i = 0; i < n; ++i) label[i] = w->share[rows[i]] > w->share[rows[n / 2]];
        in.label = label;
        st = scarce_metrics_compute(&m, &in, NULL, w->ctx, err);
        *ap = st == SCARCE_OK && !isnan(m.ap) ? m.ap : 0;
    }
    scarce_table_free(part);
    scarce__free(score);
    scarce__free(label);
    return st;
}

/* The best of several shapes on a quarter of the rows to learn from; of equal ones the first, which is simplest. */
static scarce_status choose_shape(scarce__rank_options *best, const work *w, scarce_error *err)
{
    const uint64_t key = scarce__key(scarce_context_seed(w->ctx), SCARCE__FOR_SPLIT, 78);
    scarce__rank_options shape[MOST_SHAPES];
    const size_t n = shapes_of(shape, w);
    uint32_t *fit = scarce__malloc_array(w->n_fit, sizeof *fit),
             *judge = scarce__malloc_array(w->n_fit, sizeof *judge);
    size_t n_fit = 0, n_judge = 0;
    double highest = -1;
    scarce_status st = fit && judge ? SCARCE_OK : scarce__fail_memory(err, "rows", 8 * w->n_fit);

    *best = shape[0];
    for (size_t i = 0; st == SCARCE_OK && i < w->n_fit; ++i) {
        const uint32_t row = w->fit[i];
        const size_t id = w->table->group ? (size_t)w->table->group[row] : row;
        if (scarce__to_unit(scarce__hash(key, id)) < 0.25) judge[n_judge++] = row;
        else fit[n_fit++] = row;
    }
    for (size_t k = 0; st == SCARCE_OK && n > 1 && n_judge > 1 && n_fit > 1 && k < n; ++k) {
        scarce__rank *rank = NULL;
        double ap = 0;
        st = learn(&rank, &shape[k], w, fit, n_fit, err);
        if (st == SCARCE_OK) st = judge_shape(&ap, rank, w, judge, n_judge, err);
        if (st == SCARCE_OK && ap > highest * 1.01) {
            highest = ap;
            *best = shape[k];
        }
        scarce__rank_free(rank);
    }
    scarce__free(fit);
    scarce__free(judge);
    return st;
}

/* ---- The model */

/* As many alerts as the model has on the same rows, by whole leaves, and those of the first at least. */
static double threshold_of(const scarce__dag *dag, const work *w)
{
    const double cut = scarce_model_threshold(w->teacher);
    double wanted = 0, rows = 0, threshold = dag->leaves[0].score;

    for (size_t i = 0; i < w->n_fit; ++i)
        wanted += isnan(cut) ? w->share[w->fit[i]] : (double)(w->score[w->fit[i]] >= cut);
    for (size_t k = 0; k < dag->n_leaves; ++k) {
        rows += (double)dag->leaves[k].rows;
        if (rows > wanted && k > 0) break;
        threshold = dag->leaves[k].score;
    }
    return threshold;
}

static scarce_status add_notes(scarce_model *m, const work *w, const scarce__rank_options *o,
                               scarce_error *err)
{
    static const char *const shapes[] = {"cart", "treerank", "metaap"};

    SCARCE__TRY(scarce__model_add_note(m, "library", scarce_version(), err));
    SCARCE__TRY(scarce__model_add_note_number(m, "seed", (double)scarce_context_seed(w->ctx), err));
    SCARCE__TRY(scarce__model_add_note_number(m, "rows", (double)w->n_fit, err));
    SCARCE__TRY(scarce__model_add_note(m, "imitates", w->teacher->method, err));
    SCARCE__TRY(scarce__model_add_note(m, "shape", shapes[o->shape], err));
    SCARCE__TRY(scarce__model_add_note_number(m, w->options->rules > 0 ? "rules" : "depth",
                                              w->options->rules > 0 ? w->options->rules : w->options->depth,
                                              err));
    if (!m->has_probability)
        return scarce__model_add_note(m, "no_probability", "a meta-tree only ranks", err);
    const double q = scarce_model_prevalence(w->teacher);
    return isnan(q) ? SCARCE_OK : scarce__model_add_note_number(m, "prevalence", q, err);
}

static scarce_status make_model(scarce_model **out, scarce__rank *body, const work *w,
                                const scarce__rank_options *o, scarce_error *err)
{
    const size_t features = w->teacher->schema.n_features;
    scarce_model *m = scarce__calloc(1, sizeof *m);
    scarce_status st;

    if (!m) {
        scarce__rank_free(body);
        return scarce__fail_memory(err, "a model", 0);
    }
    m->kind = &scarce__kind_rank;
    m->body = body;
    m->method = scarce__strdup("distil");
    m->has_probability = o->shape == SCARCE__CART && scarce_model_has_probability(w->teacher);
    m->alert_rule = SCARCE__ALERT_SCORE;
    m->alert_value = threshold_of(&body->dags[0], w);
    st = m->method ? scarce__schema_copy(&m->schema, &w->teacher->schema, err)
                   : scarce__fail_memory(err, "a model", 0);
    if (st == SCARCE_OK && w->teacher->missing) {
        m->missing = scarce__malloc_array(features, sizeof *m->missing);
        if (m->missing) memcpy(m->missing, w->teacher->missing, features * sizeof *m->missing);
        else st = scarce__fail_memory(err, "a model", features * sizeof *m->missing);
    }
    if (st == SCARCE_OK) st = add_notes(m, w, o, err);
    if (st != SCARCE_OK) {
        scarce_model_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

/* ---- What is kept */

typedef struct ranked_row {
    double score;
    size_t at;
} ranked_row;

static int by_rank(const void *a, const void *b)
{
    const ranked_row *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The expected share of the teacher's top k among the imitator's: precision at k with that top as the truth. */
static scarce_status find_overlap(double *out, const double *teacher, const double *score, size_t n, double k,
                                  scarce_context *ctx, scarce_error *err)
{
    scarce_scored in = SCARCE_SCORED_INIT;
    ranked_row *order = scarce__malloc_array(n, sizeof *order);
    uint8_t *top = scarce__calloc(n, 1);
    scarce_status st = order && top ? SCARCE_OK : scarce__fail_memory(err, "ranks", n * 17);

    if (st == SCARCE_OK) {
        for (size_t i = 0; i < n; ++i) order[i] = (ranked_row){teacher[i], i};
        qsort(order, n, sizeof *order, by_rank);
        for (size_t i = 0; i < n && (double)i < k; ++i) top[order[i].at] = 1;
        in.n = n;
        in.score = score;
        in.label = top;
        st = scarce_metrics_at_k(out, NULL, NULL, &in, &k, 1, ctx, err);
    }
    scarce__free(order);
    scarce__free(top);
    return st;
}

static scarce_status score_with(const scarce_model *model, const scarce_table *table, double *score,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_scorer *scorer = NULL;
    SCARCE__TRY(scarce_scorer_new(&scorer, model, err));
    const scarce_status st = scarce_scorer_table(scorer, table, score, NULL, ctx, err);
    scarce_scorer_free(scorer);
    return st;
}

static size_t alerts_of(const scarce_model *model, const double *score, size_t n)
{
    const double cut = scarce_model_threshold(model);
    size_t alerts = 0;
    for (size_t i = 0; !isnan(cut) && i < n; ++i) alerts += score[i] >= cut;
    return alerts > 0 ? alerts : n / 100 + 1;
}

static scarce_status measure(scarce_distilled *kept, const scarce_model *student, const work *w,
                             const scarce_table *judges, double *score[2], scarce_error *err)
{
    const scarce_model *model[2] = {w->teacher, student};
    scarce_metrics m[2] = {SCARCE_METRICS_INIT, SCARCE_METRICS_INIT};
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    const size_t n = judges->n_rows;

    for (int s = 0; s < 2; ++s) SCARCE__TRY(score_with(model[s], judges, score[s], w->ctx, err));
    kept->test_rows = n;
    kept->test_positives = judges->label ? judges->n_positives : 0;
    o.k = w->options->k;
    if (isnan(o.k))
        o.k = judges->label && judges->n_positives > 0 ? (double)judges->n_positives
                                                       : (double)alerts_of(w->teacher, score[0], n);
    if (o.k > (double)n) o.k = (double)n;
    kept->k = o.k;
    if (judges->label && judges->n_positives > 0) {
        for (int s = 0; s < 2; ++s) {
            const scarce_scored in = scarce_scored_of_table(judges, score[s], NULL);
            SCARCE__TRY(scarce_metrics_compute(&m[s], &in, &o, w->ctx, err));
        }
        kept->teacher_ap = m[0].ap;
        kept->ap = m[1].ap;
        kept->teacher_precision = m[0].precision_at_k;
        kept->precision = m[1].precision_at_k;
        if (judges->amount) {
            kept->teacher_amount = m[0].amount_recovered_at_k;
            kept->amount = m[1].amount_recovered_at_k;
        }
    }
    return find_overlap(&kept->overlap, score[0], score[1], n, o.k, w->ctx, err);
}

static scarce_status judge(scarce_distilled *kept, const scarce_model *student, const work *w,
                           scarce_error *err)
{
    const double none = (double)NAN;
    scarce_distilled found = SCARCE_DISTILLED_INIT;
    scarce_table *part = NULL;
    double *score[2] = {NULL, NULL};
    scarce_status st = SCARCE_OK;

    found.rows = w->n_fit;
    found.leaves = ((const scarce__rank *)student->body)->dags[0].n_leaves;
    found.teacher_ap = found.ap = found.teacher_precision = found.precision = none;
    found.teacher_amount = found.amount = found.overlap = found.k = none;
    if (!w->options->test && w->n_test > 0)
        st = scarce_table_rows_of(&part, w->table, w->test, w->n_test, w->ctx, err);
    const scarce_table *judges = w->options->test ? w->options->test : part;
    for (int s = 0; st == SCARCE_OK && judges && s < 2; ++s) {
        score[s] = scarce__malloc_array(judges->n_rows, sizeof *score[s]);
        if (!score[s]) st = scarce__fail_memory(err, "scores", judges->n_rows * sizeof *score[s]);
    }
    if (st == SCARCE_OK && judges) st = measure(&found, student, w, judges, score, err);
    if (st == SCARCE_OK) SCARCE__FILL(kept, &found);
    scarce__free(score[0]);
    scarce__free(score[1]);
    scarce_table_free(part);
    return st;
}

/* ---- The whole */

static scarce_status check(const scarce_distil_options *o, const scarce_model *model,
                           const scarce_table *table, scarce_error *err)
{
    if (o->depth < 1 || o->depth > 30)
        return scarce__fail(err, SCARCE_EINVAL, "depth is %d, allowed are 1 to 30", o->depth);
    if (o->rules < 0 || o->rules == 1 || o->rules > 100000)
        return scarce__fail(err, SCARCE_EINVAL, "rules is %d, allowed are 2 to 100000, or 0: by depth",
                            o->rules);
    if (!(o->test_fraction >= 0 && o->test_fraction < 1))
        return scarce__fail(err, SCARCE_EINVAL, "test_fraction is %g, allowed are 0 to less than 1",
                            o->test_fraction);
    if (o->k <= 0) return scarce__fail(err, SCARCE_EINVAL, "k is %g, wanted is 1 or more", o->k);
    SCARCE__TRY(scarce__check_same_features(&model->schema, &table->schema, err));
    if (o->test) SCARCE__TRY(scarce__check_same_features(&model->schema, &o->test->schema, err));
    return SCARCE_OK;
}

/* Rules tell what they caught by labels, where there are some. */
static scarce_status count_labels(scarce__rank *rank, const work *w, scarce_error *err)
{
    scarce_table *part = NULL;
    if (!w->table->label) return SCARCE_OK;
    SCARCE__TRY(scarce_table_rows_of(&part, w->table, w->fit, w->n_fit, w->ctx, err));
    const scarce_status st = scarce__dag_recount(&rank->dags[0], part, err);
    scarce_table_free(part);
    return st;
}

static scarce_status distil(scarce_model **out, work *w, scarce_distilled *kept, scarce_error *err)
{
    scarce__rank_options o;
    scarce__rank *rank = NULL;

    find_roots(w);
    SCARCE__TRY(choose_shape(&o, w, err));
    SCARCE__TRY(learn(&rank, &o, w, w->fit, w->n_fit, err));
    scarce_status st = count_labels(rank, w, err);
    if (st != SCARCE_OK) {
        scarce__rank_free(rank);
        return st;
    }
    SCARCE__TRY(make_model(out, rank, w, &o, err));
    if (!kept) return SCARCE_OK;
    st = judge(kept, *out, w, err);
    if (st != SCARCE_OK) {
        scarce_model_free(*out);
        *out = NULL;
    }
    return st;
}

scarce_status scarce_distil(scarce_model **out, const scarce_model *model, const scarce_table *table,
                            const scarce_distil_options *options, scarce_distilled *kept, scarce_context *ctx,
                            scarce_error *err)
{
    scarce_distil_options o = SCARCE_DISTIL_OPTIONS_INIT;
    const size_t n = table->n_rows;
    work w = {.teacher = model, .table = table, .options = &o, .ctx = ctx};
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_DISTIL_OPTIONS_INIT, err));
    SCARCE__TRY(SCARCE__FILLED_CHECK(kept, SCARCE_DISTILLED_INIT, err));
    SCARCE__TRY(check(&o, model, table, err));
    w.score = scarce__malloc_array(n, sizeof *w.score);
    w.share = scarce__malloc_array(n, sizeof *w.share);
    w.root = scarce__malloc_array(n, sizeof *w.root);
    w.fit = scarce__malloc_array(n, sizeof *w.fit);
    w.test = scarce__malloc_array(n, sizeof *w.test);
    st = w.score && w.share && w.root && w.fit && w.test ? part_rows(&w, err)
                                                         : scarce__fail_memory(err, "what is taught", n * 32);
    if (st == SCARCE_OK) st = teach(&w, err);
    if (st == SCARCE_OK) st = distil(out, &w, kept, err);
    scarce__free(w.score);
    scarce__free(w.share);
    scarce__free(w.root);
    scarce__free(w.fit);
    scarce__free(w.test);
    return st;
}
