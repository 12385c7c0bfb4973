/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions. Names that CEL has (size, startsWith, endsWith, contains, getHours, getDayOfWeek, getDate,
 * lowerAscii, duration, timestamp, has) mean the same there; each may be written f(x, y) or, as in CEL, x.f(y). */
#include "expr/code.h"

#define OP(name) SCARCE__OP_##name

static const scarce__function functions[] = {
    {"abs", "abs(x)", "size without sign", "m", 'm', OP(ABS)},
    {"ceil", "ceil(x)", "next whole number above", "n", 'n', OP(CEIL)},
    {"coalesce", "coalesce(x, y, ...)", "the first that is not missing", "", 'o', SCARCE__N_OPS},
    {"contains", "contains(text, part)", "whether the part occurs in the text", "ww", 'b', OP(CONTAINS)},
    {"day", "day(time)", "day of the month, 1 to 31 (UTC)", "t", 'n', OP(DAY)},
    {"duration", "duration(\"1h30m\")", "a span of time: w d h m s ms us ns", "", 's', SCARCE__N_OPS},
    {"endsWith", "endsWith(text, end)", "whether the text ends so", "ww", 'b', OP(ENDS)},
    {"exp", "exp(x)", "e to the power x", "n", 'n', OP(EXP)},
    {"floor", "floor(x)", "next whole number below", "n", 'n', OP(FLOOR)},
    {"getDate", "getDate(time)", "CEL's name of day(time)", "t", 'n', OP(DAY)},
    {"getDayOfWeek", "getDayOfWeek(time)", "as in CEL: 0 is Sunday, 6 Saturday (UTC)", "t", 'n',
     OP(CEL_WEEKDAY)},
    {"getHours", "getHours(time)", "CEL's name of hour(time)", "t", 'n', OP(HOUR)},
    {"has", "has(field)", "whether the field has a value", "", 'b', SCARCE__N_OPS},
    {"haversine", "haversine(lat, lon, lat, lon)", "kilometres between two places in degrees", "nnnn", 'n',
     OP(HAVERSINE)},
    {"hour", "hour(time)", "hour of the day, 0 to 23 (UTC)", "t", 'n', OP(HOUR)},
    {"log", "log(x)", "natural logarithm; missing unless x > 0", "n", 'n', OP(LOG)},
    {"lower", "lower(text)", "A to Z as a to z", "w", 'w', OP(LOWER)},
    {"lowerAscii", "lowerAscii(text)", "CEL's name of lower(text)", "w", 'w', OP(LOWER)},
    {"max", "max(x, y, ...)", "the largest; missing when one is", "oo*", 'o', OP(MAX)},
    {"min", "min(x, y, ...)", "the smallest; missing when one is", "oo*", 'o', OP(MIN)},
    {"round", "round(x)", "nearest whole number, halves away from 0", "n", 'n', OP(ROUND)},
    {"round", "round(x, places)", "the same with 0 to 9 places behind the point", "nn", 'n', OP(ROUND_TO)},
    {"seconds", "seconds(span)", "a span as a number of seconds", "s", 'n', OP(SAME)},
    {"size", "size(text)", "number of characters", "w", 'n', OP(SIZE)},
    {"sqrt", "sqrt(x)", "square root; missing below 0", "n", 'n', OP(SQRT)},
    {"startsWith", "startsWith(text, begin)", "whether the text begins so", "ww", 'b', OP(STARTS)},
    {"timestamp", "timestamp(\"2026-11-16T00:00:00Z\")", "a moment, in UTC unless it has an offset", "", 't',
     SCARCE__N_OPS},
    {"weekday", "weekday(time)", "1 is Monday, 7 Sunday (UTC)", "t", 'n', OP(WEEKDAY)},
};

enum { N = sizeof functions / sizeof functions[0] };

const scarce__function *scarce__function_find(const char *name, size_t length)
{
    for (size_t i = 0; i < N; ++i)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
            return &functions[i];
    return NULL;
}

const scarce__function *scarce__function_next(const scarce__function *f)
{
    return f + 1 < functions + N && strcmp(f->name, f[1].name) == 0 ? f + 1 : NULL;
}

const char *scarce__expr_function(size_t i)
{
    return i < N ? functions[i].name : NULL;
}

const char *scarce__expr_function_use(size_t i)
{
    return i < N ? functions[i].use : NULL;
}

const char *scarce__expr_function_help(size_t i)
{
    return i < N ? functions[i].help : NULL;
}
