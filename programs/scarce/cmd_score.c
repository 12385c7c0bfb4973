/* SPDX-License-Identifier: Apache-2.0 */
/* scarce score MODEL DATA: row,score,probability,alert in input order, or the highest first; with what was kept
 * of each row and its reasons if asked for. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "score.h"

#define AT(f) offsetof(score_options, f)
static const option_spec specs[] = {
    {"-o", "FILE", OPTION_TEXT, AT(output), "write there instead of to stdout"},
    {"--top", "K", OPTION_COUNT, AT(top), "only the K highest scores, highest first, with their rank"},
    {"--keep", "COL,...", OPTION_COMMAS, AT(data.keep),
     "columns that travel with each row, their text as it stands in DATA: ids, card, amount, time"},
    {"--define", "FILE", OPTION_TEXT, AT(data.define),
     "how the rows were made (scarce features): refused where the model learnt from other definitions"},
    {"--explain", "N", OPTION_TEXT, AT(explain),
     "the N strongest reasons for each score (all: every one; they sum to the score); of ranking trees the "
     "rule"},
    {"--for", NULL, OPTION_FLAG, AT(only_for), "of these only the reasons that raise the score"},
    {"--words", NULL, OPTION_FLAG, AT(words),
     "reasons as one column of sentences: \"amount 493.41 is high: +2.57; country BR: +0.80\""},
    {"--full", NULL, OPTION_FLAG, AT(full), "numbers with all their digits (default: 9)"},
    {"--background", "FILE|N", OPTION_TEXT, AT(background),
     "reasons compared with the rows of FILE (up to 1000 of them), or with N rows of DATA"},
    {"--classes", NULL, OPTION_FLAG, AT(classes),
     "of a model with more than two classes: the probability of each, in columns p_CLASS"},
    {"--budget", "K/day", OPTION_TEXT, AT(budget),
     "alert the best K of each day (also /hour, /week, /30m) of --time, not by the threshold"},
    {"--prevalence", "SHARE", OPTION_REAL, AT(prevalence),
     "probabilities for this share of positives instead of that of the training"},
    {"--live", NULL, OPTION_FLAG, AT(live), "--budget row by row, knowing only what came before"},
    {"--rules", "FILE", OPTION_TEXT, AT(rules),
     "rules beside the model (docs/rules.md): a row on which one fires is an alert too, and with --top\n"
     "                             it stands below the K; columns rules and rule_reasons"},
};

static void defaults(void *options)
{
    ((score_options *)options)->top = -1; /* all */
}

/* Highest first; equal scores in input order. */
int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

enum { MOST_BACKGROUND = 1000 };

/* `most` rows of a table, evenly spaced, or the table itself when it has no more; *owned is to be freed. */
static scarce_status some_rows(const scarce_table **out, scarce_table **owned, const scarce_table *table,
                               size_t most, scarce_context *ctx, scarce_error *err)
{
    const size_t n = scarce_table_rows(table);
    uint32_t *rows;
    scarce_status st;

    *out = table;
    if (n <= most) return SCARCE_OK;
    rows = malloc(most * sizeof *rows);
    if (!rows) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu rows", most);
    for (size_t i = 0; i < most; ++i) rows[i] = (uint32_t)((double)i * (double)n / (double)most);
    st = scarce_table_rows_of(owned, table, rows, most, ctx, err);
    free(rows);
    *out = *owned;
    return st;
}

/* --background: a number of rows of the data, or a file. */
scarce_status read_background(const scarce_table **out, scarce_table **owned, const scarce_model *model,
                              const scarce_table *data, const score_options *o, scarce_context *ctx,
                              scarce_error *err)
{
    const text_list paths = {(const char **)&o->background, 1};
    scarce_table *file = NULL, *drawn = NULL;
    data_options plain = o->data; /* its texts go nowhere */
    char *end;
    unsigned long long n;
    scarce_status st;

    plain.keep.count = 0;
    plain.may_be_empty = 0;
    *out = *owned = NULL;
    if (!o->background) return SCARCE_OK;
    n = strtoull(o->background, &end, 10);
    if (!*end) return some_rows(out, owned, data, (size_t)n, ctx, err);
    st = read_table(&file, &paths, &plain, scarce_model_schema(model), ctx, err);
    talk_clear();
    if (st == SCARCE_OK) st = some_rows(out, &drawn, file, MOST_BACKGROUND, ctx, err);
    if (st == SCARCE_OK && drawn)
        say("background: %d of the %zu rows of %s", (int)MOST_BACKGROUND, scarce_table_rows(file),
            o->background);
    *owned = drawn ? drawn : file;
    if (drawn) scarce_table_free(file);
    return st;
}

static scarce_status write_csv(writer *w, const score_batch *b, size_t n, const char *path,
                               scarce_context *ctx, scarce_error *err)
{
    scarce_status st = scarce_output_open(&w->out, path, err);

    if (st == SCARCE_OK) st = write_header(w, err);
    if (st == SCARCE_OK && n > 0) st = write_batch(w, b, n, ctx, err);
    talk_clear();
    if (st != SCARCE_OK) {
        scarce_output_abort(w->out);
        return st;
    }
    return scarce_output_commit(w->out, err);
}

static scarce_status print_json(writer *w, const score_batch *b, size_t n, scarce_context *ctx,
                                scarce_error *err)
{
    scarce_status st = SCARCE_OK;
    w->json = 1;
    json_open('[');
    if (n > 0) st = write_batch(w, b, n, ctx, err);
    talk_clear();
    json_close(']');
    json_end();
    return st;
}

static void report_json(const scored_data *s, const ranked *top, size_t n, const char *output)
{
    size_t alerts = 0;
    for (size_t i = 0; i < n; ++i) alerts += s->alert[top ? top[i].row : i];
    json_open('{');
    json_key("rows"), json_count(s->rows.n);
    json_key("written"), json_count(n);
    json_key("alerts"), json_count(alerts);
    json_key("output"), json_text(output);
    json_close('}');
    json_end();
}

/* The rows behind the first n on which a rule fires, in the order of their scores, come behind these. */
static size_t add_ruled_rows(ranked *top, size_t n, size_t rows, const ruled_data *r)
{
    for (size_t i = n; i < rows; ++i)
        if (rules_fired(r, top[i].row)) top[n++] = top[i];
    return n;
}

static scarce_status write_scores(const scored_data *s, const score_options *o, size_t n_reasons,
                                  const ruled_data *ruled, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *background = NULL;
    scarce_table *owned = NULL;
    ranked *top = NULL;
    size_t n = s->rows.n;
    writer w;
    scarce_status st = SCARCE_OK;

    memset(&w, 0, sizeof w);
    if (o->top > 0) {
        top = malloc((n + 1) * sizeof *top);
        if (!top) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu ranks", n);
        for (size_t i = 0; i < n; ++i) top[i].score = s->score[i], top[i].row = i;
        qsort(top, n, sizeof *top, by_score);
        if ((size_t)o->top < n) n = (size_t)o->top;
        if (ruled) n = add_ruled_rows(top, n, s->rows.n, ruled);
    }
    const score_batch batch = {s->table, s->score, s->probability, s->alert, top, NULL};
    if (s->table) st = read_background(&background, &owned, s->model, s->table, o, ctx, err);
    if (st == SCARCE_OK) st = writer_init(&w, o, s->model, n_reasons, background, err);
    scarce_table_free(owned); /* the explainer has its copy */
    w.format.ruled = ruled;
    if (st == SCARCE_OK && o->common.json && !o->output) st = print_json(&w, &batch, n, ctx, err);
    else if (st == SCARCE_OK) st = write_csv(&w, &batch, n, o->output ? o->output : "-", ctx, err);
    writer_deinit(&w);
    if (st == SCARCE_OK && o->common.json && o->output) report_json(s, top, n, o->output);
    free(top);
    return st;
}

/* --explain N or all; 0: not asked for. */
static int parse_reasons(const char *asked, size_t *n)
{
    char *end = NULL;

    *n = 0;
    if (!asked) return EXIT_DONE;
    if (strcmp(asked, "all") == 0) {
        *n = SIZE_MAX;
        return EXIT_DONE;
    }
    if (*asked >= '0' && *asked <= '9') *n = (size_t)strtoull(asked, &end, 10);
    if (!end || *end || *n == 0)
        return complain(EXIT_USE, "--explain wants a number of reasons from 1 on, or all, not \"%s\"", asked);
    return EXIT_DONE;
}

static int check_background(const score_options *o)
{
    char *end;

    if (!o->background) return EXIT_DONE;
    if (!o->explain) return complain(EXIT_USE, "--background is for --explain");
    if (!*o->background) return complain(EXIT_USE, "--background wants a file or a number of rows");
    if (strtoull(o->background, &end, 10) == 0 && !*end)
        return complain(EXIT_USE, "--background wants 1 or more rows");
    return EXIT_DONE;
}

void say_no_probability(const scarce_model *model)
{
    const char *why = scarce_model_note(model, "no_probability");

    if (scarce_model_has_probability(model)) return;
    say("probability: n/a, because %s; train with --calibrate platt and validation rows to get one",
        why ? why : "the scores of this model only rank");
}

/* Can rows be answered as they come? Not when what is asked for needs all of them. */
static int is_stream(const score_options *o, const parsed *args)
{
    const char *path = args->paths.items[1];
    char *end = NULL;

    if (args->paths.count != 2 || strcmp(path, "-") != 0) return 0;
    if (o->background && strtoull(o->background, &end, 10) > 0 && !*end) return 0;
    if (o->data.format && strcmp(o->data.format, "csv") != 0 && strcmp(o->data.format, "tsv") != 0) return 0;
    return o->top < 0 && !o->common.json && !o->rules && (!o->budget || o->live);
}

/* Can files that memory can't hold be scored block by block? */
static int is_in_blocks(const score_options *o, const parsed *args)
{
    const text_list rest = {args->paths.items + 1, args->paths.count - 1};
    char *end = NULL;

    if (o->background && strtoull(o->background, &end, 10) > 0 && !*end) return 0;
    return !o->common.json && !o->rules && (!o->budget || o->live) && too_large(&rest);
}

static int check_use(const score_options *o, const parsed *args)
{
    int code;

    if (args->paths.count < 2)
        return complain(EXIT_USE, "a model and data, please (scarce score MODEL DATA)");
    if (o->top == 0) return complain(EXIT_USE, "--top wants 1 or more rows");
    for (size_t i = 1; o->rules && i < args->paths.count; ++i)
        if (strcmp(args->paths.items[i], "-") == 0)
            return complain(EXIT_USE, "--rules reads the data twice: give a file, not -");
    if (o->only_for && !o->explain) return complain(EXIT_USE, "--for is for --explain N");
    if (o->words && !o->explain) return complain(EXIT_USE, "--words is for --explain N");
    if (o->only_for && strcmp(o->explain, "all") == 0)
        return complain(EXIT_USE,
                        "--explain all gives all reasons, --for only some; choose --explain N --for");
    if ((code = check_keep(&o->data.keep)) != EXIT_DONE) return code;
    return check_background(o);
}

/* --rules: what fires is an alert too. */
static scarce_status add_rules(ruled_data *r, scored_data *s, const score_options *o, const parsed *args,
                               scarce_context *ctx, scarce_error *err)
{
    const text_list paths = {args->paths.items + 1, args->paths.count - 1};
    data_options plain = o->data;
    size_t fired = 0, alone = 0;
    scarce_status st;

    plain.keep.count = 0;
    plain.may_be_empty = 0;
    st = read_ruled(r, &paths, &plain, s->table, ctx, err);
    if (st == SCARCE_OK) st = load_rules(r, o->rules, err);
    if (st == SCARCE_OK) st = ask_rules(r, ctx, err);
    for (size_t i = 0; st == SCARCE_OK && i < s->rows.n; ++i) {
        if (!rules_fired(r, i)) continue;
        ++fired;
        alone += !s->alert[i];
        s->alert[i] = 1;
    }
    if (st == SCARCE_OK)
        say("rules fire on %zu row%s, %zu of them no alert of the model", fired, fired == 1 ? "" : "s",
            alone);
    return st;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    score_options *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    ruled_data ruled = {NULL, NULL, NULL, NULL, NULL};
    scored_data s;
    scarce_status st;
    size_t n_reasons;
    budget_rule budget;
    int code, stream;

    if ((code = check_use(o, args)) != EXIT_DONE ||
        (code = parse_reasons(o->explain, &n_reasons)) != EXIT_DONE)
        return code;
    stream = is_stream(o, args);
    if ((code = parse_budget(o->budget, o->live && (o->budget || !stream), &budget)) != EXIT_DONE ||
        (code = check_output(o->output)) != EXIT_DONE)
        return code;
    o->data.may_be_empty = 1;
    if (stream) return score_stream(o, args->paths.items[0], "stdin", n_reasons, &budget, ctx);
    if (is_in_blocks(o, args)) return score_blocks(o, args, n_reasons, &budget, ctx);
    memset(&s, 0, sizeof s);
    s.prevalence = o->prevalence;
    st = score_data(&s, &args->paths, &o->data, ctx, &err);
    if (st == SCARCE_OK && s.table) st = decide_alerts(&s, s.model, &budget, &err);
    if (st == SCARCE_OK && s.table) say_alerts(&s, &budget), say_no_probability(s.model);
    else if (st == SCARCE_OK) say("no rows in %s", args->paths.items[1]);
    if (st == SCARCE_OK && s.table && o->rules) st = add_rules(&ruled, &s, o, args, ctx, &err);
    if (st == SCARCE_OK) st = write_scores(&s, o, n_reasons, o->rules ? &ruled : NULL, ctx, &err);
    forget_ruled(&ruled);
    forget_scored(&s);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_score = {
    "score",
    "scores new rows with a model",
    "MODEL DATA... [-o FILE] [--top K] [--keep COL,...] [--explain N] [--budget K/day]",
    "Writes CSV: row,score,probability,alert, in input order. Features are matched by name, in any column "
    "order.\n"
    "The probability is n/a when the model has none (train with --calibrate). Of a model with more than two "
    "classes\n"
    "(scarce learn --classes) come class,class_probability too: the likeliest one.\n"
    "With --explain come reason1,value1,contribution1,... (the feature, its value in this row, and what it "
    "added\n"
    "to the score: strongest first) and base, where every score begins; fields are empty where nothing else\n"
    "contributed. With --background the reasons compare a row with these rows. Of ranking trees come "
    "rule,reason\n"
    "instead: the number of the rule that the row fires, and its conditions.\n"
    "From standard input (-) each row is answered as it comes. A row that can't be read is reported on "
    "stderr and\n"
    "left out; the exit code is then 3.\n\n"
    "  scarce score fraud.scarce today.csv --top 100 --keep tx_id,card,amount --explain 3 --for --words\n"
    "  scarce score fraud.scarce today.csv --time tx_time --budget 100/day\n"
    "  scarce score fraud.scarce today.csv --top 100 --rules pay.rules --explain 3 --words\n"
    "  payments | scarce score fraud.scarce - --keep tx_id --time tx_time --budget 100/day --live\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(score_options),
    data_option_specs,
    offsetof(score_options, data),
    0,
    defaults,
    run};
