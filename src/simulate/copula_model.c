/* SPDX-License-Identifier: Apache-2.0 */
/* The truth behind the copula's rows: margins, coefficients, intercept. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/number.h"
#include "core/param.h"
#include "eval/special.h"
#include "simulate/copula.h"
#include "simulate/fraud.h"

static const double most_z = 8; /* a cell beyond it comes once in 10^15 */
enum { SAMPLE_CELLS = 200000000, MOST_SAMPLED = 1000000, LEAST_SAMPLED = 2000, BLOCKS_PER_WAVE = 512 };

/* ---- margins */

/* "gamma:2:2" of n bytes: the name and up to two numbers. */
static scarce_status margin_error(const char *text, size_t n, scarce_error *err)
{
    return scarce__fail(
        err, SCARCE_EINVAL,
        "margin '%.*s' isn't known; give normal, bernoulli:Q with 0 < Q < 1, or gamma:SHAPE:SCALE "
        "up to 1000 and 10, separated by commas",
        (int)(n < 40 ? n : 40), text);
}

static scarce_status parse_margin(scarce__margin *m, const char *text, size_t n, scarce_error *err)
{
    static const struct {
        const char *name;
        size_t numbers;
    } kinds[] = {{"normal", 0}, {"bernoulli", 1}, {"gamma", 2}};
    double number[2] = {0, 0};
    size_t given = 0, length = 0;
    int kind = 0;

    while (length < n && text[length] != ':') ++length;
    while (kind < 3 && (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, text, length) != 0))
        ++kind;
    for (size_t at = length; at < n; ++given) {
        const size_t begin = ++at;
        while (at < n && text[at] != ':') ++at;
        if (given >= 2 || scarce__parse_double(text + begin, at - begin, &number[given]) != 1)
            return margin_error(text, n, err);
    }
    if (kind == 3 || given != kinds[kind].numbers) return margin_error(text, n, err);
    if (kind == SCARCE__MARGIN_BERNOULLI && !(number[0] > 0 && number[0] < 1))
        return margin_error(text, n, err);
    if (kind == SCARCE__MARGIN_GAMMA &&
        !(number[0] >= 0.01 && number[0] <= 1000 && number[1] > 0 && number[1] <= 10))
        return margin_error(text, n, err);
    m->kind = (scarce__margin_kind)kind;
    m->a = number[0];
    m->b = number[1];
    return SCARCE_OK;
}

/* x(z) = F^-1(Phi(z)) at knots, with its slope phi(z) / f(x): cubics between them are good to 1e-9. */
static scarce_status gamma_knots(scarce__margin *m, scarce_error *err)
{
    const double step = 2 * most_z / COPULA_KNOTS;

    m->knots = scarce__malloc_array(2 * (COPULA_KNOTS + 1), sizeof *m->knots);
    if (!m->knots) return scarce__fail_memory(err, "a gamma distribution", 0);
    for (int i = 0; i <= COPULA_KNOTS; ++i) {
        const double z = -most_z + step * i, x = scarce__gamma_of_normal(m->a, z);
        const double log_ratio =
            -0.5 * z * z - 0x1.d67f1c864beb5p-1 - ((m->a - 1) * scarce__ln(x) - x - scarce__log_gamma(m->a));
        m->knots[2 * i] = x * m->b;
        m->knots[2 * i + 1] = x > 0 ? step * scarce__exp(log_ratio) * m->b : 0;
    }
    return SCARCE_OK;
}

static scarce_status set_margins(scarce__copula *c, const char *text, scarce_error *err)
{
    for (const char *at = text;;) {
        const size_t n = strcspn(at, ",");
        scarce__margin *m = &c->margins[c->n_margins];
        if (c->n_margins == COPULA_MOST_MARGINS)
            return scarce__fail(err, SCARCE_EINVAL, "margins has more than %d items", COPULA_MOST_MARGINS);
        ++c->n_margins;
        SCARCE__TRY(parse_margin(m, at, n, err));
        if (m->kind == SCARCE__MARGIN_BERNOULLI) m->threshold = scarce__normal_quantile(m->a);
        if (m->kind == SCARCE__MARGIN_GAMMA) SCARCE__TRY(gamma_knots(m, err));
        if (at[n] == '\0') return SCARCE_OK;
        at += n + 1;
    }
}

/* ---- columns */

/* Margins come from `model` alone, coefficients from `model` and `draw`: the study draws one vector of
 * coefficients for each rate and keeps the margins. */
static void set_columns(scarce__copula *c)
{
    const scarce__copula_options *o = c->options;
    const size_t per_group = (size_t)o->clusters;
    const double sd = isnan(o->sd) ? (o->coefficients == COPULA_HALF ? 0.033 : 1) : o->sd;
    const size_t active = o->coefficients == COPULA_HALF ? (c->n_groups + 1) / 2 : c->n_groups;
    scarce__random margins = scarce__stage_random((uint64_t)o->model, SCARCE__STAGE_COPULA_MARGINS, 0);
    scarce__random beta =
        scarce__stage_random((uint64_t)o->model, SCARCE__STAGE_COPULA_BETA, (uint64_t)o->draw);

    for (size_t g = 0; g < c->n_groups; ++g) {
        const size_t begin = scarce__part_begin(c->n_features, c->n_groups, g);
        const size_t size = scarce__part_begin(c->n_features, c->n_groups, g + 1) - begin;
        for (size_t k = 0; k < per_group; ++k)
            for (size_t j = scarce__part_begin(size, per_group, k);
                 j < scarce__part_begin(size, per_group, k + 1); ++j) {
                c->cluster[begin + j] = (uint32_t)(g * per_group + k);
                c->margin[begin + j] = (uint8_t)scarce__random_below(&margins, c->n_margins);
                c->beta[begin + j] = g < active ? sd * scarce__random_normal(&beta) : 0;
            }
    }
}

/* ---- intercept */

typedef struct sample_job {
    const scarce__copula *c;
    double *scratch, *eta; /* of the wave's blocks */
    size_t per_block, first;
} sample_job;

static void sample_block(void *arg, size_t b, int worker)
{
    sample_job *j = arg;
    scarce__random r =
        scarce__stage_random((uint64_t)j->c->options->model, SCARCE__STAGE_COPULA_SAMPLE, j->first + b);
    double unit[COPULA_BLOCK];
    scarce__copula_block(j->c, &r, j->scratch + (size_t)worker * j->per_block, NULL,
                         j->eta + (j->first + b) * COPULA_BLOCK, unit);
}

static double mean_probability(const double *eta, size_t n, double intercept)
{
    double sum = 0, p[COPULA_BLOCK];
    for (size_t i = 0; i < n; i += COPULA_BLOCK) {
        for (size_t k = 0; k < COPULA_BLOCK; ++k) p[k] = eta[i + k] + intercept;
        scarce__sigmoid_all(p, p, COPULA_BLOCK);
        for (size_t k = 0; k < COPULA_BLOCK; ++k) sum += p[k];
    }
    return sum / (double)n;
}

/* The mean rises with the intercept, so halving finds it. */
static double solve_intercept(const double *eta, size_t n, double rate)
{
    double low = -1, high = 1;
    while (low > -1e9 && mean_probability(eta, n, low) > rate) low *= 2;
    while (high < 1e9 && mean_probability(eta, n, high) < rate) high *= 2;
    for (int i = 0; i < 60 && high - low > 1e-9; ++i) {
        const double middle = 0.5 * (low + high);
        if (mean_probability(eta, n, middle) < rate) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

static scarce_status sample(sample_job *j, size_t n_blocks, const scarce_context *ctx, scarce_error *err)
{
    for (j->first = 0; j->first < n_blocks; j->first += BLOCKS_PER_WAVE) {
        const scarce_progress progress = {
            "intercept", (double)j->first, (double)n_blocks, "blocks", "", NULL, 0};
        const size_t left = n_blocks - j->first;
        if (scarce__progress(ctx, &progress))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped while looking for the intercept");
        scarce__pool_run(scarce__context_pool(ctx), left < BLOCKS_PER_WAVE ? left : BLOCKS_PER_WAVE,
                         sample_block, j);
    }
    return SCARCE_OK;
}

static size_t sample_rows(const scarce__copula *c)
{
    const size_t fit = SAMPLE_CELLS / c->n_features;
    if (c->options->intercept_rows != SCARCE__AUTO_INT) return (size_t)c->options->intercept_rows;
    return fit > MOST_SAMPLED ? MOST_SAMPLED : fit < LEAST_SAMPLED ? LEAST_SAMPLED : fit;
}

static scarce_status find_intercept(scarce__copula *c, const scarce_context *ctx, scarce_error *err)
{
    const size_t n_blocks = scarce__blocks(sample_rows(c), COPULA_BLOCK);
    const size_t threads = (size_t)scarce__pool_threads(scarce__context_pool(ctx));
    sample_job j = {c, NULL, NULL, scarce__copula_scratch(c), 0};
    scarce_status status;

    j.scratch = scarce__malloc_array(threads * j.per_block, sizeof *j.scratch);
    j.eta = scarce__malloc_array(n_blocks * COPULA_BLOCK, sizeof *j.eta);
    if (!j.scratch || !j.eta)
        status = scarce__fail_memory(err, "a sample of rows", n_blocks * COPULA_BLOCK * sizeof *j.eta);
    else status = sample(&j, n_blocks, ctx, err);
    if (status == SCARCE_OK) c->intercept = solve_intercept(j.eta, n_blocks * COPULA_BLOCK, c->options->rate);
    scarce__free(j.scratch);
    scarce__free(j.eta);
    return status;
}

/* ---- all of it */

static scarce_status check(const scarce__copula_options *o, scarce_error *err)
{
    if (o->rho_low > o->rho_high)
        return scarce__fail(
            err, SCARCE_EINVAL,
            "rho_low is above rho_high; columns of one cluster are at least as alike as those of one group");
    if (o->groups * o->clusters > o->features)
        return scarce__fail(err, SCARCE_EINVAL,
                            "%lld groups of %lld clusters need as many features, and there are %lld; lower "
                            "groups or clusters",
                            (long long)o->groups, (long long)o->clusters, (long long)o->features);
    return SCARCE_OK;
}

scarce_status scarce__copula_init(scarce__copula *c, const scarce__copula_options *o,
                                  const scarce_context *ctx, scarce_error *err)
{
    scarce_status status;

    memset(c, 0, sizeof *c);
    SCARCE__TRY(check(o, err));
    c->options = o;
    c->n_features = (size_t)o->features;
    c->n_groups = (size_t)o->groups;
    c->n_clusters = (size_t)(o->groups * o->clusters);
    scarce__ziggurat_init(&c->normal);
    c->margin = scarce__malloc(c->n_features);
    c->cluster = scarce__malloc_array(c->n_features, sizeof *c->cluster);
    c->beta = scarce__malloc_array(c->n_features, sizeof *c->beta);
    if (!c->margin || !c->cluster || !c->beta)
        status =
            scarce__fail_memory(err, "columns", c->n_features * (sizeof *c->beta + sizeof *c->cluster + 1));
    else status = set_margins(c, o->margins, err);
    if (status == SCARCE_OK) {
        set_columns(c);
        if (isnan(o->intercept)) status = find_intercept(c, ctx, err);
        else c->intercept = o->intercept;
    }
    if (status != SCARCE_OK) scarce__copula_deinit(c);
    return status;
}

void scarce__copula_deinit(scarce__copula *c)
{
    for (size_t i = 0; i < c->n_margins; ++i) scarce__free(c->margins[i].knots);
    scarce__free(c->margin);
    scarce__free(c->cluster);
    scarce__free(c->beta);
    memset(c, 0, sizeof *c);
}

/* ---- a block of rows */

size_t scarce__copula_scratch(const scarce__copula *c)
{
    return c->n_clusters * COPULA_BLOCK;
}

/* What the columns of each cluster have in common. */
static void common_parts(const scarce__copula *c, scarce__random *r, double *common)
{
    const double low = sqrt(c->options->rho_low), high = sqrt(c->options->rho_high - c->options->rho_low);
    const size_t per_group = c->n_clusters / c->n_groups;
    double group[COPULA_BLOCK];

    for (size_t k = 0; k < c->n_clusters; ++k) {
        double *t = common + k * COPULA_BLOCK;
        if (k % per_group == 0) scarce__ziggurat_fill(&c->normal, r, group, COPULA_BLOCK);
        scarce__ziggurat_fill(&c->normal, r, t, COPULA_BLOCK);
        for (size_t i = 0; i < COPULA_BLOCK; ++i) t[i] = low * group[i] + high * t[i];
    }
}

static double from_knots(const double *knots, double z)
{
    const double scaled = (z + most_z) * (COPULA_KNOTS / (2 * most_z));
    const double inside = scaled < 0 ? 0 : scaled > COPULA_KNOTS ? COPULA_KNOTS : scaled;
    const int i = inside < COPULA_KNOTS ? (int)inside : COPULA_KNOTS - 1;
    const double t = inside - i, *k = knots + 2 * i, rise = k[2] - k[0];
    return k[0] + t * (k[1] + t * ((3 * rise - 2 * k[1] - k[3]) + t * (k[1] + k[3] - 2 * rise)));
}

/* z of 64 rows to cells. */
static void to_cells(const scarce__margin *m, const double *z, int32_t *cells)
{
    switch (m->kind) {
    case SCARCE__MARGIN_BERNOULLI:
        for (size_t i = 0; i < COPULA_BLOCK; ++i) cells[i] = z[i] <= m->threshold ? 10000 : 0;
        break;
    case SCARCE__MARGIN_GAMMA:
        for (size_t i = 0; i < COPULA_BLOCK; ++i)
            cells[i] = (int32_t)(from_knots(m->knots, z[i]) * 10000 + 0.5);
        break;
    case SCARCE__MARGIN_NORMAL:
        for (size_t i = 0; i < COPULA_BLOCK; ++i) cells[i] = (int32_t)floor(z[i] * 10000 + 0.5);
        break;
    }
}

void scarce__copula_block(const scarce__copula *c, scarce__random *r, double *scratch, int32_t *cells,
                          double *eta, double *unit)
{
    const double own = sqrt(1 - c->options->rho_high);
    double z[COPULA_BLOCK];
    int32_t unwanted[COPULA_BLOCK];

    for (size_t i = 0; i < COPULA_BLOCK; ++i) {
        unit[i] = scarce__random_unit(r);
        eta[i] = 0;
    }
    common_parts(c, r, scratch);
    for (size_t j = 0; j < c->n_features; ++j) {
        const double *common = scratch + (size_t)c->cluster[j] * COPULA_BLOCK, beta = c->beta[j];
        int32_t *out = cells ? cells + j * COPULA_BLOCK : unwanted;
        scarce__ziggurat_fill(&c->normal, r, z, COPULA_BLOCK);
        for (size_t i = 0; i < COPULA_BLOCK; ++i) z[i] = common[i] + own * z[i];
        to_cells(&c->margins[c->margin[j]], z, out);
        for (size_t i = 0; i < COPULA_BLOCK; ++i) eta[i] += beta * (double)scarce__copula_value(out[i]);
    }
}
