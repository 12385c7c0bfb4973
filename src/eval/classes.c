/* SPDX-License-Identifier: Apache-2.0 */
/* More than two classes: of each how many rows it has, for how many it was the likeliest, and how many of these were
 * right; precision and recall from these three; log loss; average precision of its probability against all others. */
#include "eval/classes.h"

#include <math.h>
#include <string.h>

#include <scarce/table.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "eval/ap.h"

static const double least_probability = 0x1p-52;

size_t scarce__likeliest(const double *probability, size_t n_classes)
{
    size_t best = 0;
    for (size_t j = 1; j < n_classes; ++j)
        if (probability[j] > probability[best]) best = j;
    return best;
}

double scarce__class_loss(double probability)
{
    return -scarce__ln(probability > least_probability ? probability : least_probability);
}

void scarce__classes_add(scarce_class_metrics *figures, size_t own, size_t guess, double loss)
{
    figures[own].rows += 1;
    figures[own].log_loss += loss;
    figures[guess].guessed += 1;
    figures[own].hits += own == guess;
}

void scarce__classes_end(scarce_class_metrics *figures, size_t n_classes, double *error, double *log_loss)
{
    double rows = 0, hits = 0, loss = 0;

    for (size_t j = 0; j < n_classes; ++j) {
        scarce_class_metrics *f = &figures[j];
        rows += f->rows;
        hits += f->hits;
        loss += f->log_loss;
        f->precision = f->guessed > 0 ? f->hits / f->guessed : (double)NAN;
        f->recall = f->rows > 0 ? f->hits / f->rows : (double)NAN;
        f->log_loss = f->rows > 0 ? f->log_loss / f->rows : (double)NAN;
        f->ap = (double)NAN;
    }
    *error = rows > 0 ? (rows - hits) / rows : (double)NAN;
    *log_loss = rows > 0 ? loss / rows : (double)NAN;
}

/* Of the probability of class j, over the rows that have a class. */
static scarce_status ap_of(double *out, const uint8_t *class_of, const double *probability, size_t n,
                           size_t n_classes, size_t j, scarce_context *ctx, scarce_error *err)
{
    double *score = scarce__malloc_array(n, sizeof *score);
    uint8_t *label = scarce__malloc_array(n, 1);
    size_t m = 0;
    scarce_status st = SCARCE_ENOMEM;

    for (size_t i = 0; score && label && i < n; ++i) {
        if (class_of[i] == SCARCE_NO_CLASS) continue;
        score[m] = probability[i * n_classes + j];
        label[m++] = class_of[i] == j;
    }
    if (!score || !label) (void)scarce__fail_memory(err, "the probabilities of a class", n * sizeof *score);
    else st = scarce__ap_fast(out, score, label, NULL, m, scarce__context_pool(ctx), err);
    scarce__free(score);
    scarce__free(label);
    return st;
}

scarce_status scarce_metrics_classes(scarce_class_metrics *figures, double *error, double *log_loss,
                                     const uint8_t *class_of, const double *probability, size_t n,
                                     size_t n_classes, scarce_context *ctx, scarce_error *err)
{
    memset(figures, 0, n_classes * sizeof *figures);
    for (size_t i = 0; i < n; ++i) {
        const double *p = probability + i * n_classes;
        if (class_of[i] == SCARCE_NO_CLASS) continue;
        if (class_of[i] >= n_classes)
            return scarce__fail(err, SCARCE_EDATA, "row %zu is of class %d of %zu", i + 1, (int)class_of[i],
                                n_classes);
        scarce__classes_add(figures, class_of[i], scarce__likeliest(p, n_classes),
                            scarce__class_loss(p[class_of[i]]));
    }
    scarce__classes_end(figures, n_classes, error, log_loss);
    for (size_t j = 0; j < n_classes; ++j)
        if (figures[j].rows > 0)
            SCARCE__TRY(ap_of(&figures[j].ap, class_of, probability, n, n_classes, j, ctx, err));
    return SCARCE_OK;
}
