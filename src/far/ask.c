/* SPDX-License-Identifier: Apache-2.0 */
/* Answers are merged as they come, in any order: counts and cells are integers, drawn rows are sorted by their numbers at the
 * end. That each row answers once is seen by their number. */
#include "far/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "far/partition.h"
#include "model/seen.h"

struct scarce_answers {
    const scarce__question *q;
    scarce__asker *asker;
    uint64_t rows, positives;
    scarce__exact sums[2];
    scarce__interest *cells;
    uint64_t *spread;
    scarce__writer drawn;
    uint64_t n_drawn;
};

/* ---- taking answers */

static void take_count(scarce_answers *a, scarce__reader *r)
{
    a->positives += scarce__get_u64(r);
    scarce__exact_read(&a->sums[0], r);
    scarce__exact_read(&a->sums[1], r);
    const size_t n = scarce__get_count(r, 8);
    for (size_t i = 0; i < n && !r->failed; ++i)
        a->asker->n_seen =
            scarce__least_insert(a->asker->seen, a->asker->n_seen, SCARCE__MOST_SEEN, scarce__get_u64(r));
}

static void take_cells(scarce_answers *a, scarce__reader *r)
{
    const size_t n = scarce__get_count(r, 20);
    for (size_t i = 0; i < n && !r->failed; ++i) {
        const uint32_t c = scarce__get_u32(r);
        const uint64_t count = scarce__get_u64(r), sum = scarce__get_u64(r);
        if (c >= SCARCE__INTEREST_CELLS || count > a->asker->plan->n_rows) r->failed = 1;
        else a->cells->count[c] += count, a->cells->sum[c] += sum;
    }
}

static void take_spread(scarce_answers *a, scarce__reader *r)
{
    const size_t n = scarce__get_count(r, 12);
    for (size_t i = 0; i < n && !r->failed; ++i) {
        const uint32_t c = scarce__get_u32(r);
        const uint64_t count = scarce__get_u64(r);
        if (c >= SCARCE__SCORE_CELLS || count > a->asker->plan->n_rows) r->failed = 1;
        else a->spread[c] += count;
    }
}

static void take_rows(scarce_answers *a, scarce__reader *r)
{
    const size_t each = scarce__drawn_bytes(a->asker->plan->bins.n_columns), n = scarce__get_count(r, each);
    const uint8_t *rows = scarce__get(r, n * each);
    if (!rows) return;
    scarce__put(&a->drawn, rows, n * each);
    a->n_drawn += n;
}

scarce_status scarce_answers_take(scarce_answers *a, const void *answer, size_t n, scarce_error *err)
{
    scarce__reader r;
    uint64_t rows;

    SCARCE__TRY(scarce__answer_open(&r, &rows, answer, n, a->q, err));
    switch (a->q->what) {
    case SCARCE__ASK_COUNT: take_count(a, &r); break;
    case SCARCE__ASK_INTEREST: take_cells(a, &r); break;
    case SCARCE__ASK_SCORES: take_spread(a, &r); break;
    case SCARCE__ASK_DRAW:
    case SCARCE__ASK_TOP: take_rows(a, &r); break;
    }
    if (a->drawn.failed) return scarce__fail_memory(err, SCARCE__DRAWN, a->drawn.n);
    if (r.failed || r.at != r.end || rows > a->asker->plan->n_rows) return scarce__message_damaged(err);
    a->rows += rows;
    a->asker->bytes_answered += n;
    return SCARCE_OK;
}

/* ---- asking */

static scarce_status ask(scarce_answers *a, scarce_context *ctx, scarce_error *err)
{
    scarce__asker *asker = a->asker;
    void *bytes = NULL;
    size_t n = 0;
    scarce_status st = scarce__question_write(&bytes, &n, a->q, err);

    if (st == SCARCE_OK) {
        ++asker->questions;
        asker->bytes_asked += n;
        st = asker->how->ask(asker->how->payload, bytes, n, a, ctx, err);
    }
    scarce__free(bytes);
    if (st == SCARCE_OK && a->rows != asker->plan->n_rows)
        st = scarce__fail(
            err, SCARCE_EDATA,
            "%llu rows answered, the plan was made of %llu: a partition answered twice or not at all, or its "
            "rows have changed",
            (unsigned long long)a->rows, (unsigned long long)asker->plan->n_rows);
    return st;
}

static scarce__question question_of(const scarce__asker *asker, scarce__ask what)
{
    scarce__question q;
    memset(&q, 0, sizeof q);
    q.what = what;
    q.plan = asker->plan->fingerprint;
    q.run = asker->run;
    q.factor[0] = asker->factor[0];
    q.factor[1] = asker->factor[1];
    q.loss = scarce__loss_logistic(1);
    q.thin = 1;
    return q;
}

/* ---- drawn rows */

typedef struct drawn_order {
    uint64_t id;
    size_t at;
} drawn_order;

static int by_id(const void *a, const void *b)
{
    const drawn_order *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Places of the rows in the answers, by their numbers; to be freed. */
static scarce_status order_rows(drawn_order **out, const scarce_answers *a, size_t each, scarce_error *err)
{
    drawn_order *o = scarce__malloc_array((size_t)a->n_drawn + 1, sizeof *o);

    *out = o;
    if (!o) return scarce__fail_memory(err, SCARCE__DRAWN, (size_t)a->n_drawn * sizeof *o);
    for (size_t i = 0; i < a->n_drawn; ++i) {
        scarce__reader r = scarce__reader_of(a->drawn.bytes + i * each, 8);
        o[i] = (drawn_order){scarce__get_u64(&r), i * each};
    }
    qsort(o, (size_t)a->n_drawn, sizeof *o, by_id);
    for (size_t i = 1; i < a->n_drawn; ++i)
        if (o[i].id == o[i - 1].id)
            return scarce__fail(err, SCARCE_EDATA, "two rows have the number %llu; every row needs its own",
                                (unsigned long long)o[i].id);
    return SCARCE_OK;
}

static scarce_status make_room(scarce__part *p, size_t n, size_t n_columns, scarce_error *err)
{
    p->n = n;
    p->own.n_rows = n;
    p->own.n_columns = n_columns;
    p->own.rows_capacity = n;
    p->own.rows = scarce__big_alloc(scarce__slabs(n_columns) * SCARCE__SLAB * n + 64, 1);
    p->row = scarce__malloc_array(n, sizeof *p->row);
    p->label = scarce__malloc_array(n, 1);
    p->score = scarce__big_alloc(n, sizeof *p->score);
    p->weight = scarce__malloc_array(n, sizeof *p->weight);
    p->bag_weight = scarce__malloc_array(n, sizeof *p->bag_weight);
    if (!p->own.rows || !p->row || !p->label || !p->score || !p->weight || !p->bag_weight)
        return scarce__fail_memory(err, SCARCE__DRAWN, n * (n_columns + 17));
    memset(p->own.rows, 0, scarce__slabs(n_columns) * SCARCE__SLAB * n);
    return SCARCE_OK;
}

/* Every label and number of a row is checked: they come from elsewhere. */
static int fill_row(scarce__part *p, size_t i, scarce__reader *r, const scarce__bins *bins)
{
    p->row[i] = (uint32_t)i;
    (void)scarce__get_u64(r);
    p->label[i] = scarce__get_u8(r);
    p->weight[i] = scarce__get_f32(r);
    p->score[i] = scarce__get_f32(r);
    p->bag_weight[i] = scarce__get_f32(r);
    for (size_t c = 0; c < bins->n_columns; ++c) {
        const size_t slab = c / SCARCE__SLAB, width = scarce__slab_width(bins->n_columns, slab);
        const uint8_t code = scarce__get_u8(r);
        if (code >= bins->n_codes[c]) return 0;
        scarce__slab(&p->own, slab)[i * width + c % SCARCE__SLAB] = code;
    }
    return !r->failed && p->label[i] <= 1 && p->weight[i] >= 0 && p->weight[i] <= 1e30f &&
           isfinite(p->score[i]) && p->bag_weight[i] >= 1 && isfinite(p->bag_weight[i]);
}

/* Weights that are all 1 are none, as in memory. */
static void drop_weights(scarce__part *p, const double factor[2], int weighed)
{
    if (weighed || factor[0] != 1 || factor[1] != 1) return;
    scarce__free(p->weight);
    p->weight = NULL;
}

static scarce_status make_part(scarce__part *out, const scarce_answers *a, int weighed, scarce_context *ctx,
                               scarce_error *err)
{
    const scarce__bins *bins = &a->asker->plan->bins;
    const size_t each = scarce__drawn_bytes(bins->n_columns), n = (size_t)a->n_drawn;
    drawn_order *order = NULL;
    scarce_status st =
        n < (size_t)SCARCE__MOST_TRAINED
            ? order_rows(&order, a, each, err)
            : scarce__fail(
                  err, SCARCE_EDATA,
                  "%zu rows were drawn; 2^30 are too many for one machine (fewer of them: pool, neg_per_pos)",
                  n);

    if (st == SCARCE_OK) st = make_room(out, n, bins->n_columns, err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) {
        scarce__reader r = scarce__reader_of(a->drawn.bytes + order[i].at, each);
        if (!fill_row(out, i, &r, bins)) st = scarce__message_damaged(err);
    }
    scarce__free(order);
    if (st == SCARCE_OK) st = scarce__codes_retile(&out->own, ctx, err);
    out->codes = &out->own;
    if (st == SCARCE_OK) drop_weights(out, a->asker->factor, weighed);
    else scarce__part_deinit(out);
    return st;
}

/* ---- the pool */

static scarce_status ask_interest(scarce__interest_rule *rule, scarce__asker *asker,
                                  const scarce__question *as, const scarce__far_draw *d, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__question q = *as;
    scarce_answers a;
    scarce_status st;

    memset(&a, 0, sizeof a);
    q.what = SCARCE__ASK_INTEREST;
    q.rule.key = d->key;
    q.thin = scarce__interest_thin(asker->plan->n_rows);
    a.q = &q;
    a.asker = asker;
    a.cells = scarce__calloc(1, sizeof *a.cells);
    st = a.cells ? ask(&a, ctx, err) : scarce__fail_memory(err, SCARCE__DRAWN, sizeof *a.cells);
    rule->key = d->key;
    rule->most = 1;
    if (st == SCARCE_OK) scarce__interest_solve(rule, a.cells, d->wanted, d->floor, q.thin);
    scarce__free(a.cells);
    return st;
}

static scarce_status pool(void *payload, scarce__part *out, const scarce__far_draw *d, scarce_context *ctx,
                          scarce_error *err)
{
    scarce__asker *asker = payload;
    const scarce_table *sample = asker->plan->sample;
    scarce__question q = question_of(asker, SCARCE__ASK_DRAW);
    scarce_answers a;
    scarce_status st;

    memset(&a, 0, sizeof a);
    q.base = d->base;
    q.loss = *d->loss;
    q.trees = d->trees;
    SCARCE__TRY(ask_interest(&q.rule, asker, &q, d, ctx, err));
    a.q = &q;
    a.asker = asker;
    st = ask(&a, ctx, err);
    if (st == SCARCE_OK) st = make_part(out, &a, sample->weight || sample->cost, ctx, err);
    if (st == SCARCE_OK) {
        asker->rows_sent += a.n_drawn;
        scarce__log(ctx, SCARCE_LOG_DEBUG,
                    "after %zu trees %llu of %llu rows were drawn; so far %llu questions, %.1f MB asked, "
                    "%.1f MB answered",
                    d->trees->n_trees, (unsigned long long)a.n_drawn, (unsigned long long)asker->plan->n_rows,
                    (unsigned long long)asker->questions, (double)asker->bytes_asked / 1e6,
                    (double)asker->bytes_answered / 1e6);
    }
    scarce__writer_deinit(&a.drawn);
    return st;
}

scarce_status scarce__asker_start(scarce__asker *out, const scarce_plan *plan, const scarce_far *how,
                                  const double factor[2], uint64_t run, scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__question q;
    scarce_answers a;

    memset(out, 0, sizeof *out);
    memset(&a, 0, sizeof a);
    out->plan = plan;
    out->how = how;
    out->run = run;
    out->factor[0] = factor[0];
    out->factor[1] = factor[1];
    q = question_of(out, SCARCE__ASK_COUNT);
    a.q = &q;
    a.asker = out;
    SCARCE__TRY(ask(&a, ctx, err));
    if (a.positives != plan->n_positives)
        return scarce__fail(err, SCARCE_EDATA,
                            "%llu of the rows are positive, the plan was made of %llu: labels have changed",
                            (unsigned long long)a.positives, (unsigned long long)plan->n_positives);
    out->far.n_rows = (size_t)plan->n_rows;
    out->far.n_positives = (size_t)plan->n_positives;
    for (int y = 0; y < 2; ++y)
        out->plain_weight[y] = out->far.class_weight[y] = scarce__exact_value(&a.sums[y]);
    if (factor[0] != 1 || factor[1] != 1) {
        memset(a.sums, 0, sizeof a.sums);
        a.rows = 0;
        q.factor[0] = q.factor[1] = 1;
        SCARCE__TRY(ask(&a, ctx, err));
        for (int y = 0; y < 2; ++y) out->plain_weight[y] = scarce__exact_value(&a.sums[y]);
    }
    out->far.bins = &plan->bins;
    out->far.payload = out;
    out->far.pool = pool;
    return SCARCE_OK;
}

/* ---- the highest scores */

/* From which cell on there are `most` rows and some more; float sums are off by a few units in the last place. */
static float lower_edge(const uint64_t *spread, double most)
{
    double n = 0;
    uint32_t c = SCARCE__SCORE_CELLS;
    while (c > 0 && n <= most) n += (double)spread[--c];
    c = c > 1 ? c - 1 : 0;
    return c > 0 ? scarce__score_cell_edge(c) : -INFINITY;
}

/* As a model sums them up: in doubles, tree after tree. */
static double sum_of(const scarce__part *p, size_t i, const scarce__forest *f,
                     const scarce__binned_tree *trees)
{
    double sum = f->base;
    for (size_t t = 0; t < f->n_trees; ++t)
        sum += (double)trees[t].nodes[scarce__part_leaf(p, i, &trees[t])].value;
    return sum;
}

static scarce_status score_top(double *score, uint8_t *label, double *weight, const scarce__part *p,
                               const scarce__bins *bins, const scarce__forest *f, scarce_error *err)
{
    scarce__binned_tree *trees = scarce__calloc(f->n_trees, sizeof *trees);
    scarce_status st = trees ? SCARCE_OK : scarce__fail_memory(err, "the trees", 0);

    for (size_t t = 0; t < f->n_trees && st == SCARCE_OK; ++t)
        st = scarce__binned_tree_from(&trees[t], bins, f, t, err);
    for (size_t i = 0; i < p->n && st == SCARCE_OK; ++i) {
        score[i] = sum_of(p, i, f, trees);
        label[i] = p->label[i];
        weight[i] = p->weight ? (double)p->weight[i] : 1;
    }
    for (size_t t = 0; trees && t < f->n_trees; ++t) scarce__binned_tree_deinit(&trees[t]);
    scarce__free(trees);
    return st;
}

scarce_status scarce__asker_top(double **score, uint8_t **label, double **weight, size_t *n,
                                scarce__asker *asker, const scarce__forest *trees, const scarce__loss *loss,
                                double most, scarce_context *ctx, scarce_error *err)
{
    scarce__question q = question_of(asker, SCARCE__ASK_SCORES);
    scarce_answers a;
    scarce__part part;
    scarce_status st;

    *score = *weight = NULL;
    *label = NULL;
    memset(&a, 0, sizeof a);
    memset(&part, 0, sizeof part);
    q.base = trees->base;
    q.loss = *loss;
    q.trees = trees;
    q.factor[0] = q.factor[1] = 1;
    a.q = &q;
    a.asker = asker;
    a.spread = scarce__calloc(SCARCE__SCORE_CELLS, sizeof *a.spread);
    st = a.spread ? ask(&a, ctx, err) : scarce__fail_memory(err, "the highest scores", 0);
    if (st == SCARCE_OK) {
        q.what = SCARCE__ASK_TOP;
        q.from = lower_edge(a.spread, most);
        a.rows = 0;
        st = ask(&a, ctx, err);
    }
    if (st == SCARCE_OK) st = make_part(&part, &a, 1, ctx, err);
    scarce__free(a.spread);
    scarce__writer_deinit(&a.drawn);
    if (st == SCARCE_OK) {
        *n = part.n;
        *score = scarce__malloc_array(part.n + 1, sizeof **score);
        *label = scarce__malloc_array(part.n + 1, 1);
        *weight = scarce__malloc_array(part.n + 1, sizeof **weight);
        st = *score && *label && *weight
                 ? score_top(*score, *label, *weight, &part, &asker->plan->bins, trees, err)
                 : scarce__fail_memory(err, "the highest scores", part.n * 17);
    }
    scarce__part_deinit(&part);
    if (st != SCARCE_OK) {
        scarce__free(*score);
        scarce__free(*label);
        scarce__free(*weight);
        *score = *weight = NULL;
        *label = NULL;
    }
    return st;
}

/* ---- partitions of this process */

static scarce_status ask_here(void *payload, const void *question, size_t n, scarce_answers *answers,
                              scarce_context *ctx, scarce_error *err)
{
    const scarce_here *here = payload;
    for (size_t i = 0; i < here->n; ++i) {
        void *answer = NULL;
        size_t n_answer = 0;
        scarce_status st =
            scarce_partition_answer(&answer, &n_answer, here->partitions[i], question, n, ctx, err);
        if (st == SCARCE_OK) st = scarce_answers_take(answers, answer, n_answer, err);
        scarce_bytes_free(answer);
        SCARCE__TRY(st);
    }
    return SCARCE_OK;
}

scarce_far scarce_far_here(const scarce_here *here)
{
    scarce_far far = SCARCE_FAR_INIT;
    far.ask = ask_here;
    far.payload = (void *)(uintptr_t)here;
    return far;
}
