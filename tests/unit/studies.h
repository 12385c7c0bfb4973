/* SPDX-License-Identifier: Apache-2.0 */
/* A table to study: 60 days of 20 rows; the label follows the first of two columns. */
#ifndef SCARCE_TEST_STUDIES_H
#define SCARCE_TEST_STUDIES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/random.h"
#include "data/table.h"
#include "test.h"

enum { STUDY_ROWS = 1200, STUDY_GROUPS = 150, DAY = 86400 };
#define STUDY_START 1.5e9

static inline scarce_table *study_table(int with_time, int with_group)
{
    static float x[STUDY_ROWS * 2];
    static uint8_t y[STUDY_ROWS];
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    scarce_table *t = NULL;
    for (int i = 0; i < STUDY_ROWS; ++i) {
        x[2 * i] = (float)scarce__random_normal(&r);
        x[2 * i + 1] = (float)scarce__random_normal(&r);
        y[i] = scarce__random_unit(&r) < 1 / (1 + exp(2.5 - 2 * (double)x[2 * i]));
    }
    CHECK(scarce_table_from_floats(&t, x, STUDY_ROWS, 2, NULL, y, NULL) == SCARCE_OK);
    if (with_time) {
        t->time = scarce__malloc_array(STUDY_ROWS, sizeof(double));
        for (int i = 0; i < STUDY_ROWS; ++i) t->time[i] = STUDY_START + (double)i * DAY / 20;
    }
    if (with_group) {
        t->group = scarce__malloc_array(STUDY_ROWS, sizeof(int32_t));
        for (int i = 0; i < STUDY_ROWS; ++i) t->group[i] = i % STUDY_GROUPS;
        for (int g = 0; g < STUDY_GROUPS; ++g) {
            char name[8];
            snprintf(name, sizeof name, "g%d", g);
            CHECK(scarce__dictionary_add(&t->groups, name, strlen(name)) == (size_t)g);
        }
    }
    return t;
}

#endif
