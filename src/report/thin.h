/* SPDX-License-Identifier: Apache-2.0 */
/* Which of very many points are enough for the same picture.
 *
 * A run of neighbours that fall into the same column of pixels is drawn as one upright stroke: its first,
 * lowest, highest and last point give that stroke and its links to both sides. */
#ifndef SCARCE_REPORT_THIN_H
#define SCARCE_REPORT_THIN_H

#include <stddef.h>
#include <stdint.h>

/* x in 0..1 (the width), lo[i] <= hi[i] of each point (a line: the same array twice); NaN in any of them is a
 * gap. Writes the numbers of the points that stay, rising, to keep (room for n) and returns how many: all
 * when n <= 4 * columns, else about 4 * columns at most. Of a series of gaps one stays. When x runs to and
 * fro so much that columns don't help, runs are n / columns neighbours. The first, the last, the lowest lo
 * and the highest hi of all points stay in any case. */
size_t scarce__thin_line(size_t *keep, const double *x, const double *lo, const double *hi, size_t n,
                         size_t columns);

/* For clouds: the first point of each cell of a grid of columns x rows. Places are 0..1; others are gaps and
 * are left out. seen: columns * rows bytes, cleared by the call. Order and extremes stay as above. */
size_t scarce__thin_points(size_t *keep, const double *x, const double *y, size_t n, size_t columns,
                           size_t rows, uint8_t *seen);

#endif
