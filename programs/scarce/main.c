/* SPDX-License-Identifier: Apache-2.0 */
/* scarce COMMAND [options]: a table of commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "program.h"

static const command *const commands[] = {
    &command_doctor,  &command_split,     &command_train,    &command_eval,
    &command_score,   &command_show,      &command_compare,  &command_tune,
    &command_methods, &command_resample,  &command_simulate, &command_convert,
    &command_distil,  &command_transform, &command_features, &command_rules,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_commands(FILE *to)
{
    fprintf(to,
            "scarce %s: finds the few positives in a sea of negatives\n\n"
            "usage: scarce COMMAND [options]\n\n",
            scarce_version());
    for (size_t i = 0; i < N_COMMANDS; ++i)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nscarce COMMAND --help tells more. A first model:\n\n"
          "  scarce train pay.csv --label fraud -o fraud.scarce\n"
          "  scarce score fraud.scarce new.csv --top 100\n"
          "  scarce eval fraud.scarce test.csv\n",
          to);
}

static int check_common(const common_options *common)
{
    if (common->seed < 0 || common->seed > 9007199254740992.0 ||
        common->seed != (double)(uint64_t)common->seed)
        return complain(EXIT_USE, "--seed wants a whole number from 0 to 2^53");
    if (common->threads > 1024) return complain(EXIT_USE, "--threads wants 1 to 1024, or 0 for all cores");
    return EXIT_DONE;
}

/* "500M", "4G", "0.5T"; a number alone counts gigabytes. */
static double most_memory = INFINITY;

double memory_limit(void)
{
    return most_memory;
}

static int set_memory(const char *text)
{
    static const char units[] = "KMGT";
    static const double bytes[] = {1e3, 1e6, 1e9, 1e12};
    const char *unit;
    char *end = NULL;
    double size;

    if (!text) return EXIT_DONE;
    size = strtod(text, &end);
    unit = *end ? strchr(units, *end & ~0x20) : units + 2;
    if (end == text || !unit || (*end && end[1] && strcasecmp(end + 1, "b") != 0) ||
        !(size > 0 && size * bytes[unit - units] >= 1e6))
        return complain(EXIT_USE, "--memory wants a size from 1M on, like 500M or 4G, not \"%s\"", text);
    most_memory = size * bytes[unit - units];
    scarce_memory_limit(most_memory);
    return EXIT_DONE;
}

static int run_with(const command *cmd, common_options *common, parsed *args)
{
    scarce_context_options context_options = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_context *ctx = NULL;
    int code;

    talk_start(common);
    context_options.threads = (int)common->threads;
    context_options.seed = (uint64_t)common->seed;
    context_options.log = talk_log;
    context_options.progress = talk_progress;
    if (scarce_context_new(&ctx, &context_options, &err) != SCARCE_OK) return complain_status(&err);
    code = cmd->run(common, args, ctx);
    scarce_context_free(ctx);
    return finish_stdout(code);
}

static int run(const command *cmd, int argc, char **argv)
{
    common_options *common = calloc(1, cmd->options_size);
    parsed args;
    int code;

    memset(&args, 0, sizeof args);
    if (!common) return complain(EXIT_FAILED, "out of memory");
    common->seed = 1;
    if (cmd->defaults) cmd->defaults(common);
    code = parse_options(cmd, argc, argv, common, &args);
    if (code == EXIT_DONE && common->help) {
        print_help(cmd);
        code = finish_stdout(EXIT_DONE);
    } else if (code == EXIT_DONE) {
        code = check_common(common);
        if (code == EXIT_DONE) code = set_memory(common->memory);
        if (code == EXIT_DONE) code = check_files(cmd, common, &args);
        if (code == EXIT_DONE) code = run_with(cmd, common, &args);
    }
    forget_options(cmd, common, &args);
    free(common);
    return code;
}

int main(int argc, char **argv)
{
    const char *names[N_COMMANDS];
    const char *nearest;
    static char help[] = "--help";

    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USE;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) { /* scarce help train */
        argv[1] = argv[2];
        argv[2] = help;
        argc = 3;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_commands(stdout);
        return finish_stdout(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("scarce %s\n", scarce_version());
        return finish_stdout(EXIT_DONE);
    }
    if (strcmp(argv[1], "--man") == 0)
        return finish_stdout(print_manual(commands, N_COMMANDS, argc > 2 ? argv[2] : NULL));
    if (strcmp(argv[1], "--completion") == 0)
        return finish_stdout(print_completion(commands, N_COMMANDS, argc > 2 ? argv[2] : NULL));
    for (size_t i = 0; i < N_COMMANDS; ++i) {
        names[i] = commands[i]->name;
        if (strcmp(argv[1], names[i]) != 0) continue;
        set_command_name(names[i]);
        return run(commands[i], argc - 2, argv + 2);
    }
    nearest = scarce_nearest_name(argv[1], names, N_COMMANDS);
    if (nearest)
        return complain(EXIT_USE, "no command \"%s\", did you mean \"%s\"? (scarce --help)", argv[1],
                        nearest);
    return complain(EXIT_USE, "no command \"%s\" (scarce --help lists them)", argv[1]);
}
