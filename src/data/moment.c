/* SPDX-License-Identifier: Apache-2.0 */
/* Moments and lengths of time as people write them. Times are seconds since 1970 where they look like it
 * (1973 to 5138), else numbers of an unknown unit, which stay as they are. */
#include <math.h>
#include <string.h>

#include <scarce/table.h>

#include "core/number.h"
#include "core/text.h"
#include "data/times.h"

int scarce_time_is_seconds(double from, double end)
{
    return from >= 1e8 && end <= 1e11;
}

/* Howard Hinnant's days_to_civil: proleptic Gregorian, any year. */
static void civil(long long days, long long *year, int *month, int *day)
{
    const long long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    const long long doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const long long doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;

    *day = (int)(doy - (153 * mp + 2) / 5 + 1);
    *month = (int)(mp < 10 ? mp + 3 : mp - 9);
    *year = yoe + era * 400 + (*month <= 2);
}

static void date_text(char *out, size_t size, double seconds)
{
    long long year;
    int month, day;

    civil((long long)floor(seconds / 86400), &year, &month, &day);
    scarce__print(out, size, "%04lld-%02d-%02d", year, month, day);
}

void scarce_time_span(char *out, size_t size, double from, double end)
{
    char a[32], b[32];

    if (!scarce_time_is_seconds(from, end)) {
        scarce__print(out, size, "%.10g to %.10g", from, end);
        return;
    }
    date_text(a, sizeof a, from);
    date_text(b, sizeof b, nextafter(end, -INFINITY)); /* the last day that is in it */
    scarce__print(out, size, "%s to %s", a, b);
}

int scarce__parse_length(const char *text, size_t n, double *out)
{
    static const char units[] = "smhdw";
    static const double seconds[] = {1, 60, 3600, 86400, 604800};
    const char *unit = n > 0 ? memchr(units, text[n - 1], sizeof units - 1) : NULL;
    if (scarce__parse_double(text, unit ? n - 1 : n, out) != 1 || !(*out >= 0) || !isfinite(*out)) return 0;
    *out *= unit ? seconds[unit - units] : 1;
    return 1;
}

int scarce_time_length(const char *text, double *out)
{
    return scarce__parse_length(text, strlen(text), out);
}
