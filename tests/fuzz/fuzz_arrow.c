/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile Arrow streams: any format, lengths and offsets that don't fit, texts outside their buffers, codes beyond
 * the dictionary, batches of other widths, streams that fail. Buffers are as large as lengths and offsets say, to the byte, since
 * the interface has no other way to tell; what is in them is the input's. What must hold: an error with a text, or a
 * frame of which a table can be tried; and everything is released exactly once. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <scarce/frame.h>

enum { MOST_FIELDS = 5, MOST_BATCHES = 3, MOST_BLOCKS = 400 };

typedef struct input {
    const uint8_t *data;
    size_t size;
    void *blocks[MOST_BLOCKS];
    size_t n_blocks;
    int given, released, n_batches, next;
    struct ArrowSchema schema;
} input;

static input *at;

static const char *const formats[] = {"n",         "b",   "c",   "C",       "s",   "S",   "i",     "I",
                                      "l",         "L",   "e",   "f",       "g",   "u",   "U",     "vu",
                                      "z",         "tdD", "tdm", "tsu:UTC", "tDs", "ttm", "d:9,2", "d:5,-1",
                                      "d:9,2,256", "+l",  "+s",  "w:4",     "",    "x",   "t"};

static uint8_t take(void)
{
    return fuzz_take(&at->data, &at->size);
}

/* A block of exactly n bytes of the input, small numbers mostly. */
static void *block(size_t n)
{
    uint8_t *b = malloc(n ? n : 1);
    MUST(b && at->n_blocks < MOST_BLOCKS);
    at->blocks[at->n_blocks++] = b;
    const uint8_t how = take();
    for (size_t i = 0; i < n; ++i) b[i] = how & 1 ? take() : i % 4 == 0 ? (uint8_t)(take() % 8) : 0;
    return b;
}

static void *zeros(size_t n)
{
    void *b = calloc(1, n);
    MUST(b && at->n_blocks < MOST_BLOCKS);
    return at->blocks[at->n_blocks++] = b;
}

static void release_schema(struct ArrowSchema *s)
{
    MUST(s->release);
    s->release = NULL;
    ++at->released;
}

static void release_array(struct ArrowArray *a)
{
    MUST(a->release);
    a->release = NULL;
    ++at->released;
}

static size_t width_of(const char *format)
{
    switch (format[0]) {
    case 'c':
    case 'C': return 1;
    case 's':
    case 'S':
    case 'e': return 2;
    case 'i':
    case 'I':
    case 'f': return 4;
    case 'v':
    case 'd': return 16;
    case 't':
        return strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0 ? 4 : 8;
    default: return 8;
    }
}

/* Offsets of texts that rise, mostly; returns the last one. */
static int64_t set_offsets(void *to, size_t n, int wide)
{
    int64_t last = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint8_t v = take();
        int64_t value = v == 255 ? -1 : v == 254 ? last + 1000 : last;
        const int32_t narrow = (int32_t)value;
        memcpy((char *)to + i * (wide ? 8 : 4), wide ? (const void *)&value : (const void *)&narrow,
               wide ? 8 : 4);
        if (v < 254) last += v % 4;
    }
    return last;
}

static void set_array(struct ArrowArray *a, const struct ArrowSchema *s, int64_t length, int64_t offset)
{
    const char *f = s->format;
    const uint8_t odd = take();
    const size_t n = (size_t)(length + offset);
    const int text = strcmp(f, "u") == 0 || strcmp(f, "U") == 0;

    memset(a, 0, sizeof *a);
    a->length = length;
    a->offset = offset;
    a->null_count = take() % 3 - 1;
    a->n_buffers = strcmp(f, "n") == 0 ? 0 : text ? 3 : f[0] == 'v' ? 4 : 2;
    a->buffers = zeros(5 * sizeof *a->buffers);
    a->buffers[0] = take() % 2 ? block(n / 8 + 1) : NULL;
    if (text) {
        char *offsets = zeros((n + 1) * 8);
        const int64_t last = set_offsets(offsets, n + 1, f[0] == 'U');
        int64_t end = last;
        if (f[0] == 'U') memcpy(&end, offsets + 8 * n, 8);
        else {
            int32_t e;
            memcpy(&e, offsets + 4 * n, 4);
            end = e;
        }
        a->buffers[1] = offsets;
        a->buffers[2] = block(end > 0 && end < 4000 ? (size_t)end : 0);
        if (end >= 4000) a->length = 0;
    } else {
        a->buffers[1] = block(f[0] == 'b' ? n / 8 + 1 : n * width_of(f));
        if (f[0] == 'v') {
            int64_t size = 20;
            a->buffers[2] = block(20);
            a->buffers[3] = memcpy(zeros(8), &size, 8);
        }
    }
    if (odd == 255) a->n_buffers = 1;
    if (odd == 254 && n) a->buffers[1] = NULL;
    if (odd == 253) a->length = -1;
    if (odd == 252) a->offset = -1;
    if (s->dictionary && odd != 251) {
        a->dictionary = zeros(sizeof *a->dictionary);
        set_array(a->dictionary, s->dictionary, take() % 6, take() % 2);
    }
    a->release = release_array;
}

static void set_schema(struct ArrowSchema *s)
{
    static const char *const names[] = {"a", "b", "", NULL, "a"};
    memset(s, 0, sizeof *s);
    s->format = formats[take() % (sizeof formats / sizeof *formats)];
    s->name = names[take() % 5];
    if (take() % 4 == 0) {
        s->dictionary = zeros(sizeof *s->dictionary);
        s->dictionary->format = formats[take() % (sizeof formats / sizeof *formats)];
    }
    s->release = release_schema;
}

static void set_batch(struct ArrowArray *a)
{
    const struct ArrowSchema *s = &at->schema;
    const int64_t length = take() % 12, offset = take() % 4;
    const uint8_t odd = take();

    if (strcmp(s->format, "+s") != 0) {
        set_array(a, s, length, offset);
        return;
    }
    memset(a, 0, sizeof *a);
    a->length = length;
    a->offset = offset;
    a->n_buffers = 1;
    a->buffers = zeros(sizeof *a->buffers);
    a->null_count = odd % 7 == 0 ? -1 : 0;
    if (odd % 5 == 0) a->buffers[0] = block((size_t)(length + offset) / 8 + 1);
    a->n_children = odd == 255 ? s->n_children + 1 : s->n_children;
    a->children = zeros((size_t)(s->n_children + 1) * sizeof *a->children);
    for (int64_t i = 0; i < s->n_children; ++i) {
        const int64_t shorter = take() == 255;
        a->children[i] = zeros(sizeof **a->children);
        set_array(a->children[i], s->children[i], length + offset > shorter ? length + offset - shorter : 0,
                  take() % 3);
    }
    a->release = release_array;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    (void)stream;
    if (take() == 255) return 5;
    *out = at->schema;
    ++at->given;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    (void)stream;
    if (take() == 255) return 5;
    if (at->next++ == at->n_batches) {
        out->release = NULL;
        return 0;
    }
    set_batch(out);
    ++at->given;
    return 0;
}

static const char *last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return take() % 2 ? NULL : "gone";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    ++at->released;
}

/* Columns that can be used, as a table; errors are fine. */
static void try_table(const scarce_frame *f)
{
    scarce_column columns[MOST_FIELDS];
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    size_t n = 0;

    for (size_t i = 0; i < scarce_frame_columns(f) && n < MOST_FIELDS; ++i) {
        MUST(scarce_frame_column(f, i)->name[0]);
        if (scarce_frame_problem(f, i)) MUST(scarce_frame_column(f, i)->role == SCARCE_ROLE_IGNORE);
        columns[n++] = *scarce_frame_column(f, i);
    }
    const scarce_status st =
        scarce_table_from_columns(&t, columns, n, scarce_frame_rows(f), NULL, NULL, &err);
    MUST((st == SCARCE_OK) == (t != NULL));
    MUST(st != SCARCE_EBUG && (st == SCARCE_OK || err.text[0]));
    if (t) MUST(scarce_table_rows(t) == scarce_frame_rows(f) && scarce_table_fingerprint(t) != 1);
    scarce_table_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    struct ArrowArrayStream stream = {get_schema, get_next, last_error, release_stream, NULL};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_frame *f = NULL;
    scarce_status st;

    memset(&in, 0, sizeof in);
    in.data = data;
    in.size = size;
    at = &in;
    in.n_batches = take() % (MOST_BATCHES + 1);
    set_schema(&in.schema);
    if (take() % 8) {
        in.schema.format = "+s";
        in.schema.dictionary = NULL;
        in.schema.n_children = 1 + take() % MOST_FIELDS;
        in.schema.children = zeros(MOST_FIELDS * sizeof *in.schema.children);
        for (int64_t i = 0; i < in.schema.n_children; ++i) {
            in.schema.children[i] = zeros(sizeof **in.schema.children);
            set_schema(in.schema.children[i]);
        }
    }
    st = scarce_frame_arrow(&f, &stream, &err);
    MUST((st == SCARCE_OK) == (f != NULL));
    MUST(st == SCARCE_OK || (err.code == st && err.text[0] && !strchr(err.text, '\n')));
    MUST(st != SCARCE_EBUG && !stream.release);
    if (f) try_table(f);
    scarce_frame_free(f);
    MUST(in.released == in.given + 1);
    for (size_t i = 0; i < in.n_blocks; ++i) free(in.blocks[i]);
    return 0;
}
