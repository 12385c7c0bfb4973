/* SPDX-License-Identifier: Apache-2.0 */
/* Wilson's interval of a share (E. B. Wilson 1927): the shares p from which k of n is not z standard deviations away,
 *     (k/n + z^2/2n -+ z sqrt(k/n (1 - k/n)/n + z^2/4n^2)) / (1 + z^2/n).
 * Unlike the usual one it is right for few rows and for shares near 0 and 1. */
#include <math.h>

#include <scarce/metrics.h>

#include "eval/special.h"

void scarce_share_interval(double hits, double of, double level, double *lo, double *hi)
{
    *lo = 0;
    *hi = 1;
    if (!(of > 0) || !(level > 0 && level < 1)) return;
    const double z = scarce__normal_quantile(0.5 + level / 2), z2 = z * z, p = hits / of;
    const double middle = (p + z2 / (2 * of)) / (1 + z2 / of);
    const double half = z * sqrt(p * (1 - p) / of + z2 / (4 * of * of)) / (1 + z2 / of);
    *lo = hits <= 0 || middle - half < 0 ? 0 : middle - half;
    *hi = hits >= of || middle + half > 1 ? 1 : middle + half;
}
