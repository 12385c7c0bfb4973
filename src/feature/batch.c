/* SPDX-License-Identifier: Apache-2.0 */
/* Shards of keys, each with its rows in order and its labels by the moment they are known. */
#include "feature/batch.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/pool.h"
#include "feature/kind.h"
#include "feature/sweep.h"

enum { MOST_SHARDS = 256, ROWS_PER_SHARD = 4096, AT_ONCE = 64 /* features that are handed out */ };

/* What keys in order of time are made of, in the order of the shards: so a shard reads memory of its own, one after the other. */
typedef struct laid_out {
    uint64_t *keys; /* two a row; NULL: the kind goes the general way */
    int64_t *time;
    int64_t *values; /* [value * n + row] */
} laid_out;

typedef struct job {
    scarce__batch *b;
    const int64_t *at;
    size_t n_shards;
    const size_t *kinds; /* those that are wanted */
    uint32_t **order;    /* [kind]: rows by shard */
    laid_out *laid;      /* [kind] */
    size_t *start;       /* [kind * (n_shards + 1) + shard] */
    scarce_status *status;
    uint64_t *late, *folded; /* per task */
    int in_order;            /* all rows arrive in order of time, each once */
    double **made; /* [kind]: features in the order of `order`; so a shard writes to memory of its own */
} job;

void scarce__running_max(int64_t *at, const int64_t *time, size_t n)
{
    int64_t most = n ? time[0] : 0;
    for (size_t i = 0; i < n; ++i) {
        if (time[i] > most) most = time[i];
        at[i] = most;
    }
}

/* ---- labels of a shard */

typedef struct known_label {
    int64_t from; /* first arrival that sees it */
    uint32_t row;
} known_label;

static int compare_labels(const void *a, const void *b)
{
    const known_label *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int list_labels(const job *j, const uint32_t *rows, size_t n, known_label **out, size_t *count)
{ /* (kinds with labels always run as whole shards) */
    const scarce__batch *b = j->b;
    size_t m = 0;
    *out = NULL;
    *count = 0;
    if (!b->label) return 1;
    for (size_t i = 0; i < n; ++i) m += b->label[rows[i]] == 1;
    *out = scarce__malloc_array(m, sizeof **out);
    if (!*out) return 0;
    m = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t row = rows[i];
        if (b->label[row] != 1 || (b->repeated && b->repeated[row])) continue;
        const int64_t t = b->time ? b->time[row] : 0;
        const int64_t from = scarce__label_from(t, b->label_time ? b->label_time[row] : t + b->label_delay);
        (*out)[m].from = from > j->at[row] ? from : j->at[row];
        (*out)[m++].row = row;
    }
    qsort(*out, m, sizeof **out, compare_labels);
    *count = m;
    return 1;
}

/* ---- a task */

typedef struct shard {
    const job *j;
    size_t kind;
    scarce__kind_state state;
    scarce__kind_record record;
    int64_t numbers[SCARCE__FEATURE_FIELDS];
    uint64_t hashes[SCARCE__FEATURE_FIELDS];
    double *out;  /* of one record */
    double *made; /* of all rows of the shard, one after the other */
    int64_t base;
} shard;

static void take_row(shard *s, uint32_t row)
{
    const scarce__batch *b = s->j->b;
    const scarce__feature_kind *k = s->state.shape.kind;
    scarce__kind_record *r = &s->record;

    r->t = (b->time ? b->time[row] : 0) - s->base;
    r->at = s->j->at[row] - s->base;
    r->key[0] = b->keys[s->kind][2 * (size_t)row];
    r->key[1] = b->keys[s->kind][2 * (size_t)row + 1];
    r->has_key = !(b->no_key && b->no_key[s->kind] && b->no_key[s->kind][row]);
    r->tag = row;
    r->filters = b->filters && b->filters[s->kind] ? b->filters[s->kind][row] : 1;
    for (int v = 0; v < k->n_values; ++v) s->numbers[k->values[v]] = b->numbers[k->values[v]][row];
    for (int c = 0; c < k->n_counted; ++c) s->hashes[k->counted[c]] = b->hashes[k->counted[c]][row];
}

/* `at`: which row of the shard. */
static void give_row(shard *s, size_t at)
{
    const scarce__feature_kind *k = s->state.shape.kind;
    double *to = s->made + at * k->n_aggregates;
    for (size_t a = 0; a < k->n_aggregates; ++a) to[a] = s->out[k->aggregates[a].out];
}

/* All rows of the shard in their order, or those that `which` (nullable) lists. */
static int run_shard(shard *s, const uint32_t *rows, const uint32_t *which, size_t n)
{
    const scarce__batch *b = s->j->b;
    scarce__kind_state *k = &s->state;
    known_label *labels = NULL;
    size_t n_labels = 0, next = 0;
    int ok = !k->shape.has_tags || list_labels(s->j, rows, n, &labels, &n_labels);

    for (size_t i = 0; i < n && ok; ++i) {
        const size_t at = which ? which[i] : i;
        const uint32_t row = rows[at];
        for (; next < n_labels && labels[next].from <= s->j->at[row] && labels[next].row < row; ++next) {
            const uint32_t of = labels[next].row;
            scarce__kind_label(k, b->keys[s->kind] + 2 * (size_t)of, (b->time ? b->time[of] : 0) - s->base,
                               of, SCARCE__LABEL_FRAUD, s->j->at[row] - s->base);
        }
        take_row(s, row);
        ok = scarce__kind_ask(k, &s->record, s->out);
        if (!ok) break;
        give_row(s, at);
        if (b->repeated && b->repeated[row]) continue;
        ok = scarce__kind_reserve(k, &s->record);
        if (ok) scarce__kind_insert(k, &s->record);
    }
    scarce__free(labels);
    return ok;
}

/* ---- keys in order of time */

typedef struct group {
    uint64_t key[2];
    uint32_t n, begin;
} group;

typedef struct groups {
    group *items;
    size_t n;
    uint32_t *table; /* 1 + group */
    size_t slots;
    uint32_t *of;   /* the group of each row */
    uint32_t *rows; /* rows of the shard by group: 0, 1, ... */
} groups;

static void groups_deinit(groups *g)
{
    scarce__free(g->items);
    scarce__free(g->table);
    scarce__free(g->of);
    scarce__free(g->rows);
}

static uint32_t group_of(groups *g, const uint64_t key[2])
{
    size_t i = (size_t)key[1] & (g->slots - 1);
    for (; g->table[i]; i = (i + 1) & (g->slots - 1)) {
        const group *other = &g->items[g->table[i] - 1];
        if (other->key[0] == key[0] && other->key[1] == key[1]) return g->table[i] - 1;
    }
    g->items[g->n].key[0] = key[0];
    g->items[g->n].key[1] = key[1];
    g->table[i] = (uint32_t)++g->n;
    return g->table[i] - 1;
}

/* The rows of each key together, in their order. 0: out of memory. */
static int make_groups(groups *g, const uint64_t *keys, size_t n)
{
    uint32_t begin = 0;
    memset(g, 0, sizeof *g);
    g->slots = 16;
    while (g->slots < 2 * n) g->slots *= 2;
    g->items = scarce__calloc(n, sizeof *g->items);
    g->table = scarce__calloc(g->slots, sizeof *g->table);
    g->of = scarce__malloc_array(n, sizeof *g->of);
    g->rows = scarce__malloc_array(n, sizeof *g->rows);
    if (!g->items || !g->table || !g->of || !g->rows) return 0;
    for (size_t i = 0; i < n; ++i) ++g->items[g->of[i] = group_of(g, keys + 2 * i)].n;
    for (size_t k = 0; k < g->n; ++k) {
        g->items[k].begin = begin;
        begin += g->items[k].n;
        g->items[k].n = 0;
    }
    for (size_t i = 0; i < n; ++i) {
        group *k = &g->items[g->of[i]];
        g->rows[k->begin + k->n++] = (uint32_t)i;
    }
    return 1;
}

/* One key by two pointers a window; 0: it must go the general way (*ok = 0: out of memory). */
static int sweep_key(scarce__sweep *s, const shard *of, const uint32_t *rows, const laid_out *laid,
                     size_t first, const uint32_t *which, size_t n, int *ok)
{
    const scarce__batch *b = of->j->b;
    const scarce__feature_kind *k = s->kind;
    const uint8_t *no_key = b->no_key ? b->no_key[of->kind] : NULL;
    if (n > k->max_events || (no_key && no_key[rows[which[0]]])) return 0;
    if (!scarce__sweep_reserve(s, n)) return *ok = 0;
    for (size_t i = 0; i < n; ++i) {
        const size_t at = first + which[i];
        s->to[i] = which[i];
        s->time[i] = laid->time[at];
        for (int v = 0; v < k->n_values; ++v)
            s->values[(size_t)v * s->capacity + i] = laid->values[(size_t)v * b->n + at];
    }
    if (!scarce__sweep_fits(s, n)) return 0;
    scarce__sweep_run(s, n, of->made);
    return 1;
}

/* The rows `first`, ... of what is laid out. */
static int run_keys(shard *s, const uint32_t *rows, const laid_out *laid, size_t first, size_t n)
{
    scarce__sweep sweep;
    groups g;
    int ok = make_groups(&g, laid->keys + 2 * first, n);

    memset(&sweep, 0, sizeof sweep);
    sweep.kind = s->state.shape.kind;
    for (size_t k = 0; k < g.n && ok; ++k) {
        const uint32_t *which = g.rows + g.items[k].begin;
        if (!sweep_key(&sweep, s, rows, laid, first, which, g.items[k].n, &ok) && ok)
            ok = run_shard(s, rows, which, g.items[k].n);
    }
    scarce__sweep_deinit(&sweep);
    groups_deinit(&g);
    return ok;
}

static void task(void *arg, size_t t, int worker)
{
    job *j = arg;
    const size_t i = t / j->n_shards, sh = t % j->n_shards;
    const size_t *start = j->start + i * (j->n_shards + 1);
    shard *s;

    (void)worker;
    j->status[t] = SCARCE_OK;
    if (start[sh] == start[sh + 1]) return;
    j->status[t] = SCARCE_ENOMEM;
    s = scarce__calloc(1, sizeof *s);
    if (!s) return;
    s->j = j;
    s->kind = j->kinds[i];
    s->base = j->at[0];
    s->out = scarce__malloc_array(j->b->plan->n_outs, sizeof *s->out);
    if (s->out &&
        scarce__kind_state_init(&s->state, &j->b->plan->kinds[s->kind], s->base, NULL) == SCARCE_OK) {
        s->record.numbers = s->numbers;
        s->record.hashes = s->hashes;
        const uint32_t *rows = j->order[i] + start[sh];
        const size_t n = start[sh + 1] - start[sh];
        const laid_out *laid = &j->laid[i];
        s->made = j->made[i] + start[sh] * s->state.shape.kind->n_aggregates;
        if (laid->keys ? run_keys(s, rows, laid, start[sh], n) : run_shard(s, rows, NULL, n))
            j->status[t] = SCARCE_OK;
        j->late[t] = s->state.late;
        j->folded[t] = s->state.folded;
        scarce__kind_state_deinit(&s->state);
    }
    scarce__free(s->out);
    scarce__free(s);
}

/* ---- all of it */

static int make_laid_out(laid_out *l, size_t n, size_t n_values)
{
    l->time = scarce__big_alloc(n, sizeof *l->time);
    l->values = scarce__big_alloc(n, (n_values + 1) * sizeof *l->values);
    l->keys = scarce__big_alloc(n, 2 * sizeof *l->keys);
    return l->time && l->values && l->keys;
}

static void free_laid_out(laid_out *l)
{
    scarce__free(l->keys);
    scarce__free(l->time);
    scarce__free(l->values);
}

/* Row r to place `at`. */
static void lay_out(const laid_out *l, const scarce__batch *b, const scarce__feature_kind *k,
                    const uint64_t *keys, size_t r, size_t at)
{
    l->keys[2 * at] = keys[2 * r];
    l->keys[2 * at + 1] = keys[2 * r + 1];
    l->time[at] = b->time[r];
    for (int v = 0; v < k->n_values; ++v) l->values[(size_t)v * b->n + at] = b->numbers[k->values[v]][r];
}

/* Rows of a kind by shard, in their order. */
static scarce_status share_out(job *j, size_t i, scarce_error *err)
{
    const scarce__batch *b = j->b;
    const uint64_t *keys = b->keys[j->kinds[i]];
    const scarce__feature_kind *kind = &b->plan->kinds[j->kinds[i]];
    size_t *start = j->start + i * (j->n_shards + 1), next[MOST_SHARDS];
    const uint64_t mask = j->n_shards - 1;

    j->order[i] = scarce__big_alloc(b->n, sizeof **j->order);
    j->made[i] = scarce__big_alloc(b->n, kind->n_aggregates * sizeof **j->made);
    if (!j->order[i] || !j->made[i]) return scarce__fail_memory(err, "features", b->n * sizeof **j->order);
    if (j->in_order && scarce__sweep_can(kind) && !make_laid_out(&j->laid[i], b->n, (size_t)kind->n_values))
        return scarce__fail_memory(err, "features", b->n * sizeof **j->order);
    for (size_t r = 0; r < b->n; ++r) ++start[(keys[2 * r] >> 40 & mask) + 1];
    for (size_t s = 0; s < j->n_shards; ++s) start[s + 1] += start[s];
    for (size_t s = 0; s < j->n_shards; ++s) next[s] = start[s];
    for (size_t r = 0; r < b->n; ++r) {
        const size_t at = next[keys[2 * r] >> 40 & mask]++;
        j->order[i][at] = (uint32_t)r;
        if (j->laid[i].keys) lay_out(&j->laid[i], b, kind, keys, r, at);
    }
    return SCARCE_OK;
}

static scarce_status check_range(const scarce__batch *b, const int64_t *at, scarce_error *err)
{
    for (size_t i = 0; b->time && i < b->n; ++i)
        if (b->time[i] - at[0] > INT32_MAX - 1 || b->time[i] - at[0] < INT32_MIN + 1)
            return scarce__fail(err, SCARCE_EDATA,
                                "row %zu: its time is more than 68 years from that of the first row", i + 1);
    return SCARCE_OK;
}

/* Features of a kind to where they are wanted: rows ascend in each shard, so all is read and written in order. */
static void hand_out(void *arg, size_t i, int worker)
{
    job *j = arg;
    const scarce__batch *b = j->b;
    const scarce__feature_kind *k = &b->plan->kinds[j->kinds[i]];
    const uint64_t *keys = b->keys[j->kinds[i]], mask = j->n_shards - 1;
    const size_t *start = j->start + i * (j->n_shards + 1);

    (void)worker;
    for (size_t first = 0; first < k->n_aggregates; first += AT_ONCE) {
        const size_t n = k->n_aggregates - first < AT_ONCE ? k->n_aggregates - first : AT_ONCE;
        const size_t step = b->rows ? b->plan->n_outs : 1;
        size_t next[MOST_SHARDS];
        double *to[AT_ONCE];
        for (size_t a = 0; a < n; ++a) {
            const size_t f = k->aggregates[first + a].out;
            to[a] = b->rows ? b->rows + f : b->out[f];
        }
        for (size_t s = 0; s < j->n_shards; ++s) next[s] = start[s];
        for (size_t row = 0; row < b->n; ++row) {
            const double *from = j->made[i] + next[keys[2 * row] >> 40 & mask]++ * k->n_aggregates + first;
            for (size_t a = 0; a < n; ++a)
                if (to[a]) to[a][row * step] = from[a];
        }
    }
}

/* Does every row arrive at its own time, and none twice? */
static int arrives_in_order(const scarce__batch *b, const int64_t *at)
{
    if (!b->time) return 0;
    for (size_t i = 0; i < b->n; ++i)
        if (at[i] != b->time[i] || (i > 0 && at[i] < at[i - 1]) || (b->repeated && b->repeated[i])) return 0;
    return 1;
}

static scarce_status run_tasks(job *j, size_t n_kinds, const scarce_context *ctx, scarce_error *err)
{
    const size_t n_tasks = n_kinds * j->n_shards;
    for (size_t i = 0; i < n_kinds; ++i) SCARCE__TRY(share_out(j, i, err));
    scarce__pool_run(scarce__context_pool(ctx), n_tasks, task, j);
    for (size_t t = 0; t < n_tasks; ++t) {
        if (j->status[t] != SCARCE_OK) return scarce__fail_memory(err, "features", 0);
        j->b->late += j->late[t];
        j->b->folded += j->folded[t];
    }
    scarce__pool_run(scarce__context_pool(ctx), n_kinds, hand_out, j);
    return SCARCE_OK;
}

scarce_status scarce__batch_run(scarce__batch *b, const scarce_context *ctx, scarce_error *err)
{
    size_t kinds[SCARCE__FEATURE_KINDS], n_kinds = 0, n_tasks;
    uint32_t *order[SCARCE__FEATURE_KINDS] = {NULL};
    double *made[SCARCE__FEATURE_KINDS] = {NULL};
    laid_out laid[SCARCE__FEATURE_KINDS];
    int64_t *at = scarce__calloc(b->n, sizeof *at);
    job j;
    scarce_status st;

    memset(&j, 0, sizeof j);
    memset(laid, 0, sizeof laid);
    b->late = b->folded = 0;
    for (size_t k = 0; k < b->plan->n_kinds; ++k)
        if (b->keys[k] && b->plan->kinds[k].n_aggregates) kinds[n_kinds++] = k;
    j.b = b;
    j.at = at;
    j.kinds = kinds;
    j.order = order;
    j.made = made;
    j.laid = laid;
    j.n_shards = 1;
    while (j.n_shards < MOST_SHARDS && j.n_shards * ROWS_PER_SHARD < b->n) j.n_shards *= 2;
    n_tasks = n_kinds * j.n_shards;
    j.start = scarce__calloc(n_kinds * (j.n_shards + 1) + 1, sizeof *j.start);
    j.status = scarce__calloc(n_tasks + 1, sizeof *j.status);
    j.late = scarce__calloc(n_tasks + 1, sizeof *j.late);
    j.folded = scarce__calloc(n_tasks + 1, sizeof *j.folded);
    if (at && j.start && j.status && j.late && j.folded) {
        if (b->at) memcpy(at, b->at, b->n * sizeof *at);
        else if (b->time) scarce__running_max(at, b->time, b->n);
        st = check_range(b, at, err);
        j.in_order = arrives_in_order(b, at);
        if (st == SCARCE_OK && b->n > 0) st = run_tasks(&j, n_kinds, ctx, err);
    } else st = scarce__fail_memory(err, "features", 0);
    for (size_t i = 0; i < n_kinds; ++i) {
        scarce__free(order[i]);
        scarce__free(made[i]);
        free_laid_out(&laid[i]);
    }
    scarce__free(at);
    scarce__free(j.start);
    scarce__free(j.status);
    scarce__free(j.late);
    scarce__free(j.folded);
    return st;
}
