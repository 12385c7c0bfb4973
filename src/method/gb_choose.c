/* SPDX-License-Identifier: Apache-2.0 */
/* Held-out rows choose: what each of several models is worth in a sum of them, or which one is taken; how many trees;
 * and how sure the scores may be.
 *
 * Labels without noise, or rows with copies, want thousands of trees or large ones, or the best thresholds; noisy
 * labels want a hundred small ones with random thresholds, or a straight line; and nothing that can be seen before
 * training tells which is which (docs/research/defaults.md has the measurements). So every candidate is trained without
 * a part of the rows and judged on it (gb_tries.c). The fewer positives are held out, the more parts are asked.
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
 * row, is lower by more than two standard errors and by more than a hundredth. */
#include "method/gb_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "data/table.h"
#include "method/gb_held.h"
#include "method/gb_tries.h"

enum {
    LEAST_ROWS = 10,    /* of the rarer class: with fewer everything is noise */
    ENOUGH_JUDGES = 200 /* rows of the rarer class in all parts that are held out */
};

/* ---- what they say */

static double weight_of(const scarce__gb_tries *t, size_t row)
{
    return scarce__held_weight(t->table, row, &t->from.one[0].o);
}

static double loss_of(const scarce__gb_tries *t, size_t row, double score)
{
    const double margin = t->from.one[0].o.loss.gamma * score;
    return scarce__softplus(t->table->label[row] ? -margin : margin);
}

/* By how much the loss of one is lower than that of another, in standard errors; share: in shares of it. */
static double ahead(const scarce__gb_tries *t, const scarce__gb_tried *one, const scarce__gb_tried *other,
                    double *share)
{
    double sum = 0, squares = 0, first = 0, n = 0;

    for (size_t i = 0; i < t->table->n_rows; ++i) {
        const double a = (double)other->score[i], b = (double)one->score[i], w = weight_of(t, i);
        if (isnan(a) || isnan(b)) continue;
        const double loss = loss_of(t, i, a), d = w * (loss - loss_of(t, i, b));
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
static void drop_out(scarce__gb_tries *t)
{
    for (size_t c = 1; c < t->from.n; ++c) {
        double share;
        if (t->of[c].running &&
            (t->of[c].n_parts < t->of[0].n_parts || ahead(t, &t->of[c], &t->of[0], &share) < 1))
            t->of[c].running = 0;
    }
}

/* By how large a share, or 0. */
static double clearly_ahead(const scarce__gb_tries *t, const scarce__gb_tried *one,
                            const scarce__gb_tried *other)
{
    double share;
    return ahead(t, one, other, &share) > 2 && share > 1 - SCARCE__CLEARLY_LOWER ? share : 0;
}

static size_t winner(const scarce__gb_tries *t)
{
    size_t best = 0;
    double best_share = 0;
    for (size_t c = 1; c < t->from.n; ++c) {
        const double share = t->of[c].running ? clearly_ahead(t, &t->of[c], &t->of[0]) : 0;
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

static double prior_score(const scarce__gb_tries *t)
{
    double sum[2] = {0, 0};
    for (size_t i = 0; i < t->table->n_rows; ++i)
        if (t->part[i] != SCARCE__NO_PART) sum[t->table->label[i] != 0] += weight_of(t, i);
    return sum[0] > 0 && sum[1] > 0 ? scarce__ln(sum[1] / sum[0]) / t->from.one[0].o.loss.gamma : 0;
}

/* Newton's steps for u = ln scale and shift: loss of base + shift + e^u (f - base), and the prior. */
static void calibrate(const scarce__gb_tries *t, const scarce__gb_tried *who, double *scale, double *shift)
{
    const double gamma = t->from.one[0].o.loss.gamma, base = prior_score(t);
    double u = 0, v = 0;

    for (int step = 0; step < 20; ++step) {
        double gu = u / (sd_scale * sd_scale), gv = v / (sd_shift * sd_shift);
        double huu = 1 / (sd_scale * sd_scale), hvv = 1 / (sd_shift * sd_shift), huv = 0;
        const double factor = scarce__exp(u);
        for (size_t i = 0; i < t->table->n_rows; ++i) {
            const double f = (double)who->score[i];
            if (isnan(f)) continue;
            const double w = weight_of(t, i), x = factor * (f - base);
            const double p = scarce__sigmoid(gamma * (base + v + x));
            const double g = gamma * w * (p - (t->table->label[i] ? 1 : 0)),
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
static scarce_status weigh(scarce__gb_choice *out, const scarce__gb_tries *t, scarce_error *err)
{
    const size_t n = t->table->n_rows;
    const double base = prior_score(t), gamma = t->from.one[0].o.loss.gamma;
    size_t voice[SCARCE__MOST_CANDIDATES], n_voices = 0;
    double weight[SCARCE__MOST_CANDIDATES], prior[SCARCE__MOST_CANDIDATES];

    for (size_t c = 0; c < t->from.n; ++c)
        if (t->of[c].n_parts == t->of[0].n_parts) {
            prior[n_voices] = t->from.one[c].prior;
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
            const double f = (double)t->of[voice[k]].score[i];
            heard &= !isnan(f);
            score[at * n_voices + k] = base + s->shift + s->scale * (f - base);
        }
        if (!heard) continue;
        side[at] = t->table->label[i] ? gamma : -gamma;
        side[n + at] = weight_of(t, i);
        ++ballot.n_rows;
    }
    scarce__gb_weigh(weight, &ballot);
    for (size_t c = 0; c < t->from.n; ++c) out->of[c].weight = 0;
    for (size_t k = 0; k < n_voices; ++k) out->of[voice[k]].weight = weight[k];
    scarce__free(score);
    scarce__free(side);
    return SCARCE_OK;
}

/* ---- all of it */

static int trees_of(scarce__gb_tried *r, const scarce__gb_candidate *candidate)
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

static scarce_status conclude(scarce__gb_choice *out, scarce__gb_tries *t, scarce_context *ctx,
                              scarce_error *err)
{
    const scarce__gb_candidates *from = &t->from;
    const size_t taken = from->sum ? 0 : winner(t);

    if (t->of[0].n_parts == 0) return SCARCE_OK;
    out->told = 1;
    for (size_t c = 0; c < from->n; ++c) {
        if (t->of[c].n_parts == 0 || (!from->sum && c != taken)) continue;
        out->of[c].n_trees = trees_of(&t->of[c], &from->one[c]);
        /* what is too sure of itself would drown the others */
        if (from->calibrate || from->sum) calibrate(t, &t->of[c], &out->of[c].scale, &out->of[c].shift);
        take_asked(&out->of[c], from);
    }
    if (from->sum) {
        SCARCE__TRY(weigh(out, t, err));
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

/* The more of the rarer class are held out, the fewer parts are asked. */
static size_t parts_of(size_t rarer, size_t all)
{
    const size_t n = (ENOUGH_JUDGES * all + rarer - 1) / rarer;
    return n < 1 ? 1 : n < all ? n : all;
}

static scarce_status hold_out(scarce__gb_choice *out, scarce__gb_tries *t, int *cancelled,
                              scarce_context *ctx, scarce_error *err)
{
    if (t->rarer < LEAST_ROWS) return SCARCE_OK;
    const size_t n = parts_of(t->rarer, t->from.parts);
    if (t->from.sum) SCARCE__TRY(scarce__gb_tries_run(t, n, cancelled, ctx, err));
    for (size_t part = 0; !t->from.sum && part < n && !*cancelled; ++part) {
        SCARCE__TRY(scarce__gb_tries_run(t, 1, cancelled, ctx, err));
        drop_out(t);
    }
    return *cancelled ? SCARCE_OK : conclude(out, t, ctx, err);
}

scarce_status scarce__gb_choose(scarce__gb_choice *out, int *cancelled, const scarce_table *table,
                                const scarce__gb_candidates *candidates, scarce_context *ctx,
                                scarce_error *err)
{
    scarce__gb_tries t;

    *cancelled = 0;
    memset(out, 0, sizeof *out);
    as_they_are(out, candidates);
    if (candidates->blind) return SCARCE_OK;
    if (table->n_positives < LEAST_ROWS || table->n_rows - table->n_positives < LEAST_ROWS) return SCARCE_OK;
    scarce_status st = scarce__gb_tries_new(&t, table, candidates, err);
    if (st == SCARCE_OK) st = hold_out(out, &t, cancelled, ctx, err);
    scarce__gb_tries_deinit(&t);
    return st;
}
