/* SPDX-License-Identifier: Apache-2.0 */
/* features table DATA DEFINE OUT THREADS: a CSV to a CSV with features.
 * features columns DATA DEFINE THREADS [keep]: the same from columns in memory (time, card, terminal, cents) to columns; keep: freed
 *     memory stays with the process, as the allocators that polars and DuckDB bring along have it.
 * features stream CARDS DAYS DEFINE: payments one by one, 1.5 a card and day over DAYS days, some cards far more active
 * than others, 10,000 terminals; each `go` is 100,000 more, with percentiles of the time of one and the bytes per card. */
#include <malloc.h>

#include <scarce/features.h>

#include "bench.h"
#include "core/random.h"
#include "feature/batch.h"
#include "feature/engine.h"

enum { BURST = 100000 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double unit(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_table(char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = context(atoi(argv[5]));
    scarce_definitions *d = NULL;
    const char *paths[] = {argv[2]};
    char word[64];

    must(scarce_definitions_load(&d, argv[3], &err), &err);
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall(), c = cpu();
        if (!strcmp(word, "info")) {
            printf("{\"rss_mib\": %.1f}\n", peak());
            continue;
        }
        must(scarce_features_table(d, paths, 1, argv[4], NULL, ctx, NULL, &err), &err);
        printf("{\"seconds\": %.9f, \"cpu\": %.9f}\n", wall() - t, cpu() - c);
    }
    scarce_definitions_free(d);
    scarce_context_free(ctx);
}

typedef struct payments {
    size_t n, capacity;
    int64_t *time, *cents;
    uint32_t *card, *terminal;
    uint64_t *keys[2];
} payments;

/* tx_id,time,card,terminal,amount,... as scarce simulate fraud --raw writes it. */
static payments read_payments(const char *path)
{
    payments p = {0, 0, NULL, NULL, NULL, NULL, {NULL, NULL}};
    char line[512];
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f)) die(path, "can't be read");
    while (fgets(line, sizeof line, f)) {
        long long time;
        double amount;
        unsigned card, terminal;
        if (p.n == p.capacity) {
            p.capacity = p.capacity ? 2 * p.capacity : 1 << 16;
            p.time = realloc(p.time, p.capacity * sizeof *p.time);
            p.cents = realloc(p.cents, p.capacity * sizeof *p.cents);
            p.card = realloc(p.card, p.capacity * sizeof *p.card);
            p.terminal = realloc(p.terminal, p.capacity * sizeof *p.terminal);
        }
        if (sscanf(line, "%*[^,],%lld,%u,%u,%lf", &time, &card, &terminal, &amount) != 4) die(path, line);
        p.time[p.n] = time;
        p.cents[p.n] = (int64_t)(amount * 100 + 0.5);
        p.card[p.n] = card;
        p.terminal[p.n++] = terminal;
    }
    fclose(f);
    for (int k = 0; k < 2; ++k) p.keys[k] = malloc(2 * p.n * sizeof *p.keys[k]);
    return p;
}

static void run_columns(char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = context(atoi(argv[4]));
    scarce_definitions *d = NULL;
    payments p = read_payments(argv[2]);
    const int64_t *numbers[SCARCE__FEATURE_FIELDS] = {NULL};
    char word[64];

    if (argv[5]) (void)(mallopt(M_MMAP_THRESHOLD, 1 << 30) && mallopt(M_TRIM_THRESHOLD, 1 << 30));
    must(scarce_definitions_load(&d, argv[3], &err), &err);
    const size_t n_outs = d->plan->n_outs;
    double **out = calloc(n_outs, sizeof *out);
    for (size_t i = 0; i < n_outs; ++i) out[i] = malloc(p.n * sizeof **out);
    for (size_t i = 0; i < d->plan->n_fields; ++i)
        if (!strcmp(d->plan->fields[i].name, "amount")) numbers[i] = p.cents;
    printf("{}\n");
    while (next_word(word)) {
        const double t = wall(), c = cpu();
        scarce__batch b;
        if (!strcmp(word, "info")) {
            printf("{\"rss_mib\": %.1f}\n", peak());
            continue;
        }
        for (size_t i = 0; i < p.n; ++i) {
            p.keys[0][2 * i] = scarce__mix64(p.keys[0][2 * i + 1] = p.card[i]);
            p.keys[1][2 * i] = scarce__mix64(p.keys[1][2 * i + 1] = p.terminal[i]);
        }
        memset(&b, 0, sizeof b);
        b.plan = d->plan;
        b.n = p.n;
        b.time = p.time;
        b.keys = (const uint64_t *const *)p.keys;
        b.numbers = numbers;
        b.out = out;
        must(scarce__batch_run(&b, ctx, &err), &err);
        printf("{\"seconds\": %.9f, \"cpu\": %.9f}\n", wall() - t, cpu() - c);
    }
}

typedef struct stream {
    scarce_features *f;
    double *values, *took;
    const double *until; /* running sum of the cards' activities */
    size_t cards, n;
    double per_second, now;
} stream;

/* One payment; the seconds it took. */
static double one(stream *s)
{
    scarce_error err = SCARCE_ERROR_INIT;
    char id[24], time[24], card[24], terminal[24], amount[24];
    const char *fields[] = {id, time, card, terminal, amount, ""};
    const double u = unit() * s->until[s->cards - 1];
    size_t lo = 0, hi = s->cards - 1;

    while (lo < hi) {
        const size_t middle = (lo + hi) / 2;
        if (s->until[middle] > u) hi = middle;
        else lo = middle + 1;
    }
    s->now += -log(1 - unit()) / s->per_second;
    snprintf(id, sizeof id, "%zu", s->n++);
    snprintf(time, sizeof time, "%.0f", s->now);
    snprintf(card, sizeof card, "%zu", lo);
    snprintf(terminal, sizeof terminal, "%.0f", 10000 * unit() * unit());
    snprintf(amount, sizeof amount, "%.2f", exp(3 + (unit() + unit() + unit()) * 2 - 3));
    const double t = wall();
    must(scarce_features_put(s->f, fields, SCARCE_FEATURES_NOW, s->values, NULL, &err), &err);
    return wall() - t;
}

static void run_stream(char **argv)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const size_t cards = (size_t)atol(argv[2]);
    const double days = atof(argv[3]);
    scarce_definitions *d = NULL;
    double *until = malloc(cards * sizeof *until), sum = 0;
    char word[64];
    stream s = {NULL,  NULL, malloc(BURST * sizeof(double)), until,
                cards, 0,    (double)cards * 1.5 / 86400,    1.5e9};

    must(scarce_definitions_load(&d, argv[4], &err), &err);
    must(scarce_features_new(&s.f, d, &err), &err);
    s.values = malloc(scarce_definitions_count(d) * sizeof(double));
    for (size_t i = 0; i < cards; ++i)
        until[i] = sum += exp(1.2 * (unit() + unit() + unit() + unit() - 2) * 1.7);
    const double begun = cpu();
    while ((double)s.n < (double)cards * 1.5 * days) (void)one(&s);
    printf("{\"fill_us\": %.3f}\n", 1e6 * (cpu() - begun) / (double)s.n);
    while (next_word(word)) {
        scarce_features_size size = SCARCE_FEATURES_SIZE_INIT;
        const double t = wall(), c = cpu();
        if (!strcmp(word, "info")) {
            must(scarce_features_measure(s.f, &size, &err), &err);
            printf(
                "{\"rss_mib\": %.1f, \"features\": %zu, \"bytes\": %llu, \"id_bytes\": %llu, \"keys\": %llu, "
                "\"records\": %llu, \"bytes_per_card\": %.0f}\n",
                peak(), scarce_definitions_count(d), (unsigned long long)size.bytes,
                (unsigned long long)size.id_bytes, (unsigned long long)size.keys,
                (unsigned long long)size.records, (double)(size.bytes - size.id_bytes) / (double)cards);
            continue;
        }
        for (size_t i = 0; i < BURST; ++i) s.took[i] = one(&s);
        const double took = wall() - t, used = cpu() - c;
        qsort(s.took, BURST, sizeof *s.took, compare);
        printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"p50_us\": %.2f, \"p99_us\": %.2f, \"p999_us\": %.2f, "
               "\"most_us\": %.1f}\n",
               took, used, 1e6 * s.took[BURST / 2], 1e6 * s.took[BURST / 100 * 99],
               1e6 * s.took[BURST / 1000 * 999], 1e6 * s.took[BURST - 1]);
    }
    scarce_features_free(s.f);
    scarce_definitions_free(d);
    free(until);
    free(s.values);
    free(s.took);
}

int main(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "table")) run_table(argv);
    else if (argc == 5 && !strcmp(argv[1], "stream")) run_stream(argv);
    else if ((argc == 5 || argc == 6) && !strcmp(argv[1], "columns")) run_columns(argv);
    else die("features", "table DATA DEFINE OUT THREADS | columns DATA DEFINE THREADS [keep] | stream CARDS DAYS DEFINE");
    return 0;
}
