/* SPDX-License-Identifier: Apache-2.0 */
/* The payment stream: published counts, rules of the frauds, and features against slow recomputation
 * from the raw columns of the written file. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <scarce/simulate.h>

#include "core/alloc.h"
#include "core/bytes.h"
#include "simulate/fraud.h"
#include "test.h"
#include "unit/files.h"

static char path[256];

static void temp_path(void)
{
    snprintf(path, sizeof path, "%s/scarce-fraud-%ld.csv", P_tmpdir, (long)getpid());
}

static scarce_context *context(int threads, uint64_t seed)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    o.seed = seed;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

/* ---- the file, column by column */

enum { MAX_COLUMNS = 40, MAX_ROWS = 20000 };

typedef struct csv {
    char *text;
    size_t n_columns, n_rows;
    const char *names[MAX_COLUMNS];
    const char **cells;
} csv;

static void csv_read(csv *c)
{
    size_t n;
    char *at, *line;
    memset(c, 0, sizeof *c);
    c->text = slurp(path, &n);
    c->cells = calloc((size_t)MAX_COLUMNS * MAX_ROWS, sizeof *c->cells);
    at = c->text;
    for (size_t row = 0; at && *at && row <= MAX_ROWS; ++row) {
        size_t k = 0;
        line = at;
        at = strchr(at, '\n');
        CHECK(at != NULL);
        if (!at) break;
        *at++ = 0;
        for (char *cell = line; cell; ++k) {
            char *comma = strchr(cell, ',');
            if (comma) *comma++ = 0;
            if (row == 0) c->names[k] = cell;
            else c->cells[(row - 1) * MAX_COLUMNS + k] = cell;
            cell = comma;
        }
        if (row == 0) c->n_columns = k;
        CHECK(k == c->n_columns);
        c->n_rows = row;
    }
}

static void csv_free(csv *c)
{
    free(c->text);
    free(c->cells);
}

static size_t column(const csv *c, const char *name)
{
    for (size_t k = 0; k < c->n_columns; ++k)
        if (strcmp(c->names[k], name) == 0) return k;
    fprintf(stderr, "no column %s\n", name);
    ++test_failures;
    return 0;
}

static const char *cell(const csv *c, size_t row, size_t k)
{
    return c->cells[row * MAX_COLUMNS + k];
}

static double *numbers(const csv *c, const char *name)
{
    const size_t k = column(c, name);
    double *v = calloc(c->n_rows, sizeof *v);
    for (size_t i = 0; i < c->n_rows; ++i) v[i] = atof(cell(c, i, k));
    return v;
}

static double *window(const csv *c, const char *prefix, int days)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%dd", prefix, days);
    return numbers(c, name);
}

/* The definitions, row by row over all earlier rows. */
static void check_features(const csv *c, double delay)
{
    static const int spans[3] = {1, 7, 30};
    double *time = numbers(c, "time"), *card = numbers(c, "card"), *terminal = numbers(c, "terminal");
    double *amount = numbers(c, "amount"), *label = numbers(c, "label"), *known = numbers(c, "label_time");
    size_t risky = 0;

    for (int w = 0; w < 3; ++w) {
        const double span = 86400.0 * spans[w];
        double *cc = window(c, "card_count", spans[w]), *cm = window(c, "card_mean", spans[w]);
        double *tc = window(c, "terminal_count", spans[w]), *tr = window(c, "terminal_risk", spans[w]);
        for (size_t i = 0; i < c->n_rows; ++i) {
            double n = 0, sum = 0, m = 0, bad = 0;
            for (size_t j = 0; j <= i; ++j) {
                const double age = time[i] - time[j];
                if (card[j] == card[i] && age < span) {
                    ++n;
                    sum += amount[j];
                }
                if (j < i && terminal[j] == terminal[i] && age >= delay && age < delay + span) {
                    ++m;
                    if (label[j] != 0 && known[j] <= time[i] && age > 0) ++bad;
                }
            }
            CHECK(cc[i] == n);
            CHECK_NEAR(cm[i], sum / n, 0.00501);
            CHECK(tc[i] == m);
            CHECK_NEAR(tr[i], m > 0 ? bad / m : 0, 5.1e-7);
            risky += bad > 0;
        }
        free(cc);
        free(cm);
        free(tc);
        free(tr);
    }
    CHECK(risky > 50); /* else the comparison says nothing about risk */
    free(time);
    free(card);
    free(terminal);
    free(amount);
    free(label);
    free(known);
}

static void check_order(const csv *c)
{
    double *time = numbers(c, "time"), *card = numbers(c, "card"), *id = numbers(c, "tx_id");
    size_t ties = 0;
    for (size_t i = 0; i < c->n_rows; ++i) {
        CHECK(id[i] == (double)i);
        if (i == 0) continue;
        CHECK(time[i - 1] < time[i] || (time[i - 1] == time[i] && card[i - 1] <= card[i]));
        ties += time[i - 1] == time[i];
    }
    CHECK(ties > 0);
    free(time);
    free(card);
    free(id);
}

static void check_calendar(const csv *c, double first)
{
    double *time = numbers(c, "time"), *weekend = numbers(c, "weekend"), *night = numbers(c, "night");
    for (size_t i = 0; i < c->n_rows; ++i) {
        const time_t t = (time_t)time[i];
        struct tm tm;
        gmtime_r(&t, &tm);
        CHECK(time[i] >= first);
        CHECK((weekend[i] != 0) == (tm.tm_wday == 0 || tm.tm_wday == 6));
        CHECK((night[i] != 0) == (tm.tm_hour <= 6));
    }
    free(time);
    free(weekend);
    free(night);
}

static void test_handbook_features(void)
{
    const char *settings[] = {"preset=handbook", "customers=60",     "terminals=40",
                              "days=50",         "start=2024-02-20", "radius=9"};
    scarce_context *ctx = context(2, 3);
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    csv c;

    temp_path();
    CHECK(scarce_simulate("fraud", settings, 6, path, ctx, &s, NULL) == SCARCE_OK);
    csv_read(&c);
    CHECK(c.n_columns == 21 && c.n_rows == s.rows && c.n_rows > 3000);
    CHECK(s.cards == 60 && s.terminals == 40 && s.days == 50);
    check_order(&c);
    check_calendar(&c, 1708387200); /* 2024-02-20 */
    check_features(&c, 7 * 86400.0);
    double *time = numbers(&c, "time"), *known = numbers(&c, "label_time");
    for (size_t i = 0; i < c.n_rows; ++i) CHECK(known[i] == time[i] + 7 * 86400.0);
    free(time);
    free(known);
    csv_free(&c);
    unlink(path);
    scarce_context_free(ctx);
}

static void test_without_delay(void)
{
    const char *settings[] = {"preset=handbook", "customers=60", "terminals=40",
                              "days=40",         "delay=0",      "radius=9"};
    csv c;
    temp_path();
    CHECK(scarce_simulate("fraud", settings, 6, path, NULL, NULL, NULL) == SCARCE_OK);
    csv_read(&c);
    check_features(&c, 0);
    csv_free(&c);
    unlink(path);
}

static void test_hard_features(void)
{
    const char *settings[] = {"customers=80", "terminals=60", "days=60", "rate=0.1", "scenario=true"};
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    csv c;

    temp_path();
    CHECK(scarce_simulate("fraud", settings, 5, path, NULL, &s, NULL) == SCARCE_OK);
    csv_read(&c);
    CHECK(c.n_columns == 29 && c.n_rows == s.rows && c.n_rows > 3000);
    check_order(&c);
    check_calendar(&c, 1522540800);
    check_features(&c, 7 * 86400.0);

    double *time = numbers(&c, "time"), *card = numbers(&c, "card"), *terminal = numbers(&c, "terminal");
    double *seen = numbers(&c, "seen"), *hour = numbers(&c, "hour");
    const size_t since = column(&c, "since_last");
    for (size_t i = 0; i < c.n_rows; ++i) {
        double times = 0, last = -1;
        for (size_t j = 0; j < i; ++j) {
            if (card[j] != card[i]) continue;
            last = time[j];
            times += terminal[j] == terminal[i];
        }
        CHECK(seen[i] == times);
        CHECK(hour[i] == floor(fmod(time[i], 86400) / 3600));
        if (last < 0) CHECK_TEXT(cell(&c, i, since), "");
        else CHECK(atof(cell(&c, i, since)) == time[i] - last);
    }
    free(time);
    free(card);
    free(terminal);
    free(seen);
    free(hour);
    csv_free(&c);
    unlink(path);
}

static void same_bytes(const char *const *settings, size_t n_settings)
{
    static const int threads[4] = {1, 2, 5, 2};
    char *text[4];
    size_t n[4];
    temp_path();
    for (int i = 0; i < 4; ++i) {
        scarce_context *ctx = context(threads[i], i < 3 ? 11 : 12);
        CHECK(scarce_simulate("fraud", settings, n_settings, path, ctx, NULL, NULL) == SCARCE_OK);
        text[i] = slurp(path, &n[i]);
        scarce_context_free(ctx);
    }
    CHECK(n[0] > 1000000);
    CHECK(n[0] == n[1] && n[0] == n[2] && text[0] && text[1] && text[2]);
    CHECK(memcmp(text[0], text[1], n[0]) == 0 && memcmp(text[0], text[2], n[0]) == 0);
    CHECK(n[3] != n[0] || memcmp(text[0], text[3], n[0]) != 0);
    for (int i = 0; i < 4; ++i) free(text[i]);
    unlink(path);
}

static void test_same_bytes_for_any_threads(void)
{
    const char *handbook[] = {"preset=handbook", "customers=400", "days=60"};
    const char *hard[] = {"preset=hard", "transactions=50000"};
    same_bytes(handbook, 3);
    same_bytes(hard, 2);
}

/* The bytes of before src/feature made these columns (a generator of its own did, which test_*_features above compare
 * with slow loops): CRC-64 of whole files. */
static void test_same_as_ever(void)
{
    static const struct {
        const char *settings[5];
        size_t n;
        uint64_t seed, sum;
    } cases[] = {{{"preset=handbook", "transactions=60000"}, 2, 1, 0x787464a2c8dbc28au},
                 {{"transactions=60000"}, 1, 1, 0xb27e3961acff5693u},
                 {{"preset=handbook", "customers=300", "terminals=40", "days=60", "delay=0"},
                  5,
                  1,
                  0x4cc8102d3433b102u},
                 {{"customers=100", "terminals=60", "days=90", "rate=0.1"}, 4, 7, 0x64f75d02bd2f2f51u},
                 {{"customers=400", "days=50", "delay=0.5", "rate=0.1"}, 4, 1, 0x63c928dc146404bau},
                 {{"preset=handbook", "customers=50", "terminals=1", "days=183"}, 4, 1, 0x24c51fd2eb07b95eu}};
    temp_path();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scarce_context *ctx = context(2, cases[i].seed);
        size_t n = 0;
        CHECK(scarce_simulate("fraud", cases[i].settings, cases[i].n, path, ctx, NULL, NULL) == SCARCE_OK);
        char *text = slurp(path, &n);
        const uint64_t sum = text ? scarce__crc64(text, n) : 0;
        if (sum != cases[i].sum) fprintf(stderr, "case %zu: 0x%016llxu\n", i, (unsigned long long)sum);
        CHECK(sum == cases[i].sum);
        free(text);
        scarce_context_free(ctx);
        unlink(path);
    }
}

/* raw=true: the same payments without what was made of them. */
static void test_raw(void)
{
    const char *settings[] = {"customers=80", "terminals=60", "days=20", "raw=true"};
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    csv whole, raw;
    temp_path();
    CHECK(scarce_simulate("fraud", settings, 3, path, NULL, NULL, NULL) == SCARCE_OK);
    csv_read(&whole);
    CHECK(scarce_simulate("fraud", settings, 4, path, NULL, &s, NULL) == SCARCE_OK);
    csv_read(&raw);
    CHECK(raw.n_columns == 11 && raw.n_rows == whole.n_rows && s.rows == raw.n_rows);
    for (size_t k = 0; k < raw.n_columns; ++k) {
        const size_t c = column(&whole, raw.names[k]);
        for (size_t i = 0; i < raw.n_rows; ++i) CHECK_TEXT(cell(&raw, i, k), cell(&whole, i, c));
    }
    csv_free(&whole);
    csv_free(&raw);
    unlink(path);
}

/* ---- in memory, at full size */

static scarce__fraud_options defaults(int preset)
{
    scarce__fraud_options o;
    memset(&o, 0, sizeof o);
    o.preset = preset;
    o.customers = 5000;
    o.terminals = 10000;
    o.transactions = INT64_MIN;
    o.days = 183;
    o.rate = 0.002;
    o.radius = 5;
    o.delay_days = 7;
    o.unreported = 0.05;
    o.false_reports = 0.02;
    o.start = "2018-04-01";
    return o;
}

/* Payments placed on the very edges of windows: old ends are open, new ends closed. */
static void test_window_edges(void)
{
    enum { DAY = SECONDS_PER_DAY, N = 6 };
    static const uint32_t times[N] = {0, DAY - 1, DAY, 7 * DAY, 8 * DAY - 1, 8 * DAY};
    static const uint32_t card_1d[N] = {1, 2, 2, 1, 2, 2}, card_7d[N] = {1, 2, 3, 3, 3, 3};
    static const uint32_t terminal_1d[N] = {0, 0, 0, 1, 2, 2}, bad_1d[N] = {0, 0, 0, 1, 1, 1};
    static const uint32_t terminal_7d[N] = {0, 0, 0, 1, 2, 3}, bad_7d[N] = {0, 0, 0, 1, 1, 2};
    scarce__fraud_options o = defaults(PRESET_HANDBOOK);
    scarce__payment rows[N];
    uint32_t order[N], start[2] = {0, N};
    scarce__fraud f;

    memset(&f, 0, sizeof f);
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < N; ++i) {
        rows[i].time = times[i];
        rows[i].cents = 100 + i;
        order[i] = i;
    }
    rows[0].label = rows[2].label = 1; /* known at 7 and 8 days */
    f.options = &o;
    f.n = N;
    f.n_cards = f.n_terminals = 1;
    f.delay = 7 * DAY;
    f.rows = rows;
    f.by_card = f.by_terminal = order;
    f.card_start = f.terminal_start = start;
    CHECK(scarce__fraud_features(&f, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i) {
        CHECK(f.card_count[0][i] == card_1d[i] && f.card_count[1][i] == card_7d[i] &&
              f.card_count[2][i] == i + 1);
        CHECK(f.terminal_count[0][i] == terminal_1d[i] && f.terminal_count[1][i] == terminal_7d[i]);
        CHECK(f.terminal_count[2][i] == terminal_7d[i]);
        CHECK(f.terminal_bad[0][i] == bad_1d[i]); /* in the last one the first has left, the third come in */
        CHECK(f.terminal_bad[1][i] == bad_7d[i] && f.terminal_bad[2][i] == bad_7d[i]);
    }
    CHECK(f.card_mean[2][N - 1] == 103); /* 102.5 rounded up */
    f.rows = NULL;                       /* not the stream's to free */
    f.by_card = f.by_terminal = f.card_start = f.terminal_start = NULL;
    scarce__fraud_deinit(&f);
}

/* The handbook's own run: 1,754,155 payments; 978, 9,099 and 4,604 frauds of the three scenarios. The
 * number of payments has mean 1,773,700 and deviation 14,500 over seeds (U(0,4) per customer). */
static void test_handbook_published_counts(void)
{
    const scarce__fraud_options o = defaults(PRESET_HANDBOOK);
    scarce_context *ctx = context(0, 1);
    scarce__fraud f;
    double count[4] = {0};

    CHECK(scarce__fraud_make(&f, &o, ctx, NULL) == SCARCE_OK);
    for (size_t i = 0; i < f.n; ++i) {
        const scarce__payment *p = &f.rows[i];
        ++count[p->scenario];
        CHECK(p->label == (p->scenario != 0));
        CHECK(p->scenario == 1 ? p->cents > 22000 : p->scenario != 0 || p->cents <= 22000);
        CHECK(p->scenario != 3 || p->cents % 5 == 0);
        CHECK(i == 0 || f.rows[i - 1].time <= p->time);
    }
    CHECK_NEAR(f.n, 1773700, 4 * 14500);
    CHECK_NEAR(count[1], 978, 200);
    CHECK_NEAR(count[2], 9099, 1100);
    CHECK_NEAR(count[3], 4604, 550);
    CHECK_NEAR((double)(f.n) - count[0], 0.0083 * (double)f.n, 0.0005 * (double)f.n);

    /* a bad terminal is bad all day; and a customer's terminals fit in a circle of radius 5 */
    for (size_t t = 0; t < f.n_terminals; ++t) {
        for (uint32_t k = f.terminal_start[t]; k + 1 < f.terminal_start[t + 1]; ++k) {
            const scarce__payment *p = &f.rows[f.by_terminal[k]], *q = &f.rows[f.by_terminal[k + 1]];
            CHECK(p->terminal == t && p->time <= q->time);
            if (p->time / SECONDS_PER_DAY != q->time / SECONDS_PER_DAY) continue;
            if (p->scenario == 2) CHECK(q->scenario >= 2);
            if (q->scenario == 2) CHECK(p->scenario >= 2);
        }
    }
    for (size_t c = 0; c < f.n_cards; ++c) {
        for (uint32_t k = f.card_start[c]; k + 1 < f.card_start[c + 1]; ++k) {
            const uint32_t a = f.rows[f.by_card[k]].terminal, b = f.rows[f.by_card[k + 1]].terminal;
            CHECK(hypot((double)(f.world.x[a] - f.world.x[b]), (double)(f.world.y[a] - f.world.y[b])) <
                  10.0001);
        }
    }
    scarce__fraud_deinit(&f);
    scarce_context_free(ctx);
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_hard_rates(void)
{
    scarce__fraud_options o = defaults(PRESET_HARD);
    scarce_context *ctx = context(0, 5);
    scarce__fraud f;
    double labelled = 0, truth[4] = {0}, unreported = 0, reported_false = 0;
    size_t categories = 0;
    unsigned char used[N_CATEGORIES] = {0};

    o.customers = 2000;
    o.terminals = 4000;
    o.rate = 0.005;
    CHECK(scarce__fraud_make(&f, &o, ctx, NULL) == SCARCE_OK);
    for (size_t i = 0; i < f.n; ++i) {
        const scarce__payment *p = &f.rows[i];
        ++truth[p->scenario];
        labelled += p->label;
        unreported += p->scenario && !p->label;
        reported_false += !p->scenario && p->label;
        used[f.world.category[p->terminal]] = 1;
        CHECK(p->cents > 0 && p->channel < N_CHANNELS && p->abroad <= 1);
        CHECK((p->channel == CHANNEL_ONLINE) == (f.world.is_online[p->terminal] != 0));
    }
    const double frauds = truth[1] + truth[2] + truth[3];
    CHECK_NEAR(f.n, 2000 * 183 * scarce__hard_per_day(),
               0.08 * (double)f.n); /* 4 deviations of the activity */
    CHECK_NEAR(labelled / (double)f.n, 0.005, 0.0005);
    CHECK(truth[1] > 100 && truth[2] > 100 && truth[3] > 100);
    CHECK_NEAR(unreported / frauds, 0.05, 0.02);
    CHECK_NEAR(reported_false / frauds, 0.02, 0.015);
    for (size_t k = 0; k < N_CATEGORIES; ++k) categories += used[k];
    CHECK(categories > 250);
    /* the delay's median, and no difference between the classes that would give the label away */
    for (int positive = 0; positive < 2; ++positive) {
        uint32_t *delays = calloc(f.n, sizeof *delays);
        size_t n = 0;
        for (size_t i = 0; i < f.n; ++i)
            if (f.rows[i].label == positive) delays[n++] = f.known[i];
        qsort(delays, n, sizeof *delays, compare_u32);
        CHECK_NEAR(delays[n / 2] / 86400.0, 7, positive ? 0.6 : 0.1);
        free(delays);
    }
    scarce__fraud_deinit(&f);
    scarce_context_free(ctx);
}

/* Fraud goes on all the time, but not always in the same way: no kind has the same share in every
 * month. */
static void test_hard_drifts(void)
{
    scarce__fraud_options o = defaults(PRESET_HARD);
    scarce__fraud f;
    double by_month[6][4] = {{0}}, least = 1, most = 0;

    o.customers = 1500;
    o.terminals = 3000;
    o.rate = 0.01;
    CHECK(scarce__fraud_make(&f, &o, NULL, NULL) == SCARCE_OK);
    for (size_t i = 0; i < f.n; ++i) {
        const size_t month = f.rows[i].time / SECONDS_PER_DAY / 31;
        if (f.rows[i].scenario) ++by_month[month][f.rows[i].scenario], ++by_month[month][0];
    }
    for (int k = 0; k < 6; ++k) {
        CHECK(by_month[k][0] > 100);
        const double share = by_month[k][1] / by_month[k][0];
        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    CHECK(most - least > 0.1);
    scarce__fraud_deinit(&f);
}

static void test_near_is_exact(void)
{
    static const double radii[] = {0.3, 1, 5, 1000};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; ++k) {
        scarce__world w;
        scarce__ids ids = {NULL, 0, 0};
        CHECK(scarce__world_make(&w, 300, radii[k], k % 2 == 1, 9, NULL) == SCARCE_OK);
        for (int i = 0; i < 50; ++i) {
            const double x = w.side * i / 49, y = w.side * ((i * 37) % 50) / 49;
            size_t want = 0;
            CHECK(scarce__world_near(&w, x, y, &ids));
            for (size_t t = 0; t < w.n_terminals; ++t) {
                const double dx = (double)w.x[t] - x, dy = (double)w.y[t] - y;
                int listed = 0;
                for (size_t j = 0; j < ids.n; ++j) listed += ids.items[j] == t;
                CHECK(listed == (!w.is_online[t] && dx * dx + dy * dy < radii[k] * radii[k]));
                want += (size_t)listed;
            }
            CHECK(want == ids.n);
        }
        scarce__free(ids.items);
        scarce__world_deinit(&w);
    }
}

static void test_small_worlds(void)
{
    static const char *const lists[][4] = {
        {"customers=1", "days=1", "terminals=1", "preset=hard"},
        {"customers=1", "days=1", "terminals=1", "preset=handbook"},
        {"customers=3", "days=2", "radius=0", "preset=handbook"}, /* nobody has a terminal: no rows */
        {"customers=3", "days=40", "radius=0", "preset=hard"},
        {"transactions=1", "days=400", "rate=0.2", "unreported=0.75"},
        {"customers=50", "days=20", "rate=0", "delay_days=365"},
    };
    temp_path();
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
        CHECK(scarce_simulate("fraud", lists[i], 4, path, NULL, &s, NULL) == SCARCE_OK);
        if (i == 2) CHECK(s.rows == 0);
        if (i == 3) CHECK(s.rows > 0);
        if (i == 5) CHECK(s.positives == 0 && s.rows > 500);
    }
    unlink(path);
}

static void expect_error(const char *one, const char *two, const char *words)
{
    const char *settings[] = {one, two};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    CHECK(scarce_simulate("fraud", settings, two ? 2 : 1, path, NULL, &s, &err) == SCARCE_EINVAL);
    if (!strstr(err.text, words)) {
        fprintf(stderr, "%s: \"%s\" lacks \"%s\"\n", one, err.text, words);
        ++test_failures;
    }
    CHECK(s.rows == 0);
    CHECK(access(path, F_OK) != 0);
}

static void test_bad_settings(void)
{
    temp_path();
    unlink(path);
    expect_error("preset=easy", NULL, "easy");
    expect_error("customer=5", NULL, "customers");
    expect_error("customers=0", NULL, "customers");
    expect_error("days=1.5", NULL, "days");
    expect_error("rate=0.9", NULL, "rate");
    expect_error("customers=5", "transactions=5", "both");
    expect_error("days=5", "days=6", "days");
    expect_error("customers=100000000", "days=10000", "too many");
    expect_error("start=2018-02-29", NULL, "2018-02-29");
    expect_error("start=2018-13-01", NULL, "YYYY-MM-DD");
    expect_error("start=2018-1-1", NULL, "YYYY-MM-DD");
    expect_error("start=", NULL, "start");
}

static int stop(void *payload, const scarce_progress *progress)
{
    (void)payload;
    (void)progress;
    return 1;
}

static void test_cancel_leaves_no_file(void)
{
    const char *settings[] = {"customers=20"};
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    temp_path();
    unlink(path);
    o.progress = stop;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    CHECK(scarce_simulate("fraud", settings, 1, path, ctx, NULL, NULL) == SCARCE_ECANCEL);
    CHECK(access(path, F_OK) != 0);
    scarce_context_free(ctx);
}

/* Every allocation in turn fails: ENOMEM, no file, nothing leaked (the address sanitizer looks). */
static void test_out_of_memory(void)
{
#ifdef SCARCE_FAULTS
    static const char *const lists[][4] = {{"customers=40", "days=20", "preset=handbook", "radius=20"},
                                           {"customers=40", "days=20", "preset=hard", "rate=0.05"}};
    temp_path();
    unlink(path);
    for (int i = 0; i < 2; ++i) {
        size_t failures = 0;
        for (size_t n = 1;; ++n) {
            scarce_error err = SCARCE_ERROR_INIT;
            scarce_context *ctx = context(1, 1);
            scarce__alloc_fail_from(n);
            const scarce_status status = scarce_simulate("fraud", lists[i], 4, path, ctx, NULL, &err);
            scarce__alloc_fail_from(0);
            scarce_context_free(ctx);
            if (status == SCARCE_OK) break;
            CHECK(status == SCARCE_ENOMEM);
            CHECK(access(path, F_OK) != 0);
            if (++failures > 5000) break;
        }
        CHECK(failures > 30 && failures < 5000);
        unlink(path);
    }
#endif
}

static const test_case tests[] = {
    {"handbook_features", test_handbook_features},
    {"without_delay", test_without_delay},
    {"hard_features", test_hard_features},
    {"same_bytes_for_any_threads", test_same_bytes_for_any_threads},
    {"handbook_published_counts", test_handbook_published_counts},
    {"window_edges", test_window_edges},
    {"hard_rates", test_hard_rates},
    {"hard_drifts", test_hard_drifts},
    {"near_is_exact", test_near_is_exact},
    {"small_worlds", test_small_worlds},
    {"bad_settings", test_bad_settings},
    {"cancel_leaves_no_file", test_cancel_leaves_no_file},
    {"out_of_memory", test_out_of_memory},
    {"same_as_ever", test_same_as_ever},
    {"raw", test_raw},
};
TEST_MAIN(tests)
