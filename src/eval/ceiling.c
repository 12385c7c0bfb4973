/* SPDX-License-Identifier: Apache-2.0 */
/* The card precision that any list could have at best: that of one which ranks by the labels. */
#include <math.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/options.h"

scarce_status scarce_card_ceiling(double *out, const scarce_scored *in, const scarce_metrics_options *options,
                                  scarce_context *ctx, scarce_error *err)
{
    scarce_metrics_options o = SCARCE_METRICS_OPTIONS_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;
    scarce_scored best = *in;
    double *truth;
    scarce_status st = SCARCE__OPTIONS(&o, options, SCARCE_METRICS_OPTIONS_INIT, err);

    *out = (double)NAN;
    if (st != SCARCE_OK || !in->time || !in->group) return st;
    truth = scarce__malloc_array(in->n + 1, sizeof *truth);
    if (!truth) return scarce__fail_memory(err, "the truth", in->n * sizeof *truth);
    for (size_t i = 0; i < in->n; ++i) truth[i] = in->label[i];
    best.score = truth;
    best.probability = NULL;
    o.alert = NULL;
    o.threshold = (double)NAN;
    o.threshold_on = SCARCE_THRESHOLD_ON_AUTO;
    st = scarce_metrics_compute(&m, &best, &o, ctx, err);
    scarce__free(truth);
    if (st == SCARCE_OK) *out = m.card_precision_at_k;
    return st;
}
