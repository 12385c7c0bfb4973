/* SPDX-License-Identifier: Apache-2.0 */
/* Many trainings on one table: what they share changes no bit of a score, whatever their settings, and a training
 * whose settings want other bins makes its own. */
#include <math.h>
#include <stdlib.h>

#include "method/method.h"
#include "test.h"
#include "unit/studies.h"

static scarce_params *params_of(const char *spec)
{
    scarce_params *p = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_params_of_spec(&p, spec, &err) != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    CHECK(p != NULL);
    return p;
}

static double *scores_of(const scarce_model *m, const scarce_table *t)
{
    double *score = malloc(scarce_table_rows(t) * sizeof *score);
    scarce_scorer *s = NULL;
    CHECK(scarce_scorer_new(&s, m, NULL) == SCARCE_OK);
    CHECK(scarce_scorer_table(s, t, score, NULL, NULL, NULL) == SCARCE_OK);
    scarce_scorer_free(s);
    return score;
}

static void check_same(const scarce_table *t, const char *spec, const void *shared)
{
    scarce_params *p = params_of(spec);
    scarce_model *alone = NULL, *together = NULL;
    double *a, *b;

    CHECK(scarce_train(&alone, t, p, NULL, NULL, NULL, NULL) == SCARCE_OK);
    CHECK(scarce__train_to_judge(&together, t, p, NULL, shared, NULL, NULL) == SCARCE_OK);
    a = scores_of(alone, t);
    b = scores_of(together, t);
    CHECK(memcmp(a, b, scarce_table_rows(t) * sizeof *a) == 0);
    CHECK(scarce_model_threshold(alone) == scarce_model_threshold(together));
    CHECK(scarce_model_note(alone, "rows_seen") && !scarce_model_note(together, "rows_seen"));
    CHECK(!isnan(scarce_model_missing(alone, 0)) && isnan(scarce_model_missing(together, 0)));
    free(a);
    free(b);
    scarce_model_free(alone);
    scarce_model_free(together);
    scarce_params_free(p);
}

static void test_same_bits(void)
{
    static const char *const specs[] = {"gb:n_trees=8",
                                        "gb:n_trees=8:max_leaves=5:splits=random:learning_rate=0.3",
                                        "gb:n_trees=8:max_bins=16",
                                        "gb:n_trees=8:min_category_rows=5",
                                        "gb:n_trees=8:sample=importance:neg_per_pos=3",
                                        "random-under:ratio=0.5+gb:n_trees=8"};
    scarce_table *t = study_table(0, 0), *other = study_table(0, 0);
    scarce_params *p = params_of("gb");
    void *shared = NULL, *of_other = NULL;

    CHECK(scarce__train_share(&shared, t, p, NULL, NULL) == SCARCE_OK && shared);
    CHECK(scarce__train_share(&of_other, other, p, NULL, NULL) == SCARCE_OK && of_other);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; ++i) {
        check_same(t, specs[i], shared);
        check_same(t, specs[i], NULL);
        check_same(t, specs[i], of_other); /* bins of another table are not taken */
    }
    scarce__train_unshare(p, shared);
    scarce__train_unshare(p, of_other);
    scarce_params_free(p);
    scarce_table_free(t);
    scarce_table_free(other);
}

/* Methods that have nothing to share say so, and specifications that resample share nothing. */
static void test_nothing(void)
{
    static const char *const specs[] = {"logistic", "random-under:ratio=0.5+gb"};
    scarce_table *t = study_table(0, 0);
    for (size_t i = 0; i < 2; ++i) {
        scarce_params *p = params_of(specs[i]);
        void *shared = p;
        CHECK(scarce__train_share(&shared, t, p, NULL, NULL) == SCARCE_OK && shared == NULL);
        scarce__train_unshare(p, shared);
        scarce_params_free(p);
    }
    scarce_table_free(t);
}

static const test_case tests[] = {{"same_bits", test_same_bits}, {"nothing", test_nothing}};
TEST_MAIN(tests)
