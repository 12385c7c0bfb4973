/* SPDX-License-Identifier: Apache-2.0 */
/* What a trained model will mean, in sentences: alerts a day, how many of them are right, how many positives they
 * find; and whether the share of positives has changed since. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

enum { DAY = 86400 };

/* Days from the first row to the last, at least one; 0: there is no time, or it isn't seconds. */
static double days_of(const scarce_table *table)
{
    const double *time = scarce_table_time(table);
    const size_t n = scarce_table_rows(table);
    double first, last;

    if (!time || n == 0) return 0;
    first = last = time[0];
    for (size_t i = 1; i < n; ++i) {
        first = time[i] < first ? time[i] : first;
        last = time[i] > last ? time[i] : last;
    }
    return last - first >= DAY ? (last - first) / DAY : 0;
}

void tell_meaning(const scarce_metrics *m, const scarce_table *judged, const char *which)
{
    const double alerts = m->tp + m->fp, positives = m->tp + m->fn, days = days_of(judged);
    double lo, hi;
    char rate[64];

    if (!(positives > 0)) return;
    if (!(alerts > 0)) {
        say("threshold: no alert on the %s rows, so none of their %.0f positives is found", which, positives);
        return;
    }
    scarce_share_interval(m->tp, positives, 0.95, &lo, &hi);
    if (days > 0) snprintf(rate, sizeof rate, "about %.3g alerts a day", alerts / days);
    else
        snprintf(rate, sizeof rate, "about %.3g alerts per 1,000 rows",
                 1000 * alerts / (double)scarce_table_rows(judged));
    say("threshold: %s, %.0f %% of them right, %.0f %% of the positives found (95 %%: %.0f-%.0f %%), by the "
        "%s rows",
        rate, 100 * m->tp / alerts, 100 * m->tp / positives, 100 * lo, 100 * hi, which);
}

/* Two shares that differ by more than chance and by half again. */
void tell_drift(const scarce_table *train, const scarce_table *valid)
{
    const double p1 = (double)scarce_table_positives(train), n1 = (double)scarce_table_rows(train),
                 p2 = (double)scarce_table_positives(valid), n2 = (double)scarce_table_rows(valid),
                 q = (p1 + p2) / (n1 + n2), error = sqrt(q * (1 - q) * (1 / n1 + 1 / n2));
    const double a = p1 / n1, b = p2 / n2, ratio = a > b ? a / b : b / a;

    if (fabs(a - b) < 3 * error || !(ratio > 1.5)) return;
    say("the share of positives drifts: %.3g %% of the training rows, %.3g %% of the validation rows; later "
        "probabilities will be off by as much (score --prevalence SHARE puts them right where it is known)",
        100 * a, 100 * b);
}
