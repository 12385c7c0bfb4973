/* SPDX-License-Identifier: Apache-2.0 */
/* Feature values as text, many millions of them. */
#ifndef SCARCE_FEATURE_PRINT_H
#define SCARCE_FEATURE_PRINT_H

#include <stddef.h>

enum { SCARCE__NUMBER_ROOM = 96 };

/* A text that reads back as the same double, and as the float that (float)value is, with `decimal` as its decimal sign;
 * nothing for NaN. Its length. */
size_t scarce__print_value(char out[SCARCE__NUMBER_ROOM], double value, char decimal);

#endif
