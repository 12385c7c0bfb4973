/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: their parts, their order, their canonical text.
 *
 * The canonical text has one line a feature, "name = definition", sorted by name. Two files that define the same
 * features in other words, another order or with other comments have the same lines, so a model can tell which of its
 * features were made otherwise. What a line depends on stands in it: types of its fields, the key, the filter, and
 * where it matters (no window in time) the horizon. */
#include "feature/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "expr/lexer.h"

enum { MOST_WINDOWS = 4096 };

const char *scarce__field_type_name(scarce__field_type type)
{
    static const char *const names[SCARCE__FIELD_TYPES] = {"text", "key",  "number", "decimal",
                                                           "int",  "bool", "time",   "label"};
    return names[type];
}

void scarce__feature_plan_free(scarce__feature_plan *plan)
{
    if (!plan) return;
    for (size_t i = 0; i < plan->n_fields; ++i) scarce__free(plan->fields[i].name);
    for (size_t i = 0; i < plan->n_kinds; ++i) {
        scarce__feature_kind *k = &plan->kinds[i];
        for (int f = 0; f < k->n_filters; ++f) {
            scarce__expr_free(k->filters[f].expr);
            scarce__free(k->filters[f].text);
        }
        scarce__free(k->name);
        scarce__free(k->windows);
        scarce__free(k->aggregates);
    }
    for (size_t i = 0; i < plan->n_outs; ++i) {
        scarce__free(plan->outs[i].name);
        scarce__free(plan->outs[i].line);
    }
    for (size_t i = 0; i < plan->n_derived; ++i) scarce__expr_free(plan->derived[i].expr);
    scarce__free(plan->fields);
    scarce__free(plan->kinds);
    scarce__free(plan->outs);
    scarce__free(plan->derived);
    scarce__free(plan->canonical);
    scarce__free(plan);
}

int64_t scarce__feature_scale(int places)
{
    int64_t s = 1;
    while (places-- > 0) s *= 10;
    return s;
}

void scarce__feature_span_text(scarce__text *out, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    size_t i = 0;
    while (seconds % units[i].seconds != 0) ++i;
    scarce__text_addf(out, "%lld%c", (long long)(seconds / units[i].seconds), units[i].unit);
}

/* ---- parts of a kind */

static int same_window(const scarce__feature_window *a, const scarce__feature_window *b)
{
    return a->span == b->span && a->delay == b->delay && a->last == b->last && a->filter == b->filter &&
           a->current == b->current;
}

int scarce__feature_add_window(scarce__feature_kind *kind, const scarce__feature_window *window)
{
    scarce__feature_window *w;
    for (size_t i = 0; i < kind->n_windows; ++i)
        if (same_window(&kind->windows[i], window)) return (int)i;
    if (kind->n_windows == MOST_WINDOWS) return -2;
    w = scarce__realloc_array(kind->windows, kind->n_windows + 1, sizeof *w);
    if (!w) return -1;
    kind->windows = w;
    w[kind->n_windows] = *window;
    return (int)kind->n_windows++;
}

static int add_column(int *list, int *n, int field)
{
    for (int i = 0; i < *n; ++i)
        if (list[i] == field) return i;
    if (*n == SCARCE__FEATURE_COLUMNS) return -2;
    list[*n] = field;
    return (*n)++;
}

int scarce__feature_add_value(scarce__feature_kind *kind, int field)
{
    return add_column(kind->values, &kind->n_values, field);
}

int scarce__feature_add_counted(scarce__feature_kind *kind, int field)
{
    return add_column(kind->counted, &kind->n_counted, field);
}

int scarce__feature_add_measure(scarce__feature_kind *kind, int filter, int field, int squares, int extremes)
{
    const int value = scarce__feature_add_value(kind, field);
    int i = 0;
    if (value < 0) return value;
    while (i < kind->n_measures && (kind->measures[i].filter != filter || kind->measures[i].value != value))
        ++i;
    if (i == SCARCE__FEATURE_MEASURES) return -2;
    if (i == kind->n_measures) {
        const scarce__feature_measure m = {filter, value, 0, 0};
        kind->measures[kind->n_measures++] = m;
    }
    kind->measures[i].squares |= squares;
    kind->measures[i].extremes |= extremes;
    return i;
}

/* ---- settling */

/* By delay; within one the spans ascend, then "all", then last n. */
static int compare_windows(const scarce__feature_window *a, const scarce__feature_window *b)
{
    if (a->delay != b->delay) return a->delay < b->delay ? -1 : 1;
    const int ka = a->last ? 2 : a->span == 0, kb = b->last ? 2 : b->span == 0;
    if (ka != kb) return ka - kb;
    if (a->span != b->span) return a->span < b->span ? -1 : 1;
    if (a->last != b->last) return a->last < b->last ? -1 : 1;
    if (a->filter != b->filter) return a->filter - b->filter;
    return a->current - b->current;
}

/* Few, so an insertion sort; aggregates follow their windows. */
static scarce_status sort_windows(scarce__feature_kind *k, scarce_error *err)
{
    int *place = scarce__calloc(k->n_windows + 1, sizeof *place);
    scarce__feature_window *sorted = scarce__calloc(k->n_windows + 1, sizeof *sorted);
    if (!place || !sorted) {
        scarce__free(place);
        scarce__free(sorted);
        return scarce__fail_memory(err, "the definitions", 0);
    }
    for (size_t i = 0; i < k->n_windows; ++i)
        for (size_t j = 0; j < k->n_windows; ++j)
            place[i] += compare_windows(&k->windows[j], &k->windows[i]) < 0;
    for (size_t i = 0; i < k->n_windows; ++i) sorted[place[i]] = k->windows[i];
    for (size_t i = 0; i < k->n_aggregates; ++i) k->aggregates[i].window = place[k->aggregates[i].window];
    scarce__free(place);
    scarce__free(k->windows);
    k->windows = sorted;
    for (size_t i = 0; i < k->n_windows; ++i) sorted[i].light = 1;
    for (size_t i = 0; i < k->n_aggregates; ++i)
        if (k->aggregates[i].op < SCARCE__AGG_SINCE) sorted[k->aggregates[i].window].light = 0;
    for (size_t i = 1; i < k->n_aggregates; ++i) {
        const scarce__feature_aggregate a = k->aggregates[i];
        size_t j = i;
        for (; j > 0 && k->aggregates[j - 1].window > a.window; --j) k->aggregates[j] = k->aggregates[j - 1];
        k->aggregates[j] = a;
    }
    return SCARCE_OK;
}

/* The longest window with its delay, and what may come late. None where nothing has a window in time. */
static scarce_status settle_horizon(const scarce__feature_plan *plan, scarce__feature_kind *k,
                                    scarce_error *err)
{
    int64_t longest = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < k->n_aggregates; ++i) {
        const scarce__feature_aggregate *a = &k->aggregates[i];
        const scarce__feature_window *w = &k->windows[a->window];
        int64_t reach = w->span ? w->span + w->delay : 0;
        if (a->op == SCARCE__AGG_DECAY) reach = SCARCE__FEATURE_REACH * a->half_life + w->delay;
        if (reach > longest) longest = reach;
        if (w->last > last) last = w->last;
    }
    if (last > k->max_events / 2)
        return scarce__fail(err, SCARCE_EPARSE,
                            "kind %s: over last %u needs max_events of at least %u (it is %u)", k->name, last,
                            2 * last, k->max_events);
    if (plan->time < 0) k->horizon = SCARCE__NO_HORIZON;
    else if (!k->horizon_given && longest > 0) k->horizon = longest + SCARCE__FEATURE_LATENESS;
    else if (k->horizon_given && k->horizon < longest)
        return scarce__fail(err, SCARCE_EPARSE,
                            "kind %s: its horizon is shorter than a window with its delay; make it longer",
                            k->name);
    return SCARCE_OK;
}

static int compare_outs(const void *a, const void *b)
{
    return strcmp((*(const scarce__feature_out *const *)a)->name,
                  (*(const scarce__feature_out *const *)b)->name);
}

/* What isn't bounded by a window of its own is by the horizon. */
static void add_bounds(scarce__text *t, const scarce__feature_plan *plan, size_t out)
{
    const int kind = plan->outs[out].kind;
    if (kind < 0) return;
    const scarce__feature_kind *k = &plan->kinds[kind];
    for (size_t i = 0; i < k->n_aggregates; ++i) {
        if (k->aggregates[i].out != out || k->windows[k->aggregates[i].window].span) continue;
        if (k->horizon == SCARCE__NO_HORIZON || k->aggregates[i].op == SCARCE__AGG_DECAY) continue;
        scarce__text_add(t, " horizon ");
        scarce__feature_span_text(t, k->horizon);
    }
    if (k->max_events == 250000 && k->tile == 3600) return;
    scarce__text_addf(t, " max_events %u tile ", k->max_events);
    scarce__feature_span_text(t, k->tile);
}

static scarce_status write_canonical(scarce__feature_plan *plan, scarce_error *err)
{
    const scarce__feature_out **order = scarce__malloc_array(plan->n_outs, sizeof *order);
    scarce__text t = SCARCE__TEXT_INIT;

    if (!order) return scarce__fail_memory(err, "the definitions", 0);
    for (size_t i = 0; i < plan->n_outs; ++i) order[i] = &plan->outs[i];
    qsort(order, plan->n_outs, sizeof *order, compare_outs);
    for (size_t i = 0; i < plan->n_outs; ++i) {
        scarce__add_name(&t, order[i]->name);
        scarce__text_add(&t, " = ");
        scarce__text_add(&t, order[i]->line);
        add_bounds(&t, plan, (size_t)(order[i] - plan->outs));
        scarce__text_add_char(&t, '\n');
    }
    scarce__free(order);
    if (!t.failed) plan->canonical = scarce__strndup(t.bytes, t.n);
    scarce__text_deinit(&t);
    if (!plan->canonical) return scarce__fail_memory(err, "the definitions", 0);
    const size_t n = strlen(plan->canonical);
    snprintf(plan->digest, sizeof plan->digest, "%016llx%016llx",
             (unsigned long long)scarce__hash_bytes(0x5ca2ce01u, plan->canonical, n),
             (unsigned long long)scarce__hash_bytes(0x5ca2ce02u, plan->canonical, n));
    return SCARCE_OK;
}

scarce_status scarce__feature_settle(scarce__feature_plan *plan, scarce_error *err)
{
    for (size_t i = 0; i < plan->n_kinds; ++i) {
        SCARCE__TRY(sort_windows(&plan->kinds[i], err));
        SCARCE__TRY(settle_horizon(plan, &plan->kinds[i], err));
    }
    return write_canonical(plan, err);
}

/* ---- comparing canonical texts */

static const char *line_end(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* Bytes of the name that a line begins with: up to " = ". */
static size_t name_length(const char *line, const char *end)
{
    for (const char *p = line; p + 3 <= end; ++p)
        if (memcmp(p, " = ", 3) == 0) return (size_t)(p - line);
    return (size_t)(end - line);
}

static const char *find_line(const char *text, const char *name, size_t n)
{
    while (*text) {
        const char *end = line_end(text);
        if (name_length(text, end) == n && memcmp(text, name, n) == 0) return text;
        text = *end ? end + 1 : end;
    }
    return NULL;
}

scarce_status scarce__feature_compare(const char *theirs, const char *ours, scarce__text *differences,
                                      size_t *count)
{
    *count = 0;
    for (const char *line = theirs; *line;) {
        const char *end = line_end(line);
        const size_t n = (size_t)(end - line);
        const char *mine = find_line(ours, line, name_length(line, end));
        if (!mine || (size_t)(line_end(mine) - mine) != n || memcmp(mine, line, n) != 0) {
            ++*count;
            scarce__text_add(differences, "learnt: ");
            scarce__text_add_bytes(differences, line, n);
            scarce__text_add(differences, "\nhere:   ");
            if (mine) scarce__text_add_bytes(differences, mine, (size_t)(line_end(mine) - mine));
            else scarce__text_add(differences, "(not defined)");
            scarce__text_add_char(differences, '\n');
        }
        line = *end ? end + 1 : end;
    }
    return differences->failed ? SCARCE_ENOMEM : SCARCE_OK;
}
