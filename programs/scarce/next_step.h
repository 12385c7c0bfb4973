/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEXT_STEP_H
#define NEXT_STEP_H

#include "program.h"

/* The commands to paste after doctor looked at the data, a line each, each with its newline; freed by free. NULL
 * when there is nothing to train on, or the data came from standard input; *failed: out of memory. */
char *next_step(const scarce_doctor *d, const scarce_table *table, const text_list *paths,
                const data_options *data, int *failed);

#endif
