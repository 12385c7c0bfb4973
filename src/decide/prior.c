/* SPDX-License-Identifier: Apache-2.0 */
/* Prior correction is a shift of the log-odds: logit p = logit p' + ln[q/(1-q)] - ln[q'/(1-q')], so it
 * composes with every link and is undone by the opposite sign. Cost thresholds stand here too: they are
 * the other closed formulas between a probability and a decision. */
#include <math.h>

#include "core/elementary.h"
#include "decide/calibrate.h"

double scarce__prior_shift(double q_train, double q_true)
{
    if (!(q_train > 0 && q_train < 1 && q_true > 0 && q_true < 1)) return NAN;
    return (scarce__ln(q_true) - scarce__log1p(-q_true)) - (scarce__ln(q_train) - scarce__log1p(-q_train));
}

double scarce__odds_shift(double odds_factor)
{
    return odds_factor > 0 && odds_factor < HUGE_VAL ? -scarce__ln(odds_factor) : NAN;
}

/* p f / (p f + 1 - p), in the form that keeps 0, 1 and small p exact. */
static double scale_odds(double p, double f)
{
    if (!(p >= 0 && p <= 1 && f > 0 && f < HUGE_VAL)) return NAN;
    return f <= 1 ? p * f / (p * f + (1 - p)) : p / (p + (1 - p) / f);
}

double scarce_prior_correct(double probability, double q_train, double q_true)
{
    return scale_odds(probability, scarce__exp(scarce__prior_shift(q_train, q_true)));
}

double scarce_prior_undo(double probability, double odds_factor)
{
    return odds_factor > 0 ? scale_odds(probability, 1 / odds_factor) : NAN;
}

double scarce_cost_threshold(double alarm, double miss, double quiet, double hit)
{
    const double of_alarm = alarm - quiet, of_miss = miss - hit;
    if (!(of_alarm >= 0 && of_miss >= 0 && of_alarm + of_miss > 0)) return NAN;
    return of_alarm / (of_alarm + of_miss);
}

/* From this probability on a row of unknown amount is an alert. */
static const double unknown_amount = 0.5;

double scarce_amount_threshold(double check, double amount)
{
    if (isnan(amount)) return unknown_amount;
    return amount > 0 ? check / amount : HUGE_VAL;
}

int scarce__amount_pays(double probability, double check, double amount)
{
    return isnan(amount) ? probability > unknown_amount : amount > 0 && probability * amount > check;
}
