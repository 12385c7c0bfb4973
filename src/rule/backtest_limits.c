/* SPDX-License-Identifier: Apache-2.0 */
/* Would a rule still be in force at the end of the data? The limits of quality (false_alerts, detection) look at the
 * last span of time, and not the estimate but its bound must break them: ten unlucky alerts retire no rule. The fuses
 * (fires, blocks) look at every span: one that is broken once would have made the rule a shadow at that moment. */
#include <math.h>
#include <stdlib.h>

#include <scarce/metrics.h>

#include "core/alloc.h"
#include "data/times.h"
#include "rule/backtest.h"

typedef struct judge {
    scarce_backtest *b;
    const scarce_table *t;
    const scarce__rule *rule;
    size_t number;
    double last;   /* the latest time; NaN: there is none */
    double *all;   /* times of all rows, ascending; made when needed */
    double *fired; /* of those that fired, ascending */
    size_t n_fired;
    int no_memory;
} judge;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "14d", "1h", "90s" */
static void add_span(scarce__text *out, double seconds)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    size_t i = 0;
    while (i < 3 && fmod(seconds, units[i].seconds) != 0) ++i;
    scarce__text_digits(out, seconds / units[i].seconds, 15);
    scarce__text_add_char(out, units[i].letter);
}

static void add_percent(scarce__text *out, double share, int digits)
{
    scarce__text_digits(out, 100 * share, digits);
    scarce__text_add(out, "%");
}

static void add_moment(scarce__text *out, double time)
{
    char text[32];
    if (scarce_time_is_seconds(time, time)) {
        scarce__format_time(text, time, 1);
        scarce__text_add(out, text);
    } else {
        scarce__text_digits(out, time, 12);
    }
}

/* Keeps a limit with its sentence; both texts become the back-test's. */
static void keep(judge *j, scarce__text *limit, scarce_limit_state state, scarce__text *text)
{
    scarce_backtest *b = j->b;
    scarce_backtest_limit *larger = scarce__realloc_array(b->limits, b->n_limits + 1, sizeof *larger);

    if (larger) b->limits = larger;
    if (!larger || limit->failed || text->failed || !limit->bytes || !text->bytes) {
        j->no_memory = 1;
        scarce__text_deinit(limit);
        scarce__text_deinit(text);
        return;
    }
    b->limits[b->n_limits].rule = j->number;
    b->limits[b->n_limits].limit = limit->bytes;
    b->limits[b->n_limits].state = state;
    b->limits[b->n_limits++].text = text->bytes;
}

static int no_time(const judge *j, scarce__text *text)
{
    if (!isnan(j->last)) return 0;
    scarce__text_add(text, "can't be judged without a time column (--time)");
    return 1;
}

/* Fired rows after `from`, and how many of them are positive. */
static void count_since(const judge *j, double from, size_t *fired, size_t *hits)
{
    const scarce_backtest *b = j->b;
    *fired = *hits = 0;
    for (size_t k = b->first[j->number]; k < b->first[j->number + 1]; ++k) {
        const uint32_t row = b->rows[k];
        if (!(j->t->time[row] > from)) continue;
        ++*fired;
        *hits += j->t->label[row];
    }
}

static void add_interval(scarce__text *text, const judge *j, double lo, double hi)
{
    scarce__text_add(text, " (");
    add_percent(text, j->b->level, 3);
    scarce__text_add(text, " interval ");
    add_percent(text, lo, 3);
    scarce__text_add(text, " to ");
    add_percent(text, hi, 3);
    scarce__text_add(text, ")");
}

static void judge_false_alerts(judge *j)
{
    const scarce__rule *x = j->rule;
    scarce__text limit = SCARCE__TEXT_INIT, text = SCARCE__TEXT_INIT;
    scarce_limit_state state = SCARCE_LIMIT_OPEN;
    size_t fired, hits;
    double lo, hi;

    scarce__text_add(&limit, "false_alerts ");
    add_percent(&limit, x->false_alerts, 6);
    scarce__text_add(&limit, " over ");
    add_span(&limit, x->false_alerts_over);
    if (x->false_alerts_min > 0) scarce__text_addf(&limit, " min %ld", (long)x->false_alerts_min);
    if (!no_time(j, &text)) {
        count_since(j, j->last - x->false_alerts_over, &fired, &hits);
        const double wrong = (double)(fired - hits);
        scarce_share_interval(wrong, (double)fired, j->b->level, &lo, &hi);
        scarce__text_addf(&text, "%zu of the %zu alerts of the last ", fired - hits, fired);
        add_span(&text, x->false_alerts_over);
        scarce__text_add(&text, " were false");
        if (fired == 0 || (double)fired < x->false_alerts_min) {
            scarce__text_add(&text, ": too few to tell");
        } else {
            state = lo > x->false_alerts ? SCARCE_LIMIT_BROKEN : SCARCE_LIMIT_KEPT;
            add_interval(&text, j, lo, hi);
            if (state == SCARCE_LIMIT_BROKEN) scarce__text_add(&text, ": broken, it would be a shadow now");
            else
                scarce__text_add(&text, wrong / (double)fired > x->false_alerts
                                            ? ": above, but it may be chance"
                                            : ": kept");
        }
    }
    keep(j, &limit, state, &text);
}

static void judge_detection(judge *j)
{
    const scarce__rule *x = j->rule;
    scarce__text limit = SCARCE__TEXT_INIT, text = SCARCE__TEXT_INIT;
    scarce_limit_state state = SCARCE_LIMIT_OPEN;
    size_t fired, hits, positives = 0;
    double lo, hi;

    scarce__text_add(&limit, "detection ");
    add_percent(&limit, x->detection, 6);
    scarce__text_add(&limit, " over ");
    add_span(&limit, x->detection_over);
    if (!no_time(j, &text)) {
        count_since(j, j->last - x->detection_over, &fired, &hits);
        for (size_t i = 0; i < j->t->n_rows; ++i)
            positives += j->t->label[i] && j->t->time[i] > j->last - x->detection_over &&
                         j->t->time[i] >= x->from && j->t->time[i] < x->until;
        scarce_share_interval((double)hits, (double)positives, j->b->level, &lo, &hi);
        scarce__text_addf(&text, "%zu of the %zu positives of the last ", hits, positives);
        add_span(&text, x->detection_over);
        scarce__text_add(&text, " found");
        if (positives == 0) {
            scarce__text_add(&text, ": too few to tell");
        } else {
            state = hi < x->detection ? SCARCE_LIMIT_BROKEN : SCARCE_LIMIT_KEPT;
            add_interval(&text, j, lo, hi);
            if (state == SCARCE_LIMIT_BROKEN) scarce__text_add(&text, ": broken, it would be a shadow now");
            else
                scarce__text_add(&text, (double)hits / (double)positives < x->detection
                                            ? ": below, but it may be chance"
                                            : ": kept");
        }
    }
    keep(j, &limit, state, &text);
}

static void judge_fires(judge *j)
{
    const scarce__rule *x = j->rule;
    scarce__text limit = SCARCE__TEXT_INIT, text = SCARCE__TEXT_INIT;
    scarce_limit_state state = SCARCE_LIMIT_OPEN;
    size_t most = 0;
    double broken = (double)NAN;

    scarce__text_addf(&limit, "fires %ld/", (long)x->fires);
    add_span(&limit, x->fires_over);
    if (!no_time(j, &text)) {
        for (size_t i = 0, from = 0; i < j->n_fired; ++i) {
            while (j->fired[from] <= j->fired[i] - x->fires_over) ++from;
            if (i + 1 - from > most) most = i + 1 - from;
            if ((double)(i + 1 - from) > x->fires && isnan(broken)) broken = j->fired[i];
        }
        state = isnan(broken) ? SCARCE_LIMIT_KEPT : SCARCE_LIMIT_BROKEN;
        scarce__text_addf(&text, "at most %zu within ", most);
        add_span(&text, x->fires_over);
        if (state == SCARCE_LIMIT_BROKEN) {
            scarce__text_add(&text, ": broken, it would be a shadow since ");
            add_moment(&text, broken);
        } else {
            scarce__text_add(&text, ": kept");
        }
    }
    keep(j, &limit, state, &text);
}

/* Of the transactions of an hour: five at least, and where these are few the lower end of the interval counts. One
 * block of a quiet night blows no fuse. */
static void judge_blocks(judge *j)
{
    enum { HOUR = 3600, FEW = 5 };
    const scarce__rule *x = j->rule;
    scarce__text limit = SCARCE__TEXT_INIT, text = SCARCE__TEXT_INIT;
    scarce_limit_state state = SCARCE_LIMIT_OPEN;
    double most = 0, broken = (double)NAN, lo, hi;
    size_t all_from = 0, all_end = 0, n = 0;

    scarce__text_add(&limit, "blocks ");
    add_percent(&limit, x->blocks, 6);
    while (j->all && n < j->t->n_rows && !isnan(j->all[n])) ++n;
    if (!no_time(j, &text)) {
        for (size_t i = 0, from = 0; i < j->n_fired; ++i) {
            const double now = j->fired[i];
            while (j->fired[from] <= now - HOUR) ++from;
            while (all_end < n && j->all[all_end] <= now) ++all_end;
            while (j->all[all_from] <= now - HOUR) ++all_from;
            const double blocked = (double)(i + 1 - from), all = (double)(all_end - all_from);
            most = fmax(most, blocked / all);
            if (blocked < FEW || !(blocked / all > x->blocks) || !isnan(broken)) continue;
            scarce_share_interval(blocked, all, j->b->level, &lo, &hi);
            if (lo > x->blocks) broken = now;
        }
        state = isnan(broken) ? SCARCE_LIMIT_KEPT : SCARCE_LIMIT_BROKEN;
        scarce__text_add(&text, "at most ");
        add_percent(&text, most, 3);
        scarce__text_add(&text, " of an hour's transactions");
        if (state == SCARCE_LIMIT_BROKEN) {
            scarce__text_add(&text, ": broken, it would be a shadow since ");
            add_moment(&text, broken);
        } else {
            scarce__text_add(&text, most > x->blocks ? ": above, but of few transactions" : ": kept");
        }
    }
    keep(j, &limit, state, &text);
}

/* Times of the rows that fired. */
static int sort_fired(judge *j)
{
    const scarce_backtest *b = j->b;
    const size_t n = b->first[j->number + 1] - b->first[j->number];

    scarce__free(j->fired);
    j->n_fired = 0;
    j->fired = scarce__malloc_array(n, sizeof *j->fired);
    if (!j->fired) return 0;
    for (size_t k = 0; j->t->time && k < n; ++k) {
        const double time = j->t->time[b->rows[b->first[j->number] + k]];
        if (time - time == 0) j->fired[j->n_fired++] = time;
    }
    if (j->n_fired) qsort(j->fired, j->n_fired, sizeof *j->fired, by_value);
    return 1;
}

/* Times of all rows, those that are missing last. */
static int sort_all(judge *j)
{
    const size_t n = j->t->n_rows;
    size_t known = 0;
    int sorted = 1;

    if (j->all || !j->t->time) return 1;
    j->all = scarce__malloc_array(n, sizeof *j->all);
    if (!j->all) return 0;
    for (size_t i = 0; i < n; ++i)
        if (j->t->time[i] - j->t->time[i] == 0) {
            j->all[known++] = j->t->time[i];
            sorted &= known < 2 || j->all[known - 2] <= j->all[known - 1];
        }
    if (!sorted) qsort(j->all, known, sizeof *j->all, by_value);
    for (size_t i = known; i < n; ++i) j->all[i] = (double)NAN;
    return 1;
}

scarce_status scarce__backtest_limits(scarce_backtest *b, const scarce_ruleset *set, const scarce_table *t,
                                      scarce_error *err)
{
    judge j = {b, t, NULL, 0, (double)NAN, NULL, NULL, 0, 0};

    for (size_t i = 0; t->time && i < t->n_rows; ++i)
        if (t->time[i] - t->time[i] == 0 && !(t->time[i] <= j.last)) j.last = t->time[i];
    for (size_t i = 0; !j.no_memory && i < set->n_rules; ++i) {
        j.rule = &set->rules[i];
        j.number = i;
        if (!j.rule->program) continue;
        if (!isnan(j.rule->fires) || !isnan(j.rule->blocks)) j.no_memory = !sort_fired(&j);
        if (!isnan(j.rule->blocks) && !j.no_memory) j.no_memory = !sort_all(&j);
        if (!j.no_memory && !isnan(j.rule->false_alerts)) judge_false_alerts(&j);
        if (!j.no_memory && !isnan(j.rule->detection)) judge_detection(&j);
        if (!j.no_memory && !isnan(j.rule->fires)) judge_fires(&j);
        if (!j.no_memory && !isnan(j.rule->blocks)) judge_blocks(&j);
    }
    scarce__free(j.all);
    scarce__free(j.fired);
    return j.no_memory ? scarce__fail_memory(err, "a back-test", 0) : SCARCE_OK;
}
