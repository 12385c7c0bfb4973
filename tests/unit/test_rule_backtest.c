/* SPDX-License-Identifier: Apache-2.0 */
/* Back-tests against plain counting: each rule is also a C function, every figure is counted row by row, limits by
 * looking at every window; with 1, 2 and 4 threads the same. And records of tables: what a column becomes. */
#include <stdlib.h>

#include <scarce/metrics.h>
#include <scarce/rule.h>

#include "lcg.h"
#include "test.h"

enum { ROWS = 20000, RULES = 6, GROUPS = 300 };

typedef struct row {
    double price, count, time; /* NaN: missing */
    double amount;
    const char *country; /* NULL: missing */
    int ecom, group, label, model;
} row;

static row rows[ROWS];

static const char text[] =
    "rule large stage block when price > 400 limit blocks 5% limit false_alerts 50% over 3d min 10\n"
    "rule abroad stage alert when country != \"DE\" && count > 15 say \"{country}\"\n"
    "  limit detection 90% over 5d limit fires 20/1d\n"
    "rule dark stage alert when ecom && hour(when) < 3 && price > 100 shadow\n"
    "rule later stage alert when price > 450 from 1970-01-10 until 1970-01-15\n"
    "  limit detection 1% over 20d limit fires 1000/1d\n"
    "rule never stage block when price > 1000 limit blocks 1% limit false_alerts 1% over 1d\n"
    "rule query stage alert sql \"SELECT 1\" every 1m\n";

/* 0 no, 1 yes, 2 unknown, 3 asleep */
static int verdict_of(const row *r, int rule)
{
    int a, b;
    switch (rule) {
    case 0: return isnan(r->price) ? 2 : r->price > 400;
    case 1:
        a = r->country ? strcmp(r->country, "DE") != 0 : 2;
        b = isnan(r->count) ? 2 : r->count > 15;
        return a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1;
    case 2:
        a = r->ecom && fmod(r->time, 86400) < 3 * 3600;
        if (!a) return 0;
        return isnan(r->price) ? 2 : r->price > 100;
    case 3:
        if (r->time < 9 * 86400 || r->time >= 14 * 86400) return 3;
        return isnan(r->price) ? 2 : r->price > 450;
    case 4: return isnan(r->price) ? 2 : r->price > 1000;
    default: return 3;
    }
}

static const int shadow[RULES] = {0, 0, 1, 0, 0, 0}, blocks[RULES] = {1, 0, 0, 0, 1, 0};

static scarce_table *make_table(void)
{
    static const char *const countries[] = {"DE", "FR", "BR"};
    size_t n = 0, capacity = ROWS * 90;
    char *csv = malloc(capacity);
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;
    scarce_table *t = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    lcg r = lcg_start(77);

    if (!csv) return NULL;
    n += (size_t)snprintf(csv, capacity, "price,count,country,ecom,when,card,flag,truth,amount,fraud\n");
    for (int i = 0; i < ROWS; ++i) {
        row *x = &rows[i];
        char amount[32] = "", count[32] = "";
        x->price = lcg_below(&r, 20) ? (double)lcg_below(&r, 50000) / 100 : (double)NAN;
        x->amount = (double)lcg_below(&r, 100000000) / 100;
        x->count = lcg_below(&r, 10) ? (double)lcg_below(&r, 20) : (double)NAN;
        x->country = lcg_below(&r, 10) ? countries[lcg_below(&r, 3)] : NULL;
        x->ecom = (int)lcg_below(&r, 2);
        x->group = (int)lcg_below(&r, GROUPS);
        x->time = (double)lcg_below(&r, 20 * 86400); /* in no order */
        x->label = lcg_below(&r, 100) < (x->price > 400 && x->ecom ? 20u : 1u);
        x->model = lcg_below(&r, 100) < (x->label ? 30u : 2u);
        if (!isnan(x->price)) snprintf(amount, sizeof amount, "%.2f", x->price);
        if (!isnan(x->count)) snprintf(count, sizeof count, "%.0f", x->count);
        n += (size_t)snprintf(csv + n, capacity - n, "%s,%s,%s,%d,%.0f,c%d,%d,%s,%.2f,%d\n", amount, count,
                              x->country ? x->country : "", x->ecom, x->time, x->group, i % 2,
                              i % 3 ? "True" : "false", x->amount, x->label);
    }
    o.label = "fraud", o.time = "when", o.group = "card", o.amount = "amount";
    if (scarce_table_read_bytes(&t, csv, n, NULL, &o, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text);
    free(csv);
    return t;
}

static int near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void check_rule(const scarce_backtest *b, int i)
{
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
    size_t fired = 0, unknown = 0, asleep = 0, hits = 0, alone = 0, with_model = 0, both = 0, positives = 0,
           n;
    double amount = 0, amount_hits = 0, amount_alone = 0, lo, hi;
    const uint32_t *got = scarce_backtest_rows_of(b, (size_t)i, &n);
    size_t at = 0;

    for (size_t k = 0; k < ROWS; ++k) {
        const row *x = &rows[k];
        const int v = verdict_of(x, i);
        int others = 0;
        for (int j = 0; j < RULES; ++j) others += j != i && !shadow[j] && verdict_of(x, j) == 1;
        unknown += v == 2;
        asleep += v == 3;
        positives += x->label && v != 3;
        if (v != 1) continue;
        CHECK(at < n && got[at] == k);
        ++at;
        ++fired;
        hits += (size_t)x->label;
        with_model += (size_t)x->model;
        both += (size_t)(x->label && x->model);
        amount += x->amount;
        if (x->label) amount_hits += x->amount;
        if (x->label && !x->model && others == 0) {
            ++alone;
            amount_alone += x->amount;
        }
    }
    CHECK(at == n);
    CHECK(scarce_backtest_get(b, (size_t)i, &f, NULL) == SCARCE_OK);
    CHECK(f.fired == fired && f.unknown == unknown && f.asleep == asleep && f.hits == hits &&
          f.alone == alone);
    CHECK(f.with_model == with_model && f.hits_with_model == both);
    CHECK(near(f.amount, amount) && near(f.amount_hits, amount_hits) && near(f.amount_alone, amount_alone));
    CHECK(near(f.precision, fired ? (double)hits / (double)fired : (double)NAN));
    CHECK(near(f.false_alerts, fired ? 1 - (double)hits / (double)fired : (double)NAN));
    CHECK(near(f.detection, positives ? (double)hits / (double)positives : (double)NAN));
    if (fired == 0) return;
    scarce_share_interval((double)hits, (double)fired, 0.9, &lo, &hi);
    CHECK(near(f.precision_lo, lo) && near(f.precision_hi, hi) && lo <= f.precision && f.precision <= hi);
}

static void check_sums(const scarce_backtest *b)
{
    size_t fired[4] = {0}, hits[4] = {0};
    for (size_t k = 0; k < ROWS; ++k) {
        int any = 0, block = 0;
        for (int j = 0; j < RULES; ++j) {
            const int yes = !shadow[j] && verdict_of(&rows[k], j) == 1;
            any |= yes;
            block |= yes && blocks[j];
        }
        const int is[4] = {any, block, rows[k].model, any || rows[k].model};
        for (int s = 0; s < 4; ++s) {
            fired[s] += (size_t)is[s];
            hits[s] += (size_t)(is[s] && rows[k].label);
        }
    }
    for (int s = 0; s < 4; ++s) {
        scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
        CHECK(scarce_backtest_get(b, SCARCE_BACKTEST_SUM(s), &f, NULL) == SCARCE_OK);
        CHECK(f.fired == fired[s] && f.hits == hits[s]);
        CHECK(near(f.detection, (double)hits[s] / (double)scarce_backtest_positives(b)));
    }
}

/* The block rule: how many of its rows come after an earlier one of the same card. */
static void check_after_block(const scarce_backtest *b)
{
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
    size_t after = 0;
    for (size_t k = 0; k < ROWS; ++k) {
        if (verdict_of(&rows[k], 0) != 1) continue;
        for (size_t j = 0; j < ROWS; ++j)
            if (verdict_of(&rows[j], 0) == 1 && rows[j].group == rows[k].group &&
                (rows[j].time < rows[k].time || (rows[j].time == rows[k].time && j < k))) {
                ++after;
                break;
            }
    }
    CHECK(scarce_backtest_get(b, 0, &f, NULL) == SCARCE_OK && f.after_block == after);
}

static void check_periods(const scarce_backtest *b)
{
    const size_t n = scarce_backtest_periods(b);
    CHECK(n == 3); /* times are small numbers: weeks from the first row on */
    for (size_t p = 0; p < n; ++p) {
        const scarce_backtest_period q = scarce_backtest_period_of(b, 1, p);
        size_t all = 0, positives = 0, fired = 0, hits = 0;
        CHECK(q.end - q.begin == 604800);
        for (size_t k = 0; k < ROWS; ++k) {
            if (!(rows[k].time >= q.begin && rows[k].time < q.end)) continue;
            ++all;
            positives += (size_t)rows[k].label;
            fired += verdict_of(&rows[k], 1) == 1;
            hits += verdict_of(&rows[k], 1) == 1 && rows[k].label;
        }
        CHECK(q.rows == all && q.positives == positives && q.fired == fired && q.hits == hits);
    }
}

static double last_time(void)
{
    double last = 0;
    for (size_t k = 0; k < ROWS; ++k) last = fmax(last, rows[k].time);
    return last;
}

/* Most of a rule within any window that ends with a row of it, as a number or as a share of all rows of the window. */
static double most_within(int rule, double span, int share, double limit, int *broken)
{
    double most = 0, lo, hi;
    *broken = 0;
    for (size_t k = 0; k < ROWS; ++k) {
        double fired = 0, all = 0;
        if (verdict_of(&rows[k], rule) != 1) continue;
        for (size_t j = 0; j < ROWS; ++j) {
            if (!(rows[j].time > rows[k].time - span && rows[j].time <= rows[k].time)) continue;
            ++all;
            fired += verdict_of(&rows[j], rule) == 1;
        }
        most = fmax(most, share ? fired / all : fired);
        scarce_share_interval(fired, all, 0.9, &lo, &hi);
        if (share ? fired >= 5 && fired / all > limit && lo > limit : fired > limit) *broken = 1;
    }
    return most;
}

static void check_limits(const scarce_backtest *b)
{
    static const char *const limits[] = {
        "false_alerts 50% over 3d min 10", "blocks 5%",     "detection 90% over 5d",   "fires 20/1d",
        "detection 1% over 20d",           "fires 1000/1d", "false_alerts 1% over 1d", "blocks 1%"};
    static const size_t of[] = {0, 0, 1, 1, 3, 3, 4, 4};
    double wrong = 0, fired = 0, positives = 0, found = 0, lo, hi, most;
    const double last = last_time();
    int broken;
    char want[100];

    for (size_t i = 0; i < 8; ++i) {
        const scarce_backtest_limit *l = scarce_backtest_limit_of(b, i);
        CHECK(l && l->rule == of[i]);
        if (l) CHECK_TEXT(l->limit, limits[i]);
    }
    CHECK(!scarce_backtest_limit_of(b, 8));
    for (size_t k = 0; k < ROWS; ++k) {
        const row *x = &rows[k];
        if (x->time > last - 3 * 86400 && verdict_of(x, 0) == 1) ++fired, wrong += !x->label;
        if (x->time > last - 5 * 86400 && x->label) ++positives, found += verdict_of(x, 1) == 1;
    }
    scarce_share_interval(wrong, fired, 0.9, &lo, &hi);
    CHECK((scarce_backtest_limit_of(b, 0)->state == SCARCE_LIMIT_BROKEN) == (lo > 0.5));
    snprintf(want, sizeof want, "%.0f of the %.0f alerts of the last 3d were false", wrong, fired);
    CHECK(strncmp(scarce_backtest_limit_of(b, 0)->text, want, strlen(want)) == 0);
    most = most_within(0, 3600, 1, 0.05, &broken);
    CHECK((scarce_backtest_limit_of(b, 1)->state == SCARCE_LIMIT_BROKEN) == broken && most > 0.05);
    scarce_share_interval(found, positives, 0.9, &lo, &hi);
    CHECK((scarce_backtest_limit_of(b, 2)->state == SCARCE_LIMIT_BROKEN) == (hi < 0.9));
    snprintf(want, sizeof want, "%.0f of the %.0f positives of the last 5d found", found, positives);
    CHECK(strncmp(scarce_backtest_limit_of(b, 2)->text, want, strlen(want)) == 0);
    most = most_within(1, 86400, 0, 20, &broken);
    CHECK((scarce_backtest_limit_of(b, 3)->state == SCARCE_LIMIT_BROKEN) == broken);
    snprintf(want, sizeof want, "at most %.0f within 1d: %s", most, broken ? "broken" : "kept");
    CHECK(strncmp(scarce_backtest_limit_of(b, 3)->text, want, strlen(want)) == 0);
    CHECK(scarce_backtest_limit_of(b, 5)->state == SCARCE_LIMIT_KEPT);
    CHECK(scarce_backtest_limit_of(b, 6)->state == SCARCE_LIMIT_OPEN);
    CHECK(scarce_backtest_limit_of(b, 7)->state == SCARCE_LIMIT_KEPT);
}

static void test_backtest(void)
{
    scarce_table *t = make_table();
    scarce_records *records = NULL;
    scarce_ruleset *set = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    uint8_t *alert = malloc(ROWS);
    size_t n;

    CHECK(t && alert && scarce_records_new(&records, t, &err) == SCARCE_OK);
    if (!t || !alert || !records) return;
    const scarce_record_field *fields = scarce_records_fields(records, &n);
    CHECK(scarce_ruleset_read(&set, text, sizeof text - 1, "x", fields, n, NULL, &err) == SCARCE_OK);
    CHECK_TEXT(err.text, "");
    for (size_t k = 0; k < ROWS; ++k) alert[k] = (uint8_t)rows[k].model;
    for (int threads = 1; set && threads <= 4; threads *= 2) {
        scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
        scarce_backtest_options o = SCARCE_BACKTEST_OPTIONS_INIT;
        scarce_context *ctx = NULL;
        scarce_backtest *b = NULL;
        co.threads = threads;
        o.model_alert = alert;
        CHECK(scarce_context_new(&ctx, &co, &err) == SCARCE_OK);
        CHECK(scarce_backtest_run(&b, set, records, &o, ctx, &err) == SCARCE_OK);
        CHECK_TEXT(err.text, "");
        if (b) {
            CHECK(scarce_backtest_rows(b) == ROWS && scarce_backtest_has_model(b));
            for (int i = 0; i < RULES; ++i) check_rule(b, i);
            check_sums(b);
            check_periods(b);
            if (threads == 1) check_after_block(b), check_limits(b);
        }
        scarce_backtest_free(b);
        scarce_context_free(ctx);
    }
    free(alert);
    scarce_ruleset_free(set);
    scarce_records_free(records);
    scarce_table_free(t);
}

/* What columns become, and how a row reads. */
static void test_records(void)
{
    static const struct {
        const char *name;
        scarce_value_type type;
    } want[] = {
        {"price", SCARCE_VALUE_NUMBER},  {"count", SCARCE_VALUE_NUMBER}, {"country", SCARCE_VALUE_TEXT},
        {"ecom", SCARCE_VALUE_FLAG},     {"flag", SCARCE_VALUE_FLAG},    {"truth", SCARCE_VALUE_BOOL},
        {"amount", SCARCE_VALUE_NUMBER}, {"when", SCARCE_VALUE_TIME},    {"card", SCARCE_VALUE_TEXT}};
    scarce_table *t = make_table();
    scarce_records *records = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_value v[16];
    size_t n = 0;
    char card[16];

    CHECK(t && scarce_records_new(&records, t, &err) == SCARCE_OK);
    if (!records) return;
    const scarce_record_field *fields = scarce_records_fields(records, &n);
    CHECK(n == 9 && scarce_records_table(records) == t);
    for (size_t i = 0; i < n && i < 9; ++i) {
        CHECK_TEXT(fields[i].name, want[i].name);
        CHECK(fields[i].type == want[i].type);
    }
    for (size_t k = 0; k < ROWS; k += 7) {
        scarce_records_get(records, k, NULL, 0, v);
        CHECK(v[0].known == !isnan(rows[k].price) && (!v[0].known || v[0].as.number == rows[k].price));
        CHECK(v[1].known == !isnan(rows[k].count) && (!v[1].known || v[1].as.number == rows[k].count));
        CHECK(v[2].known == (rows[k].country != NULL));
        if (rows[k].country) CHECK(v[2].size == 2 && memcmp(v[2].as.text, rows[k].country, 2) == 0);
        CHECK(v[3].known && v[3].as.number == rows[k].ecom && v[5].as.number == (k % 3 ? 1 : 0));
        CHECK(v[6].as.number == rows[k].amount && v[7].as.number == rows[k].time);
        snprintf(card, sizeof card, "c%d", rows[k].group);
        CHECK(v[8].size == strlen(card) && memcmp(v[8].as.text, card, v[8].size) == 0);
    }
    scarce_records_free(records);
    scarce_table_free(t);
}

/* Wilson's interval: the shares that are z deviations away from what was seen solve a quadratic equation. */
static void test_interval(void)
{
    double lo, hi;
    scarce_share_interval(0, 0, 0.9, &lo, &hi);
    CHECK(lo == 0 && hi == 1);
    scarce_share_interval(0, 10, 0.95, &lo, &hi);
    CHECK(lo == 0);
    CHECK_NEAR(hi, 0.27753279, 1e-7); /* scipy.stats.binomtest(0, 10).proportion_ci(method="wilson") */
    scarce_share_interval(10, 10, 0.95, &lo, &hi);
    CHECK(hi == 1);
    CHECK_NEAR(lo, 1 - 0.27753279, 1e-7);
    scarce_share_interval(37, 120, 0.9, &lo, &hi);
    CHECK_NEAR(lo, 0.24385620, 1e-6);
    CHECK_NEAR(hi, 0.38126261, 1e-6);
    for (int k = 0; k <= 40; ++k) {
        const double z2 = 1.6448536269514722 * 1.6448536269514722;
        scarce_share_interval(k, 40, 0.9, &lo, &hi);
        CHECK(0 <= lo && lo <= k / 40.0 && k / 40.0 <= hi && hi <= 1);
        if (k > 0) CHECK_NEAR((lo - k / 40.0) * (lo - k / 40.0), z2 * lo * (1 - lo) / 40, 1e-10);
        if (k < 40) CHECK_NEAR((hi - k / 40.0) * (hi - k / 40.0), z2 * hi * (1 - hi) / 40, 1e-10);
    }
}

static void test_refusals(void)
{
    static const float values[] = {1, 2};
    static const uint8_t label[] = {0, 1};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *plain = NULL, *labelled = NULL;
    scarce_backtest *b = NULL;

    CHECK(scarce_table_from_floats(&plain, values, 2, 1, NULL, NULL, &err) == SCARCE_OK);
    CHECK(scarce_table_from_floats(&labelled, values, 2, 1, NULL, label, &err) == SCARCE_OK);
    for (int i = 0; i < 2; ++i) {
        scarce_records *records = NULL;
        scarce_ruleset *set = NULL;
        scarce_backtest_options o = SCARCE_BACKTEST_OPTIONS_INIT;
        size_t n;
        static const char rule[] =
            "rule a stage alert when `1` > 1.5 limit fires 1/1d limit detection 1% over 1d";
        CHECK(scarce_records_new(&records, i ? labelled : plain, &err) == SCARCE_OK);
        const scarce_record_field *fields = scarce_records_fields(records, &n);
        CHECK(scarce_ruleset_read(&set, rule, sizeof rule - 1, "x", fields, n, NULL, &err) == SCARCE_OK);
        if (i == 0) {
            CHECK(scarce_backtest_run(&b, set, records, NULL, NULL, &err) == SCARCE_EDATA && !b);
            CHECK_TEXT(err.text, "a back-test needs labels: rows that are known to be positive or not");
        } else {
            scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
            o.level = 1;
            CHECK(scarce_backtest_run(&b, set, records, &o, NULL, &err) == SCARCE_EINVAL && !b);
            CHECK(scarce_backtest_run(&b, set, records, NULL, NULL, &err) == SCARCE_OK && b);
            CHECK(scarce_backtest_get(b, 0, &f, &err) == SCARCE_OK && f.fired == 1 && f.hits == 1 &&
                  isnan(f.amount));
            CHECK(scarce_backtest_get(b, 1, &f, &err) == SCARCE_EINVAL);
            CHECK(scarce_backtest_periods(b) == 0);
            CHECK(scarce_backtest_limit_of(b, 0)->state == SCARCE_LIMIT_OPEN);
            CHECK_TEXT(scarce_backtest_limit_of(b, 0)->text,
                       "can't be judged without a time column (--time)");
            scarce_backtest_free(b);
        }
        scarce_ruleset_free(set);
        scarce_records_free(records);
    }
    scarce_table_free(plain);
    scarce_table_free(labelled);
}

static const test_case tests[] = {{"backtest", test_backtest},
                                  {"records", test_records},
                                  {"interval", test_interval},
                                  {"refusals", test_refusals}};
TEST_MAIN(tests)
