/* SPDX-License-Identifier: Apache-2.0 */
#include "rank/rulebook.h"

#include "core/alloc.h"
#include "core/fail.h"

void scarce__rulebook_free(scarce__rulebook *b)
{
    if (!b) return;
    for (size_t i = 0; b->way && i < b->rules.n; ++i) scarce__free(b->way[i]);
    for (size_t i = 0; b->text && i < b->dag->n_leaves; ++i) scarce__free(b->text[i]);
    scarce__free(b->way);
    scarce__free(b->text);
    scarce__free(b->first);
    scarce__rules_deinit(&b->rules);
    scarce__free(b);
}

/* Text that is fit for terminals and lists; NULL: out of memory. */
static char *finished(scarce__text *t)
{
    scarce__text_clean(t);
    if (!t->failed) return t->bytes;
    scarce__text_deinit(t);
    return NULL;
}

static char *words_of(const scarce__rank_shown *s, const scarce__box *box)
{
    scarce__text t = SCARCE__TEXT_INIT;
    if (box->n == 0 && box->target > 0) scarce__text_add(&t, "otherwise");
    else scarce__add_box(&t, s, box);
    return finished(&t);
}

static char *all_ways(const scarce__rulebook *b, size_t leaf)
{
    scarce__text t = SCARCE__TEXT_INIT;
    for (size_t i = b->first[leaf]; i < b->first[leaf + 1]; ++i) {
        if (i > b->first[leaf]) scarce__text_add(&t, " or ");
        scarce__text_add(&t, b->way[i]);
    }
    if (b->first[leaf] == b->first[leaf + 1]) scarce__text_add(&t, "never"); /* of a damaged file */
    return finished(&t);
}

static int fill(scarce__rulebook *b, const scarce__rank_shown *s)
{
    const size_t leaves = b->dag->n_leaves;
    size_t i = 0;

    b->first = scarce__calloc(leaves + 1, sizeof *b->first);
    b->way = scarce__calloc(b->rules.n, sizeof *b->way);
    b->text = scarce__calloc(leaves, sizeof *b->text);
    if (!b->first || !b->way || !b->text) return 0;
    for (size_t leaf = 0; leaf < leaves; ++leaf) {
        b->first[leaf] = i;
        while (i < b->rules.n && b->rules.boxes[i].target == (int32_t)leaf) ++i;
    }
    b->first[leaves] = i;
    for (i = 0; i < b->rules.n; ++i)
        if (!(b->way[i] = words_of(s, &b->rules.boxes[i]))) return 0;
    for (size_t leaf = 0; leaf < leaves; ++leaf)
        if (!(b->text[leaf] = all_ways(b, leaf))) return 0;
    return 1;
}

scarce_status scarce__rulebook_new(scarce__rulebook **out, const scarce__rank_shown *s, scarce_error *err)
{
    scarce__rulebook *b;
    scarce_status st;

    *out = NULL;
    if (s->rank->n_dags > 1)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "the score is the mean of %zu trees and no rule; scarce distil makes rules of it",
                            s->rank->n_dags);
    b = scarce__calloc(1, sizeof *b);
    if (!b) return scarce__fail_memory(err, "rules", 0);
    b->dag = &s->rank->dags[0];
    st = scarce__rules_of(&b->rules, b->dag, s->schema, 0, 0, err);
    if (st == SCARCE_OK) {
        scarce__rules_order(&b->rules, s->schema);
        scarce__rules_forget_missing(&b->rules, s->schema, s->missing);
        if (!fill(b, s)) st = scarce__fail_memory(err, "rules", 0);
    }
    if (st != SCARCE_OK) {
        scarce__rulebook_free(b);
        return st;
    }
    *out = b;
    return SCARCE_OK;
}

size_t scarce__rulebook_find(const scarce__rulebook *b, const float *row, size_t *box)
{
    const size_t leaf = (size_t)b->dag->nodes[scarce__dag_exit(b->dag, row)].left;
    size_t i = b->first[leaf];
    while (i < b->first[leaf + 1] && !scarce__box_holds(&b->rules.boxes[i], row)) ++i;
    *box = i < b->first[leaf + 1] ? i : b->first[leaf];
    return leaf;
}
