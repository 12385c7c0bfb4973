/* SPDX-License-Identifier: Apache-2.0 */
/* Learning from a stream: every row is scored before its label teaches, labels come a week late, and half-way the
 * learning is stopped and goes on from its checkpoint. */
#include <stdio.h>

#include <scarce/scarce.h>

static int complain(const scarce_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static int tell(const scarce_learner *learner)
{
    scarce_learner_status s = SCARCE_LEARNER_STATUS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_learner_get_status(&s, learner, &err)) return complain(&err);
    printf("%llu rows scored, %llu learnt, %llu wait for their labels; average precision %.4f\n",
           (unsigned long long)s.rows, (unsigned long long)s.learnt, (unsigned long long)s.pending, s.ap);
    return 0;
}

int main(void)
{
    const char *settings[] = {"transactions=20000", "rate=0.02"}, *path = "pay.csv";
    const char *no_features[] = {"tx_id", "terminal", "label_time"};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *params = NULL;
    scarce_stream *stream = NULL;
    scarce_learner *learner = NULL;
    scarce_table *block = NULL;
    scarce_model *model = NULL;
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_learner_options lo = SCARCE_LEARNER_OPTIONS_INIT;
    int stopped = 0;

    if (scarce_simulate("fraud", settings, 2, path, NULL, NULL, &err)) return complain(&err);
    ro.time = "time", ro.group = "card", ro.amount = "amount";
    ro.ignore.items = no_features, ro.ignore.count = 3;
    lo.delay = 7 * 86400.0;
    if (scarce_params_new(&params, "onlb", &err) || scarce_stream_open(&stream, &path, 1, &ro, NULL, &err))
        return complain(&err);
    for (;;) {
        if (scarce_stream_next(stream, &block, &err)) return complain(&err);
        if (!block) break;
        if (!learner && scarce_learner_new(&learner, params, scarce_stream_schema(stream), &lo, NULL, &err))
            return complain(&err);
        if (scarce_learner_block(learner, block, 0, NULL, &err)) return complain(&err);
        scarce_table_free(block);
        if (stopped || tell(learner)) continue;
        stopped = 1; /* as if the machine went down here, and came up again */
        if (scarce_learner_checkpoint(learner, "learn.part", &err)) return complain(&err);
        scarce_learner_free(learner);
        learner = NULL;
        if (scarce_model_load(&model, "learn.part", &err) ||
            scarce_learner_go_on(&learner, model, &lo, NULL, &err))
            return complain(&err);
        scarce_model_free(model);
    }
    if (tell(learner)) return 1;
    if (scarce_learner_model(&model, learner, &err) || scarce_model_save(model, "fraud.scarce", &err))
        return complain(&err);
    scarce_model_free(model);
    scarce_learner_free(learner);
    scarce_stream_close(stream);
    scarce_params_free(params);
    return 0;
}
