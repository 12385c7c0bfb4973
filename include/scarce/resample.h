/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with another class ratio: rows removed, repeated or made up.
 *
 *     scarce_table *balanced = NULL;
 *     scarce_resample_info info = SCARCE_RESAMPLE_INFO_INIT;
 *     scarce_resample(&balanced, NULL, &info, table, "random-under:ratio=0.1", ctx, &err);
 *
 * Only training data should be resampled. A model trained on the result thinks positives are more
 * frequent than they are: its odds are too large by info.odds_factor, which a prior correction divides
 * out (decide.h). That is exact for methods that choose among the rows of a class at random: random-under and
 * random-over. After any other no formula gives probabilities back, and a calibrator on rows that were not
 * resampled has to. */
#ifndef SCARCE_RESAMPLE_H
#define SCARCE_RESAMPLE_H

#include <scarce/base.h>
#include <scarce/method.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a run did to the class ratio. */
typedef struct scarce_resample_info {
    size_t struct_size;
    double odds_factor; /* (positives / negatives) after, divided by the same before */
    int factor_holds; /* 1: rows were chosen at random within their class, so correcting by the factor is right */
} scarce_resample_info;

#define SCARCE_RESAMPLE_INFO_INIT SCARCE_INIT(sizeof(scarce_resample_info), 1, 1)

/* Makes a new table as `spec` says: "random-under", "smote:k=5:ratio=0.5", "enn", ... Features, roles and schema
 * are kept. (To train on the result, scarce_params_set_resample is simpler, and does it inside folds.)
 *
 * Rows: originals come first, in their order and as they were; then copies and made-up rows, which have label,
 * group, time, weight and amount of the row they come from. *synthetic_out (nullable) gets one byte per row of the
 * result, 1 for copies and made-up rows; free it with scarce_resample_flags_free. `info` (nullable) is filled on
 * success. Positives are the class that is kept, repeated and made up, whether they are rare or not.
 *
 * Methods other than random-under and random-over ask for nearest rows (docs/resampling.md says by which distance
 * and what each removes or makes): time about rows x positives x features; smote positives^2 x features.
 *
 * EINVAL: unknown method (the text names the nearest) or setting. EDATA: no label, a class without rows, or data to
 * which the method can't be applied, the text saying why and what to use instead: one positive, nothing at the
 * border, no row left of a class. ECANCEL when progress says so. Same seed, same rows, whatever the number of
 * threads and the machine. */
SCARCE_API scarce_status scarce_resample(scarce_table **out, uint8_t **synthetic_out,
                                         scarce_resample_info *info, const scarce_table *table,
                                         const char *spec, scarce_context *ctx, scarce_error *err);
/* The same in place: *table becomes the result, without a second table in memory. On ENOMEM, and when the second of
 * two steps fails (smote-enn), the table is freed and NULL; on other errors it is as it was. */
SCARCE_API scarce_status scarce_resample_take(scarce_table **table, uint8_t **synthetic_out,
                                              scarce_resample_info *info, const char *spec,
                                              scarce_context *ctx, scarce_error *err);
/* Which row of the table each row of the result would be, without making it: *rows_out has *n items, those that
 * stay first, then copies; free it with scarce_resample_rows_free. For callers who hold the data in a form of their
 * own. EUNSUPPORTED for methods that make rows up. */
SCARCE_API scarce_status scarce_resample_rows(uint32_t **rows_out, size_t *n, scarce_resample_info *info,
                                              const scarce_table *table, const char *spec,
                                              scarce_context *ctx, scarce_error *err);
SCARCE_API void scarce_resample_rows_free(uint32_t *rows); /* takes NULL */
/* EINVAL when a specification can't be meant: unknown method or setting, value out of range. */
SCARCE_API scarce_status scarce_resample_check(const char *spec, scarce_error *err);
SCARCE_API void scarce_resample_flags_free(uint8_t *synthetic);

/* ---- Which methods there are, and their settings. */

typedef struct scarce_resample_method {
    const char *name;
    const char *summary;
    size_t n_params;
} scarce_resample_method;

SCARCE_API size_t scarce_resample_count(void);
/* SIZE_MAX when there is none of that name. */
SCARCE_API size_t scarce_resample_find(const char *name);
SCARCE_API scarce_resample_method scarce_resample_get(size_t method);
SCARCE_API scarce_param_info scarce_resample_param(size_t method, size_t param);

#ifdef __cplusplus
}
#endif
#endif
