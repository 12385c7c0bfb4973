/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as an expression: it gives one line with its place, or a program that runs on any record within its cost,
 * twice with the same result, and whose prefix of `used` bytes is the same program. First byte: the wanted type. */
#include <string.h>

#include "../unit/expr_fields.h"
#include "fuzz.h"

static void fill(scarce__value *record, int which)
{
    static const char text[] = "DE";
    for (size_t i = 0; i < N_FIELDS; ++i) {
        record[i] = scarce__value_missing();
        if (which == 0 || (which == 2 && i % 2)) continue;
        const int truth = expr_fields[i].type == SCARCE__BOOLEAN || expr_fields[i].type == SCARCE__FLAG;
        record[i] = expr_fields[i].type == SCARCE__WORD ? scarce__value_text(text, 2)
                    : truth                             ? scarce__value_number((double)(i % 2))
                            : scarce__value_number(which == 1 ? 1 : (double)i * 1e9);
    }
}

static int same(scarce__value a, scarce__value b, scarce__type type)
{
    if (!a.known || !b.known) return a.known == b.known;
    if (type == SCARCE__WORD) return scarce__value_compare_text(&a, &b) == 0;
    return a.as.number == b.as.number;
}

static void run(const scarce__expr *e)
{
    const scarce__type type = scarce__expr_type(e);
    size_t n;
    const uint32_t *used = scarce__expr_symbols(e, &n);

    MUST(scarce__expr_cost(e) > 0 && scarce__expr_cost(e) <= SCARCE__EXPR_LONGEST);
    for (size_t i = 0; i < n; ++i) MUST(used[i] < N_FIELDS && (i == 0 || used[i - 1] < used[i]));
    MUST(type >= SCARCE__BOOLEAN && type <= SCARCE__SPAN);
    for (int which = 0; which < 4; ++which) {
        scarce__value record[N_FIELDS];
        scarce__text out = SCARCE__TEXT_INIT;
        fill(record, which);
        const scarce__value v = scarce__expr_run(e, record);
        MUST(same(v, scarce__expr_run(e, record), type));
        if (v.known && type != SCARCE__WORD) MUST(v.as.number - v.as.number == 0);
        if (v.known && type == SCARCE__BOOLEAN) MUST(v.as.number == 0 || v.as.number == 1);
        scarce__value_add(&out, &v, type, which - 1);
        MUST(!out.failed);
        scarce__text_deinit(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const scarce__type wanted = (scarce__type)(fuzz_take(&data, &size) % 6);
    expr_lists lists;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__expr_place place = {0, 0, "", ""};
    scarce__expr *e = NULL, *again = NULL;
    scarce__expr_source s;
    size_t used = 0;

    MUST(expr_lists_init(&lists, NULL) == SCARCE_OK);
    s = expr_source_of("", &lists);
    s.text = (const char *)data;
    s.length = size;
    s.wanted = wanted;
    s.place = &place;
    const scarce_status st = scarce__expr_compile(&e, &s, &err);
    MUST(st == SCARCE_OK || (st == SCARCE_EPARSE && !e && err.text[0] && place.line > 0 && place.column > 0));
    if (e) run(e);
    s.used = &used;
    s.place = NULL;
    if (scarce__expr_compile(&again, &s, NULL) == SCARCE_OK) {
        MUST(used <= size);
        if (e) MUST(scarce__expr_cost(e) == scarce__expr_cost(again));
        run(again);
    } else {
        MUST(!e);
    }
    scarce__expr_free(e);
    scarce__expr_free(again);
    e = NULL;
    s.used = NULL;
    s.any_name = 1;
    (void)scarce__expr_compile(&e, &s, NULL); /* names of any type: nothing is run */
    scarce__expr_free(e);
    expr_lists_deinit(&lists);
    return 0;
}
