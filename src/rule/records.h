/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCARCE_RULE_RECORDS_H
#define SCARCE_RULE_RECORDS_H

#include "data/table.h"
#include "rule/ruleset.h"

typedef enum scarce__record_kind {
    SCARCE__RECORD_NUMBER,
    SCARCE__RECORD_TEXT,
    SCARCE__RECORD_TRUTH, /* a category whose texts are true and false */
    SCARCE__RECORD_SPARSE,
    SCARCE__RECORD_TIME,
    SCARCE__RECORD_AMOUNT,
    SCARCE__RECORD_GROUP
} scarce__record_kind;

typedef struct scarce__record_column {
    scarce__record_kind kind;
    size_t feature;
    uint32_t *lengths; /* of a category: bytes of its texts */
} scarce__record_column;

struct scarce_records {
    const scarce_table *table;
    scarce__record_column *columns;
    scarce_record_field *fields;
    size_t n;
};

#endif
