/* SPDX-License-Identifier: Apache-2.0 */
/* smote-enn and smote-tomek: SMOTE, then a cleaning of both classes on the result (Batista et al. 2004). Two recipes,
 * one after the other. */
#include <stddef.h>

#include "sample/neighbourhood.h"
#include "sample/synthesis.h"

typedef struct smote_enn_options {
    scarce__smote_options smote;
    scarce__enn_options enn; /* its scale is that of smote */
} smote_enn_options;

static const scarce__param smote_enn_params[] = {
    {"enn_k", "", SCARCE__INT, offsetof(smote_enn_options, enn.k), "3", 1, 1000, NULL,
     "neighbours that are asked when cleaning", NULL, NULL},
    SCARCE__KIND_PARAM(smote_enn_options, enn.mode),
    SCARCE__CLEAN_PARAM(smote_enn_options, enn.both, "both"),
};

static scarce_status then_enn(scarce__recipe *out, const scarce_table *t, const void *options,
                              scarce_context *ctx, scarce_error *err)
{
    const smote_enn_options *o = options;
    scarce__enn_options enn = o->enn;
    enn.scale = o->smote.scale;
    return scarce__run_enn(out, t, &enn, ctx, err);
}

static const scarce__param_part smote_enn_parts[] = {{scarce__smote_params, SCARCE__N_SMOTE_PARAMS, 0},
                                                     SCARCE__PART(smote_enn_params, 0)};
const scarce__resampler scarce__resample_smote_enn = {
    "smote-enn",
    "SMOTE, then enn on both classes of the result.",
    {smote_enn_parts, 2, sizeof(smote_enn_options)},
    scarce__run_smote,
    then_enn,
};

typedef struct smote_tomek_options {
    scarce__smote_options smote;
    scarce__tomek_options tomek;
} smote_tomek_options;

static const scarce__param smote_tomek_params[] = {
    SCARCE__CLEAN_PARAM(smote_tomek_options, tomek.both, "both"),
};

static scarce_status then_tomek(scarce__recipe *out, const scarce_table *t, const void *options,
                                scarce_context *ctx, scarce_error *err)
{
    const smote_tomek_options *o = options;
    scarce__tomek_options tomek = o->tomek;
    tomek.scale = o->smote.scale;
    return scarce__run_tomek(out, t, &tomek, ctx, err);
}

static const scarce__param_part smote_tomek_parts[] = {{scarce__smote_params, SCARCE__N_SMOTE_PARAMS, 0},
                                                       SCARCE__PART(smote_tomek_params, 0)};
const scarce__resampler scarce__resample_smote_tomek = {
    "smote-tomek",
    "SMOTE, then both rows of every Tomek link of the result are removed.",
    {smote_tomek_parts, 2, sizeof(smote_tomek_options)},
    scarce__run_smote,
    then_tomek,
};
