/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for thresholds and budgets as users type them, on rows of any scores, times, amounts and weights:
 * first byte: flags; then the rule as a part; each further 16 bytes are a row. What is chosen keeps to the
 * rule. */
#include <math.h>

#include <scarce/decide.h>

#include "fuzz_parts.h"

enum { MOST_ROWS = 64 };

typedef struct rows {
    double score[MOST_ROWS], time[MOST_ROWS], amount[MOST_ROWS], weight[MOST_ROWS];
    uint8_t label[MOST_ROWS];
    size_t n;
} rows;

static void fill(rows *r, const uint8_t *data, size_t size)
{
    static const double times[] = {1, 60, 86400, 1e15};
    r->n = size / 16 < MOST_ROWS ? size / 16 : MOST_ROWS;
    for (size_t i = 0; i < r->n; ++i) {
        const uint8_t *at = data + 16 * i;
        float amount;
        memcpy(&r->score[i], at, 8);
        memcpy(&amount, at + 8, 4);
        r->amount[i] = (double)amount;
        r->time[i] = (double)(int8_t)at[12] * times[at[13] & 3];
        r->weight[i] = at[14] == 255 ? -1 : (double)at[14] / 4;
        r->label[i] = at[15] & 1;
    }
}

static void check(scarce_status st, const scarce_error *err)
{
    MUST(st == SCARCE_OK ||
         (err->code == st && err->text[0] && !strchr(err->text, '\n') && st != SCARCE_EBUG));
}

static void try_budget(const scarce_threshold_rule *rule, const scarce_scored *in)
{
    scarce_budget_options o = SCARCE_BUDGET_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_budget_use use;
    uint8_t alert[MOST_ROWS];
    uint32_t span[MOST_ROWS];

    o.budget = rule->budget;
    o.span = rule->span;
    for (int mode = 0; mode < 2; ++mode) {
        const scarce_status st =
            scarce_budget_alerts(alert, span, &use, in, &o, (scarce_budget_mode)mode, &err);
        size_t in_span[MOST_ROWS] = {0}, all = 0;
        check(st, &err);
        if (st != SCARCE_OK) continue;
        for (size_t i = 0; i < in->n; ++i) {
            MUST(alert[i] <= 1 && span[i] < use.spans);
            in_span[span[i]] += alert[i];
            all += alert[i];
        }
        MUST(all == use.alerts);
        for (size_t s = 0; s < use.spans; ++s) MUST((double)in_span[s] <= rule->budget);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t flags = fuzz_take(&data, &size);
    fuzz_part text = fuzz_next_part(&data, &size, 1);
    scarce_threshold_rule rule;
    scarce_threshold_choice choice;
    scarce_scored in = SCARCE_SCORED_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    rows r;

    fill(&r, data, size);
    in.n = r.n, in.score = r.score, in.label = flags & 1 ? NULL : r.label;
    in.time = flags & 2 ? NULL : r.time, in.amount = flags & 4 ? NULL : r.amount;
    in.weight = flags & 8 ? r.weight : NULL;
    scarce_status st = scarce_threshold_parse(&rule, (const char *)text.bytes, &err);
    check(st, &err);
    if (st == SCARCE_OK) {
        st = scarce_threshold_choose(&choice, &rule, &in, &err);
        check(st, &err);
        if (st == SCARCE_OK) {
            MUST(!isnan(choice.threshold));
            if (rule.kind == SCARCE_THRESHOLD_BUDGET && rule.unit == SCARCE_BUDGET_TOTAL)
                MUST(choice.alerts <= rule.budget);
        }
        if (rule.unit == SCARCE_BUDGET_PER_SPAN) try_budget(&rule, &in);
    }
    for (int kind = 0; kind <= SCARCE_CALIBRATE_BETA; ++kind) {
        scarce_calibrator *cal = NULL;
        st = scarce_calibrator_fit(&cal, (scarce_calibration)kind, &in, &err);
        check(st, &err);
        for (size_t i = 0; cal && kind && i < r.n; ++i) {
            const double p = scarce_calibrator_apply(cal, r.score[i]);
            MUST(isnan(r.score[i]) ? isnan(p) : p >= 0 && p <= 1);
        }
        scarce_calibrator_free(cal);
    }
    free(text.bytes);
    return 0;
}
