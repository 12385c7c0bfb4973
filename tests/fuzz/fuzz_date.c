/* SPDX-License-Identifier: Apache-2.0 */
/* Dates against timegm: what is taken must be a time of those digits. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "data/csv.h"
#include "fuzz.h"

static void check(const char *text, size_t n, double seconds)
{
    struct tm tm;
    int year, month, day, used = 0;
    MUST(n >= 10 && sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) == 3 && used == 10);
    memset(&tm, 0, sizeof tm);
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    tm.tm_mday = day;
    const time_t begin = timegm(&tm);
    MUST(tm.tm_year == year - 1900 && tm.tm_mon == month - 1 && tm.tm_mday == day); /* no 30th of February */
    if (n == 10) {
        MUST(seconds == (double)begin);
        return;
    }
    int hour = 0, minute = 0, second = 0;
    MUST(sscanf(text + 11, "%2d:%2d:%2d", &hour, &minute, &second) >= 2 && hour <= 24 && minute <= 59 &&
         second <= 60);
    const double local = (double)begin + 3600 * hour + 60 * minute + second;
    const char *zone = memchr(text + 11, '+', n - 11);
    if (!zone) zone = memchr(text + 11, '-', n - 11);
    if (zone) MUST(fabs(seconds - local) < 86401);
    else MUST(seconds >= local && seconds <= local + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = calloc(size ? size : 1, 1), *text = calloc(size + 1, 1);
    double seconds = NAN;
    MUST(exact && text);
    if (size) memcpy(exact, data, size);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    if (scarce__parse_date(exact, size, &seconds)) check(text, size, seconds);
    else MUST(isnan(seconds));
    free(exact);
    free(text);
    return 0;
}
