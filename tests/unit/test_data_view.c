/* SPDX-License-Identifier: Apache-2.0 */
/* Views against tables that hold the same rows in memory of their own, and tables read from bytes against
 * those read from files. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/model.h>

#include "core/alloc.h"
#include "test.h"
#include "unit/same_table.h"

enum { N = 240 };

static scarce_table *read_text(const char *text, const char *name, const scarce_read_options *ro)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    CHECK(scarce_table_read_bytes(&t, text, strlen(text), name, ro, NULL, &err) == SCARCE_OK);
    if (!t) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return t;
}

/* Numbers with missing values, a category, every role. */
static scarce_table *dense_table(void)
{
    static char text[N * 80];
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    size_t n = (size_t)snprintf(text, sizeof text, "x,shop,w,t,card,amount,label\n");
    for (int i = 0; i < N; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d.5,%s%d,%d,%d,c%d,%d.25,%d\n",
                              i % 11 ? "" : "NA\b\b", i * 7 % 50, "s", i % 9, 1 + i % 3, i / 2, i % 17,
                              i % 100, i % 8 == 0);
    for (char *p = text; (p = strstr(p, "NA\b\b")) != NULL;) { /* NA instead of the number */
        char *comma = strchr(p, ',');
        memmove(p + 2, comma, strlen(comma) + 1);
    }
    ro.weight = "w";
    ro.time = "t";
    ro.group = "card";
    ro.amount = "amount";
    return read_text(text, "d.csv", &ro);
}

static scarce_table *sparse_table(void)
{
    static char text[N * 80];
    size_t n = 0;
    for (int i = 0; i < N; ++i) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d", i % 8 == 0);
        for (int f = 1; f < 6; ++f)
            if ((i * f) % 4 == 1) n += (size_t)snprintf(text + n, sizeof text - n, " %d:%d.5", f, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    return read_text(text, "d.svm", NULL);
}

static scarce_table *copy_of_range(const scarce_table *t, size_t first, size_t n)
{
    uint32_t rows[N];
    scarce_table *copy = NULL;
    for (size_t i = 0; i < n; ++i) rows[i] = (uint32_t)(first + i);
    CHECK(scarce_table_rows_of(&copy, t, rows, n, NULL, NULL) == SCARCE_OK);
    return copy;
}

static void test_ranges(void)
{
    static const size_t ranges[][2] = {{0, N}, {0, 1}, {N - 1, 1}, {0, 100}, {7, 100}, {100, N - 100}};
    scarce_table *tables[2] = {dense_table(), sparse_table()};

    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
            scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
            scarce_table *view = NULL, *copy = copy_of_range(tables[k], ranges[i][0], ranges[i][1]), *again;
            o.first = ranges[i][0];
            o.rows = ranges[i][0] + ranges[i][1] == N ? 0 : ranges[i][1];
            CHECK(scarce_table_view(&view, tables[k], &o, NULL) == SCARCE_OK);
            CHECK(same_table(view, copy));
            if (k == 0) CHECK(view->columns[0].number == tables[k]->columns[0].number + ranges[i][0]);
            CHECK(scarce_table_bytes(view) < scarce_table_bytes(copy) || ranges[i][1] == 1);
            /* a view of a view, and rows of one */
            o.first = o.rows = 0;
            CHECK(scarce_table_view(&again, view, NULL, NULL) == SCARCE_OK && same_table(again, copy));
            scarce_table_free(again);
            CHECK(scarce_table_rows_of(&again, view, (uint32_t[]){0}, 1, NULL, NULL) == SCARCE_OK);
            scarce_table_free(view);
            CHECK(again->n_rows == 1); /* it has left the view behind */
            scarce_table_free(again);
            scarce_table_free(copy);
        }
    for (int k = 0; k < 2; ++k) scarce_table_free(tables[k]);
}

static void *model_bytes(const scarce_table *t, size_t *n)
{
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    void *bytes = NULL;
    CHECK(scarce_params_new(&params, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_params_set(params, "n_trees", "5", NULL) == SCARCE_OK);
    if (scarce_train(&model, t, params, NULL, NULL, NULL, &err)) fprintf(stderr, "%s\n", err.text);
    CHECK(model && scarce_model_bytes(&bytes, n, model, NULL) == SCARCE_OK);
    scarce_model_free(model);
    scarce_params_free(params);
    return bytes;
}

/* A view with another label and other weights trains as the table would that holds them. */
static void test_other_label(void)
{
    uint8_t label[N];
    double weight[N];
    scarce_table *t = dense_table(), *copy = copy_of_range(t, 0, N), *view = NULL;
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;
    size_t n_a = 0, n_b = 0, positives = 0;
    void *a, *b;

    for (size_t i = 0; i < N; ++i) {
        positives += label[i] = i % 5 == 2;
        weight[i] = 1 + (double)(i % 4);
        copy->label[i] = label[i];
        copy->weight[i] = weight[i];
    }
    copy->n_positives = positives;
    o.label = label;
    o.weight = weight;
    CHECK(scarce_table_view(&view, t, &o, NULL) == SCARCE_OK && same_table(view, copy));
    CHECK(scarce_table_label(view) == label && scarce_table_weight(view) == weight);
    a = model_bytes(view, &n_a);
    b = model_bytes(copy, &n_b);
    CHECK(n_a == n_b && memcmp(a, b, n_a) == 0);
    scarce_bytes_free(a);
    scarce_bytes_free(b);
    CHECK(scarce_table_set_weight(view, weight, NULL) == SCARCE_OK); /* the view's own from here on */
    CHECK(scarce_table_weight(view) != weight && same_table(view, copy));
    scarce_table_free(view);

    o = (scarce_view_options)SCARCE_VIEW_OPTIONS_INIT;
    o.without =
        SCARCE_ROLE_LABEL | SCARCE_ROLE_WEIGHT | SCARCE_ROLE_TIME | SCARCE_ROLE_GROUP | SCARCE_ROLE_AMOUNT;
    CHECK(scarce_table_view(&view, t, &o, NULL) == SCARCE_OK);
    CHECK(!scarce_table_label(view) && !scarce_table_weight(view) && !scarce_table_time(view) &&
          !scarce_table_group(view) && !scarce_table_amount(view) && scarce_table_positives(view) == 0);
    CHECK(!scarce_schema_label(scarce_table_schema(view)) && !scarce_table_group_name(view, 0));
    CHECK(!scarce_schema_role(scarce_table_schema(view), SCARCE_ROLE_TIME));
    /* a label for a table that has none */
    scarce_table *labelled = NULL;
    o.without = 0;
    o.label = label;
    CHECK(scarce_table_view(&labelled, view, &o, NULL) == SCARCE_OK);
    CHECK_TEXT(scarce_schema_positive(scarce_table_schema(labelled)), "1");
    CHECK(scarce_table_positives(labelled) == positives);
    scarce_table_free(labelled);
    scarce_table_free(view);
    CHECK(scarce_table_positives(t) == N / 8); /* and the table is what it was */
    scarce_table_free(t);
    scarce_table_free(copy);
}

static void test_refused(void)
{
    scarce_table *t = dense_table(), *view = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    uint8_t label[N] = {0};
    double weight[N] = {0};
    scarce_view_options o = SCARCE_VIEW_OPTIONS_INIT;

    o.first = N;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EINVAL && !view);
    CHECK_TEXT(err.text, "a view of 0 rows from row 240 of a table with 240 rows");
    o.first = 1;
    o.rows = N;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EINVAL && !view);
    o.first = o.rows = 0;
    label[3] = 7;
    o.label = label;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EDATA && !view);
    CHECK_TEXT(err.text, "label 7 of row 4, expected 0 or 1");
    label[3] = 1;
    o.weight = weight;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EDATA && !view);
    o.weight = NULL;
    o.without = SCARCE_ROLE_LABEL;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EINVAL && !view);
    o.struct_size = 0;
    CHECK(scarce_table_view(&view, t, &o, &err) == SCARCE_EINVAL && !view);
    scarce_table_free(t);
}

/* ---- bytes */

static scarce_table *read_file(const char *path, const scarce_read_options *ro)
{
    scarce_table *t = NULL;
    CHECK(scarce_table_read(&t, &path, 1, ro, NULL, NULL) == SCARCE_OK);
    return t;
}

/* Packs by the system's program; 0 when there is none. */
static int pack(const char *program, const char *path, char *bytes, size_t room, size_t *n)
{
    char command[300];
    FILE *f;
    snprintf(command, sizeof command, "command -v %s >/dev/null && %s -c %s 2>/dev/null", program, program,
             path);
    f = popen(command, "r");
    if (!f) return 0;
    *n = fread(bytes, 1, room, f);
    return pclose(f) == 0 && *n > 0;
}

static void test_bytes(void)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"d.csv", "a,b,label\n1,x,0\n2,\"y\n,z\",1\n,x,0\n"},
        {"d.tsv", "a\tb\tlabel\n1\tx\t0\n2\ty\t1\n"},
        {"d.svm", "0 1:2 3:4\n1 2:1\n"},
        {"d.arff", "@relation r\n@attribute a numeric\n@attribute class {p,q}\n@data\n1,p\n?,q\n2,q\n"}};
    static const char *const packers[] = {"cat", "gzip", "zstd"};
    char packed[4096];

    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[64];
        scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
        scarce_error err = SCARCE_ERROR_INIT;
        snprintf(path, sizeof path, "/tmp/scarce-view-%d-%s", (int)getpid(), files[i].name);
        FILE *f = fopen(path, "w");
        if (!f) abort();
        CHECK(fputs(files[i].text, f) >= 0 && fclose(f) == 0);
        if (i == 3) ro.positive = "p";
        scarce_table *want = read_file(path, &ro);
        for (int k = 0; k < 3; ++k) {
            scarce_table *t = NULL;
            size_t n = 0;
            char name[80];
            if (!pack(packers[k], path, packed, sizeof packed, &n)) continue;
            snprintf(name, sizeof name, "%s%s", files[i].name, k == 1 ? ".gz" : k == 2 ? ".zst" : "");
            const scarce_status st = scarce_table_read_bytes(&t, packed, n, name, &ro, NULL, &err);
            if (st == SCARCE_EUNSUPPORTED) continue; /* a build without that library */
            CHECK(st == SCARCE_OK && t && same_table(t, want));
            if (st) fprintf(stderr, "%s: %s\n", name, err.text);
            scarce_table_free(t);
        }
        scarce_table_free(want);
        CHECK(unlink(path) == 0);
    }
}

static void test_bytes_refused(void)
{
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(scarce_table_read_bytes(&t, "a,label\n1,0\nx,1,2\n", 18, "mail.csv", NULL, NULL, &err) ==
              SCARCE_EPARSE &&
          !t);
    CHECK(strncmp(err.text, "mail.csv:3:", 11) == 0);
    CHECK(scarce_table_read_bytes(&t, NULL, 0, NULL, NULL, NULL, &err) != SCARCE_OK && !t);
    CHECK(strncmp(err.text, "memory", 6) == 0);
    CHECK(scarce_table_read_bytes(&t, NULL, 5, NULL, NULL, NULL, &err) == SCARCE_EINVAL && !t);
}

static const test_case tests[] = {{"ranges", test_ranges},
                                  {"other_label", test_other_label},
                                  {"refused", test_refused},
                                  {"bytes", test_bytes},
                                  {"bytes_refused", test_bytes_refused}};
TEST_MAIN(tests)
