/* SPDX-License-Identifier: Apache-2.0 */
/* Judges scores that are already in arrays, whichever tool made them. */
#include <math.h>
#include <stdio.h>

#include <scarce/metrics.h>

int main(void)
{
    static const double score[] = {0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
    static const uint8_t label[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scored rows = SCARCE_SCORED_INIT;
    scarce_metrics m = SCARCE_METRICS_INIT;

    rows.n = sizeof label;
    rows.score = score;
    rows.label = label;
    if (scarce_metrics_compute(&m, &rows, NULL, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("ap %.4f  auc_roc %.4f  precision in the top %g: %.2f\n", m.ap, m.auc_roc, m.k, m.precision_at_k);
    for (size_t i = 0; i < scarce_metric_count(); ++i) /* or all of them, by name */
        if (!isnan(scarce_metric_value(&m, i)))
            printf("%-24s %g\n", scarce_metric_name(i), scarce_metric_value(&m, i));
    return 0;
}
