/* SPDX-License-Identifier: Apache-2.0 */
/* Before work begins: no output may be an input, or another output, and all must be writable.
 *
 * Which options name files is told by the word for their value in the option tables (FILE, DATA, MODEL, ...), so
 * that a new command is covered without a word; those that write are listed here. Files are the same when they
 * have the same inode, whatever they are called, or, where they aren't there yet, the same name in the same
 * folder. Standard input and output, pipes and devices may be named as often as one likes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static const char *const writing[] = {"-o",           "--report",     "--csv", "--results", "--write-folds",
                                      "--checkpoint", "--predictions"};

typedef struct use {
    const char *option; /* NULL: a path without option */
    const char *path;
    int output;
} use;

typedef struct uses {
    use *items;
    size_t count;
} uses;

static int writes(const char *option)
{
    for (size_t i = 0; i < sizeof writing / sizeof writing[0]; ++i)
        if (strcmp(option, writing[i]) == 0) return 1;
    return 0;
}

static int names_file(const option_spec *spec)
{
    static const char *const words[] = {"FILE", "DATA", "CHECKPOINT"};
    for (size_t i = 0; spec->argument && i < sizeof words / sizeof words[0]; ++i)
        if (strstr(spec->argument, words[i])) return 1;
    return writes(spec->name);
}

static int add(uses *u, const char *option, const char *path, int output)
{
    use *grown;

    if (!path || !*path || strcmp(path, "-") == 0) return 1;
    grown = realloc(u->items, (u->count + 1) * sizeof *grown);
    if (!grown) return 0;
    u->items = grown;
    u->items[u->count++] = (use){option, path, output};
    return 1;
}

/* "name=path" and "path". */
static const char *path_in(const option_spec *spec, const char *value)
{
    const char *equals = strchr(spec->argument, '=') ? strchr(value, '=') : NULL;
    return equals ? equals + 1 : value;
}

/* "bank" where "bank=scores.csv" is wanted: whoever reads it says so. */
static int names_path(const option_spec *spec, const char *value)
{
    return !strchr(spec->argument, '=') || strchr(value, '=');
}

static int add_option(uses *u, const option_spec *spec, const void *field)
{
    const text_list *list = field;

    if (spec->type == OPTION_TEXT) {
        const char *value = *(const char *const *)field;
        return !value || !names_path(spec, value) ||
               add(u, spec->name, path_in(spec, value), writes(spec->name));
    }
    if (spec->type != OPTION_LIST && spec->type != OPTION_COMMAS) return 1;
    for (size_t i = 0; i < list->count; ++i)
        if (names_path(spec, list->items[i]) &&
            !add(u, spec->name, path_in(spec, list->items[i]), writes(spec->name)))
            return 0;
    return 1;
}

/* The last part of a path, and whether its folder is the same as that of another. */
static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of a path, as stat and opendir want it; freed by free, NULL without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static int stat_folder(const char *path, struct stat *info)
{
    char *folder = folder_of(path);
    const int found = folder && stat(folder, info) == 0;
    free(folder);
    return found;
}

static int same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    const int there = stat(a, &x) == 0, there_too = stat(b, &y) == 0;

    if (there != there_too) return 0;
    if (there) return S_ISREG(x.st_mode) && same_inode(&x, &y);
    return strcmp(name_in(a), name_in(b)) == 0 && stat_folder(a, &x) && stat_folder(b, &y) &&
           same_inode(&x, &y);
}

static int complain_same(const use *a, const use *b)
{
    const use *output = a->output ? a : b, *other = a->output ? b : a;

    if (other->output && strcmp(other->option, output->option) == 0)
        return complain(EXIT_USE, "%s names %s twice", output->option, output->path);
    if (other->output)
        return complain(EXIT_USE, "%s and %s both write %s: give each a name of its own", other->option,
                        output->option, output->path);
    return complain(EXIT_USE, "%s %s would replace what is read (%s%s%s): choose another name",
                    output->option, output->path, other->option ? other->option : "",
                    other->option ? " " : "", other->path);
}

/* A checkpoint may take the place of the one it went on from. */
static int is_same_work(const use *a, const use *b)
{
    const char *x = a->option ? a->option : "", *y = b->option ? b->option : "";
    return (strcmp(x, "--checkpoint") == 0 && strcmp(y, "--resume") == 0) ||
           (strcmp(x, "--resume") == 0 && strcmp(y, "--checkpoint") == 0);
}

static int compare_all(const uses *u)
{
    for (size_t i = 0; i < u->count; ++i)
        for (size_t j = i + 1; j < u->count; ++j)
            if ((u->items[i].output || u->items[j].output) && !is_same_work(&u->items[i], &u->items[j]) &&
                same_file(u->items[i].path, u->items[j].path))
                return complain_same(&u->items[i], &u->items[j]);
    for (size_t i = 0; i < u->count; ++i)
        if (u->items[i].output) {
            const int code = check_output(u->items[i].path);
            if (code != EXIT_DONE) return code;
        }
    return EXIT_DONE;
}

int check_files(const command *cmd, const void *options, const parsed *args)
{
    uses u = {NULL, 0};
    int ok = 1, code;

    for (size_t i = 0; ok && i < args->paths.count; ++i) ok = add(&u, NULL, args->paths.items[i], 0);
    for (size_t i = 0; ok && i < cmd->n_options; ++i)
        if (names_file(&cmd->options[i]))
            ok = add_option(&u, &cmd->options[i], (const char *)options + cmd->options[i].offset);
    code = ok ? compare_all(&u) : complain(EXIT_FAILED, "out of memory");
    free(u.items);
    return code;
}

void remove_finished(const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char first[18] = "", line[18]; /* a line begins with 16 digits that say which work it belongs to */
    int one = 1, header = 1, c;

    if (!file) return;
    while (one && fgets(line, sizeof line, file)) {
        if (!strchr(line, '\n'))
            while ((c = getc(file)) != EOF && c != '\n') {
            }
        if (!header && !first[0]) memcpy(first, line, sizeof first);
        else if (!header) one = strcmp(first, line) == 0;
        header = 0;
    }
    fclose(file);
    if (one) (void)unlink(path);
}
