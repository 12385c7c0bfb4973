/* SPDX-License-Identifier: Apache-2.0 */
/* --define of commands that take raw rows: features first, in a file of our own that is removed afterwards. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"

/* Time, label and texts, as the file of definitions has them. */
static scarce_status take_fields(defined_data *d, data_options *data, scarce_error *err)
{
    const size_t n = scarce_definitions_fields(d->definitions);

    d->texts.items = malloc((n + data->categorical.count + 1) * sizeof *d->texts.items);
    if (!d->texts.items) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t i = 0; i < data->categorical.count; ++i)
        d->texts.items[d->texts.count++] = data->categorical.items[i];
    for (size_t i = 0; i < n; ++i) {
        const scarce_definitions_field f = scarce_definitions_get_field(d->definitions, i);
        if (strcmp(f.type, "time") == 0 && !data->time) data->time = f.name;
        if (strcmp(f.type, "label") == 0 && !data->label) data->label = f.name;
        if (strcmp(f.type, "text") == 0 || strcmp(f.type, "key") == 0)
            d->texts.items[d->texts.count++] = f.name;
    }
    return SCARCE_OK;
}

static scarce_status make_file(defined_data *d, scarce_error *err)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    if (!folder || !*folder) folder = "/tmp";
    snprintf(d->path, sizeof d->path, "%.4000s/scarce-features-XXXXXX.csv", folder);
    fd = mkstemps(d->path, 4);
    if (fd >= 0) close(fd);
    else d->path[0] = '\0';
    d->item = d->path;
    d->paths.items = &d->item;
    d->paths.count = 1;
    return fd >= 0 ? SCARCE_OK
                   : fail_with(err, SCARCE_EIO, "no file for the features can be made in %.300s (TMPDIR)",
                               folder);
}

scarce_status define_features(defined_data *d, const text_list *paths, data_options *data,
                              scarce_context *ctx, scarce_error *err)
{
    scarce_features_options fo = SCARCE_FEATURES_OPTIONS_INIT;
    scarce_features_summary s = SCARCE_FEATURES_SUMMARY_INIT;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_status st = set_read_options(&ro, data, NULL, err);

    if (st == SCARCE_OK) st = scarce_definitions_load(&d->definitions, data->define, err);
    if (st == SCARCE_OK) st = take_fields(d, data, err);
    if (st == SCARCE_OK) st = make_file(d, err);
    fo.format = ro.format;
    fo.separator = ro.separator;
    fo.decimal = ro.decimal;
    fo.date_order = ro.date_order;
    fo.time_format = ro.time_format;
    if (st == SCARCE_OK)
        st = scarce_features_table(d->definitions, paths->items, paths->count, d->path, &fo, ctx, &s, err);
    talk_clear();
    if (st != SCARCE_OK) return st;
    say("%llu features of %s computed for %llu rows", (unsigned long long)s.features, shown(data->define),
        (unsigned long long)s.rows);
    data->format = NULL; /* what was written has the usual form */
    data->separator = NULL;
    return SCARCE_OK;
}

void forget_features(defined_data *d)
{
    if (d->path[0]) remove(d->path);
    free(d->texts.items);
    scarce_definitions_free(d->definitions);
}

static scarce_value_type type_of(const char *type)
{
    if (strcmp(type, "time") == 0) return SCARCE_VALUE_TIME;
    if (strcmp(type, "bool") == 0) return SCARCE_VALUE_FLAG; /* true and false, or 0 and 1 */
    if (strcmp(type, "text") == 0 || strcmp(type, "key") == 0) return SCARCE_VALUE_TEXT;
    return SCARCE_VALUE_NUMBER;
}

scarce_status fields_of_definitions(scarce_record_field **out, size_t *n, scarce_definitions **definitions,
                                    const char *path, scarce_error *err)
{
    scarce_status st = scarce_definitions_load(definitions, path, err);
    size_t fields, features;

    *n = 0;
    if (st != SCARCE_OK) return st;
    fields = scarce_definitions_fields(*definitions);
    features = scarce_definitions_count(*definitions);
    *out = calloc(fields + features + 1, sizeof **out);
    if (!*out) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    for (size_t i = 0; i < fields; ++i) {
        const scarce_definitions_field f = scarce_definitions_get_field(*definitions, i);
        if (strcmp(f.type, "label") == 0) continue;
        (*out)[*n].name = f.name;
        (*out)[(*n)++].type = type_of(f.type);
    }
    for (size_t i = 0; i < features; ++i) {
        (*out)[*n].name = scarce_definitions_name(*definitions, i);
        (*out)[(*n)++].type = SCARCE_VALUE_FLAG; /* numbers; those of conditions are 0 and 1 */
    }
    return SCARCE_OK;
}
