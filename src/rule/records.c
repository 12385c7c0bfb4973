/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table as records: a column each for every feature and for the roles time, group and amount. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/context.h"
#include "rule/records.h"

static const char UNKNOWN[] = "(unknown)"; /* a category that the model's training didn't know */

void scarce_records_free(scarce_records *r)
{
    if (!r) return;
    for (size_t i = 0; r->columns && i < r->n; ++i) scarce__free(r->columns[i].lengths);
    scarce__free(r->columns);
    scarce__free(r->fields);
    scarce__free(r);
}

void scarce_fields_free(scarce_record_field *fields)
{
    scarce__free(fields);
}

/* Whether all numbers that are there are 0 or 1, and there is one. */
static int all_flags(const float *x, size_t n)
{
    size_t seen = 0;
    for (size_t i = 0; i < n; ++i) {
        if (isnan(x[i])) continue;
        if (x[i] != 0 && x[i] != 1) return 0;
        ++seen;
    }
    return seen > 0;
}

static int is_truth(const char *text, const char *truth)
{
    return strcasecmp(text, truth) == 0;
}

static int all_truths(const scarce_schema *s, size_t f)
{
    const size_t n = scarce_schema_categories(s, f);
    for (size_t k = 0; k < n; ++k) {
        const char *text = scarce_schema_category(s, f, k);
        if (!is_truth(text, "true") && !is_truth(text, "false")) return 0;
    }
    return n > 0;
}

/* Lengths of the texts of a category column; 0: no memory. */
static int find_lengths(scarce__record_column *c, const scarce_schema *s, size_t f)
{
    const size_t n = scarce_schema_categories(s, f);
    c->lengths = scarce__malloc_array(n, sizeof *c->lengths);
    if (!c->lengths) return 0;
    for (size_t k = 0; k < n; ++k) c->lengths[k] = (uint32_t)strlen(scarce_schema_category(s, f, k));
    return 1;
}

static int add_feature(scarce_records *r, const scarce_table *t, size_t f)
{
    const scarce_schema *s = &t->schema;
    scarce__record_column *c = &r->columns[r->n];
    scarce_record_field *field = &r->fields[r->n];
    const char *amount = scarce_schema_role(s, SCARCE_ROLE_AMOUNT);

    field->name = scarce_schema_name(s, f);
    field->type = SCARCE_VALUE_NUMBER;
    c->feature = f;
    c->kind = SCARCE__RECORD_NUMBER;
    ++r->n;
    if (amount && t->amount && strcmp(amount, field->name) == 0) {
        c->kind = SCARCE__RECORD_AMOUNT;
    } else if (scarce_schema_kind(s, f) == SCARCE_COLUMN_CATEGORY) {
        c->kind = all_truths(s, f) ? SCARCE__RECORD_TRUTH : SCARCE__RECORD_TEXT;
        field->type = c->kind == SCARCE__RECORD_TRUTH ? SCARCE_VALUE_BOOL : SCARCE_VALUE_TEXT;
        return find_lengths(c, s, f);
    } else if (scarce_schema_kind(s, f) == SCARCE_COLUMN_SPARSE) {
        c->kind = SCARCE__RECORD_SPARSE;
        if (all_flags(t->columns[f].sparse.value, t->columns[f].sparse.count))
            field->type = SCARCE_VALUE_FLAG;
    } else if (all_flags(t->columns[f].number, t->n_rows)) {
        field->type = SCARCE_VALUE_FLAG;
    }
    return 1;
}

static void add_role(scarce_records *r, scarce_role role, scarce__record_kind kind, scarce_value_type type)
{
    const char *name = scarce_schema_role(&r->table->schema, role);

    if (!name) return;
    for (size_t i = 0; i < r->n; ++i)
        if (strcmp(r->fields[i].name, name) == 0) return;
    r->fields[r->n].name = name;
    r->fields[r->n].type = type;
    r->columns[r->n++].kind = kind;
}

scarce_status scarce_records_new(scarce_records **out, const scarce_table *t, scarce_error *err)
{
    const size_t most = t->schema.n_features + 3;
    scarce_records *r;
    int good = 1;

    *out = NULL;
    r = scarce__calloc(1, sizeof *r);
    if (!r) return scarce__fail_memory(err, "records", sizeof *r);
    r->table = t;
    r->columns = scarce__calloc(most, sizeof *r->columns);
    r->fields = scarce__calloc(most, sizeof *r->fields);
    good = r->columns && r->fields;
    for (size_t f = 0; good && f < t->schema.n_features; ++f) good = add_feature(r, t, f);
    if (!good) {
        scarce_records_free(r);
        return scarce__fail_memory(err, "records", 0);
    }
    if (t->time) add_role(r, SCARCE_ROLE_TIME, SCARCE__RECORD_TIME, SCARCE_VALUE_TIME);
    if (t->group) add_role(r, SCARCE_ROLE_GROUP, SCARCE__RECORD_GROUP, SCARCE_VALUE_TEXT);
    if (t->amount) add_role(r, SCARCE_ROLE_AMOUNT, SCARCE__RECORD_AMOUNT, SCARCE_VALUE_NUMBER);
    *out = r;
    return SCARCE_OK;
}

const scarce_record_field *scarce_records_fields(const scarce_records *r, size_t *count)
{
    *count = r->n;
    return r->fields;
}

const scarce_table *scarce_records_table(const scarce_records *r)
{
    return r->table;
}

static scarce_value text_of(const scarce_records *r, const scarce__record_column *c, size_t row)
{
    const scarce_table *t = r->table;
    const int32_t code = t->columns[c->feature].code[row];
    const size_t n = scarce_schema_categories(&t->schema, c->feature);
    const char *text;

    if (code < 0) return scarce_value_missing();
    if ((size_t)code >= n)
        return c->kind == SCARCE__RECORD_TRUTH ? scarce_value_missing()
                                               : scarce_value_text(UNKNOWN, sizeof UNKNOWN - 1);
    text = scarce_schema_category(&t->schema, c->feature, (size_t)code);
    if (c->kind == SCARCE__RECORD_TRUTH) return scarce_value_number(is_truth(text, "true"));
    return scarce_value_text(text, c->lengths[code]);
}

static scarce_value sparse_of(const scarce_records *r, const scarce__record_column *c, size_t row)
{
    const scarce__sparse *s = &r->table->columns[c->feature].sparse;
    const size_t k = scarce__first_row(s->row, s->count, row);
    if (k == s->count || s->row[k] != row) return scarce_value_number(0);
    return scarce_value_number(scarce__decimal_of_float(s->value[k]));
}

static scarce_value value_of(const scarce_records *r, const scarce__record_column *c, size_t row)
{
    const scarce_table *t = r->table;
    const char *group;

    switch (c->kind) {
    case SCARCE__RECORD_NUMBER:
        return scarce_value_number(scarce__decimal_of_float(t->columns[c->feature].number[row]));
    case SCARCE__RECORD_TEXT:
    case SCARCE__RECORD_TRUTH: return text_of(r, c, row);
    case SCARCE__RECORD_SPARSE: return sparse_of(r, c, row);
    case SCARCE__RECORD_TIME: return scarce_value_number(t->time[row]);
    case SCARCE__RECORD_AMOUNT: return scarce_value_number(t->amount[row]);
    case SCARCE__RECORD_GROUP: break;
    }
    group = scarce_table_group_name(t, t->group[row]);
    return scarce_value_text(group, group ? strlen(group) : 0);
}

void scarce_records_get(const scarce_records *r, size_t row, const uint32_t *which, size_t n,
                        scarce_value *record)
{
    if (!which) n = r->n;
    for (size_t i = 0; i < n; ++i) {
        const size_t f = which ? which[i] : i;
        record[f] = value_of(r, &r->columns[f], row);
    }
}

scarce_status scarce_fields_of_schema(scarce_record_field **out, size_t *count, const scarce_schema *s,
                                      scarce_error *err)
{
    static const scarce_role roles[] = {SCARCE_ROLE_TIME, SCARCE_ROLE_GROUP, SCARCE_ROLE_AMOUNT};
    static const scarce_value_type types[] = {SCARCE_VALUE_TIME, SCARCE_VALUE_TEXT, SCARCE_VALUE_NUMBER};
    scarce_record_field *fields = scarce__calloc(s->n_features + 3, sizeof *fields);
    size_t n = 0;

    *out = NULL;
    *count = 0;
    if (!fields) return scarce__fail_memory(err, "fields", 0);
    for (; n < s->n_features; ++n) {
        fields[n].name = scarce_schema_name(s, n);
        fields[n].type = scarce_schema_kind(s, n) != SCARCE_COLUMN_CATEGORY ? SCARCE_VALUE_FLAG
                         : all_truths(s, n)                                 ? SCARCE_VALUE_BOOL
                                                                            : SCARCE_VALUE_TEXT;
    }
    for (int i = 0; i < 3; ++i) {
        const char *name = scarce_schema_role(s, roles[i]);
        if (!name || scarce_schema_find(s, name) != SIZE_MAX) continue;
        fields[n].name = name;
        fields[n++].type = types[i];
    }
    *out = fields;
    *count = n;
    return SCARCE_OK;
}

/* ---- All rows */

enum { BLOCK = 4096 };

typedef struct job {
    const scarce_ruleset *set;
    const scarce_records *records;
    uint8_t *verdict;
    scarce_value *scratch; /* a record for each worker */
} job;

static void ask_block(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const scarce_table *t = j->records->table;
    const size_t end = (index + 1) * BLOCK < t->n_rows ? (index + 1) * BLOCK : t->n_rows,
                 rules = j->set->n_rules;
    scarce_value *record = j->scratch + (size_t)worker * j->records->n;

    for (size_t row = index * BLOCK; row < end; ++row) {
        scarce_records_get(j->records, row, j->set->uses, j->set->n_uses, record);
        (void)scarce_ruleset_run(j->set, record, t->time ? t->time[row] : (double)NAN,
                                 j->verdict + row * rules);
    }
}

scarce_status scarce_ruleset_table(const scarce_ruleset *set, const scarce_records *records, uint8_t *verdict,
                                   scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    job j = {set, records, verdict, NULL};

    j.scratch = scarce__calloc(records->n * (size_t)scarce__pool_threads(pool), sizeof *j.scratch);
    if (!j.scratch) return scarce__fail_memory(err, "records", 0);
    scarce__pool_run(pool, scarce__blocks(records->table->n_rows, BLOCK), ask_block, &j);
    scarce__free(j.scratch);
    return SCARCE_OK;
}
