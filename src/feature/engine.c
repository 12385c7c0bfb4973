/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions and engines for callers: one record in, its features out. */
#include "feature/engine.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/files.h"
#include "core/hash.h"
#include "core/options.h"

enum { MOST_TEXT = 1 << 22 };

/* ---- definitions */

scarce_status scarce_definitions_read(scarce_definitions **out, const char *text, size_t n, const char *name,
                                      scarce_error *err)
{
    scarce_definitions *d;
    *out = NULL;
    d = scarce__calloc(1, sizeof *d);
    if (!d) return scarce__fail_memory(err, "the definitions", 0);
    const scarce_status st = scarce__feature_define(&d->plan, text, n, name ? name : "definitions", err);
    if (st == SCARCE_OK) *out = d;
    else scarce__free(d);
    return st;
}

scarce_status scarce_definitions_load(scarce_definitions **out, const char *path, scarce_error *err)
{
    scarce__text text = SCARCE__TEXT_INIT;
    *out = NULL;
    scarce_status st = scarce__read_text_file(&text, path, MOST_TEXT, err);
    if (st == SCARCE_OK) st = scarce_definitions_read(out, text.bytes ? text.bytes : "", text.n, path, err);
    scarce__text_deinit(&text);
    return st;
}

void scarce_definitions_free(scarce_definitions *d)
{
    if (!d) return;
    scarce__feature_plan_free(d->plan);
    scarce__free(d);
}

size_t scarce_definitions_fields(const scarce_definitions *d)
{
    return d->plan->n_fields;
}

scarce_definitions_field scarce_definitions_get_field(const scarce_definitions *d, size_t i)
{
    scarce_definitions_field info = {NULL, NULL, 0, 0, 0, 0, 0};
    if (i >= d->plan->n_fields) return info;
    const scarce__feature_field *f = &d->plan->fields[i];
    info.name = f->name;
    info.type = scarce__field_type_name(f->type);
    info.places = f->places;
    info.optional = f->optional;
    info.id = f->id;
    info.secret = f->secret;
    info.used = f->used;
    return info;
}

size_t scarce_definitions_count(const scarce_definitions *d)
{
    return d->plan->n_outs;
}

const char *scarce_definitions_name(const scarce_definitions *d, size_t i)
{
    return i < d->plan->n_outs ? d->plan->outs[i].name : NULL;
}

const char *scarce_definitions_text(const scarce_definitions *d)
{
    return d->plan->canonical;
}

const char *scarce_definitions_digest(const scarce_definitions *d)
{
    return d->plan->digest;
}

void scarce_features_text_free(char *text)
{
    scarce__free(text);
}

scarce_status scarce_definitions_check(const scarce_definitions *d, const char *text, char **differences,
                                       scarce_error *err)
{
    scarce__text t = SCARCE__TEXT_INIT;
    size_t n = 0;
    scarce_status st = SCARCE_OK;

    if (differences) *differences = NULL;
    if (scarce__feature_compare(text, d->plan->canonical, &t, &n) != SCARCE_OK) {
        scarce__text_deinit(&t);
        return scarce__fail_memory(err, "the definitions", 0);
    }
    if (n > 0) {
        const char *line = strchr(t.bytes, '\n'), *end = line ? strchr(line + 1, '\n') : NULL;
        const int was = line ? (int)(line - t.bytes - 8) : 0, is = end ? (int)(end - line - 9) : 0;
        char more[64] = "";
        if (n > 1) snprintf(more, sizeof more, "; %zu more differ", n - 1);
        st = scarce__fail(
            err, SCARCE_EDATA, "other definitions than the model's: it learnt \"%.*s\", here is \"%.*s\"%s",
            was < 160 ? was : 160, t.bytes + 8, is < 160 ? is : 160, line ? line + 9 : "", more);
        if (differences) {
            *differences = scarce__strndup(t.bytes, t.n);
            if (!*differences) st = scarce__fail_memory(err, "the definitions", 0);
        }
    }
    scarce__text_deinit(&t);
    return st;
}

int64_t scarce__feature_horizon(const scarce__feature_plan *plan)
{
    int64_t longest = 0;
    for (size_t i = 0; i < plan->n_kinds; ++i)
        if (plan->kinds[i].horizon > longest) longest = plan->kinds[i].horizon;
    return plan->n_kinds ? longest : SCARCE__NO_HORIZON;
}

uint64_t scarce__feature_layout(const scarce__feature_plan *plan)
{
    uint64_t h = 0x1a7007u;
    for (size_t i = 0; i < plan->n_kinds; ++i) {
        const scarce__feature_kind *k = &plan->kinds[i];
        for (int v = 0; v < k->n_values; ++v) h = scarce__hash_text(h ^ 1, plan->fields[k->values[v]].name);
        for (int v = 0; v < k->n_counted; ++v) h = scarce__hash_text(h ^ 2, plan->fields[k->counted[v]].name);
        for (int v = 0; v < k->n_keys; ++v) h = scarce__hash_text(h ^ 3, plan->fields[k->keys[v]].name);
        for (int v = 1; v < k->n_filters; ++v) h = scarce__hash_text(h ^ 4, k->filters[v].text);
        for (int v = 0; v < k->n_measures; ++v)
            h = scarce__hash_bytes(h ^ 5, &k->measures[v], sizeof k->measures[v]);
        h = scarce__hash_bytes(h ^ 6, &k->horizon, sizeof k->horizon);
        h = scarce__hash_bytes(h ^ 7, &k->max_events, sizeof k->max_events);
        h = scarce__hash_bytes(h ^ 8, &k->tile, sizeof k->tile);
        h = scarce__hash_bytes(h ^ 9, &k->labels, sizeof k->labels);
    }
    return scarce__mix64(h ^ (uint64_t)(plan->id >= 0) << 1 ^ plan->n_kinds);
}

/* ---- engines */

scarce_status scarce_features_new(scarce_features **out, const scarce_definitions *definitions,
                                  scarce_error *err)
{
    const scarce__feature_plan *plan = definitions->plan;
    scarce_features *f;
    scarce_status st;

    *out = NULL;
    f = scarce__calloc(1, sizeof *f);
    if (!f) return scarce__fail_memory(err, "features", 0);
    f->plan = plan;
    f->kinds = scarce__calloc(plan->n_kinds, sizeof *f->kinds);
    f->records = scarce__calloc(plan->n_kinds, sizeof *f->records);
    st = f->kinds && f->records ? scarce__record_init(&f->record, plan, err)
                                : scarce__fail_memory(err, "features", 0);
    for (size_t i = 0; i < plan->n_kinds && st == SCARCE_OK; ++i) {
        st = scarce__kind_state_init(&f->kinds[i], &plan->kinds[i], 0, err);
        f->records[i].numbers = f->record.numbers;
        f->records[i].hashes = f->record.hashes;
        f->ids.n_slots += (size_t)plan->kinds[i].labels;
    }
    if (st == SCARCE_OK) *out = f;
    else scarce_features_free(f);
    return st;
}

void scarce_features_free(scarce_features *f)
{
    if (!f) return;
    for (size_t i = 0; f->kinds && i < f->plan->n_kinds; ++i)
        if (f->kinds[i].shape.kind) scarce__kind_state_deinit(&f->kinds[i]);
    scarce__free(f->kinds);
    scarce__free(f->records);
    scarce__record_deinit(&f->record);
    scarce__ids_deinit(&f->ids);
    scarce__free(f);
}

static int64_t id_limit(const scarce_features *f, int64_t at)
{
    const int64_t horizon = scarce__feature_horizon(f->plan);
    return horizon == SCARCE__NO_HORIZON ? INT64_MIN : at - horizon;
}

/* The moment of arrival since the base, and whether the time fits to it. */
static scarce_status arrive(const scarce_features *f, int64_t base, int64_t given, int64_t *at,
                            scarce_error *err)
{
    const int64_t t = f->record.t - base;
    int64_t now = given == SCARCE_FEATURES_NOW ? t : given - base;
    if (f->started && now < f->at) now = f->at;
    if (t - now > SCARCE__FEATURE_AHEAD)
        return scarce__fail(
            err, SCARCE_EDATA,
            "%s: %lld is %lld seconds after its arrival; a clock is wrong (at most %d are allowed)",
            f->plan->fields[f->plan->time].name, (long long)f->record.t, (long long)(t - now),
            SCARCE__FEATURE_AHEAD);
    if (t >= INT32_MAX || t <= INT32_MIN || now >= INT32_MAX)
        return scarce__fail(err, SCARCE_EDATA, "%s: %lld is more than 68 years from the first record",
                            f->plan->time >= 0 ? f->plan->fields[f->plan->time].name : "time",
                            (long long)f->record.t);
    *at = now;
    return SCARCE_OK;
}

/* The record as the kinds see it; what they know of its keys is on its way from memory afterwards. */
static void make_records(scarce_features *f, int64_t base)
{
    for (size_t i = 0; i < f->plan->n_kinds; ++i) {
        scarce__kind_record *r = &f->records[i];
        r->t = f->record.t - base;
        r->has_key = f->plan->kinds[i].n_aggregates > 0 && scarce__record_key(&f->record, f->plan, i, r->key);
        r->filters = scarce__record_filters(&f->record, f->plan, i);
        r->tag = (uint32_t)f->seq;
        r->label = SCARCE__LABEL_OPEN;
        f->kinds[i].shape.base = base;
    }
    for (int step = 0; step < SCARCE__FETCHES; ++step)
        for (size_t i = 0; i < f->plan->n_kinds; ++i) scarce__kind_fetch(&f->kinds[i], &f->records[i], step);
}

static scarce_status ask(scarce_features *f, int64_t at, double *values, scarce_error *err)
{
    for (size_t i = 0; i < f->plan->n_kinds; ++i) {
        scarce__kind_record *r = &f->records[i];
        r->at = at;
        if (!scarce__kind_ask(&f->kinds[i], r, values)) return scarce__fail_memory(err, "features", 0);
    }
    scarce__record_derive(&f->record, f->plan, values);
    return SCARCE_OK;
}

static scarce_status insert(scarce_features *f, uint64_t id, int64_t base, int64_t at, int *what,
                            scarce_error *err)
{
    const scarce__feature_plan *plan = f->plan;
    size_t entry = 0, slot = 0;

    for (size_t i = 0; i < plan->n_kinds; ++i)
        if (!scarce__kind_reserve(&f->kinds[i], &f->records[i]))
            return scarce__fail_memory(err, "features", 0);
    if (id) {
        if (!scarce__ids_reserve(&f->ids, 1)) return scarce__fail_memory(err, "features", 0);
        entry = scarce__ids_add(&f->ids, id, f->record.t - base, (uint32_t)f->seq);
    }
    for (size_t i = 0; i < plan->n_kinds; ++i) {
        const scarce__kind_record *r = &f->records[i];
        const uint64_t late = f->kinds[i].late;
        scarce__kind_insert(&f->kinds[i], r);
        if (f->kinds[i].late != late) *what |= SCARCE_FEATURES_LATE;
        if (!id || !plan->kinds[i].labels) continue;
        if (r->has_key && f->kinds[i].late == late)
            f->ids.slots[entry * f->ids.n_slots + slot] = (uint32_t)scarce__kind_find(&f->kinds[i], r->key);
        ++slot;
    }
    if (id) scarce__ids_sweep(&f->ids, id_limit(f, at));
    f->started = 1;
    f->base = base;
    f->at = at;
    ++f->seq;
    ++f->position;
    return SCARCE_OK;
}

static scarce_status check_arrival(int64_t at, scarce_error *err)
{
    if (at == SCARCE_FEATURES_NOW || (at <= 1000000000000000 && at >= -1000000000000000)) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EINVAL, "an arrival of %lld is no time in seconds", (long long)at);
}

scarce_status scarce_features_put(scarce_features *f, const char *const *fields, int64_t at, double *values,
                                  int *what, scarce_error *err)
{
    const scarce__record_texts texts = {fields, NULL, NULL, '.'};
    uint64_t id = 0;
    int set = 0;

    if (what) *what = 0;
    if (f->plan->time < 0) at = SCARCE_FEATURES_NOW; /* an order alone: all are of one moment */
    SCARCE__TRY(check_arrival(at, err));
    SCARCE__TRY(scarce__record_parse(&f->record, f->plan, &texts, err));
    const int64_t base = f->started ? f->base : at == SCARCE_FEATURES_NOW ? f->record.t : at;
    SCARCE__TRY(arrive(f, base, at, &at, err));
    if (f->plan->id >= 0 && f->record.values[f->plan->id].known) {
        const char *text = fields[f->plan->id];
        id = scarce__id_hash(text, strlen(text));
        scarce__ids_fetch(&f->ids, id);
    }
    make_records(f, base);
    if (id && scarce__ids_find(&f->ids, id, id_limit(f, at)) != SIZE_MAX) {
        set |= SCARCE_FEATURES_DUPLICATE;
        at = f->at; /* no record, so no arrival either */
    }
    SCARCE__TRY(ask(f, at, values, err));
    if (!(set & SCARCE_FEATURES_DUPLICATE)) SCARCE__TRY(insert(f, id, base, at, &set, err));
    else ++f->position;
    if (what) *what = set;
    return SCARCE_OK;
}

scarce_status scarce_features_label(scarce_features *f, const char *id, int label, int64_t at, int *found,
                                    scarce_error *err)
{
    const scarce__feature_plan *plan = f->plan;

    if (found) *found = 0;
    if (plan->id < 0)
        return scarce__fail(err, SCARCE_EINVAL, "labels need a field that is marked id (field tx text id)");
    SCARCE__TRY(check_arrival(at, err));
    if (label != 0 && label != 1) return scarce__fail(err, SCARCE_EINVAL, "label %d, expected 0 or 1", label);
    ++f->position;
    if (plan->time >= 0 && at != SCARCE_FEATURES_NOW && f->started && at - f->base > f->at &&
        at - f->base < INT32_MAX)
        f->at = at - f->base;
    const size_t entry = scarce__ids_find(&f->ids, scarce__id_hash(id, strlen(id)), id_limit(f, f->at));
    if (entry == SIZE_MAX) return SCARCE_OK;
    if (found) *found = 1;
    for (size_t i = 0, slot = 0; i < plan->n_kinds; ++i) {
        if (!plan->kinds[i].labels) continue;
        const uint32_t history = f->ids.slots[entry * f->ids.n_slots + slot++];
        const scarce__id_entry *e = &f->ids.entries[entry];
        if (history == UINT32_MAX || e->time <= scarce__kind_limit(&f->kinds[i], f->at)) continue;
        scarce__history_label(&f->kinds[i].shape, scarce__kind_history(&f->kinds[i], history), e->time,
                              e->tag, label ? SCARCE__LABEL_FRAUD : SCARCE__LABEL_GENUINE);
    }
    return SCARCE_OK;
}

uint64_t scarce_features_position(const scarce_features *f)
{
    return f->position;
}

scarce_status scarce_features_measure(const scarce_features *f, scarce_features_size *out, scarce_error *err)
{
    scarce_features_size size = SCARCE_FEATURES_SIZE_INIT;
    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_FEATURES_SIZE_INIT, err));
    size.id_bytes = scarce__ids_bytes(&f->ids);
    size.bytes = size.id_bytes + sizeof *f;
    for (size_t i = 0; i < f->plan->n_kinds; ++i) {
        const scarce__kind_size s = scarce__kind_measure(&f->kinds[i]);
        size.keys += s.keys;
        size.records += s.records;
        size.bytes += s.bytes;
        if (s.longest > size.longest) size.longest = s.longest;
        size.late += f->kinds[i].late;
        size.folded += f->kinds[i].folded;
    }
    SCARCE__FILL(out, &size);
    return SCARCE_OK;
}
