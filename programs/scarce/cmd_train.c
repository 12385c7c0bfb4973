/* SPDX-License-Identifier: Apache-2.0 */
/* scarce train DATA --method M -o MODEL */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

#define DEFAULT_METHOD "gb"

typedef struct train_command {
    common_options common;
    data_options data;
    const char *method, *output, *config, *metric, *calibrate, *threshold, *resample, *resume, *report, *cost,
        *budget, *on_disk;
    text_list set, valid;
    double valid_fraction;
    long early_stop, checkpoint_every;
} train_command;

#define AT(f) offsetof(train_command, f)
static const option_spec specs[] = {
    {"--method", "NAME", OPTION_TEXT, AT(method),
     "what learns (scarce methods lists them; default: " DEFAULT_METHOD ")"},
    {"-o", "MODEL", OPTION_TEXT, AT(output), "where the model goes"},
    {"--set", "KEY=VALUE", OPTION_LIST, AT(set),
     "a parameter of the method (repeatable; --KEY VALUE works too)"},
    {"--config", "FILE", OPTION_TEXT, AT(config), "parameters from a file of key = value lines"},
    {"--valid", "DATA", OPTION_LIST, AT(valid),
     "validation rows: early stopping, calibration and threshold look at them only"},
    {"--valid-fraction", "F", OPTION_REAL, AT(valid_fraction),
     "or this share of the training rows: the latest with --time, else a stratified draw"},
    {"--early-stop", "N", OPTION_COUNT, AT(early_stop),
     "stop after N iterations without a better --metric on the validation rows, or without\n                 "
     "            such rows by the loss outside the bags (--subsample below 1)"},
    {"--metric", "NAME", OPTION_TEXT, AT(metric), "what is watched (default: ap)"},
    {"--calibrate", "HOW", OPTION_TEXT, AT(calibrate),
     "platt, shift, isotonic or beta, on the validation rows; prior; none (docs/deciding.md)"},
    {"--threshold", "RULE", OPTION_TEXT, AT(threshold),
     "f1, gmean, cost:C, budget:K, budget:K/day, value:X, on the validation rows (default: f1;\n"
     "                             without such rows as many alerts as there are positives)"},
    {"--cost", "C[/MISS]", OPTION_TEXT, AT(cost),
     "what checking an alert costs: the threshold is then that of --threshold cost:C"},
    {"--budget", "K[/day]", OPTION_TEXT, AT(budget),
     "how many alerts can be checked: the threshold is then that of --threshold budget:K"},
    {"--resample", "METHOD[:k=v...]", OPTION_TEXT, AT(resample),
     "resample the training rows first, e.g. random-under:ratio=0.1"},
    {"--resume", "CHECKPOINT", OPTION_TEXT, AT(resume), "go on from an interrupted training"},
    {"--checkpoint-every", "N", OPTION_COUNT, AT(checkpoint_every), "save MODEL.part every N iterations"},
    {"--define", "FILE", OPTION_TEXT, AT(data.define),
     "how the rows were made (scarce features): the model remembers it, and refuses rows made otherwise"},
    {"--on-disk", "FOLDER", OPTION_TEXT, AT(on_disk),
     "keep the rows in a temporary file there instead of memory (docs/scale.md). By itself, in $TMPDIR, "
     "when\n"
     "                             --memory would hardly hold DATA"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), "one page: learning curve, importances, settings"},
};

typedef struct work {
    const train_command *o;
    scarce_context *ctx;
    scarce_table *table, *valid;
    scarce_params *params;
    scarce_model *model, *resumed;
    scarce_train_options train;
    scarce_train_summary summary;
    char *part;              /* path of the checkpoint */
    struct stat part_before; /* what was there: st_mode 0: nothing */
    double seconds_load, seconds_total;
    scarce_metrics metrics; /* of the validation rows */
    scarce_definitions *definitions;
    int is_far; /* the rows are on disk, and there is no table */
    far_rows far;
} work;

static scarce_status set_params(work *w, const parsed *args, scarce_error *err)
{
    const char *method = w->o->method ? w->o->method : DEFAULT_METHOD;
    scarce_status st = scarce_params_of_spec(&w->params, method, err);
    char name[128];

    if (st == SCARCE_OK && w->o->config) {
        st = scarce_params_read(w->params, w->o->config, err);
        if (st == SCARCE_EPARSE) err->code = SCARCE_EINVAL; /* wrong use, not wrong data */
    }
    for (size_t i = 0; st == SCARCE_OK && i < w->o->set.count; ++i)
        st = scarce_params_set_list(w->params, w->o->set.items[i], '\0', err);
    for (size_t i = 0; st == SCARCE_OK && i < args->n_loose; ++i) {
        loose_name(name, sizeof name, args->loose[i].name);
        st = scarce_params_set(w->params, name, args->loose[i].value, err);
    }
    if (st == SCARCE_OK && w->o->resample) st = scarce_params_set_resample(w->params, w->o->resample, err);
    return st;
}

/* The latest rows when there is a time, else a stratified (and grouped) draw. */
static scarce_status split_off_valid(work *w, scarce_error *err)
{
    scarce_split split;
    scarce_table *train = NULL;
    scarce_status st;

    memset(&split, 0, sizeof split);
    if (scarce_table_time(w->table)) st = scarce_split_latest(&split, w->table, w->o->valid_fraction, err);
    else st = scarce_split_holdout(&split, w->table, w->o->valid_fraction, 0, w->ctx, err);
    if (st == SCARCE_OK)
        st = scarce_table_rows_of(&w->valid, w->table, split.test, split.n_test, w->ctx, err);
    if (st == SCARCE_OK) st = scarce_table_rows_of(&train, w->table, split.train, split.n_train, w->ctx, err);
    if (st == SCARCE_OK) {
        scarce_table_free(w->table);
        w->table = train;
    }
    scarce_split_deinit(&split);
    return st;
}

/* The features that are learnt from, wherever the rows are. */
static const scarce_schema *schema_of(const work *w)
{
    return w->is_far ? scarce_plan_schema(w->far.plan) : scarce_table_schema(w->table);
}

static void tell_size(const work *w)
{
    uint64_t of_plan = 0;
    const size_t rows =
        w->is_far ? (size_t)scarce_plan_rows(w->far.plan, &of_plan) : scarce_table_rows(w->table);
    const size_t positives = w->is_far ? (size_t)of_plan : scarce_table_positives(w->table);
    const size_t features = scarce_schema_features(schema_of(w));
    const int threads = scarce_context_threads(w->ctx);

    if (w->is_far)
        say("rows are kept on disk, %zu bytes each: label %s, positive %s",
            scarce_plan_row_bytes(w->far.plan), scarce_schema_label(schema_of(w)),
            scarce_schema_positive(schema_of(w)));
    say("%zu rows, %zu feature%s, %zu positive%s (%.3g %%); %d thread%s, seed %llu", rows, features,
        features == 1 ? "" : "s", positives, positives == 1 ? "" : "s",
        100.0 * (double)positives / (double)rows, threads, threads == 1 ? "" : "s",
        (unsigned long long)scarce_context_seed(w->ctx));
    if (w->valid)
        say("%zu validation rows, %zu positive%s; watched: %s", scarce_table_rows(w->valid),
            scarce_table_positives(w->valid), scarce_table_positives(w->valid) == 1 ? "" : "s",
            w->o->metric ? w->o->metric : "ap");
}

/* The definitions, and whether these rows can be theirs: before the work, not after it. */
static scarce_status load_definitions(work *w, scarce_error *err)
{
    const scarce_schema *schema = schema_of(w);
    scarce_status st;

    if (!w->o->data.define) return SCARCE_OK;
    st = scarce_definitions_load(&w->definitions, w->o->data.define, err);
    for (size_t i = 0; st == SCARCE_OK && i < scarce_definitions_count(w->definitions); ++i)
        if (scarce_schema_find(schema, scarce_definitions_name(w->definitions, i)) != SIZE_MAX)
            return SCARCE_OK;
    return st != SCARCE_OK
               ? st
               : fail_with(err, SCARCE_EDATA,
                           "no column of the data is defined in %.300s (train on what scarce features wrote)",
                           w->o->data.define);
}

/* A pool has all positives and so many negatives for each. Drawn rows take their bytes three to four times while they
 * come together, so a pool that --memory can't hold is made smaller beforehand, and told; one that was asked for is
 * not (but 50, which can't be told from the default). */
static scarce_status fit_pool(work *w, scarce_error *err)
{
    const double each = 4 * (double)scarce_plan_row_bytes(w->far.plan) + 60;
    uint64_t positives = 0;
    char *pool = NULL, text[32];

    (void)scarce_plan_rows(w->far.plan, &positives);
    if (scarce_params_get(&pool, w->params, "pool", NULL) != SCARCE_OK)
        return SCARCE_OK; /* a method without */
    const double fits = floor(0.7 * memory_limit() / (each * (double)(positives ? positives : 1))) - 1;
    const int usual = strcmp(pool, "50") == 0 && fits < 50;
    scarce_bytes_free(pool);
    if (!usual) return SCARCE_OK;
    (void)snprintf(text, sizeof text, "%.0f", fits > 5 ? fits : 5);
    say("pool=%s: so many negatives are drawn for each positive, since --memory would hardly hold 50", text);
    return scarce_params_set(w->params, "pool", text, err);
}

static scarce_status load_far(work *w, const parsed *args, scarce_error *err)
{
    scarce_status st;

    if (!w->o->on_disk)
        say("the data would hardly fit into --memory: rows are kept in a temporary file (--on-disk says "
            "where)");
    st = read_far(&w->far, &args->paths, &w->o->data, w->params, w->o->on_disk ? w->o->on_disk : "",
                  w->o->valid_fraction, w->ctx, err);
    w->valid = w->far.valid;
    w->far.valid = NULL;
    return st == SCARCE_OK ? fit_pool(w, err) : st;
}

static scarce_status load(work *w, const parsed *args, scarce_error *err)
{
    const double begun = seconds_now();
    scarce_status st;

    if (!w->o->output && !w->o->report && !w->o->common.json) /* before the work, not after it */
        return fail_with(err, SCARCE_EINVAL, "where does the model go? (-o MODEL)");
    w->is_far = w->o->on_disk || too_large(&args->paths);
    if (w->is_far) st = load_far(w, args, err);
    else st = read_table(&w->table, &args->paths, &w->o->data, NULL, w->ctx, err);

    if (st == SCARCE_OK) st = load_definitions(w, err);
    if (st == SCARCE_OK && w->o->valid.count)
        st = read_table(&w->valid, &w->o->valid, &w->o->data, schema_of(w), w->ctx, err);
    else if (st == SCARCE_OK && w->o->valid_fraction > 0 && !w->is_far) st = split_off_valid(w, err);
    if (st == SCARCE_OK && w->o->resume) st = scarce_model_load(&w->resumed, w->o->resume, err);
    w->seconds_load = seconds_now() - begun;
    if (st == SCARCE_OK) {
        tell_size(w);
        if (w->valid && w->table) tell_drift(w->table, w->valid);
    }
    return st;
}

static scarce_status judge_valid(work *w, scarce_error *err)
{
    scarce_metrics_options mo = SCARCE_METRICS_OPTIONS_INIT;
    const budget_rule none = {NULL, 0, SCARCE_BUDGET_OPTIONS_INIT};
    scored_data s;
    scarce_status st;

    memset(&s, 0, sizeof s);
    st = score_table(&s, w->model, w->valid, w->ctx, err);
    mo.threshold = scarce_model_threshold(w->model);
    if (!isnan(mo.threshold)) mo.threshold_on = SCARCE_THRESHOLD_ON_SCORE;
    else if (st == SCARCE_OK) { /* a threshold for each row */ st = decide_alerts(&s, w->model, &none, err);
        mo.alert = s.alert;
    }
    if (st == SCARCE_OK) st = scarce_metrics_compute(&w->metrics, &s.rows, &mo, w->ctx, err);
    forget_scored(&s);
    return st;
}

/* Options of the training, as far as they are known before the data are read. */
static scarce_status set_options(work *w, scarce_error *err)
{
    w->train.early_stop = (int)w->o->early_stop;
    w->train.metric = w->o->metric;
    w->train.calibrate = w->o->calibrate;
    w->train.threshold = w->o->threshold;
    w->train.checkpoint_every = (int)w->o->checkpoint_every;
    w->train.expects_valid = w->o->valid.count || w->o->valid_fraction != 0;
    return scarce_train_check(w->params, &w->train, err);
}

/* A checkpoint that this run wrote or went on from has done its work; any other file of that name is not ours. */
static void remove_part(const work *w)
{
    const struct stat *before = &w->part_before;
    const int resumed = w->o->resume && strcmp(w->o->resume, w->part) == 0;
    struct stat now;
    if (stat(w->part, &now) != 0 || !S_ISREG(now.st_mode)) return;
    if (resumed || !before->st_mode || now.st_ino != before->st_ino ||
        now.st_mtim.tv_sec != before->st_mtim.tv_sec || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
        (void)unlink(w->part);
}

/* May a checkpoint stand there? Only instead of nothing or of another checkpoint. A folder is left to the writing. */
static int may_replace(const char *path, const struct stat *info)
{
    static const char magic[8] = {'S', 'C', 'A', 'R', 'C', 'E', '\r', '\n'};
    char begins[8];
    FILE *file;
    int ours;

    if (!info->st_mode || S_ISDIR(info->st_mode)) return 1;
    file = S_ISREG(info->st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return 0;
    ours = fread(begins, 1, sizeof begins, file) == sizeof begins && memcmp(begins, magic, sizeof magic) == 0;
    fclose(file);
    return ours;
}

static scarce_status plan_checkpoint(work *w, scarce_error *err)
{
    const size_t n = strlen(w->o->output) + 6;

    w->part = malloc(n);
    if (!w->part) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    snprintf(w->part, n, "%s.part", w->o->output);
    if (stat(w->part, &w->part_before) != 0) w->part_before.st_mode = 0;
    if (may_replace(w->part, &w->part_before)) w->train.checkpoint = w->part;
    else if (w->o->checkpoint_every)
        return fail_with(err, SCARCE_EINVAL,
                         "--checkpoint-every would replace %s, which is no checkpoint: choose another -o",
                         w->part);
    return SCARCE_OK;
}

static scarce_status train(work *w, scarce_error *err)
{
    const double begun = seconds_now();
    scarce_status st;

    w->train.valid = w->valid;
    w->train.take = w->is_far ? NULL : &w->table;
    w->train.resume = w->resumed;
    if (w->is_far) st = train_far(&w->model, &w->far, w->params, &w->train, &w->summary, w->ctx, err);
    else st = scarce_train(&w->model, w->table, w->params, &w->train, &w->summary, w->ctx, err);
    talk_clear();
    if (st == SCARCE_OK && w->valid) st = judge_valid(w, err);
    if (st == SCARCE_OK && w->definitions) st = scarce_model_set_definitions(w->model, w->definitions, err);
    if (st == SCARCE_OK && !w->summary.cancelled && w->o->output) {
        st = scarce_model_save(w->model, w->o->output, err);
        if (st == SCARCE_OK) remove_part(w);
    }
    w->seconds_total = seconds_now() - begun + w->seconds_load;
    return st;
}

static scarce_status report_page(const work *w, const parsed *args, scarce_error *err)
{
    scarce_training_view v = SCARCE_TRAINING_VIEW_INIT;
    scarce_report *r = NULL;
    scarce_status st;

    if (!w->o->report || w->summary.cancelled) return SCARCE_OK;
    v.model = w->model, v.table = w->table, v.valid = w->valid, v.summary = &w->summary;
    v.metrics = w->valid ? &w->metrics : NULL;
    v.metric = w->o->metric;
    v.seconds_load = w->seconds_load, v.seconds_total = w->seconds_total;
    st = begin_page(&r, "Training", "", &args->paths, 0, err);
    if (st == SCARCE_OK) st = scarce_page_training(r, &v, w->ctx, err);
    return end_page(r, w->o->report, st, err);
}

static void report_json(const work *w)
{
    const scarce_train_summary *s = &w->summary;
    json_open('{');
    json_key("method"), json_text(scarce_params_method(w->params));
    json_key("rows"), json_count(s->rows);
    json_key("features"), json_count(s->features);
    json_key("positives"), json_count(s->positives);
    json_key("iterations"), json_count(s->iterations);
    json_key("best_iteration"), json_count(s->best_iteration);
    if (s->members)
        json_key("members"), json_count(s->members), json_key("idle_members"), json_count(s->idle_members);
    json_key("seconds"), json_open('{');
    json_key("load"), json_number(w->seconds_load);
    json_key("bin"), json_number(s->seconds_prepare);
    json_key("train"), json_number(s->seconds_train);
    json_key("total"), json_number(w->seconds_total);
    json_close('}');
    json_key("peak_memory_bytes"), json_number(peak_memory_bytes());
    json_key("valid");
    if (w->valid) json_open('{'), print_metrics_json(&w->metrics), json_close('}');
    else json_text(NULL);
    json_key("model"), json_text(w->o->output);
    json_close('}');
    json_end();
}

/* What the method made of many categories, where nobody said what to make. */
static void tell_categories(const scarce_model *model)
{
    const char *what = scarce_model_note(model, "param.categories"),
               *by_data = scarce_model_note(model, "auto");
    if (!what || !by_data || !strstr(by_data, "categories") || strcmp(what, "sets") == 0) return;
    say("categories: columns of more than 30 became numbers: the share of positives among other rows%s "
        "(--set categories=sets keeps them)",
        strcmp(what, "pairs") == 0 ? ", also for pairs of columns" : "");
}

/* What rows held out chose where nobody said: one line of the few parameters that matter. */
static void tell_choice(const scarce_model *model)
{
    const char *by_data = scarce_model_note(model, "auto"),
               *trees = scarce_model_note(model, "param.n_trees"),
               *leaves = scarce_model_note(model, "param.max_leaves"),
               *rate = scarce_model_note(model, "param.learning_rate"),
               *splits = scarce_model_note(model, "param.splits"),
               *categories = scarce_model_note(model, "param.category_splits"),
               *voices = scarce_model_note(model, "voices");
    if (!by_data || !trees || !leaves || !rate || !splits || !strstr(by_data, "n_trees")) return;
    say("chosen by the data: %s trees of %s leaves, rate %s, %s thresholds%s%s (scarce show has all)", trees,
        leaves, rate, splits,
        categories && strcmp(categories, "all") == 0 ? ", every way to split categories" : "",
        voices ? ", in a sum of several kinds" : "");
    if (voices) say("the sum, %s", voices);
}

static void report_text(const work *w)
{
    const scarce_train_summary *s = &w->summary;
    tell_choice(w->model);
    tell_categories(w->model);
    if (s->iterations && s->best_iteration != s->iterations)
        say("best iteration %zu of %zu", s->best_iteration, s->iterations);
    if (s->idle_members)
        say("%zu of %zu members learnt nothing: no split of their sample was worth it", s->idle_members,
            s->members);
    if (w->valid && !w->o->common.quiet) {
        printf("valid: ap %.4f, precision_at_k %.4f, auc_roc %.4f\n", w->metrics.ap,
               w->metrics.precision_at_k, w->metrics.auc_roc);
        tell_meaning(&w->metrics, w->valid, "validation");
        if (!w->o->calibrate && scarce_model_note(w->model, "calibrated"))
            say("probabilities: by %s on the validation rows (--calibrate chooses)",
                scarce_model_note(w->model, "calibrated"));
    }
    const char *rule = scarce_model_note(w->model, "threshold_rule");
    if (!w->valid && !w->o->threshold && !s->cancelled && rule && strncmp(rule, "votes", 5) == 0)
        say("threshold: %s", rule);
    else if (!w->valid && !w->o->threshold && !s->cancelled)
        say("threshold: as many alerts as there are positives, by the training rows (--valid-fraction 0.2 "
            "chooses and "
            "checks it on others)");
    say("loaded in %.2f s, trained in %.2f s%s%s", w->seconds_load, s->seconds_prepare + s->seconds_train,
        w->o->output ? ", saved to " : " (not saved: no -o)", w->o->output ? w->o->output : "");
}

/* Rules that look at a column are refused now, with the option that names it. */
static int check_threshold(const train_command *o)
{
    const char *option = o->cost ? "--cost" : o->budget ? "--budget" : "--threshold";
    const char *value = o->cost ? o->cost : o->budget ? o->budget : o->threshold;
    scarce_threshold_rule rule = SCARCE_THRESHOLD_RULE_INIT;
    scarce_error err = SCARCE_ERROR_INIT;

    if (!o->threshold) return EXIT_DONE;
    if (scarce_threshold_parse(&rule, o->threshold, &err) != SCARCE_OK) {
        if (o->cost)
            return complain(EXIT_USE,
                            "--cost wants what checking an alert costs, 5, or with what a miss costs, 5/200, "
                            "not \"%s\"",
                            value);
        if (o->budget)
            return complain(EXIT_USE,
                            "--budget wants alerts, 100 or 1%%, or alerts per time, 100/day, not \"%s\"",
                            value);
        return complain_status(&err);
    }
    if (rule.kind == SCARCE_THRESHOLD_BUDGET && rule.unit == SCARCE_BUDGET_PER_SPAN && !o->data.time)
        return complain(EXIT_USE, "%s %s needs the time of the rows (--time COL)", option, value);
    if (rule.kind == SCARCE_THRESHOLD_COST && isnan(rule.miss) && !o->data.amount)
        return complain(EXIT_USE, "%s %s needs what a miss costs (--amount COL, or %sALARM/MISS)", option,
                        value, o->cost ? "--cost " : "cost:");
    return EXIT_DONE;
}

static int check_stdin(const train_command *o, const parsed *args)
{
    size_t n = 0;
    for (size_t i = 0; i < args->paths.count; ++i) n += strcmp(args->paths.items[i], "-") == 0;
    for (size_t i = 0; i < o->valid.count; ++i) n += strcmp(o->valid.items[i], "-") == 0;
    return n > 1 ? complain(EXIT_USE, "standard input (-) is named %zu times, it can be read once", n)
                 : EXIT_DONE;
}

/* Parameters given as options of their own; the method's name is checked by scarce_params_new. */
static int check_params(const train_command *o, const parsed *args)
{
    const size_t method = scarce_method_find(o->method ? o->method : DEFAULT_METHOD);
    scarce_param_info *params;
    size_t n;
    int code;

    if (method == SIZE_MAX || args->n_loose == 0) return EXIT_DONE;
    n = scarce_method_get(method).n_params;
    params = malloc((n + 1) * sizeof *params);
    if (!params) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; i < n; ++i) params[i] = scarce_method_param(method, i);
    code = check_loose(&command_train, args, params, n);
    free(params);
    return code;
}

/* Everything that can be refused before the data are read. */
static int check_use(const train_command *o, const parsed *args)
{
    int code = check_params(o, args);

    if (code != EXIT_DONE) return code;
    if (args->paths.count == 0) return complain(EXIT_USE, "which data? (scarce train DATA -o MODEL)");
    if (o->valid.count && o->valid_fraction != 0)
        return complain(EXIT_USE, "--valid and --valid-fraction exclude each other");
    if (o->valid_fraction < 0 || o->valid_fraction >= 1)
        return complain(EXIT_USE, "--valid-fraction wants a share between 0 and 1");
    if (o->early_stop > INT_MAX || o->checkpoint_every > INT_MAX)
        return complain(EXIT_USE, "--early-stop and --checkpoint-every want at most %d iterations", INT_MAX);
    if (o->checkpoint_every && !o->output) return complain(EXIT_USE, "--checkpoint-every needs -o MODEL");
    if ((code = check_stdin(o, args)) != EXIT_DONE || (code = check_threshold(o)) != EXIT_DONE) return code;
    code = check_report(o->report);
    return code != EXIT_DONE ? code : check_output(o->output);
}

/* --cost C and --budget K are the threshold rules of those names, where --threshold says nothing. Returns a text to
 * free, or NULL; *code says what went wrong. */
static char *rule_of(train_command *o, int *code)
{
    const char *name = o->cost ? "cost" : "budget", *value = o->cost ? o->cost : o->budget;
    char *rule;

    *code = EXIT_DONE;
    if (!value) return NULL;
    if (o->threshold || (o->cost && o->budget)) {
        *code =
            complain(EXIT_USE, "--threshold, --cost and --budget all set the threshold: give one of them");
        return NULL;
    }
    rule = malloc(strlen(value) + 16);
    if (!rule) {
        *code = complain(EXIT_FAILED, "out of memory");
        return NULL;
    }
    sprintf(rule, "%s:%s", name, value);
    o->threshold = rule;
    return rule;
}

static int train_as_asked(const train_command *options, parsed *args, scarce_context *ctx)
{
    scarce_error err = SCARCE_ERROR_INIT;
    work w;
    int code = check_use(options, args);

    if (code != EXIT_DONE) return code;
    memset(&w, 0, sizeof w);
    w.o = options;
    w.ctx = ctx;
    w.train = (scarce_train_options)SCARCE_TRAIN_OPTIONS_INIT;
    w.summary = (scarce_train_summary)SCARCE_TRAIN_SUMMARY_INIT;
    w.metrics = (scarce_metrics)SCARCE_METRICS_INIT;
    if (set_params(&w, args, &err) != SCARCE_OK || set_options(&w, &err) != SCARCE_OK ||
        (w.o->output && plan_checkpoint(&w, &err) != SCARCE_OK) || load(&w, args, &err) != SCARCE_OK ||
        train(&w, &err) != SCARCE_OK || report_page(&w, args, &err) != SCARCE_OK)
        code = complain_status(&err);
    else if (w.summary.cancelled && w.train.checkpoint)
        code = complain(EXIT_INTERRUPTED,
                        "interrupted after %zu iterations; go on with the same command and --resume %s",
                        w.summary.iterations, w.part);
    else if (w.summary.cancelled)
        code = complain(EXIT_INTERRUPTED, "interrupted after %zu iterations, nothing was written%s%s",
                        w.summary.iterations, w.part ? ": there is a file that is no checkpoint, " : "",
                        w.part ? w.part : "");
    else if (w.o->common.json) report_json(&w);
    else report_text(&w);
    scarce_definitions_free(w.definitions);
    scarce_model_free(w.model);
    scarce_model_free(w.resumed);
    scarce_params_free(w.params);
    scarce_table_free(w.table);
    scarce_table_free(w.valid);
    forget_far(&w.far);
    scarce_train_summary_deinit(&w.summary);
    free(w.part);
    return code;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    int code;
    char *rule = rule_of(options, &code);

    if (code == EXIT_DONE) code = train_as_asked(options, args, ctx);
    free(rule);
    return code;
}

const command command_train = {
    "train",
    "learns a model from a table",
    "DATA... [--method NAME] -o MODEL [options]",
    "DATA is a path, - for stdin, or several paths that form one table (csv, tsv, libsvm, arff, keel; also "
    ".gz, .zst).\n\n"
    "  scarce train pay.csv --label fraud --time tx_time --valid-fraction 0.2 -o fraud.scarce\n"
    "  scarce train pay.csv --method logistic --set c=0.1 -o fraud.scarce\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(train_command),
    data_option_specs,
    offsetof(train_command, data),
    1,
    NULL,
    run};
