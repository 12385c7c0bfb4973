/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCARCE_EXPLAIN_SHAP_X86_H
#define SCARCE_EXPLAIN_SHAP_X86_H

#include "core/simd.h"
#include "explain/shap_inside.h"

#if SCARCE__HAVE_AVX2
extern const scarce__shap_kernels scarce__shap_avx2, scarce__shap_avx512;
#endif

#endif
