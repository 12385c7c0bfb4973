/* SPDX-License-Identifier: Apache-2.0 */
/* rules N run|say|plain: time of one record through N rules of the shape
 *     amount > a * mean_7d + b && country != home && (count_1d >= c || since < d) && !ecom || mcc in risky && amount > e
 * (some 25 steps), without and with the sentences of those that fire; `plain` are the same conditions in C, which know
 * no missing values. Records are 1,000 different ones with a missing value in every tenth. */
#include "bench.h"

enum { RECORDS = 1000, FIELDS = 9 };

static const scarce_record_field fields[FIELDS] = {
    {"amount", SCARCE_VALUE_NUMBER}, {"mean_7d", SCARCE_VALUE_NUMBER}, {"count_1d", SCARCE_VALUE_NUMBER},
    {"since", SCARCE_VALUE_NUMBER},  {"country", SCARCE_VALUE_TEXT},   {"home", SCARCE_VALUE_TEXT},
    {"mcc", SCARCE_VALUE_TEXT},      {"ecom", SCARCE_VALUE_BOOL},      {"time", SCARCE_VALUE_TIME}};

static scarce_value records[RECORDS][FIELDS];
static double limits[5][4096];

static uint64_t state = 1;
static uint64_t draw(uint64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static void fill(void)
{
    static const char *const texts[] = {"DE", "FR", "IT", "BR", "5732", "7995", "5411", "5812"};
    for (int i = 0; i < RECORDS; ++i) {
        scarce_value *r = records[i];
        r[0] = scarce_value_number((double)draw(50000) / 100);
        r[1] = scarce_value_number((double)draw(20000) / 100);
        r[2] = scarce_value_number((double)draw(20));
        r[3] = scarce_value_number((double)draw(100000));
        r[4] = scarce_value_text(texts[draw(4)], 2);
        r[5] = scarce_value_text(texts[draw(4)], 2);
        r[6] = scarce_value_text(texts[4 + draw(4)], 4);
        r[7] = scarce_value_number((double)draw(2));
        r[8] = scarce_value_number(1.7e9 + (double)draw(86400));
        if (i % 10 == 0) r[draw(4)] = scarce_value_missing();
    }
}

static scarce_ruleset *make_rules(size_t n)
{
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    char *text = malloc(400 * n + 100);
    size_t used = (size_t)sprintf(text, "list risky = { \"5732\", \"7995\" }\n");

    for (size_t i = 0; i < n; ++i) {
        limits[0][i] = 1 + (double)draw(50) / 10, limits[1][i] = (double)draw(200);
        limits[2][i] = (double)draw(10), limits[3][i] = (double)draw(5000),
        limits[4][i] = 300 + (double)draw(200);
        used += (size_t)sprintf(
            text + used,
            "rule r%zu stage block when amount > %g * mean_7d + %g && country != home && (count_1d >= %g || "
            "since < %g) && !ecom || mcc in risky && amount > %g\n"
            "  say \"amount {amount:2} is {amount / mean_7d:1} times the mean\"\n",
            i, limits[0][i], limits[1][i], limits[2][i], limits[3][i], limits[4][i]);
    }
    must(scarce_ruleset_read(&set, text, used, "bench", fields, FIELDS, NULL, &err), &err);
    free(text);
    return set;
}

static int plain_rule(const scarce_value *r, size_t i)
{
    const double amount = r[0].as.number;
    const int risky =
        r[6].size == 4 && (!memcmp(r[6].as.text, "5732", 4) || !memcmp(r[6].as.text, "7995", 4));
    return (amount > limits[0][i] * r[1].as.number + limits[1][i] &&
            (r[4].size != r[5].size || memcmp(r[4].as.text, r[5].as.text, r[4].size)) &&
            (r[2].as.number >= limits[2][i] || r[3].as.number < limits[3][i]) && r[7].as.number == 0) ||
           (risky && amount > limits[4][i]);
}

int main(int argc, char **argv)
{
    const size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    scarce_ruleset *set;
    uint8_t verdict[4096];
    char word[64], text[200];
    size_t fired = 0;

    if (n == 0 || n > 4096) die("rules", "N run|say|plain");
    fill();
    set = make_rules(n);
    printf("{}\n");
    while (next_word(word)) {
        if (!strcmp(word, "info")) {
            printf("{\"fired\": %zu, \"rss_mib\": %.1f}\n", fired, peak());
            continue;
        }
        const double t = wall(), c = cpu();
        fired = 0;
        for (int i = 0; i < RECORDS; ++i) {
            if (!strcmp(argv[2], "plain")) {
                for (size_t k = 0; k < n; ++k) fired += (size_t)plain_rule(records[i], k);
                continue;
            }
            fired += scarce_ruleset_run(set, records[i], 1.7e9, verdict);
            for (size_t k = 0; !strcmp(argv[2], "say") && k < n; ++k)
                if (verdict[k] == SCARCE_RULE_YES)
                    fired += scarce_ruleset_say(set, k, records[i], text, sizeof text) > 1e6;
        }
        printf("{\"seconds\": %.9g, \"cpu\": %.9g}\n", (wall() - t) / RECORDS, (cpu() - c) / RECORDS);
    }
    scarce_ruleset_free(set);
    return 0;
}
