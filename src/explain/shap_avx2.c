/* SPDX-License-Identifier: Apache-2.0 */
/* The walks once more, with AVX2. */
#include "explain/shap_x86.h"

#if SCARCE__HAVE_AVX2
#define LANES 4
#include "explain/shap_kernel.h"

SCARCE__AVX2 static void tile(const scarce__shap *shap, const scarce__shap_tree *tree,
                              const scarce__shap_work *work, size_t at)
{
    tile_body(shap, tree, work, at);
}

SCARCE__AVX2 static void one(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row,
                             double *sums, double *work, uint32_t *state)
{
    one_body(shap, tree, row, sums, work, state);
}

const scarce__shap_kernels scarce__shap_avx2 = {tile, one};

#else
typedef int scarce__shap_avx2_is_empty;
#endif
