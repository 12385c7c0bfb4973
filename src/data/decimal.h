/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people write them: 12,5   1.234,56   1,234.56   1'234.50   12 345,6. */
#ifndef SCARCE_DATA_DECIMAL_H
#define SCARCE_DATA_DECIMAL_H

#include <stddef.h>

/* What the text of a number says of the decimal sign: ',' or '.' when it can be read with that sign only,
 * 0 when it says nothing ("12", "1,234", which may be a thousand, or what is no number). */
char scarce__decimal_evidence(const char *text, size_t n);

enum { SCARCE__DECIMAL_ROOM = 64 };

/* The number in the form that core/number.h reads, into `to`; its length, or 0 when the text isn't a number
 * written with this decimal sign. Groups of thousands are separated by the other sign, an apostrophe, or a
 * blank (also one that doesn't break lines); all have three digits but the first, which doesn't begin with 0.
 * Unless `sure` (the sign is known, not only the default) one group alone ("1,234", "1 234") is no number. */
size_t scarce__decimal_plain(char to[SCARCE__DECIMAL_ROOM], const char *text, size_t n, char decimal,
                             int sure);

#endif
