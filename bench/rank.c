/* SPDX-License-Identifier: Apache-2.0 */
/* rank mode=MODE X=FILE y=FILE.npy threads= spec=METHOD:key=value:... depth= criterion=: ranking trees.
 *
 * mode=train: a run is scarce_train of the specification, from a table in memory to the model (bins, growth, threshold).
 * mode=tree: bins are made once; a run is one tree by the criterion, of `depth` levels.
 *
 * "info" tells the leaves, the highest memory before and after, and the bytes of the binned table. */
#include "bench.h"

#include "core/context.h"
#include "tree/grow.h"

static const char *mode = "train", *x_path, *y_path, *spec = "metaap:max_depth=5", *criterion = "ap";
static int threads = 2, depth = 10;

static void set(const char *key, const char *value)
{
    if (!strcmp(key, "mode")) mode = value;
    else if (!strcmp(key, "X")) x_path = value;
    else if (!strcmp(key, "y")) y_path = value;
    else if (!strcmp(key, "spec")) spec = value;
    else if (!strcmp(key, "criterion")) criterion = value;
    else if (!strcmp(key, "threads")) threads = atoi(value);
    else if (!strcmp(key, "depth")) depth = atoi(value);
    else die("rank: unknown key", key);
}

/* What mode=tree grows on. */
typedef struct ground {
    scarce__bins bins;
    scarce__codes codes;
    scarce__grower *grower;
    scarce__binned_tree tree;
    float *g, *h;
} ground;

static void prepare(ground *p, const scarce_table *table, scarce_context *ctx)
{
    const size_t n = scarce_table_rows(table);
    const uint8_t *label = scarce_table_label(table);
    scarce__bin_options bins = SCARCE__BIN_OPTIONS_INIT;
    scarce__grow_options o = SCARCE__GROW_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    o.rules.criterion = scarce__criterion_find(criterion);
    o.rules.min_child_weight = 0;
    o.max_leaves = 0;
    o.max_depth = depth;
    o.learning_rate = 1;
    o.growth = SCARCE__LEVEL_WISE;
    o.plain = 1;
    must(scarce__bins_find(&p->bins, table, NULL, 0, NULL, &bins, ctx, &err), &err);
    must(scarce__codes_build(&p->codes, &p->bins, table, NULL, 0, 1, ctx, &err), &err);
    must(scarce__grower_new(&p->grower, &p->bins, n, &o, &err), &err);
    p->g = malloc(n * sizeof *p->g);
    p->h = malloc(n * sizeof *p->h);
    if (!p->g || !p->h) die("rank", "no memory");
    for (size_t i = 0; i < n; ++i) p->g[i] = label[i] ? -1.0f : 0, p->h[i] = 1;
}

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    ground p = {0};
    char word[64];
    double before, leaves = 0;

    for (int i = 1; i < argc; ++i) {
        char *eq = strchr(argv[i], '=');
        if (!eq) die("rank: not key=value", argv[i]);
        *eq = 0;
        set(argv[i], eq + 1);
    }
    if (!x_path) die("rank", "X= is missing");
    scarce_context *ctx = context(threads);
    scarce_table *table = table_of(x_path, y_path, ctx);
    const size_t rows = scarce_table_rows(table);
    must(scarce_params_of_spec(&params, spec, &err), &err);
    if (!strcmp(mode, "tree")) prepare(&p, table, ctx);
    FILE *reset = fopen("/proc/self/clear_refs", "w"); /* the peak of reading is not asked for */
    if (reset) fputs("5", reset), fclose(reset);
    before = peak();
    printf("{\"before_mib\": %.1f}\n", before);
    while (next_word(word)) {
        if (!strcmp(word, "go")) {
            const double c = cpu(), s = wall();
            if (p.grower) {
                must(scarce__grower_tree(p.grower, &p.tree, &p.codes, p.g, p.h, scarce_table_label(table), 0,
                                         ctx, &err),
                     &err);
                leaves = (double)(p.tree.n_nodes + 1) / 2;
            } else {
                scarce_model *model = NULL;
                must(scarce_train(&model, table, params, NULL, NULL, ctx, &err), &err);
                scarce_model_free(model);
            }
            printf("{\"seconds\": %.6f, \"cpu\": %.6f}\n", wall() - s, cpu() - c);
        } else
            printf("{\"leaves\": %.0f, \"more_mib\": %.1f, \"binned_mib\": %.1f}\n", leaves, peak() - before,
                   (double)scarce__codes_bytes(rows, scarce_table_features(table), 1) / 1048576);
    }
    scarce__grower_free(p.grower);
    scarce__codes_deinit(&p.codes);
    scarce__bins_deinit(&p.bins);
    scarce__binned_tree_deinit(&p.tree);
    free(p.g);
    free(p.h);
    scarce_params_free(params);
    scarce_table_free(table);
    scarce_context_free(ctx);
    return 0;
}
