/* SPDX-License-Identifier: Apache-2.0 */
/* A replicate draws rows with replacement, as many of each class as there are, or whole groups; all that
 * matters is how often each row was drawn. It has its own random stream (seed, SCARCE__FOR_BOOTSTRAP,
 * replicate), so that threads can take replicates in any order, and everything computed with one seed tells
 * of the same draws. */
#include "eval/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"

/* Numbers the groups that occur 0, 1, ... in the order of their codes. */
static int number_groups(scarce__draws *d, const int32_t *group, const uint32_t *order)
{
    size_t n_codes = 0;
    uint32_t *number;
    for (size_t i = 0; i < d->n; ++i)
        if ((size_t)group[i] >= n_codes) n_codes = (size_t)group[i] + 1;
    number = scarce__calloc(n_codes, sizeof *number);
    if (!number) return 0;
    for (size_t i = 0; i < d->n; ++i) number[group[i]] = 1;
    for (size_t c = 0; c < n_codes; ++c)
        if (number[c]) number[c] = (uint32_t)d->n_units++;
    for (size_t i = 0; i < d->n; ++i) d->unit[i] = number[group[order[i]]];
    scarce__free(number);
    return 1;
}

int scarce__draws_init(scarce__draws *d, size_t n, const uint8_t *label, const int32_t *group,
                       const uint32_t *order)
{
    size_t pos = 0, neg;

    memset(d, 0, sizeof *d);
    d->n = n;
    d->unit = scarce__malloc_array(n, sizeof *d->unit);
    if (!d->unit) return 0;
    if (group) return number_groups(d, group, order);
    for (size_t i = 0; i < n; ++i) d->n_pos += label[i];
    neg = d->n_pos;
    for (size_t i = 0; i < n; ++i) d->unit[label[i] ? pos++ : neg++] = (uint32_t)i;
    return 1;
}

void scarce__draws_deinit(scarce__draws *d)
{
    scarce__free(d->unit);
    memset(d, 0, sizeof *d);
}

/* n draws among n units: copies[unit] counts them. 53 bits of chance suffice for 2^32 rows. */
static void draw(scarce__random *random, uint32_t *copies, const uint32_t *unit, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t u = (size_t)(scarce__random_unit(random) * (double)n);
        ++copies[unit ? unit[u] : u];
    }
}

void scarce__draws_replicate(const scarce__draws *d, uint64_t seed, size_t r, uint32_t *times,
                             uint32_t *drawn)
{
    scarce__random random = scarce__random_start(seed, SCARCE__FOR_BOOTSTRAP, r);

    if (d->n_units) {
        memset(drawn, 0, d->n_units * sizeof *drawn);
        draw(&random, drawn, NULL, d->n_units);
        for (size_t i = 0; i < d->n; ++i) times[i] = drawn[d->unit[i]];
    } else {
        memset(times, 0, d->n * sizeof *times);
        draw(&random, times, d->unit, d->n_pos);
        draw(&random, times, d->unit + d->n_pos, d->n - d->n_pos);
    }
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;
    if (i + 1 >= n) return sorted[n - 1];
    if (sorted[i] == sorted[i + 1]) return sorted[i]; /* also where both are infinite */
    return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

void scarce__draws_interval(double *lo, double *hi, double *value, size_t n, double level)
{
    size_t defined = 0;
    for (size_t i = 0; i < n; ++i)
        if (!isnan(value[i])) value[defined++] = value[i];
    *lo = *hi = (double)NAN;
    if (defined == 0) return;
    qsort(value, defined, sizeof *value, ascending);
    *lo = quantile(value, defined, (1 - level) / 2);
    *hi = quantile(value, defined, (1 + level) / 2);
}
