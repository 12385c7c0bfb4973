/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, tests and leaves in words. */
#include <math.h>

#include "core/alloc.h"
#include "rank/show.h"

enum { NAMES_SHOWN = 8 };

void scarce__add_percent(scarce__text *out, double share)
{
    const double percent = 100 * share;
    scarce__text_digits(out, percent, 3);
    scarce__text_add(out, " %");
}

static void add_name(scarce__text *out, const scarce__rank_shown *s, uint32_t feature)
{
    scarce__text_add(out, s->schema->features[feature].name);
}

static int is_in(const uint32_t *set, uint32_t words, size_t code)
{
    return code / 32 < words && (set[code / 32] >> (code % 32) & 1);
}

/* Up to eight categories whose bit is `want`. */
static void add_names(scarce__text *out, const scarce__rank_shown *s, const scarce__condition *c, int want)
{
    const scarce__dictionary *d = &s->schema->features[c->feature].categories;
    size_t shown = 0, all = 0;

    for (size_t k = 0; k < d->count; ++k) all += is_in(c->set, c->words, k) == want;
    scarce__text_add(out, "{");
    for (size_t k = 0; k < d->count && shown < NAMES_SHOWN; ++k) {
        if (is_in(c->set, c->words, k) != want) continue;
        if (shown++) scarce__text_add(out, ", ");
        scarce__text_add(out, scarce__dictionary_text(d, k));
    }
    if (all > shown) scarce__text_addf(out, ", ... %zu more", all - shown);
    scarce__text_add(out, "}");
}

static void add_range(scarce__text *out, const scarce__rank_shown *s, const scarce__condition *c)
{
    if (c->low > -INFINITY && c->high < INFINITY) {
        scarce__text_float(out, c->low);
        scarce__text_add(out, " < ");
        add_name(out, s, c->feature);
        scarce__text_add(out, " <= ");
        scarce__text_float(out, c->high);
        return;
    }
    add_name(out, s, c->feature);
    scarce__text_add(out, c->high < INFINITY ? " <= " : " > ");
    scarce__text_float(out, c->high < INFINITY ? c->high : c->low);
}

static size_t count_in(const scarce__condition *c)
{
    size_t n = 0;
    for (size_t k = 0; k < c->categories; ++k) n += (size_t)is_in(c->set, c->words, k);
    return n;
}

/* Whether values that are there pass: none, some, or all of them. */
typedef enum passing { PASS_NONE, PASS_SOME, PASS_ALL } passing;

static passing passing_of(const scarce__condition *c)
{
    if (!c->category)
        return c->low >= c->high                            ? PASS_NONE
               : c->low == -INFINITY && c->high == INFINITY ? PASS_ALL
                                                            : PASS_SOME;
    const size_t n = count_in(c);
    if (n == 0 && !c->other) return PASS_NONE;
    return n == c->categories && c->other ? PASS_ALL : PASS_SOME;
}

int scarce__add_condition(scarce__text *out, const scarce__rank_shown *s, const scarce__condition *c)
{
    const passing values = passing_of(c);
    const int lacked = !s->missing || s->missing[c->feature] > 0;

    if (values == PASS_NONE) {
        add_name(out, s, c->feature);
        scarce__text_add(out, " missing");
        return 1;
    }
    if (values == PASS_ALL) {
        if (!lacked) return 0;
        add_name(out, s, c->feature);
        scarce__text_add(out, " not missing");
        return 1;
    }
    const int open = c->missing && lacked;
    if (open) scarce__text_add(out, "(");
    if (!c->category) add_range(out, s, c);
    else {
        add_name(out, s, c->feature);
        scarce__text_add(out, c->other ? " not in " : " in ");
        add_names(out, s, c, !c->other);
    }
    if (open) scarce__text_add(out, " or missing)");
    return 1;
}

void scarce__add_box(scarce__text *out, const scarce__rank_shown *s, const scarce__box *box)
{
    int said = 0;
    for (size_t k = 0; k < box->n; ++k) {
        scarce__text one = SCARCE__TEXT_INIT;
        if (scarce__add_condition(&one, s, &box->conditions[k]) && !one.failed) {
            if (said++) scarce__text_add(out, " and ");
            scarce__text_add_bytes(out, one.bytes, one.n);
        }
        if (one.failed) out->failed = 1;
        scarce__text_deinit(&one);
    }
    if (!said) scarce__text_add(out, "any");
}

void scarce__add_test(scarce__text *out, const scarce__rank_shown *s, const scarce__dag *dag,
                      const scarce__node *node)
{
    const scarce__feature *f = &s->schema->features[node->feature];
    scarce__condition c = {.feature = (uint32_t)node->feature,
                           .missing = (node->flags & SCARCE__MISSING_LEFT) != 0,
                           .low = -INFINITY,
                           .high = node->value};
    if (!(node->flags & SCARCE__CATEGORY)) {
        if (c.high == INFINITY) { /* missing rows alone go right */
            add_name(out, s, c.feature);
            scarce__text_add(out, " not missing");
            return;
        }
        (void)scarce__add_condition(out, s, &c);
        return;
    }
    c.category = 1;
    c.other = (node->flags & SCARCE__OTHER_LEFT) != 0;
    c.categories = (uint32_t)f->categories.count;
    c.words = (c.categories + 31) / 32;
    c.set = scarce__malloc_array(c.words, sizeof *c.set);
    if (!c.set) {
        out->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < c.words; ++i)
        c.set[i] = i < node->set_words ? dag->sets[node->set + i] : c.other ? UINT32_MAX : 0;
    if (!scarce__add_condition(out, s, &c)) add_name(out, s, c.feature);
    scarce__free(c.set);
}

scarce__rank_totals scarce__dag_totals(const scarce__dag *dag)
{
    scarce__rank_totals t = {0, 0, 0, 0};
    for (size_t i = 0; i < dag->n_leaves; ++i) {
        t.weight += dag->leaves[i].weight;
        t.positive += dag->leaves[i].positive;
        t.rows += dag->leaves[i].rows;
        t.positives += dag->leaves[i].positives;
    }
    return t;
}

void scarce__add_leaf(scarce__text *out, const scarce__dag *dag, size_t leaf, double so_far)
{
    const scarce__rank_leaf *l = &dag->leaves[leaf];
    const scarce__rank_totals all = scarce__dag_totals(dag);

    scarce__text_addf(out, "#%zu score ", leaf + 1);
    scarce__text_digits(out, l->score, 4);
    scarce__text_addf(out, ": %llu of %llu row%s positive (", (unsigned long long)l->positives,
                      (unsigned long long)l->rows, l->rows == 1 ? "" : "s");
    scarce__add_percent(out, l->weight > 0 ? l->positive / l->weight : 0);
    scarce__text_add(out, "), ");
    scarce__add_percent(out, all.positive > 0 ? l->positive / all.positive : 0);
    scarce__text_add(out, " of the positives, ");
    scarce__add_percent(out, all.positive > 0 ? (so_far + l->positive) / all.positive : 0);
    scarce__text_add(out, " so far");
}
