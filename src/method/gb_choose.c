/* SPDX-License-Identifier: Apache-2.0 */
/* Held-out rows choose: what each of several models is worth in a sum of them, or which one is taken; how many trees;
 * and how sure the scores may be.
 *
 * Labels without noise, or rows with copies, want thousands of trees or large ones, or the best thresholds; noisy
 * labels want a hundred small ones with random thresholds, or a straight line; and nothing that can be seen before
 * training tells which is which (docs/research/defaults.md has the measurements). So the rows are dealt into five parts
 * with the same share of positives, and every candidate is trained without one part and judged on it. Where rows have a
 * time, parts are spans of time, the latest first: what holds for a while only (a stolen card, a compromised terminal)
 * must not speak for large trees. Else, where they have a group, groups stay whole. The fewer positives are held out, the more parts are asked. Of large tables a sample is enough
 * to tell.
 *
 * Trees: the median over the parts of where the loss was least. Sureness: the scores of rows that were not trained on,
 *
 *     f'(x) = (base + shift) + scale (f(x) - base)
 *
 * with the least logistic loss, held back to scale 1 and shift 0 by a normal prior (sd 0.3 of ln scale, 0.5 of shift),
 * so that few positives change little. The order of rows stays as it is.
 *
 * Voices of a sum are each made as sure as they may be, and then get the weights with which the sum has the least loss on
 * rows that none of them saw (gb_weigh.c).
 *
 * Where one is to be taken it is a race: all candidates run on the first part, and only those that are ahead of the
 * first candidate there run on the next; at the end another than the first is taken when the mean of its losses, row by
 * row, is lower by more than two standard errors and by more than a hundredth.
 *
 * Tries take steps `haste` times as long and so many times fewer of them (each candidate by its own): what is better with
 * long steps is better with short ones, at that much less cost. */
#include "method/gb_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/random.h"
#include "data/table.h"
#include "method/gb_held.h"
#include "method/gb_linear.h"
#include "tree/fast.h"

enum {
    PARTS = 5,
    LEAST_ROWS = 10,     /* of the rarer class: with fewer everything is noise */
    ENOUGH_JUDGES = 200, /* rows of the rarer class in all parts that are held out */
    MOST_ROWS = 50000,   /* to look at */
    MOST_TREES = 2000,
    PATIENCE = 30
};

/* Voices of a sum that foretell their rows get no better by being surer of it: a share of the loss without trees. */
static const double TOLD = 0.003;

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
    runner of[SCARCE__MOST_CANDIDATES];
    int running[SCARCE__MOST_CANDIDATES];
} race;

static void race_deinit(race *r)
{
    scarce__free(r->part);
    scarce__free(r->fit);
    scarce__free(r->held);
    scarce__held_deinit(&r->judge);
    for (size_t c = 0; c < SCARCE__MOST_CANDIDATES; ++c) scarce__free(r->of[c].score);
}

/* Which rows are looked at: all, or of many an even draw. */
static void choose_rows(race *r, uint64_t seed)
{
    const scarce_table *table = r->table;
    const uint64_t keep = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-2);
    const double share = (double)MOST_ROWS / (double)table->n_rows;
    const uint64_t below = share < 1 ? (uint64_t)(share * 0x1p63) : (uint64_t)1 << 63;

    for (size_t i = 0; i < table->n_rows; ++i) {
        const size_t id = table->group ? (size_t)table->group[i] : i;
        r->part[i] = scarce__hash(keep, id) >> 1 >= below ? PARTS : 0;
    }
}

/* Of each five rows of a class in turn, every part gets one, in a rotation drawn at random. */
static void deal_rows(race *r, uint64_t seed)
{
    const scarce_table *table = r->table;
    const uint64_t turn = scarce__key(seed, SCARCE__FOR_SPLIT, (uint64_t)-3);
    size_t seen[2] = {0, 0};

    for (size_t i = 0; i < table->n_rows; ++i) {
        const int positive = table->label[i] != 0;
        if (r->part[i] == PARTS) continue;
        const size_t k = seen[positive]++;
        const uint64_t place = table->group
                                   ? scarce__hash(turn, (uint64_t)table->group[i])
                                   : k + scarce__hash(turn, 2 * (k / PARTS) + (size_t)positive) % PARTS;
        r->part[i] = (uint8_t)(place % PARTS);
    }
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Spans of time with as many rows of the rarer class each, the latest first. */
static scarce_status deal_times(race *r, scarce_error *err)
{
    const scarce_table *table = r->table;
    const int rare = 2 * table->n_positives <= table->n_rows;
    double *time = scarce__malloc_array(table->n_rows, sizeof *time), end[PARTS - 1];
    size_t n = 0;

    if (!time) return scarce__fail_memory(err, "held-out rows", 8 * table->n_rows);
    for (size_t i = 0; i < table->n_rows; ++i)
        if (r->part[i] != PARTS && (table->label[i] != 0) == rare && isfinite(table->time[i]))
            time[n++] = table->time[i];
    qsort(time, n, sizeof *time, compare_times);
    for (size_t k = 0; k < PARTS - 1; ++k) end[k] = n > 0 ? time[n * (k + 1) / PARTS] : 0;
    for (size_t i = 0; i < table->n_rows; ++i) {
        size_t span = 0;
        if (r->part[i] == PARTS) continue;
        while (span < PARTS - 1 && table->time[i] >= end[span]) ++span;
        r->part[i] = (uint8_t)(PARTS - 1 - span);
    }
    scarce__free(time);
    return SCARCE_OK;
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
    if (!good) return scarce__fail_memory(err, "held-out rows", n * (13 + 4 * from->n));
    SCARCE__TRY(scarce__held_new(&r->judge, n, table, &from->one[0].o, err));
    choose_rows(r, from->one[0].o.seed);
    if (table->time) return deal_times(r, err);
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

/* The linear model of the rows to fit, as the trees that it becomes. Where it can't be learnt it has nothing to say. */
static scarce_status run_linear(race *r, runner *who, const scarce__gb_candidate *candidate,
                                const scarce__boost_data *fit, const scarce__boost_data *held, int *cancelled,
                                scarce_context *ctx, scarce_error *err)
{
    scarce_table *seen = NULL, *unseen = NULL;
    scarce__forest forest = {0};
    scarce__fast *fast = NULL;
    double *score = scarce__malloc_array(held->n_rows, sizeof *score);
    scarce_status st = score ? scarce_table_rows_of(&seen, r->table, fit->rows, fit->n_rows, ctx, err)
                             : scarce__fail_memory(err, "held-out rows", 8 * held->n_rows);

    if (st == SCARCE_OK) st = scarce_table_rows_of(&unseen, r->table, held->rows, held->n_rows, ctx, err);
    if (st == SCARCE_OK && seen->n_positives > 0 && seen->n_positives < seen->n_rows)
        st = scarce__gb_linear(&forest, seen, &candidate->o, ctx, err);
    if (st == SCARCE_OK && forest.n_trees > 0) {
        st = scarce__fast_new(&fast, &forest, err);
        if (st == SCARCE_OK) st = scarce__fast_table(fast, unseen, ctx, score, err);
        for (size_t k = 0; st == SCARCE_OK && k < held->n_rows; ++k)
            who->score[held->rows[k]] = (float)score[k];
        if (st == SCARCE_OK) who->trees[who->n_parts++] = 0;
    }
    scarce__fast_free(fast);
    scarce__forest_deinit(&forest);
    scarce_table_free(seen);
    scarce_table_free(unseen);
    scarce__free(score);
    if (st != SCARCE_ECANCEL) return st;
    *cancelled = 1;
    return SCARCE_OK;
}

static scarce_status run(race *r, runner *who, const scarce__gb_candidate *candidate,
                         const scarce__boost_data *fit, const scarce__boost_data *held, int *cancelled,
                         scarce_context *ctx, scarce_error *err)
{
    if (candidate->linear) return run_linear(r, who, candidate, fit, held, cancelled, ctx, err);
    const int haste = candidate->haste;
    const scarce__patience patience = {MOST_TREES / haste, PATIENCE / haste + 1, r->from->sum ? TOLD : 0};
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

/* ---- the weights of a sum */

/* Sums up the voices that judged as many parts as the first: the others may be wrong where they are silent. */
static scarce_status weigh(scarce__gb_choice *out, const race *r, scarce_error *err)
{
    const size_t n = r->table->n_rows;
    const double base = prior_score(r), gamma = r->from->one[0].o.loss.gamma;
    size_t voice[SCARCE__MOST_CANDIDATES], n_voices = 0;
    double weight[SCARCE__MOST_CANDIDATES], prior[SCARCE__MOST_CANDIDATES];

    for (size_t c = 0; c < r->from->n; ++c)
        if (r->of[c].n_parts == r->of[0].n_parts) {
            prior[n_voices] = r->from->one[c].prior;
            voice[n_voices++] = c;
        }
    double *score = scarce__malloc_array(n, n_voices * sizeof *score), *side = scarce__malloc_array(n, 16);
    if (!score || !side) {
        scarce__free(score);
        scarce__free(side);
        return scarce__fail_memory(err, "held-out rows", n * (n_voices * 8 + 16));
    }
    scarce__ballot ballot = {
        .n_voices = n_voices, .score = score, .side = side, .count = side + n, .prior = prior};
    for (size_t i = 0; i < n; ++i) {
        const size_t at = ballot.n_rows;
        int heard = 1;
        for (size_t k = 0; k < n_voices; ++k) {
            const scarce__gb_share *s = &out->of[voice[k]];
            const double f = (double)r->of[voice[k]].score[i];
            heard &= !isnan(f);
            score[at * n_voices + k] = base + s->shift + s->scale * (f - base);
        }
        if (!heard) continue;
        side[at] = r->table->label[i] ? gamma : -gamma;
        side[n + at] = weight_of(r, i);
        ++ballot.n_rows;
    }
    scarce__gb_weigh(weight, &ballot);
    for (size_t c = 0; c < r->from->n; ++c) out->of[c].weight = 0;
    for (size_t k = 0; k < n_voices; ++k) out->of[voice[k]].weight = weight[k];
    scarce__free(score);
    scarce__free(side);
    return SCARCE_OK;
}

/* ---- all of it */

static int trees_of(runner *r, const scarce__gb_candidate *candidate)
{
    const size_t trees = median(r->trees, r->n_parts) * (size_t)candidate->haste;
    return trees > (size_t)candidate->least ? (int)trees : candidate->least;
}

/* Trees lead: they can be watched, interrupted and gone on with. */
static size_t loudest(const scarce__gb_choice *choice, const scarce__gb_candidates *from)
{
    size_t best = 0;
    for (size_t c = 1; c < from->n; ++c)
        if (!from->one[c].linear && choice->of[c].weight > choice->of[best].weight) best = c;
    return best;
}

static void take_asked(scarce__gb_share *s, const scarce__gb_candidates *from)
{
    if (from->scale > 0) s->scale = from->scale;
    if (!isnan(from->shift)) s->shift = from->shift;
}

static scarce_status conclude(scarce__gb_choice *out, race *r, scarce_context *ctx, scarce_error *err)
{
    const scarce__gb_candidates *from = r->from;
    const size_t taken = from->sum ? 0 : winner(r);

    if (r->of[0].n_parts == 0) return SCARCE_OK;
    out->told = 1;
    for (size_t c = 0; c < from->n; ++c) {
        if (r->of[c].n_parts == 0 || (!from->sum && c != taken)) continue;
        out->of[c].n_trees = trees_of(&r->of[c], &from->one[c]);
        /* what is too sure of itself would drown the others */
        if (from->calibrate || from->sum) calibrate(r, &r->of[c], &out->of[c].scale, &out->of[c].shift);
        take_asked(&out->of[c], from);
    }
    if (from->sum) {
        SCARCE__TRY(weigh(out, r, err));
        out->which = loudest(out, from);
    } else {
        out->of[0].weight = 0;
        out->of[taken].weight = 1;
        out->which = taken;
    }
    for (size_t c = 0; c < from->n; ++c)
        scarce__log(ctx, SCARCE_LOG_DEBUG,
                    "held-out rows: candidate %zu has the weight %.3g, %d trees, scale %.3g, shift %.3g", c,
                    out->of[c].weight, out->of[c].n_trees, out->of[c].scale, out->of[c].shift);
    return SCARCE_OK;
}

static void as_they_are(scarce__gb_choice *out, const scarce__gb_candidates *from)
{
    double all = 0;
    for (size_t c = 0; c < from->n; ++c) all += from->one[c].risky ? 0 : from->one[c].prior;
    for (size_t c = 0; c < from->n; ++c) {
        const double voice = from->one[c].risky ? 0 : from->one[c].prior / all;
        out->of[c] = (scarce__gb_share){
            .weight = from->sum ? voice : c == 0, .n_trees = from->one[c].o.n_trees, .scale = 1};
        take_asked(&out->of[c], from);
    }
}

scarce_status scarce__gb_choose(scarce__gb_choice *out, int *cancelled, const scarce_table *table,
                                const scarce__gb_candidates *candidates, scarce_context *ctx,
                                scarce_error *err)
{
    race r;

    *cancelled = 0;
    out->which = 0;
    out->told = 0;
    as_they_are(out, candidates);
    if (candidates->blind) return SCARCE_OK;
    if (table->n_positives < LEAST_ROWS || table->n_rows - table->n_positives < LEAST_ROWS) return SCARCE_OK;
    scarce_status st = race_new(&r, table, candidates, err);
    const size_t few = st == SCARCE_OK ? rarer(&r) : 0;
    for (size_t part = 0; st == SCARCE_OK && few >= LEAST_ROWS && part < PARTS && !*cancelled; ++part) {
        if (part > 0 && part * few >= ENOUGH_JUDGES * PARTS) break;
        st = run_part(&r, part, cancelled, ctx, err);
        if (st == SCARCE_OK && !candidates->sum) drop_out(&r);
    }
    if (st == SCARCE_OK && !*cancelled && few >= LEAST_ROWS) st = conclude(out, &r, ctx, err);
    race_deinit(&r);
    return st;
}
