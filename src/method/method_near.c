/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbour methods: knn, wknn, cwknn, dupknn, krnn, gamma-knn, local-gamma-knn. What they compute is told in
 * near/nearby.h; which gamma, in near_gamma.h.
 *
 *     knn               the k nearest vote
 *     wknn              each by 1 / distance (Dudani 1976)
 *     cwknn             distances to a class times (its share)^(1/d): gamma = (P/N)^(1/d)
 *     dupknn            every positive counts round(N / P) times
 *     krnn              see VOTE_REVERSE
 *     gamma-knn         gamma chosen by folds for a measure (Viola et al. 2019; 001 ch. 2)
 *     local-gamma-knn   a gamma for each of q clusters of rows. V1: chosen on the rows of the cluster. V2: clusters are
 *                       found again without each fold and gammas chosen there; a row collects those of its clusters, a
 *                       cluster of all rows has the mean over its rows. Where a cluster holds no positive: the gamma of
 *                       all rows. Neighbours are sought among all rows. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "method/method.h"
#include "method/method_near.h"
#include "near/clusters.h"
#include "sample/resample.h"

#define AT(f) offsetof(scarce__near_params, f)
#define TUNED "rule=gamma|local"
static const scarce__param params[] = {
    {"rule", "", SCARCE__CHOICE, AT(rule), "knn", 0, 0, "knn|wknn|cwknn|dupknn|krnn|gamma|local",
     "which of the neighbour methods it is", NULL, NULL},
    {"k", "n_neighbors,neighbours", SCARCE__INT, AT(k), "3", 1, SCARCE__MOST_NEIGHBOURS, NULL,
     "neighbours that vote; with krnn, positives that a neighbourhood holds", "int:1:15", NULL},
    {"scale", "", SCARCE__CHOICE, AT(scale), "auto", 0, 0, "auto|standard|range|none",
     "what a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there "
     "are "
     "categories or missing values",
     NULL, NULL},
    {"votes", "", SCARCE__CHOICE, AT(share), "margin", 0, 0, "margin|share",
     "what the score says of the votes: margin: D-/(D- + D+) of the neighbours that decide, which ranks "
     "finely; share: "
     "of the positives among the k (with knn a probability, in steps of 1/k)",
     NULL, "rule=knn|cwknn|dupknn|gamma"},
    {"gamma", "", SCARCE__REAL, AT(gamma), "auto", 0, 100, NULL,
     "what distances to positives are multiplied by. auto: what folds of the training rows want, up to 1",
     NULL, "rule=gamma"},
    {"synthetic_gamma", "", SCARCE__REAL, AT(synthetic_gamma), "auto", 0, 100, NULL,
     "the same for positives made up by --resample. auto: as gamma", NULL, "rule=gamma"},
    {"measure", "", SCARCE__CHOICE, AT(measure), "f1", 0, 0, SCARCE__MEASURES, "what gamma is chosen for",
     NULL, TUNED},
    {"folds", "", SCARCE__INT, AT(folds), "10", 0, 100, NULL,
     "folds by which gamma is chosen (0: each row is left out alone)", NULL, TUNED},
    {"clusters", "n_clusters,q", SCARCE__INT, AT(clusters), "5", 1, 1000, NULL,
     "parts of the space with a gamma of their own", "int:2:10", "rule=local"},
    {"variant", "", SCARCE__CHOICE, AT(variant), "v2", 0, 0, "v1|v2",
     "v1: gamma of a cluster by its rows; v2: averaged over clusterings without each fold", NULL,
     "rule=local"},
};
#undef AT
static const scarce__param_part parts[] = {SCARCE__PART(params, 0)};
static const scarce__param_table param_table = {parts, 1, sizeof(scarce__near_params)};

/* Rows, their index, lists of the rows that choose gamma, and of a block of rows to score. */
static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    const scarce__near_params *p = scarce__params_options(job->asked);
    const double n = (double)rows, d = (double)features, block = n < 32768 ? n : 32768;
    const int tuned = p->rule >= SCARCE__RULE_GAMMA && isnan(p->gamma);
    double most = (double)p->k < n ? (double)p->k : n;

    (void)positives, (void)valid_rows;
    if (most * block > 1 << 22) most = (1 << 22) / block;
    return n * (12 * d + 16) + 48 * most * (tuned ? n : block) +
           (p->rule == SCARCE__RULE_LOCAL ? 8 * n * d : 0);
}

/* ---- distinct rows */

scarce_status scarce__near_seen_init(scarce__near_seen *s, const scarce__job *job, scarce__near_scale scale,
                                     scarce_error *err)
{
    memset(s, 0, sizeof *s);
    SCARCE__TRY(scarce__distinct_new(&s->rows, job->table, job->synthetic, job->ctx, err));
    s->job = *job;
    s->job.table = s->rows.table;
    s->job.synthetic = s->rows.mark;
    return scarce__nearby_new(&s->m, s->rows.table, s->rows.mark, scale, job->ctx, err);
}

void scarce__near_seen_give(scarce__near_seen *s, scarce__nearby *to)
{
    const scarce__nearby had = *to;
    scarce__nearby *from = s->m;

    *to = *from;
    to->rows = had.rows;
    to->side = had.side;
    to->total[0] = had.total[0];
    to->total[1] = had.total[1];
    from->space = had.space;
    from->center = had.center;
    from->cluster_gamma = had.cluster_gamma;
    for (int side = 0; side < 2; ++side) from->map[side] = had.map[side];
}

void scarce__near_seen_deinit(scarce__near_seen *s)
{
    scarce__nearby_free(s->m);
    scarce__distinct_deinit(&s->rows);
}

/* ---- folds */

/* The fold of each row; *n_folds 0: leave one out. */
scarce_status scarce__near_folds(uint8_t **fold, size_t *n_folds, const scarce_table *t, size_t folds,
                                 scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    *fold = NULL;
    *n_folds = folds < t->n_rows ? folds : t->n_rows;
    if (*n_folds < 2) *n_folds = 0;
    if (*n_folds == 0) return SCARCE_OK;
    *fold = scarce__calloc(t->n_rows, 1);
    if (!*fold) return scarce__fail_memory(err, "folds", t->n_rows);
    for (size_t f = 0; st == SCARCE_OK && f < *n_folds; ++f) {
        scarce_split s = {NULL, 0, NULL, 0};
        st = scarce_split_fold(&s, t, *n_folds, f, 0, ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < s.n_test; ++i) (*fold)[s.test[i]] = (uint8_t)f;
        scarce_split_deinit(&s);
    }
    if (st == SCARCE_OK) return SCARCE_OK;
    scarce__free(*fold);
    *fold = NULL;
    /* groups that can't be dealt out so: each row alone */
    if (st == SCARCE_EDATA) {
        *n_folds = 0;
        return SCARCE_OK;
    }
    return st;
}

/* Scores of the training rows by others. */
scarce_status scarce__near_held(double *score, const scarce__nearby *m, const uint8_t *fold, size_t n_folds,
                                scarce_context *ctx, scarce_error *err)
{
    scarce__nearby_ready *ready = NULL;
    scarce__nearby_lists l;
    scarce_status st = scarce__nearby_prepare(&ready, m, err);

    if (st == SCARCE_OK && m->local.points) {
        st = scarce__nearby_local_held(score, ready, ctx, err);
        scarce__nearby_unprepare(ready);
        return st;
    }
    if (st == SCARCE_OK) st = scarce__nearby_held(&l, ready, fold, n_folds, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < l.n; ++i)
        score[i] = m->side[i] < SCARCE__SIDE_SYNTHETIC ? scarce__nearby_vote(m, &l, i, 1) : (double)NAN;
    if (st == SCARCE_OK) scarce__nearby_lists_deinit(&l);
    scarce__nearby_unprepare(ready);
    return st;
}

/* ---- gamma by folds */

typedef struct tuning {
    const scarce__job *job;
    const scarce__near_params *p;
    scarce__nearby *m;
    double *score;
    uint8_t *fold;
    size_t n_folds;
    double threshold, value;
} tuning;

static scarce__gamma_rows rows_of(const tuning *t, const uint8_t *use)
{
    return (scarce__gamma_rows){t->score, t->job->table->label, t->job->table->weight, use,
                                t->job->table->n_rows};
}

static scarce_status choose(tuning *t, scarce_error *err)
{
    const scarce__gamma_rows rows = rows_of(t, NULL);
    return scarce__gamma_choose(&t->threshold, &t->value, &rows, (scarce__measure)t->p->measure, err);
}

static scarce_status tuning_init(tuning *t, const scarce__job *job, const scarce__near_params *p,
                                 scarce__nearby *m, scarce_error *err)
{
    *t = (tuning){job, p, m, NULL, NULL, 0, 0.5, 0};
    t->score = scarce__malloc_array(job->table->n_rows, sizeof *t->score);
    if (!t->score) return scarce__fail_memory(err, "scores", job->table->n_rows * sizeof *t->score);
    return scarce__near_folds(&t->fold, &t->n_folds, job->table, (size_t)p->folds, job->ctx, err);
}

static void tuning_deinit(tuning *t)
{
    scarce__free(t->score);
    scarce__free(t->fold);
}

/* ---- gamma of synthetic positives: the resampling is done again without each fold, since rows made up of a row know it */

enum { N_FACTORS = 11 };
static const double factors[N_FACTORS] = {1, 1.25, 0.8, 1.5, 0.65, 2, 0.5, 3, 0.35, 4, 0.25};

/* The real rows inside or outside of a fold. */
static scarce_status part_of(scarce_table **out, uint32_t **rows, size_t *n, const tuning *t, size_t f,
                             int inside, scarce_error *err)
{
    const scarce_table *table = t->job->table;

    *out = NULL;
    *n = 0;
    *rows = scarce__malloc_array(table->n_rows, sizeof **rows);
    if (!*rows) return scarce__fail_memory(err, "rows of folds", 0);
    for (size_t i = 0; i < table->n_rows; ++i)
        if (!t->job->synthetic[i] && (t->fold[i] == f) == inside) (*rows)[(*n)++] = (uint32_t)i;
    if (*n == 0) return SCARCE_OK;
    return scarce_table_rows_of(out, table, *rows, *n, t->job->ctx, err);
}

static scarce_status vote_all(double *score, const scarce__nearby *m, const scarce_table *test,
                              const uint32_t *rows, size_t n_rows, scarce_context *ctx, scarce_error *err)
{
    scarce__nearby with = *m;
    scarce__nearby_ready *ready = NULL;
    scarce__nearby_lists l;
    scarce_status st = scarce__nearby_prepare(&ready, m, err);

    if (st == SCARCE_OK) st = scarce__nearby_lists_of(&l, ready, test, ctx, err);
    for (size_t c = 0; st == SCARCE_OK && c < N_FACTORS; ++c) {
        with.synthetic = factors[c];
        for (size_t i = 0; i < l.n; ++i) score[c * n_rows + rows[i]] = scarce__nearby_vote(&with, &l, i, 1);
    }
    if (st == SCARCE_OK) scarce__nearby_lists_deinit(&l);
    scarce__nearby_unprepare(ready);
    return st;
}

/* Scores of the rows of a fold, for every factor; rows without both classes to learn from keep NaN. */
static scarce_status score_fold(double *score, const tuning *t, size_t f, scarce_error *err)
{
    const scarce__job *job = t->job;
    scarce_table *train = NULL, *test = NULL;
    uint32_t *train_rows = NULL, *test_rows = NULL;
    size_t n_train, n_test;
    scarce__resampled changed;
    scarce__nearby *m = NULL;
    scarce_status st = part_of(&train, &train_rows, &n_train, t, f, 0, err);

    memset(&changed, 0, sizeof changed);
    if (st == SCARCE_OK) st = part_of(&test, &test_rows, &n_test, t, f, 1, err);
    if (st == SCARCE_OK && train && test && train->n_positives && train->n_positives < train->n_rows) {
        /* too few rows for the rule: this fold says nothing */
        st = scarce__resample(&changed, train, job->resample, job->ctx, err);
        if (st == SCARCE_EDATA || st == SCARCE_EINVAL) st = SCARCE_OK;
        else if (st == SCARCE_OK)
            st = scarce__nearby_new(&m, changed.table ? changed.table : train, changed.synthetic,
                                    (scarce__near_scale)t->p->scale, job->ctx, err);
        if (m) {
            m->k = t->m->k;
            st = vote_all(score, m, test, test_rows, job->table->n_rows, job->ctx, err);
        }
    }
    scarce__nearby_free(m);
    scarce__resampled_deinit(&changed);
    scarce_table_free(train);
    scarce_table_free(test);
    scarce__free(train_rows);
    scarce__free(test_rows);
    return st;
}

static scarce_status tune_synthetic(tuning *t, scarce_error *err)
{
    const size_t n = t->job->table->n_rows;
    double *score = scarce__malloc_array(N_FACTORS * n, sizeof *score), best = -1, threshold = 0.5;
    const int given = !isnan(t->p->synthetic_gamma) && !isnan(t->p->gamma);
    scarce_status st = score ? SCARCE_OK : scarce__fail_memory(err, "scores", 0);

    for (size_t i = 0; st == SCARCE_OK && i < N_FACTORS * n; ++i) score[i] = (double)NAN;
    for (size_t f = 0; st == SCARCE_OK && !given && f < t->n_folds; ++f) st = score_fold(score, t, f, err);
    for (size_t c = 0; st == SCARCE_OK && !given && c < N_FACTORS; ++c) {
        memcpy(t->score, score + c * n, n * sizeof *score);
        st = choose(t, err);
        if (st == SCARCE_OK && t->value > best) {
            best = t->value;
            threshold = t->threshold;
            t->m->synthetic = factors[c];
        }
    }
    t->threshold = threshold;
    if (given) t->m->synthetic = t->p->gamma > 0 ? t->p->synthetic_gamma / t->p->gamma : 1;
    scarce__free(score);
    return st;
}

static int has_synthetic(const scarce__job *job)
{
    for (size_t i = 0; job->synthetic && i < job->table->n_rows; ++i)
        if (job->synthetic[i]) return 1;
    return 0;
}

/* ---- gamma by clusters */

/* Points of the training rows. */
static scarce_status points_of(double **out, size_t *dims, const tuning *t, scarce_error *err)
{
    scarce__embed embed;
    scarce_status st = scarce__embed_init(&embed, &t->m->space, &t->job->table->schema, err);

    *out = NULL;
    SCARCE__TRY(st);
    *dims = embed.dims;
    if (embed.dims > SCARCE__MOST_POINT)
        st = scarce__fail(err, SCARCE_EDATA,
                          "clusters want points of at most %d dimensions, these rows have %zu (gamma-knn has "
                          "no such limit)",
                          (int)SCARCE__MOST_POINT, embed.dims);
    else if (!(*out = scarce__embed_table(&embed, t->job->table, t->job->ctx)))
        st = scarce__fail_memory(err, "points of rows", 0);
    scarce__embed_deinit(&embed);
    return st;
}

/* The gamma of each cluster by its rows among those that `use` allows. */
static scarce_status gammas_of(double *gamma, const tuning *t, const uint32_t *of, size_t q, uint8_t *use,
                               const uint8_t *allowed, scarce_error *err)
{
    const scarce_table *table = t->job->table;

    for (size_t c = 0; c < q; ++c) {
        const scarce__gamma_rows rows = rows_of(t, use);
        size_t positives = 0;
        double threshold, value;
        for (size_t i = 0; i < table->n_rows; ++i) {
            use[i] = (!allowed || allowed[i]) && of[i] == c;
            positives += use[i] && table->label[i] && !isnan(t->score[i]);
        }
        gamma[c] = scarce__gamma_of(t->threshold);
        if (!positives) continue;
        SCARCE__TRY(scarce__gamma_choose(&threshold, &value, &rows, (scarce__measure)t->p->measure, err));
        gamma[c] = scarce__gamma_of(threshold);
    }
    return SCARCE_OK;
}

/* V2: what row i collects over the clusterings without one of the folds. */
static scarce_status collect(double *sum, const tuning *t, const double *point, size_t dims, size_t q,
                             scarce_error *err)
{
    const size_t n = t->job->table->n_rows;
    double *part = scarce__malloc_array(n * dims, sizeof *part),
           *center = scarce__malloc_array(q * dims, sizeof *center),
           *gamma = scarce__malloc_array(q, sizeof *gamma), square;
    uint32_t *of = scarce__malloc_array(n, sizeof *of), *all = scarce__malloc_array(n, sizeof *all);
    uint8_t *use = scarce__malloc_array(n, 1), *allowed = scarce__malloc_array(n, 1);
    const int ok = part && center && gamma && of && all && use && allowed;
    scarce_status st = ok ? SCARCE_OK : scarce__fail_memory(err, "clusters of rows", 0);

    for (size_t f = 0; st == SCARCE_OK && f < t->n_folds; ++f) {
        size_t kept = 0;
        for (size_t i = 0; i < n; ++i) {
            allowed[i] = t->fold[i] != f;
            if (allowed[i]) memcpy(part + kept++ * dims, point + i * dims, dims * sizeof *part);
        }
        if (kept < q) continue;
        st = scarce__clusters_find(center, of, q, part, kept, dims, 1000 + f, t->job->ctx, err);
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
            all[i] = scarce__clusters_nearest(center, q, point + i * dims, dims, &square);
        if (st == SCARCE_OK) st = gammas_of(gamma, t, all, q, use, allowed, err);
        for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
            if (allowed[i]) sum[i] += gamma[all[i]];
    }
    scarce__free(part), scarce__free(center), scarce__free(gamma), scarce__free(of), scarce__free(all);
    scarce__free(use), scarce__free(allowed);
    return st;
}

/* Means of what the rows of a cluster collected. */
static void average(double *gamma, size_t q, const double *sum, const uint32_t *of, const tuning *t)
{
    for (size_t c = 0; c < q; ++c) {
        double total = 0, count = 0;
        for (size_t i = 0; i < t->job->table->n_rows; ++i)
            if (of[i] == c && sum[i] > 0) total += sum[i] / (double)(t->n_folds - 1), count += 1;
        gamma[c] = count > 0 ? total / count : scarce__gamma_of(t->threshold);
    }
}

static scarce_status tune_local(tuning *t, scarce_error *err)
{
    const size_t n = t->job->table->n_rows, q = (size_t)t->p->clusters < n ? (size_t)t->p->clusters : n;
    double *point = NULL, *sum = scarce__calloc(n, sizeof *sum);
    uint32_t *of = scarce__malloc_array(n, sizeof *of);
    uint8_t *use = scarce__malloc_array(n, 1);
    size_t dims = 0;
    scarce_status st = sum && of && use ? SCARCE_OK : scarce__fail_memory(err, "clusters of rows", 0);

    if (st == SCARCE_OK) st = points_of(&point, &dims, t, err);
    if (st == SCARCE_OK) {
        t->m->center = scarce__malloc_array(q * dims, sizeof(double));
        t->m->cluster_gamma = scarce__malloc_array(q, sizeof(double));
        if (!t->m->center || !t->m->cluster_gamma) st = scarce__fail_memory(err, "clusters of rows", 0);
    }
    if (st == SCARCE_OK)
        st = scarce__clusters_find(t->m->center, of, q, point, n, dims, 999, t->job->ctx, err);
    if (st == SCARCE_OK && t->p->variant && t->n_folds > 1) {
        st = collect(sum, t, point, dims, q, err);
        if (st == SCARCE_OK) average(t->m->cluster_gamma, q, sum, of, t);
    } else if (st == SCARCE_OK) st = gammas_of(t->m->cluster_gamma, t, of, q, use, NULL, err);
    if (st == SCARCE_OK) t->m->n_clusters = q;
    scarce__free(point), scarce__free(sum), scarce__free(of), scarce__free(use);
    return st;
}

/* ---- training */

/* gamma by what the parameters say, or folds; the threshold that is the vote. */
static scarce_status tune(double *threshold, scarce__nearby *m, const scarce__job *job,
                          const scarce__near_params *p, scarce_error *err)
{
    const int synthetic = has_synthetic(job), local = p->rule == SCARCE__RULE_LOCAL;
    tuning t;
    scarce_status st = tuning_init(&t, job, p, m, err);

    if (st == SCARCE_OK && synthetic && !local && t.n_folds) st = tune_synthetic(&t, err);
    else if (st == SCARCE_OK && (isnan(p->gamma) || local)) {
        st = scarce__near_held(t.score, m, t.fold, t.n_folds, job->ctx, err);
        if (st == SCARCE_OK) st = choose(&t, err);
    }
    if (st == SCARCE_OK && local) st = tune_local(&t, err);
    *threshold = local ? 0.5 : isnan(p->gamma) ? t.threshold : scarce__gamma_threshold(p->gamma);
    m->gamma = local ? 1 : isnan(p->gamma) ? scarce__gamma_of(t.threshold) : p->gamma;
    tuning_deinit(&t);
    return st;
}

static scarce_status tune_distinct(double *threshold, scarce__nearby *m, const scarce__job *job,
                                   const scarce__near_params *p, scarce_error *err)
{
    scarce__near_seen seen;
    scarce_status st = scarce__near_seen_init(&seen, job, (scarce__near_scale)p->scale, err);

    if (st == SCARCE_OK) {
        seen.m->k = m->k;
        st = tune(threshold, seen.m, &seen.job, p, err);
    }
    if (st == SCARCE_OK) scarce__near_seen_give(&seen, m);
    scarce__near_seen_deinit(&seen);
    return st;
}

/* The votes of a method; *threshold is where they say yes. */
static scarce_status set_votes(double *threshold, scarce__nearby *m, const scarce__job *job,
                               const scarce__near_params *p, scarce_error *err)
{
    const size_t dims = m->space.n_numbers + m->space.n_codes + m->space.n_sparse;

    m->k = (size_t)p->k;
    *threshold = 0.5;
    switch ((scarce__near_rule)p->rule) {
    case SCARCE__RULE_WKNN: m->vote = SCARCE__VOTE_INVERSE; break;
    case SCARCE__RULE_CWKNN:
        m->gamma = scarce__pow(m->total[1] / m->total[0], 1.0 / (double)(dims ? dims : 1));
        *threshold = scarce__gamma_threshold(m->gamma);
        break;
    case SCARCE__RULE_DUPKNN:
        m->copies = floor(m->total[0] / m->total[1] + 0.5);
        if (m->copies < 1) m->copies = 1;
        break;
    case SCARCE__RULE_KRNN: m->vote = SCARCE__VOTE_REVERSE; break;
    case SCARCE__RULE_GAMMA:
    case SCARCE__RULE_LOCAL: SCARCE__TRY(tune_distinct(threshold, m, job, p, err)); break;
    case SCARCE__RULE_KNN: break;
    }
    if (p->share) { /* gamma is in the share, so half of it is the vote */
        m->vote = SCARCE__VOTE_SHARE;
        *threshold = 0.5;
    }
    return SCARCE_OK;
}

static int ranks(const void *options)
{
    const scarce__near_params *p = options;
    return !(p->rule == SCARCE__RULE_KRNN || (p->rule == SCARCE__RULE_KNN && p->share));
}

/* What "auto" came to be. */
static void write_back(const scarce__job *job, const scarce__nearby *m)
{
    scarce__near_params *out = scarce__params_edit(job->params);

    if (out->rule != SCARCE__RULE_GAMMA) return;
    out->gamma = m->gamma;
    out->synthetic_gamma = m->gamma * m->synthetic;
}

scarce_status scarce__near_check_rows(const scarce__nearby *m, scarce_error *err)
{
    if (m->total[0] > 0 && m->total[1] > 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EDATA, "all %s of the training rows have weight 0",
                        m->total[1] > 0 ? "negatives" : "positives");
}

scarce_status scarce__near_hold(scarce__learned *out, const scarce__nearby *m, const scarce__job *job,
                                scarce_error *err)
{
    if (!scarce__decides_by_training_rows(job->options)) return SCARCE_OK;
    out->held = scarce__malloc_array(job->table->n_rows, sizeof *out->held);
    if (!out->held) return scarce__fail_memory(err, "scores", job->table->n_rows * sizeof *out->held);
    SCARCE__TRY(scarce__near_held(out->held, m, NULL, 0, job->ctx, err));
    for (size_t i = 0; i < job->table->n_rows; ++i)
        if (isnan(out->held[i])) out->held[i] = 0;
    return SCARCE_OK;
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    const scarce__near_params p = *(const scarce__near_params *)scarce__params_options(job->params);
    scarce__nearby *m = NULL;
    scarce_status st =
        scarce__nearby_new(&m, job->table, job->synthetic, (scarce__near_scale)p.scale, job->ctx, err);

    if (st == SCARCE_OK) st = scarce__near_check_rows(m, err);
    if (st == SCARCE_OK) st = set_votes(&out->threshold, m, job, &p, err);
    if (st == SCARCE_OK) write_back(job, m);
    if (st == SCARCE_OK) st = scarce__near_hold(out, m, job, err);
    if (st != SCARCE_OK) {
        scarce__nearby_free(m);
        return st;
    }
    out->kind = &scarce__kind_near;
    out->body = m;
    out->meaning.link = ranks(&p) ? SCARCE__LINK_NONE : SCARCE__LINK_SHARE;
    out->meaning.why = "the scores of this method only rank";
    out->threshold_why = "votes of the neighbours";
    return SCARCE_OK;
}

const scarce__engine scarce__engine_near = {
    .params = &param_table, .can = SCARCE__CAN_PROBABILITY, .memory = memory, .train = train, .ranks = ranks};
