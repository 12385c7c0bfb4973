/* SPDX-License-Identifier: Apache-2.0 */
/* scarce score MODEL DATA: row,score,probability,alert in input order, or the highest first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct score_command {
    common_options common;
    data_options data;
    const char *output;
    long top;
} score_command;

#define AT(f) offsetof(score_command, f)
static const option_spec specs[] = {
    {"-o", "FILE", OPTION_TEXT, AT(output), "write there instead of to stdout"},
    {"--top", "K", OPTION_COUNT, AT(top), "only the K highest scores, highest first, with their rank"},
};

static void defaults(void *options)
{
    ((score_command *)options)->top = -1; /* all */
}

typedef struct ranked {
    double score;
    size_t row;
} ranked;

/* Highest first; equal scores in input order. */
static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int is_alert(const scored_data *s, size_t row)
{
    return scarce_scorer_alert(s->scorer, s->score[row], s->probability[row],
                               s->rows.amount ? s->rows.amount[row] : (double)NAN);
}

static size_t put_number(char *at, double value)
{
    if (isnan(value)) return (size_t)sprintf(at, "n/a");
    return format_number(at, value);
}

/* One line; rank 0: none. */
static size_t put_line(char *line, const scored_data *s, size_t rank, size_t row)
{
    char *at = line;
    if (rank) at += sprintf(at, "%zu,", rank);
    at += sprintf(at, "%zu,", row + 1);
    at += put_number(at, s->score[row]);
    *at++ = ',';
    at += put_number(at, s->probability[row]);
    at += sprintf(at, ",%d\n", is_alert(s, row));
    return (size_t)(at - line);
}

static scarce_status write_csv(const scored_data *s, const ranked *top, size_t n, const char *path, scarce_error *err)
{
    const char *header = top ? "rank,row,score,probability,alert\n" : "row,score,probability,alert\n";
    scarce_output *out = NULL;
    char line[256];
    scarce_status st = scarce_output_open(&out, path, err);

    if (st == SCARCE_OK) st = scarce_output_write(out, header, strlen(header), err);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i)
        st = scarce_output_write(out, line, put_line(line, s, top ? i + 1 : 0, top ? top[i].row : i), err);
    if (st != SCARCE_OK) {
        scarce_output_abort(out);
        return st;
    }
    return scarce_output_commit(out, err);
}

static void print_json(const scored_data *s, const ranked *top, size_t n)
{
    json_open('[');
    for (size_t i = 0; i < n; ++i) {
        const size_t row = top ? top[i].row : i;
        json_open('{');
        if (top) json_key("rank"), json_count(i + 1);
        json_key("row"), json_count(row + 1);
        json_key("score"), json_number(s->score[row]);
        json_key("probability"), json_number(s->probability[row]);
        json_key("alert"), json_bool(is_alert(s, row));
        json_close('}');
    }
    json_close(']');
    json_end();
}

static void report_json(const scored_data *s, const ranked *top, size_t n, const char *output)
{
    size_t alerts = 0;
    for (size_t i = 0; i < n; ++i) alerts += is_alert(s, top ? top[i].row : i) != 0;
    json_open('{');
    json_key("rows"), json_count(s->rows.n);
    json_key("written"), json_count(n);
    json_key("alerts"), json_count(alerts);
    json_key("output"), json_text(output);
    json_close('}');
    json_end();
}

static scarce_status write_scores(const scored_data *s, const score_command *o, scarce_error *err)
{
    ranked *top = NULL;
    size_t n = s->rows.n;
    scarce_status st = SCARCE_OK;

    if (o->top > 0) {
        top = malloc(n * sizeof *top);
        if (!top) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu ranks", n);
        for (size_t i = 0; i < n; ++i) top[i].score = s->score[i], top[i].row = i;
        qsort(top, n, sizeof *top, by_score);
        if ((size_t)o->top < n) n = (size_t)o->top;
    }
    if (o->common.json && !o->output) print_json(s, top, n);
    else st = write_csv(s, top, n, o->output ? o->output : "-", err);
    if (st == SCARCE_OK && o->common.json && o->output) report_json(s, top, n, o->output);
    free(top);
    return st;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const score_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scored_data s;
    scarce_status st;
    int code;

    if (args->paths.count < 2) return complain(EXIT_USE, "a model and data, please (scarce score MODEL DATA)");
    if (o->top == 0) return complain(EXIT_USE, "--top wants 1 or more rows");
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    memset(&s, 0, sizeof s);
    st = score_data(&s, &args->paths, &o->data, ctx, &err);
    if (st == SCARCE_OK && isnan(scarce_model_threshold(s.model)) && !s.rows.amount)
        st = fail_with(&err, SCARCE_EDATA, "the model's alerts weigh the amount at stake: say which column holds it (--amount COL)");
    if (st == SCARCE_OK) st = write_scores(&s, o, &err);
    forget_scored(&s);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_score = {
    "score",
    "scores new rows with a model",
    "MODEL DATA... [-o FILE] [--top K]",
    "Writes CSV: row,score,probability,alert, in input order. Features are matched by name, in any column order.\n"
    "The probability is n/a when the model has none (train with --calibrate).\n\n"
    "  scarce score fraud.scarce today.csv --top 100\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(score_command),
    data_option_specs,
    offsetof(score_command, data),
    0,
    defaults,
    run};
