/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a non-linear boosting model: trees, and the layer of representations they feed (boost/latent.h). */
#ifndef SCARCE_MODEL_LATENT_BODY_H
#define SCARCE_MODEL_LATENT_BODY_H

#include "boost/latent.h"
#include "model/model.h"

typedef struct scarce__latent_body {
    scarce__forest forest;
    scarce__latent layer;
} scarce__latent_body;

extern const scarce__kind scarce__kind_latent;

/* layer.importance: the mean of |a_p max(0, z_p)| over the rows of a table, evenly spaced chunks of it where
 * there are very many. */
scarce_status scarce__latent_importance(scarce__latent_body *body, const scarce_table *table,
                                        scarce_context *ctx, scarce_error *err);

#endif
