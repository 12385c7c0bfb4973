/* SPDX-License-Identifier: Apache-2.0 */
/* eval --drift: which features are spread otherwise than in training. */
#include <math.h>
#include <stdlib.h>

#include "program.h"

enum { SHOWN = 30 };

typedef struct item {
    double psi;
    size_t feature;
} item;

/* The largest first, then by number; NaN last. */
static int larger(const void *a, const void *b)
{
    const item *x = a, *y = b;
    const double p = isnan(x->psi) ? -1 : x->psi, q = isnan(y->psi) ? -1 : y->psi;
    if (p != q) return p > q ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static void print_json(const item *items, size_t n, const scarce_schema *schema)
{
    json_key("drift"), json_open('[');
    for (size_t i = 0; i < n; ++i) {
        json_open('{');
        json_key("feature"), json_text(scarce_schema_name(schema, items[i].feature));
        json_key("psi"), json_number(items[i].psi);
        json_close('}');
    }
    json_close(']');
}

static void print_text(const item *items, size_t n, const scarce_schema *schema)
{
    size_t much = 0, some = 0;

    for (size_t i = 0; i < n; ++i) much += items[i].psi >= 0.25, some += items[i].psi >= 0.1;
    printf("\nspread of the features, against the training rows (PSI; below 0.1 is little, above 0.25 much): "
           "%zu much, %zu some\n",
           much, some - much);
    for (size_t i = 0; i < n && i < SHOWN; ++i) {
        if (isnan(items[i].psi))
            printf("  %-40s %8s\n", shown(scarce_schema_name(schema, items[i].feature)), "n/a");
        else printf("  %-40s %8.4f\n", shown(scarce_schema_name(schema, items[i].feature)), items[i].psi);
    }
    if (n > SHOWN) printf("  and %zu more, which changed less (--json lists them)\n", n - SHOWN);
}

scarce_status print_drift(const scarce_model *model, const scarce_table *table, int json, scarce_error *err)
{
    const scarce_schema *schema = scarce_model_schema(model);
    const size_t n = scarce_schema_features(schema);
    double *psi = malloc((n + 1) * sizeof *psi);
    item *items = malloc((n + 1) * sizeof *items);
    scarce_status st = psi && items ? scarce_model_drift(psi, model, table, err)
                                    : fail_with(err, SCARCE_ENOMEM, "out of memory");

    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) items[i] = (item){psi[i], i};
    if (st == SCARCE_OK) qsort(items, n, sizeof *items, larger);
    if (st == SCARCE_OK && json) print_json(items, n, schema);
    else if (st == SCARCE_OK) print_text(items, n, schema);
    free(psi);
    free(items);
    return st;
}
