/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the copula study, in memory: training rows, test rows of the same truth, models, scores.
 *
 *     study FOLDER RATE N FEATURES RUN INTERCEPT THREADS DRAW NAME=SPEC...
 *
 * Writes FOLDER/NAME.csv (label, true probability, score of 1000 test rows) for each method that isn't there yet; its
 * first line is a comment with the share of positives in training and the seconds it took. A method that the library doesn't
 * have is told and left out, so that a study can begin before all methods are there. INTERCEPT "rows=N" prints the
 * intercept that N rows of their own want (the document takes a million), and ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <scarce/scarce.h>

enum { N_TEST = 1000 };

typedef struct setting {
    const char *folder, *rate, *n, *features, *intercept, *draw;
    unsigned run;
    int threads;
} setting;

static void must(scarce_status status, const scarce_error *err)
{
    if (status == SCARCE_OK) return;
    fprintf(stderr, "study: %s\n", err->text);
    exit(1);
}

static scarce_context *context(int threads, uint64_t seed)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.seed = seed;
    must(scarce_context_new(&ctx, &o, &err), &err);
    return ctx;
}

/* One truth per rate: its coefficients are drawn by a seed of their own, the margins stay (document 3.1). */
static scarce_table *rows(const setting *s, const char *n, uint64_t seed, scarce_simulate_summary *summary)
{
    scarce_context *ctx = context(s->threads, seed);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    char text[8][64];
    const char *settings[8];
    int k = 0;
    snprintf(text[k++], sizeof *text, "rows=%s", n);
    snprintf(text[k++], sizeof *text, "features=%s", s->features);
    snprintf(text[k++], sizeof *text, "rate=%s", s->rate);
    snprintf(text[k++], sizeof *text, "draw=%s", s->draw);
    snprintf(text[k++], sizeof *text, "truth=true");
    if (strncmp(s->intercept, "rows=", 5) == 0)
        snprintf(text[k++], sizeof *text, "intercept_%s", s->intercept);
    else snprintf(text[k++], sizeof *text, "intercept=%s", s->intercept);
    for (int i = 0; i < k; ++i) settings[i] = text[i];
    must(scarce_simulate_table(&table, "copula", settings, (size_t)k, ctx, summary, &err), &err);
    scarce_context_free(ctx);
    return table;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_scores(const char *path, const scarce_table *train, const scarce_table *test,
                         const double *score, double seconds)
{
    char fresh[1100];
    FILE *f;
    snprintf(fresh, sizeof fresh, "%s.new", path);
    f = fopen(fresh, "w");
    if (!f) perror(fresh), exit(1);
    fprintf(f, "# share %.9g seconds %.3f\nlabel,truth,score\n",
            (double)scarce_table_positives(train) / (double)scarce_table_rows(train), seconds);
    for (size_t i = 0; i < N_TEST; ++i)
        fprintf(f, "%d,%.9g,%.9g\n", scarce_table_label(test)[i], scarce_table_exact(test, 0)[i], score[i]);
    if (fclose(f) != 0 || rename(fresh, path) != 0) perror(path), exit(1);
}

static void one_method(const setting *s, const char *name, const char *spec, const scarce_table *train,
                       const scarce_table *test)
{
    scarce_train_options options = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_context *ctx = context(s->threads, 1000 + s->run);
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_scorer *scorer = NULL;
    scarce_params *params = NULL;
    scarce_model *model = NULL;
    static double score[N_TEST];
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.csv", s->folder, name);
    if (access(path, F_OK) == 0) return;
    if (scarce_params_of_spec(&params, spec, &err) != SCARCE_OK) {
        fprintf(stderr, "study: %s left out: %s\n", name, err.text);
        scarce_context_free(ctx);
        return;
    }
    const double start = now();
    if (scarce_train(&model, train, params, &options, NULL, ctx, &err) != SCARCE_OK) {
        fprintf(stderr, "study: %s, run %u: %s\n", name, s->run, err.text);
    } else {
        const double seconds = now() - start;
        must(scarce_scorer_new(&scorer, model, &err), &err);
        must(scarce_scorer_table(scorer, test, score, NULL, ctx, &err), &err);
        write_scores(path, train, test, score, seconds);
    }
    scarce_scorer_free(scorer);
    scarce_model_free(model);
    scarce_params_free(params);
    scarce_context_free(ctx);
}

int main(int argc, char **argv)
{
    scarce_simulate_summary summary = SCARCE_SIMULATE_SUMMARY_INIT;
    if (argc < 9) {
        fprintf(stderr, "study FOLDER RATE N FEATURES RUN INTERCEPT THREADS DRAW NAME=SPEC...\n");
        return 2;
    }
    const setting s = {argv[1], argv[2], argv[3], argv[4], argv[6], argv[8], (unsigned)atoi(argv[5]), atoi(argv[7])};
    if (strncmp(s.intercept, "rows=", 5) == 0) {
        scarce_table_free(rows(&s, "64", 1, &summary));
        printf("%.9g\n", summary.intercept);
        return 0;
    }
    char n_test[16];
    snprintf(n_test, sizeof n_test, "%d", N_TEST);
    scarce_table *train = rows(&s, s.n, 2 * s.run + 10, &summary),
                 *test = rows(&s, n_test, 2 * s.run + 11, &summary);
    if (scarce_table_positives(train) == 0) {
        fprintf(stderr, "study: run %u has no positive, left out\n",
                s.run); /* 100 rows at 5 %: 6 runs of 1000 */
    } else
        for (int i = 9; i < argc; ++i) {
            char *equals = strchr(argv[i], '=');
            if (!equals) return 2;
            *equals = 0;
            one_method(&s, argv[i], equals + 1, train, test);
        }
    scarce_table_free(train);
    scarce_table_free(test);
    return 0;
}
