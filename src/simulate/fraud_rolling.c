/* SPDX-License-Identifier: Apache-2.0 */
/* Features over rolling windows of W = 1, 7, 30 days, one pass per card and per terminal.
 *
 * card, at row i with time t: rows of the card in (t - W, t] up to and including i: their number and
 * mean amount. terminal: rows of the terminal before i in (t - delay - W, t - delay]: their number,
 * and how many of them carry label 1 that is known by t. A fraud at time s whose label comes c
 * seconds later therefore counts from s + max(c, delay) to s + delay + W: frauds are put in the order
 * of their entry, and leave in the order of time, each once. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "simulate/fraud.h"

const uint32_t scarce__fraud_window_days[N_WINDOWS] = {1, 7, 30};

enum { KEYS_PER_TASK = 64 };

typedef struct rolling_job {
    scarce__fraud *f;
    unsigned char *failed; /* per task */
} rolling_job;

static void card_windows(scarce__fraud *f, const uint32_t *rows, size_t n)
{
    for (int w = 0; w < N_WINDOWS; ++w) {
        const uint64_t span = (uint64_t)scarce__fraud_window_days[w] * SECONDS_PER_DAY;
        uint64_t sum = 0;
        size_t first = 0;
        for (size_t k = 0; k < n; ++k) {
            const scarce__payment *p = &f->rows[rows[k]];
            sum += p->cents;
            while ((uint64_t)f->rows[rows[first]].time + span <= p->time) sum -= f->rows[rows[first++]].cents;
            const uint64_t count = k - first + 1;
            f->card_count[w][rows[k]] = (uint32_t)count;
            f->card_mean[w][rows[k]] = (uint32_t)((sum + count / 2) / count);
        }
    }
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* since_last, and seen: rows sorted by (terminal, place) give the number of earlier ones at once. */
static int card_history(scarce__fraud *f, const uint32_t *rows, size_t n)
{
    uint64_t *keys = scarce__malloc_array(n, sizeof *keys);
    if (!keys) return 0;
    for (size_t k = 0; k < n; ++k) {
        f->since_last[rows[k]] = k == 0 ? UINT32_MAX : f->rows[rows[k]].time - f->rows[rows[k - 1]].time;
        keys[k] = ((uint64_t)f->rows[rows[k]].terminal << 32) | (uint32_t)k;
    }
    qsort(keys, n, sizeof *keys, compare_u64);
    for (size_t k = 0, same = 0; k < n; ++k) {
        same = k > 0 && keys[k] >> 32 == keys[k - 1] >> 32 ? same + 1 : 0;
        f->seen[rows[keys[k] & UINT32_MAX]] = (uint32_t)same;
    }
    scarce__free(keys);
    return 1;
}

static void card_task(void *arg, size_t task, int worker)
{
    rolling_job *j = arg;
    scarce__fraud *f = j->f;
    const size_t end = (task + 1) * KEYS_PER_TASK < f->n_cards ? (task + 1) * KEYS_PER_TASK : f->n_cards;

    (void)worker;
    for (size_t c = task * KEYS_PER_TASK; c < end; ++c) {
        const uint32_t *rows = f->by_card + f->card_start[c];
        const size_t n = f->card_start[c + 1] - f->card_start[c];
        card_windows(f, rows, n);
        if (f->seen && n > 0 && !card_history(f, rows, n)) j->failed[task] = 1;
    }
}

/* A labelled fraud of one terminal. */
typedef struct bad_row {
    uint64_t enters; /* from this second on it counts */
    uint64_t time;
} bad_row;

static int compare_entry(const void *a, const void *b)
{
    const bad_row *x = a, *y = b;
    if (x->enters != y->enters) return x->enters < y->enters ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static size_t list_bad(const scarce__fraud *f, const uint32_t *rows, size_t n, bad_row *out)
{
    size_t n_bad = 0;
    for (size_t k = 0; k < n; ++k) {
        const scarce__payment *p = &f->rows[rows[k]];
        if (!p->label) continue;
        const uint32_t known = f->known && f->known[rows[k]] > f->delay ? f->known[rows[k]] : f->delay;
        out[n_bad].time = p->time; /* without delay, known one second later: a row never sees its own label */
        out[n_bad++].enters = (uint64_t)p->time + (known > 0 ? known : 1);
    }
    return n_bad;
}

/* A fraud whose label comes after its window has passed never counts. The others all have entered by
 * the time they leave, so entries can be taken in one order and exits in the other. */
static void bad_in_window(const scarce__fraud *f, const uint32_t *rows, size_t n, const bad_row *by_entry,
                          const bad_row *by_time, size_t n_bad, int w)
{
    const uint64_t reach = (uint64_t)f->delay + (uint64_t)scarce__fraud_window_days[w] * SECONDS_PER_DAY;
    size_t e = 0, q = 0, inside = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint64_t t = f->rows[rows[k]].time;
        for (; e < n_bad && by_entry[e].enters <= t; ++e)
            inside += by_entry[e].enters < by_entry[e].time + reach;
        for (; q < n_bad && by_time[q].time + reach <= t; ++q)
            inside -= by_time[q].enters < by_time[q].time + reach;
        f->terminal_bad[w][rows[k]] = (uint32_t)inside;
    }
}

static void count_in_window(const scarce__fraud *f, const uint32_t *rows, size_t n, int w)
{
    const uint64_t span = (uint64_t)scarce__fraud_window_days[w] * SECONDS_PER_DAY;
    size_t first = 0, end = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint64_t t = f->rows[rows[k]].time;
        while (end < k && (uint64_t)f->rows[rows[end]].time + f->delay <= t) ++end;
        while (first < end && (uint64_t)f->rows[rows[first]].time + f->delay + span <= t) ++first;
        f->terminal_count[w][rows[k]] = (uint32_t)(end - first);
    }
}

static int terminal_windows(scarce__fraud *f, const uint32_t *rows, size_t n, bad_row *scratch)
{
    const size_t n_bad = list_bad(f, rows, n, scratch);
    bad_row *by_entry = scratch;

    for (int w = 0; w < N_WINDOWS; ++w) count_in_window(f, rows, n, w);
    if (n_bad > 0 && f->known) {
        by_entry = scarce__malloc_array(n_bad, sizeof *by_entry);
        if (!by_entry) return 0;
        memcpy(by_entry, scratch, n_bad * sizeof *by_entry);
        qsort(by_entry, n_bad, sizeof *by_entry, compare_entry);
    }
    for (int w = 0; w < N_WINDOWS; ++w) bad_in_window(f, rows, n, by_entry, scratch, n_bad, w);
    if (by_entry != scratch) scarce__free(by_entry);
    return 1;
}

static void terminal_task(void *arg, size_t task, int worker)
{
    rolling_job *j = arg;
    scarce__fraud *f = j->f;
    const size_t begin = task * KEYS_PER_TASK;
    const size_t end = begin + KEYS_PER_TASK < f->n_terminals ? begin + KEYS_PER_TASK : f->n_terminals;
    size_t most = 0;
    bad_row *scratch;

    (void)worker;
    for (size_t c = begin; c < end; ++c) {
        size_t n_bad = 0;
        for (uint32_t k = f->terminal_start[c]; k < f->terminal_start[c + 1]; ++k)
            n_bad += f->rows[f->by_terminal[k]].label;
        if (n_bad > most) most = n_bad;
    }
    scratch = scarce__malloc_array(most, sizeof *scratch);
    if (!scratch) {
        j->failed[task] = 1;
        return;
    }
    for (size_t c = begin; c < end; ++c)
        if (!terminal_windows(f, f->by_terminal + f->terminal_start[c],
                              f->terminal_start[c + 1] - f->terminal_start[c], scratch))
            j->failed[task] = 1;
    scarce__free(scratch);
}

static scarce_status run_tasks(scarce__fraud *f, size_t n_keys, scarce__task_fn task,
                               const scarce_context *ctx, scarce_error *err)
{
    const size_t n_tasks = scarce__blocks(n_keys, KEYS_PER_TASK);
    rolling_job j = {f, scarce__calloc(n_tasks, 1)};
    int failed = 0;

    if (!j.failed) return scarce__fail_memory(err, "features", 0);
    scarce__pool_run(scarce__context_pool(ctx), n_tasks, task, &j);
    for (size_t i = 0; i < n_tasks; ++i) failed |= j.failed[i];
    scarce__free(j.failed);
    return failed ? scarce__fail_memory(err, "features", 0) : SCARCE_OK;
}

scarce_status scarce__fraud_features(scarce__fraud *f, const scarce_context *ctx, scarce_error *err)
{
    for (int w = 0; w < N_WINDOWS; ++w) {
        f->card_count[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->card_mean[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->terminal_count[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->terminal_bad[w] = scarce__big_alloc(f->n, sizeof(uint32_t));
        if (!f->card_count[w] || !f->card_mean[w] || !f->terminal_count[w] || !f->terminal_bad[w])
            return scarce__fail_memory(err, "features", f->n * sizeof(uint32_t));
    }
    if (f->options->preset == PRESET_HARD) {
        f->since_last = scarce__big_alloc(f->n, sizeof(uint32_t));
        f->seen = scarce__big_alloc(f->n, sizeof(uint32_t));
        if (!f->since_last || !f->seen) return scarce__fail_memory(err, "features", f->n * sizeof(uint32_t));
    }
    SCARCE__TRY(run_tasks(f, f->n_cards, card_task, ctx, err));
    return run_tasks(f, f->n_terminals, terminal_task, ctx, err);
}
