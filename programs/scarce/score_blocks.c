/* SPDX-License-Identifier: Apache-2.0 */
/* Files that memory can't hold, scored block by block.
 *
 *     score          lines are written as blocks come; of --top K the K best lines so far are kept
 *     eval           what metrics look at is kept of every row, some 40 bytes, and nothing of its features */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "score.h"

/* ---- the best lines so far */

typedef struct best_line {
    double score;
    size_t row;
    char *text; /* without its rank */
    size_t n;
} best_line;

typedef struct passing {
    answerer a;
    size_t *unknown; /* per feature */
    best_line *best; /* highest first, between blocks */
    size_t n_best, room;
    const ranked *candidates; /* of this block */
    size_t taken;
} passing;

static int by_line(const void *a, const void *b)
{
    const best_line *x = a, *y = b;
    const ranked first = {x->score, x->row}, second = {y->score, y->row};
    return by_score(&first, &second);
}

/* The next candidate's line: what comes behind its rank. */
static scarce_status keep_line(void *payload, const char *bytes, size_t n, scarce_error *err)
{
    passing *p = payload;
    const char *rest = (const char *)memchr(bytes, ',', n) + 1;
    const ranked *of = &p->candidates[p->taken++];
    best_line *line = &p->best[p->n_best];

    n -= (size_t)(rest - bytes);
    *line = (best_line){of->score, p->a.number[of->row], malloc(n + 1), n};
    if (!line->text) return fail_with(err, SCARCE_ENOMEM, "out of memory for a line");
    memcpy(line->text, rest, n);
    ++p->n_best;
    return SCARCE_OK;
}

/* The rows of a block that may be among the K best, highest first. */
static size_t choose_candidates(ranked *out, const passing *p, size_t n)
{
    const size_t top = (size_t)p->a.o->top;
    const double bar = p->n_best == top ? p->best[top - 1].score : -INFINITY;
    size_t m = 0;

    for (size_t i = 0; i < n; ++i) /* of equal scores the earlier row is ahead */
        if (p->a.score[i] > bar || p->n_best < top) out[m++] = (ranked){p->a.score[i], i};
    qsort(out, m, sizeof *out, by_score);
    return m < top ? m : top;
}

static scarce_status take_best(passing *p, const scarce_table *t, scarce_error *err)
{
    const size_t n = scarce_table_rows(t), top = (size_t)p->a.o->top;
    ranked *candidates = malloc((n + 1) * sizeof *candidates);
    scarce_status st;

    if (!candidates) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu rows", n);
    const size_t m = choose_candidates(candidates, p, n);
    if (p->n_best + m > p->room) {
        best_line *more = realloc(p->best, (p->n_best + m) * 2 * sizeof *more);
        if (!more) {
            free(candidates);
            return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu lines", p->n_best + m);
        }
        p->best = more;
        p->room = (p->n_best + m) * 2;
    }
    p->candidates = candidates;
    p->taken = 0;
    const score_batch batch = {t, p->a.score, p->a.probability, p->a.alert, candidates, p->a.number};
    st = m ? write_batch(&p->a.w, &batch, m, p->a.ctx, err) : SCARCE_OK;
    free(candidates);
    qsort(p->best, p->n_best, sizeof *p->best, by_line);
    while (p->n_best > top) free(p->best[--p->n_best].text);
    return st;
}

static scarce_status write_best(passing *p, scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    char rank[24];

    p->a.w.sink = NULL;
    for (size_t i = 0; i < p->n_best && st == SCARCE_OK; ++i) {
        text_add(&p->a.w.line, rank, (size_t)snprintf(rank, sizeof rank, "%zu,", i + 1));
        st = write_line(&p->a.w, p->best[i].text, p->best[i].n, err);
    }
    return st;
}

/* ---- scarce score */

static scarce_status score_block(void *payload, const scarce_table *block, scarce_context *ctx,
                                 scarce_error *err)
{
    passing *p = payload;

    p->a.ctx = ctx;
    count_unknown(p->unknown, scarce_model_schema(p->a.model), block);
    if (p->a.o->top <= 0) return answer_table(&p->a, block, err);
    const scarce_status st = answer_scores(&p->a, block, err);
    return st == SCARCE_OK ? take_best(p, block, err) : st;
}

static scarce_status pass_all(passing *p, const parsed *args, size_t n_reasons, const budget_rule *budget,
                              scarce_error *err)
{
    const text_list rest = {args->paths.items + 1, args->paths.count - 1};
    const score_options *o = p->a.o;
    scarce_context *ctx = p->a.ctx;
    scarce_status st = load_model(&p->a.model, &args->paths, &o->data, err);

    if (st == SCARCE_OK) st = answerer_init(&p->a, n_reasons, budget, err);
    if (st == SCARCE_OK) {
        p->unknown = calloc(scarce_schema_features(scarce_model_schema(p->a.model)) + 1, sizeof *p->unknown);
        if (!p->unknown) st = fail_with(err, SCARCE_ENOMEM, "out of memory");
    }
    if (st == SCARCE_OK) say_no_probability(p->a.model);
    if (st == SCARCE_OK) st = scarce_output_open(&p->a.w.out, o->output ? o->output : "-", err);
    if (st == SCARCE_OK) st = write_header(&p->a.w, err);
    if (o->top > 0) p->a.w.sink = keep_line, p->a.w.payload = p;
    if (st == SCARCE_OK)
        st = for_each_block(&rest, &o->data, scarce_model_schema(p->a.model), "score", 0, score_block, p, ctx,
                            err);
    p->a.ctx = ctx;
    if (st == SCARCE_OK && o->top > 0) st = write_best(p, err);
    if (st == SCARCE_OK) return scarce_output_commit(p->a.w.out, err);
    scarce_output_abort(p->a.w.out);
    return st;
}

int score_blocks(const score_options *o, const parsed *args, size_t n_reasons, const budget_rule *budget,
                 scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    passing p;

    memset(&p, 0, sizeof p);
    p.a.o = o;
    p.a.ctx = ctx;
    say("the data would hardly fit into --memory: they are scored block by block");
    const scarce_status st = pass_all(&p, args, n_reasons, budget, &err);
    if (st == SCARCE_OK) {
        say_unknown(p.unknown, scarce_model_schema(p.a.model), p.a.row);
        tell_late(&p.a);
        if (p.a.row == 0) say("no rows in %s", args->paths.items[1]);
    }
    for (size_t i = 0; i < p.n_best; ++i) free(p.best[i].text);
    free(p.best);
    free(p.unknown);
    answerer_deinit(&p.a);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

/* ---- scarce eval */

typedef struct keeping {
    scored_data *to;
    uint64_t *group; /* hashes of names: blocks number their groups as they come */
    size_t *unknown;
    size_t n, room;
} keeping;

/* The column with more room; as it was, and *good 0, without memory. */
static void *grown(void *column, size_t bytes, int *good)
{
    void *more = *good ? realloc(column, bytes) : NULL;
    if (!more) *good = 0;
    return more ? more : column;
}

static scarce_status make_room(keeping *k, const scarce_table *t, size_t n, scarce_error *err)
{
    scored_data *s = k->to;
    const size_t room = 2 * k->room > k->n + n ? 2 * k->room : k->n + n, bytes = room * sizeof(double);
    int good = 1;

    if (k->n + n <= k->room) return SCARCE_OK;
    s->score = grown(s->score, bytes, &good);
    s->probability = grown(s->probability, bytes, &good);
    s->label = grown(s->label, room, &good);
    if (scarce_table_weight(t)) s->weight = grown(s->weight, bytes, &good);
    if (scarce_table_time(t)) s->time = grown(s->time, bytes, &good);
    if (scarce_table_amount(t)) s->amount = grown(s->amount, bytes, &good);
    if (scarce_table_group(t)) k->group = grown(k->group, bytes, &good);
    if (!good) return fail_with(err, SCARCE_ENOMEM, "out of memory for the scores of %zu rows", room);
    k->room = room;
    return SCARCE_OK;
}

/* FNV-1a: only told apart, and only within these data. */
static uint64_t hash_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; ++name) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h;
}

static void keep_roles(keeping *k, const scarce_table *t, size_t n)
{
    scored_data *s = k->to;
    const int32_t *group = scarce_table_group(t);

    if (scarce_table_label(t)) memcpy(s->label + k->n, scarce_table_label(t), n);
    if (s->weight) memcpy(s->weight + k->n, scarce_table_weight(t), n * sizeof *s->weight);
    if (s->time) memcpy(s->time + k->n, scarce_table_time(t), n * sizeof *s->time);
    if (s->amount) memcpy(s->amount + k->n, scarce_table_amount(t), n * sizeof *s->amount);
    for (size_t i = 0; k->group && i < n; ++i)
        k->group[k->n + i] = hash_of(scarce_table_group_name(t, group[i]));
}

static scarce_status keep_block(void *payload, const scarce_table *block, scarce_context *ctx,
                                scarce_error *err)
{
    keeping *k = payload;
    scored_data *s = k->to;
    const size_t n = scarce_table_rows(block);

    if (!scarce_table_label(block))
        return fail_with(err, SCARCE_EDATA,
                         "the data have no label column to compare the scores with (--label COL)");
    const scarce_status st = make_room(k, block, n, err);
    if (st != SCARCE_OK) return st;
    keep_roles(k, block, n);
    count_unknown(k->unknown, scarce_model_schema(s->model), block);
    k->n += n;
    return scarce_scorer_table(s->scorer, block, s->score + k->n - n, s->probability + k->n - n, ctx, err);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Hashes to codes 0, 1, ... in the order in which groups come up, as in one table of all rows. */
static int number_groups(keeping *k)
{
    uint64_t *sorted = malloc((k->n + 1) * sizeof *sorted);
    int32_t *code = malloc((k->n + 1) * sizeof *code), *of = malloc((k->n + 1) * sizeof *of), next = 0;
    size_t m = 0;

    if (sorted && code && of) {
        memcpy(sorted, k->group, k->n * sizeof *sorted);
        qsort(sorted, k->n, sizeof *sorted, by_value);
        for (size_t i = 0; i < k->n; ++i)
            if (i == 0 || sorted[i] != sorted[m - 1]) of[m] = -1, sorted[m++] = sorted[i];
        for (size_t i = 0; i < k->n; ++i) {
            const uint64_t *at = bsearch(&k->group[i], sorted, m, sizeof *sorted, by_value);
            if (of[at - sorted] < 0) of[at - sorted] = next++;
            code[i] = of[at - sorted];
        }
        k->to->group = code;
    } else free(code);
    free(of);
    free(sorted);
    return k->to->group != NULL;
}

static scarce_status keep_all(keeping *k, const text_list *rest, const data_options *data,
                              scarce_context *ctx, scarce_error *err)
{
    scored_data *s = k->to;
    const scarce_schema *schema = scarce_model_schema(s->model);
    scarce_status st;

    k->unknown = calloc(scarce_schema_features(schema) + 1, sizeof *k->unknown);
    if (!k->unknown) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    st = scarce_scorer_new(&s->scorer, s->model, err);
    if (st == SCARCE_OK) st = for_each_block(rest, data, schema, "score", 0, keep_block, k, ctx, err);
    if (st == SCARCE_OK && k->n == 0)
        st = fail_with(err, SCARCE_EDATA, "%.300s: there are no rows", rest->items[0]);
    if (st == SCARCE_OK && k->group && !number_groups(k))
        st = fail_with(err, SCARCE_ENOMEM, "out of memory for %zu groups", k->n);
    if (st == SCARCE_OK) say_unknown(k->unknown, schema, k->n);
    return st;
}

scarce_status score_data_in_blocks(scored_data *out, const text_list *paths, const data_options *data,
                                   scarce_context *ctx, scarce_error *err)
{
    const text_list rest = {paths->items + 1, paths->count - 1};
    keeping k = {out, NULL, NULL, 0, 0};
    scarce_status st = load_model(&out->model, paths, data, err);

    say("the data would hardly fit into --memory: they are scored block by block");
    if (st == SCARCE_OK) st = keep_all(&k, &rest, data, ctx, err);
    out->rows = (scarce_scored){.n = k.n,
                                .score = out->score,
                                .label = out->label,
                                .weight = out->weight,
                                .probability = out->probability,
                                .time = out->time,
                                .amount = out->amount,
                                .group = out->group};
    if (st == SCARCE_OK && !scarce_model_has_probability(out->model)) out->rows.probability = NULL;
    free(k.group);
    free(k.unknown);
    return st;
}
