/* SPDX-License-Identifier: Apache-2.0 */
/* scarce show MODEL */
#include <string.h>

#include "program.h"

typedef struct show_command {
    common_options common;
    const char *format;
} show_command;

static const option_spec specs[] = {
    {"--format", "FORMAT", OPTION_TEXT, offsetof(show_command, format), "text (default), json or, for trees, dot"},
};

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const show_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    char *text = NULL;
    scarce_status st;

    (void)ctx;
    if (args->paths.count != 1) return complain(EXIT_USE, "one model, please (scarce show MODEL)");
    if (o->common.json && o->format && strcmp(o->format, "json") != 0)
        return complain(EXIT_USE, "--json and --format %s exclude each other", o->format);
    st = scarce_model_load(&model, args->paths.items[0], &err);
    if (st == SCARCE_OK)
        st = scarce_model_show(&text, model, o->format ? o->format : o->common.json ? "json" : "text", &err);
    if (st == SCARCE_OK) fputs(text, stdout);
    scarce_bytes_free(text);
    scarce_model_free(model);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_show = {"show", "tells what is in a model", "MODEL [--format text|json|dot]", NULL, specs, 1,
                              sizeof(show_command), NULL, 0, 0, NULL, run};
