/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one place: codes, labels and scores in chunks, in memory or in a file without a name. Scores are brought up to
 * date when a question comes, for all trees since the last one at once, chunks side by side.
 *
 *     chunk:  [tiles of codes][scores][labels][weights][numbers]      the last two where there are any
 *
 * What always holds: a chunk has `done` trees of the training `run` in its scores, or (done = 0) no scores yet. An answer does
 * not depend on how rows are cut into chunks, but for the order of drawn rows, which the asker sorts. */
#include "far/partition.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/files.h"
#include "data/row_hash.h"
#include "far/align.h"
#include "far/message.h"
#include "far/plan.h"
#include "model/seen.h"
#include "tree/tiles.h"

enum { CHUNK_ROWS = 65536, SEEN = 64 };

typedef struct chunk {
    size_t n;
    uint64_t first; /* number of the first row, where they have no list */
    int has_ids, has_weights;
    size_t done;     /* trees in the scores */
    uint64_t offset; /* in the file */
    uint8_t *bytes;  /* in memory; NULL: in the file */
} chunk;

struct scarce_partition {
    const scarce_plan *plan;
    int file; /* -1: memory */
    uint64_t end;
    chunk *chunks;
    size_t n_chunks, room;
    uint64_t n_rows, n_positives, run;
    uint64_t seen[SEEN + 1]; /* the smallest hashes of rows, ascending */
    size_t n_seen;
};

/* ---- chunks */

static size_t tiles_bytes(const scarce_partition *p, size_t n)
{
    return (n + SCARCE__TILE - 1) / SCARCE__TILE * SCARCE__TILE * p->plan->bins.n_columns;
}

static size_t rounded(size_t n)
{
    return (n + 63) / 64 * 64;
}

/* Where the parts of a chunk begin. */
typedef struct layout {
    size_t score, label, weight, id, end;
} layout;

static layout layout_of(const scarce_partition *p, const chunk *c)
{
    layout l;
    l.score = rounded(tiles_bytes(p, c->n) + 64); /* tiles may be read some bytes too far */
    l.label = rounded(l.score + c->n * sizeof(float));
    l.weight = rounded(l.label + c->n);
    l.id = l.weight + (c->has_weights ? c->n * sizeof(double) : 0);
    l.end = l.id + (c->has_ids ? c->n * sizeof(uint64_t) : 0);
    return l;
}

static scarce_status fail_file(const char *what, scarce_error *err)
{
    const char *why = scarce__io_reason(errno);
    return scarce__fail(err, SCARCE_EIO, "the temporary file of the rows can't be %s: %s", what,
                        why ? why : "input/output error");
}

static scarce_status write_at(const scarce_partition *p, const uint8_t *from, size_t n, uint64_t offset,
                              scarce_error *err)
{
    while (n > 0) {
        const ssize_t k = pwrite(p->file, from, n, (off_t)offset);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return fail_file("written", err);
        from += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return SCARCE_OK;
}

static scarce_status read_at(const scarce_partition *p, uint8_t *to, size_t n, uint64_t offset,
                             scarce_error *err)
{
    while (n > 0) {
        const ssize_t k = pread(p->file, to, n, (off_t)offset);
        if (k < 0 && errno == EINTR) continue;
        if (k == 0) errno = EIO;
        if (k <= 0) return fail_file("read", err);
        to += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return SCARCE_OK;
}

/* ---- making one */

scarce_status scarce_partition_new(scarce_partition **out, const scarce_plan *plan, const char *folder,
                                   scarce_error *err)
{
    scarce_partition *p = scarce__calloc(1, sizeof *p);

    *out = NULL;
    if (!p) return scarce__fail_memory(err, "a partition", 0);
    p->plan = plan;
    p->file = -1;
    if (folder) {
        p->file = scarce__open_nameless(*folder ? folder : NULL);
        if (p->file < 0) {
            const int number = errno;
            scarce__free(p);
            if (number == ENOMEM) return scarce__fail_memory(err, "a temporary file", 0);
            const char *why = scarce__io_reason(number);
            return scarce__fail(err, SCARCE_EIO, "%s: can't make a temporary file: %s",
                                *folder ? folder : "$TMPDIR or /tmp", why ? why : "input/output error");
        }
    }
    *out = p;
    return SCARCE_OK;
}

void scarce_partition_free(scarce_partition *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->n_chunks; ++i) scarce__free(p->chunks[i].bytes);
    scarce__free(p->chunks);
    if (p->file >= 0) (void)close(p->file);
    scarce__free(p);
}

uint64_t scarce_partition_rows(const scarce_partition *p)
{
    return p->n_rows;
}

static void remember(scarce_partition *p, const uint64_t *hash, size_t n)
{
    for (size_t i = 0; i < n; ++i) p->n_seen = scarce__least_insert(p->seen, p->n_seen, SEEN, hash[i]);
}

static void fill_roles(const scarce_partition *p, const chunk *c, const scarce_table *t, size_t first,
                       const uint64_t *id, uint8_t *bytes)
{
    const layout l = layout_of(p, c);
    double *weight = (double *)(void *)(bytes + l.weight);

    memcpy(bytes + l.label, t->label + first, c->n);
    for (size_t i = 0; c->has_weights && i < c->n; ++i)
        weight[i] = (t->weight ? t->weight[first + i] : 1) * (t->cost ? t->cost[first + i] : 1);
    if (c->has_ids) memcpy(bytes + l.id, id + first, c->n * sizeof *id);
}

static scarce_status check_weights(const chunk *c, const double *weight, scarce_error *err)
{
    for (size_t i = 0; i < c->n; ++i)
        if (!(weight[i] >= 0 && weight[i] <= SCARCE__LARGEST_WEIGHT))
            return scarce__fail(err, SCARCE_EDATA, "row %llu has the weight %g; weights go from 0 to 1e30",
                                (unsigned long long)(c->first + i + 1), weight[i]);
    return SCARCE_OK;
}

static scarce_status keep(scarce_partition *p, chunk *c, uint8_t *bytes, size_t n, scarce_error *err)
{
    if (p->n_chunks == p->room) {
        const size_t room = p->room ? 2 * p->room : 16;
        chunk *more = scarce__realloc_array(p->chunks, room, sizeof *more);
        if (!more) return scarce__fail_memory(err, "a partition", room * sizeof *more);
        p->chunks = more;
        p->room = room;
    }
    if (p->file >= 0) {
        SCARCE__TRY(write_at(p, bytes, n, p->end, err));
        c->offset = p->end;
        p->end += n;
    } else c->bytes = bytes;
    p->chunks[p->n_chunks++] = *c;
    return SCARCE_OK;
}

/* Rows first .. first + n - 1 of an aligned table. */
static scarce_status add_chunk(scarce_partition *p, const scarce_table *t, size_t first, size_t n,
                               const uint64_t *id, uint64_t number, scarce_context *ctx, scarce_error *err)
{
    chunk c = {.n = n, .first = number, .has_ids = id != NULL, .has_weights = t->weight || t->cost};
    const layout l = layout_of(p, &c);
    uint8_t *bytes = scarce__big_alloc(l.end + 64, 1);
    scarce__codes codes;
    scarce_table *part = NULL;
    scarce_status st;

    if (!bytes) return scarce__fail_memory(err, "a partition", l.end);
    memset(bytes, 0, l.end);
    memset(&codes, 0, sizeof codes);
    st = scarce__view_new(&part, t, first, n, err);
    if (st == SCARCE_OK) st = scarce__codes_build(&codes, &p->plan->bins, part, NULL, n, 0, ctx, err);
    scarce_table_free(part);
    if (st == SCARCE_OK) memcpy(bytes, codes.tiles, tiles_bytes(p, n));
    scarce__codes_deinit(&codes);
    if (st == SCARCE_OK) fill_roles(p, &c, t, first, id, bytes);
    if (st == SCARCE_OK && c.has_weights)
        st = check_weights(&c, (const double *)(const void *)(bytes + l.weight), err);
    if (st == SCARCE_OK) st = keep(p, &c, bytes, l.end, err);
    if (st != SCARCE_OK || p->file >= 0) scarce__free(bytes);
    return st;
}

scarce_status scarce_partition_add(scarce_partition *p, const scarce_table *rows, const uint64_t *id,
                                   uint64_t first, scarce_context *ctx, scarce_error *err)
{
    scarce__aligned aligned;
    uint64_t *hash;
    scarce_status st;

    /* nothing grows: the schema stays as it is */
    SCARCE__TRY(scarce__align(&aligned, (scarce_schema *)(uintptr_t)&p->plan->schema, rows, 0, err));
    hash = scarce__row_hashes(&aligned.table);
    st = hash ? SCARCE_OK : scarce__fail_memory(err, "a partition", rows->n_rows * sizeof *hash);
    for (size_t b = 0; b < rows->n_rows && st == SCARCE_OK; b += CHUNK_ROWS) {
        const size_t n = rows->n_rows - b < CHUNK_ROWS ? rows->n_rows - b : CHUNK_ROWS;
        st = add_chunk(p, &aligned.table, b, n, id, first + b, ctx, err);
    }
    if (st == SCARCE_OK) {
        remember(p, hash, rows->n_rows);
        p->n_rows += rows->n_rows;
        for (size_t i = 0; i < rows->n_rows; ++i) p->n_positives += rows->label[i] != 0;
    }
    scarce__free(hash);
    scarce__aligned_deinit(&aligned);
    return st;
}

/* ---- answering */

typedef struct answering {
    scarce_partition *p;
    const scarce__question *q;
    scarce__binned_tree *trees; /* of the question */
    const scarce__binned_tree **tree;
    scarce__interest *cells; /* per worker */
    uint64_t *spread;        /* per worker, SCARCE__SCORE_CELLS */
    scarce__exact *sums;     /* per worker, 2 */
    scarce__writer *drawn;   /* per chunk */
    scarce_status status;    /* of the first chunk that failed */
    size_t failed;
    scarce_error *err;
    atomic_flag lock;
} answering;

/* What a chunk's loop looks at. */
typedef struct loaded {
    chunk *c;
    uint8_t *bytes;
    const uint8_t *label;
    float *score;
    const double *weight;
    const uint64_t *id;
    float *value; /* room for a number per row */
} loaded;

static void report(answering *a, size_t index, scarce_status st, const scarce_error *err)
{
    while (atomic_flag_test_and_set(&a->lock)) continue;
    if (a->status == SCARCE_OK || index < a->failed) {
        a->status = st;
        a->failed = index;
        if (a->err) *a->err = *err;
    }
    atomic_flag_clear(&a->lock);
}

static float weight_of(const answering *a, const loaded *r, size_t i)
{
    const double f = a->q->factor[r->label[i] != 0];
    return (float)((r->weight ? r->weight[i] : 1) * f);
}

static int weighs(const answering *a, const loaded *r)
{
    return r->weight || a->q->factor[0] != 1 || a->q->factor[1] != 1;
}

static scarce_status catch_up(answering *a, loaded *r, scarce_error *err)
{
    chunk *c = r->c;
    const size_t n = a->q->trees->n_trees;
    const scarce__codes codes = {
        .n_rows = c->n, .n_columns = a->p->plan->bins.n_columns, .tiles = r->bytes, .rows = NULL};

    if (c->done == 0)
        for (size_t i = 0; i < c->n; ++i) r->score[i] = (float)a->q->base;
    if (c->done < n)
        SCARCE__TRY(scarce__tiles_add(&codes, a->tree + c->done, n - c->done, r->score, 0, NULL, err));
    c->done = n;
    return SCARCE_OK;
}

/* s of each row. */
static void interests(const answering *a, const loaded *r)
{
    const scarce__loss_rows rows = {.n = r->c->n, .score = r->score, .label = r->label};
    a->q->loss.interest(&a->q->loss, &rows, 0, r->c->n, r->value);
    if (weighs(a, r))
        for (size_t i = 0; i < r->c->n; ++i) r->value[i] *= weight_of(a, r, i);
}

static uint8_t code_at(const answering *a, const loaded *r, size_t i, size_t column)
{
    const size_t columns = a->p->plan->bins.n_columns;
    return r->bytes[(i / SCARCE__TILE * columns + column) * SCARCE__TILE + i % SCARCE__TILE];
}

/* number, label, weight, score, 1/p, codes */
static void put_row(const answering *a, const loaded *r, size_t i, float bag_weight, scarce__writer *w)
{
    scarce__put_u64(w, r->id ? r->id[i] : r->c->first + i);
    scarce__put_u8(w, r->label[i]);
    scarce__put_f32(w, weighs(a, r) ? weight_of(a, r, i) : 1);
    scarce__put_f32(w, r->score[i]);
    scarce__put_f32(w, bag_weight);
    for (size_t c = 0; c < a->p->plan->bins.n_columns; ++c) scarce__put_u8(w, code_at(a, r, i, c));
}

static scarce_status draw(answering *a, const loaded *r, size_t index, scarce_error *err)
{
    uint8_t *take = scarce__malloc(r->c->n + 8);
    if (!take) return scarce__fail_memory(err, SCARCE__DRAWN, r->c->n);
    interests(a, r);
    scarce__interest_toss(&a->q->rule, r->value, r->label, r->id, r->c->first, r->c->n, take, 0);
    for (size_t i = 0; i < r->c->n; ++i)
        if (take[i]) put_row(a, r, i, 1 / r->value[i], &a->drawn[index]);
    scarce__free(take);
    return a->drawn[index].failed ? scarce__fail_memory(err, SCARCE__DRAWN, a->drawn[index].n) : SCARCE_OK;
}

static scarce_status act(answering *a, const loaded *r, size_t index, int worker, scarce_error *err)
{
    const size_t n = r->c->n;
    switch (a->q->what) {
    case SCARCE__ASK_COUNT:
        for (size_t i = 0; i < n; ++i)
            scarce__exact_add(&a->sums[2 * worker + (r->label[i] != 0)], weight_of(a, r, i));
        return SCARCE_OK;
    case SCARCE__ASK_INTEREST:
        interests(a, r);
        scarce__interest_count(&a->cells[worker], r->value, r->label, r->id, r->c->first, n, a->q->rule.key,
                               a->q->thin);
        return SCARCE_OK;
    case SCARCE__ASK_DRAW: return draw(a, r, index, err);
    case SCARCE__ASK_SCORES:
        for (size_t i = 0; i < n; ++i)
            ++a->spread[(size_t)worker * SCARCE__SCORE_CELLS + scarce__score_cell(r->score[i])];
        return SCARCE_OK;
    case SCARCE__ASK_TOP:
        for (size_t i = 0; i < n; ++i)
            if (r->score[i] >= a->q->from) put_row(a, r, i, 1, &a->drawn[index]);
        return a->drawn[index].failed ? scarce__fail_memory(err, SCARCE__DRAWN, 0) : SCARCE_OK;
    }
    return SCARCE_OK;
}

static scarce_status answer_chunk(answering *a, size_t index, int worker, scarce_error *err)
{
    scarce_partition *p = a->p;
    chunk *c = &p->chunks[index];
    const layout l = layout_of(p, c);
    const size_t before = c->done;
    loaded r = {.c = c, .bytes = c->bytes};
    scarce_status st = SCARCE_OK;

    r.value = scarce__malloc_array(c->n, sizeof *r.value);
    if (!c->bytes) r.bytes = scarce__big_alloc(l.end + 64, 1);
    if (!r.value || !r.bytes) st = scarce__fail_memory(err, "a partition", l.end);
    if (st == SCARCE_OK && !c->bytes) st = read_at(p, r.bytes, l.end, c->offset, err);
    if (st == SCARCE_OK) {
        r.label = r.bytes + l.label;
        r.score = (float *)(void *)(r.bytes + l.score);
        r.weight = c->has_weights ? (const double *)(const void *)(r.bytes + l.weight) : NULL;
        r.id = c->has_ids ? (const uint64_t *)(const void *)(r.bytes + l.id) : NULL;
        if (a->q->what != SCARCE__ASK_COUNT) st = catch_up(a, &r, err);
    }
    if (st == SCARCE_OK && !c->bytes && c->done != before)
        st = write_at(p, r.bytes + l.score, c->n * sizeof(float), c->offset + l.score, err);
    if (st == SCARCE_OK) st = act(a, &r, index, worker, err);
    if (st != SCARCE_OK) c->done = 0;
    if (!c->bytes) scarce__free(r.bytes);
    scarce__free(r.value);
    return st;
}

static void answer_task(void *arg, size_t index, int worker)
{
    answering *a = arg;
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = answer_chunk(a, index, worker, &err);
    if (st != SCARCE_OK) report(a, index, st, &err);
}

static scarce_status make_trees(answering *a, scarce_error *err)
{
    const scarce__forest *f = a->q->trees;

    a->trees = scarce__calloc(f->n_trees, sizeof *a->trees);
    a->tree = scarce__calloc(f->n_trees, sizeof *a->tree);
    if (!a->trees || !a->tree) return scarce__fail_memory(err, "the trees", f->n_trees * sizeof *a->trees);
    for (size_t t = 0; t < f->n_trees; ++t) {
        SCARCE__TRY(scarce__binned_tree_from(&a->trees[t], &a->p->plan->bins, f, t, err));
        a->tree[t] = &a->trees[t];
    }
    return SCARCE_OK;
}

static scarce_status make_room(answering *a, size_t workers, scarce_error *err)
{
    int good = 1;
    switch (a->q->what) {
    case SCARCE__ASK_COUNT: good = (a->sums = scarce__calloc(2 * workers, sizeof *a->sums)) != NULL; break;
    case SCARCE__ASK_INTEREST: good = (a->cells = scarce__calloc(workers, sizeof *a->cells)) != NULL; break;
    case SCARCE__ASK_SCORES:
        good = (a->spread = scarce__calloc(workers * SCARCE__SCORE_CELLS, sizeof *a->spread)) != NULL;
        break;
    case SCARCE__ASK_DRAW:
    case SCARCE__ASK_TOP: good = (a->drawn = scarce__calloc(a->p->n_chunks, sizeof *a->drawn)) != NULL; break;
    }
    return good ? SCARCE_OK : scarce__fail_memory(err, "an answer", 0);
}

static void put_cells(const answering *a, size_t workers, scarce__writer *w)
{
    uint32_t n = 0;
    for (size_t t = 1; t < workers; ++t)
        for (size_t c = 0; c < SCARCE__INTEREST_CELLS; ++c) {
            a->cells[0].count[c] += a->cells[t].count[c];
            a->cells[0].sum[c] += a->cells[t].sum[c];
        }
    for (size_t c = 0; c < SCARCE__INTEREST_CELLS; ++c) n += a->cells[0].count[c] != 0;
    scarce__put_u64(w, n);
    for (uint32_t c = 0; c < SCARCE__INTEREST_CELLS; ++c) {
        if (!a->cells[0].count[c]) continue;
        scarce__put_u32(w, c);
        scarce__put_u64(w, a->cells[0].count[c]);
        scarce__put_u64(w, a->cells[0].sum[c]);
    }
}

static void put_spread(const answering *a, size_t workers, scarce__writer *w)
{
    uint64_t n = 0;
    for (size_t t = 1; t < workers; ++t)
        for (size_t c = 0; c < SCARCE__SCORE_CELLS; ++c)
            a->spread[c] += a->spread[t * SCARCE__SCORE_CELLS + c];
    for (size_t c = 0; c < SCARCE__SCORE_CELLS; ++c) n += a->spread[c] != 0;
    scarce__put_u64(w, n);
    for (uint32_t c = 0; c < SCARCE__SCORE_CELLS; ++c) {
        if (!a->spread[c]) continue;
        scarce__put_u32(w, c);
        scarce__put_u64(w, a->spread[c]);
    }
}

static void put_answer(const answering *a, size_t workers, scarce__writer *w)
{
    const scarce_partition *p = a->p;
    size_t n = 0;

    scarce__answer_begin(w, a->q, p->n_rows);
    switch (a->q->what) {
    case SCARCE__ASK_COUNT:
        for (size_t t = 1; t < workers; ++t)
            for (int y = 0; y < 2; ++y) scarce__exact_join(&a->sums[y], &a->sums[2 * t + (size_t)y]);
        scarce__put_u64(w, p->n_positives);
        scarce__exact_write(&a->sums[0], w);
        scarce__exact_write(&a->sums[1], w);
        scarce__put_u64(w, p->n_seen);
        for (size_t i = 0; i < p->n_seen; ++i) scarce__put_u64(w, p->seen[i]);
        return;
    case SCARCE__ASK_INTEREST: put_cells(a, workers, w); return;
    case SCARCE__ASK_SCORES: put_spread(a, workers, w); return;
    case SCARCE__ASK_DRAW:
    case SCARCE__ASK_TOP:
        for (size_t i = 0; i < p->n_chunks; ++i) n += a->drawn[i].n;
        scarce__put_u64(w, n / scarce__drawn_bytes(p->plan->bins.n_columns));
        for (size_t i = 0; i < p->n_chunks; ++i) {
            scarce__put(w, a->drawn[i].bytes, a->drawn[i].n);
            scarce__writer_deinit(&a->drawn[i]);
        }
        return;
    }
}

/* Scores of another training, or of one that began anew, are forgotten. */
static void begin_anew(scarce_partition *p, const scarce__question *q)
{
    int anew = p->run != q->run;
    for (size_t i = 0; i < p->n_chunks; ++i) anew |= p->chunks[i].done > q->trees->n_trees;
    for (size_t i = 0; anew && i < p->n_chunks; ++i) p->chunks[i].done = 0;
    p->run = q->run;
}

scarce_status scarce_partition_answer(void **answer, size_t *n_answer, scarce_partition *p,
                                      const void *question, size_t n_question, scarce_context *ctx,
                                      scarce_error *err)
{
    const size_t workers = (size_t)scarce_context_threads(ctx);
    scarce__question q;
    answering a;
    scarce__writer w = {0};
    scarce_status st;

    *answer = NULL;
    *n_answer = 0;
    SCARCE__TRY(scarce__question_read(&q, question, n_question, p->plan->schema.n_features, err));
    memset(&a, 0, sizeof a);
    atomic_flag_clear(&a.lock);
    a.p = p;
    a.q = &q;
    a.err = err;
    st = q.plan == p->plan->fingerprint
             ? SCARCE_OK
             : scarce__fail(err, SCARCE_EDATA, "the question is about rows of another plan");
    if (st == SCARCE_OK) st = make_trees(&a, err);
    if (st == SCARCE_OK) st = make_room(&a, workers, err);
    if (st == SCARCE_OK) {
        begin_anew(p, &q);
        scarce__pool_run(scarce__context_pool(ctx), p->n_chunks, answer_task, &a);
        st = a.status;
    }
    if (st == SCARCE_OK) {
        put_answer(&a, workers, &w);
        st = scarce__message_end(answer, n_answer, &w, err);
    }
    for (size_t t = 0; a.trees && t < q.trees->n_trees; ++t) scarce__binned_tree_deinit(&a.trees[t]);
    for (size_t i = 0; a.drawn && i < p->n_chunks; ++i) scarce__writer_deinit(&a.drawn[i]);
    scarce__free(a.trees);
    scarce__free(a.tree);
    scarce__free(a.cells);
    scarce__free(a.spread);
    scarce__free(a.sums);
    scarce__free(a.drawn);
    scarce__question_deinit(&q);
    return st;
}
