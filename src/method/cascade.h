/* SPDX-License-Identifier: Apache-2.0 */
/* Members one after the other, each on the negatives that are left (see cascade.c). */
#ifndef SCARCE_METHOD_CASCADE_H
#define SCARCE_METHOD_CASCADE_H

#include "method/members.h"

/* Trains all members and sets their shifts. `classes` are those of all rows; the members draw from what is left. */
scarce_status scarce__cascade_train(scarce__members *m, const scarce__classes *classes, scarce_error *err);

#endif
