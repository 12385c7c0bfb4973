/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of scarce_features: all kinds, and where the record of an id is. */
#ifndef SCARCE_FEATURE_ENGINE_H
#define SCARCE_FEATURE_ENGINE_H

#include <scarce/features.h>

#include "core/bytes.h"
#include "feature/ids.h"
#include "feature/kind.h"
#include "feature/record.h"

struct scarce_definitions {
    scarce__feature_plan *plan;
};

struct scarce_features {
    const scarce__feature_plan *plan;
    scarce__kind_state *kinds;
    scarce__kind_record *records; /* per kind, of the record at hand */
    scarce__record record;
    scarce__ids ids;
    int started;
    int64_t base, at; /* at: since the base */
    uint64_t seq;     /* records */
    uint64_t position;
};

/* A number that two plans share when their states have the same shape. */
uint64_t scarce__feature_layout(const scarce__feature_plan *plan);
/* The longest horizon. */
int64_t scarce__feature_horizon(const scarce__feature_plan *plan);

/* snapshot.c */
scarce_status scarce__features_write(const scarce_features *f, scarce__writer *w, scarce_error *err);
scarce_status scarce__features_read(scarce_features **out, const scarce_definitions *d, const void *bytes,
                                    size_t n, const char *name, scarce_error *err);

#endif
