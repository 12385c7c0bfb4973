/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over a table with labels: the same code as for one record, on blocks of rows side by side; what blocks counted is
 * added in their order, so that the figures are the same with any number of threads. Which rows fired is kept, for
 * weeks, limits and those who want to look. */
#include "rule/backtest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/options.h"
#include <scarce/metrics.h>

enum { BLOCK = 16384, WEEK = 604800, MONDAY = 4 * 86400, MOST_PERIODS = 5000 };

void scarce_backtest_free(scarce_backtest *b)
{
    if (!b) return;
    for (size_t i = 0; i < b->n_limits; ++i) {
        scarce__free((void *)(uintptr_t)b->limits[i].limit);
        scarce__free((void *)(uintptr_t)b->limits[i].text);
    }
    scarce__free(b->limits);
    scarce__free(b->tally);
    scarce__free(b->rows);
    scarce__free(b->first);
    scarce__free(b->periods);
    scarce__free(b->period_fired);
    scarce__free(b->period_hits);
    scarce__free(b);
}

/* ---- One block */

typedef struct fire {
    uint32_t row, rule;
} fire;

typedef struct block {
    fire *fires;
    size_t n, capacity;
    int failed;
} block;

typedef struct job {
    const scarce_ruleset *set;
    const scarce_records *records;
    const scarce_backtest_options *options;
    scarce_value *scratch; /* a record for each worker */
    uint8_t *verdicts;     /* the same of verdicts */
    scarce__tally *tally;  /* (rules + sums) for each block */
    block *blocks;
} job;

static void add_fire(block *b, size_t row, size_t rule)
{
    if (b->n == b->capacity) {
        const size_t n = b->capacity ? 2 * b->capacity : 256;
        fire *larger = scarce__realloc_array(b->fires, n, sizeof *larger);
        if (!larger) {
            b->failed = 1;
            return;
        }
        b->fires = larger;
        b->capacity = n;
    }
    b->fires[b->n].row = (uint32_t)row;
    b->fires[b->n++].rule = (uint32_t)rule;
}

typedef struct row_facts {
    int positive, model;
    double amount;
    size_t live; /* rules that fired and are no shadows */
} row_facts;

static void count_row(scarce__tally *t, const row_facts *f, int fired)
{
    if (!fired) return;
    ++t->fired;
    t->hits += (size_t)f->positive;
    t->with_model += (size_t)f->model;
    t->hits_with_model += (size_t)(f->model && f->positive);
    if (f->amount - f->amount != 0) return; /* unknown */
    t->amount += f->amount;
    if (f->positive) t->amount_hits += f->amount;
}

static void count_rule(scarce__tally *t, const row_facts *f, int verdict, int shadow)
{
    t->unknown += verdict == SCARCE_RULE_UNKNOWN;
    t->asleep += verdict == SCARCE_RULE_ASLEEP;
    t->positives += (size_t)(f->positive && verdict != SCARCE_RULE_ASLEEP);
    count_row(t, f, verdict == SCARCE_RULE_YES);
    if (verdict != SCARCE_RULE_YES || !f->positive || f->model || f->live > (size_t)!shadow) return;
    ++t->alone;
    if (f->amount - f->amount == 0) t->amount_alone += f->amount;
}

static void ask_block(void *arg, size_t index, int worker)
{
    const job *j = arg;
    const scarce_ruleset *set = j->set;
    const scarce_table *t = j->records->table;
    const size_t end = (index + 1) * BLOCK < t->n_rows ? (index + 1) * BLOCK : t->n_rows,
                 rules = set->n_rules;
    scarce_value *record = j->scratch + (size_t)worker * j->records->n;
    uint8_t *verdict = j->verdicts + (size_t)worker * rules;
    scarce__tally *tally = j->tally + index * (rules + SCARCE__N_SUMS);

    for (size_t row = index * BLOCK; row < end; ++row) {
        row_facts f = {t->label[row], j->options->model_alert ? j->options->model_alert[row] != 0 : 0,
                       t->amount ? t->amount[row] : (double)NAN, 0};
        int blocked = 0;
        scarce_records_get(j->records, row, set->uses, set->n_uses, record);
        (void)scarce_ruleset_run(set, record, t->time ? t->time[row] : (double)NAN, verdict);
        for (size_t i = 0; i < rules; ++i) {
            const int live = verdict[i] == SCARCE_RULE_YES && !set->rules[i].shadow;
            f.live += (size_t)live;
            blocked |= live && set->rules[i].stage == SCARCE_STAGE_BLOCK;
        }
        for (size_t i = 0; i < rules; ++i) {
            count_rule(&tally[i], &f, verdict[i], set->rules[i].shadow);
            if (verdict[i] == SCARCE_RULE_YES) add_fire(&j->blocks[index], row, i);
        }
        count_row(&tally[rules + SCARCE_BACKTEST_RULES], &f, f.live > 0);
        count_row(&tally[rules + SCARCE_BACKTEST_BLOCKS], &f, blocked);
        count_row(&tally[rules + SCARCE_BACKTEST_MODEL], &f, f.model);
        count_row(&tally[rules + SCARCE_BACKTEST_EITHER], &f, f.model || f.live > 0);
    }
}

/* ---- Together */

static void add_tally(scarce__tally *to, const scarce__tally *from)
{
    to->fired += from->fired;
    to->unknown += from->unknown;
    to->asleep += from->asleep;
    to->hits += from->hits;
    to->alone += from->alone;
    to->with_model += from->with_model;
    to->hits_with_model += from->hits_with_model;
    to->positives += from->positives;
    to->amount += from->amount;
    to->amount_hits += from->amount_hits;
    to->amount_alone += from->amount_alone;
}

/* Rows that fired, by rule; 0: no memory. */
static int gather(scarce_backtest *b, const job *j, size_t n_blocks)
{
    size_t all = 0, *at;

    for (size_t k = 0; k < n_blocks; ++k) {
        if (j->blocks[k].failed) return 0;
        all += j->blocks[k].n;
        for (size_t i = 0; i < b->n_rules + SCARCE__N_SUMS; ++i)
            add_tally(&b->tally[i], &j->tally[k * (b->n_rules + SCARCE__N_SUMS) + i]);
    }
    b->rows = scarce__malloc_array(all, sizeof *b->rows);
    b->first = scarce__calloc(b->n_rules + 1, sizeof *b->first);
    at = scarce__calloc(b->n_rules, sizeof *at);
    if (b->rows && b->first && at) {
        for (size_t i = 0; i < b->n_rules; ++i) {
            at[i] = b->first[i];
            b->first[i + 1] = b->first[i] + b->tally[i].fired;
        }
        for (size_t k = 0; k < n_blocks; ++k)
            for (size_t i = 0; i < j->blocks[k].n; ++i) {
                const fire *f = &j->blocks[k].fires[i];
                b->rows[at[f->rule]++] = f->row;
            }
    }
    const int good = b->rows && b->first && at;
    scarce__free(at);
    return good;
}

static scarce_status ask_all(scarce_backtest *b, const scarce_ruleset *set, const scarce_records *records,
                             const scarce_backtest_options *options, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t threads = (size_t)scarce__pool_threads(pool), n_blocks = scarce__blocks(b->n_rows, BLOCK);
    job j = {set, records, options, NULL, NULL, NULL, NULL};
    int good;

    j.scratch = scarce__calloc(records->n * threads, sizeof *j.scratch);
    j.verdicts = scarce__calloc(set->n_rules * threads, sizeof *j.verdicts);
    j.tally = scarce__calloc(n_blocks * (set->n_rules + SCARCE__N_SUMS), sizeof *j.tally);
    j.blocks = scarce__calloc(n_blocks, sizeof *j.blocks);
    b->tally = scarce__calloc(set->n_rules + SCARCE__N_SUMS, sizeof *b->tally);
    good = j.scratch && j.verdicts && j.tally && j.blocks && b->tally;
    if (good) scarce__pool_run(pool, n_blocks, ask_block, &j);
    if (good) good = gather(b, &j, n_blocks);
    for (size_t k = 0; j.blocks && k < n_blocks; ++k) scarce__free(j.blocks[k].fires);
    scarce__free(j.scratch);
    scarce__free(j.verdicts);
    scarce__free(j.tally);
    scarce__free(j.blocks);
    return good ? SCARCE_OK : scarce__fail_memory(err, "a back-test", 0);
}

/* ---- Periods */

static size_t period_at(const scarce_backtest *b, double time)
{
    const double k = floor((time - b->origin) / b->period);
    return k < 0 ? 0 : k >= (double)b->n_periods ? b->n_periods - 1 : (size_t)k;
}

/* Weeks begin on Monday where times are seconds since 1970, else with the first row. */
static void cut_periods(scarce_backtest *b, const scarce_table *t)
{
    double first = (double)INFINITY, last = -(double)INFINITY;

    for (size_t i = 0; i < t->n_rows; ++i) {
        if (t->time[i] - t->time[i] != 0) continue;
        first = fmin(first, t->time[i]);
        last = fmax(last, t->time[i]);
    }
    if (!(first <= last)) return;
    b->origin = scarce_time_is_seconds(first, last) ? MONDAY + b->period * floor((first - MONDAY) / b->period)
                                                    : first;
    const double n = floor((last - b->origin) / b->period) + 1;
    b->n_periods = n <= MOST_PERIODS ? (size_t)n : 0; /* a time that is nonsense: no periods at all */
}

static int fill_periods(scarce_backtest *b, const scarce_table *t)
{
    b->periods = scarce__calloc(b->n_periods, sizeof *b->periods);
    b->period_fired = scarce__calloc(b->n_rules * b->n_periods, sizeof *b->period_fired);
    b->period_hits = scarce__calloc(b->n_rules * b->n_periods, sizeof *b->period_hits);
    if (!b->periods || !b->period_fired || !b->period_hits) return 0;
    for (size_t p = 0; p < b->n_periods; ++p) {
        b->periods[p].begin = b->origin + b->period * (double)p;
        b->periods[p].end = b->origin + b->period * (double)(p + 1);
    }
    for (size_t i = 0; i < t->n_rows; ++i) {
        if (t->time[i] - t->time[i] != 0) continue;
        scarce_backtest_period *p = &b->periods[period_at(b, t->time[i])];
        ++p->rows;
        p->positives += t->label[i];
    }
    for (size_t i = 0; i < b->n_rules; ++i)
        for (size_t k = b->first[i]; k < b->first[i + 1]; ++k) {
            const uint32_t row = b->rows[k];
            if (t->time[row] - t->time[row] != 0) continue;
            const size_t p = period_at(b, t->time[row]);
            ++b->period_fired[i * b->n_periods + p];
            b->period_hits[i * b->n_periods + p] += t->label[row];
        }
    return 1;
}

/* ---- Blocks of a card that was blocked before */

typedef struct moment {
    double time;
    uint32_t row;
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int count_after_block(scarce_backtest *b, const scarce_ruleset *set, const scarce_table *t)
{
    int good = 1;

    for (size_t i = 0; good && i < b->n_rules; ++i) {
        const size_t n = b->first[i + 1] - b->first[i];
        if (set->rules[i].stage != SCARCE_STAGE_BLOCK || n == 0) continue;
        moment *m = scarce__malloc_array(n, sizeof *m);
        uint8_t *seen = scarce__calloc(t->groups.count, 1);
        good = m && seen;
        for (size_t k = 0; good && k < n; ++k) {
            m[k].row = b->rows[b->first[i] + k];
            m[k].time = t->time[m[k].row] - t->time[m[k].row] == 0 ? t->time[m[k].row] : 0;
        }
        if (good) qsort(m, n, sizeof *m, by_time);
        for (size_t k = 0; good && k < n; ++k) {
            const int32_t g = t->group[m[k].row];
            if (g < 0 || (size_t)g >= t->groups.count) continue;
            b->tally[i].after_block += seen[g];
            seen[g] = 1;
        }
        scarce__free(m);
        scarce__free(seen);
    }
    return good;
}

scarce_status scarce_backtest_run(scarce_backtest **out, const scarce_ruleset *set,
                                  const scarce_records *records, const scarce_backtest_options *options,
                                  scarce_context *ctx, scarce_error *err)
{
    scarce_backtest_options o = SCARCE_BACKTEST_OPTIONS_INIT;
    const scarce_table *t = records->table;
    scarce_backtest *b;
    scarce_status st;
    int good = 1;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_BACKTEST_OPTIONS_INIT, err));
    if (!(o.level > 0 && o.level < 1))
        return scarce__fail(err, SCARCE_EINVAL, "level is %g, allowed is 0 to 1", o.level);
    if (!(o.period >= 0)) return scarce__fail(err, SCARCE_EINVAL, "a period is longer than 0");
    if (set->grammar_only) return scarce__fail(err, SCARCE_EINVAL, "these rules were read without fields");
    if (!t->label)
        return scarce__fail(err, SCARCE_EDATA,
                            "a back-test needs labels: rows that are known to be positive or not");
    b = scarce__calloc(1, sizeof *b);
    if (!b) return scarce__fail_memory(err, "a back-test", sizeof *b);
    b->n_rules = set->n_rules;
    b->n_rows = t->n_rows;
    b->n_positives = t->n_positives;
    b->has_model = o.model_alert != NULL;
    b->has_amount = t->amount != NULL;
    b->level = o.level;
    b->period = o.period > 0 ? o.period : WEEK;
    st = ask_all(b, set, records, &o, ctx, err);
    if (st == SCARCE_OK && t->time) cut_periods(b, t);
    if (st == SCARCE_OK && t->time) good = fill_periods(b, t);
    if (st == SCARCE_OK && good && t->time && t->group) good = count_after_block(b, set, t);
    if (!good) st = scarce__fail_memory(err, "a back-test", 0);
    if (st == SCARCE_OK) st = scarce__backtest_limits(b, set, t, err);
    if (st != SCARCE_OK) {
        scarce_backtest_free(b);
        return st;
    }
    *out = b;
    return SCARCE_OK;
}

/* ---- Looking at it */

scarce_status scarce_backtest_get(const scarce_backtest *b, size_t rule, scarce_backtest_figures *out,
                                  scarce_error *err)
{
    scarce_backtest_figures f = SCARCE_BACKTEST_FIGURES_INIT;
    const size_t sum = SIZE_MAX - rule, at = sum < SCARCE__N_SUMS ? b->n_rules + sum : rule;
    const scarce__tally *t;

    SCARCE__TRY(SCARCE__FILLED_CHECK(out, SCARCE_BACKTEST_FIGURES_INIT, err));
    if (at >= b->n_rules + SCARCE__N_SUMS || (at >= b->n_rules && sum >= SCARCE__N_SUMS))
        return scarce__fail(err, SCARCE_EINVAL, "no rule %zu, there are %zu", rule + 1, b->n_rules);
    t = &b->tally[at];
    const double positives = at < b->n_rules ? (double)t->positives : (double)b->n_positives;
    f.fired = t->fired;
    f.unknown = t->unknown;
    f.asleep = t->asleep;
    f.hits = t->hits;
    if (t->fired) {
        f.precision = (double)t->hits / (double)t->fired;
        f.false_alerts = (double)(t->fired - t->hits) / (double)t->fired;
        scarce_share_interval((double)t->hits, (double)t->fired, b->level, &f.precision_lo, &f.precision_hi);
    }
    if (positives > 0) {
        f.detection = (double)t->hits / positives;
        scarce_share_interval((double)t->hits, positives, b->level, &f.detection_lo, &f.detection_hi);
    }
    if (b->has_amount) {
        f.amount = t->amount;
        f.amount_hits = t->amount_hits;
        f.amount_alone = t->amount_alone;
    }
    f.alone = t->alone;
    f.with_model = t->with_model;
    f.hits_with_model = t->hits_with_model;
    f.after_block = t->after_block;
    SCARCE__FILL(out, &f);
    return SCARCE_OK;
}

size_t scarce_backtest_rows(const scarce_backtest *b)
{
    return b->n_rows;
}

size_t scarce_backtest_positives(const scarce_backtest *b)
{
    return b->n_positives;
}

int scarce_backtest_has_model(const scarce_backtest *b)
{
    return b->has_model;
}

const uint32_t *scarce_backtest_rows_of(const scarce_backtest *b, size_t rule, size_t *count)
{
    *count = rule < b->n_rules ? b->first[rule + 1] - b->first[rule] : 0;
    return rule < b->n_rules ? b->rows + b->first[rule] : NULL;
}

size_t scarce_backtest_periods(const scarce_backtest *b)
{
    return b->n_periods;
}

scarce_backtest_period scarce_backtest_period_of(const scarce_backtest *b, size_t rule, size_t period)
{
    scarce_backtest_period p = b->periods[period];
    if (rule >= b->n_rules) return p;
    p.fired = b->period_fired[rule * b->n_periods + period];
    p.hits = b->period_hits[rule * b->n_periods + period];
    return p;
}

const scarce_backtest_limit *scarce_backtest_limit_of(const scarce_backtest *b, size_t i)
{
    return i < b->n_limits ? &b->limits[i] : NULL;
}
