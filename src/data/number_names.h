/* SPDX-License-Identifier: Apache-2.0 */
/* Categories that are numbers: 5 is the category "5", or where a file wrote "5.0" or "+5", that one. */
#ifndef SCARCE_DATA_NUMBER_NAMES_H
#define SCARCE_DATA_NUMBER_NAMES_H

#include "data/table.h"

/* The shortest texts of those categories that are numbers written in another way, and their codes. */
typedef struct scarce__number_names {
    scarce__dictionary texts;
    int32_t *code;
} scarce__number_names;

/* To be deinitialised in any case. Costs about a microsecond for each category that is a number. */
scarce_status scarce__number_names_init(scarce__number_names *names, const scarce__dictionary *categories,
                                        scarce_error *err);
void scarce__number_names_deinit(scarce__number_names *names);

/* The code of a number by its shortest text: as it stands, else written in another way; the number of
 * categories when it is none. */
size_t scarce__number_names_code(const scarce__number_names *names, const scarce__dictionary *categories,
                                 const char *text, size_t length);

/* The shortest text of a number, 0 for both zeros; returns its length. Never allocates. */
enum { SCARCE__NUMBER_TEXT = 64 };
size_t scarce__number_text(char text[SCARCE__NUMBER_TEXT], double value);

#endif
