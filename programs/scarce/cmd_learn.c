/* SPDX-License-Identifier: Apache-2.0 */
/* scarce learn DATA... -o MODEL: one pass over a stream, scoring each row before its label teaches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

#define DEFAULT_METHOD "onlb"

#define AT(f) offsetof(learn_command, f)
static const option_spec specs[] = {
    {"--method", "NAME", OPTION_TEXT, AT(method),
     "what learns: a method of the family online (scarce methods; default: " DEFAULT_METHOD ")"},
    {"-o", "MODEL", OPTION_TEXT, AT(output),
     "where the model goes; it scores like any other, and can go on learning"},
    {"--set", "KEY=VALUE", OPTION_LIST, AT(set),
     "a parameter of the method (repeatable; --KEY VALUE works too)"},
    {"--config", "FILE", OPTION_TEXT, AT(config), "parameters from a file of key = value lines"},
    {"--classes", "A,B,...", OPTION_COMMAS, AT(classes),
     "the values of a label with more than two, all that may come (3 to 64; onlb): a row of another is "
     "counted\n"
     "                             and not learnt; scores are about --positive (default: the last)"},
    {"--from", "FILE", OPTION_TEXT, AT(from), "go on from this model: DATA are further rows"},
    {"--resume", "CHECKPOINT", OPTION_TEXT, AT(resume),
     "go on from an interrupted learning: DATA are the same files, the rows that were taken are passed over"},
    {"--checkpoint", "FILE", OPTION_TEXT, AT(checkpoint),
     "where checkpoints go; with it a kill at any point costs little"},
    {"--checkpoint-every", "N", OPTION_COUNT, AT(checkpoint_every),
     "rows between checkpoints (default: 100000)"},
    {"--delay", "SPAN", OPTION_TEXT, AT(delay),
     "labels are known so long after the row's --time (7d, 12h; default: at once)"},
    {"--label-time", "COL", OPTION_TEXT, AT(label_time),
     "or when they are known: a column of numbers in the unit of --time; empty: never"},
    {"--early", "COL", OPTION_TEXT, AT(early),
     "rows that were looked into (a number other than 0): their labels come after --early-delay"},
    {"--early-delay", "SPAN", OPTION_TEXT, AT(early_delay), "(default: at once)"},
    {"--early-weight", "W", OPTION_REAL, AT(early_weight),
     "what such a row weighs beside others (default: 1)"},
    {"--max-pending", "N", OPTION_COUNT, AT(max_pending),
     "rows that wait for their labels at most (default: 1000000); what is more is dropped, and told"},
    {"--flush", NULL, OPTION_FLAG, AT(flush), "at the end, learn the rows whose labels are not due yet"},
    {"--adapt", "HOW", OPTION_TEXT, AT(adapt),
     "when the loss rises: none (default), restart-weakest (one learner begins anew), decay (larger steps "
     "again)"},
    {"--every", "N", OPTION_COUNT, AT(every), "rows between lines of the table (default: 100000)"},
    {"--window", "N", OPTION_COUNT, AT(window),
     "figures are of the latest N rows with a label (default: 100000)"},
    {"--top", "K", OPTION_COUNT, AT(top), "card precision looks at K cards a day (default: 100)"},
    {"--predictions", "FILE", OPTION_TEXT, AT(predictions),
     "a CSV of every row's score, given before its label was known: row,score (with --classes also\n"
     "                             class,class_probability)"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report),
     "one page: the curves of the figures, counts, settings"},
};

/* ---- beginning */

static scarce_status set_params(learning *w, const parsed *args, scarce_error *err)
{
    scarce_status st = scarce_params_of_spec(&w->params, w->o->method ? w->o->method : DEFAULT_METHOD, err);
    char name[128];

    if (st == SCARCE_OK && w->o->config) {
        st = scarce_params_read(w->params, w->o->config, err);
        if (st == SCARCE_EPARSE) err->code = SCARCE_EINVAL;
    }
    for (size_t i = 0; st == SCARCE_OK && i < w->o->set.count; ++i)
        st = scarce_params_set_list(w->params, w->o->set.items[i], '\0', err);
    for (size_t i = 0; st == SCARCE_OK && i < args->n_loose; ++i) {
        loose_name(name, sizeof name, args->loose[i].name);
        st = scarce_params_set(w->params, name, args->loose[i].value, err);
    }
    return st;
}

static scarce_status take_length(double *out, const char *option, const char *span, scarce_error *err)
{
    *out = 0;
    if (!span || scarce_time_length(span, out)) return SCARCE_OK;
    return fail_with(err, SCARCE_EINVAL, "%s \"%.40s\" is no span of time (7d, 12h, 3600)", option, span);
}

static scarce_status set_options(learning *w, scarce_error *err)
{
    static const char *const ways[] = {"none", "restart-weakest", "decay"};
    const learn_command *o = w->o;
    scarce_learner_options *l = &w->learn;
    scarce_status st = take_length(&l->delay, "--delay", o->delay, err);

    if (st == SCARCE_OK) st = take_length(&l->early_delay, "--early-delay", o->early_delay, err);
    if (st != SCARCE_OK) return st;
    if (o->label_time) w->exact[w->n_exact] = o->label_time, l->label_time = (int)w->n_exact++;
    if (o->early) w->exact[w->n_exact] = o->early, l->early = (int)w->n_exact++;
    l->early_weight = o->early_weight;
    if (o->max_pending) l->max_pending = (size_t)o->max_pending;
    if (o->window) l->window = (size_t)o->window;
    if (o->top) l->top = (size_t)o->top;
    for (int i = 0; o->adapt && i < 3; ++i)
        if (strcmp(o->adapt, ways[i]) == 0) {
            l->adapt = (scarce_adapt)i;
            return SCARCE_OK;
        }
    return o->adapt ? fail_with(err, SCARCE_EINVAL, "--adapt %.40s is none of none, restart-weakest, decay",
                                o->adapt)
                    : SCARCE_OK;
}

/* From a model: its schema reads the rows. */
static scarce_status go_on(learning *w, scarce_error *err)
{
    const char *path = w->o->resume ? w->o->resume : w->o->from;
    scarce_status st;

    if (!path) return SCARCE_OK;
    st = scarce_model_load(&w->began, path, err);
    if (st == SCARCE_OK) st = scarce_learner_go_on(&w->learner, w->began, &w->learn, w->ctx, err);
    if (st != SCARCE_OK || !w->o->resume) return st;
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    st = scarce_learner_get_status(&s, w->learner, err);
    w->to_skip = s.rows;
    if (st == SCARCE_OK && s.rows == 0)
        return fail_with(
            err, SCARCE_EINVAL,
            "%.200s is a finished model, no checkpoint (--from goes on from it with further rows)", path);
    if (st == SCARCE_OK) say("going on after %llu rows", (unsigned long long)s.rows);
    return st;
}

static scarce_status open_stream(learning *w, const parsed *args, scarce_error *err)
{
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    const scarce_schema *schema = w->began ? scarce_model_schema(w->began) : NULL;
    scarce_status st = set_read_options(&ro, &w->o->data, schema, err);

    ro.exact = (scarce_names){w->exact, w->n_exact};
    ro.classes = (scarce_names){w->o->classes.items, w->o->classes.count};
    if (st == SCARCE_OK && w->o->predictions) st = scarce_output_open(&w->scores, w->o->predictions, err);
    if (st == SCARCE_OK)
        st = scarce_stream_open(&w->stream, args->paths.items, args->paths.count, &ro, w->ctx, err);
    return st;
}

/* ---- rows */

static scarce_status save_checkpoint(learning *w, scarce_error *err)
{
    return w->o->checkpoint ? scarce_learner_checkpoint(w->learner, w->o->checkpoint, err) : SCARCE_OK;
}

/* Rows up to the next line of the table, checkpoint, or end of the block: these do not depend on blocks. */
static size_t next_stop(const learning *w, uint64_t at, size_t left)
{
    const uint64_t every = (uint64_t)w->every, keep = (uint64_t)w->keep_every;
    uint64_t n = every - at % every;
    if (w->o->checkpoint && keep - at % keep < n) n = keep - at % keep;
    return n < left ? (size_t)n : left;
}

/* The header where nothing is written yet; classes: of each row, NULL: two. */
static scarce_status write_scores(const learning *w, const double *score, const double *classes, size_t n,
                                  scarce_error *err)
{
    const line_format f = {.schema = scarce_learner_schema(w->learner), .full = 1, .n_classes = w->n_classes};
    scarce_status st = SCARCE_OK;
    text t = {NULL, 0, 0, 0};

    if (w->rows == 0) {
        text_addf(&t, "row,score");
        if (classes) classes_header(&t, &f);
        text_add(&t, "\n", 1);
    }
    for (size_t i = 0; i < n; ++i) {
        text_addf(&t, "%llu,", (unsigned long long)(w->rows + i + 1));
        text_number(&t, score[i], 1);
        if (classes) add_classes(&t, &f, classes + i * w->n_classes);
        text_add(&t, "\n", 1);
    }
    if (t.failed) st = fail_with(err, SCARCE_ENOMEM, "out of memory for %zu lines", n);
    else st = scarce_output_write(w->scores, t.bytes, t.n, err);
    free(t.bytes);
    return st;
}

static scarce_status take_piece(learning *w, const scarce_table *block, size_t first, size_t n,
                                scarce_error *err)
{
    const scarce_view_options vo = {sizeof vo, first, n, NULL, NULL, 0};
    const int many = w->n_classes > 2;
    double *score = w->scores ? malloc(n * sizeof *score) : NULL;
    double *classes = w->scores && many ? malloc(n * w->n_classes * sizeof *classes) : NULL;
    scarce_table *part = NULL;
    scarce_status st = w->scores && (!score || (many && !classes))
                           ? fail_with(err, SCARCE_ENOMEM, "out of memory")
                           : scarce_table_view(&part, block, &vo, err);

    if (st == SCARCE_OK) st = scarce_learner_block_classes(w->learner, part, 0, score, classes, err);
    if (st == SCARCE_OK && score) st = write_scores(w, score, classes, n, err);
    scarce_table_free(part);
    free(score);
    free(classes);
    w->rows += n;
    if (st == SCARCE_OK && w->rows % (uint64_t)w->every == 0) st = learn_line(w, err);
    if (st == SCARCE_OK && w->o->checkpoint && w->rows % (uint64_t)w->keep_every == 0)
        st = save_checkpoint(w, err);
    return st;
}

static scarce_status take_block(learning *w, const scarce_table *block, scarce_error *err)
{
    const size_t n = scarce_table_rows(block);
    size_t at = 0;
    scarce_status st = SCARCE_OK;

    if (!w->learner) {
        say_table(block);
        st = scarce_learner_new(&w->learner, w->params, scarce_stream_schema(w->stream), &w->learn, w->ctx,
                                err);
    }
    if (st != SCARCE_OK) return st;
    w->n_classes = scarce_learner_n_classes(w->learner);
    if (w->to_skip) {
        at = n < w->to_skip ? n : (size_t)w->to_skip;
        w->to_skip -= at;
        w->rows += at;
    }
    while (st == SCARCE_OK && at < n && !interrupted()) {
        const size_t step = next_stop(w, w->rows, n - at);
        st = take_piece(w, block, at, step, err);
        at += step;
    }
    return st;
}

static scarce_status learn_all(learning *w, scarce_error *err)
{
    scarce_table *block = NULL;
    scarce_status st;

    w->begun = seconds_now();
    while ((st = scarce_stream_next(w->stream, &block, err)) == SCARCE_OK && block && !interrupted()) {
        st = take_block(w, block, err);
        scarce_table_free(block);
        block = NULL;
        if (st != SCARCE_OK) return st;
    }
    scarce_table_free(block);
    if (st == SCARCE_ECANCEL) st = SCARCE_OK;
    if (st != SCARCE_OK) return st;
    if (!w->learner) return fail_with(err, SCARCE_EDATA, "there are no rows");
    if (w->to_skip)
        return fail_with(err, SCARCE_EDATA,
                         "the checkpoint is of %llu rows more than DATA hold: are they the same files?",
                         (unsigned long long)w->to_skip);
    return SCARCE_OK;
}

static scarce_status finish(learning *w, scarce_error *err)
{
    scarce_model *model = NULL;
    scarce_status st = save_checkpoint(w, err);

    if (st != SCARCE_OK || interrupted()) return st;
    if (w->scores) {
        st = scarce_output_commit(w->scores, err);
        w->scores = NULL;
    }
    if (st == SCARCE_OK && w->o->flush) st = scarce_learner_flush(w->learner, err);
    if (st == SCARCE_OK) st = learn_end(w, err);
    if (st == SCARCE_OK) st = scarce_learner_model(&model, w->learner, err);
    if (st == SCARCE_OK && w->o->output) st = scarce_model_save(model, w->o->output, err);
    if (st == SCARCE_OK && w->o->report) st = learn_page(w, model, err);
    scarce_model_free(model);
    return st;
}

/* ---- the command */

static int check_params(const learn_command *o, const parsed *args)
{
    const size_t method = scarce_method_find(o->method ? o->method : DEFAULT_METHOD);
    scarce_param_info *params;
    int code;

    if (method == SIZE_MAX || args->n_loose == 0) return EXIT_DONE;
    const size_t n = scarce_method_get(method).n_params;
    params = malloc((n + 1) * sizeof *params);
    if (!params) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; i < n; ++i) params[i] = scarce_method_param(method, i);
    code = check_loose(&command_learn, args, params, n);
    free(params);
    return code;
}

static int check_use(const learn_command *o, const parsed *args)
{
    const int goes_on = o->from || o->resume;
    int code = check_params(o, args);

    if (code != EXIT_DONE) return code;
    if (args->paths.count == 0) return complain(EXIT_USE, "which data? (scarce learn DATA -o MODEL)");
    if (!o->output && !o->report && !o->common.json && !o->checkpoint)
        return complain(EXIT_USE, "where does the model go? (-o MODEL)");
    if (o->predictions && o->resume)
        return complain(EXIT_USE, "--predictions are of all rows: with --resume those before are not known");
    if (o->from && o->resume) return complain(EXIT_USE, "--from and --resume exclude each other");
    if (goes_on && o->classes.count)
        return complain(EXIT_USE, "the classes are those of the model that goes on: leave --classes out");
    if (goes_on && (o->method || o->set.count || o->config || args->n_loose))
        return complain(EXIT_USE, "method and parameters are those of the model that goes on");
    if (o->delay && o->label_time) return complain(EXIT_USE, "--delay and --label-time exclude each other");
    if ((o->early_delay || o->early_weight != 1) && !o->early)
        return complain(EXIT_USE, "--early-delay and --early-weight need --early COL");
    if ((o->delay || o->label_time || o->early) && !o->data.time && !goes_on)
        return complain(EXIT_USE, "labels that come late need the time of the rows (--time COL)");
    code = check_report(o->report);
    return code == EXIT_DONE ? check_output(o->output) : code;
}

static void forget(learning *w)
{
    scarce_output_abort(w->scores);
    scarce_learner_free(w->learner);
    scarce_stream_close(w->stream);
    scarce_model_free(w->began);
    scarce_params_free(w->params);
    free(w->lines);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    learning w;
    int code = check_use(options, args);

    if (code != EXIT_DONE) return code;
    memset(&w, 0, sizeof w);
    w.o = options;
    w.ctx = ctx;
    w.paths = &args->paths;
    w.learn = (scarce_learner_options)SCARCE_LEARNER_OPTIONS_INIT;
    w.every = w.o->every ? w.o->every : 100000;
    w.keep_every = w.o->checkpoint_every ? w.o->checkpoint_every : 100000;
    if (set_params(&w, args, &err) || set_options(&w, &err) || go_on(&w, &err) ||
        open_stream(&w, args, &err) || learn_all(&w, &err) || finish(&w, &err))
        code = complain_status(&err);
    else if (interrupted() && w.o->checkpoint)
        code = complain(EXIT_INTERRUPTED,
                        "interrupted after %llu rows; go on with the same command and --resume %s",
                        (unsigned long long)w.rows, w.o->checkpoint);
    else if (interrupted())
        code = complain(EXIT_INTERRUPTED,
                        "interrupted after %llu rows, nothing was written (--checkpoint FILE keeps it)",
                        (unsigned long long)w.rows);
    forget(&w);
    return code;
}

static void defaults(void *options)
{
    learn_command *o = options;
    o->early_weight = 1;
}

const command command_learn = {
    "learn",
    "learns from a stream, row by row, scoring each first",
    "DATA... [--method NAME] -o MODEL [options]",
    "DATA is a path, - for stdin, or several paths in the order of time (csv, tsv, libsvm; also .gz, .zst). "
    "Files are read\n"
    "block by block: memory does not grow with them. Rows are scored before their labels are learnt, so the "
    "figures are\n"
    "those of rows the model had not seen.\n\n"
    "  scarce learn pay.csv --label fraud --time tx_time --group card --delay 7d -o fraud.scarce\n"
    "  scarce learn june.csv --from fraud.scarce --delay 7d -o fraud2.scarce\n"
    "  scarce learn calls.csv --label reason --classes bill,move,fault,other -o calls.scarce\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(learn_command),
    data_option_specs,
    offsetof(learn_command, data),
    1,
    defaults,
    run};
