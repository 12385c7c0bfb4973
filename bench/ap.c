/* SPDX-License-Identifier: Apache-2.0 */
/* ap SCORES.npy LABELS.npy THREADS ap|ap32|all: average precision alone (double or float scores), or all
 * metrics. */
#include "bench.h"

#include "core/context.h"
#include "eval/ap.h"

int main(int argc, char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scored in = SCARCE_SCORED_INIT;
    scarce_context *ctx;
    scarce_metrics m = SCARCE_METRICS_INIT;
    size_t n, one;
    double *score, ap = 0;
    float *score32;
    uint8_t *label;
    char word[64];

    if (argc != 5) die("ap", "SCORES.npy LABELS.npy THREADS ap|ap32|all");
    score = npy(argv[1], sizeof *score, &n, &one);
    label = npy(argv[2], 1, &n, &one);
    ctx = context(atoi(argv[3]));
    score32 = malloc(n * sizeof *score32);
    if (!score32) die("ap", "no memory");
    for (size_t i = 0; i < n; ++i) score32[i] = (float)score[i];
    in.n = n, in.score = score, in.label = label;
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall(), c = cpu();
        if (!strcmp(word, "info")) {
            printf("{\"ap\": %.12f, \"rss_mib\": %.1f}\n", ap, peak());
            continue;
        }
        if (!strcmp(argv[4], "ap"))
            must(scarce__ap_fast(&ap, score, label, NULL, n, scarce__context_pool(ctx), &err), &err);
        else if (!strcmp(argv[4], "ap32"))
            must(scarce__ap_fast_f32(&ap, score32, label, NULL, n, scarce__context_pool(ctx), &err), &err);
        else {
            must(scarce_metrics_compute(&m, &in, NULL, ctx, &err), &err);
            ap = m.ap;
        }
        printf("{\"seconds\": %.6f, \"cpu\": %.6f}\n", wall() - t, cpu() - c);
    }
    scarce_context_free(ctx);
    free(score);
    free(score32);
    free(label);
    return 0;
}
