/* SPDX-License-Identifier: Apache-2.0 */
/* The time column: dates in the orders people write them, and numbers that are times. */
#ifndef SCARCE_DATA_TIMES_H
#define SCARCE_DATA_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/table.h>

/* What a date shows of the order of its day and month. */
typedef enum scarce__date_shows {
    SCARCE__DATE_CLEAR = 1,   /* year first, or the month by name, or day = month */
    SCARCE__DATE_DAY = 2,     /* the first number is above 12: day first */
    SCARCE__DATE_MONTH = 4,   /* the second number is: month first */
    SCARCE__DATE_UNCLEAR = 8, /* could be either */
    SCARCE__DATE_DOTTED = 16  /* the same with dots, as it is written day first only */
} scarce__date_shows;

/* 1 and seconds since 1970 for
 *     2018-04-01  2018/04/01  2018.04.01  01/04/2018  1.4.2018  01-04-18  01-Apr-18  1 April 2018  Apr 1, 2018
 * each with an optional time behind a blank or T: hh:mm[:ss[.fff]][ am| pm][Z|(+|-)hh[:]mm].
 * `order` settles what comes first where the date doesn't; SCARCE_DATE_AUTO is day first unless that is
 * impossible. *shows may be NULL. */
int scarce__parse_date_order(const char *text, size_t length, scarce_date_order order, double *seconds,
                             int *shows);

/* A number in the given unit to seconds since 1970 (or since whatever it counts from). 0: not a date of that
 * form. */
int scarce__time_of_number(double value, scarce_time_format format, double *seconds);

/* Whether numbers of this format become others: milliseconds, yyyymmdd, ... */
static inline int scarce__time_converts(scarce_time_format format)
{
    return format != SCARCE_TIME_NUMBER && format != SCARCE_TIME_SECONDS;
}

/* Whether a number could be a time: after 1980 and before 2050 (card numbers begin with 4, which would be 2096) as
 * seconds, their thousandths, ..., or yyyymmdd, yyyymmddhhmmss. */
int scarce__time_like(double value);

/* What n numbers can only be: milliseconds, ..., yyyymmdd; SCARCE_TIME_SECONDS when they all lie after 1980
 * and before 2100 as seconds; else SCARCE_TIME_NUMBER. NaN is passed over. */
scarce_time_format scarce__time_format_of(const double *values, size_t n);

/* The calendar day of a number of days since 1970. */
void scarce__day_of(int64_t days, int *year, int *month, int *day);

/* "2018-04-01" or "2018-04-01 12:30:00"; room for 32 bytes. */
void scarce__format_time(char *text, double seconds, int with_clock);

/* "30d", "12h", "90" (s, m, h, d, w; without a letter as it is): 1, or 0 when it is none. */
int scarce__parse_length(const char *text, size_t n, double *out);

#endif
