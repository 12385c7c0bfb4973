/* SPDX-License-Identifier: Apache-2.0 */
/* The body of an encoded model: an encoder, and a model of another kind for what it makes. */
#ifndef SCARCE_MODEL_ENCODED_H
#define SCARCE_MODEL_ENCODED_H

#include "encode/encode.h"
#include "model/model.h"

typedef struct scarce__encoded {
    scarce__encoder *encoder;
    const scarce__kind *kind;
    void *body;
} scarce__encoded;

/* The body that a training would go on from: that of the model, or of the model inside. */
const void *scarce__model_inside(const scarce_model *model, const scarce__kind **kind);

#endif
