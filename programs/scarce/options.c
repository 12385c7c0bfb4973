/* SPDX-License-Identifier: Apache-2.0 */
/* Options from tables: parsing and --help. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define COMMON(f) offsetof(common_options, f)
static const option_spec common_specs[] = {
    {"--threads", "N", OPTION_COUNT, COMMON(threads),
     "threads (default: all cores; results never depend on it)"},
    {"--seed", "N", OPTION_REAL, COMMON(seed), "seed of everything random (default 1)"},
    {"--memory", "SIZE", OPTION_TEXT, COMMON(memory),
     "take no more than this for data and models: 500M, 4G (default: no limit)"},
    {"--json", NULL, OPTION_FLAG, COMMON(json), "stdout is exactly one JSON document"},
    {"--quiet", NULL, OPTION_FLAG, COMMON(quiet), "no progress and no talk"},
    {"--verbose", NULL, OPTION_FLAG, COMMON(verbose), "more talk"},
    {"--help", NULL, OPTION_FLAG, COMMON(help), "this text"},
};
enum { N_COMMON = sizeof common_specs / sizeof common_specs[0] };

#define DATA(f) offsetof(data_options, f)
const option_spec data_option_specs[] = {
    {"--label", "COL", OPTION_TEXT, DATA(label),
     "label column, by name or 1-based number (default: label, class, Class, target, y, else the last)"},
    {"--positive", "VALUE", OPTION_TEXT, DATA(positive),
     "which label is the positive class (default: 1, +1, true, positive, else the rarer)"},
    {"--weight", "COL", OPTION_TEXT, DATA(weight), "case weight"},
    {"--time", "COL", OPTION_TEXT, DATA(time),
     "time of the row: a number, or a date (2018-04-01 12:30, 01.04.2018, 01-Apr-18)"},
    {"--date-order", "ORDER", OPTION_TEXT, DATA(date_order),
     "what comes first in 01/04/2018: dmy, mdy or ymd (default: what all dates agree on)"},
    {"--time-format", "FORMAT", OPTION_TEXT, DATA(time_format),
     "seconds, milliseconds, microseconds, nanoseconds, days, yyyymmdd, dates, ... (default: by itself)"},
    {"--group", "COL", OPTION_TEXT, DATA(group), "entity (card, firm): never on both sides of a split"},
    {"--amount", "COL", OPTION_TEXT, DATA(amount), "money at stake (stays a feature)"},
    {"--cost-column", "COL", OPTION_TEXT, DATA(cost_column),
     "what an error on the row costs: training weighs it (no feature, unless it is also --amount)"},
    {"--ignore", "COL,...", OPTION_COMMAS, DATA(ignore), "columns to leave out"},
    {"--use", "COL,...", OPTION_COMMAS, DATA(use),
     "columns to keep that training would leave out: ids, times known only afterwards"},
    {"--categorical", "COL,...", OPTION_COMMAS, DATA(categorical),
     "columns that are categories though they look like numbers"},
    {"--numeric", "COL,...", OPTION_COMMAS, DATA(numeric),
     "columns that must be numbers: anything else is an error"},
    {"--missing", "TEXT,...", OPTION_COMMAS, DATA(missing),
     "what counts as missing (default: empty, NA, N/A, NULL, None, nan, -, ?, ...; see docs/input.md)"},
    {"--separator", "CHAR", OPTION_TEXT, DATA(separator),
     "between the fields of a CSV: a character or tab (default: of , ; tab | the one that fits)"},
    {"--decimal", "SIGN", OPTION_TEXT, DATA(decimal),
     "decimal sign . or , (default: what the numbers show, else .)"},
    {"--format", "FORMAT", OPTION_TEXT, DATA(format),
     "csv, tsv, libsvm, arff or keel (default: by the file's name)"},
    {"--no-header", NULL, OPTION_FLAG, DATA(no_header),
     "the first line is data; columns are named 1, 2, ..."},
};
const size_t n_data_option_specs = sizeof data_option_specs / sizeof data_option_specs[0];

/* The tables of a command: its own, data, common. */
enum { N_TABLES = 3 };
typedef struct spec_table {
    const option_spec *specs;
    size_t count, base; /* base: where their struct begins */
} spec_table;

static void tables_of(const command *cmd, spec_table tables[N_TABLES])
{
    tables[0] = (spec_table){cmd->options, cmd->n_options, 0};
    tables[1] = (spec_table){cmd->data, cmd->data ? n_data_option_specs : 0, cmd->data_offset};
    tables[2] = (spec_table){common_specs, N_COMMON, 0};
}

static const option_spec *find(const command *cmd, const char *name, size_t *offset)
{
    spec_table tables[N_TABLES];
    tables_of(cmd, tables);
    for (int t = 0; t < N_TABLES; ++t)
        for (size_t i = 0; i < tables[t].count; ++i)
            if (strcmp(tables[t].specs[i].name, name) == 0) {
                *offset = tables[t].base + tables[t].specs[i].offset;
                return &tables[t].specs[i];
            }
    return NULL;
}

/* The option that was probably meant, or NULL. Dashes are left out: they would make all names alike. */
static const char *nearest_option(const command *cmd, const char *name)
{
    const char *names[MAX_OPTIONS], *nearest;
    spec_table tables[N_TABLES];
    size_t n = 0;

    tables_of(cmd, tables);
    for (int t = 0; t < N_TABLES; ++t)
        for (size_t i = 0; i < tables[t].count && n < MAX_OPTIONS; ++i)
            if (tables[t].specs[i].name[1] == '-') names[n++] = tables[t].specs[i].name + 2;
    nearest = scarce_nearest_name(name + strspn(name, "-"), names, n);
    return nearest ? nearest - 2 : NULL;
}

static int complain_unknown(const command *cmd, const char *name)
{
    const char *nearest = nearest_option(cmd, name);
    if (nearest)
        return complain(EXIT_USE, "no option %s, did you mean %s? (scarce %s --help)", name, nearest,
                        cmd->name);
    return complain(EXIT_USE, "no option %s (scarce %s --help)", name, cmd->name);
}

static int add_text(text_list *list, const char *text)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (!grown) return complain(EXIT_FAILED, "out of memory for the options");
    list->items = grown;
    list->items[list->count++] = text;
    return EXIT_DONE;
}

/* Cuts the value in place: argv may be written to. */
static int add_commas(text_list *list, char *value)
{
    for (;;) {
        char *comma = strchr(value, ',');
        if (comma) *comma = '\0';
        if (add_text(list, value) != EXIT_DONE) return EXIT_FAILED;
        if (!comma) return EXIT_DONE;
        value = comma + 1;
    }
}

static int set_number(const option_spec *spec, void *field, const char *value)
{
    char *end = NULL;
    const double x = strtod(value, &end);

    if (end == value || *end || x != x)
        return complain(EXIT_USE, "%s wants a number, not \"%s\"", spec->name, value);
    if (spec->type == OPTION_REAL) {
        *(double *)field = x;
        return EXIT_DONE;
    }
    if (x < 0 || x > 9e15 || x != (double)(long)x)
        return complain(EXIT_USE, "%s wants a whole number from 0 on, not %s", spec->name, value);
    *(long *)field = (long)x;
    return EXIT_DONE;
}

/* Flags and lists may be repeated, everything else comes once. */
static int note_given(parsed *out, const option_spec *spec)
{
    if (spec->type == OPTION_FLAG || spec->type == OPTION_LIST || spec->type == OPTION_COMMAS)
        return EXIT_DONE;
    for (size_t i = 0; i < out->n_given; ++i)
        if (out->given[i] == spec) return complain(EXIT_USE, "%s is given twice: give it once", spec->name);
    if (out->n_given < MAX_OPTIONS) out->given[out->n_given++] = spec;
    return EXIT_DONE;
}

static int set_option(const option_spec *spec, void *field, char *value)
{
    switch (spec->type) {
    case OPTION_FLAG: *(int *)field = 1; return EXIT_DONE;
    case OPTION_TEXT: *(const char **)field = value; return EXIT_DONE;
    case OPTION_LIST: return add_text(field, value);
    case OPTION_COMMAS: return add_commas(field, value);
    case OPTION_COUNT:
    case OPTION_REAL: break;
    }
    return set_number(spec, field, value);
}

static int keep_loose(parsed *out, const char *name, const char *value)
{
    loose_option *grown = realloc(out->loose, (out->n_loose + 1) * sizeof *grown);
    if (!grown) return complain(EXIT_FAILED, "out of memory for the options");
    out->loose = grown;
    out->loose[out->n_loose].name = name;
    out->loose[out->n_loose++].value = value;
    return EXIT_DONE;
}

void loose_name(char *out, size_t size, const char *option)
{
    snprintf(out, size, "%s", option + strspn(option, "-"));
    for (; *out; ++out)
        if (*out == '-') *out = '_';
}

/* Is `name` the parameter's name or one of its aliases ("a,b")? */
static int is_param(const scarce_param_info *p, const char *name)
{
    const size_t length = strlen(name);
    const char *alias = p->aliases;

    if (strcmp(p->name, name) == 0) return 1;
    while (*alias) {
        const size_t n = strcspn(alias, ",");
        if (n == length && memcmp(alias, name, n) == 0) return 1;
        alias += n + (alias[n] == ',');
    }
    return 0;
}

static int complain_loose(const command *cmd, const char *option, const scarce_param_info *params, size_t n)
{
    const char *both[2] = {NULL, NULL};
    const char **names = malloc((n + 1) * sizeof *names);
    char dashed[128];
    size_t candidates = 0;
    const char *nearest;

    if (!names) return complain(EXIT_FAILED, "out of memory for the options");
    loose_name(dashed, sizeof dashed, option);
    for (size_t i = 0; i < n; ++i) names[i] = params[i].name;
    nearest = scarce_nearest_name(dashed, names, n);
    free(names);
    if (nearest) {
        snprintf(dashed, sizeof dashed, "--%s", nearest);
        for (char *p = dashed; *p; ++p)
            if (*p == '_') *p = '-';
        both[candidates++] = dashed;
    }
    nearest = nearest_option(cmd, option);
    if (nearest) both[candidates++] = nearest;
    nearest = scarce_nearest_name(option, both, candidates);
    if (nearest)
        return complain(EXIT_USE, "no option %s, did you mean %s? (scarce %s --help)", option, nearest,
                        cmd->name);
    return complain(EXIT_USE, "no option and no parameter %s (scarce %s --help)", option, cmd->name);
}

int check_loose(const command *cmd, const parsed *args, const scarce_param_info *params, size_t n)
{
    char name[128];
    for (size_t k = 0; k < args->n_loose; ++k) {
        size_t i = 0;
        loose_name(name, sizeof name, args->loose[k].name);
        while (i < n && !is_param(&params[i], name)) ++i;
        if (i == n) return complain_loose(cmd, args->loose[k].name, params, n);
        if (!args->loose[k].value) return complain(EXIT_USE, "%s needs a value", args->loose[k].name);
    }
    return EXIT_DONE;
}

/* One option at argv[*i], with its value from the same or the next word. */
static int take_option(const command *cmd, int argc, char **argv, int *i, void *options, parsed *out)
{
    char *word = argv[*i], *value = NULL;
    const option_spec *spec;
    size_t offset = 0;

    if (word[1] == '-' && (value = strchr(word, '=')) != NULL) *value++ = '\0';
    spec = find(cmd, strcmp(word, "-h") == 0 ? "--help" : word, &offset);
    if (!spec && (!cmd->takes_loose || word[1] != '-')) return complain_unknown(cmd, word);
    if (spec && !spec->argument && value) return complain(EXIT_USE, "%s takes no value", word);
    if ((!spec || spec->argument) && !value) {
        if (*i + 1 >= argc && spec) return complain(EXIT_USE, "%s needs a value: %s", word, spec->argument);
        if (*i + 1 < argc) value = argv[++*i];
    }
    if (!spec) return keep_loose(out, word, value);
    if (note_given(out, spec) != EXIT_DONE) return EXIT_USE;
    return set_option(spec, (char *)options + offset, value);
}

int parse_options(const command *cmd, int argc, char **argv, void *options, parsed *out)
{
    int only_paths = 0;
    for (int i = 0; i < argc; ++i) {
        const char *word = argv[i];
        int code = EXIT_DONE;
        if (*word == '\0') return complain(EXIT_USE, "an empty word where a file or an option was expected");
        if (!only_paths && strcmp(word, "--") == 0) only_paths = 1;
        else if (only_paths || word[0] != '-' || word[1] == '\0') code = add_text(&out->paths, word);
        else code = take_option(cmd, argc, argv, &i, options, out);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

void forget_options(const command *cmd, void *options, parsed *args)
{
    spec_table tables[N_TABLES];
    tables_of(cmd, tables);
    for (int t = 0; t < N_TABLES; ++t)
        for (size_t i = 0; i < tables[t].count; ++i) {
            const option_spec *spec = &tables[t].specs[i];
            if (spec->type == OPTION_LIST || spec->type == OPTION_COMMAS)
                free(((text_list *)(void *)((char *)options + tables[t].base + spec->offset))->items);
        }
    free(args->paths.items);
    free(args->loose);
}

const option_spec *option_table(const command *cmd, int t, size_t *n, const char **title)
{
    static const char *const titles[N_TABLES] = {"Options", "Data options", "Common options"};
    spec_table tables[N_TABLES];

    if (t >= N_TABLES) return NULL;
    tables_of(cmd, tables);
    *n = tables[t].count;
    *title = titles[t];
    return tables[t].specs ? tables[t].specs : common_specs; /* with n 0: there are none of that kind */
}

static void print_specs(const char *title, const option_spec *specs, size_t n)
{
    printf("\n%s\n", title);
    for (size_t i = 0; i < n; ++i) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", specs[i].name, specs[i].argument ? " " : "",
                 specs[i].argument ? specs[i].argument : "");
        printf("  %-26s %s\n", left, specs[i].help);
    }
}

void print_help(const command *cmd)
{
    printf("scarce %s: %s\n\nusage: scarce %s %s\n", cmd->name, cmd->summary, cmd->name, cmd->usage);
    if (cmd->about) printf("\n%s", cmd->about);
    if (cmd->n_options) print_specs("Options", cmd->options, cmd->n_options);
    if (cmd->data) print_specs("Data options", cmd->data, n_data_option_specs);
    print_specs("Common options", common_specs, N_COMMON);
}
