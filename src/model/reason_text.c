/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons in words: "amount 493.41 is high: +2.57", "country BR: +0.80", "age is missing: +0.31". */
#include <math.h>

#include <scarce/explain.h>

#include "core/text.h"

void scarce_reason_value(char out[64], const scarce_schema *schema, size_t feature, float value)
{
    if (isnan(value)) scarce__print(out, 64, "missing");
    else if (scarce_schema_kind(schema, feature) != SCARCE_COLUMN_CATEGORY)
        scarce__print(out, 64, "%.6g", (double)value);
    else
        scarce__print(out, 64, "%.60s",
                      value < (float)scarce_schema_categories(schema, feature)
                          ? scarce_schema_category(schema, feature, (size_t)value)
                          : "(unknown)");
}

void scarce_reason_text(char out[SCARCE_REASON_TEXT], const scarce_schema *schema,
                        const scarce_spread *spread, const scarce_reason *why, float value)
{
    const char *how = "";
    char shown[64];

    scarce_reason_value(shown, schema, why->feature, value);
    if (!isnan(value) && spread && scarce_schema_kind(schema, why->feature) != SCARCE_COLUMN_CATEGORY) {
        const double below = scarce_spread_below(spread, why->feature, value);
        if (below >= 0.75) how = " is high";
        else if (below <= 0.25) how = " is low";
    }
    scarce__print(out, SCARCE_REASON_TEXT,
                  fabs(why->contribution) < 0.005 ? "%.300s%s%s%s: %+.1g" : "%.300s%s%s%s: %+.2f",
                  scarce_schema_name(schema, why->feature), isnan(value) ? " is " : " ", shown, how,
                  why->contribution);
}

size_t scarce_reasons_raising(const double *contribution, size_t n_features, size_t n, scarce_reason *out)
{
    size_t at, kept = 0;

    if (n == 0) return 0;
    for (size_t f = 0; f < n_features; ++f) { /* insertion, as n is small */
        if (!(contribution[f] > 0)) continue;
        if (kept == n && !(contribution[f] > out[n - 1].contribution)) continue;
        at = kept < n ? kept++ : n - 1;
        for (; at > 0 && contribution[f] > out[at - 1].contribution; --at) out[at] = out[at - 1];
        out[at] = (scarce_reason){f, contribution[f]};
    }
    return kept;
}
