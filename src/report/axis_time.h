/* SPDX-License-Identifier: Apache-2.0 */
/* Ticks of a time axis: seconds since 1970 in UTC, Gregorian calendar. */
#ifndef SCARCE_REPORT_AXIS_TIME_H
#define SCARCE_REPORT_AXIS_TIME_H

#include "report/axis.h"

/* Fills ticks and labels between out->lo and out->hi (both below 1e11 in size): the finest step of the
 * calendar that needs no more than `intervals`. */
void scarce__axis_time(scarce__axis *out, size_t intervals);

#endif
