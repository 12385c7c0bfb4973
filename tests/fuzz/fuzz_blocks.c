/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is read block by block with the schema of another, as rows that memory can't hold are scored (SCARCE_PART_CODED).
 * First byte: flags (1 LIBSVM instead of CSV, 2 roles are named); then the file that makes the schema as a part; the rest is the
 * file, which is streamed twice in a row. Blocks have the schema's features and codes, so that a model could score them; and where
 * the file as a whole can be read, nothing is left out and the first block holds its rows. */
#include <scarce/learn.h>

#include "fuzz_parts.h"
#include "fuzz_table.h"

static void check_block(const scarce_table *block, const scarce_schema *schema)
{
    fuzz_check_table(block, 1);
    MUST(block->schema.n_features == schema->n_features);
    for (size_t f = 0; f < schema->n_features; ++f) {
        MUST(strcmp(block->schema.features[f].name, schema->features[f].name) == 0);
        MUST(fuzz_same_dictionary(&block->schema.features[f].categories, &schema->features[f].categories));
    }
}

static void stream(const char *path, const scarce_read_options *o, const scarce_table *whole)
{
    const char *const paths[] = {path, path};
    scarce_stream *s = NULL;
    scarce_table *block = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    size_t rows = 0;
    scarce_status st = scarce_stream_open(&s, paths, 2, o, fuzz_context(1), &err);

    while (st == SCARCE_OK && (st = scarce_stream_next(s, &block, &err)) == SCARCE_OK && block) {
        check_block(block, o->schema);
        if (whole && rows == 0 && block->n_rows == whole->n_rows) fuzz_same_features(block, whole);
        rows += block->n_rows;
        scarce_table_free(block);
        block = NULL;
    }
    if (whole && st == SCARCE_OK) MUST(rows == 2 * whole->n_rows && scarce_stream_left_out(s, NULL) == 0);
    scarce_stream_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part one = fuzz_next_part(&data, &size, 0);
    const fuzz_file first = {one.bytes, one.n, 1};
    static const scarce__read_tuning large = {4096, 8192, 4096, 0, 0};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *model = NULL, *whole = NULL;

    fuzz_format_and_roles(&o, flags);
    o.label_optional = 1;
    if (fuzz_read(&model, &first, &o, &large, 1, &err) == SCARCE_OK && model->schema.n_features) {
        char name[128];
        const char *const path = name;
        fuzz_write_file(name, "a", data, size);
        o.schema = &model->schema;
        o.part = SCARCE_PART_CODED;
        o.may_be_empty = 1;
        (void)scarce_table_read(&whole, &path, 1, &o, fuzz_context(1), &err);
        stream(path, &o, whole);
    }
    scarce_table_free(whole);
    scarce_table_free(model);
    free(one.bytes);
    return 0;
}
