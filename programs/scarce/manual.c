/* SPDX-License-Identifier: Apache-2.0 */
/* Man pages and completions, written from the tables of options, so that they can't say anything else than
 * --help does. `scarce --man [COMMAND]` and `scarce --completion bash|zsh` are for the build, which installs
 * what they print. */
#include <string.h>

#include "program.h"

/* ---- man pages */

/* Text for roff: no request at the beginning of a line, dashes that can be copied, blanks joined. */
static void put_roff(const char *text, int keep_lines)
{
    int begins = 1, blank = 0;

    for (; *text; ++text) {
        if (!keep_lines && (*text == ' ' || *text == '\n')) {
            blank = !begins;
            continue;
        }
        if (blank) putchar(' ');
        blank = 0;
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\') fputs("\\e", stdout);
        else if (*text == '-') fputs("\\-", stdout);
        else putchar(*text);
        begins = *text == '\n';
    }
    if (!begins) putchar('\n');
}

/* A word of a request's argument. */
static void put_dashes(const char *text)
{
    for (; *text; ++text) {
        if (*text == '-') putchar('\\');
        putchar(*text);
    }
}

static void put_title(const char *name)
{
    printf(".TH ");
    for (; *name; ++name) putchar(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
    printf(" 1 \"\" \"scarce %s\" \"scarce\"\n", scarce_version());
}

static void put_options(const command *cmd)
{
    const char *title;
    const option_spec *specs;
    size_t n;

    for (int t = 0; (specs = option_table(cmd, t, &n, &title)) != NULL; ++t) {
        if (n == 0) continue;
        printf(".SH ");
        for (const char *c = title; *c; ++c) putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        putchar('\n');
        for (size_t i = 0; i < n; ++i) {
            printf(".TP\n.BI \"");
            put_dashes(specs[i].name);
            if (specs[i].argument) printf(" \" \""), put_dashes(specs[i].argument);
            printf("\"\n");
            put_roff(specs[i].help, 0);
        }
    }
}

static void put_command(const command *cmd)
{
    char name[64];

    snprintf(name, sizeof name, "scarce-%s", cmd->name);
    put_title(name);
    printf(".SH NAME\nscarce\\-%s \\- ", cmd->name);
    put_roff(cmd->summary, 0);
    printf(".SH SYNOPSIS\n.B scarce %s\n", cmd->name);
    put_roff(cmd->usage, 0);
    if (cmd->about) {
        printf(".SH DESCRIPTION\n.nf\n");
        put_roff(cmd->about, 1);
        printf(".fi\n");
    }
    put_options(cmd);
    printf(".SH SEE ALSO\n.BR scarce (1)\n");
}

static void put_program(const command *const *commands, size_t n)
{
    put_title("scarce");
    printf(".SH NAME\nscarce \\- finds the few positives in a sea of negatives\n"
           ".SH SYNOPSIS\n.B scarce\n.I COMMAND\n[options]\n.SH COMMANDS\n");
    for (size_t i = 0; i < n; ++i) {
        printf(".TP\n.BR scarce\\-%s (1)\n", commands[i]->name);
        put_roff(commands[i]->summary, 0);
    }
    printf(".SH EXIT STATUS\n"
           ".TP\n0\ndone\n.TP\n1\nfailed at run time\n.TP\n2\nwrong use\n.TP\n3\nthe data can't be used as "
           "asked\n"
           ".TP\n130\ninterrupted\n.TP\n141\nthe reader of standard output went away\n");
}

int print_manual(const command *const *commands, size_t n, const char *name)
{
    if (!name) {
        put_program(commands, n);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < n; ++i) {
        if (strcmp(commands[i]->name, name) != 0) continue;
        put_command(commands[i]);
        return EXIT_DONE;
    }
    return complain(EXIT_USE, "no command \"%s\" (scarce --help lists them)", name);
}

/* ---- completions */

static void put_methods(void)
{
    for (size_t m = 0; m < scarce_method_count(); ++m)
        printf("%s%s", m ? " " : "", scarce_method_get(m).name);
}

static void put_bash(const command *const *commands, size_t n)
{
    printf("# completion of scarce for bash, made by scarce --completion bash\n_scarce()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < n; ++i) printf("%s ", commands[i]->name);
    printf("help --help --version\" -- \"$cur\"))\n        return\n    fi\n    case $prev in\n"
           "    --method|--methods) COMPREPLY=($(compgen -W \"");
    put_methods();
    printf("\" -- \"$cur\")); return ;;\n    help) COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < n; ++i) printf("%s%s", i ? " " : "", commands[i]->name);
    printf("\" -- \"$cur\")); return ;;\n    esac\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < n; ++i) {
        const option_spec *specs;
        const char *title;
        size_t count;
        printf("    %s) options=\"", commands[i]->name);
        for (int t = 0; (specs = option_table(commands[i], t, &count, &title)) != NULL; ++t)
            for (size_t k = 0; k < count; ++k) printf("%s ", specs[k].name);
        printf("\" ;;\n");
    }
    printf("    esac\n    case $cur in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
           "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n    esac\n}\n"
           "complete -o filenames -F _scarce scarce\n");
}

/* A description inside '...[description]...' of zsh's _arguments, or behind "name:". */
static void put_zsh_text(const char *text)
{
    int blank = 0;
    for (; *text; ++text) {
        if (*text == ' ' || *text == '\n') {
            if (!blank) putchar(' ');
            blank = 1;
            continue;
        }
        blank = 0;
        if (*text == '\'') fputs("'\\''", stdout);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') printf("\\%c", *text);
        else putchar(*text);
    }
}

static void put_zsh_option(const option_spec *spec)
{
    const int repeats = spec->type == OPTION_LIST || spec->type == OPTION_COMMAS;

    printf("            '%s%s[", repeats ? "*" : "", spec->name);
    put_zsh_text(spec->help);
    putchar(']');
    if (spec->argument) {
        putchar(':');
        put_zsh_text(spec->argument);
        if (strcmp(spec->name, "--method") == 0) {
            printf(":(");
            put_methods();
            putchar(')');
        } else if (strstr(spec->argument, "FILE") || strstr(spec->argument, "MODEL") ||
                   strstr(spec->argument, "DATA"))
            printf(":_files");
        else printf(": ");
    }
    printf("' \\\n");
}

static void put_zsh(const command *const *commands, size_t n)
{
    printf("#compdef scarce\n# made by scarce --completion zsh\n_scarce()\n{\n    local -a commands\n    "
           "commands=(\n");
    for (size_t i = 0; i < n; ++i) {
        printf("        '%s:", commands[i]->name);
        put_zsh_text(commands[i]->summary);
        printf("'\n");
    }
    printf(
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    shift words\n    (( CURRENT -= 1 ))\n    case $words[1] in\n    help) _describe command "
        "commands ;;\n");
    for (size_t i = 0; i < n; ++i) {
        const option_spec *specs;
        const char *title;
        size_t count;
        printf("    %s)\n        _arguments \\\n", commands[i]->name);
        for (int t = 0; (specs = option_table(commands[i], t, &count, &title)) != NULL; ++t)
            for (size_t k = 0; k < count; ++k) put_zsh_option(&specs[k]);
        printf("            '*:file:_files' ;;\n");
    }
    printf("    esac\n}\n_scarce \"$@\"\n");
}

int print_completion(const command *const *commands, size_t n, const char *shell)
{
    if (shell && strcmp(shell, "bash") == 0) put_bash(commands, n);
    else if (shell && strcmp(shell, "zsh") == 0) put_zsh(commands, n);
    else return complain(EXIT_USE, "--completion bash or --completion zsh");
    return EXIT_DONE;
}
