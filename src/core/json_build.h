/* SPDX-License-Identifier: Apache-2.0 */
/* What the two readers (text and UBJ) share: appending values to a document under construction. */
#ifndef SCARCE_CORE_JSON_BUILD_H
#define SCARCE_CORE_JSON_BUILD_H

#include "core/json.h"

struct scarce__json {
    scarce__json_value *values;
    size_t n, capacity;
    char *strings; /* as large as the input: unescaped text is never longer than its source */
    size_t n_strings;
};

/* The open arrays and objects, outermost first. */
typedef struct scarce__json_stack {
    uint32_t at[SCARCE__JSON_DEPTH];
    size_t depth;
} scarce__json_stack;

/* Room for one more value, set to `type` and counted in the innermost open array or object (keys are
 * not counted: pass key = 1). NULL when memory or the 2^31 values are exhausted. */
scarce__json_value *scarce__json_append(scarce__json *json, scarce__json_stack *stack, scarce__json_type type,
                                        int key);
/* Closes the innermost: its span is now known. */
void scarce__json_close(scarce__json *json, scarce__json_stack *stack);

/* The UBJ reader; the caller owns json and frees it on failure. */
scarce_status scarce__json_read_ubj(scarce__json *json, const char *bytes, size_t n, scarce_error *err);

#endif
