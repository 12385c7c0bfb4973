/* SPDX-License-Identifier: Apache-2.0 */
/* What the training of tables and the learning of streams share. */
#ifndef SCARCE_METHOD_METHOD_ONLINE_H
#define SCARCE_METHOD_METHOD_ONLINE_H

#include "method/method.h"
#include "online/online.h"

typedef struct scarce__online_params {
    scarce__online_options online;
    int64_t passes;
    int order;
} scarce__online_params;

void scarce__online_meaning(scarce__meaning *out, const scarce__online_options *o);

#endif
