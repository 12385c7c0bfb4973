/* SPDX-License-Identifier: Apache-2.0 */
/* Small sets that show one thing each.
 *
 * square: a problem that two stumps can't solve when their outputs are added, but can when they are
 * combined freely. In the unit square the positives lie, half each, evenly on the left strip x1 < 0.2
 * and on the top strip x2 >= 0.8, so a fifth of them falls in the corner both strips share; of the
 * negatives 9.5 % lie in that corner and the rest evenly in x1 >= 0.2, x2 < 0.8. A sum of one stump
 * per feature must rank the corner highest, though most of it is negative. With rate 0.1, ranking
 * corner, strip, strip, rest has AP about 0.42 and best F1 0.70; strips, corner, rest has AP 0.908
 * and F1 0.889.
 *
 * line: 14 points x = -6..7, positive at -3, -2 and 6: ranking by x has AP 0.324 and AUC 0.485, by -x
 * AP 0.294 and AUC 0.515: the two measures disagree. */
#include "simulate/toy.h"

#include "core/alloc.h"
#include "core/outfile.h"
#include "core/text.h"
#include "simulate/fraud.h"

static const double strip = 0.2, overlap = 0.095;

/* Uniform in [lo, hi) on a grid of millionths, so that the text is short and exact. */
static double between(scarce__random *r, double lo, double hi)
{
    return floor((lo + (hi - lo) * scarce__random_unit(r)) * 1e6) / 1e6;
}

static void square_point(scarce__random *r, int positive, double *x1, double *x2)
{
    const double u = scarce__random_unit(r);
    double x_lo = 0, x_hi = 1, y_lo = 0, y_hi = 1;
    if (positive && u < 0.5) {
        x_hi = strip;
    } else if (positive) {
        y_lo = 1 - strip;
    } else if (u < overlap) {
        x_hi = strip;
        y_lo = 1 - strip;
    } else {
        x_lo = strip;
        y_hi = 1 - strip;
    }
    *x1 = between(r, x_lo, x_hi);
    *x2 = between(r, y_lo, y_hi);
}

/* Exactly round(rate * rows) positives at random places: row i is one with probability wanted/left. */
static void square(scarce__text *t, const scarce__toy_options *o, uint64_t seed, scarce_simulate_summary *s)
{
    scarce__random r = scarce__stage_random(seed, SCARCE__STAGE_TOY, 0);
    uint64_t left = (uint64_t)o->rows, wanted = (uint64_t)(o->rate * (double)o->rows + 0.5);

    s->rows = left;
    s->positives = wanted;
    scarce__text_add(t, "x1,x2,label\n");
    for (; left > 0; --left) {
        const int positive = scarce__random_below(&r, left) < wanted;
        double x1, x2;
        square_point(&r, positive, &x1, &x2);
        wanted -= (uint64_t)positive;
        scarce__text_double(t, x1);
        scarce__text_add_char(t, ',');
        scarce__text_double(t, x2);
        scarce__text_add(t, positive ? ",1\n" : ",0\n");
    }
}

static void line(scarce__text *t, scarce_simulate_summary *s)
{
    scarce__text_add(t, "x,label\n");
    for (int x = -6; x <= 7; ++x) {
        const int positive = x == -3 || x == -2 || x == 6;
        scarce__text_addf(t, "%d,%d\n", x, positive);
        ++s->rows;
        s->positives += (uint64_t)positive;
    }
}

scarce_status scarce__toy_write(const scarce__toy_options *o, const char *path, const scarce_context *ctx,
                                scarce_simulate_summary *summary, scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__outfile *out = NULL;
    scarce_status status;

    if (o->variant == TOY_LINE) line(&text, summary);
    else square(&text, o, scarce_context_seed(ctx), summary);
    summary->scenario[0] = summary->rows - summary->positives;
    if (text.failed) {
        scarce__text_deinit(&text);
        return scarce__fail_memory(err, "the toy's rows", 0);
    }
    status = scarce__outfile_open(&out, path, err);
    if (status == SCARCE_OK) {
        status = scarce__outfile_write(out, text.bytes, text.n, err);
        if (status == SCARCE_OK) status = scarce__outfile_commit(out, err);
        else scarce__outfile_abort(out);
    }
    scarce__text_deinit(&text);
    return status;
}
