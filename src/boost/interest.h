/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing negatives by how much they matter, in steps that rows in several places can take apart from each other.
 *
 * With s_i the interest of row i (loss.h) times the weight it already carries, m = mean s, v_i = s_i + floor m, the
 * probability of a negative is p_i = pmax min(1, v_i / mu), where mu solves sum_i p_i = n wanted. Positives have
 * p = 1.
 *
 *     count     each place counts the s of its negatives in cells; cells are added up (any order: integers)
 *     solve     floor m and mu from the cells, once
 *     toss      each place tosses the coin hash(key, id) < p_i of each of its rows
 *
 * So which rows are drawn depends on (key, id, what the rows are), not on where they lie. Many rows are counted by every
 * 16th id. */
#ifndef SCARCE_BOOST_INTEREST_H
#define SCARCE_BOOST_INTEREST_H

#include <stddef.h>
#include <stdint.h>

#include "boost/loss.h"
#include "core/random.h"

enum { SCARCE__INTEREST_CELLS = 1 << 13, SCARCE__INTEREST_THIN = 16 };

typedef struct scarce__interest {
    uint64_t count[SCARCE__INTEREST_CELLS];
    uint64_t sum[SCARCE__INTEREST_CELLS]; /* of mantissas: all values of a cell have one exponent */
} scarce__interest;

/* One row in how many is counted, of so many. */
static inline unsigned scarce__interest_thin(uint64_t n_rows)
{
    return n_rows < (uint64_t)64 * SCARCE__INTEREST_THIN ? 1 : SCARCE__INTEREST_THIN;
}

/* Adds the negatives among n rows: s[i] their interest, id[i] (NULL: first + i) their numbers. */
void scarce__interest_count(scarce__interest *to, const float *s, const uint8_t *label, const uint64_t *id,
                            uint64_t first, size_t n, uint64_t key, unsigned thin);

typedef struct scarce__interest_rule {
    float add, mu; /* v = s + add; p = most min(1, v / mu) */
    float most;    /* of a negative */
    uint64_t key;
} scarce__interest_rule;

/* wanted: negatives on average. */
void scarce__interest_solve(scarce__interest_rule *rule, const scarce__interest *cells, double wanted,
                            double floor, unsigned thin);

/* s becomes the probability of each of n rows; take[i]: its coin says so. There is room for 8 more in `take`. */
void scarce__interest_toss(const scarce__interest_rule *rule, float *s, const uint8_t *label,
                           const uint64_t *id, uint64_t first, size_t n, uint8_t *take, int portable);

#endif
