/* SPDX-License-Identifier: Apache-2.0 */
/* scarce convert FILE -o OUT: models of XGBoost and LightGBM to ours, ours to XGBoost's. */
#include <string.h>

#include "program.h"

typedef struct convert_command {
    common_options common;
    const char *output;
} convert_command;

static const option_spec specs[] = {
    {"-o", "OUT", OPTION_TEXT, offsetof(convert_command, output),
     "the new model: .json writes XGBoost's format, anything else ours"},
};

static int run(void *options, parsed *args, scarce_context *ctx)
{
    const convert_command *o = options;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *model = NULL;
    scarce_status st;
    int to_xgboost, code;

    (void)ctx;
    if (args->paths.count != 1 || !o->output)
        return complain(EXIT_USE, "one model and where to (scarce convert FILE -o OUT)");
    if ((code = check_output(o->output)) != EXIT_DONE) return code;
    to_xgboost = ends_with(o->output, ".json");
    if (to_xgboost) st = scarce_model_load(&model, args->paths.items[0], &err);
    else st = scarce_model_import(&model, args->paths.items[0], &err);
    if (st == SCARCE_EPARSE && !to_xgboost &&
        scarce_model_load(&model, args->paths.items[0], NULL) == SCARCE_OK)
        st = fail_with(&err, SCARCE_EINVAL,
                       "%.200s is a model of scarce already; -o OUT.json writes it for XGBoost",
                       args->paths.items[0]);
    if (st == SCARCE_OK)
        st = to_xgboost ? scarce_model_export_xgboost(model, o->output, &err)
                        : scarce_model_save(model, o->output, &err);
    if (st == SCARCE_OK && o->common.json) {
        json_open('{');
        json_key("features"), json_count(scarce_schema_features(scarce_model_schema(model)));
        json_key("output"), json_text(o->output);
        json_close('}');
        json_end();
    } else if (st == SCARCE_OK && !to_xgboost)
        say("%zu features (categories as the integers the other library was given), saved to %s",
            scarce_schema_features(scarce_model_schema(model)), o->output);
    scarce_model_free(model);
    return st == SCARCE_OK ? EXIT_DONE : complain_status(&err);
}

const command command_convert = {
    "convert",
    "takes models of XGBoost and LightGBM, and gives XGBoost's",
    "FILE -o OUT",
    "  scarce convert booster.json -o booster.scarce      XGBoost JSON or UBJ, LightGBM text\n"
    "  scarce convert fraud.scarce -o fraud.json          to XGBoost JSON\n",
    specs,
    1,
    sizeof(convert_command),
    NULL,
    0,
    0,
    NULL,
    run};
