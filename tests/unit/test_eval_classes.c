/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of more than two classes, by hand. */
#include <math.h>

#include <scarce/scarce.h>

#include "test.h"

static void test_by_hand(void)
{
    /* the last row is of none */
    static const uint8_t own[] = {0, 0, 1, 2, 1, SCARCE_NO_CLASS};
    static const double p[] = {0.7, 0.2, 0.1, 0.3, 0.6,  0.1,  0.2, 0.5, 0.3,
                               0.1, 0.1, 0.8, 0.4, 0.35, 0.25, 0.9, 0.1, 0.0};
    scarce_class_metrics f[3];
    double error, loss;

    CHECK(scarce_metrics_classes(f, &error, &loss, own, p, 6, 3, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(error, 0.4, 1e-15); /* rows 2 and 5 */
    CHECK_NEAR(loss, -(log(0.7) + log(0.3) + log(0.5) + log(0.8) + log(0.35)) / 5, 1e-12);
    CHECK(f[0].rows == 2 && f[0].guessed == 2 && f[0].hits == 1);
    CHECK(f[1].rows == 2 && f[1].guessed == 2 && f[1].hits == 1);
    CHECK(f[2].rows == 1 && f[2].guessed == 1 && f[2].hits == 1);
    CHECK(f[0].precision == 0.5 && f[1].recall == 0.5 && f[2].precision == 1 && f[2].ap == 1);
    CHECK_NEAR(f[0].log_loss, -(log(0.7) + log(0.3)) / 2, 1e-12);
    CHECK_NEAR(f[0].ap, (1 + 2.0 / 3) / 2, 1e-12);       /* .7 .4 .3: the second is of class 1 */
    CHECK_NEAR(f[1].ap, (1.0 / 2 + 2.0 / 3) / 2, 1e-12); /* .6 .5 .35 */
}

static void test_corners(void)
{
    static const uint8_t own[] = {1, 1}, wrong[] = {3};
    static const double p[] = {0, 1, 0, 1, 0, 0};
    scarce_class_metrics f[3];
    double error, loss;

    CHECK(scarce_metrics_classes(f, &error, &loss, own, p, 2, 3, NULL, NULL) == SCARCE_OK);
    CHECK_NEAR(loss, 52 * log(2.0) / 2, 1e-12); /* a probability of 0 counts as 2^-52 */
    CHECK(isnan(f[0].recall) && f[0].precision == 0 && isnan(f[2].precision) && isnan(f[0].ap) &&
          isnan(f[1].ap));
    CHECK(scarce_metrics_classes(f, &error, &loss, NULL, NULL, 0, 3, NULL, NULL) == SCARCE_OK &&
          isnan(error));
    CHECK(scarce_metrics_classes(f, &error, &loss, wrong, p, 1, 3, NULL, NULL) == SCARCE_EDATA);
}

static const test_case tests[] = {{"by hand", test_by_hand}, {"corners", test_corners}};

TEST_MAIN(tests)
