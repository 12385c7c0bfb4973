/* SPDX-License-Identifier: Apache-2.0 */
/* scarce methods [NAME]: the table of methods, or one of them with its parameters. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        const int n = (int)strcspn(text, " ");
        if (column == 0 || column + 1 + n > 98)
            printf("%s%*s", column ? "\n" : "", indent, ""), column = indent;
        else putchar(' '), ++column;
        printf("%.*s", n, text);
        column += n;
        text += n;
        while (*text == ' ') ++text;
    }
    putchar('\n');
}

static void list_methods(void)
{
    for (size_t i = 0; i < scarce_method_count(); ++i) {
        const scarce_method_info m = scarce_method_get(i);
        if (i == 0 || strcmp(scarce_method_get(i - 1).family, m.family) != 0)
            printf("%s%s\n", i ? "\n" : "", m.family);
        printf("  %s\n", m.name);
        print_wrapped(m.summary, 6);
    }
    printf("\nresampling (scarce resample, train --resample)\n");
    for (size_t i = 0; i < scarce_resample_count(); ++i) {
        printf("  %s\n", scarce_resample_get(i).name);
        print_wrapped(scarce_resample_get(i).summary, 6);
    }
    printf("\nscarce methods NAME lists the parameters of one.\n");
}

static void print_param(const scarce_param_info *p)
{
    printf("  %s = %s", p->name, *p->def ? p->def : "(empty)");
    if (strcmp(p->type, "integer") == 0 || strcmp(p->type, "number") == 0)
        printf("   %s, %g to %g", p->type, p->lo, p->hi);
    else printf("   %s", p->type);
    if (*p->aliases) printf("   (also %s)", p->aliases);
    putchar('\n');
    print_wrapped(p->help, 6);
}

typedef scarce_param_info (*param_fn)(size_t method, size_t param);

static void print_params(size_t method, size_t n, param_fn get)
{
    printf("\nParameters (--set NAME=VALUE)\n");
    for (size_t i = 0; i < n; ++i) {
        const scarce_param_info p = get(method, i);
        print_param(&p);
    }
}

static void print_method(size_t method)
{
    const scarce_method_info m = scarce_method_get(method);
    printf("%s (%s)\n", m.name, m.family);
    print_wrapped(m.summary, 2);
    print_wrapped(m.paper, 2);
    print_params(method, m.n_params, scarce_method_param);
}

static void print_resampler(size_t method)
{
    const scarce_resample_method m = scarce_resample_get(method);
    printf("%s (resampling)\n", m.name);
    print_wrapped(m.summary, 2);
    print_params(method, m.n_params, scarce_resample_param);
}

static void json_param(const scarce_param_info *p)
{
    json_open('{');
    json_key("name"), json_text(p->name);
    json_key("aliases"), json_text(p->aliases);
    json_key("type"), json_text(p->type);
    json_key("default"), json_text(p->def);
    json_key("min"), json_number(p->lo);
    json_key("max"), json_number(p->hi);
    json_key("help"), json_text(p->help);
    json_key("search"), json_text(p->search);
    json_close('}');
}

static void json_params(size_t method, size_t n, param_fn get)
{
    json_key("parameters"), json_open('[');
    for (size_t i = 0; i < n; ++i) {
        const scarce_param_info p = get(method, i);
        json_param(&p);
    }
    json_close(']');
}

static void json_method(size_t method)
{
    const scarce_method_info m = scarce_method_get(method);
    json_open('{');
    json_key("name"), json_text(m.name);
    json_key("family"), json_text(m.family);
    json_key("summary"), json_text(m.summary);
    json_key("paper"), json_text(m.paper);
    json_params(method, m.n_params, scarce_method_param);
    json_close('}');
}

static void json_resampler(size_t method)
{
    const scarce_resample_method m = scarce_resample_get(method);
    json_open('{');
    json_key("name"), json_text(m.name);
    json_key("family"), json_text("resampling");
    json_key("summary"), json_text(m.summary);
    json_params(method, m.n_params, scarce_resample_param);
    json_close('}');
}

static int list_all(int json)
{
    if (!json) {
        list_methods();
        return EXIT_DONE;
    }
    json_open('[');
    for (size_t i = 0; i < scarce_method_count(); ++i) json_method(i);
    for (size_t i = 0; i < scarce_resample_count(); ++i) json_resampler(i);
    json_close(']');
    json_end();
    return EXIT_DONE;
}

static int complain_unknown_name(const char *name)
{
    const size_t n_methods = scarce_method_count(), n = n_methods + scarce_resample_count();
    const char **names = malloc(n * sizeof *names), *nearest;

    if (!names) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; i < n; ++i)
        names[i] = i < n_methods ? scarce_method_get(i).name : scarce_resample_get(i - n_methods).name;
    nearest = scarce_nearest_name(name, names, n);
    free(names);
    if (nearest)
        return complain(EXIT_USE, "no method \"%s\", did you mean \"%s\"? (scarce methods lists them)", name,
                        nearest);
    return complain(EXIT_USE, "no method \"%s\" (scarce methods lists them)", name);
}

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const common_options *common = options;
    size_t method, resampler;

    (void)ctx;
    if (args->paths.count > 1) return complain(EXIT_USE, "one method at a time");
    if (args->paths.count == 0) return list_all(common->json);
    method = scarce_method_find(args->paths.items[0]);
    resampler = scarce_resample_find(args->paths.items[0]);
    if (method == SIZE_MAX && resampler == SIZE_MAX) return complain_unknown_name(args->paths.items[0]);
    if (method != SIZE_MAX) {
        if (common->json) json_method(method), json_end();
        else print_method(method);
    } else if (common->json) json_resampler(resampler), json_end();
    else print_resampler(resampler);
    return EXIT_DONE;
}

const command command_methods = {"methods",
                                 "lists the methods; with a name, its parameters",
                                 "[NAME] [--json]",
                                 NULL,
                                 NULL,
                                 0,
                                 sizeof(common_options),
                                 NULL,
                                 0,
                                 0,
                                 NULL,
                                 run};
