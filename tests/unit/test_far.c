/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie elsewhere give the model that they would give in memory, byte for byte: for any number of partitions, in
 * memory or in files, in any order, with weights, categories, missing values; and whatever arrives damaged is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scarce/scarce.h>

#include "test.h"
#include "unit/far_rows.h"

enum { ROWS = 12000, MOST_PARTS = 8 };

static scarce_params *params_of(const char *settings)
{
    scarce_params *p = NULL;
    CHECK(scarce_params_new(&p, "gb", NULL) == SCARCE_OK);
    CHECK(scarce_params_set_list(p, settings, ' ', NULL) == SCARCE_OK);
    return p;
}

static const char usual[] = "sample=importance n_trees=30 pool=10 min_child_weight=0.1";

typedef struct bytes {
    void *at;
    size_t n;
} bytes;

static bytes bytes_of(scarce_model *model)
{
    bytes b = {NULL, 0};
    if (model) CHECK(scarce_model_bytes(&b.at, &b.n, model, NULL) == SCARCE_OK);
    scarce_model_free(model);
    return b;
}

static bytes in_memory(const char *settings, int weights, const scarce_train_options *options)
{
    scarce_table *t = rows_of(0, ROWS, weights);
    scarce_params *p = params_of(settings);
    scarce_model *m = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_train(&m, t, p, options, NULL, NULL, &err) != SCARCE_OK) fprintf(stderr, "%s\n", err.text);
    CHECK(m != NULL);
    scarce_table_free(t);
    scarce_params_free(p);
    return bytes_of(m);
}

/* How the rows lie. */
typedef struct places {
    size_t parts;
    int weights, files, backwards; /* backwards: numbers fall, and are listed */
    int lose;                      /* partitions are thrown away and made again after every question */
} places;

typedef struct cluster {
    const places *how;
    const scarce_plan *plan;
    scarce_partition *part[MOST_PARTS];
    size_t questions;
} cluster;

static size_t begin_of(const places *how, size_t k)
{
    /* uneven, and the third of eight is empty */
    return how->parts == 8 && k == 3 ? begin_of(how, 2)
                                     : ROWS * k * (k + 1) / (how->parts * (how->parts + 1));
}

/* The rows of a place in blocks of 1,000; with the numbers listed from the last to the first where that is asked for. */
static void for_blocks(const places *how, size_t k,
                       void (*use)(void *to, const scarce_table *t, const uint64_t *id, uint64_t first),
                       void *to)
{
    const size_t end = begin_of(how, k + 1);
    for (size_t b = begin_of(how, k); b < end; b += 1000) {
        const size_t e = b + 1000 < end ? b + 1000 : end;
        scarce_table *t = rows_of(b, e, how->weights), *turned = NULL;
        static uint64_t id[1000];
        static uint32_t row[1000];
        for (size_t i = b; i < e; ++i) {
            id[i - b] = e - 1 - (i - b);
            row[i - b] = (uint32_t)(e - 1 - i);
        }
        if (how->backwards) CHECK(scarce_table_rows_of(&turned, t, row, e - b, NULL, NULL) == SCARCE_OK);
        use(to, how->backwards ? turned : t, how->backwards ? id : NULL, b);
        scarce_table_free(turned);
        scarce_table_free(t);
    }
}

static void sketch_block(void *to, const scarce_table *t, const uint64_t *id, uint64_t first)
{
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_sketch_add(to, t, id, first, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text), ++test_failures;
}

static void add_block(void *to, const scarce_table *t, const uint64_t *id, uint64_t first)
{
    scarce_error err = SCARCE_ERROR_INIT;
    if (scarce_partition_add(to, t, id, first, NULL, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text), ++test_failures;
}

/* Sketches of all places, joined from the last to the first, by way of bytes. */
static scarce_sketch *sketch_of(const places *how)
{
    scarce_sketch *all = NULL;
    CHECK(scarce_sketch_new(&all, NULL) == SCARCE_OK);
    for (size_t k = how->parts; k-- > 0;) {
        scarce_sketch *s = NULL;
        bytes b = {NULL, 0};
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce_sketch_new(&s, NULL) == SCARCE_OK);
        for_blocks(how, k, sketch_block, s);
        CHECK(scarce_sketch_bytes(&b.at, &b.n, s, NULL) == SCARCE_OK);
        if (scarce_sketch_join(all, b.at, b.n, &err) != SCARCE_OK)
            fprintf(stderr, "%s\n", err.text), ++test_failures;
        scarce_bytes_free(b.at);
        scarce_sketch_free(s);
    }
    return all;
}

static void make_part(cluster *c, size_t k)
{
    scarce_partition_free(c->part[k]);
    CHECK(scarce_partition_new(&c->part[k], c->plan, c->how->files ? "/tmp" : NULL, NULL) == SCARCE_OK);
    for_blocks(c->how, k, add_block, c->part[k]);
}

static scarce_status ask(void *payload, const void *question, size_t n, scarce_answers *answers,
                         scarce_context *ctx, scarce_error *err)
{
    cluster *c = payload;
    ++c->questions;
    for (size_t i = 0; i < c->how->parts; ++i) {
        const size_t k = (i + c->questions) % c->how->parts; /* in any order */
        bytes b = {NULL, 0};
        if (c->how->lose && (k + c->questions) % 3 == 0) make_part(c, k);
        scarce_status st = scarce_partition_answer(&b.at, &b.n, c->part[k], question, n, ctx, err);
        if (st == SCARCE_OK) st = scarce_answers_take(answers, b.at, b.n, err);
        scarce_bytes_free(b.at);
        if (st != SCARCE_OK) return st;
    }
    return SCARCE_OK;
}

static bytes far_model(const places *how, const char *settings, const scarce_train_options *options,
                       int threads)
{
    scarce_sketch *s = sketch_of(how);
    scarce_params *p = params_of(settings);
    scarce_context_options co = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    scarce_plan *plan = NULL, *sent = NULL;
    scarce_model *m = NULL;
    scarce_far far = SCARCE_FAR_INIT;
    cluster c;
    bytes b = {NULL, 0};
    scarce_error err = SCARCE_ERROR_INIT;

    co.threads = threads;
    CHECK(scarce_context_new(&ctx, &co, NULL) == SCARCE_OK);
    memset(&c, 0, sizeof c);
    CHECK(scarce_plan_new(&plan, s, p, NULL, &err) == SCARCE_OK);
    scarce_sketch_free(s);
    CHECK(scarce_plan_bytes(&b.at, &b.n, plan, NULL) == SCARCE_OK);
    CHECK(scarce_plan_read(&sent, b.at, b.n, NULL) == SCARCE_OK);
    scarce_bytes_free(b.at);
    c.how = how;
    c.plan = sent;
    for (size_t k = 0; k < how->parts; ++k) make_part(&c, k);
    far.ask = ask;
    far.payload = &c;
    if (scarce_train_far(&m, plan, p, options, &far, NULL, ctx, &err) != SCARCE_OK)
        fprintf(stderr, "%s\n", err.text), ++test_failures;
    for (size_t k = 0; k < how->parts; ++k) scarce_partition_free(c.part[k]);
    scarce_plan_free(plan);
    scarce_plan_free(sent);
    scarce_params_free(p);
    scarce_context_free(ctx);
    return bytes_of(m);
}

static void check_same(const places *how, const char *settings, const scarce_train_options *options,
                       const bytes *want)
{
    const bytes got = far_model(how, settings, options, 1 + (int)(how->parts % 2));
    CHECK(got.n == want->n && got.at && memcmp(got.at, want->at, got.n) == 0);
    scarce_bytes_free(got.at);
}

static void test_same_bytes(void)
{
    static const places all[] = {
        {1, 0, 0, 0, 0}, {2, 0, 1, 0, 0}, {4, 0, 0, 1, 0}, {8, 0, 1, 1, 1}, {5, 0, 0, 0, 1}};
    const bytes want = in_memory(usual, 0, NULL);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) check_same(&all[i], usual, NULL, &want);
    scarce_bytes_free(want.at);
}

static void test_weights(void)
{
    static const places all[] = {{1, 1, 0, 0, 0}, {4, 1, 1, 1, 0}};
    static const char *const settings[] = {
        "sample=importance n_trees=30 pool=10 min_child_weight=0.1 pos_weight=3",
        "sample=importance n_trees=25 pool=10 min_child_weight=0.1 loss=ap-lb",
        "sample=importance n_trees=25 pool=10 min_child_weight=0.1 loss=focal"};
    for (size_t k = 0; k < 3; ++k) {
        const bytes want = in_memory(settings[k], 1, NULL);
        for (size_t i = 0; i < 2; ++i) check_same(&all[i], settings[k], NULL, &want);
        scarce_bytes_free(want.at);
    }
}

/* Validation rows choose the number of trees, threshold and calibration. */
static void test_validation(void)
{
    static const places how = {3, 0, 0, 0, 0};
    static const char settings[] =
        "sample=importance n_trees=60 pool=10 min_child_weight=0.1 learning_rate=0.3";
    scarce_table *all = rows_of(0, ROWS, 0),
                 *valid = rows_like(ROWS, ROWS + 3000, 0, scarce_table_schema(all));
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    o.valid = valid;
    o.early_stop = 5;
    const bytes want = in_memory(settings, 0, &o);
    check_same(&how, settings, &o, &want);
    scarce_bytes_free(want.at);
    scarce_table_free(valid);
    scarce_table_free(all);
}

/* Rows of one file are held out: a block's rows go to two tables, as those of a table in memory would. */
static int is_held(size_t row)
{
    return row % 5 == 0 || row >= 11000;
}

static scarce_table *side_of(const scarce_table *t, size_t first, int held)
{
    static uint32_t row[ROWS];
    scarce_table *out = NULL;
    size_t n = 0;
    for (size_t i = 0; i < scarce_table_rows(t); ++i) {
        if (is_held(first + i) != held) continue;
        row[n++] = (uint32_t)i;
    }
    if (n) CHECK(scarce_table_rows_of(&out, t, row, n, NULL, NULL) == SCARCE_OK);
    return out;
}

static void test_held_out(void)
{
    scarce_table *all = rows_of(0, ROWS, 1), *train = side_of(all, 0, 0), *valid = side_of(all, 0, 1),
                 *gathered = NULL;
    scarce_params *p = params_of(usual);
    scarce_train_options o = SCARCE_TRAIN_OPTIONS_INIT;
    scarce_sketch *s = NULL;
    scarce_plan *plan = NULL;
    scarce_partition *part = NULL;
    scarce_model *m = NULL;
    static uint64_t before[ROWS];

    o.valid = valid;
    o.early_stop = 5;
    CHECK(scarce_train(&m, train, p, &o, NULL, NULL, NULL) == SCARCE_OK);
    const bytes want = bytes_of(m);
    CHECK(scarce_sketch_new(&s, NULL) == SCARCE_OK);
    for (int pass = 0; pass < 2; ++pass) {
        uint64_t rows = 0;
        if (pass) {
            CHECK(scarce_plan_new(&plan, s, p, NULL, NULL) == SCARCE_OK);
            CHECK(scarce_partition_new(&part, plan, NULL, NULL) == SCARCE_OK);
        }
        for (size_t b = 0; b < ROWS; b += 700) {
            const size_t e = b + 700 < ROWS ? b + 700 : ROWS;
            scarce_table *t = rows_of(b, e, 1), *learnt = side_of(t, b, 0), *held = side_of(t, b, 1);
            for (size_t i = 0, n = 0, k = rows; i < e - b; ++i) {
                if (is_held(b + i)) before[n++] = k;
                else ++k;
            }
            if (held && !pass) CHECK(scarce_sketch_know(s, held, before, NULL) == SCARCE_OK);
            if (held && pass) CHECK(scarce_plan_gather(&gathered, plan, held, NULL) == SCARCE_OK);
            if (learnt && !pass) CHECK(scarce_sketch_add(s, learnt, NULL, rows, NULL) == SCARCE_OK);
            if (learnt && pass)
                CHECK(scarce_partition_add(part, learnt, NULL, rows, NULL, NULL) == SCARCE_OK);
            rows += learnt ? scarce_table_rows(learnt) : 0;
            scarce_table_free(t);
            scarce_table_free(learnt);
            scarce_table_free(held);
        }
    }
    CHECK(scarce_table_fingerprint(gathered) == scarce_table_fingerprint(valid));
    CHECK(scarce_table_positives(gathered) == scarce_table_positives(valid));
    { /* rows without the weights that the first ones had: refused, and the table is as before */
        scarce_table *bare = rows_of(0, 50, 0);
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce_plan_gather(&gathered, plan, bare, &err) == SCARCE_EDATA);
        CHECK_TEXT(err.text, "some of the rows have a weight, others have none");
        CHECK(scarce_table_fingerprint(gathered) == scarce_table_fingerprint(valid));
        scarce_table_free(bare);
    }
    const scarce_here here = {&part, 1};
    const scarce_far far = scarce_far_here(&here);
    o.valid = gathered;
    CHECK(scarce_train_far(&m, plan, p, &o, &far, NULL, NULL, NULL) == SCARCE_OK);
    const bytes got = bytes_of(m);
    CHECK(got.n == want.n && memcmp(got.at, want.at, got.n) == 0);
    scarce_bytes_free(want.at);
    scarce_bytes_free(got.at);
    scarce_partition_free(part);
    scarce_plan_free(plan);
    scarce_sketch_free(s);
    scarce_params_free(p);
    scarce_table_free(all);
    scarce_table_free(train);
    scarce_table_free(valid);
    scarce_table_free(gathered);
}

/* Of more rows than a sample holds: sketches that know how many there are in all are together about as large as one, and give
 * the same plan; those that expect too many say so. */
static void test_expect(void)
{
    enum { MANY = 320000, BLOCK = 20000, PARTS = 4 };
    scarce_params *p = params_of(usual);
    bytes plans[2] = {{NULL, 0}, {NULL, 0}};
    size_t sizes[2] = {0, 0};

    for (int expects = 0; expects < 3; ++expects) {
        scarce_sketch *part[PARTS] = {NULL}, *all = NULL;
        scarce_plan *plan = NULL;
        scarce_error err = SCARCE_ERROR_INIT;
        CHECK(scarce_sketch_new(&all, NULL) == SCARCE_OK);
        for (size_t k = 0; k < PARTS; ++k) {
            CHECK(scarce_sketch_new(&part[k], NULL) == SCARCE_OK);
            if (expects) scarce_sketch_expect(part[k], expects == 1 ? MANY : 2 * MANY);
        }
        for (size_t b = 0; b < MANY; b += BLOCK) {
            scarce_table *t = rows_of(b, b + BLOCK, 0);
            CHECK(scarce_sketch_add(part[b / BLOCK % PARTS], t, NULL, b, NULL) == SCARCE_OK);
            scarce_table_free(t);
        }
        for (size_t k = 0; k < PARTS; ++k) {
            bytes b = {NULL, 0};
            CHECK(scarce_sketch_bytes(&b.at, &b.n, part[k], NULL) == SCARCE_OK);
            if (expects < 2) sizes[expects] += b.n;
            CHECK(scarce_sketch_join(all, b.at, b.n, NULL) == SCARCE_OK);
            scarce_bytes_free(b.at);
            scarce_sketch_free(part[k]);
        }
        CHECK(scarce_sketch_enough(all) == (expects < 2));
        if (expects < 2) {
            CHECK(scarce_plan_new(&plan, all, p, NULL, NULL) == SCARCE_OK);
            CHECK(scarce_plan_bytes(&plans[expects].at, &plans[expects].n, plan, NULL) == SCARCE_OK);
        } else {
            CHECK(scarce_plan_new(&plan, all, p, NULL, &err) == SCARCE_EDATA);
            CHECK(strstr(err.text, "sketch the rows again") != NULL);
        }
        scarce_plan_free(plan);
        scarce_sketch_free(all);
    }
    CHECK(sizes[1] < sizes[0] && (double)sizes[1] < 1.08 * 262144 * (8 + 4 * 4) + 320000 * 0.02 * 24);
    CHECK(plans[0].n == plans[1].n && memcmp(plans[0].at, plans[1].at, plans[0].n) == 0);
    scarce_bytes_free(plans[0].at);
    scarce_bytes_free(plans[1].at);
    scarce_params_free(p);
}

/* What can't be done says so in a line. */
static void test_refusals(void)
{
    const places how = {2, 0, 0, 0, 0};
    scarce_sketch *s = sketch_of(&how), *empty = NULL;
    scarce_params *p = params_of(usual), *all = params_of("sample=all"), *logistic = NULL;
    scarce_plan *plan = NULL;
    scarce_model *m = NULL;
    scarce_error err = SCARCE_ERROR_INIT;
    cluster c;
    scarce_far far = SCARCE_FAR_INIT;
    scarce_table *other;

    memset(&c, 0, sizeof c);
    CHECK(scarce_sketch_new(&empty, NULL) == SCARCE_OK);
    CHECK(scarce_plan_new(&plan, empty, p, NULL, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "there are no training rows");
    CHECK(scarce_params_new(&logistic, "logistic", NULL) == SCARCE_OK);
    CHECK(scarce_plan_new(&plan, s, logistic, NULL, &err) == SCARCE_EUNSUPPORTED);
    CHECK(scarce_plan_new(&plan, s, p, NULL, NULL) == SCARCE_OK);
    c.how = &how;
    c.plan = plan;
    for (size_t k = 0; k < 2; ++k) make_part(&c, k);
    far.ask = ask;
    far.payload = &c;
    CHECK(scarce_train_far(&m, plan, all, NULL, &far, NULL, NULL, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "50,000 rows, 200 positives") != NULL);
    CHECK(scarce_train_far(&m, plan, logistic, NULL, &far, NULL, NULL, &err) == SCARCE_EUNSUPPORTED);
    { /* a partition that is not there, or is there twice */
        const places one = {1, 0, 0, 0, 0};
        c.how = &one;
        CHECK(scarce_train_far(&m, plan, p, NULL, &far, NULL, NULL, &err) == SCARCE_EDATA);
        CHECK(strstr(err.text, "rows answered") != NULL);
        c.how = &how;
    }
    other = rows_of(0, 50, 1);
    CHECK(scarce_sketch_add(s, other, NULL, ROWS, &err) == SCARCE_EDATA);
    CHECK_TEXT(err.text, "some of the rows have weights, others have none");
    scarce_table_free(other);
    other = rows_of(0, 50, 0); /* numbers that were there before */
    CHECK(scarce_sketch_add(s, other, NULL, 0, NULL) == SCARCE_OK);
    scarce_plan *twice = NULL;
    CHECK(scarce_plan_new(&twice, s, p, NULL, &err) == SCARCE_EDATA);
    CHECK(strstr(err.text, "two rows have the number 0") != NULL);
    scarce_table_free(other);
    for (size_t k = 0; k < 2; ++k) scarce_partition_free(c.part[k]);
    scarce_params_free(p);
    scarce_params_free(all);
    scarce_params_free(logistic);
    scarce_plan_free(plan);
    scarce_sketch_free(s);
    scarce_sketch_free(empty);
}

/* A pool that is too large for the machine says what draws a smaller one; with room for it all is well. */
static void test_no_room(void)
{
    const places how = {2, 0, 0, 0, 0};
    scarce_sketch *s = sketch_of(&how);
    scarce_params *p = params_of(usual);
    scarce_plan *plan = NULL;
    scarce_model *m = NULL;
    scarce_far far = SCARCE_FAR_INIT;
    cluster c;
    int told = 0;

    memset(&c, 0, sizeof c);
    CHECK(scarce_plan_new(&plan, s, p, NULL, NULL) == SCARCE_OK);
    scarce_sketch_free(s);
    c.how = &how;
    c.plan = plan;
    for (size_t k = 0; k < 2; ++k) make_part(&c, k);
    far.ask = ask;
    far.payload = &c;
    for (double limit = 2e4; !m && limit < 1e9; limit *= 1.1) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_memory_limit(limit);
        const scarce_status st = scarce_train_far(&m, plan, p, NULL, &far, NULL, NULL, &err);
        CHECK(st == SCARCE_OK || st == SCARCE_ENOMEM);
        told += st != SCARCE_OK && strstr(err.text, "a smaller pool") != NULL;
    }
    scarce_memory_limit(0);
    CHECK(m != NULL && told > 0);
    scarce_model_free(m);
    for (size_t k = 0; k < 2; ++k) scarce_partition_free(c.part[k]);
    scarce_plan_free(plan);
    scarce_params_free(p);
}

typedef struct recorder {
    cluster *c;
    bytes question, answer;
    size_t wanted; /* which question */
} recorder;

static scarce_status record(void *payload, const void *question, size_t n, scarce_answers *answers,
                            scarce_context *ctx, scarce_error *err)
{
    recorder *r = payload;
    if (r->c->questions == r->wanted) {
        r->question.at = malloc(n);
        r->question.n = n;
        memcpy(r->question.at, question, n);
        CHECK(scarce_partition_answer(&r->answer.at, &r->answer.n, r->c->part[0], question, n, ctx, err) ==
              SCARCE_OK);
        uint8_t *b = r->answer.at; /* every byte counts, and a cut one is refused */
        for (size_t i = 0; i < r->answer.n; i += 1 + r->answer.n / 200) {
            b[i] ^= 0x10;
            CHECK(scarce_answers_take(answers, b, r->answer.n, NULL) == SCARCE_EPARSE);
            b[i] ^= 0x10;
            CHECK(scarce_answers_take(answers, b, i, NULL) == SCARCE_EPARSE);
        }
    }
    return ask(r->c, question, n, answers, ctx, err);
}

static void test_damage(void)
{
    const places how = {2, 0, 0, 0, 0};
    for (size_t which = 0; which < 5; ++which) {
        scarce_sketch *s = sketch_of(&how);
        scarce_params *p = params_of("sample=importance n_trees=5 pool=10");
        scarce_plan *plan = NULL, *read = NULL;
        scarce_model *m = NULL;
        cluster c;
        recorder r;
        scarce_far far = SCARCE_FAR_INIT;
        bytes b = {NULL, 0};

        memset(&c, 0, sizeof c);
        memset(&r, 0, sizeof r);
        CHECK(scarce_plan_new(&plan, s, p, NULL, NULL) == SCARCE_OK);
        c.how = &how;
        c.plan = plan;
        for (size_t k = 0; k < 2; ++k) make_part(&c, k);
        r.c = &c;
        r.wanted = which;
        far.ask = record;
        far.payload = &r;
        CHECK(scarce_train_far(&m, plan, p, NULL, &far, NULL, NULL, NULL) == SCARCE_OK);
        CHECK(r.question.at != NULL);
        uint8_t *q = r.question.at;
        for (size_t i = 0; i < r.question.n; i += 1 + r.question.n / 200) {
            q[i] ^= 0x10;
            CHECK(scarce_partition_answer(&b.at, &b.n, c.part[0], q, r.question.n, NULL, NULL) ==
                  SCARCE_EPARSE);
            q[i] ^= 0x10;
            CHECK(scarce_partition_answer(&b.at, &b.n, c.part[0], q, i, NULL, NULL) == SCARCE_EPARSE);
        }
        if (which == 0) {
            CHECK(scarce_plan_bytes(&b.at, &b.n, plan, NULL) == SCARCE_OK);
            uint8_t *bits = b.at;
            for (size_t i = 0; i < b.n; i += 1 + b.n / 200) {
                bits[i] ^= 1;
                CHECK(scarce_plan_read(&read, bits, b.n, NULL) == SCARCE_EPARSE);
                bits[i] ^= 1;
            }
            scarce_bytes_free(b.at);
        }
        free(r.question.at);
        scarce_bytes_free(r.answer.at);
        scarce_model_free(m);
        for (size_t k = 0; k < 2; ++k) scarce_partition_free(c.part[k]);
        scarce_plan_free(plan);
        scarce_params_free(p);
        scarce_sketch_free(s);
    }
}

static const test_case tests[] = {{"same_bytes", test_same_bytes}, {"weights", test_weights},
                                  {"validation", test_validation}, {"held_out", test_held_out},
                                  {"expect", test_expect},         {"refusals", test_refusals},
                                  {"no_room", test_no_room},       {"damage", test_damage}};
TEST_MAIN(tests)
