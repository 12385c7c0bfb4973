/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: options from tables, talk to stderr, results to stdout, exit codes.
 *
 * A command is one file cmd_<name>.c that fills a `command`, and one line in main.c. It uses nothing of
 * the library but <scarce/scarce.h>. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <scarce/scarce.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USE = 2, EXIT_DATA = 3, EXIT_INTERRUPTED = 130, EXIT_PIPE = 141 };

/* ---- options */

typedef enum option_type {
    OPTION_FLAG,  /* int, set to 1 */
    OPTION_TEXT,  /* const char * */
    OPTION_COUNT, /* long, whole and not negative */
    OPTION_REAL,  /* double */
    OPTION_LIST,  /* text_list: repeatable */
    OPTION_COMMAS /* text_list: repeatable, and each value is a list a,b,c */
} option_type;

typedef struct text_list {
    const char **items;
    size_t count;
} text_list;

typedef struct option_spec {
    const char *name;     /* "--label" or "-o" */
    const char *argument; /* "COL"; NULL for a flag */
    option_type type;
    size_t offset; /* in the command's struct */
    const char *help;
} option_spec;

typedef struct common_options {
    long threads; /* 0: all */
    double seed;
    int quiet, verbose, json, help;
    const char *memory; /* "4G"; NULL: no limit */
} common_options;

typedef struct data_options {
    const char *format;
    int no_header;
    const char *label, *positive, *weight, *time, *group, *amount, *cost_column;
    text_list ignore, categorical, numeric, missing;
    text_list keep; /* texts that travel with the rows; of commands that have --keep */
    int keep_lines; /* the lines too */
    int label_optional;
    int may_be_empty; /* set by commands for which a file without rows is fine: the table is NULL */
    const char *separator, *decimal, *date_order, *time_format;
    text_list use;
    int keep_all;       /* set by commands that must not leave out columns: what they write goes on */
    const char *define; /* definitions of features, for commands with --define: those of the model? */
    int no_talk;        /* set by commands that say nothing of what was understood */
} data_options;

/* An option that no table has: a command may take it as a method's parameter (--n-trees 50). Its value is
 * NULL when the line ends before it. */
typedef struct loose_option {
    const char *name, *value;
} loose_option;

enum { MAX_OPTIONS = 96 }; /* of one command, all tables together */

typedef struct parsed {
    text_list paths; /* what isn't an option */
    loose_option *loose;
    size_t n_loose;
    const option_spec *given[MAX_OPTIONS]; /* what may come once only */
    size_t n_given;
} parsed;

typedef struct command {
    const char *name, *summary, *usage;
    const char *about; /* a paragraph and examples for --help, or NULL */
    const option_spec *options;
    size_t n_options;
    size_t options_size;     /* of the struct; common_options come first in it */
    const option_spec *data; /* data options at data_offset, or NULL */
    size_t data_offset;
    int takes_loose;                 /* unknown --options with a value are kept */
    void (*defaults)(void *options); /* for what isn't 0 or NULL when not given; may be NULL */
    int (*run)(void *options, parsed *args, scarce_context *ctx);
} command;

extern const command command_methods, command_train, command_score, command_eval, command_resample,
    command_simulate, command_show, command_convert, command_compare, command_tune, command_doctor,
    command_split, command_distil, command_transform, command_learn, command_features, command_rules;

extern const option_spec data_option_specs[];
extern const size_t n_data_option_specs;

/* Fills the command's own struct; an exit code other than EXIT_DONE after a complaint. */
int parse_options(const command *cmd, int argc, char **argv, void *options, parsed *out);
void print_help(const command *cmd);
/* Table t of a command's options with its title: its own, of the data, common ones; NULL: no more. */
const option_spec *option_table(const command *cmd, int t, size_t *n, const char **title);
/* For the build: a man page (NULL: that of the program), a completion. Exit codes. */
int print_manual(const command *const *commands, size_t n, const char *name);
int print_completion(const command *const *commands, size_t n, const char *shell);
void forget_options(const command *cmd, void *options, parsed *args);

/* The name of a loose option as a parameter: "--n-trees" becomes "n_trees". */
void loose_name(char *out, size_t size, const char *option);

/* Loose options must be parameters of the n described: an exit code other than EXIT_DONE after a complaint
 * that names the nearest option or parameter. */
int check_loose(const command *cmd, const parsed *args, const scarce_param_info *params, size_t n);

/* ---- talk */

void set_command_name(const char *name); /* "score", for messages */

/* "scarce train: TEXT" on stderr; returns `code`. */
int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for an error of the library, with the exit code that fits it. */
int complain_status(const scarce_error *err);
/* Is it about an input that isn't there, or is a folder? Then that is told, with the file that was probably
 * meant, and 1 returned. */
int complain_no_file(const scarce_error *err);
/* Unless --quiet. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A name or a category, fit for a terminal (scarce_printable) and cut to some hundred bytes. The text stays until
 * the fourth call after this one. JSON and CSV have escapes of their own. */
const char *shown(const char *text);

void talk_start(const common_options *common);
void talk_log(void *payload, scarce_log_level level, const char *line);
int talk_progress(void *payload, const scarce_progress *progress);
void talk_clear(void); /* ends a progress line */
int interrupted(void); /* Ctrl-C was pressed */

/* Before long work: can a file be written there? NULL and "-" can. A complaint and its exit code if not. */
int check_output(const char *path);
/* The files of all options and paths: outputs are no inputs, not the same twice, and can be written. */
int check_files(const command *cmd, const void *options, const parsed *args);

/* A file of finished fits that this run has no more use for, unless it also holds those of other work. NULL: none. */
void remove_finished(const char *path);
int ends_with(const char *text, const char *end);

/* Exit code after everything was written to stdout. */
int finish_stdout(int code);

double seconds_now(void);
double peak_memory_bytes(void);
/* What --memory says, in bytes; infinite without it. */
double memory_limit(void);

/* An error of the program's own, for complain_status. */
scarce_status fail_with(scarce_error *err, scarce_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- results: JSON to stdout, in order, commas by themselves */

void json_open(char bracket); /* '{' or '[' */
void json_close(char bracket);
void json_key(const char *key);
void json_text(const char *value); /* NULL: null */
void json_number(double value);    /* NaN, inf: null */
void json_count(size_t value);
void json_bool(int value);
void json_end(void); /* newline */

/* Shortest text that reads back as the same double; `text` has room for 32 bytes. Returns its length. */
size_t format_number(char *text, double value);

void print_metrics_json(const scarce_metrics *m);
void print_metrics_table(const scarce_metrics *m);

/* ---- data */

/* What read_table asks the library for. */
scarce_status set_read_options(scarce_read_options *o, const data_options *data, const scarce_schema *schema,
                               scarce_error *err);
/* Reads the paths as one table. With a model's `schema`, roles that aren't named take the columns they
 * had in training, where these are there. */
scarce_status read_table(scarce_table **out, const text_list *paths, const data_options *data,
                         const scarce_schema *schema, scarce_context *ctx, scarce_error *err);

/* The same for tables that are written again: the texts of numbers are kept. */
scarce_status read_table_with_texts(scarce_table **out, const text_list *paths, const data_options *data,
                                    scarce_context *ctx, scarce_error *err);
/* ---- files that memory can't hold (blocks.c) */

int too_large(const text_list *paths); /* would --memory hardly hold these files? */
typedef scarce_status (*block_taker)(void *payload, const scarce_table *block, scarce_context *ctx,
                                     scarce_error *err);
/* Shows all rows to `take`, some thousands at a time; `schema` as for read_table, `of`: rows there are, 0: not known. A row
 * that can't be read is an error, as in a file that is read whole. */
scarce_status for_each_block(const text_list *paths, const data_options *data, const scarce_schema *schema,
                             const char *stage, uint64_t of, block_taker take, void *payload,
                             const scarce_context *ctx, scarce_error *err);

/* ---- training from disk (train_far.c) */

typedef struct far_rows {
    scarce_plan *plan;
    scarce_partition *partition;
    scarce_table *valid; /* rows that were held out; NULL: none */
} far_rows;

/* Reads the files twice, or with a fraction of validation rows three times; the rows go to a temporary file in the folder.
 * To be forgotten in any case. */
scarce_status read_far(far_rows *out, const text_list *paths, const data_options *data,
                       const scarce_params *params, const char *folder, double valid_fraction,
                       scarce_context *ctx, scarce_error *err);
scarce_status train_far(scarce_model **model, const far_rows *rows, const scarce_params *params,
                        const scarce_train_options *options, scarce_train_summary *summary,
                        scarce_context *ctx, scarce_error *err);
void forget_far(far_rows *rows);

/* Which rows are validation rows (far_valid.c): all from a moment on, or those of a set. Zeros: none. */
typedef struct held_out {
    int by_time;
    double from;
    unsigned char *bits;
    uint64_t rows, n; /* of the files, and held out */
} held_out;

/* As --valid-fraction holds them out of a table in memory. To be forgotten in any case. */
scarce_status hold_out(held_out *out, const text_list *paths, const data_options *data, double fraction,
                       scarce_context *ctx, scarce_error *err);
int is_held_out(const held_out *h, const scarce_table *block, size_t row,
                uint64_t number); /* number: of the row in all files, from 0 */
void forget_held_out(held_out *h);

/* Are these the definitions that the model (at that path) was trained with? EDATA where they differ, with the lines to
 * stderr; a model that was trained without definitions says so. */
scarce_status check_definitions_for(const char *model_path, const scarce_definitions *d, scarce_error *err);
/* The same with a model at hand and the definitions in a file; NULL path: nothing is asked. */
scarce_status check_definitions(const scarce_model *model, const char *path, scarce_error *err);
/* What was understood of a table, to stderr unless --quiet. */
void say_table(const scarce_table *table);

/* csv, tsv, ...; NULL: by the file's name. EINVAL for another name. */
scarce_status format_by_name(scarce_format *out, const char *name, scarce_error *err);

/* A model applied to data: everything that score and eval need. */
typedef struct scored_data {
    scarce_model *model;
    scarce_scorer *scorer;
    scarce_table *table;
    double *score, *probability; /* probability is NaN where the model has none */
    scarce_scored rows;
    uint8_t *alert; /* of decide_alerts; NULL: no model and no budget */
    uint32_t *span; /* with a budget: which span a row is in */
    scarce_budget_use use;
    double prevalence; /* set before scoring: probabilities for this share of positives; 0: as in training */
    /* of data that were scored block by block, instead of a table: what `rows` points to */
    uint8_t *label;
    double *weight, *time, *amount;
    int32_t *group;
} scored_data;

/* Categories that came up since the training, counted per feature, and told. */
void count_unknown(size_t *unknown, const scarce_schema *schema, const scarce_table *table);
void say_unknown(const size_t *unknown, const scarce_schema *schema, size_t rows);

/* paths: the model, then the data. */
scarce_status score_data(scored_data *out, const text_list *paths, const data_options *data,
                         scarce_context *ctx, scarce_error *err);
/* The same where memory can't hold the data: what metrics look at is kept, and there is no table (score_blocks.c). */
scarce_status score_data_in_blocks(scored_data *out, const text_list *paths, const data_options *data,
                                   scarce_context *ctx, scarce_error *err);
/* Loads the model of paths[0], which must not be among the data, and compares its definitions with those of the options. */
scarce_status load_model(scarce_model **out, const text_list *paths, const data_options *data,
                         scarce_error *err);
/* The same with a model and a table that stay the caller's. */
scarce_status score_table(scored_data *out, const scarce_model *model, const scarce_table *table,
                          scarce_context *ctx, scarce_error *err);
void forget_scored(scored_data *s);

/* ---- alerts */

/* --budget 100/day [--live]; text is NULL when there is none. */
typedef struct budget_rule {
    const char *text;
    int live;
    scarce_budget_options options;
} budget_rule;

/* An exit code other than EXIT_DONE after a complaint. */
int parse_budget(const char *asked, int live, budget_rule *out);
/* Fills s->alert: by the budget, else by the rule of the model that gave the scores (NULL: none did). */
scarce_status decide_alerts(scored_data *s, const scarce_model *model, const budget_rule *budget,
                            scarce_error *err);
/* How they were chosen, where that isn't plain. */
void say_alerts(const scored_data *s, const budget_rule *budget);
/* How the budget was used, as lines or as a member of a JSON object; nothing without a budget. */
scarce_status print_budget(const scored_data *s, const budget_rule *budget, int json, scarce_error *err);

/* ---- partial dependence of one feature or two; format text, json or csv */

scarce_status print_partial(const scarce_model *model, const scarce_table *table, const text_list *columns,
                            size_t points, const char *format, scarce_context *ctx, scarce_error *err);

/* ---- curves */

/* The threshold of the lowest cost when looking at a row costs `cost` (NaN: nothing is printed). */
scarce_status print_best_cost(const scarce_scored *rows, double cost, int json, scarce_context *ctx,
                              scarce_error *err);
/* The member "curves" of a JSON object. */
scarce_status print_curves(const scarce_scored *rows, const scarce_metrics_options *options,
                           scarce_context *ctx, scarce_error *err);

/* eval --drift: the population stability index of each feature, as lines or as a member of a JSON object. */
scarce_status print_drift(const scarce_model *model, const scarce_table *table, int json, scarce_error *err);

/* ---- sentences of eval */

/* What is no metric of its own; NaN where it isn't known. */
typedef struct eval_extra {
    double ap_lo, ap_hi;  /* 95 % */
    double ap_normalized; /* (AP - share of positives) / (1 - share of positives) */
    double card_ceiling;  /* card precision of a list that knows the truth */
    double seen;          /* share of the rows that the model was trained on, about */
} eval_extra;

scarce_status find_extra(eval_extra *x, const scored_data *s, const scarce_metrics *m,
                         const scarce_metrics_options *mo, scarce_context *ctx, scarce_error *err);
void say_seen(const eval_extra *x); /* a warning, when it is much */
void print_sentences(const scarce_metrics *m, const scarce_metrics_options *mo, const eval_extra *x);
void json_extra(const eval_extra *x); /* members of an object */

/* ---- pages: --report FILE.html */

/* As check_output; standard output is for results, not for pages. */
int check_report(const char *path);

/* A report under this title, for pages.h to fill; `paths` from `from` on ("a, b") are told behind `on` ("model on "). */
scarce_status begin_page(scarce_report **out, const char *title, const char *on, const text_list *paths,
                         size_t from, scarce_error *err);
/* Writes it, unless filling it failed (`st`), and frees it. */
scarce_status end_page(scarce_report *r, const char *path, scarce_status st, scarce_error *err);

/* What a threshold means on the rows it was judged on ("validation", "test"), and a change in the share of positives:
 * sentences for train and eval. */
void tell_meaning(const scarce_metrics *m, const scarce_table *judged, const char *which);
void tell_drift(const scarce_table *train, const scarce_table *valid);

#endif
