/* SPDX-License-Identifier: Apache-2.0 */
/* A table that was read is written and read back with the same names: the same table, bit for bit. First
 * byte: flags (1 LIBSVM, 2 roles, 4 without header, 8 tab-separated output); the rest is the file. */
#include "fuzz_parts.h"
#include "fuzz_table.h"

static void list_kinds(const scarce_schema *s, const char **names, scarce_names *categorical,
                       scarce_names *numeric)
{
    size_t n = 0;
    for (size_t f = 0; f < s->n_features; ++f)
        if (s->features[f].kind == SCARCE_COLUMN_CATEGORY) names[n++] = s->features[f].name;
    *categorical = (scarce_names){names, n};
    for (size_t f = 0; f < s->n_features; ++f)
        if (s->features[f].kind != SCARCE_COLUMN_CATEGORY) names[n++] = s->features[f].name;
    *numeric = (scarce_names){names + categorical->count, n - categorical->count};
}

/* Sparse columns come back as numbers. */
static int same_values(const scarce_table *a, const scarce_table *b, size_t f)
{
    const scarce__sparse *s = &a->columns[f].sparse;
    size_t i = 0;
    if (a->schema.features[f].kind != SCARCE_COLUMN_SPARSE) return fuzz_same_column(a, b, f);
    for (size_t r = 0; r < a->n_rows; ++r) {
        const float want = i < s->count && s->row[i] == r ? s->value[i++] : 0;
        const float got = b->columns[f].number[r];
        if (!(want == got || (isnan(want) && isnan(got)))) return 0;
    }
    return 1;
}

static void compare(const scarce_table *a, const scarce_table *b)
{
    const size_t n = a->n_rows;
    MUST(b->n_rows == n && a->schema.n_features == b->schema.n_features);
    for (size_t f = 0; f < a->schema.n_features; ++f) {
        MUST(strcmp(a->schema.features[f].name, b->schema.features[f].name) == 0);
        MUST(same_values(a, b, f));
    }
    MUST(fuzz_same_array(a->label, b->label, n, 1));
    MUST(fuzz_same_array(a->weight, b->weight, n, sizeof(double)));
    MUST(fuzz_same_array(a->time, b->time, n, sizeof(double)));
    MUST(fuzz_same_array(a->group, b->group, n, sizeof(int32_t)));
    for (size_t r = 0; r < n && a->amount; ++r) { /* an amount that is a feature is written from its float */
        const int feature = scarce_schema_find(&a->schema, a->schema.amount_name) != SIZE_MAX;
        MUST(a->amount[r] == b->amount[r] || (feature && (float)a->amount[r] == (float)b->amount[r]));
    }
}

static void write_and_read(const scarce_table *t, int tabs)
{
    scarce_write_options w = SCARCE_WRITE_OPTIONS_INIT;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *again = NULL;
    char path[128];
    const char *paths = path, **names = calloc(t->schema.n_features + 1, sizeof *names);

    MUST(names != NULL);
    (void)snprintf(path, sizeof path, "%s/out.csv", fuzz_folder());
    w.separator = tabs ? '\t' : ',';
    MUST(scarce_table_write(t, path, &w, fuzz_context(1), &err) == SCARCE_OK);
    o.format = tabs ? SCARCE_FORMAT_TSV : SCARCE_FORMAT_CSV;
    o.label = t->schema.label;
    o.positive = t->schema.positive;
    o.label_optional = t->label == NULL;
    o.time = t->schema.time_name, o.group = t->schema.group_name;
    o.weight = t->schema.weight_name, o.amount = t->schema.amount_name;
    list_kinds(&t->schema, names, &o.categorical, &o.numeric);
    const scarce_status st = scarce_table_read(&again, &paths, 1, &o, fuzz_context(1), &err);
    if (st != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    MUST(st == SCARCE_OK);
    compare(t, again);
    scarce_table_free(again);
    free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    static const scarce__read_tuning large = {4096, 8192, 4096, 0, 0};
    const fuzz_file file = {data, size, 1};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;

    fuzz_format_and_roles(&o, flags);
    o.no_header = (flags & 4) != 0;
    if (fuzz_read(&t, &file, &o, &large, 1, &err) == SCARCE_OK && t->schema.n_features < 1000)
        write_and_read(t, (flags & 8) != 0);
    scarce_table_free(t);
    return 0;
}
