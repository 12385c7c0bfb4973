/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCARCE_SIMULATE_TOY_H
#define SCARCE_SIMULATE_TOY_H

#include <scarce/simulate.h>

enum { TOY_SQUARE = 0, TOY_LINE = 1 };

typedef struct scarce__toy_options {
    int variant;
    int64_t rows;
    double rate;
} scarce__toy_options;

scarce_status scarce__toy_write(const scarce__toy_options *o, const char *path, const scarce_context *ctx,
                                scarce_simulate_summary *summary, scarce_error *err);

#endif
