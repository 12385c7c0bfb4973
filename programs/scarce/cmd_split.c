/* SPDX-License-Identifier: Apache-2.0 */
/* scarce split DATA -o TRAIN,TEST: the splits of compare, as files. Lines are copied as they stand, so that
 * nothing is rounded, reordered or quoted anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct split_command {
    common_options common;
    data_options data;
    text_list output;
    const char *train, *gap, *test, *protocol;
    long fold;
    int purge;
} split_command;

#define AT(f) offsetof(split_command, f)
static const option_spec specs[] = {
    {"-o", "TRAIN,TEST", OPTION_COMMAS, AT(output),
     "where the rows go (TRAIN,VALID,TEST for protocols with valid=)"},
    {"--test", "SPAN", OPTION_TEXT, AT(test),
     "the last SPAN of --time tests: 30d, 12h, 2w, or a number in its units"},
    {"--gap", "SPAN", OPTION_TEXT, AT(gap), "left out before it: as long as labels take to arrive"},
    {"--train", "SPAN", OPTION_TEXT, AT(train), "what is older trains, of it the last SPAN (default: all)"},
    {"--protocol", "PROTOCOL", OPTION_TEXT, AT(protocol),
     "instead: a fold of compare: holdout:F, cv:K, temporal:train=30d,gap=7d,test=7d[,valid=..], ..."},
    {"--fold", "N", OPTION_COUNT, AT(fold), "which fold of --protocol (default 1)"},
    {"--purge", NULL, OPTION_FLAG, AT(purge),
     "by time: leave out test rows of groups whose fraud was known when the row came"},
};

static void defaults(void *options)
{
    ((split_command *)options)->fold = 1;
}

static int check_use(const split_command *o, const parsed *args)
{
    if (args->paths.count == 0) return complain(EXIT_USE, "which data? (scarce split DATA -o TRAIN,TEST)");
    if (o->output.count < 2 || o->output.count > 3)
        return complain(EXIT_USE, "where to? -o TRAIN,TEST names two files");
    if (!o->protocol && !o->test)
        return complain(EXIT_USE,
                        "how? --time COL --test 30d tests on the last 30 days; --protocol holdout:0.3 "
                        "on a draw of the rows");
    if (o->protocol && (o->test || o->gap || o->train))
        return complain(EXIT_USE, "--protocol comes instead of --train, --gap and --test");
    if (o->test && !o->data.time)
        return complain(EXIT_USE, "--test %s needs the time of the rows (--time COL)", o->test);
    if (o->fold < 1) return complain(EXIT_USE, "--fold counts from 1");
    return EXIT_DONE;
}

/* The protocol that is asked for; freed by free, NULL without memory. */
static char *protocol_of(const split_command *o)
{
    const size_t room = 64 + (o->protocol ? strlen(o->protocol) : strlen(o->test)) +
                        (o->gap ? strlen(o->gap) : 0) + (o->train ? strlen(o->train) : 0);
    char *text = malloc(room);

    if (!text) return NULL;
    if (o->protocol) snprintf(text, room, "%s", o->protocol);
    else
        snprintf(text, room, "latest:test=%s%s%s%s%s", o->test, o->gap ? ",gap=" : "", o->gap ? o->gap : "",
                 o->train ? ",train=" : "", o->train ? o->train : "");
    return text;
}

/* A file with these rows, not yet under its name. */
static scarce_status write_part(scarce_output **out, const char *path, const scarce_table *t,
                                const uint32_t *rows, size_t n, scarce_error *err)
{
    size_t length;
    const char *header = scarce_table_header(t, &length);
    const char *end = length >= 2 && header[length - 2] == '\r' ? "\r\n" : "\n";
    scarce_status st = scarce_output_open(out, path, err);

    if (st == SCARCE_OK) st = scarce_output_write(*out, header, length, err);
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const char *line = scarce_table_line(t, rows[i], &length);
        st = scarce_output_write(*out, line, length, err);
        if (st == SCARCE_OK) st = scarce_output_write(*out, end, strlen(end), err);
    }
    return st == SCARCE_OK ? scarce_output_flush(*out, err) : st;
}

/* All parts, then all names: a disk that is full must not leave new training rows beside old test rows. */
static scarce_status write_all(const char *const *paths, size_t last, const scarce_table *t,
                               const scarce_fold *f, scarce_error *err)
{
    scarce_output *out[3] = {NULL, NULL, NULL};
    scarce_status st = write_part(&out[0], paths[0], t, f->train, f->n_train, err);

    if (st == SCARCE_OK && last == 2) st = write_part(&out[1], paths[1], t, f->valid, f->n_valid, err);
    if (st == SCARCE_OK) st = write_part(&out[last], paths[last], t, f->test, f->n_test, err);
    for (size_t i = 0; i <= last; ++i) {
        if (st == SCARCE_OK) st = scarce_output_commit(out[i], err);
        else if (out[i]) scarce_output_abort(out[i]);
    }
    return st;
}

static size_t positives_of(const scarce_table *t, const uint32_t *rows, size_t n)
{
    const uint8_t *label = scarce_table_label(t);
    size_t sum = 0;
    for (size_t i = 0; label && i < n; ++i) sum += label[rows[i]];
    return sum;
}

static void tell_part(const char *what, const char *path, const scarce_table *t, const uint32_t *rows,
                      size_t n, double from, double end, int json)
{
    const size_t positives = positives_of(t, rows, n);
    char when[80] = "";

    if (json) {
        json_key(what), json_open('{');
        json_key("file"), json_text(path);
        json_key("rows"), json_count(n);
        if (scarce_table_label(t)) json_key("positives"), json_count(positives);
        if (!isnan(from)) json_key("from"), json_number(from), json_key("end"), json_number(end);
        json_close('}');
        return;
    }
    if (!isnan(from)) scarce_time_span(when, sizeof when, from, end);
    if (scarce_table_label(t))
        say("%-5s %s: %zu row%s, %zu positive%s%s%s", what, path, n, n == 1 ? "" : "s", positives,
            positives == 1 ? "" : "s", *when ? ", " : "", when);
    else say("%-5s %s: %zu row%s%s%s", what, path, n, n == 1 ? "" : "s", *when ? ", " : "", when);
}

static scarce_status write_parts(const split_command *o, const scarce_table *t, const scarce_fold *f,
                                 scarce_error *err)
{
    const size_t last = o->output.count - 1;
    const char *const *paths = o->output.items;
    scarce_status st;

    if (f->n_valid && last == 1)
        return fail_with(err, SCARCE_EINVAL, "the protocol has validation rows: -o TRAIN,VALID,TEST");
    if (!f->n_valid && last == 2)
        return fail_with(err, SCARCE_EINVAL, "there are no validation rows for %.200s: -o TRAIN,TEST",
                         paths[1]);
    st = write_all(paths, last, t, f, err);
    if (st != SCARCE_OK) return st;
    if (o->common.json) json_open('{');
    tell_part("train", paths[0], t, f->train, f->n_train, f->times.train_from, f->times.train_end,
              o->common.json);
    if (last == 2)
        tell_part("valid", paths[1], t, f->valid, f->n_valid, (double)NAN, (double)NAN, o->common.json);
    tell_part("test", paths[last], t, f->test, f->n_test, f->times.test_from, f->times.test_end,
              o->common.json);
    if (o->common.json) json_close('}'), json_end();
    return SCARCE_OK;
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    split_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    scarce_fold fold;
    char *protocol;
    scarce_status st;
    int code = check_use(o, args);

    if (code != EXIT_DONE) return code;
    protocol = protocol_of(o);
    if (!protocol) return complain(EXIT_FAILED, "out of memory");
    memset(&fold, 0, sizeof fold);
    o->data.keep_lines = 1;
    o->data.label_optional = 1;
    o->data.keep_all = o->data.no_talk = 1;
    st = read_table(&table, &args->paths, &o->data, NULL, ctx, &err);
    talk_clear();
    if (st == SCARCE_OK && !scarce_table_header(table, NULL))
        st = fail_with(&err, SCARCE_EUNSUPPORTED,
                       "%.200s: LIBSVM files can't be split, their lines are not kept (compare, and train "
                       "--valid-fraction, split them inside)",
                       args->paths.items[0]);
    if (st == SCARCE_OK)
        st = scarce_fold_make(&fold, table, protocol, (size_t)o->fold - 1, o->purge, ctx, &err);
    if (st == SCARCE_OK) st = write_parts(o, table, &fold, &err);
    scarce_fold_deinit(&fold);
    scarce_table_free(table);
    free(protocol);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_split = {
    "split",
    "cuts a table into train and test files by time, group or at random",
    "DATA... --time COL --test SPAN [--gap SPAN] [--train SPAN] -o TRAIN,TEST",
    "Lines are copied as they stand in DATA. With --group and --protocol holdout or cv whole groups go to "
    "one side.\n\n"
    "  scarce split pay.csv --time tx_time --gap 7d --test 30d -o train.csv,test.csv\n"
    "  scarce split pay.csv --label fraud --group card --protocol holdout:0.3 -o train.csv,test.csv\n"
    "  scarce split pay.csv --time tx_time --protocol temporal:train=30d,gap=7d,test=7d --fold 2 -o "
    "train.csv,test.csv\n",
    specs,
    sizeof specs / sizeof specs[0],
    sizeof(split_command),
    data_option_specs,
    offsetof(split_command, data),
    0,
    defaults,
    run};
