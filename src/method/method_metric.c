/* SPDX-License-Identifier: Apache-2.0 */
/* Metric learning (near/metric.h), each followed by k-NN with its metric: mlfp (towards positives only), gmml, itml, lmnn,
 * imbml, and iml, which learns one for each query (near/nearby_local.c). Rows become points (near/embed.h), the metric a map of them, and the rest is that of knn. */
#include <math.h>
#include <stddef.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/method.h"
#include "method/method_near.h"
#include "near/metric.h"

typedef enum metric_rule { MLFP = 0, GMML, ITML, LMNN, IMBML, IML } metric_rule;

typedef struct metric_params {
    int rule, scale, measure, full, triplets;
    int64_t k, folds, pairs, max_iterations, points;
    double stable, gamma, mu, c, t, regular, slack, push, margin, lambda, share, tolerance;
} metric_params;

enum { MOST_DIMS = 400 }; /* of a full matrix */

#define AT(f) offsetof(metric_params, f)
static const scarce__param params[] = {
    {"rule", "", SCARCE__CHOICE, AT(rule), "mlfp", 0, 0, "mlfp|gmml|itml|lmnn|imbml|iml",
     "which of the metric learners it is", NULL, NULL},
    {"k", "n_neighbors,neighbours", SCARCE__INT, AT(k), "3", 1, 64, NULL,
     "neighbours that vote, and of which the learner looks at pairs and triplets", "int:1:7", NULL},
    {"scale", "", SCARCE__CHOICE, AT(scale), "standard", 0, 0, "auto|standard|range|none",
     "what numbers are divided by first: standard deviation, max - min, 1", NULL, NULL},
    {"mu", "", SCARCE__REAL, AT(mu), "auto", 0, 1e9, NULL,
     "weight of |M - I|^2: the larger, the more like k-NN (with gamma=auto, like gamma-knn). auto: the best "
     "by three folds of "
     "0.001, 0.01, 0.1, 1 and 1e9, which is gamma-knn",
     "log:1e-5:1", "rule=mlfp"},
    {"c", "", SCARCE__REAL, AT(c), "0.5", 0, 1, NULL, "the margin between the classes is 1 - c", "real:0:1",
     "rule=mlfp"},
    {"full", "", SCARCE__BOOL, AT(full), "false", 0, 0, NULL,
     "a full matrix (rotations too, up to 400 dimensions) instead of a factor for each feature", NULL,
     "rule=mlfp"},
    {"triplets", "", SCARCE__CHOICE, AT(triplets), "near", 0, 0, "near|all",
     "of the k nearest of each class, or of all rows (up to 3,000)", NULL, "rule=mlfp"},
    {"gamma", "", SCARCE__REAL, AT(gamma), "auto", 0, 100, NULL,
     "what distances to positives are multiplied by besides. auto: what folds of the training rows want, up "
     "to 1",
     NULL, "rule=mlfp"},
    {"measure", "", SCARCE__CHOICE, AT(measure), "f1", 0, 0, SCARCE__MEASURES, "what gamma is chosen for",
     NULL, "rule=mlfp"},
    {"folds", "", SCARCE__INT, AT(folds), "10", 0, 100, NULL,
     "folds by which gamma is chosen (0: each row is left out alone)", NULL, "rule=mlfp"},
    {"t", "", SCARCE__REAL, AT(t), "0.5", 0, 1, NULL,
     "where between the inverse of the similar and the dissimilar scatter the mean lies", "real:0.05:0.95",
     "rule=gmml"},
    {"regular", "reg", SCARCE__REAL, AT(regular), "0.001", 1e-12, 1e6, NULL,
     "share of their mean eigenvalue that the scatters get on the diagonal", "log:1e-6:1", "rule=gmml"},
    {"slack", "", SCARCE__REAL, AT(slack), "0.03", 1e-9, 1e9, NULL,
     "how strictly pairs keep to their bounds: larger is stricter", "log:0.001:10", "rule=itml"},
    {"pairs", "n_constraints", SCARCE__INT, AT(pairs), "500", 1, 1e6, NULL,
     "pairs of each sort, drawn at random", NULL, "rule=itml"},
    {"push", "", SCARCE__REAL, AT(push), "0.5", 0, 1, NULL,
     "weight of impostors that are pushed away against targets that are pulled near", "real:0.1:0.9",
     "rule=lmnn|iml"},
    {"points", "", SCARCE__INT, AT(points), "auto", 1, SCARCE__MOST_LOCAL, NULL,
     "rows of each class in the neighbourhood of a query from which its metric is learnt. auto: 5 k", NULL,
     "rule=iml"},
    {"stable", "matching_ratio", SCARCE__REAL, AT(stable), "0.8", 0, 1, NULL,
     "share of the neighbourhood that must stay for the metric to be final", NULL, "rule=iml"},
    {"margin", "m", SCARCE__REAL, AT(margin), "1", 0, 1e6, NULL,
     "dissimilar pairs should be 1 + margin apart (squared), similar ones 1", "log:0.1:100", "rule=imbml"},
    {"lambda", "reg_lambda", SCARCE__REAL, AT(lambda), "0.01", 0, 1e9, NULL, "weight of |M - I|^2",
     "log:1e-4:10", "rule=imbml"},
    {"share", "a", SCARCE__REAL, AT(share), "0.5", 0, 1, NULL,
     "what pairs of positives count against those of negatives", "real:0.1:0.9", "rule=imbml"},
    {"tolerance", "tol", SCARCE__REAL, AT(tolerance), "1e-5", 1e-15, 1, NULL,
     "stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its "
     "multipliers do)",
     NULL, NULL},
    {"max_iterations", "max_iter", SCARCE__INT, AT(max_iterations), "200", 1, 1e6, NULL, "steps at most",
     NULL, "rule=mlfp|itml|lmnn|imbml"},
};
#undef AT
static const scarce__param_part parts[] = {SCARCE__PART(params, 0)};
static const scarce__param_table param_table = {parts, 1, sizeof(metric_params)};

/* Rows, points, mapped rows and their index; triplets or candidates. Categories make points wider than features. */
static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    const metric_params *p = scarce__params_options(job->asked);
    const double n = (double)rows, d = (double)features, k = (double)p->k;
    const double lists =
        p->rule == MLFP && p->triplets ? 24 * n * n : n * (64 * k + (p->rule == LMNN ? 1000 : 0));

    (void)positives, (void)valid_rows;
    return n * (40 * d + 16) + lists + 80 * d * d + n / 64 * 8 * d * (p->rule == MLFP && !p->full ? 1 : d);
}

/* ---- learning */

static scarce_status learn(double *m, const scarce__points *points, const metric_params *p,
                           scarce_context *ctx, scarce_error *err)
{
    const size_t steps = (size_t)p->max_iterations, k = (size_t)p->k;
    const scarce__mlfp_options mlfp = {k, p->mu, p->c, p->full, p->triplets, p->tolerance, steps};
    const scarce__lmnn_options lmnn = {k, p->push, p->tolerance, steps};
    const scarce__imbml_options imbml = {k, p->margin, p->lambda, p->share, p->tolerance, steps};
    double value;

    switch ((metric_rule)p->rule) {
    case MLFP: return scarce__metric_mlfp(m, &value, points, &mlfp, ctx, err);
    case GMML: return scarce__metric_gmml(m, points, p->t, p->regular, ctx, err);
    case ITML:
        return scarce__metric_itml(m, points, (size_t)p->pairs, p->slack, p->tolerance, steps, ctx, err);
    case LMNN: return scarce__metric_lmnn(m, &value, points, &lmnn, ctx, err);
    case IMBML: return scarce__metric_imbml(m, &value, points, &imbml, ctx, err);
    case IML: break; /* when a row is scored */
    }
    return scarce__fail(err, SCARCE_EBUG, "no such metric learner");
}

/* The points of the rows that count, and their labels; *n of them. */
static scarce_status points_of(double **z, uint8_t **label, double **weight, size_t *n,
                               const scarce__embed *e, const scarce__nearby *m, const scarce__job *job,
                               scarce_error *err)
{
    const size_t d = e->dims, rows = m->rows->n_rows;

    *n = 0;
    *z = scarce__embed_table(e, m->rows, job->ctx);
    *label = scarce__malloc_array(rows, 1);
    if (m->rows->weight) *weight = scarce__malloc_array(rows, sizeof **weight);
    if (!*z || !*label || (m->rows->weight && !*weight)) return scarce__fail_memory(err, "points of rows", 0);
    for (size_t i = 0; i < rows; ++i) {
        if (m->side[i] == SCARCE__SIDE_NONE) continue;
        for (size_t j = 0; j < d; ++j) (*z)[*n * d + j] = (*z)[i * d + j];
        if (*weight) (*weight)[*n] = m->rows->weight[i];
        (*label)[(*n)++] = m->side[i] != SCARCE__SIDE_NEGATIVE;
    }
    return SCARCE_OK;
}

static scarce_status check_dims(size_t d, const metric_params *p, scarce_error *err)
{
    const size_t most = p->rule == MLFP && !p->full ? SCARCE__MOST_POINT : MOST_DIMS;

    if (d == 0) return scarce__fail(err, SCARCE_EDATA, "no feature varies: there is no metric to learn");
    if (d <= most) return SCARCE_OK;
    return scarce__fail(
        err, SCARCE_EDATA,
        "points of %zu dimensions (numbers and categories); this learner takes up to %zu: leave "
        "features out (--ignore), or take %s",
        d, most, most == MOST_DIMS ? "mlfp with full=false" : "gamma-knn");
}

/* M as maps towards the classes. */
static scarce_status set_maps(scarce__nearby *m, const double *matrix, size_t d, const metric_params *p,
                              scarce_error *err)
{
    m->embedded = 1;
    m->n_out[0] = m->n_out[1] = d;
    for (int to = 1; to >= (p->rule == MLFP ? 1 : 0); --to) {
        m->map[to] = scarce__metric_map(matrix, d, &m->n_out[to]);
        if (!m->map[to]) return scarce__fail_memory(err, "a metric", 0);
    }
    return SCARCE_OK;
}

/* A metric for each query: how it will be learnt. */
static scarce_status set_local(scarce__nearby *m, const metric_params *p, scarce_error *err)
{
    scarce__embed e = {0};
    scarce_status st = scarce__embed_init(&e, &m->space, &m->rows->schema, err);
    const int64_t points = p->points == SCARCE__AUTO_INT ? 5 * p->k : p->points;

    if (st == SCARCE_OK) st = check_dims(e.dims, p, err);
    m->embedded = 1;
    m->n_out[0] = m->n_out[1] = e.dims;
    m->local = (scarce__nearby_local){(size_t)(points < p->k ? p->k : points), p->push, p->stable};
    scarce__embed_deinit(&e);
    return st;
}

static scarce_status set_metric(scarce__nearby *m, const scarce__job *job, const metric_params *p,
                                scarce_error *err)
{
    scarce__embed e = {0};
    double *z = NULL, *matrix = NULL, *weight = NULL;
    uint8_t *label = NULL;
    size_t n = 0;
    scarce_status st = scarce__embed_init(&e, &m->space, &m->rows->schema, err);

    if (st == SCARCE_OK) st = check_dims(e.dims, p, err);
    if (st == SCARCE_OK) st = points_of(&z, &label, &weight, &n, &e, m, job, err);
    if (st == SCARCE_OK) {
        const scarce__points points = {z, label, n, e.dims, weight};
        matrix = scarce__malloc_array(e.dims * e.dims, sizeof *matrix);
        st = matrix ? learn(matrix, &points, p, job->ctx, err) : scarce__fail_memory(err, "a metric", 0);
    }
    if (st == SCARCE_OK) st = set_maps(m, matrix, e.dims, p, err);
    scarce__embed_deinit(&e);
    scarce__free(z);
    scarce__free(label);
    scarce__free(weight);
    scarce__free(matrix);
    return st;
}

/* ---- mu, and gamma with it, by folds of which each is scored by a metric learnt without it */

enum { MU_FOLDS = 3, N_MU = 5 };
static const double some_mu[N_MU] = {1e9, 1, 0.1, 0.01, 0.001}; /* ties to the larger */

/* A fold, asked of the other rows: what every mu needs, once. */
typedef struct fold_ask {
    const scarce__job *job;
    const metric_params *p;
    scarce_table *train_rows, *test_rows;
    scarce__nearby *m;
    scarce__embed embed;
    double *z, *weight, *matrix;
    uint8_t *label;
    scarce__points points;
    scarce__mlfp *mlfp;
    scarce__nearby_lists lists;
} fold_ask;

static void fold_deinit(fold_ask *f)
{
    scarce__mlfp_free(f->mlfp);
    scarce__nearby_lists_deinit(&f->lists);
    scarce__embed_deinit(&f->embed);
    scarce__free(f->z), scarce__free(f->weight), scarce__free(f->matrix), scarce__free(f->label);
    scarce__nearby_free(f->m);
    scarce_table_free(f->train_rows);
    scarce_table_free(f->test_rows);
}

/* f->mlfp stays NULL where the other rows lack a class. */
static scarce_status fold_init(fold_ask *f, const scarce__mlfp_options *o, const scarce_split *split,
                               scarce_error *err)
{
    const scarce__job *job = f->job;
    size_t n = 0, d;

    SCARCE__TRY(
        scarce_table_rows_of(&f->train_rows, job->table, split->train, split->n_train, job->ctx, err));
    SCARCE__TRY(scarce_table_rows_of(&f->test_rows, job->table, split->test, split->n_test, job->ctx, err));
    SCARCE__TRY(
        scarce__nearby_new(&f->m, f->train_rows, NULL, (scarce__near_scale)f->p->scale, job->ctx, err));
    if (!(f->m->total[0] > 0) || !(f->m->total[1] > 0)) return SCARCE_OK;
    f->m->k = (size_t)f->p->k;
    SCARCE__TRY(scarce__embed_init(&f->embed, &f->m->space, &f->m->rows->schema, err));
    d = f->embed.dims;
    SCARCE__TRY(check_dims(d, f->p, err));
    SCARCE__TRY(points_of(&f->z, &f->label, &f->weight, &n, &f->embed, f->m, job, err));
    f->matrix = scarce__calloc(d * d, sizeof *f->matrix);
    if (!f->matrix) return scarce__fail_memory(err, "a metric", 0);
    for (size_t i = 0; i < d; ++i) f->matrix[i * d + i] = 1;
    f->points = (scarce__points){f->z, f->label, n, d, f->weight};
    return scarce__mlfp_new(&f->mlfp, &f->points, o, job->ctx, err);
}

/* The scores of the fold with one mu; the first is that of the Euclidean metric. */
static scarce_status fold_scores(double *score, fold_ask *f, double mu, int first, const scarce_split *split,
                                 scarce_error *err)
{
    scarce__nearby_ready *ready = NULL;
    const scarce__job *job = f->job;
    double value;
    scarce_status st = SCARCE_OK;

    if (!first) st = scarce__mlfp_fit(f->mlfp, mu, 1, f->matrix, &value, job->ctx, err);
    scarce__free(f->m->map[1]);
    f->m->map[1] = NULL;
    if (st == SCARCE_OK) st = set_maps(f->m, f->matrix, f->embed.dims, f->p, err);
    if (st == SCARCE_OK) st = scarce__nearby_prepare(&ready, f->m, err);
    if (st == SCARCE_OK && first) st = scarce__nearby_lists_of(&f->lists, ready, f->test_rows, job->ctx, err);
    else if (st == SCARCE_OK) st = scarce__nearby_lists_again(&f->lists, ready, f->test_rows, job->ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < split->n_test; ++i)
        if (!job->synthetic || !job->synthetic[split->test[i]])
            score[split->test[i]] = scarce__nearby_vote(f->m, &f->lists, i, 1);
    scarce__nearby_unprepare(ready);
    return st;
}

/* score: N_MU x rows; NaN stays where the other rows lack a class. */
static scarce_status score_fold(double *score, const scarce__job *job, const metric_params *p,
                                const scarce_split *split, scarce_error *err)
{
    const scarce__mlfp_options o = {
        (size_t)p->k, 0, p->c, p->full, p->triplets, p->tolerance, (size_t)p->max_iterations};
    fold_ask f = {.job = job, .p = p};
    scarce_status st = fold_init(&f, &o, split, err);

    for (size_t k = 0; k < N_MU && st == SCARCE_OK && f.mlfp; ++k)
        st = fold_scores(score + k * job->table->n_rows, &f, some_mu[k], k == 0, split, err);
    fold_deinit(&f);
    return st;
}

static scarce_status choose_mu(double *mu, const scarce__job *job, const metric_params *given,
                               scarce_error *err)
{
    const scarce_table *t = job->table;
    const size_t folds = t->n_rows < MU_FOLDS ? 0 : MU_FOLDS;
    double *score = scarce__malloc_array(N_MU * t->n_rows, sizeof *score), best = -1;
    scarce_status st = score ? SCARCE_OK : scarce__fail_memory(err, "scores", 0);

    for (size_t i = 0; st == SCARCE_OK && i < N_MU * t->n_rows; ++i) score[i] = (double)NAN;
    for (size_t f = 0; f < folds && st == SCARCE_OK; ++f) {
        scarce_split split = {NULL, 0, NULL, 0};
        st = scarce_split_fold(&split, t, folds, f, 1, job->ctx, err);
        if (st == SCARCE_OK) st = score_fold(score, job, given, &split, err);
        else if (st == SCARCE_EDATA) st = SCARCE_OK; /* groups that can't be dealt out so */
        scarce_split_deinit(&split);
    }
    for (size_t k = 0; k < N_MU && st == SCARCE_OK; ++k) {
        const scarce__gamma_rows rows = {score + k * t->n_rows, t->label, t->weight, NULL, t->n_rows};
        double threshold, value = 0;
        st = scarce__gamma_choose(&threshold, &value, &rows, (scarce__measure)given->measure, err);
        if (value > best) best = value, *mu = some_mu[k];
    }
    scarce__free(score);
    return st;
}

/* gamma on top of the metric, by folds. */
static scarce_status set_gamma(double *threshold, scarce__nearby *m, const scarce__job *job,
                               const metric_params *p, scarce_error *err)
{
    uint8_t *fold = NULL;
    size_t n_folds = 0;
    double *score, value;
    scarce_status st;

    *threshold = 0.5;
    if (p->rule != MLFP) return SCARCE_OK;
    m->gamma = p->gamma;
    *threshold = scarce__gamma_threshold(p->gamma);
    if (!isnan(p->gamma)) return SCARCE_OK;
    score = scarce__malloc_array(job->table->n_rows, sizeof *score);
    st = score ? scarce__near_folds(&fold, &n_folds, job->table, (size_t)p->folds, job->ctx, err)
               : scarce__fail_memory(err, "scores", 0);
    if (st == SCARCE_OK) st = scarce__near_held(score, m, fold, n_folds, job->ctx, err);
    const scarce__gamma_rows rows = {score, job->table->label, job->table->weight, NULL, job->table->n_rows};
    if (st == SCARCE_OK)
        st = scarce__gamma_choose(threshold, &value, &rows, (scarce__measure)p->measure, err);
    m->gamma = scarce__gamma_of(*threshold);
    scarce__free(fold);
    scarce__free(score);
    return st;
}

/* mu, metric and gamma, of distinct rows, into m. */
static scarce_status learn_metric(double *threshold, scarce__nearby *m, const scarce__job *job,
                                  metric_params *p, scarce_error *err)
{
    scarce__near_seen seen;
    scarce_status st = scarce__near_seen_init(&seen, job, (scarce__near_scale)p->scale, err);

    if (st == SCARCE_OK && p->rule == MLFP && isnan(p->mu)) st = choose_mu(&p->mu, &seen.job, p, err);
    if (st == SCARCE_OK) {
        seen.m->k = (size_t)p->k;
        st = p->rule == IML ? set_local(seen.m, p, err) : set_metric(seen.m, &seen.job, p, err);
    }
    if (st == SCARCE_OK) st = set_gamma(threshold, seen.m, &seen.job, p, err);
    if (st == SCARCE_OK) scarce__near_seen_give(&seen, m);
    scarce__near_seen_deinit(&seen);
    return st;
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    metric_params p = *(const metric_params *)scarce__params_options(job->params);
    scarce__nearby *m = NULL;
    scarce_status st =
        scarce__nearby_new(&m, job->table, job->synthetic, (scarce__near_scale)p.scale, job->ctx, err);

    if (st == SCARCE_OK) st = scarce__near_check_rows(m, err);
    if (st == SCARCE_OK) st = learn_metric(&out->threshold, m, job, &p, err);
    if (st == SCARCE_OK && p.rule == IML) { /* what "auto" came to be */
        metric_params *noted = scarce__params_edit(job->params);
        noted->points = (int64_t)m->local.points;
    }
    if (st == SCARCE_OK && p.rule == MLFP) { /* what "auto" came to be */
        metric_params *noted = scarce__params_edit(job->params);
        noted->gamma = m->gamma;
        noted->mu = p.mu;
    }
    if (st == SCARCE_OK) st = scarce__near_hold(out, m, job, err);
    if (st != SCARCE_OK) {
        scarce__nearby_free(m);
        return st;
    }
    out->kind = &scarce__kind_near;
    out->body = m;
    out->meaning.link = SCARCE__LINK_NONE;
    out->meaning.why = "the scores of this method only rank";
    out->threshold_why = "votes of the neighbours";
    return SCARCE_OK;
}

const scarce__engine scarce__engine_metric = {.params = &param_table, .memory = memory, .train = train};
