/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the three forms: names, and the categories of a split. */
#ifndef SCARCE_TREE_SHOW_NAMES_H
#define SCARCE_TREE_SHOW_NAMES_H

#include "tree/show.h"

/* A name; `buffer` is used where it has to be made up. */
const char *scarce__show_feature(const scarce__show_names *names, size_t feature, char buffer[32]);
const char *scarce__show_category(const scarce__show_names *names, size_t feature, size_t code,
                                  char buffer[32]);

/* The smallest code >= from that goes left at a category node, or SIZE_MAX. */
size_t scarce__show_next_left(const scarce__forest *forest, const scarce__node *node,
                              const scarce__show_names *names, size_t from);

/* "a, b, ...": the categories that go left, at most `most`, each added by `add`. */
void scarce__show_lefts(scarce__text *out, const scarce__forest *forest, const scarce__node *node,
                        const scarce__show_names *names, size_t most,
                        void (*add)(scarce__text *out, const char *text));

#endif
