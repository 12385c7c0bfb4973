/* SPDX-License-Identifier: Apache-2.0 */
/* The walks once more, with AVX2 and with AVX-512. */
#include "explain/shap_x86.h"

#if SCARCE__HAVE_AVX2
#include "explain/shap_kernel.h"

#define SCARCE__AVX512 __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl,avx512dq")))

SCARCE__AVX2 static void tile_avx2(const scarce__shap *shap, const scarce__shap_tree *tree,
                                   const scarce__shap_work *work, size_t at)
{
    tile_body(shap, tree, work, at);
}

SCARCE__AVX2 static void one_avx2(const scarce__shap *shap, const scarce__shap_tree *tree, const float *row,
                                  double *sums, double *work, uint32_t *state)
{
    one_body(shap, tree, row, sums, work, state);
}

SCARCE__AVX512 static void tile_avx512(const scarce__shap *shap, const scarce__shap_tree *tree,
                                       const scarce__shap_work *work, size_t at)
{
    tile_body(shap, tree, work, at);
}

const scarce__shap_kernels scarce__shap_avx2 = {tile_avx2, one_avx2};
const scarce__shap_kernels scarce__shap_avx512 = {tile_avx512, one_avx2};

#else
typedef int scarce__shap_x86_is_empty;
#endif
