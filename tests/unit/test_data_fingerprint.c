/* SPDX-License-Identifier: Apache-2.0 */
/* Two tables that differ in one place of any kind have different fingerprints; moments against plain sums. */
#include <stdlib.h>
#include <unistd.h>

#include "core/random.h"
#include "data/moments.h"
#include "test.h"
#include "unit/tables.h"

static scarce_table *read_text(const char *text, scarce_format format, const scarce_read_options *given)
{
    char path[] = "/tmp/scarce_fingerprint_XXXXXX";
    const char *paths[] = {path};
    const int fd = mkstemp(path);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    if (given) o = *given;
    o.format = format;
    CHECK(scarce_table_read(&t, paths, 1, &o, NULL, &err) == SCARCE_OK);
    if (!t) fprintf(stderr, "%s\n", err.text);
    unlink(path);
    return t;
}

static uint64_t print_of(const char *text, scarce_format format, const scarce_read_options *o)
{
    scarce_table *t = read_text(text, format, o);
    const uint64_t h = t ? scarce_table_fingerprint(t) : 0;
    scarce_table_free(t);
    return h;
}

/* Sparse columns were left out of the report's fingerprint once. */
static void test_sparse(void)
{
    const char *base = "+1 1:2 3:4\n-1 2:1\n-1 3:5\n+1 1:1\n";
    static const char *const other[] = {
        "+1 1:2 3:4\n-1 2:1\n-1 3:6\n+1 1:1\n", /* a value */
        "+1 1:2 3:4\n-1 2:1 3:5\n-1\n+1 1:1\n", /* its row */
        "+1 1:2 3:4\n-1 1:5 2:1\n-1\n+1 1:1\n", /* its column */
        "+1 1:2 3:4\n-1 2:1\n+1 3:5\n-1 1:1\n"  /* labels */
    };
    const uint64_t h = print_of(base, SCARCE_FORMAT_LIBSVM, NULL);
    CHECK(h == print_of(base, SCARCE_FORMAT_LIBSVM, NULL));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i)
        CHECK(h != print_of(other[i], SCARCE_FORMAT_LIBSVM, NULL));
}

static void test_dense(void)
{
    const char *base = "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,u,3,9,0\n";
    static const char *const other[] = {
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n4,red,2,7,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,blue,2,7,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,rot,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,rot,2,7,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,3,7,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,8,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,v,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,u,4,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,u,3,1,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,u,3,9,1\n",
        "c,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n3,red,2,7,u,3,9,0\n",
        "a,b,w,t,g,m,e,y\n1,red,1,5,u,2,7,0\n2,blue,1,6,v,2,8,1\n"};
    const char *exact[] = {"e"};
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    o.label = "y";
    o.weight = "w";
    o.time = "t";
    o.group = "g";
    o.amount = "m";
    o.exact.items = exact;
    o.exact.count = 1;
    const uint64_t h = print_of(base, SCARCE_FORMAT_CSV, &o);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i)
        CHECK(h != print_of(other[i], SCARCE_FORMAT_CSV, &o));
    o.weight = NULL; /* then it is a feature: the same numbers in another role */
    CHECK(h != print_of(base, SCARCE_FORMAT_CSV, &o));
}

/* ---- moments, against sums in long double over the values one by one */

enum { ROWS = 400 };

static void check_column(const scarce__moments *m, const float *x, const double *w)
{
    long double weight = 0, sum = 0, square = 0;
    size_t missing = 0;
    float lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < ROWS; ++i) {
        if (!isfinite(x[i])) {
            ++missing;
            continue;
        }
        weight += (long double)(w ? w[i] : 1);
        sum += (long double)(w ? w[i] : 1) * (long double)x[i];
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    const long double mean = weight > 0 ? sum / weight : 0;
    for (int i = 0; i < ROWS; ++i)
        if (isfinite(x[i]))
            square += (long double)(w ? w[i] : 1) * ((long double)x[i] - mean) * ((long double)x[i] - mean);
    CHECK(m->n_missing == missing);
    CHECK_NEAR(m->weight, weight, 1e-9);
    CHECK_NEAR(m->mean, mean, 1e-9 * (1 + fabs((double)mean)));
    CHECK_NEAR(m->sd, weight > 0 ? sqrt((double)(square / weight)) : 0, 1e-7);
    if (missing < ROWS) CHECK(m->lo == lo && m->hi == hi);
    else CHECK(m->lo > m->hi);
}

static void test_moments(void)
{
    enum { COLUMNS = 6 }; /* normal, with gaps, constant, empty, rare entries, full sparse */
    static float x[COLUMNS][ROWS], rows[ROWS * COLUMNS];
    static double w[ROWS];
    scarce__random r = scarce__random_start(3, SCARCE__FOR_TEST, 0);
    scarce_table *t = NULL;
    scarce__moments m[COLUMNS], again[COLUMNS];
    scarce__pool *pool = NULL;

    for (int i = 0; i < ROWS; ++i) {
        x[0][i] = (float)(1000 + scarce__random_normal(&r));
        x[1][i] = scarce__random_unit(&r) < 0.2   ? NAN
                  : scarce__random_unit(&r) < 0.1 ? INFINITY
                                                  : (float)(i % 3);
        x[2][i] = 5;
        x[3][i] = NAN;
        x[4][i] = i % 40 == 7 ? (i == 47 ? NAN : (float)i) : 0;
        x[5][i] = (float)(i % 7 + 1);
        w[i] = i % 11 == 0 ? 0 : scarce__random_unit(&r);
    }
    for (int i = 0; i < ROWS; ++i)
        for (int f = 0; f < COLUMNS; ++f) rows[i * COLUMNS + f] = x[f][i];
    CHECK(scarce_table_from_floats(&t, rows, ROWS, COLUMNS, NULL, NULL, NULL) == SCARCE_OK);
    for (size_t f = 4; f < COLUMNS; ++f) to_sparse(t, f);
    CHECK(scarce__pool_new(&pool, 3, NULL) == SCARCE_OK);
    for (int weighted = 0; weighted < 2; ++weighted) {
        if (weighted) CHECK(scarce_table_set_weight(t, w, NULL) == SCARCE_OK);
        scarce__table_moments(m, t, NULL);
        scarce__table_moments(again, t, pool);
        for (int f = 0; f < COLUMNS; ++f) {
            check_column(&m[f], x[f], weighted ? w : NULL);
            CHECK(m[f].mean == again[f].mean && m[f].sd == again[f].sd && m[f].weight == again[f].weight);
        }
    }
    scarce__pool_free(pool);
    scarce_table_free(t);
}

static const test_case tests[] = {{"sparse", test_sparse}, {"dense", test_dense}, {"moments", test_moments}};
TEST_MAIN(tests)
