/* SPDX-License-Identifier: Apache-2.0 */
/* All 2,598,960 hands, counted against combinatorics; a file of hands is what its header says. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulate/poker.h"
#include "test.h"
#include "unit/files.h"

static void test_all_hands(void)
{
    static const size_t want[10] = {1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4};
    size_t count[10] = {0};
    int suit[5], rank[5], c[5];

    for (c[0] = 0; c[0] < 52; ++c[0])
        for (c[1] = c[0] + 1; c[1] < 52; ++c[1])
            for (c[2] = c[1] + 1; c[2] < 52; ++c[2])
                for (c[3] = c[2] + 1; c[3] < 52; ++c[3])
                    for (c[4] = c[3] + 1; c[4] < 52; ++c[4]) {
                        for (int i = 0; i < 5; ++i) suit[i] = c[i] / 13, rank[i] = c[i] % 13;
                        ++count[scarce__poker_hand(suit, rank)];
                    }
    for (int h = 0; h < 10; ++h) CHECK(count[h] == want[h]);
}

static void test_file(void)
{
    static const char *const settings[] = {"rows=9000", "hand=true"};
    char path[] = "/tmp/scarce_poker_XXXXXX";
    const int fd = mkstemp(path);
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    size_t n, rows = 0, positives = 0;

    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(scarce_simulate("poker", settings, 2, path, NULL, &s, NULL) == SCARCE_OK);
    char *text = slurp(path, &n), *line = text ? strtok(text, "\n") : NULL;
    CHECK(line != NULL);
    if (line) CHECK_TEXT(line, "s1,c1,s2,c2,s3,c3,s4,c4,s5,c5,hand,label");
    while ((line = strtok(NULL, "\n"))) {
        const char *end = strrchr(line, ',');
        CHECK((strstr(line, ",nothing,") != NULL) == (end[1] == '0'));
        positives += end[1] == '1';
        ++rows;
    }
    CHECK(rows == 9000 && s.rows == 9000 && s.positives == positives && s.scenario[0] == 9000 - positives);
    CHECK(positives > 4300 && positives < 4700);
    free(text);
    remove(path);
}

static const test_case tests[] = {{"all_hands", test_all_hands}, {"file", test_file}};

TEST_MAIN(tests)
