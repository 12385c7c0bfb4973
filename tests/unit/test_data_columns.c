/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from columns against the tables read from equal files: every type and kind, every role, borrowed and
 * copied, with and without a model's schema. Borrowed memory is filled with rubbish and freed when it is
 * released, so that a use after that shows (the address sanitizer sees it in any case). */
#include <stdlib.h>

#include <scarce/model.h>

#include "core/random.h"
#include "test.h"
#include "unit/same_table.h"

enum { N = 700, MOST = 24 };

/* ---- the columns of one table, each in a block of exactly its size */

typedef struct set {
    scarce_column c[MOST];
    void *blocks[3 * MOST];
    size_t n, n_blocks, bytes[3 * MOST];
    int released;
    void *self;
} set;

static void *block(set *s, const void *from, size_t n)
{
    void *b = malloc(n ? n : 1);
    if (!b) abort();
    if (n) memcpy(b, from, n);
    s->bytes[s->n_blocks] = n;
    return s->blocks[s->n_blocks++] = b;
}

static void release(void *payload)
{
    set *s = payload;
    CHECK(s->self == s); /* the payload is handed back */
    if (s->released++) return;
    for (size_t i = 0; i < s->n_blocks; ++i) {
        memset(s->blocks[i], 0xa5, s->bytes[i]);
        free(s->blocks[i]);
    }
}

static scarce_column *add(set *s, const char *name, scarce_type type, const void *items, size_t bytes)
{
    scarce_column *c = &s->c[s->n++];
    *c = (scarce_column)SCARCE_COLUMN_INIT;
    s->self = s;
    c->name = name;
    c->type = type;
    c->items = items ? block(s, items, bytes) : NULL;
    return c;
}

static scarce_table *make(set *s, size_t n_rows, int borrow, const scarce_schema *schema, scarce_context *ctx)
{
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    o.schema = schema;
    if (borrow) {
        o.release = release;
        o.payload = s;
    }
    CHECK(scarce_table_from_columns(&t, s->c, s->n, n_rows, &o, ctx, &err) == SCARCE_OK);
    if (!t) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    if (!borrow) release(s); /* a copy needs nothing of it any more */
    return t;
}

static scarce_table *read_text(const char *text, const char *name, const scarce_read_options *ro)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    if (scarce_table_read_bytes(&t, text, strlen(text), name, ro, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return t;
}

/* ---- the data: as columns, and as the text of a file */

static struct {
    float x[N], y[N];
    double wide[N], weight[N], time[N], amount[N];
    int8_t i8[N];
    uint64_t u64[N];
    int32_t code[N], ordered[N];
    int16_t card[N];
    const char *text[N];
    uint8_t label[N];
    uint8_t valid[N / 8 + 2];
    float matrix[N * 3];
} d;

static const char *const shops[] = {"z", "never used", "a, quoted", "m", "\xc3\xa9"};
static char csv[N * 400];

static void put_number(size_t *n, double x, const char *end)
{
    if (isnan(x)) *n += (size_t)snprintf(csv + *n, sizeof csv - *n, "%s", end);
    else *n += (size_t)snprintf(csv + *n, sizeof csv - *n, "%.9g%s", x, end);
}

static void prepare(void)
{
    scarce__random r = scarce__random_start(5, SCARCE__FOR_TEST, 0);
    size_t n = (size_t)snprintf(
        csv, sizeof csv, "x,y,wide,i8,u64,code,ordered,text,masked,m0,m1,m2,digit,w,t,card,amount,fraud\n");
    int32_t most = -1;

    memset(d.valid, 0, sizeof d.valid);
    for (size_t i = 0; i < N; ++i) {
        const uint32_t hole = 0xffc12345u; /* a NaN of no usual bits */
        d.x[i] = (float)(scarce__random_normal(&r) * 100);
        if (i % 13 == 0) memcpy(&d.x[i], &hole, sizeof hole);
        d.y[i] = i % 7 == 3 ? NAN : (float)(i % 5) - 2;
        d.wide[i] = (double)(float)scarce__random_normal(&r);
        d.i8[i] = (int8_t)scarce__random_below(&r, 256);
        d.u64[i] = scarce__random_below(&r, 1000) * 1000000007u;
        d.code[i] = (int32_t)scarce__random_below(&r, 6) - 1;
        if (d.code[i] == 1) d.code[i] = 4;
        /* numbered by first appearance already, so that it can be borrowed */
        d.ordered[i] =
            i % 9 == 0 ? -1 : (int32_t)scarce__random_below(&r, (uint64_t)(most < 2 ? most + 2 : 3));
        if (d.ordered[i] > most) most = d.ordered[i];
        d.text[i] = i % 10 == 0 ? NULL : i % 10 == 1 ? "" : shops[scarce__random_below(&r, 4)];
        if (i % 3) d.valid[(i + 3) / 8] |= (uint8_t)(1 << (i + 3) % 8);
        for (size_t k = 0; k < 3; ++k) d.matrix[3 * i + k] = (float)(i * 3 + k);
        d.weight[i] = 1 + (double)(i % 4) / 4;
        d.time[i] = (double)(i / 3) + 0.1;
        d.card[i] = (int16_t)(500 - (int)scarce__random_below(&r, 40));
        d.amount[i] = (double)(float)(scarce__random_unit(&r) * 1000);
        d.label[i] = scarce__random_below(&r, 12) == 0;

        put_number(&n, (double)d.x[i], ",");
        put_number(&n, (double)d.y[i], ",");
        put_number(&n, d.wide[i], ",");
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%d,%llu,", d.i8[i], (unsigned long long)d.u64[i]);
        n += (size_t)snprintf(csv + n, sizeof csv - n, "\"%s\",%s,\"%s\",",
                              d.code[i] < 0 ? "" : shops[d.code[i]],
                              d.ordered[i] < 0 ? "" : (const char *[]){"one", "two", "three"}[d.ordered[i]],
                              d.text[i] ? d.text[i] : "");
        if (i % 3) put_number(&n, d.i8[i], ",");
        else put_number(&n, (double)NAN, ",");
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%zu,%zu,%zu,%d,", i * 3, i * 3 + 1, i * 3 + 2,
                              d.card[i]);
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%.17g,%.17g,%d,", d.weight[i], d.time[i], d.card[i]);
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%.17g,", d.amount[i]);
        n += (size_t)snprintf(csv + n, sizeof csv - n, "%d\n", d.label[i]);
    }
}

static scarce_read_options options(void)
{
    static const char *const categorical[] = {"digit"};
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    ro.label = "fraud";
    ro.weight = "w";
    ro.time = "t";
    ro.group = "card";
    ro.amount = "amount";
    ro.categorical = (scarce_names){categorical, 1};
    return ro;
}

static void fill(set *s)
{
    static const char *const numbers[] = {"one", "two", "three", "spare"};
    double digit[N];
    const char *matrix;
    scarce_column *c;

    memset(s, 0, sizeof *s);
    add(s, "x", SCARCE_TYPE_F32, d.x, sizeof d.x);
    add(s, "y", SCARCE_TYPE_F32, d.y, sizeof d.y);
    add(s, "wide", SCARCE_TYPE_F64, d.wide, sizeof d.wide);
    add(s, "i8", SCARCE_TYPE_I8, d.i8, sizeof d.i8);
    add(s, "u64", SCARCE_TYPE_U64, d.u64, sizeof d.u64);
    c = add(s, "code", SCARCE_TYPE_I32, d.code, sizeof d.code);
    c->kind = SCARCE_COLUMN_CATEGORY;
    c->categories = shops;
    c->n_categories = 5;
    c = add(s, "ordered", SCARCE_TYPE_I32, d.ordered, sizeof d.ordered);
    c->kind = SCARCE_COLUMN_CATEGORY;
    c->categories = numbers;
    c->n_categories = 4;
    add(s, "text", SCARCE_TYPE_TEXT, d.text, sizeof d.text);
    c = add(s, "masked", SCARCE_TYPE_I8, d.i8, sizeof d.i8);
    c->valid = block(s, d.valid, (N + 3 + 7) / 8);
    c->valid_offset = 3;
    matrix = block(s, d.matrix, sizeof d.matrix);
    for (size_t k = 0; k < 3; ++k) { /* a matrix in C order; the last column from its end backwards */
        c = add(s, (const char *[]){"m0", "m1", "m2"}[k], SCARCE_TYPE_F32, NULL, 0);
        c->items = matrix + 4 * k;
        c->stride = 12;
    }
    for (size_t i = 0; i < N; ++i) digit[i] = d.card[i];
    c = add(s, "digit", SCARCE_TYPE_F64, digit, sizeof digit);
    c->kind = SCARCE_COLUMN_CATEGORY;
    add(s, "w", SCARCE_TYPE_F64, d.weight, sizeof d.weight)->role = SCARCE_ROLE_WEIGHT;
    add(s, "t", SCARCE_TYPE_F64, d.time, sizeof d.time)->role = SCARCE_ROLE_TIME;
    add(s, "card", SCARCE_TYPE_I16, d.card, sizeof d.card)->role = SCARCE_ROLE_GROUP;
    add(s, "amount", SCARCE_TYPE_F64, d.amount, sizeof d.amount)->role = SCARCE_ROLE_AMOUNT;
    add(s, "fraud", SCARCE_TYPE_U8, d.label, sizeof d.label)->role = SCARCE_ROLE_LABEL;
}

static scarce_model *train(const scarce_table *t, const char *method)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    CHECK(scarce_params_new(&params, method, NULL) == SCARCE_OK);
    if (strcmp(method, "gb") == 0) CHECK(scarce_params_set(params, "n_trees", "8", NULL) == SCARCE_OK);
    if (scarce_train(&model, t, params, NULL, NULL, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    scarce_params_free(params);
    return model;
}

static int same_model(const scarce_table *a, const scarce_table *b, const char *method)
{
    scarce_model *m[2] = {train(a, method), train(b, method)};
    void *bytes[2];
    size_t n[2];
    int same;
    for (int i = 0; i < 2; ++i) CHECK(scarce_model_bytes(&bytes[i], &n[i], m[i], NULL) == SCARCE_OK);
    same = n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
    for (int i = 0; i < 2; ++i) {
        scarce_bytes_free(bytes[i]);
        scarce_model_free(m[i]);
    }
    return same;
}

static void test_as_csv(void)
{
    const scarce_read_options ro = options();
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_table *want;

    prepare();
    want = read_text(csv, "d.csv", &ro);
    for (int threads = 0; threads <= 4; threads += 2)
        for (int borrow = 0; borrow < 2; ++borrow) {
            scarce_context *ctx = NULL;
            set s;
            co.threads = threads;
            if (threads) CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
            fill(&s);
            scarce_table *t = make(&s, N, borrow, NULL, ctx);
            CHECK(same_table(t, want));
            CHECK(same_model(t, want, "gb") && same_model(t, want, "logistic"));
            if (borrow) { /* what can be used as it lies is */
                CHECK(s.released == 0);
                CHECK(t->columns[0].number == s.c[0].items && t->columns[6].code == s.c[6].items);
                CHECK(t->weight == s.c[13].items && t->time == s.c[14].items && t->amount == s.c[16].items);
                CHECK(t->columns[5].code != s.c[5].items); /* its codes were numbered otherwise */
                CHECK(scarce_table_bytes(t) + 2 * sizeof d.x + sizeof d.ordered + 3 * sizeof d.time <=
                      scarce_table_bytes(want));
            }
            scarce_table_free(t);
            CHECK(s.released == 1);
            scarce_context_free(ctx);
        }
    scarce_table_free(want);
}

/* A range of a borrowed table, rows of it, and other weights. */
static void test_borrowed_views(void)
{
    const scarce_read_options ro = options();
    scarce_view_options vo = SCARCE_VIEW_OPTIONS_INIT;
    scarce_table *want, *view = NULL, *other = NULL, *rows = NULL;
    uint32_t list[100];
    set s;

    prepare();
    want = read_text(csv, "d.csv", &ro);
    fill(&s);
    scarce_table *t = make(&s, N, 1, NULL, NULL);
    vo.first = 100;
    vo.rows = 100;
    for (uint32_t i = 0; i < 100; ++i) list[i] = 100 + i;
    CHECK(scarce_table_view(&view, t, &vo, NULL) == SCARCE_OK);
    CHECK(scarce_table_rows_of(&other, want, list, 100, NULL, NULL) == SCARCE_OK);
    CHECK(scarce_table_rows_of(&rows, t, list, 100, NULL, NULL) == SCARCE_OK);
    CHECK(same_table(view, other) && same_table(rows, other));
    scarce_table_free(view);
    CHECK(s.released == 0);
    CHECK(scarce_table_set_weight(t, d.weight, NULL) == SCARCE_OK && same_table(t, want));
    scarce_table_free(t);
    CHECK(s.released == 1);
    CHECK(same_table(rows, other)); /* these were copied */
    scarce_table_free(rows);
    scarce_table_free(other);
    scarce_table_free(want);
}

/* Columns in another order, with one too many, other codes for the same texts, categories never seen: as a
 * file with these columns that is read with the model's schema. */
static void test_schema(void)
{
    static const char *const other[] = {"m", "new", "a, quoted"};
    static const char text[] =
        "label,num,extra,shop,x\n0,5,9,m,1\n1,5.5,9,new,2\n0,,9,,3\n1,7,9,\"a, quoted\",4\n";
    static const char train_text[] = "x,shop,num,label\n1,z,5.0,0\n2,\"a, quoted\",7,1\n3,m,u,0\n";
    const int8_t code[] = {0, 1, -5, 2};
    const double num[] = {5, 5.5, (double)NAN, 7};
    const float x[] = {1, 2, 3, 4}, extra[] = {9, 9, 9, 9};
    const int64_t label[] = {0, 1, 0, 1};
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_table *trained = read_text(train_text, "t.csv", NULL), *want;
    scarce_column *c;

    ro.schema = scarce_table_schema(trained);
    want = read_text(text, "d.csv", &ro);
    want->columns[2].code[0] = 0; /* the file's "5" is not the text "5.0", but the number 5 is its value */
    for (int borrow = 0; borrow < 2; ++borrow) {
        set s;
        memset(&s, 0, sizeof s);
        add(&s, "label", SCARCE_TYPE_I64, label, sizeof label);
        add(&s, "num", SCARCE_TYPE_F64, num, sizeof num);
        add(&s, "extra", SCARCE_TYPE_F32, extra, sizeof extra);
        c = add(&s, "shop", SCARCE_TYPE_I8, code, sizeof code);
        c->kind = SCARCE_COLUMN_CATEGORY;
        c->categories = other;
        c->n_categories = 3;
        add(&s, "x", SCARCE_TYPE_F32, x, sizeof x);
        scarce_table *t = make(&s, 4, borrow, scarce_table_schema(trained), NULL);
        CHECK(same_table(t, want));
        scarce_table_free(t);
        CHECK(s.released == 1);
    }
    CHECK(scarce_schema_code_number(ro.schema, 2, 5) == 0 && scarce_schema_code_number(ro.schema, 2, 7) == 1);
    CHECK(scarce_schema_code_number(ro.schema, 2, 8) == 3);
    CHECK(scarce_schema_code_number(ro.schema, 2, (double)NAN) == 3);
    scarce_table_free(want);
    scarce_table_free(trained);
}

/* Borrowed codes that agree with the schema stay where they are; others are renumbered into a copy. */
static void test_schema_codes(void)
{
    static const char *const names[][3] = {{"a", "b", "c"}, {"b", "a", "c"}};
    const int32_t code[] = {0, 1, 2, -1, 1};
    scarce_table *trained = read_text("k,label\na,0\nb,1\nc,0\n", "t.csv", NULL);
    for (int k = 0; k < 2; ++k) {
        set s;
        memset(&s, 0, sizeof s);
        scarce_column *c = add(&s, "k", SCARCE_TYPE_I32, code, sizeof code);
        c->kind = SCARCE_COLUMN_CATEGORY;
        c->categories = names[k];
        c->n_categories = 3;
        scarce_table *t = make(&s, 5, 1, scarce_table_schema(trained), NULL);
        CHECK((scarce_table_codes(t, 0) == c->items) == (k == 0) && s.released == k);
        for (int i = 0; i < 5; ++i)
            CHECK(scarce_table_codes(t, 0)[i] ==
                  (k == 0 || code[i] < 0 || code[i] == 2 ? code[i] : 1 - code[i]));
        scarce_table_free(t);
        CHECK(s.released == 1);
    }
    scarce_table_free(trained);
}

static void test_sparse(void)
{
    static const char svm[] = "0 1:1.5 3:2\n1 2:-4\n0 1:3\n1 3:nan\n0\n";
    const uint32_t rows[3][4] = {{0, 2}, {1, 0}, {0, 2, 3}};
    const double wide[2] = {1.5, 3};
    const float one[2] = {-4}, zeros[3] = {2, 0, NAN}; /* a zero is as good as not listed */
    const uint8_t label[5] = {0, 1, 0, 1, 0};
    scarce_table *want = read_text(svm, "d.svm", NULL);

    for (int borrow = 0; borrow < 2; ++borrow) {
        set s;
        memset(&s, 0, sizeof s);
        const void *items[] = {wide, one, zeros};
        const size_t count[] = {2, 1, 3};
        for (size_t k = 0; k < 3; ++k) {
            scarce_column *c =
                add(&s, (const char *[]){"1", "2", "3"}[k], k ? SCARCE_TYPE_F32 : SCARCE_TYPE_F64, items[k],
                    count[k] * (k ? sizeof(float) : sizeof(double)));
            c->kind = SCARCE_COLUMN_SPARSE;
            c->sparse_row = block(&s, rows[k], count[k] * sizeof(uint32_t));
            c->sparse_count = count[k];
        }
        add(&s, want->schema.label, SCARCE_TYPE_U8, label, sizeof label)->role = SCARCE_ROLE_LABEL;
        scarce_table *t = make(&s, 5, borrow, NULL, NULL);
        CHECK(same_table(t, want));
        if (borrow) CHECK(t->columns[1].sparse.value == s.c[1].items && !s.released);
        scarce_table_free(t);
        CHECK(s.released == 1);
    }
    scarce_table_free(want);
}

static void test_labels(void)
{
    static const struct {
        const char *positive, *labels[4], *want, *text; /* want: flags; NULL: an error of that text */
    } cases[] = {
        {NULL, {"no", "yes", "no", "no"}, "0100", NULL},
        {"no", {"no", "yes", "no", "no"}, "1011", NULL},
        {NULL, {"1", "0", "1", "1"}, "1011", NULL},
        {NULL, {"1", "2", "1", "1"}, "1011", NULL},
        {"2", {"1", "2", "3", "1"}, "0100", NULL},
        {NULL,
         {"1", "2", "3", "1"},
         NULL,
         "row 3: label column \"y\" holds a third value \"3\" beside \"1\" and "
         "\"2\" (say which one is positive)"},
        {NULL,
         {"1", "1", "1", "1"},
         NULL,
         "columns: label column \"y\" holds only \"1\"; two values are needed "
         "(is it the right column?)"},
        {NULL,
         {"1", "0", NULL, "1"},
         NULL,
         "row 3: the label (column \"y\") is missing (fill it in, or leave the row out)"},
        {"9",
         {"1", "0", "1", "1"},
         NULL,
         "columns: label column \"y\" never holds the positive value \"9\"; it holds \"1\" and others "
         "(--positive says which one is sought)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int numbers = 0; numbers < 2; ++numbers) {
            scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
            scarce_error err = SCARCE_ERROR_INIT;
            scarce_table *t = NULL;
            const float x[4] = {1, 2, 3, 4};
            double value[4];
            set s;
            if (numbers && i < 2) continue;
            for (int k = 0; k < 4; ++k)
                value[k] = cases[i].labels[k] ? atof(cases[i].labels[k]) : (double)NAN;
            memset(&s, 0, sizeof s);
            add(&s, "x", SCARCE_TYPE_F32, x, sizeof x);
            if (numbers) add(&s, "y", SCARCE_TYPE_F64, value, sizeof value)->role = SCARCE_ROLE_LABEL;
            else add(&s, "y", SCARCE_TYPE_TEXT, cases[i].labels, sizeof(char *[4]))->role = SCARCE_ROLE_LABEL;
            o.positive = cases[i].positive;
            o.release = release;
            o.payload = &s;
            const scarce_status st = scarce_table_from_columns(&t, s.c, 2, 4, &o, NULL, &err);
            CHECK((st == SCARCE_OK) == (cases[i].want != NULL));
            if (st) CHECK_TEXT(err.text, cases[i].text);
            if (st) CHECK(st == SCARCE_EDATA && !t && s.released == 1);
            for (int k = 0; t && k < 4; ++k) CHECK(scarce_table_label(t)[k] == cases[i].want[k] - '0');
            scarce_table_free(t);
            CHECK(s.released == 1);
        }
}

/* ---- what is refused: each with the column and, where there is one, the row at fault; released once */

static void refuse(set *s, size_t n_rows, const scarce_schema *schema, scarce_status want, const char *text)
{
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    o.schema = schema;
    o.release = release;
    o.payload = s;
    CHECK(scarce_table_from_columns(&t, s->c, s->n, n_rows, &o, NULL, &err) == want && !t);
    CHECK_TEXT(err.text, text);
    CHECK(s->released == 1);
}

static const float three[3] = {1, 2, 3};

static set two(void)
{
    set s;
    memset(&s, 0, sizeof s);
    add(&s, "a", SCARCE_TYPE_F32, three, sizeof three);
    add(&s, "b", SCARCE_TYPE_F32, three, sizeof three);
    return s;
}

#define REFUSE(change, rows, status, text)                                                                   \
    do {                                                                                                     \
        set s = two();                                                                                       \
        scarce_column *a = &s.c[0], *b = &s.c[1];                                                            \
        s.self = &s;                                                                                         \
        (void)a;                                                                                             \
        (void)b;                                                                                             \
        change;                                                                                              \
        refuse(&s, rows, NULL, status, text);                                                                \
    } while (0)

static void test_refused(void)
{
    static const char *const texts[] = {"p", "q"};
    static const int32_t codes[] = {0, 1, 2}, missing[] = {0, -1, 1};
    static const uint32_t down[] = {2, 1, 0}, far[] = {0, 1, 3};
    static const double bad[] = {1, -2, 3}, holes[] = {1, (double)NAN, 3}, zero[] = {0, 0, 0},
                        infinite[] = {1, 2, (double)INFINITY};

    REFUSE((void)0, 0, SCARCE_EINVAL, "a table of 0 rows and 2 columns; at least 1 of each is needed");
    REFUSE(s.n = 0, 3, SCARCE_EINVAL, "a table of 3 rows and 0 columns; at least 1 of each is needed");
    REFUSE((void)0, UINT32_MAX, SCARCE_EINVAL, "4294967295 rows; a table holds fewer than 4294967295");
    REFUSE(b->name = NULL, 3, SCARCE_EINVAL, "column 2 has no name");
    REFUSE(b->name = "", 3, SCARCE_EINVAL, "column 2 has no name");
    REFUSE(b->name = "a", 3, SCARCE_EINVAL, "two columns are named \"a\"");
    REFUSE(b->struct_size = 0, 3, SCARCE_EINVAL,
           "struct_size is 0: begin the struct with SCARCE_COLUMN_INIT");
    REFUSE(a->struct_size = sizeof *a + 1, 3, SCARCE_EINVAL,
           "column 1 has another struct_size: begin the struct with SCARCE_COLUMN_INIT");
    REFUSE(a->struct_size = 8, 3, SCARCE_EINVAL,
           "struct_size is 8: begin the struct with SCARCE_COLUMN_INIT");
    REFUSE(b->type = (scarce_type)77, 3, SCARCE_EINVAL, "column \"b\" has a type that isn't one");
    REFUSE(b->kind = (scarce_column_kind)3, 3, SCARCE_EINVAL, "column \"b\" has a kind that isn't one");
    REFUSE(b->role = 3, 3, SCARCE_EINVAL, "column \"b\" has role 3, which is none");
    REFUSE(b->role = 128, 3, SCARCE_EINVAL, "column \"b\" has role 128, which is none");
    REFUSE(b->role = -1, 3, SCARCE_EINVAL, "column \"b\" has role -1, which is none");
    REFUSE(b->items = NULL, 3, SCARCE_EINVAL, "column \"b\" has no items");
    REFUSE(a->role = b->role = SCARCE_ROLE_TIME, 3, SCARCE_EINVAL,
           "columns \"a\" and \"b\" have the same role");
    REFUSE(a->role = b->role = SCARCE_ROLE_IGNORE, 3, SCARCE_EDATA,
           "columns: no column is left as a feature");
    REFUSE((b->kind = SCARCE_COLUMN_CATEGORY, b->role = SCARCE_ROLE_AMOUNT), 3, SCARCE_EINVAL,
           "column \"b\" is a category; time, weight, amount and cost are numbers");
    REFUSE((b->categories = texts, b->n_categories = 2), 3, SCARCE_EINVAL,
           "column \"b\" has a list of categories, so it is of kind category with integer codes");
    REFUSE((b->kind = SCARCE_COLUMN_SPARSE, b->role = SCARCE_ROLE_LABEL), 3, SCARCE_EINVAL,
           "column \"b\" is sparse; only features can be");
    REFUSE((b->kind = SCARCE_COLUMN_SPARSE, b->sparse_count = 1), 3, SCARCE_EINVAL,
           "column \"b\" is sparse, but has no rows");

    REFUSE((b->kind = SCARCE_COLUMN_CATEGORY, b->type = SCARCE_TYPE_I32, b->items = codes,
            b->categories = texts, b->n_categories = 2),
           3, SCARCE_EDATA, "column \"b\", row 3: code 2, but there are 2 categories");
    REFUSE((b->kind = SCARCE_COLUMN_CATEGORY, b->type = SCARCE_TYPE_I32, b->items = missing,
            b->categories = texts, b->n_categories = 2, b->role = SCARCE_ROLE_GROUP),
           3, SCARCE_EDATA, "column \"b\", row 2: the group is missing");
    REFUSE((b->kind = SCARCE_COLUMN_SPARSE, b->sparse_row = down, b->sparse_count = 3), 3, SCARCE_EDATA,
           "column \"b\", entry 2: row 2 comes after row 3; rows must ascend");
    REFUSE((b->kind = SCARCE_COLUMN_SPARSE, b->sparse_row = far, b->sparse_count = 3), 3, SCARCE_EDATA,
           "column \"b\", entry 3: row 4 of 3");
    REFUSE((b->type = SCARCE_TYPE_F64, b->items = bad, b->role = SCARCE_ROLE_WEIGHT), 3, SCARCE_EDATA,
           "column \"b\": weight -2 of row 2, expected a number from 0 to 1e30");
    REFUSE((b->type = SCARCE_TYPE_F64, b->items = zero, b->role = SCARCE_ROLE_WEIGHT), 3, SCARCE_EDATA,
           "column \"b\": all weights are 0; at least one must be larger");
    REFUSE((b->type = SCARCE_TYPE_F64, b->items = holes, b->role = SCARCE_ROLE_TIME), 3, SCARCE_EDATA,
           "column \"b\", row 2: the time is missing");
    REFUSE((b->type = SCARCE_TYPE_F64, b->items = infinite, b->role = SCARCE_ROLE_AMOUNT), 3, SCARCE_EDATA,
           "column \"b\", row 3: the amount is not finite");
}

static void test_refused_by_schema(void)
{
    scarce_table *trained = read_text("x,k,label\n1,a,0\n2,b,1\n3,a,0\n", "t.csv", NULL);
    const scarce_schema *schema = scarce_table_schema(trained);
    static const char *const texts[] = {"a", "b", "a"};
    set s = two();
    s.self = &s;
    refuse(&s, 3, schema, SCARCE_EDATA,
           "columns: there is no column \"x\", which the model needs, among the 2: a, b");
    memset(&s, 0, sizeof s);
    add(&s, "x", SCARCE_TYPE_TEXT, texts, sizeof texts);
    add(&s, "k", SCARCE_TYPE_TEXT, texts, sizeof texts);
    refuse(&s, 3, schema, SCARCE_EDATA, "column \"x\" is a category, in the model it is a number");
    memset(&s, 0, sizeof s);
    add(&s, "x", SCARCE_TYPE_F32, three, sizeof three)->role = SCARCE_ROLE_IGNORE;
    add(&s, "k", SCARCE_TYPE_TEXT, texts, sizeof texts);
    refuse(&s, 3, schema, SCARCE_EINVAL, "column \"x\" is a feature of the model, it can't be ignored");
    scarce_table_free(trained);
}

/* A column called "y" is a feature as long as nobody says it is the label; an amount need not be one. */
static void test_roles_are_told(void)
{
    set s = two();
    s.self = &s;
    s.c[1].name = "y";
    scarce_table *t = make(&s, 3, 1, NULL, NULL);
    CHECK(!scarce_table_label(t) && scarce_table_features(t) == 2);
    scarce_table_free(t);
    s = two();
    s.self = &s;
    s.c[1].role = SCARCE_ROLE_AMOUNT | SCARCE_ROLE_IGNORE;
    t = make(&s, 3, 0, NULL, NULL);
    CHECK(scarce_table_features(t) == 1 && scarce_table_amount(t) && scarce_table_amount(t)[2] == 3);
    CHECK_TEXT(scarce_schema_role(scarce_table_schema(t), SCARCE_ROLE_AMOUNT), "b");
    scarce_table_free(t);
}

/* Nothing borrowed: released at the end of the call. A caller of an older release has a shorter struct. */
static void test_released_early(void)
{
    const double wide[3] = {1, 2, 3};
    _Alignas(scarce_column) char narrow[2][offsetof(scarce_column, valid)];
    scarce_columns_options o = SCARCE_COLUMNS_OPTIONS_INIT;
    scarce_table *t = NULL;
    set s;
    memset(&s, 0, sizeof s);
    add(&s, "x", SCARCE_TYPE_F64, wide, sizeof wide);
    t = make(&s, 3, 1, NULL, NULL);
    CHECK(s.released == 1 && scarce_table_numbers(t, 0)[2] == 3);
    scarce_table_free(t);
    CHECK(s.released == 1);

    s = two();
    s.self = &s;
    for (int i = 0; i < 2; ++i) {
        s.c[i].struct_size = sizeof narrow[i];
        memcpy(narrow[i], &s.c[i], sizeof narrow[i]);
    }
    o.release = release;
    o.payload = &s;
    CHECK(scarce_table_from_columns(&t, (const scarce_column *)(const void *)narrow, 2, 3, &o, NULL, NULL) ==
          SCARCE_OK);
    CHECK(scarce_table_features(t) == 2 && scarce_table_numbers(t, 1)[2] == 3);
    scarce_table_free(t);
    CHECK(s.released == 1);
}

static const test_case tests[] = {{"as_csv", test_as_csv},
                                  {"borrowed_views", test_borrowed_views},
                                  {"schema", test_schema},
                                  {"schema_codes", test_schema_codes},
                                  {"sparse", test_sparse},
                                  {"labels", test_labels},
                                  {"refused", test_refused},
                                  {"refused_by_schema", test_refused_by_schema},
                                  {"roles_are_told", test_roles_are_told},
                                  {"released_early", test_released_early}};
TEST_MAIN(tests)
