/* SPDX-License-Identifier: Apache-2.0 */
/* ADWIN and Page-Hinkley alarm where River's do (golden/make_drift.py), and go on from their bytes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "online/drift.h"
#include "test.h"
#include "unit/lcg.h"

enum { LENGTH = 4000 };

static void make_stream(double *x, int c)
{
    lcg r = lcg_start((uint64_t)c + 1);
    for (int i = 0; i < LENGTH; ++i) {
        double u = (double)lcg_below(&r, 1000) / 1000, level = 0;
        if (c == 1 && i >= 2000) level = 0.5;
        if (c == 2) level = (double)i / LENGTH;
        if (c == 3 && i / 800 % 2) level = 2;
        if (c == 4) u = lcg_below(&r, 1000) < (i < 2500 ? 10u : 60u);
        x[i] = u + level;
    }
}

static size_t find_alarms(int *place, const double *x, int adwin)
{
    scarce__adwin a;
    scarce__page_hinkley p;
    size_t n = 0;

    scarce__adwin_init(&a, 0.002);
    scarce__page_hinkley_init(&p);
    for (int i = 0; i < LENGTH; ++i) {
        if (adwin ? scarce__adwin_add(&a, x[i]) : scarce__page_hinkley_add(&p, x[i])) {
            place[n++] = i;
            if (adwin)
                scarce__adwin_init(&a, 0.002); /* as River does; the paper, and we, keep the newer part */
        }
        if (i % 500 == 77) { /* through bytes and back */
            scarce__writer w = {0};
            if (adwin) scarce__adwin_write(&a, &w);
            else scarce__page_hinkley_write(&p, &w);
            scarce__reader r = scarce__reader_of(w.bytes, w.n);
            memset(&a, 7, adwin ? sizeof a : 0);
            memset(&p, 7, adwin ? 0 : sizeof p);
            if (adwin) scarce__adwin_read(&a, &r);
            else scarce__page_hinkley_read(&p, &r);
            CHECK(!r.failed && r.at == r.end);
            for (size_t cut = 0; cut < w.n; ++cut) { /* cut off: told */
                scarce__adwin other;
                scarce__reader half = scarce__reader_of(w.bytes, cut);
                if (!adwin) break;
                scarce__adwin_read(&other, &half);
                CHECK(half.failed);
            }
            scarce__writer_deinit(&w);
        }
    }
    return n;
}

static void test_river(void)
{
    static double x[LENGTH];
    static int place[LENGTH];
    FILE *file = fopen("golden/drift.txt", "r");
    char name[32];
    int c, want;
    size_t n, lines = 0, alarms = 0;

    CHECK(file != NULL);
    while (file && fscanf(file, "%d %31s %zu", &c, name, &n) == 3) {
        make_stream(x, c);
        const size_t found = find_alarms(place, x, strcmp(name, "adwin") == 0);
        if (found != n) fprintf(stderr, "stream %d, %s: %zu alarms, not %zu\n", c, name, found, n);
        CHECK(found == n);
        for (size_t i = 0; i < n; ++i) {
            CHECK(fscanf(file, "%d", &want) == 1);
            if (i < found && place[i] != want)
                fprintf(stderr, "stream %d, %s: at %d, not %d\n", c, name, place[i], want);
            CHECK(i >= found || place[i] == want);
        }
        ++lines;
        alarms += n;
    }
    CHECK(lines == 10 && alarms > 10);
    if (file) fclose(file);
}

static void test_not_finite(void)
{
    scarce__adwin a;
    scarce__page_hinkley p;
    scarce__adwin_init(&a, 0.002);
    scarce__page_hinkley_init(&p);
    for (int i = 0; i < 1000; ++i) {
        CHECK(!scarce__adwin_add(&a, i % 3 ? (double)NAN : (double)INFINITY));
        CHECK(!scarce__page_hinkley_add(&p, i % 3 ? (double)NAN : (double)-INFINITY));
    }
    CHECK(a.width == 0 && p.n == 0);
}

static const test_case tests[] = {{"river", test_river}, {"not_finite", test_not_finite}};

TEST_MAIN(tests)
