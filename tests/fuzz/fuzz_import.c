/* SPDX-License-Identifier: Apache-2.0 */
/* Models of XGBoost (JSON, UBJ) and LightGBM (text) nobody vouches for. What is imported must keep the
 * invariants of tree/forest.h, give the same bits whichever way it is scored, and, exported as XGBoost JSON,
 * be imported again. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "tree/fast.h"
#include "tree/import.h"

enum { ROWS = 6 };

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Values at the thresholds and beside them, codes in and beyond the sets, missing, infinite. */
static void fill(float *rows, const scarce__forest *f)
{
    static const float numbers[] = {0, NAN, -1, 1e30f, 3, INFINITY, 31, 1, 64, -0.0f, 2};
    size_t k = 0;
    for (size_t i = 0; i < ROWS * f->n_features; ++i) rows[i] = numbers[(i * 7 + i / 5) % 11];
    for (size_t i = 0; f->n_trees && i < f->tree_begin[f->n_trees] && k < 4 * f->n_features; ++i) {
        const scarce__node *node = &f->nodes[i];
        if (node->feature < 0 || (node->flags & SCARCE__CATEGORY)) continue;
        rows[(k % ROWS) * f->n_features + (size_t)node->feature] =
            k % 3 == 0 ? node->value : nextafterf(node->value, k % 3 == 1 ? -INFINITY : INFINITY);
        ++k;
    }
}

static void score(const scarce__forest *f)
{
    float *rows = calloc(ROWS * f->n_features + 1, sizeof *rows);
    double batch[ROWS];
    scarce__fast *fast = NULL;
    MUST(rows != NULL && scarce__fast_new(&fast, f, NULL) == SCARCE_OK);
    fill(rows, f);
    for (int level = 2; level >= 0; --level) {
        (void)scarce__fast_set_level(fast, level);
        scarce__fast_batch(fast, rows, ROWS, f->n_features, batch);
        for (size_t r = 0; r < ROWS; ++r) {
            const double want = scarce__forest_walk(f, rows + r * f->n_features);
            MUST(same(want, scarce__fast_one(fast, rows + r * f->n_features)) && same(want, batch[r]));
        }
    }
    scarce__fast_free(fast);
    free(rows);
}

static const char *name_of(void *payload, size_t f)
{
    return ((scarce__imported *)payload)->names[f];
}

static void export(scarce__imported *m)
{
    scarce__text text = SCARCE__TEXT_INIT;
    scarce__imported again;
    const scarce_status st = scarce__export_xgboost(&text, &m->forest, m->link, m->slope, name_of, m, NULL);
    MUST(st == SCARCE_OK || st == SCARCE_EUNSUPPORTED);
    if (st == SCARCE_OK) {
        MUST(!text.failed && text.bytes);
        if (scarce__import_any(&again, text.bytes, text.n, NULL) == SCARCE_OK) {
            MUST(again.forest.n_features == m->forest.n_features);
            scarce__imported_deinit(&again);
        }
    }
    scarce__text_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scarce__imported m;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = scarce__import_any(&m, (const char *)data, size, &err);
    MUST(st == SCARCE_OK || (err.code == st && err.text[0]));
    MUST(st == SCARCE_OK || st == SCARCE_EPARSE || st == SCARCE_EUNSUPPORTED || st == SCARCE_EVERSION);
    if (st != SCARCE_OK) return 0;
    MUST(scarce__forest_check(&m.forest, &err) == SCARCE_OK);
    MUST(m.names && m.objective && m.link <= SCARCE__LINK_EXP && isfinite(m.slope));
    for (size_t f = 0; f < m.forest.n_features; ++f) MUST(m.names[f] != NULL);
    score(&m.forest);
    export(&m);
    scarce__imported_deinit(&m);
    return 0;
}
