/* SPDX-License-Identifier: Apache-2.0 */
/* Held-out rows choose: between settings, how many trees, and how sure the scores may be.
 *
 * Labels without noise, or rows with copies, want thousands of trees or large ones, or the best thresholds; noisy
 * labels want a hundred small ones with random thresholds; and nothing that can be seen before training tells which is
 * which (docs/research/defaults.md has the measurements). So the rows are dealt into five parts with the same share of
 * positives (whole groups, where rows have a group), and every candidate is trained without one part and judged on it.
 *
 * It is a race: all candidates run on the first part, and only those that are ahead of the first candidate there run on
 * the next; at the end another than the first is taken when the mean of its losses, row by row, is lower by more than
 * two standard errors and by more than a hundredth. Tries take steps `haste` times as long and so many times fewer of
 * them (each candidate by its own): what is better with long steps is better with short ones, at that much less cost.
 *
 * Trees: the median over the parts of where the loss was least. Sureness: the scores of rows that were not trained on,
 *
 *     f'(x) = (base + shift) + scale (f(x) - base)
 *
 * with the least logistic loss, held back to scale 1 and shift 0 by a normal prior (sd 0.3 of ln scale, 0.5 of shift),
 * so that few positives change little. The order of rows stays as it is.
 *
 * The small trees that stand beside the first candidate (gb_beside.h) run on the same parts and are made as sure as they
 * may be, too. Another candidate that is clearly better stands alone, and so do trees that are clearly better than small
 * ones: where labels follow a rule, whatever is simpler only blurs it.
 *
 * The fewer positives are held out, the more parts are asked. Of large tables a sample is enough to tell. */
#include "method/gb_choose.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_held.h"

enum {
    PARTS = 5,
    LEAST_ROWS = 10,     /* of the rarer class: with fewer everything is noise */
    ENOUGH_JUDGES = 200, /* rows of the rarer class in all parts that are held out */
    MOST_ROWS = 50000,   /* to look at */
    MOST_TREES = 2000,
    PATIENCE = 30
};

/* Scores of rows by trees that didn't see them, and how many trees that took. */
typedef struct runner {
    float *score; /* of each row; NaN: there are none */
    size_t trees[PARTS], n_parts;
} runner;

typedef struct race {
    const scarce_table *table;
    const scarce__gb_candidates *from;
    uint8_t *part;        /* of each row of the table; PARTS: not looked at */
    uint32_t *fit, *held; /* room for row numbers */
    scarce__held judge;
    runner of[SCARCE__MOST_CANDIDATES], small;
    int running[SCARCE__MOST_CANDIDATES];
} race;

static void race_deinit(race *r)
{
    scarce__free(r->part);
    scarce__free(r->fit);
    scarce__free(r->held);
    scarce__held_deinit(&r->judge);
    for (size_t c = 0; c < SCARCE__MOST_CANDIDATES; ++c) scarce__free(r->of[c].score);
    scarce__free(r->small.score);
}

/* Of each five rows of a class in turn, every part gets one, in a rotation drawn at random. */
static void deal_rows(race *r, uint64_t seed)
{
    const scarce_table *table = r->table;
    const uint64_t keep = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-2),
                   turn = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-3);
    const double share = (double)MOST_ROWS / (double)table->n_rows;
    const uint64_t below = share < 1 ? (uint64_t)(share * 0x1p63) : (uint64_t)1 << 63;
    size_t seen[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const size_t id = table->group ? (size_t)table->group[i] : i;
        const int positive = table->label[i] != 0;
        if (scarce__hash(keep, id) >> 1 >= below) {
            r->part[i] = PARTS;
            continue;
        }
        const size_t k = seen[positive]++;
        const uint64_t place = table->group
                                   ? scarce__hash(turn, id)
                                   : k + scarce__hash(turn, 2 * (k / PARTS) + (size_t)positive) % PARTS;
        r->part[i] = (uint8_t)(place % PARTS);
    }
}

static int runner_new(runner *r, size_t n)
{
    r->score = scarce__malloc_array(n, sizeof *r->score);
    for (size_t i = 0; r->score && i < n; ++i) r->score[i] = (float)NAN;
    return r->score != NULL;
}

static scarce_status race_new(race *r, const scarce_table *table, const scarce__gb_candidates *from,
                              scarce_error *err)
{
    const size_t n = table->n_rows;
    int good;

    memset(r, 0, sizeof *r);
    r->table = table;
    r->from = from;
    r->part = scarce__malloc(n);
    r->fit = scarce__malloc_array(n, sizeof *r->fit);
    r->held = scarce__malloc_array(n, sizeof *r->held);
    good = r->part && r->fit && r->held;
    for (size_t c = 0; good && c < from->n; ++c) {
        r->running[c] = 1;
        good = runner_new(&r->of[c], n);
    }
    if (good && from->small_runs) good = runner_new(&r->small, n);
    if (!good) return scarce__fail_memory(err, "held-out rows", n * (13 + 4 * from->n));
    SCARCE__TRY(scarce__held_new(&r->judge, n, table, &from->one[0].o, err));
    deal_rows(r, from->one[0].o.seed);
    return SCARCE_OK;
}

/* The rarer class among the rows that are looked at. */
static size_t rarer(const race *r)
{
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < r->table->n_rows; ++i)
        if (r->part[i] != PARTS) ++count[r->table->label[i] != 0];
    return count[0] < count[1] ? count[0] : count[1];
}

/* ---- one part */

static void cut(race *r, size_t part, scarce__boost_data *fit, scarce__boost_data *held)
{
    r->judge.n = 0;
    fit->n_rows = held->n_rows = 0;
    for (size_t i = 0; i < r->table->n_rows; ++i) {
        if (r->part[i] == PARTS) continue;
        if (r->part[i] != part) {
            r->fit[fit->n_rows++] = (uint32_t)i;
            continue;
        }
        r->held[held->n_rows++] = (uint32_t)i;
        scarce__held_add(&r->judge, r->table, i, &r->from->one[0].o);
    }
}

static scarce_status run(race *r, runner *who, const scarce__gb_candidate *candidate,
                         const scarce__boost_data *fit, const scarce__boost_data *held, int *cancelled,
                         scarce_context *ctx, scarce_error *err)
{
    const int haste = candidate->haste;
    const scarce__patience patience = {MOST_TREES / haste, PATIENCE / haste + 1};
    scarce__boost_options o = candidate->o;
    size_t trees = 0;
    double loss;

    o.grow.learning_rate *= haste;
    r->judge.least = candidate->least / haste;
    SCARCE__TRY(scarce__held_try(&trees, &loss, fit, held, &r->judge, &o, patience, cancelled, ctx, err));
    if (*cancelled || trees == 0) return SCARCE_OK;
    who->trees[who->n_parts++] = trees;
    for (size_t k = 0; k < held->n_rows; ++k) who->score[r->held[k]] = r->judge.score[k];
    return SCARCE_OK;
}

static scarce_status run_part(race *r, size_t part, int *cancelled, scarce_context *ctx, scarce_error *err)
{
    scarce__boost_data fit = {.table = r->table, .rows = r->fit}, held = {.table = r->table, .rows = r->held};
    const scarce__gb_candidates *from = r->from;
    scarce__binned *binned = NULL;
    scarce_status st = SCARCE_OK;

    cut(r, part, &fit, &held);
    if (fit.n_rows == 0 || held.n_rows == 0) return SCARCE_OK;
    st = scarce__binned_new(&binned, r->table, r->fit, fit.n_rows, r->table->weight, &from->one[0].o.bins,
                            ctx, err);
    fit.binned = binned;
    for (size_t c = 0; st == SCARCE_OK && c < from->n && !*cancelled; ++c)
        if (r->running[c]) st = run(r, &r->of[c], &from->one[c], &fit, &held, cancelled, ctx, err);
    if (st == SCARCE_OK && from->small_runs && !*cancelled)
        st = run(r, &r->small, &from->small, &fit, &held, cancelled, ctx, err);
    scarce__binned_free(binned);
    return st;
}

/* ---- what they say */

static double weight_of(const race *r, size_t row)
{
    return scarce__held_weight(r->table, row, &r->from->one[0].o);
}

static double loss_of(const race *r, size_t row, double score)
{
    const double margin = r->from->one[0].o.loss.gamma * score;
    return scarce__softplus(r->table->label[row] ? -margin : margin);
}

/* By how much the loss of one is lower than that of another, in standard errors; share: in shares of it. */
static double ahead(const race *r, const runner *one, const runner *other, double *share)
{
    double sum = 0, squares = 0, first = 0, n = 0;

    for (size_t i = 0; i < r->table->n_rows; ++i) {
        const double a = (double)other->score[i], b = (double)one->score[i], w = weight_of(r, i);
        if (isnan(a) || isnan(b)) continue;
        const double loss = loss_of(r, i, a), d = w * (loss - loss_of(r, i, b));
        sum += d;
        squares += d * d;
        first += w * loss;
        n += 1;
    }
    *share = first > 0 ? sum / first : 0;
    const double variance = squares - (n > 0 ? sum * sum / n : 0);
    return variance > 0 ? sum / sqrt(variance) : 0;
}

/* Those that are not ahead after a part don't run on the next. */
static void drop_out(race *r)
{
    for (size_t c = 1; c < r->from->n; ++c) {
        double share;
        if (r->running[c] &&
            (r->of[c].n_parts < r->of[0].n_parts || ahead(r, &r->of[c], &r->of[0], &share) < 1))
            r->running[c] = 0;
    }
}

/* By how large a share, or 0. */
static double clearly_ahead(const race *r, const runner *one, const runner *other)
{
    double share;
    return ahead(r, one, other, &share) > 2 && share > 1 - SCARCE__CLEARLY_LOWER ? share : 0;
}

static size_t winner(const race *r)
{
    size_t best = 0;
    double best_share = 0;
    for (size_t c = 1; c < r->from->n; ++c) {
        const double share = r->running[c] ? clearly_ahead(r, &r->of[c], &r->of[0]) : 0;
        if (share > best_share) {
            best = c;
            best_share = share;
        }
    }
    return best;
}

static size_t median(size_t *x, size_t n)
{
    for (size_t i = 1; i < n; ++i)
        for (size_t k = i; k > 0 && x[k - 1] > x[k]; --k) {
            const size_t t = x[k];
            x[k] = x[k - 1];
            x[k - 1] = t;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* ---- how sure scores may be */

static const double sd_scale = 0.3, sd_shift = 0.5;

static double prior_score(const race *r)
{
    double sum[2] = {0, 0};
    for (size_t i = 0; i < r->table->n_rows; ++i) sum[r->table->label[i] != 0] += weight_of(r, i);
    return sum[0] > 0 && sum[1] > 0 ? scarce__ln(sum[1] / sum[0]) / r->from->one[0].o.loss.gamma : 0;
}

/* Newton's steps for u = ln scale and shift: loss of base + shift + e^u (f - base), and the prior. */
static void calibrate(const race *r, const runner *who, double *scale, double *shift)
{
    const double gamma = r->from->one[0].o.loss.gamma, base = prior_score(r);
    double u = 0, v = 0;

    for (int step = 0; step < 20; ++step) {
        double gu = u / (sd_scale * sd_scale), gv = v / (sd_shift * sd_shift);
        double huu = 1 / (sd_scale * sd_scale), hvv = 1 / (sd_shift * sd_shift), huv = 0;
        const double factor = scarce__exp(u);
        for (size_t i = 0; i < r->table->n_rows; ++i) {
            const double f = (double)who->score[i];
            if (isnan(f)) continue;
            const double w = weight_of(r, i), x = factor * (f - base);
            const double p = scarce__sigmoid(gamma * (base + v + x));
            const double g = gamma * w * (p - (r->table->label[i] ? 1 : 0)),
                         h = gamma * gamma * w * p * (1 - p);
            gu += g * x;
            gv += g;
            huu += h * x * x;
            huv += h * x;
            hvv += h;
        }
        const double det = huu * hvv - huv * huv;
        if (!(det > 0)) return;
        double du = -(hvv * gu - huv * gv) / det, dv = -(huu * gv - huv * gu) / det;
        du = du > 0.5 ? 0.5 : du < -0.5 ? -0.5 : du;
        dv = dv > 1 ? 1 : dv < -1 ? -1 : dv;
        u += du;
        v += dv;
        if (fabs(du) + fabs(dv) < 1e-6) break;
    }
    *scale = scarce__exp(u);
    *shift = v;
}

/* ---- all of it */

static int trees_of(runner *r, const scarce__gb_candidate *candidate)
{
    const size_t trees = median(r->trees, r->n_parts) * (size_t)candidate->haste;
    return trees > (size_t)candidate->least ? (int)trees : candidate->least;
}

static void conclude(scarce__gb_choice *out, race *r, scarce_context *ctx)
{
    const size_t c = winner(r);

    out->beside = 0;
    if (r->of[c].n_parts == 0) return;
    out->which = c;
    out->n_trees = trees_of(&r->of[c], &r->from->one[c]);
    if (!r->from->small_runs || (c == 0 && !(clearly_ahead(r, &r->of[0], &r->small) > 0)))
        out->beside = r->from->beside;
    if (out->beside > 0 && r->small.n_parts > 0) {
        out->small_trees = trees_of(&r->small, &r->from->small);
        calibrate(r, &r->small, &out->small_scale, &out->small_shift);
    }
    /* what is too sure of itself would drown the others */
    if (r->from->calibrate || out->beside > 0) calibrate(r, &r->of[c], &out->scale, &out->shift);
    scarce__log(ctx, SCARCE_LOG_DEBUG,
                "held-out rows choose candidate %zu, %d trees, %d small ones, scale %.3g, shift %.3g", c,
                out->n_trees, out->small_trees, out->scale, out->shift);
}

scarce_status scarce__gb_choose(scarce__gb_choice *out, int *cancelled, const scarce_table *table,
                                const scarce__gb_candidates *candidates, scarce_context *ctx,
                                scarce_error *err)
{
    race r;

    *cancelled = 0;
    *out = (scarce__gb_choice){.n_trees = candidates->one[0].o.n_trees,
                               .scale = 1,
                               .beside = candidates->beside,
                               .small_trees = candidates->small_runs ? candidates->small.o.n_trees : 0,
                               .small_scale = 1};
    if (table->n_positives < LEAST_ROWS || table->n_rows - table->n_positives < LEAST_ROWS) return SCARCE_OK;
    scarce_status st = race_new(&r, table, candidates, err);
    const size_t few = st == SCARCE_OK ? rarer(&r) : 0;
    for (size_t part = 0; st == SCARCE_OK && few >= LEAST_ROWS && part < PARTS && !*cancelled; ++part) {
        if (part > 0 && part * few >= ENOUGH_JUDGES * PARTS) break;
        st = run_part(&r, part, cancelled, ctx, err);
        if (st == SCARCE_OK) drop_out(&r);
    }
    if (st == SCARCE_OK && !*cancelled && few >= LEAST_ROWS) conclude(out, &r, ctx);
    race_deinit(&r);
    return st;
}
