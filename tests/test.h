/* SPDX-License-Identifier: Apache-2.0 */
/* A test file lists its functions in one table and ends with TEST_MAIN(tests).
 *
 *     static void test_ties(void) { CHECK(1 + 1 == 2); CHECK_NEAR(ap, 0.325, 1e-12); }
 *     static const test_case tests[] = {{"ties", test_ties}};
 *     TEST_MAIN(tests)
 *
 * Run one alone: build/tests/test_eval_metrics ties */
#ifndef SCARCE_TEST_H
#define SCARCE_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

static int test_failures;

/* The thread sanitizer takes ten times as long, and what runs on one thread has nothing to tell it: ONE_THREAD(test_x) in
 * the table leaves such a function to the other builds. */
#if defined(__SANITIZE_THREAD__)
#define TEST_OF_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_OF_THREADS 1
#endif
#endif
#ifndef TEST_OF_THREADS
#define TEST_OF_THREADS 0
#endif

#if TEST_OF_THREADS
static inline void test_left_to_others(void)
{
}
#define ONE_THREAD(function) (1 ? test_left_to_others : (function))
#else
#define ONE_THREAD(function) (function)
#endif

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                          \
            ++test_failures;                                                                                 \
        }                                                                                                    \
    } while (0)

#define CHECK_NEAR(got, want, tolerance)                                                                     \
    do {                                                                                                     \
        const double got_ = (double)(got), want_ = (double)(want);                                           \
        if (!(fabs(got_ - want_) <= (tolerance))) {                                                          \
            fprintf(stderr, "%s:%d: %s is %.17g, want %.17g\n", __FILE__, __LINE__, #got, got_, want_);      \
            ++test_failures;                                                                                 \
        }                                                                                                    \
    } while (0)

#define CHECK_TEXT(got, want)                                                                                \
    do {                                                                                                     \
        const char *got_ = (got), *want_ = (want);                                                           \
        if (!got_ || strcmp(got_, want_) != 0) {                                                             \
            fprintf(stderr, "%s:%d: %s is \"%s\", want \"%s\"\n", __FILE__, __LINE__, #got,                  \
                    got_ ? got_ : "(null)", want_);                                                          \
            ++test_failures;                                                                                 \
        }                                                                                                    \
    } while (0)

#define TEST_MAIN(table)                                                                                     \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        size_t run_ = 0;                                                                                     \
        for (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; ++i) {                                      \
            if (argc > 1 && strcmp(argv[1], (table)[i].name) != 0) continue;                                 \
            (table)[i].run();                                                                                \
            ++run_;                                                                                          \
        }                                                                                                    \
        if (run_ == 0) {                                                                                     \
            fprintf(stderr, "no test of that name\n");                                                       \
            return 2;                                                                                        \
        }                                                                                                    \
        printf("%zu tests, %d failures\n", run_, test_failures);                                             \
        return test_failures != 0;                                                                           \
    }

#endif
