/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow streams and arrays as frames: taking batches, checking what they say, releasing all of it once.
 *
 * Item i of a struct's field is item struct.offset + i of the child, which has an offset of its own; the parts
 * handed on have both in one. Nothing here is released but what was given to us: parts are borrowed copies. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/frame.h"

static int is_struct(const struct ArrowSchema *s)
{
    return s->format && strcmp(s->format, "+s") == 0;
}

static scarce_status check_schema(const struct ArrowSchema *s, scarce_error *err)
{
    if (!s->format) return scarce__fail(err, SCARCE_EDATA, "arrow: a schema without format");
    if (!is_struct(s)) return SCARCE_OK;
    if (s->n_children < 0 || s->n_children > INT32_MAX || (s->n_children && !s->children))
        return scarce__fail(err, SCARCE_EDATA, "arrow: a struct of %lld columns", (long long)s->n_children);
    if (s->n_children == 0) return scarce__fail(err, SCARCE_EINVAL, "the data have no columns");
    for (int64_t i = 0; i < s->n_children; ++i)
        if (!s->children[i] || !s->children[i]->format)
            return scarce__fail(err, SCARCE_EDATA, "arrow: column %lld has no format", (long long)i + 1);
    return SCARCE_OK;
}

/* Rows that are null as a whole would have no values at all. */
static scarce_status check_rows_there(const struct ArrowArray *a, scarce_error *err)
{
    if (a->n_buffers < 1 || !a->buffers || !a->buffers[0]) return SCARCE_OK;
    for (size_t i = 0; a->null_count != 0 && i < (size_t)a->length; ++i)
        if (!scarce__arrow_there(a, i))
            return scarce__fail(err, SCARCE_EDATA, "arrow: row %zu of a batch is null as a whole", i + 1);
    return SCARCE_OK;
}

static scarce_status check_batch(const struct ArrowSchema *s, const struct ArrowArray *a, scarce_error *err)
{
    if (a->length < 0 || a->offset < 0 || a->length > UINT32_MAX || a->offset > INT64_MAX / 16 - a->length)
        return scarce__fail(err, SCARCE_EDATA, "arrow: a batch of %lld rows from %lld on",
                            (long long)a->length, (long long)a->offset);
    if (!is_struct(s)) return SCARCE_OK;
    if (a->n_children != s->n_children || !a->children)
        return scarce__fail(err, SCARCE_EDATA, "arrow: a batch of %lld columns, the schema has %lld",
                            (long long)a->n_children, (long long)s->n_children);
    for (int64_t i = 0; i < a->n_children; ++i) {
        const struct ArrowArray *c = a->children[i];
        if (!c || c->offset < 0 || c->length < a->offset + a->length ||
            c->offset > INT64_MAX / 16 - c->length)
            return scarce__fail(err, SCARCE_EDATA, "arrow: column %lld has fewer rows than its batch",
                                (long long)i + 1);
    }
    return check_rows_there(a, err);
}

/* Takes over *a, which is empty then. Empty batches are let go. */
static scarce_status add_batch(scarce_frame *f, struct ArrowArray *a, scarce_error *err)
{
    const scarce_status st = check_batch(&f->schema, a, err);

    if (st == SCARCE_OK && a->length > 0 && f->n_batches == f->batch_room) {
        const size_t room = f->batch_room ? 2 * f->batch_room : 4;
        struct ArrowArray *grown = scarce__realloc_array(f->batches, room, sizeof *grown);
        if (!grown) {
            a->release(a);
            return scarce__fail_memory(err, "the columns", 0);
        }
        f->batches = grown;
        f->batch_room = room;
    }
    if (st != SCARCE_OK || a->length == 0) {
        a->release(a);
        return st;
    }
    f->n_rows += (size_t)a->length;
    f->batches[f->n_batches++] = *a;
    if (f->n_rows >= UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL, "%zu rows; a table holds fewer than %zu", f->n_rows,
                            (size_t)UINT32_MAX);
    return SCARCE_OK;
}

/* One column of all batches: copies of the children's structs, `parts` and pointers to them. */
static scarce_status add_column(scarce_frame *f, size_t i, struct ArrowArray *parts,
                                const struct ArrowArray **at, scarce_error *err)
{
    const int nested = is_struct(&f->schema);
    const struct ArrowSchema *s = nested ? f->schema.children[i] : &f->schema;

    for (size_t k = 0; k < f->n_batches; ++k) {
        const struct ArrowArray *batch = &f->batches[k];
        parts[k] = nested ? *batch->children[i] : *batch;
        if (nested) { /* its length stays as long as its buffers are */
            parts[k].offset += batch->offset;
            parts[k].length -= batch->offset;
        }
        at[k] = &parts[k];
    }
    return scarce__arrow_column(f, i, s, at, err);
}

static scarce_status add_columns(scarce_frame *f, scarce_error *err)
{
    const int nested = is_struct(&f->schema);
    const size_t n = nested ? (size_t)f->schema.n_children : 1;
    const char **names = scarce__calloc(n, sizeof *names);
    struct ArrowArray *parts = scarce__malloc_array(f->n_batches ? f->n_batches : 1, sizeof *parts);
    const struct ArrowArray **at = scarce__malloc_array(f->n_batches ? f->n_batches : 1, sizeof *at);
    scarce_status st;

    for (size_t i = 0; names && i < n; ++i) names[i] = nested ? f->schema.children[i]->name : f->schema.name;
    st = names && parts && at ? scarce__frame_begin(f, n, names, err)
                              : scarce__fail_memory(err, "the columns", 0);
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) st = add_column(f, i, parts, at, err);
    scarce__free(names);
    scarce__free(parts);
    scarce__free(at);
    return st;
}

static scarce_status finish(scarce_frame **out, scarce_frame *f, scarce_status st, scarce_error *err)
{
    if (st == SCARCE_OK && f->n_rows == 0) st = scarce__fail(err, SCARCE_EINVAL, "the data have no rows");
    if (st == SCARCE_OK) st = add_columns(f, err);
    if (st == SCARCE_OK) *out = f;
    else scarce_frame_free(f);
    return st;
}

static scarce_status stream_failed(struct ArrowArrayStream *stream, int code, scarce_error *err)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return scarce__fail(err, SCARCE_EIO, "arrow stream: %.500s (code %d)", why ? why : "it failed", code);
}

static scarce_status read_stream(scarce_frame *f, struct ArrowArrayStream *stream, scarce_error *err)
{
    int code = stream->get_schema(stream, &f->schema);

    if (code) {
        memset(&f->schema, 0, sizeof f->schema);
        return stream_failed(stream, code, err);
    }
    SCARCE__TRY(check_schema(&f->schema, err));
    for (;;) {
        struct ArrowArray batch;
        memset(&batch, 0, sizeof batch);
        code = stream->get_next(stream, &batch);
        if (code) return stream_failed(stream, code, err);
        if (!batch.release) return SCARCE_OK;
        SCARCE__TRY(add_batch(f, &batch, err));
    }
}

scarce_status scarce_frame_arrow(scarce_frame **out, struct ArrowArrayStream *stream, scarce_error *err)
{
    scarce_frame *f;
    scarce_status st;

    *out = NULL;
    if (!stream || !stream->release)
        return scarce__fail(err, SCARCE_EINVAL, "the arrow stream was used already");
    f = scarce__calloc(1, sizeof *f);
    st = f ? read_stream(f, stream, err) : scarce__fail_memory(err, "the columns", 0);
    stream->release(stream);
    stream->release = NULL;
    return f ? finish(out, f, st, err) : st;
}

scarce_status scarce_frame_arrow_array(scarce_frame **out, struct ArrowSchema *schema,
                                       struct ArrowArray *array, scarce_error *err)
{
    scarce_frame *f;
    scarce_status st;

    *out = NULL;
    if (!schema || !schema->release || !array || !array->release)
        return scarce__fail(err, SCARCE_EINVAL, "the arrow array was used already");
    f = scarce__calloc(1, sizeof *f);
    if (!f) {
        schema->release(schema);
        array->release(array);
        return scarce__fail_memory(err, "the columns", 0);
    }
    f->schema = *schema;
    schema->release = NULL;
    st = check_schema(&f->schema, err);
    if (st == SCARCE_OK) {
        struct ArrowArray taken = *array;
        st = add_batch(f, &taken, err);
    } else array->release(array);
    array->release = NULL;
    return finish(out, f, st, err);
}
