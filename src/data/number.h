/* SPDX-License-Identifier: Apache-2.0 */
/* Moved to core/number.h: parameters and JSON need numbers too. */
#ifndef SCARCE_DATA_NUMBER_H
#define SCARCE_DATA_NUMBER_H
#include "core/number.h"
#endif
