/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of taking an Arrow array, a sparse matrix, the rows of a resampling and of scoring a matrix with
 * categories fails once, with all later ones. The arrays are released each time. */
#include <stdlib.h>

#include <scarce/frame.h>
#include <scarce/model.h>
#include <scarce/resample.h>

#include "oom/walk.h"

#ifdef SCARCE_FAULTS

enum { ROWS = 40 };

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

static scarce_status arrow(scarce_error *err)
{
    static double number[ROWS];
    static int32_t offset[ROWS + 1];
    static int8_t code[ROWS];
    static char text[2 * ROWS + 1];
    for (int i = 0; i < ROWS; ++i) {
        offset[i + 1] = 2 * (i + 1);
        snprintf(text + 2 * (size_t)i, 3, "%02d", i % 7);
        code[i] = (int8_t)(i % 3);
    }
    const void *b1[] = {NULL, number}, *b2[] = {NULL, offset, text}, *b3[] = {NULL, code}, *top[] = {NULL};
    struct ArrowSchema texts = {"u", "", NULL, 0, 0, NULL, NULL, release_schema, NULL},
                       f1 = {"g", "n", NULL, 0, 0, NULL, NULL, release_schema, NULL},
                       f2 = {"u", "t", NULL, 0, 0, NULL, NULL, release_schema, NULL},
                       f3 = {"c", "c", NULL, 0, 0, NULL, &texts, release_schema, NULL},
                       f4 = {"tsu:", "w", NULL, 0, 0, NULL, NULL, release_schema, NULL},
                       *fields[] = {&f1, &f2, &f3, &f4};
    struct ArrowArray dictionary = {3, 0, 0, 3, 0, b2, NULL, NULL, release_array, NULL},
                      a1 = {ROWS, 0, 0, 2, 0, b1, NULL, NULL, release_array, NULL},
                      a2 = {ROWS, 0, 0, 3, 0, b2, NULL, NULL, release_array, NULL},
                      a3 = {ROWS, 0, 0, 2, 0, b3, NULL, &dictionary, release_array, NULL},
                      *columns[] = {&a1, &a2, &a3, &a1};
    struct ArrowSchema schema = {"+s", "", NULL, 0, 4, fields, NULL, release_schema, NULL};
    struct ArrowArray array = {ROWS, 0, 0, 1, 4, top, columns, NULL, release_array, NULL};
    scarce_frame *f = NULL;

    released = 0;
    const scarce_status st = scarce_frame_arrow_array(&f, &schema, &array, err);
    CHECK(!st == (f != NULL));
    scarce_frame_free(f);
    CHECK(released == 2);
    return st;
}

static scarce_status sparse(scarce_error *err)
{
    static const int32_t start[] = {0, 2, 3, 5}, index[] = {1, 0, 1, 0, 1};
    static const double value[] = {1, 2, 3, 4, 5};
    scarce_sparse m = SCARCE_SPARSE_INIT;
    scarce_frame *f = NULL;

    m.n_rows = 3, m.n_columns = 2, m.by_rows = 1, m.start = start, m.index = index, m.value = value;
    m.value_type = SCARCE_TYPE_F64, m.n_entries = 5;
    const scarce_status st = scarce_frame_sparse(&f, &m, err);
    CHECK(!st == (f != NULL));
    scarce_frame_free(f);
    return st;
}

static scarce_table *table;
static scarce_model *model;
static float values[ROWS][2];
static uint8_t label[ROWS];

static void prepare(void)
{
    scarce_column c[3] = {SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT, SCARCE_COLUMN_INIT};
    scarce_params *p = NULL;

    for (int i = 0; i < ROWS; ++i) {
        values[i][0] = (float)(i % 9);
        values[i][1] = (float)(i % 4) + 0.5f;
        label[i] = i % 5 == 0;
    }
    c[0].name = "a", c[0].items = &values[0][0], c[0].stride = sizeof values[0];
    c[1].name = "k", c[1].items = &values[0][1], c[1].stride = sizeof values[0],
    c[1].kind = SCARCE_COLUMN_CATEGORY;
    c[2].name = "y", c[2].items = label, c[2].type = SCARCE_TYPE_U8, c[2].role = SCARCE_ROLE_LABEL;
    if (scarce_table_from_columns(&table, c, 3, ROWS, NULL, NULL, NULL) ||
        scarce_params_of_spec(&p, "gb:n_trees=2", NULL) ||
        scarce_train(&model, table, p, NULL, NULL, NULL, NULL))
        abort();
    scarce_params_free(p);
}

static scarce_status matrix(scarce_error *err)
{
    double score[ROWS];
    scarce_scorer *s = NULL;
    scarce_status st = scarce_scorer_new(&s, model, err);
    if (!st)
        st = scarce_scorer_matrix(s, values, SCARCE_TYPE_F32, ROWS, sizeof values[0], 4, score, NULL, NULL,
                                  err);
    scarce_scorer_free(s);
    return st;
}

static scarce_status rows(scarce_error *err)
{
    uint32_t *chosen = NULL;
    size_t n;
    const scarce_status st =
        scarce_resample_rows(&chosen, &n, NULL, table, "random-under:ratio=0.5", NULL, err);
    CHECK(!st == (chosen != NULL));
    scarce_resample_rows_free(chosen);
    return st;
}

static void test_all(void)
{
    prepare();
    oom_walk("arrow", arrow);
    oom_walk("sparse", sparse);
    oom_walk("matrix", matrix);
    oom_walk("rows", rows);
    scarce_table_free(table);
    scarce_model_free(model);
}

static const test_case tests[] = {{"all", test_all}};
TEST_MAIN(tests)

#else
int main(void)
{
    return 77;
}
#endif
