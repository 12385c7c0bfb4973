/* SPDX-License-Identifier: Apache-2.0 */
/* scarce score MODEL DATA: row,score,probability,alert in input order, or the highest first; with their
 * reasons if asked for. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct score_command {
    common_options common;
    data_options data;
    const char *output, *explain, *background, *budget;
    int live;
    long top;
} score_command;

#define AT(f) offsetof(score_command, f)
static const option_spec specs[] = {
    {"-o", "FILE", OPTION_TEXT, AT(output), "write there instead of to stdout"},
    {"--explain", "N", OPTION_TEXT, AT(explain),
     "the N strongest reasons for each score (all: every one; they sum to the score)"},
    {"--background", "FILE|N", OPTION_TEXT, AT(background),
     "reasons compared with the rows of FILE (up to 1000 of them), or with N rows of DATA"},
    {"--budget", "K/day", OPTION_TEXT, AT(budget),
     "alert the best K of each day (also /hour, /week, /30m) of --time, not by the threshold"},
    {"--live", NULL, OPTION_FLAG, AT(live), "--budget row by row, knowing only what came before"},
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

/* ---- text that grows */

typedef struct text {
    char *bytes;
    size_t n, capacity;
    int failed;
} text;

static void add(text *t, const char *bytes, size_t n)
{
    if (t->failed) return;
    if (t->n + n > t->capacity) {
        const size_t capacity = 2 * (t->n + n) + 256;
        char *grown = realloc(t->bytes, capacity);
        if (!grown) {
            t->failed = 1;
            return;
        }
        t->bytes = grown;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

__attribute__((format(printf, 2, 3))) static void addf(text *t, const char *format, ...)
{
    char small[96];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    add(t, small, (size_t)n);
}

static void add_number(text *t, double value)
{
    char number[32];
    if (isnan(value)) add(t, "n/a", 3);
    else add(t, number, format_number(number, value));
}

/* A CSV field, in quotes where it must be. */
static void add_field(text *t, const char *field)
{
    if (!field[strcspn(field, ",\"\r\n")] && field[0]) {
        add(t, field, strlen(field));
        return;
    }
    add(t, "\"", 1);
    for (; *field; ++field) add(t, "\"\"", *field == '"' ? 2 : 0), add(t, field, *field != '"');
    add(t, "\"", 1);
}

/* The shortest text that reads back as the same float. */
static void float_text(char out[32], float value)
{
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(out, 32, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value) break;
    }
}

/* ---- rows */

typedef struct writer {
    const scored_data *s;
    const ranked *top; /* NULL: input order */
    int json;
    size_t n_reasons, width; /* reasons per row; features */
    scarce_reason *reasons;
    scarce_explainer *explainer;
    double base;
    scarce_output *out;
    text line;
    scarce_status status; /* of put_rows, which has */
    scarce_error error;   /* its own, because its caller says that it was stopped */
} writer;

/* The text of a category, or NULL: a number. Missing values are not asked for. */
static const char *category_text(const writer *w, size_t f, float value)
{
    const scarce_schema *schema = scarce_model_schema(w->s->model);
    if (scarce_schema_kind(schema, f) != SCARCE_COLUMN_CATEGORY) return NULL;
    return value < (float)scarce_schema_categories(schema, f)
               ? scarce_schema_category(schema, f, (size_t)value)
               : "(unknown)";
}

static void add_reasons(writer *w, size_t found, const float *value)
{
    for (size_t k = 0; k < w->n_reasons; ++k) {
        const size_t f = w->reasons[k].feature;
        char number[32];
        if (k >= found) {
            add(&w->line, ",,,", 3);
            continue;
        }
        add(&w->line, ",", 1);
        add_field(&w->line, scarce_schema_name(scarce_model_schema(w->s->model), f));
        add(&w->line, ",", 1);
        if (!isnan(value[f])) {
            const char *category = category_text(w, f, value[f]);
            if (!category) float_text(number, value[f]);
            add_field(&w->line, category ? category : number);
        }
        add(&w->line, ",", 1);
        add_number(&w->line, w->reasons[k].contribution);
    }
    add(&w->line, ",", 1);
    add_number(&w->line, w->base);
}

static void csv_row(writer *w, size_t rank, size_t row, const float *value, size_t found)
{
    w->line.n = 0;
    if (w->top) addf(&w->line, "%zu,", rank);
    addf(&w->line, "%zu,", row + 1);
    add_number(&w->line, w->s->score[row]);
    add(&w->line, ",", 1);
    add_number(&w->line, w->s->probability[row]);
    addf(&w->line, ",%d", w->s->alert[row]);
    if (value) add_reasons(w, found, value);
    add(&w->line, "\n", 1);
    if (w->line.failed) w->status = fail_with(&w->error, SCARCE_ENOMEM, "out of memory for a line");
    else w->status = scarce_output_write(w->out, w->line.bytes, w->line.n, &w->error);
}

static void json_reason(const writer *w, const scarce_reason *reason, float value)
{
    const char *category = isnan(value) ? NULL : category_text(w, reason->feature, value);
    char number[32];
    json_open('{');
    json_key("feature"), json_text(scarce_schema_name(scarce_model_schema(w->s->model), reason->feature));
    json_key("value");
    if (isnan(value) || category) json_text(category);
    else float_text(number, value), json_number(strtod(number, NULL));
    json_key("contribution"), json_number(reason->contribution);
    json_close('}');
}

static void json_row(const writer *w, size_t rank, size_t row, const float *value, size_t found)
{
    json_open('{');
    if (w->top) json_key("rank"), json_count(rank);
    json_key("row"), json_count(row + 1);
    json_key("score"), json_number(w->s->score[row]);
    json_key("probability"), json_number(w->s->probability[row]);
    json_key("alert"), json_bool(w->s->alert[row]);
    if (value) {
        json_key("base"), json_number(w->base);
        json_key("reasons"), json_open('[');
        for (size_t k = 0; k < found; ++k) json_reason(w, &w->reasons[k], value[w->reasons[k].feature]);
        json_close(']');
    }
    json_close('}');
}

/* Rows first..first+n-1 of what is written; value and contribution are NULL without reasons. */
static int put_rows(void *payload, size_t first, size_t n, const float *value, const double *contribution)
{
    writer *w = payload;

    for (size_t i = 0; i < n && w->status == SCARCE_OK; ++i) {
        const size_t at = first + i, row = w->top ? w->top[at].row : at;
        const float *values = value ? value + i * w->width : NULL;
        const size_t found =
            value ? scarce_reasons_strongest(contribution + i * w->width, w->width, w->n_reasons, w->reasons)
                  : 0;
        if (w->json) json_row(w, at + 1, row, values, found);
        else csv_row(w, at + 1, row, values, found);
    }
    return w->status != SCARCE_OK;
}

/* The rows to explain, in the order in which they are written; *owned is to be freed. */
static scarce_status rows_to_explain(const scarce_table **out, scarce_table **owned, const writer *w,
                                     size_t n, scarce_context *ctx, scarce_error *err)
{
    uint32_t *rows;
    scarce_status st;

    *owned = NULL;
    *out = w->s->table;
    if (!w->top) return SCARCE_OK;
    rows = malloc((n + 1) * sizeof *rows);
    if (!rows) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu rows", n);
    for (size_t i = 0; i < n; ++i) rows[i] = (uint32_t)w->top[i].row;
    st = scarce_table_rows_of(owned, w->s->table, rows, n, ctx, err);
    free(rows);
    *out = *owned;
    return st;
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
static scarce_status read_background(const scarce_table **out, scarce_table **owned, const scored_data *s,
                                     const score_command *o, scarce_context *ctx, scarce_error *err)
{
    const text_list paths = {(const char **)&o->background, 1};
    scarce_table *file = NULL, *drawn = NULL;
    char *end;
    const unsigned long long n = strtoull(o->background, &end, 10);
    scarce_status st;

    if (!*end) return some_rows(out, owned, s->table, (size_t)n, ctx, err);
    st = read_table(&file, &paths, &o->data, scarce_model_schema(s->model), ctx, err);
    talk_clear();
    if (st == SCARCE_OK) st = some_rows(out, &drawn, file, MOST_BACKGROUND, ctx, err);
    if (st == SCARCE_OK && drawn)
        say("background: %d of the %zu rows of %s", (int)MOST_BACKGROUND, scarce_table_rows(file),
            o->background);
    *owned = drawn ? drawn : file;
    if (drawn) scarce_table_free(file);
    return st;
}

static scarce_status make_explainer(writer *w, const score_command *o, scarce_context *ctx, scarce_error *err)
{
    scarce_explain_options eo = SCARCE_EXPLAIN_OPTIONS_INIT;
    scarce_table *owned = NULL;
    scarce_status st = SCARCE_OK;

    if (o->background) st = read_background(&eo.background, &owned, w->s, o, ctx, err);
    if (st == SCARCE_OK) st = scarce_explainer_new(&w->explainer, w->s->model, &eo, err);
    scarce_table_free(owned); /* the explainer has its copy */
    return st;
}

/* Before anything is written: not every model can be explained. */
static scarce_status prepare_reasons(writer *w, const score_command *o, scarce_context *ctx,
                                     scarce_error *err)
{
    if (w->n_reasons == 0) return SCARCE_OK;
    w->reasons = malloc(w->n_reasons * sizeof *w->reasons);
    if (!w->reasons) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu reasons", w->n_reasons);
    const scarce_status st = make_explainer(w, o, ctx, err);
    if (st == SCARCE_OK) w->base = scarce_explainer_base(w->explainer);
    return st;
}

static scarce_status put_explained(writer *w, size_t n, scarce_context *ctx, scarce_error *err)
{
    const scarce_table *rows = NULL;
    scarce_table *owned = NULL;
    scarce_status st = rows_to_explain(&rows, &owned, w, n, ctx, err);

    if (st == SCARCE_OK) st = scarce_explainer_table(w->explainer, rows, put_rows, w, ctx, err);
    scarce_table_free(owned);
    return st;
}

static scarce_status put_all(writer *w, size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    if (w->n_reasons) st = put_explained(w, n, ctx, err);
    else put_rows(w, 0, n, NULL, NULL);
    if (w->status == SCARCE_OK) return st;
    *err = w->error;
    return w->status;
}

static scarce_status write_csv(writer *w, size_t n, const char *path, scarce_context *ctx, scarce_error *err)
{
    scarce_status st = scarce_output_open(&w->out, path, err);

    if (st == SCARCE_OK) {
        if (w->top) addf(&w->line, "rank,");
        addf(&w->line, "row,score,probability,alert");
        for (size_t k = 1; k <= w->n_reasons; ++k)
            addf(&w->line, ",reason%zu,value%zu,contribution%zu", k, k, k);
        addf(&w->line, w->n_reasons ? ",base\n" : "\n");
        if (w->line.failed) st = fail_with(err, SCARCE_ENOMEM, "out of memory for a line");
        else st = scarce_output_write(w->out, w->line.bytes, w->line.n, err);
    }
    if (st == SCARCE_OK) st = put_all(w, n, ctx, err);
    free(w->line.bytes);
    talk_clear();
    if (st != SCARCE_OK) {
        scarce_output_abort(w->out);
        return st;
    }
    return scarce_output_commit(w->out, err);
}

static scarce_status print_json(writer *w, size_t n, scarce_context *ctx, scarce_error *err)
{
    scarce_status st;
    w->json = 1;
    json_open('[');
    st = put_all(w, n, ctx, err);
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

static scarce_status write_scores(const scored_data *s, const score_command *o, size_t n_reasons,
                                  scarce_context *ctx, scarce_error *err)
{
    writer w;
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
    memset(&w, 0, sizeof w);
    w.s = s;
    w.top = top;
    w.width = scarce_schema_features(scarce_model_schema(s->model));
    w.n_reasons = n_reasons < w.width ? n_reasons : w.width;
    st = prepare_reasons(&w, o, ctx, err);
    if (st == SCARCE_OK && o->common.json && !o->output) st = print_json(&w, n, ctx, err);
    else if (st == SCARCE_OK) st = write_csv(&w, n, o->output ? o->output : "-", ctx, err);
    scarce_explainer_free(w.explainer);
    free(w.reasons);
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

static int check_background(const score_command *o)
{
    char *end;

    if (!o->background) return EXIT_DONE;
    if (!o->explain) return complain(EXIT_USE, "--background is for --explain");
    if (!*o->background) return complain(EXIT_USE, "--background wants a file or a number of rows");
    if (strtoull(o->background, &end, 10) == 0 && !*end)
        return complain(EXIT_USE, "--background wants 1 or more rows");
    return EXIT_DONE;
}

/* Said once, not in every line. */
static void say_no_probability(const scarce_model *model)
{
    const char *why = scarce_model_note(model, "no_probability");

    if (scarce_model_has_probability(model)) return;
    say("probability: n/a, because %s; train with --calibrate platt and validation rows to get one",
        why ? why : "the scores of this model only rank");
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const score_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scored_data s;
    scarce_status st;
    size_t n_reasons;
    budget_rule budget;
    int code;

    if (args->paths.count < 2)
        return complain(EXIT_USE, "a model and data, please (scarce score MODEL DATA)");
    if (o->top == 0) return complain(EXIT_USE, "--top wants 1 or more rows");
    if ((code = parse_reasons(o->explain, &n_reasons)) != EXIT_DONE ||
        (code = check_background(o)) != EXIT_DONE ||
        (code = parse_budget(o->budget, o->live, &budget)) != EXIT_DONE)
        return code;
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    memset(&s, 0, sizeof s);
    st = score_data(&s, &args->paths, &o->data, ctx, &err);
    if (st == SCARCE_OK) st = decide_alerts(&s, s.model, &budget, &err);
    if (st == SCARCE_OK) say_alerts(&s, &budget);
    if (st == SCARCE_OK) say_no_probability(s.model);
    if (st == SCARCE_OK) st = write_scores(&s, o, n_reasons, ctx, &err);
    forget_scored(&s);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_score = {"score",
                               "scores new rows with a model",
                               "MODEL DATA... [-o FILE] [--top K] [--explain N] [--budget K/day]",
                               "Writes CSV: row,score,probability,alert, in input order. Features are "
                               "matched by name, in any column order.\n"
                               "The probability is n/a when the model has none (train with --calibrate).\n"
                               "With --explain come reason1,value1,contribution1,... (the feature, its value "
                               "in this row, and what it added to the\n"
                               "score: strongest first) and base, where every score begins; fields are empty "
                               "where nothing else contributed.\n"
                               "With --background what isn't known is taken from these rows: \"compared with "
                               "them\".\n\n"
                               "  scarce score fraud.scarce today.csv --top 100 --explain 5\n"
                               "  scarce score fraud.scarce today.csv --time tx_time --budget 100/day\n",
                               specs,
                               sizeof specs / sizeof specs[0],
                               sizeof(score_command),
                               data_option_specs,
                               offsetof(score_command, data),
                               0,
                               defaults,
                               run};
