/* SPDX-License-Identifier: Apache-2.0 */
/* The record that the tests of expressions write about. */
#ifndef SCARCE_TEST_EXPR_FIELDS_H
#define SCARCE_TEST_EXPR_FIELDS_H

#include "expr/expr.h"

enum { N_FIELDS = 13, N_LISTS = 2 };

static const scarce__expr_symbol expr_fields[N_FIELDS] = {
    {"amount", SCARCE__NUMBER},   {"mean", SCARCE__NUMBER},  {"count", SCARCE__NUMBER},
    {"country", SCARCE__WORD},    {"home", SCARCE__WORD},    {"is_ecom", SCARCE__BOOLEAN},
    {"pin", SCARCE__BOOLEAN},     {"weekend", SCARCE__FLAG}, {"time", SCARCE__TIME},
    {"last", SCARCE__TIME},       {"wait", SCARCE__SPAN},    {"Amount EUR", SCARCE__NUMBER},
    {"card.mean", SCARCE__NUMBER}};

typedef struct expr_lists {
    scarce__set *risky, *ids;
    scarce__expr_list lists[N_LISTS];
} expr_lists;

/* risky: {"DE", "FR"}, ids: {1, 2, 2.5}. */
static inline scarce_status expr_lists_init(expr_lists *l, scarce_error *err)
{
    static const char *const texts[] = {"DE", "FR"};
    static const double numbers[] = {1, 2, 2.5};
    scarce_status st;

    memset(l, 0, sizeof *l);
    st = scarce__set_new(&l->risky, SCARCE__WORD, err);
    if (st == SCARCE_OK) st = scarce__set_new(&l->ids, SCARCE__NUMBER, err);
    for (int i = 0; st == SCARCE_OK && i < 2; ++i)
        st = scarce__set_add(l->risky, scarce__value_text(texts[i], strlen(texts[i])), err);
    for (int i = 0; st == SCARCE_OK && i < 3; ++i)
        st = scarce__set_add(l->ids, scarce__value_number(numbers[i]), err);
    l->lists[0].name = "risky_countries";
    l->lists[0].set = l->risky;
    l->lists[1].name = "ids";
    l->lists[1].set = l->ids;
    return st;
}

static inline void expr_lists_deinit(expr_lists *l)
{
    scarce__set_free(l->risky);
    scarce__set_free(l->ids);
}

static inline scarce__expr_source expr_source_of(const char *text, const expr_lists *l)
{
    scarce__expr_source s;
    memset(&s, 0, sizeof s);
    s.text = text;
    s.length = strlen(text);
    s.symbols = expr_fields;
    s.n_symbols = N_FIELDS;
    s.lists = l->lists;
    s.n_lists = N_LISTS;
    return s;
}

#endif
