/* SPDX-License-Identifier: Apache-2.0 */
/* Features against the contract, byte by byte: random streams with ties, late records, records beyond the horizon,
 * duplicates, labels that are corrected, missing values, keys that are forgotten; record by record, cut by snapshots
 * anywhere, and as a table with any number of threads. FEATURE_STREAMS=1000000 tries so many (2,000 unless given). */
#include <stdlib.h>

#include "core/alloc.h"
#include "feature/batch.h"
#include "feature/engine.h"
#include "test.h"
#include "unit/feature_reference.h"
#include "unit/lcg.h"

enum { MAX_RECORDS = 260, N_FIELDS = 8 };
enum { F_ID, F_TIME, F_CARD, F_SHOP, F_AMOUNT, F_RATE, F_ECOM, F_LABEL };

static const char fields[] = "field id text id\n"
                             "field time time\n"
                             "field card key optional\n"
                             "field shop key\n"
                             "field amount decimal(2) optional\n"
                             "field rate number optional\n"
                             "field ecom bool optional\n"
                             "field fraud label\n";

/* Each with what the others lack. */
static const char *const definitions[] = {
    "over 10s 1m 5m by card: count, sum(amount), mean(amount), min(amount), max(amount), sd(amount), "
    "distinct(shop)\n"
    "over last 3 by card: mean(amount), count, distinct(shop)\n by card: since, first_seen\n",
    "over 20s 2m by card with current: count, mean(amount), sd(rate), distinct(shop), max(amount)\n"
    "over last 2 by card with current: sum(amount), count\n over last 1 by card: mean(rate)\n",
    "over 30s 3m delay 40s by shop: count, share(fraud), sum(fraud), distinct(card), mean(amount)\n"
    "over 1m by shop: share(fraud) else 0\nover last 4 delay 10s by shop: share(fraud), sum(rate)\n",
    "kind pair by card, shop\nover 1m by pair: count\nover 1m by card where ecom: count as e1, mean(amount) "
    "as m1, "
    "distinct(shop) as d1\nover last 2 by card where ecom: mean(amount) as l1\n"
    "by card where ecom: since as s1, first_seen as f1\nover 2m by card where amount > 5 && !ecom: "
    "sum(amount) as a1\n",
    "kind card by card horizon 17m\nby card: decay(amount, 7s), decay(rate, 1m) else -1, count, "
    "mean(amount)\n"
    "by card with current: decay(amount, 7s) as dc\n",
    "kind shop by shop max_events 16 tile 20s\nover 1m 10m by shop: count, sum(amount), mean(rate), "
    "max(amount), "
    "share(fraud), distinct(card)\nby shop: since, first_seen, decay(amount, 30s)\nover last 5 by shop: "
    "mean(amount)\n",
    "kind card by card horizon none max_events 24 tile 7s\nover last 6 by card: mean(amount), sd(rate)\n"
    "by card: count, sum(rate), min(rate), distinct(shop)\n",
    "kind shop by shop horizon 90s max_events 16 tile 4s\nby shop: count, sum(amount), max(rate), "
    "sum(fraud), since, "
    "first_seen, distinct(card)\nover 1m by shop where ecom: count as e\nby shop where ecom: first_seen as "
    "f\n",
    "over 10s 1m 5m by card: count, sum(amount), mean(rate), sd(amount), min(amount) else -7, max(rate)\n"
    "over 20s 2m delay 15s by shop: sum(rate), count else -1, mean(amount), max(amount), sd(rate)\n"
    "over 1m by card with current: count as c, max(amount) as m, sum(rate) as s, sd(rate) as d\n",
    "over 1m by card: count, mean(amount)\nfeature ratio = amount / card_mean_amount_1m\n"
    "feature busy = card_count_1m >= 3 && ecom\nover 30s delay 5s by shop where rate < 0.5: count, "
    "distinct(card)\n",
};
enum { N_DEFINITIONS = sizeof definitions / sizeof definitions[0] };

typedef struct stream {
    size_t n;
    ref_record ref[MAX_RECORDS];
    char text[MAX_RECORDS][N_FIELDS][24];
    int copy_of[MAX_RECORDS]; /* the same id as that record; -1: none */
    int64_t known[MAX_RECORDS];
    int fraud[MAX_RECORDS];
} stream;

static scarce_definitions *define(const char *more)
{
    scarce_definitions *d = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", fields, more);
    if (scarce_definitions_read(&d, text, strlen(text), "test", &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
        exit(1);
    }
    return d;
}

static void make_record(stream *s, size_t i, lcg *r, const scarce__feature_plan *plan, int64_t t, int table)
{
    ref_record *p = &s->ref[i];
    char(*text)[24] = s->text[i];
    const size_t card = lcg_below(r, 5), shop = lcg_below(r, 3);
    const int64_t cents = (int64_t)lcg_below(r, 3000) - 200, big = (int64_t)1 << (31 + lcg_below(r, 8));
    const int64_t amount = lcg_below(r, 40) == 0 ? big + cents : cents;
    const int64_t rate = (int64_t)lcg_below(r, 1999999) - 999999;

    memset(p, 0, sizeof *p);
    for (size_t f = 0; f < SCARCE__FEATURE_FIELDS; ++f) p->numbers[f] = SCARCE__NO_VALUE;
    p->t = t;
    s->copy_of[i] = -1;
    if (i > 0 && lcg_below(r, 12) == 0) s->copy_of[i] = (int)lcg_below(r, i);
    if (s->copy_of[i] >= 0) memcpy(text[F_ID], s->text[s->copy_of[i]][F_ID], sizeof text[F_ID]);
    else snprintf(text[F_ID], sizeof text[F_ID], "tx-%zu", i);
    snprintf(text[F_TIME], sizeof text[F_TIME], "%lld", (long long)t);
    snprintf(text[F_CARD], sizeof text[F_CARD], "card%zu", card);
    if (card == 4) text[F_CARD][0] = '\0';
    snprintf(text[F_SHOP], sizeof text[F_SHOP], "%zu", shop);
    snprintf(text[F_AMOUNT], sizeof text[F_AMOUNT], "%s%lld.%02lld", amount < 0 ? "-" : "",
             (long long)llabs(amount / 100), (long long)llabs(amount % 100));
    snprintf(text[F_RATE], sizeof text[F_RATE], "%s0.%06lld", rate < 0 ? "-" : "", (long long)llabs(rate));
    snprintf(text[F_ECOM], sizeof text[F_ECOM], "%zu", lcg_below(r, 2));
    if (lcg_below(r, 9) == 0) text[F_AMOUNT][0] = '\0';
    if (lcg_below(r, 9) == 0) text[F_RATE][0] = '\0';
    if (lcg_below(r, 15) == 0) text[F_ECOM][0] = '\0';
    s->fraud[i] = lcg_below(r, 3) == 0;
    s->known[i] = t + (int64_t)lcg_below(r, 90) - 5;
    snprintf(text[F_LABEL], sizeof text[F_LABEL], "%d", table ? s->fraud[i] : 0);

    if (*text[F_AMOUNT]) p->numbers[F_AMOUNT] = amount;
    if (*text[F_RATE]) p->numbers[F_RATE] = rate;
    p->counted[F_CARD] = card == 4 ? 0 : card + 1;
    p->counted[F_SHOP] = shop + 1;
    const int ecom = *text[F_ECOM] ? text[F_ECOM][0] == '1' : -1;
    for (size_t k = 0; k < plan->n_kinds; ++k) {
        const scarce__feature_kind *kind = &plan->kinds[k];
        p->has_key[k] = 1;
        for (int m = 0; m < kind->n_keys; ++m) {
            if (kind->keys[m] == F_CARD && card == 4) p->has_key[k] = 0;
            p->key[k] = 10 * p->key[k] + (kind->keys[m] == F_CARD ? card : shop) + 1;
        }
        p->filters[k] = 1;
        for (int f = 1; f < kind->n_filters; ++f) {
            int pass = -1;
            if (strcmp(kind->filters[f].text, "ecom") == 0) pass = ecom == 1;
            if (strcmp(kind->filters[f].text, "amount > 5 && ! ecom") == 0)
                pass = *text[F_AMOUNT] && amount > 500 && ecom == 0;
            if (strcmp(kind->filters[f].text, "rate < 0.5") == 0) pass = *text[F_RATE] && rate < 500000;
            CHECK(pass >= 0);
            p->filters[k] |= (unsigned)pass << f;
        }
    }
}

/* Times that mostly go on, sometimes stand, sometimes leap, and a share of late ones, a few very late. */
static void make_stream(stream *s, lcg *r, const scarce__feature_plan *plan, int table)
{
    int64_t now = (int64_t)lcg_below(r, 4000000000u) - 1000000000; /* also before 1970 */
    const uint64_t late = lcg_below(r, 3) ? lcg_below(r, 8) + 1 : 1000000;
    s->n = 20 + lcg_below(r, MAX_RECORDS - 20);
    if (lcg_below(r, 4)) s->n /= 2;
    for (size_t i = 0; i < s->n; ++i) {
        int64_t t = now;
        if (lcg_below(r, 3)) now += (int64_t)lcg_below(r, 12);
        if (lcg_below(r, 60) == 0) now += (int64_t)lcg_below(r, 300000);
        if (i > 0 && lcg_below(r, late) == 0)
            t = now - (int64_t)lcg_below(r, lcg_below(r, 20) == 0 ? 400000 : 100);
        else t = now;
        make_record(s, i, r, plan, t, table);
    }
}

static void check_values(const scarce__feature_plan *plan, stream *s, size_t i, const double *values,
                         size_t *in, const char *what, uint64_t seed)
{
    for (size_t k = 0; k < plan->n_kinds; ++k)
        for (size_t a = 0; a < plan->kinds[k].n_aggregates; ++a) {
            const scarce__feature_aggregate *g = &plan->kinds[k].aggregates[a];
            const double want = ref_feature(s->ref, i, &plan->kinds[k], (int)k, g, in);
            const double got = values[g->out];
            if (memcmp(&want, &got, sizeof got) == 0 || (isnan(want) && isnan(got))) continue;
            if (test_failures < 20)
                fprintf(stderr, "%s, stream %llu, record %zu: %s is %.17g, want %.17g\n", what,
                        (unsigned long long)seed, i, plan->outs[g->out].name, got, want);
            ++test_failures;
        }
}

/* ---- record by record, with snapshots */

static void cut(scarce_features **f, const scarce_definitions *d)
{
    scarce__writer w = {NULL, 0, 0, 0};
    scarce_features *other = NULL;
    CHECK(scarce__features_write(*f, &w, NULL) == SCARCE_OK);
    CHECK(scarce__features_read(&other, d, w.bytes, w.n, "memory", NULL) == SCARCE_OK);
    scarce__writer_deinit(&w);
    scarce_features_free(*f);
    *f = other;
}

static void one_stream(uint64_t seed, stream *s, size_t *in, int snapshots)
{
    lcg r = lcg_start(seed);
    scarce_definitions *d = define(definitions[seed % N_DEFINITIONS]);
    const scarce__feature_plan *plan = d->plan;
    scarce_features *f = NULL;
    double values[128];
    int64_t at = INT64_MIN;

    make_stream(s, &r, plan, 0);
    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    for (size_t i = 0; i < s->n && f; ++i) {
        const char *texts[N_FIELDS];
        ref_record *p = &s->ref[i];
        int what = 0;
        if (snapshots && lcg_below(&r, 12) == 0) cut(&f, d);
        /* arrivals are mostly those of the newest record; some clocks are ahead of them, some records of `at` */
        int64_t given = lcg_below(&r, 4) ? SCARCE_FEATURES_NOW : p->t + (int64_t)lcg_below(&r, 60) - 30;
        const int64_t now = given == SCARCE_FEATURES_NOW ? p->t : given, before = at;
        at = at == INT64_MIN || now > at ? now : at;
        /* the same id is no record, while the newest of it is within the longest horizon */
        const int64_t horizon = scarce__feature_horizon(plan);
        int copy = 0;
        for (size_t j = i; s->copy_of[i] >= 0 && j-- > 0;) {
            if (strcmp(s->text[j][F_ID], s->text[i][F_ID]) != 0 || s->known[j] == INT64_MIN) continue;
            copy = horizon == SCARCE__NO_HORIZON || s->ref[j].t > at - horizon;
            break;
        }
        if (copy) at = before; /* nor does it arrive */
        p->at = at;
        for (int c = 0; c < N_FIELDS; ++c) texts[c] = s->text[i][c];
        CHECK(scarce_features_put(f, texts, given, values, &what, NULL) == SCARCE_OK);
        check_values(plan, s, i, values, in, "record by record", seed);
        CHECK(((what & SCARCE_FEATURES_DUPLICATE) != 0) == copy);
        if (copy) s->known[i] = INT64_MIN;
        else
            for (size_t k = 0; k < plan->n_kinds; ++k) ref_take(s->ref, i, &plan->kinds[k], (int)k, in);
        if (lcg_below(&r, 2)) { /* a label for someone; also a second opinion, or one for nobody */
            const size_t j = lcg_below(&r, i + 1);
            const int fraud = lcg_below(&r, 3) != 0;
            int found = -1, there = 0;
            size_t newest = SIZE_MAX;
            for (size_t m = 0; m <= i; ++m)
                if (strcmp(s->text[m][F_ID], s->text[j][F_ID]) == 0 && s->known[m] != INT64_MIN) newest = m;
            there = newest != SIZE_MAX && (horizon == SCARCE__NO_HORIZON || s->ref[newest].t > at - horizon);
            CHECK(scarce_features_label(f, s->text[j][F_ID], fraud, SCARCE_FEATURES_NOW, &found, NULL) ==
                  SCARCE_OK);
            CHECK(found == there);
            for (size_t k = 0; k < plan->n_kinds && there; ++k)
                ref_label(&s->ref[newest], &plan->kinds[k], (int)k, fraud, at);
        }
    }
    scarce_features_free(f);
    scarce_definitions_free(d);
}

/* The first seed, and the one behind the last. */
static size_t streams_from(void)
{
    const char *asked = getenv("FEATURE_FIRST");
    return asked ? (size_t)atoll(asked) : 0;
}

static size_t streams_end(void)
{
    const char *asked = getenv("FEATURE_STREAMS");
    return streams_from() + (asked ? (size_t)atoll(asked) : 2000);
}

static void test_against_the_contract(void)
{
    stream *s = calloc(1, sizeof *s);
    size_t *in = calloc(MAX_RECORDS, sizeof *in);
    const size_t n = streams_end();
    for (size_t i = streams_from(); i < n && test_failures < 20; ++i) one_stream(i, s, in, i % 3 == 1);
    free(in);
    free(s);
}

/* ---- as a table */

typedef struct columns {
    int64_t *time, *known;
    uint8_t *label, *repeated;
    uint64_t *keys[REF_KINDS];
    uint8_t *no_key[REF_KINDS], *filters[REF_KINDS];
    int64_t *numbers[SCARCE__FEATURE_FIELDS];
    uint64_t *hashes[SCARCE__FEATURE_FIELDS];
    double **out;
} columns;

static void columns_make(columns *c, const scarce__feature_plan *plan, size_t n)
{
    memset(c, 0, sizeof *c);
    c->time = calloc(n, sizeof *c->time);
    c->known = calloc(n, sizeof *c->known);
    c->label = calloc(n, 1);
    c->repeated = calloc(n, 1);
    for (size_t k = 0; k < plan->n_kinds; ++k) {
        c->keys[k] = calloc(2 * n, sizeof(uint64_t));
        c->no_key[k] = calloc(n, 1);
        c->filters[k] = calloc(n, 1);
    }
    for (size_t f = 0; f < plan->n_fields; ++f) {
        c->numbers[f] = calloc(n, sizeof(int64_t));
        c->hashes[f] = calloc(n, sizeof(uint64_t));
    }
    c->out = calloc(plan->n_outs, sizeof *c->out);
    for (size_t f = 0; f < plan->n_outs; ++f) c->out[f] = calloc(n, sizeof(double));
}

static void columns_free(columns *c, const scarce__feature_plan *plan)
{
    free(c->time);
    free(c->known);
    free(c->label);
    free(c->repeated);
    for (size_t k = 0; k < plan->n_kinds; ++k) {
        free(c->keys[k]);
        free(c->no_key[k]);
        free(c->filters[k]);
    }
    for (size_t f = 0; f < plan->n_fields; ++f) {
        free(c->numbers[f]);
        free(c->hashes[f]);
    }
    for (size_t f = 0; f < plan->n_outs; ++f) free(c->out[f]);
    free(c->out);
}

static void columns_row(columns *c, const scarce__feature_plan *plan, scarce__record *r,
                        const char *const *texts, size_t i)
{
    const scarce__record_texts from = {texts, NULL, NULL, '.'};
    CHECK(scarce__record_parse(r, plan, &from, NULL) == SCARCE_OK);
    c->time[i] = r->t;
    c->label[i] = r->label == 1;
    for (size_t k = 0; k < plan->n_kinds; ++k) {
        c->no_key[k][i] = (uint8_t)!scarce__record_key(r, plan, k, c->keys[k] + 2 * i);
        c->filters[k][i] = (uint8_t)scarce__record_filters(r, plan, k);
    }
    for (size_t f = 0; f < plan->n_fields; ++f) {
        c->numbers[f][i] = r->numbers[f];
        c->hashes[f][i] = r->hashes[f];
    }
}

static void columns_run(columns *c, const scarce__feature_plan *plan, size_t n, int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce__batch b;
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    memset(&b, 0, sizeof b);
    b.plan = plan;
    b.n = n;
    b.time = c->time;
    b.keys = (const uint64_t *const *)c->keys;
    b.no_key = (const uint8_t *const *)c->no_key;
    b.numbers = (const int64_t *const *)c->numbers;
    b.hashes = (const uint64_t *const *)c->hashes;
    b.filters = (const uint8_t *const *)c->filters;
    b.label = c->label;
    b.label_time = c->known;
    b.repeated = c->repeated;
    b.out = c->out;
    CHECK(scarce__batch_run(&b, ctx, NULL) == SCARCE_OK);
    scarce_context_free(ctx);
}

/* A table has no label records: a label is known to the first row that arrives at or after its time, but to none of
 * the second of its own row. */
static void one_table(uint64_t seed, stream *s, size_t *in)
{
    lcg r = lcg_start(seed ^ 0x7ab1e);
    scarce_definitions *d = define(definitions[seed % N_DEFINITIONS]);
    const scarce__feature_plan *plan = d->plan;
    scarce__record record;
    columns c;
    double values[128];
    int told[MAX_RECORDS] = {0};

    make_stream(s, &r, plan, 1);
    columns_make(&c, plan, s->n);
    CHECK(scarce__record_init(&record, plan, NULL) == SCARCE_OK);
    for (size_t i = 0; i < s->n; ++i) {
        const char *texts[N_FIELDS];
        for (int f = 0; f < N_FIELDS; ++f) texts[f] = s->text[i][f];
        columns_row(&c, plan, &record, texts, i);
        c.known[i] = s->known[i];
    }
    columns_run(&c, plan, s->n, seed % 2 ? 1 : 3);
    for (size_t i = 0; i < s->n; ++i) {
        ref_record *p = &s->ref[i];
        p->at = i > 0 && s->ref[i - 1].at > p->t ? s->ref[i - 1].at : p->t;
        for (size_t j = 0; j < i; ++j) {
            const int64_t from = s->known[j] > s->ref[j].t ? s->known[j] : s->ref[j].t + 1;
            if (told[j] || !s->fraud[j] || from > p->at) continue;
            told[j] = 1;
            for (size_t k = 0; k < plan->n_kinds; ++k)
                ref_label(&s->ref[j], &plan->kinds[k], (int)k, 1, p->at);
        }
        for (size_t f = 0; f < plan->n_outs; ++f) values[f] = c.out[f][i];
        check_values(plan, s, i, values, in, "table", seed);
        for (size_t k = 0; k < plan->n_kinds; ++k) ref_take(s->ref, i, &plan->kinds[k], (int)k, in);
    }
    scarce__record_deinit(&record);
    columns_free(&c, plan);
    scarce_definitions_free(d);
}

static void test_tables(void)
{
    stream *s = calloc(1, sizeof *s);
    size_t *in = calloc(MAX_RECORDS, sizeof *in);
    const size_t n = streams_end();
    for (size_t i = streams_from(); i < n && test_failures < 20; ++i) one_table(i, s, in);
    free(in);
    free(s);
}

/* ---- from the log: an engine that is fed the records of the last horizon alone goes on as one that saw them all */

static void one_replay(uint64_t seed, stream *s)
{
    lcg r = lcg_start(seed ^ 0x4e91a7);
    scarce_definitions *d = define(definitions[seed % N_DEFINITIONS]);
    const scarce__feature_plan *plan = d->plan;
    const int64_t horizon = scarce__feature_horizon(plan);
    scarce_features *whole = NULL, *tail = NULL;
    int64_t at[MAX_RECORDS];
    size_t label_of[MAX_RECORDS];
    double a[128], b[128];
    size_t cut_at;

    make_stream(s, &r, plan, 0);
    cut_at = s->n / 2 + lcg_below(&r, s->n / 2);
    CHECK(scarce_features_new(&whole, d, NULL) == SCARCE_OK &&
          scarce_features_new(&tail, d, NULL) == SCARCE_OK);
    for (size_t i = 0; i < s->n; ++i) {
        const char *texts[N_FIELDS];
        snprintf(s->text[i][F_ID], sizeof s->text[i][F_ID], "%zu", i); /* a log has each id once */
        for (int c = 0; c < N_FIELDS; ++c) texts[c] = s->text[i][c];
        at[i] = i > 0 && at[i - 1] > s->ref[i].t ? at[i - 1] : s->ref[i].t;
        label_of[i] = lcg_below(&r, i + 1);
        CHECK(scarce_features_put(whole, texts, at[i], a, NULL, NULL) == SCARCE_OK);
        if (i == cut_at)
            for (size_t j = 0; j < i; ++j) {
                const char *old[N_FIELDS];
                for (int c = 0; c < N_FIELDS; ++c) old[c] = s->text[j][c];
                if (horizon == SCARCE__NO_HORIZON || s->ref[j].t > at[i] - horizon)
                    CHECK(scarce_features_put(tail, old, at[j], b, NULL, NULL) == SCARCE_OK);
                CHECK(scarce_features_label(tail, s->text[label_of[j]][F_ID], (int)(j % 3 != 0), at[j], NULL,
                                            NULL) == SCARCE_OK);
            }
        if (i >= cut_at) {
            CHECK(scarce_features_put(tail, texts, at[i], b, NULL, NULL) == SCARCE_OK);
            for (size_t f = 0; f < plan->n_outs; ++f)
                CHECK(memcmp(&a[f], &b[f], sizeof a[f]) == 0 || (isnan(a[f]) && isnan(b[f])));
            CHECK(scarce_features_label(tail, s->text[label_of[i]][F_ID], (int)(i % 3 != 0), at[i], NULL,
                                        NULL) == SCARCE_OK);
        }
        CHECK(scarce_features_label(whole, s->text[label_of[i]][F_ID], (int)(i % 3 != 0), at[i], NULL,
                                    NULL) == SCARCE_OK);
    }
    scarce_features_free(whole);
    scarce_features_free(tail);
    scarce_definitions_free(d);
}

static void test_replay(void)
{
    stream *s = calloc(1, sizeof *s);
    for (uint64_t i = 0; i < 1000 && test_failures < 20; ++i)
        if (!strstr(definitions[i % N_DEFINITIONS], "max_events"))
            one_replay(i, s); /* folding remembers longer */
    free(s);
}

/* ---- long histories: sums of blocks, marks, shards; a table with 1, 2 and 4 threads against record by record */

static void test_long_histories(void)
{
    enum { N = 30000 };
    const char *const more[] = {
        "over 1h 1d 7d by card: count, sum(amount), mean(amount), sd(amount), min(amount), distinct(shop)\n"
        "over 1d 7d delay 1h by shop: count, share(fraud), mean(rate), distinct(card)\nover last 500 by "
        "card: mean(rate)\n"
        "over 2d by shop with current: distinct(card) as dc\nover 2d by card where ecom: distinct(shop) as "
        "ds, sum(rate) as sr\n"
        "over last 300 by shop where ecom: mean(amount) as lm\n",
        "kind card by card max_events 600 tile 30m\nover 1d by card: count, sum(amount), max(amount), "
        "distinct(shop), share(fraud)\n"
        "over last 200 by card: sd(amount)\n"};
    for (int which = 0; which < 2; ++which) {
        scarce_definitions *d = define(more[which]);
        const scarce__feature_plan *plan = d->plan;
        columns c, other;
        scarce__record record;
        scarce_features *f = NULL;
        lcg r = lcg_start(99 + (uint64_t)which);
        int64_t now = 1500000000;
        size_t different = 0;
        char text[N_FIELDS][24];
        const char *texts[N_FIELDS];
        struct {
            int64_t from;
            size_t row;
        } *open = calloc(N, sizeof *open);
        size_t n_open = 0;

        columns_make(&c, plan, N);
        columns_make(&other, plan, N);
        CHECK(scarce__record_init(&record, plan, NULL) == SCARCE_OK);
        CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
        for (int k = 0; k < N_FIELDS; ++k) texts[k] = text[k];
        for (size_t i = 0; i < N; ++i) {
            double values[64];
            now += (int64_t)lcg_below(&r, 40);
            const int64_t t = lcg_below(&r, 300) == 0 ? now - (int64_t)lcg_below(&r, 90000) : now;
            const int fraud = lcg_below(&r, 7) == 0;
            const int64_t known = t + (int64_t)lcg_below(&r, 20000);
            for (size_t m = 0; m < n_open;) { /* labels that are known by now */
                if (open[m].from > now) {
                    ++m;
                    continue;
                }
                snprintf(text[F_ID], 24, "%zu", open[m].row);
                CHECK(scarce_features_label(f, text[F_ID], 1, SCARCE_FEATURES_NOW, NULL, NULL) == SCARCE_OK);
                open[m] = open[--n_open];
            }
            if (fraud) {
                open[n_open].row = i;
                open[n_open++].from = scarce__label_from(t, known);
            }
            snprintf(text[F_ID], 24, "%zu", i);
            snprintf(text[F_TIME], 24, "%lld", (long long)t);
            snprintf(text[F_CARD], 24, "%zu", lcg_below(&r, 9) * lcg_below(&r, 4));
            snprintf(text[F_SHOP], 24, "%zu", lcg_below(&r, 40) * lcg_below(&r, 5));
            snprintf(text[F_AMOUNT], 24, "%zu.%02zu", lcg_below(&r, 300), lcg_below(&r, 100));
            snprintf(text[F_RATE], 24, "0.%06zu", lcg_below(&r, 1000000));
            snprintf(text[F_ECOM], 24, "%zu", lcg_below(&r, 2));
            snprintf(text[F_LABEL], 24, "%d", fraud);
            columns_row(&c, plan, &record, texts, i);
            columns_row(&other, plan, &record, texts, i);
            c.known[i] = other.known[i] = known;
            CHECK(scarce_features_put(f, texts, SCARCE_FEATURES_NOW, values, NULL, NULL) == SCARCE_OK);
            if (i % 7001 == 7000) cut(&f, d);
            for (size_t k = 0; k < plan->n_outs; ++k) c.out[k][i] = values[k];
        }
        for (int threads = 1; threads <= 4; threads *= 2) {
            columns_run(&other, plan, N, threads);
            for (size_t k = 0; k < plan->n_outs; ++k)
                for (size_t i = 0; i < N; ++i)
                    different += memcmp(&c.out[k][i], &other.out[k][i], 8) != 0 && !isnan(c.out[k][i]);
        }
        CHECK(different == 0);
        free(open);
        scarce_features_free(f);
        scarce__record_deinit(&record);
        columns_free(&c, plan);
        columns_free(&other, plan);
        scarce_definitions_free(d);
    }
}

/* ---- rows in order of time: key by key, with 1, 2 and 4 threads, to columns and to rows, against record by record */

static void rows_run(columns *c, const scarce__feature_plan *plan, size_t n, double *rows)
{
    scarce__batch b;
    memset(&b, 0, sizeof b);
    b.plan = plan;
    b.n = n;
    b.time = b.at = c->time;
    b.keys = (const uint64_t *const *)c->keys;
    b.no_key = (const uint8_t *const *)c->no_key;
    b.numbers = (const int64_t *const *)c->numbers;
    b.rows = rows;
    CHECK(scarce__batch_run(&b, NULL, NULL) == SCARCE_OK);
}

static void test_in_order(void)
{
    enum { N = 20000 };
    scarce_definitions *d = define(
        "kind shop by shop max_events 700 tile 30m\n"
        "over 1h 3d by card: count, sum(amount), mean(rate), sd(amount), min(amount) else -7, max(rate)\n"
        "over 20m 2d delay 15m by shop: sum(rate), count else -1, mean(amount) else 0, max(amount), "
        "sd(rate)\n"
        "over 1d by card with current: count as c, max(amount) as m, sum(rate) else 3 as s, sd(rate) as d\n"
        "over 5d by shop: min(rate), max(rate), count\n");
    const scarce__feature_plan *plan = d->plan;
    columns c, other;
    scarce__record record;
    scarce_features *f = NULL;
    lcg r = lcg_start(2027);
    int64_t now = -1000;
    size_t different = 0;
    double *rows = calloc(N * plan->n_outs, sizeof *rows);
    stream *s = calloc(1, sizeof *s);

    columns_make(&c, plan, N);
    columns_make(&other, plan, N);
    CHECK(scarce__record_init(&record, plan, NULL) == SCARCE_OK);
    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    for (size_t i = 0; i < N; ++i) {
        double values[64];
        const char *texts[N_FIELDS];
        if (lcg_below(&r, 4)) now += (int64_t)lcg_below(&r, lcg_below(&r, 5) ? 30 : 900);
        make_record(s, 0, &r, plan, now, 1);
        snprintf(s->text[0][F_ID], sizeof s->text[0][F_ID], "%zu", i);
        /* most have a card of many, some of a few; large numbers are those of few cards alone */
        if (lcg_below(&r, 4)) {
            snprintf(s->text[0][F_CARD], sizeof s->text[0][F_CARD], "c%zu", lcg_below(&r, 3000));
            if (strlen(s->text[0][F_AMOUNT]) > 9) snprintf(s->text[0][F_AMOUNT], 24, "7");
        }
        if (lcg_below(&r, 3))
            snprintf(s->text[0][F_SHOP], sizeof s->text[0][F_SHOP], "s%zu", lcg_below(&r, 90));
        for (int k = 0; k < N_FIELDS; ++k) texts[k] = s->text[0][k];
        columns_row(&c, plan, &record, texts, i);
        columns_row(&other, plan, &record, texts, i);
        CHECK(scarce_features_put(f, texts, SCARCE_FEATURES_NOW, values, NULL, NULL) == SCARCE_OK);
        for (size_t k = 0; k < plan->n_outs; ++k) c.out[k][i] = values[k];
    }
    for (int threads = 1; threads <= 4; threads *= 2) {
        columns_run(&other, plan, N, threads);
        for (size_t k = 0; k < plan->n_outs; ++k)
            for (size_t i = 0; i < N; ++i)
                different += memcmp(&c.out[k][i], &other.out[k][i], 8) != 0 &&
                             !(isnan(c.out[k][i]) && isnan(other.out[k][i]));
    }
    rows_run(&other, plan, N, rows);
    for (size_t k = 0; k < plan->n_outs; ++k)
        for (size_t i = 0; i < N; ++i)
            different += memcmp(&c.out[k][i], &rows[i * plan->n_outs + k], 8) != 0 &&
                         !(isnan(c.out[k][i]) && isnan(rows[i * plan->n_outs + k]));
    CHECK(different == 0);
    free(rows);
    free(s);
    scarce_features_free(f);
    scarce__record_deinit(&record);
    columns_free(&c, plan);
    columns_free(&other, plan);
    scarce_definitions_free(d);
}

/* So many rows that columns are written past the caches, and a key with thousands of them beside keys with few; against
 * the engine, whose turn it is when one row more comes late. */
static void test_many_in_order(void)
{
    enum { N = 150000 };
    scarce_definitions *d =
        define("over 1m 1h 1d by card: count, sum(amount), mean(amount), max(amount)\n"
               "over 1h 2d by card: count as n, min(amount), max(amount) as m, mean(rate), min(rate)\n"
               "over 1h delay 10m by shop: mean(amount), count, max(amount), min(amount), sd(amount), "
               "sd(amount) else -1 as s, max(rate)\n"
               "over 10m by shop: count\n");
    const scarce__feature_plan *plan = d->plan;
    columns c, other;
    lcg r = lcg_start(77);
    size_t different = 0;

    columns_make(&c, plan, N + 1);
    columns_make(&other, plan, N + 1);
    for (size_t i = 0; i <= N; ++i) {
        c.time[i] = i == N ? 0 : (int64_t)(i * 2 + lcg_below(&r, 2));
        for (size_t k = 0; k < plan->n_kinds; ++k) {
            const size_t key = lcg_below(&r, 3) ? lcg_below(&r, 9000) : 0;
            c.keys[k][2 * i] = (key * 2 + k) * 0x9e3779b97f4a7c15u;
            c.no_key[k][i] = (uint8_t)(lcg_below(&r, 1000) == 0 && i < N);
            c.filters[k][i] = 1;
        }
        c.numbers[F_AMOUNT][i] = (int64_t)lcg_below(&r, 100000) - 30000;
        c.numbers[F_RATE][i] =
            lcg_below(&r, 3) ? SCARCE__NO_VALUE : (int64_t)lcg_below(&r, 1000000000) - 2000000000;
    }
    columns_run(&c, plan, N + 1, 1);
    for (size_t i = 0; i <= N; ++i) {
        other.time[i] = c.time[i];
        for (size_t k = 0; k < plan->n_kinds; ++k) {
            memcpy(other.keys[k] + 2 * i, c.keys[k] + 2 * i, 2 * sizeof *c.keys[k]);
            other.no_key[k][i] = c.no_key[k][i];
            other.filters[k][i] = 1;
        }
        other.numbers[F_AMOUNT][i] = c.numbers[F_AMOUNT][i];
        other.numbers[F_RATE][i] = c.numbers[F_RATE][i];
    }
    for (int threads = 1; threads <= 2; ++threads) {
        columns_run(&other, plan, N, threads);
        for (size_t k = 0; k < plan->n_outs; ++k)
            for (size_t i = 0; i < N; ++i)
                different += memcmp(&c.out[k][i], &other.out[k][i], 8) != 0 &&
                             !(isnan(c.out[k][i]) && isnan(other.out[k][i]));
    }
    CHECK(different == 0);
    columns_free(&c, plan);
    columns_free(&other, plan);
    scarce_definitions_free(d);
}

/* The block sums against the plain walk: the same streams with every history short. */
static void test_long_against_walk(void)
{
    enum { N = 4000 };
    scarce_definitions *d = define("over 2h 1d 4d by shop: count, sum(amount), sd(amount), max(amount), "
                                   "distinct(card)\nover 1d delay 3h by shop: "
                                   "mean(rate), distinct(card)\nover last 333 by shop: sum(rate)\nover 1d by "
                                   "shop where ecom with current: distinct(card) as x\n");
    const scarce__feature_plan *plan = d->plan;
    ref_record *all = calloc(N, sizeof *all);
    size_t *in = calloc(N, sizeof *in);
    scarce_features *f = NULL;
    lcg r = lcg_start(5);
    int64_t now = 0;
    char text[N_FIELDS][24];
    const char *texts[N_FIELDS];
    stream *s = calloc(1, sizeof *s);

    CHECK(scarce_features_new(&f, d, NULL) == SCARCE_OK);
    for (int k = 0; k < N_FIELDS; ++k) texts[k] = text[k];
    for (size_t i = 0; i < N; ++i) {
        double values[64];
        now += (int64_t)lcg_below(&r, 200);
        make_record(s, 0, &r, plan, lcg_below(&r, 50) == 0 ? now - (int64_t)lcg_below(&r, 40000) : now, 0);
        s->copy_of[0] = -1;
        all[i] = s->ref[0];
        all[i].at = now;
        memcpy(text, s->text[0], sizeof text);
        snprintf(text[F_ID], 24, "%zu", i);
        CHECK(scarce_features_put(f, texts, now, values, NULL, NULL) == SCARCE_OK);
        if (i % 37 == 0)
            for (size_t a = 0; a < plan->kinds[0].n_aggregates; ++a) {
                const scarce__feature_aggregate *g = &plan->kinds[0].aggregates[a];
                const double want = ref_feature(all, i, &plan->kinds[0], 0, g, in);
                if (memcmp(&want, &values[g->out], 8) != 0 && !(isnan(want) && isnan(values[g->out]))) {
                    if (test_failures < 20)
                        fprintf(stderr, "record %zu: %s is %.17g, want %.17g\n", i, plan->outs[g->out].name,
                                values[g->out], want);
                    ++test_failures;
                }
            }
        ref_take(all, i, &plan->kinds[0], 0, in);
    }
    scarce_features_free(f);
    scarce_definitions_free(d);
    free(all);
    free(in);
    free(s);
}

static const test_case tests[] = {{"contract", test_against_the_contract},
                                  {"tables", test_tables},
                                  {"replay", test_replay},
                                  {"long", test_long_histories},
                                  {"in_order", test_in_order},
                                  {"many_in_order", test_many_in_order},
                                  {"long_walk", test_long_against_walk}};
TEST_MAIN(tests)
