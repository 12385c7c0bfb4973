/* SPDX-License-Identifier: Apache-2.0 */
/* Frames out of Arrow arrays and sparse matrices, against the values written down here. */
#include <math.h>
#include <stdlib.h>

#include <scarce/frame.h>

#include "test.h"

static int released;

static void release_schema(struct ArrowSchema *s)
{
    s->release = NULL;
    ++released;
}

static void release_array(struct ArrowArray *a)
{
    a->release = NULL;
    ++released;
}

static struct ArrowSchema field(const char *name, const char *format)
{
    struct ArrowSchema s = {format, name, NULL, 2, 0, NULL, NULL, release_schema, NULL};
    return s;
}

static struct ArrowArray part(int64_t n, int64_t nulls, int64_t offset, int64_t n_buffers,
                              const void **buffers)
{
    struct ArrowArray a = {n, nulls, offset, n_buffers, 0, buffers, NULL, NULL, release_array, NULL};
    return a;
}

/* A stream of one schema and some batches. */
typedef struct source {
    struct ArrowSchema schema;
    struct ArrowArray batch[3];
    int n, next, fail_at;
} source;

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    *out = ((source *)s->private_data)->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    source *from = s->private_data;
    if (from->next == from->fail_at) return 5;
    if (from->next < from->n) *out = from->batch[from->next++];
    else out->release = NULL;
    return 0;
}

static const char *last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the disk is gone";
}

static void release_stream(struct ArrowArrayStream *s)
{
    s->release = NULL;
    ++released;
}

static struct ArrowArrayStream stream_of(source *from)
{
    struct ArrowArrayStream s = {get_schema, get_next, last_error, release_stream, from};
    return s;
}

static double number(const scarce_frame *f, size_t column, size_t row)
{
    const scarce_column *c = scarce_frame_column(f, column);
    const size_t bit = row + c->valid_offset;
    if (c->valid && !(c->valid[bit / 8] >> (bit % 8) & 1)) return (double)NAN;
    switch (c->type) {
    case SCARCE_TYPE_F64: return ((const double *)c->items)[row];
    case SCARCE_TYPE_I64: return (double)((const int64_t *)c->items)[row];
    case SCARCE_TYPE_U8: return ((const uint8_t *)c->items)[row];
    default: return (double)((const float *)c->items)[row];
    }
}

static const char *text(const scarce_frame *f, size_t column, size_t row)
{
    const scarce_column *c = scarce_frame_column(f, column);
    const int32_t code = ((const int32_t *)c->items)[row];
    return code < 0 ? "-" : c->categories[code];
}

static scarce_frame *one(struct ArrowSchema s, struct ArrowArray a, scarce_error *err)
{
    scarce_frame *f = NULL;
    released = 0;
    (void)scarce_frame_arrow_array(&f, &s, &a, err);
    return f;
}

static void test_numbers(void)
{
    static const int64_t whole[] = {9, 8, 7, 6, 5};
    static const uint8_t some[] = {0x16}; /* 1, 2 and 4 are there */
    static const uint16_t half[] = {0x3c00, 0xc000, 0x7c00, 0x0001, 0x7e00};
    static const uint8_t bits[] = {0x0d};
    static const uint64_t decimal[] = {12345, 0, (uint64_t)-5, UINT64_MAX};
    const void *b1[] = {some, whole}, *b2[] = {NULL, half}, *b3[] = {NULL, bits}, *b4[] = {NULL, decimal};
    scarce_frame *f = one(field("n", "l"), part(4, -1, 1, 2, b1), NULL);

    CHECK(f && scarce_frame_rows(f) == 4 && scarce_frame_columns(f) == 1);
    CHECK(scarce_frame_column(f, 0)->items == whole + 1); /* where it lies */
    CHECK(number(f, 0, 0) == 8 && number(f, 0, 1) == 7 && isnan(number(f, 0, 2)) && number(f, 0, 3) == 5);
    CHECK(released == 0);
    scarce_frame_free(f);
    CHECK(released == 2);
    f = one(field("h", "e"), part(5, 0, 0, 2, b2), NULL);
    CHECK(number(f, 0, 0) == 1 && number(f, 0, 1) == -2 && isinf(number(f, 0, 2)) && isnan(number(f, 0, 4)));
    CHECK(number(f, 0, 3) == ldexp(1, -24));
    scarce_frame_free(f);
    f = one(field("b", "b"), part(3, 0, 1, 2, b3), NULL);
    CHECK(number(f, 0, 0) == 0 && number(f, 0, 1) == 1 && number(f, 0, 2) == 1);
    scarce_frame_free(f);
    f = one(field("d", "d:10,2"), part(2, 0, 0, 2, b4), NULL);
    CHECK(number(f, 0, 0) == 123.45 && number(f, 0, 1) == -0.05);
    scarce_frame_free(f);
}

static void test_times(void)
{
    static const int32_t days[] = {0, 1, -1};
    static const int64_t micros[] = {1500000, 1700000000123456, -1};
    const void *b1[] = {NULL, days}, *b2[] = {NULL, micros};
    scarce_frame *f = one(field("t", "tdD"), part(3, 0, 0, 2, b1), NULL);
    CHECK(scarce_frame_is_time(f, 0) && number(f, 0, 1) == 86400 && number(f, 0, 2) == -86400);
    scarce_frame_free(f);
    f = one(field("t", "tsu:UTC"), part(3, 0, 0, 2, b2), NULL);
    CHECK(scarce_frame_is_time(f, 0) && number(f, 0, 0) == 1.5 && number(f, 0, 1) == 1700000000.123456);
    scarce_frame_free(f);
    f = one(field("t", "tDm"), part(3, 0, 0, 2, b2), NULL);
    CHECK(!scarce_frame_is_time(f, 0) && number(f, 0, 0) == 1500);
    scarce_frame_free(f);
}

static void test_texts(void)
{
    static const int32_t offset[] = {0, 2, 2, 4, 6};
    static const int64_t wide[] = {0, 2, 2, 4, 6};
    static const uint8_t some[] = {0x0b};
    const void *b1[] = {some, offset, "aabbaa"}, *b2[] = {NULL, wide, "aabbaa"};
    static const char far[] = "xx a long text that is no view";
    struct {
        int32_t n;
        union {
            char text[12];
            struct {
                char prefix[4];
                int32_t buffer, offset;
            } far;
        } u;
    } views[2] = {{2, {{'f', 'r'}}}, {27, {{0}}}};
    int64_t sizes[] = {30};
    const void *b3[] = {NULL, views, far, sizes};
    scarce_frame *f = one(field("c", "u"), part(4, 1, 0, 3, b1), NULL);

    CHECK_TEXT(text(f, 0, 0), "aa");
    CHECK_TEXT(text(f, 0, 1), "-"); /* empty */
    CHECK_TEXT(text(f, 0, 2), "-"); /* null */
    CHECK_TEXT(text(f, 0, 3), "aa");
    CHECK(scarce_frame_column(f, 0)->n_categories == 1);
    scarce_frame_free(f);
    f = one(field("c", "U"), part(3, 0, 1, 3, b2), NULL);
    CHECK_TEXT(text(f, 0, 1), "bb");
    CHECK_TEXT(text(f, 0, 2), "aa");
    scarce_frame_free(f);
    views[1].u.far.offset = 3;
    f = one(field("c", "vu"), part(2, 0, 0, 4, b3), NULL);
    CHECK_TEXT(text(f, 0, 0), "fr");
    CHECK_TEXT(text(f, 0, 1), "a long text that is no view");
    scarce_frame_free(f);
    views[1].u.far.offset = 4; /* one too far */
    CHECK(one(field("c", "vu"), part(2, 0, 0, 4, b3), NULL) == NULL && released == 2);
}

/* Two batches with dictionaries that number differently, in a struct with an offset. */
static void test_batches(void)
{
    static const int32_t offset[] = {0, 1, 2};
    static const int8_t code1[] = {9, 1, 0}, code2[] = {0, 1};
    static const double x1[] = {9, 1, 2}, x2[] = {3, 4};
    const void *d1[] = {NULL, offset, "ab"}, *d2[] = {NULL, offset, "bc"};
    const void *c1[] = {NULL, code1}, *c2[] = {NULL, code2}, *n1[] = {NULL, x1}, *n2[] = {NULL, x2},
               *top[] = {NULL};
    struct ArrowSchema texts = field("", "u"), category = field("c", "c"), numbers = field("x", "g"),
                       lists = field("l", "+l"), *fields[] = {&category, &numbers, &lists};
    struct ArrowArray dict1 = part(2, 0, 0, 3, d1), dict2 = part(2, 0, 0, 3, d2),
                      codes1 = part(3, 0, 0, 2, c1), codes2 = part(2, 0, 0, 2, c2),
                      num1 = part(3, 0, 0, 2, n1), num2 = part(2, 0, 0, 2, n2), list = part(3, 0, 0, 2, n1),
                      *batch1[] = {&codes1, &num1, &list}, *batch2[] = {&codes2, &num2, &list};
    source from = {
        field("", "+s"), {part(2, 0, 1, 1, top), part(0, 0, 0, 1, top), part(2, 0, 0, 1, top)}, 3, 0, -1};
    struct ArrowArrayStream s = stream_of(&from);
    scarce_frame *f = NULL;
    scarce_error err = SCARCE_ERROR_INIT;

    category.dictionary = &texts;
    codes1.dictionary = &dict1;
    codes2.dictionary = &dict2;
    from.schema.n_children = 3, from.schema.children = fields;
    for (int k = 0; k < 3; ++k)
        from.batch[k].n_children = 3, from.batch[k].children = k == 2 ? batch2 : batch1;
    released = 0;
    CHECK(scarce_frame_arrow(&f, &s, &err) == SCARCE_OK);
    CHECK(f && scarce_frame_rows(f) == 4 && scarce_frame_columns(f) == 3);
    CHECK_TEXT(text(f, 0, 0), "b");
    CHECK_TEXT(text(f, 0, 1), "a");
    CHECK_TEXT(text(f, 0, 2), "b");
    CHECK_TEXT(text(f, 0, 3), "c");
    for (size_t i = 0; i < 4; ++i) CHECK(number(f, 1, i) == (double)(i + 1));
    CHECK_TEXT(scarce_frame_problem(f, 2), "holds lists");
    scarce_frame_free(f);
    CHECK(released == 5); /* stream, schema, three batches */

    from.next = 0, from.fail_at = 2;
    from.schema.release = release_schema;
    for (int k = 0; k < 3; ++k) from.batch[k].release = release_array;
    s = stream_of(&from);
    released = 0;
    CHECK(scarce_frame_arrow(&f, &s, &err) == SCARCE_EIO && !f && strstr(err.text, "the disk is gone"));
    CHECK(released == 4);
    CHECK(scarce_frame_arrow(&f, &s, &err) == SCARCE_EINVAL); /* used up */
}

static void test_sparse(void)
{
    /* 0 5 0 / 7 0 0 / 0 0 0 / 1 2 3 by rows, the last one backwards */
    static const int32_t row_start[] = {0, 1, 2, 2, 5}, column[] = {1, 0, 2, 1, 0};
    static const double value[] = {5, 7, 3, 2, 1};
    static const int64_t start64[] = {0, 2, 4, 5}, row64[] = {3, 1, 0, 3, 3};
    static const float value32[] = {1, 7, 5, 2, 3};
    static const float want[4][3] = {{0, 5, 0}, {7, 0, 0}, {0, 0, 0}, {1, 2, 3}};
    scarce_sparse m = SCARCE_SPARSE_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    for (int way = 0; way < 2; ++way) {
        scarce_frame *f = NULL;
        m = (scarce_sparse)SCARCE_SPARSE_INIT;
        m.n_rows = 4, m.n_columns = 3, m.n_entries = 5, m.by_rows = way == 0;
        m.start = way ? (const void *)start64 : row_start, m.index = way ? (const void *)row64 : column;
        m.value = way ? (const void *)value32 : value;
        m.index_type = way ? SCARCE_TYPE_I64 : SCARCE_TYPE_I32;
        m.value_type = way ? SCARCE_TYPE_F32 : SCARCE_TYPE_F64;
        CHECK(scarce_frame_sparse(&f, &m, &err) == SCARCE_OK);
        for (size_t j = 0; f && j < 3; ++j) {
            const scarce_column *c = scarce_frame_column(f, j);
            float dense[4] = {0};
            for (size_t k = 0; k < c->sparse_count; ++k) {
                CHECK(k == 0 || c->sparse_row[k] > c->sparse_row[k - 1]);
                dense[c->sparse_row[k]] = ((const float *)c->items)[k];
            }
            for (size_t i = 0; i < 4; ++i) CHECK(dense[i] == want[i][j]);
        }
        scarce_frame_free(f);
    }
    static const int32_t twice[] = {1, 1, 2, 1, 1}, outside[] = {1, 0, 3, 1, 0}, falls[] = {0, 2, 1, 2, 5};
    scarce_frame *f = NULL;
    m.by_rows = 1, m.index_type = SCARCE_TYPE_I32, m.start = row_start;
    m.index = twice;
    CHECK(scarce_frame_sparse(&f, &m, &err) == SCARCE_EDATA && strstr(err.text, "given twice"));
    m.index = outside;
    CHECK(scarce_frame_sparse(&f, &m, &err) == SCARCE_EDATA && !f);
    m.index = column, m.start = falls;
    CHECK(scarce_frame_sparse(&f, &m, &err) == SCARCE_EDATA && !f);
}

static const test_case tests[] = {{"numbers", test_numbers},
                                  {"times", test_times},
                                  {"texts", test_texts},
                                  {"batches", test_batches},
                                  {"sparse", test_sparse}};
TEST_MAIN(tests)
