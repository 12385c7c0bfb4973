/* SPDX-License-Identifier: Apache-2.0 */
/* What travels between a training and its rows, from someone who means harm: sketches, plans, questions, answers. The first
 * byte says which; a checksum that is right is put behind the rest, or it would never be looked at. Whatever is accepted must
 * be usable. */
#include <string.h>

#include "../unit/far_rows.h"
#include "core/bytes.h"
#include "fuzz.h"

static scarce_sketch *sketch;
static scarce_plan *plan;
static scarce_partition *partition;
static scarce_params *params;

static void start(void)
{
    scarce_table *t = rows_of(0, 400, 0);
    MUST(scarce_sketch_new(&sketch, NULL) == SCARCE_OK &&
         scarce_sketch_add(sketch, t, NULL, 0, NULL) == SCARCE_OK);
    MUST(scarce_params_new(&params, "gb", NULL) == SCARCE_OK);
    MUST(scarce_params_set_list(params, "sample=importance n_trees=3 pool=5", ' ', NULL) == SCARCE_OK);
    MUST(scarce_plan_new(&plan, sketch, params, NULL, NULL) == SCARCE_OK);
    MUST(scarce_partition_new(&partition, plan, NULL, NULL) == SCARCE_OK);
    MUST(scarce_partition_add(partition, t, NULL, 0, NULL, NULL) == SCARCE_OK);
    scarce_table_free(t);
}

typedef struct message {
    const uint8_t *at;
    size_t n;
} message;

static void join(const message *m)
{
    scarce_sketch *s = NULL;
    scarce_plan *p = NULL;
    void *bytes = NULL;
    size_t n = 0;
    scarce_table *t = rows_of(1000, 1100, 0);
    MUST(scarce_sketch_new(&s, NULL) == SCARCE_OK && scarce_sketch_add(s, t, NULL, 1000, NULL) == SCARCE_OK);
    if (scarce_sketch_join(s, m->at, m->n, NULL) == SCARCE_OK) {
        (void)scarce_plan_new(&p, s, params, NULL, NULL);
        MUST(scarce_sketch_bytes(&bytes, &n, s, NULL) == SCARCE_OK);
    }
    scarce_bytes_free(bytes);
    scarce_plan_free(p);
    scarce_sketch_free(s);
    scarce_table_free(t);
}

static void read_plan(const message *m)
{
    scarce_plan *p = NULL;
    scarce_partition *rows = NULL;
    scarce_table *t;
    if (scarce_plan_read(&p, m->at, m->n, NULL) != SCARCE_OK) return;
    t = rows_of(0, 300, 0);
    MUST(scarce_partition_new(&rows, p, NULL, NULL) == SCARCE_OK);
    (void)scarce_partition_add(rows, t, NULL, 0, NULL, NULL);
    scarce_partition_free(rows);
    scarce_plan_free(p);
    scarce_table_free(t);
}

static void ask(const message *m)
{
    void *answer = NULL;
    size_t n = 0;
    (void)scarce_partition_answer(&answer, &n, partition, m->at, m->n, NULL, NULL);
    scarce_bytes_free(answer);
}

/* To the k-th question of a training the message is answered, to the others the truth. */
typedef struct liar {
    const message *m;
    size_t asked, lie;
} liar;

static scarce_status answer(void *payload, const void *question, size_t n, scarce_answers *answers,
                            scarce_context *ctx, scarce_error *err)
{
    liar *l = payload;
    void *bytes = NULL;
    size_t n_bytes = 0;
    scarce_status st;
    if (l->asked++ == l->lie) return scarce_answers_take(answers, l->m->at, l->m->n, err);
    st = scarce_partition_answer(&bytes, &n_bytes, partition, question, n, ctx, err);
    if (st == SCARCE_OK) st = scarce_answers_take(answers, bytes, n_bytes, err);
    scarce_bytes_free(bytes);
    return st;
}

static void train(const message *m, size_t lie)
{
    liar l = {m, 0, lie};
    scarce_far far = SCARCE_FAR_INIT;
    scarce_model *model = NULL;
    far.ask = answer;
    far.payload = &l;
    (void)scarce_train_far(&model, plan, params, NULL, &far, NULL, NULL, NULL);
    scarce_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scarce__writer w = {NULL, 0, 0, 0};
    const uint8_t what = fuzz_take(&data, &size);

    if (!plan) start();
    scarce__put(&w, data, size > 8 ? size - 8 : 0);
    scarce__put_u64(&w, scarce__crc64(w.bytes, w.n));
    const message whole = {data, size}, mended = {w.bytes, w.n};
    for (int k = 0; k < 2; ++k) {
        const message *m = k ? &mended : &whole;
        if (what % 8 == 0) join(m);
        else if (what % 8 == 1) read_plan(m);
        else if (what % 8 == 2) ask(m);
        else train(m, what % 8 - 3u);
    }
    scarce__writer_deinit(&w);
    return 0;
}
