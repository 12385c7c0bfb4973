/* SPDX-License-Identifier: Apache-2.0 */
/* A record: the texts of its fields, and what they mean. The one place where texts become numbers, for tables, logs
 * and services alike.
 *
 * Numbers become whole ones at the scale of their field: "12.345" of decimal(2) is 1235 (halves away from zero), read
 * from the decimal digits, so that no double lies between. Times are whole seconds, fractions cut off downwards. */
#ifndef SCARCE_FEATURE_RECORD_H
#define SCARCE_FEATURE_RECORD_H

#include "feature/plan.h"

typedef struct scarce__record {
    int64_t numbers[SCARCE__FEATURE_FIELDS]; /* of number, decimal, int, bool; SCARCE__NO_VALUE: missing */
    uint64_t hashes[SCARCE__FEATURE_FIELDS]; /* of what is counted; 0: missing */
    int64_t t;
    int label;             /* 1, 0; -1: not known */
    scarce__value *values; /* of all fields, then of all features: what expressions see */
} scarce__record;

scarce_status scarce__record_init(scarce__record *r, const scarce__feature_plan *plan, scarce_error *err);
void scarce__record_deinit(scarce__record *r);

/* What a record may say in another way than the definition expects. */
typedef struct scarce__record_texts {
    const char *const *texts; /* by field; NULL or "": missing */
    const size_t *lengths;    /* NULL: they end with a NUL */
    const double *time; /* seconds, where a reader has settled that already; NULL: the text of the field */
    char decimal;       /* the decimal sign */
} scarce__record_texts;

/* EDATA with the name of the field and the value. The texts must outlive the record's use. */
scarce_status scarce__record_parse(scarce__record *r, const scarce__feature_plan *plan,
                                   const scarce__record_texts *from, scarce_error *err);

/* Hash of the key of a kind; 0 when a part of it is missing. */
int scarce__record_key(const scarce__record *r, const scarce__feature_plan *plan, size_t kind,
                       uint64_t key[2]);
/* Bit f: it passes filter f of the kind. */
uint32_t scarce__record_filters(const scarce__record *r, const scarce__feature_plan *plan, size_t kind);
/* Fills in the features that are expressions; out holds the others. */
void scarce__record_derive(scarce__record *r, const scarce__feature_plan *plan, double *out);

uint64_t scarce__id_hash(const char *text, size_t n);

/* 1, and the number times 10^places in *out, rounded; 0: not a number; 2: too large (2^62 and more); 3: it has more
 * decimals, which were not all 0. */
int scarce__parse_scaled(const char *text, size_t n, char decimal, int places, int64_t *out);

#endif
