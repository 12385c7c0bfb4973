/* SPDX-License-Identifier: Apache-2.0 */
#include "far/message.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sort.h"
#include "model/model.h"

enum { MAGIC = 0x31464353 /* "SCF1" */, CHECK = 8, MOST_TREES = 1 << 20 };

void scarce__message_begin(scarce__writer *w, scarce__message what)
{
    scarce__put_u32(w, MAGIC);
    scarce__put_u32(w, (uint32_t)what);
}

scarce_status scarce__message_end(void **bytes, size_t *n, scarce__writer *w, scarce_error *err)
{
    if (!w->failed) scarce__put_u64(w, scarce__crc64(w->bytes, w->n));
    *bytes = NULL;
    *n = 0;
    if (w->failed) {
        scarce__writer_deinit(w);
        return scarce__fail_memory(err, "a message", 0);
    }
    *bytes = w->bytes;
    *n = w->n;
    memset(w, 0, sizeof *w);
    return SCARCE_OK;
}

scarce_status scarce__message_damaged(scarce_error *err)
{
    return scarce__fail(err, SCARCE_EPARSE, "a message between the training and its rows is damaged");
}

scarce_status scarce__message_open(scarce__reader *r, const void *bytes, size_t n, scarce__message what,
                                   scarce_error *err)
{
    uint64_t check = 0;
    scarce__reader tail;

    if (n < 8 + CHECK) return scarce__message_damaged(err);
    tail = scarce__reader_of((const uint8_t *)bytes + n - CHECK, CHECK);
    check = scarce__get_u64(&tail);
    *r = scarce__reader_of(bytes, n - CHECK);
    if (scarce__get_u32(r) != MAGIC || scarce__get_u32(r) != (uint32_t)what ||
        check != scarce__crc64(bytes, n - CHECK))
        return scarce__message_damaged(err);
    return SCARCE_OK;
}

/* ---- questions */

static void write_loss(const scarce__loss *l, scarce__writer *w)
{
    const scarce__loss_params *p = &l->params;
    scarce__put_text(w, l->name);
    scarce__put_f64(w, p->gamma);
    scarce__put_f64(w, p->focus);
    scarce__put_f64(w, p->scale);
    scarce__put_f64(w, p->beta);
    scarce__put_f64(w, p->most);
    scarce__put_u8(w, (uint8_t)(p->classic != 0));
}

static scarce_status read_loss(scarce__loss *l, scarce__reader *r, scarce_error *err)
{
    scarce__loss_params p;
    int no_memory = 0;
    char *name = scarce__get_text(r, &no_memory);
    scarce_status st;

    memset(&p, 0, sizeof p);
    p.gamma = scarce__get_f64(r);
    p.focus = scarce__get_f64(r);
    p.scale = scarce__get_f64(r);
    p.beta = scarce__get_f64(r);
    p.most = scarce__get_f64(r);
    p.classic = scarce__get_u8(r);
    if (no_memory) return scarce__fail_memory(err, "a message", 0);
    if (!name || r->failed || !isfinite(p.gamma) || !isfinite(p.focus) || !isfinite(p.scale) ||
        !isfinite(p.beta) || !isfinite(p.most))
        st = scarce__message_damaged(err);
    else st = scarce__loss_make(l, name, &p, err);
    scarce__free(name);
    if (st == SCARCE_OK && !l->interest) return scarce__message_damaged(err);
    return st;
}

scarce_status scarce__question_write(void **bytes, size_t *n, const scarce__question *q, scarce_error *err)
{
    static const scarce__forest none;
    scarce__writer w = {0};

    scarce__message_begin(&w, SCARCE__A_QUESTION);
    scarce__put_u32(&w, (uint32_t)q->what);
    scarce__put_u64(&w, q->plan);
    scarce__put_u64(&w, q->run);
    scarce__put_f64(&w, q->factor[0]);
    scarce__put_f64(&w, q->factor[1]);
    scarce__put_f64(&w, q->base);
    write_loss(&q->loss, &w);
    scarce__put_u32(&w, q->thin);
    scarce__put_f32(&w, q->rule.add);
    scarce__put_f32(&w, q->rule.mu);
    scarce__put_f32(&w, q->rule.most);
    scarce__put_u64(&w, q->rule.key);
    scarce__put_f32(&w, q->from);
    scarce__kind_trees.write(q->trees ? q->trees : &none, NULL, &w);
    return scarce__message_end(bytes, n, &w, err);
}

static scarce_status check_question(const scarce__question *q, scarce_error *err)
{
    const scarce__interest_rule *rule = &q->rule;
    const int draws = q->what == SCARCE__ASK_DRAW;

    if (q->what < SCARCE__ASK_COUNT || q->what > SCARCE__ASK_TOP || !isfinite(q->base) ||
        !(q->factor[0] >= 0 && q->factor[0] <= 1e30) || !(q->factor[1] >= 0 && q->factor[1] <= 1e30) ||
        q->thin < 1 || q->thin > SCARCE__INTEREST_THIN || isnan(q->from) ||
        (draws && (!(rule->add >= 0) || !(rule->mu > 0) || !(rule->most > 0 && rule->most <= 1))))
        return scarce__message_damaged(err);
    return SCARCE_OK;
}

scarce_status scarce__question_read(scarce__question *q, const void *bytes, size_t n, size_t n_features,
                                    scarce_error *err)
{
    /* trees are checked against the number of features alone */
    scarce_schema schema = {.n_features = n_features};
    scarce__reader r;
    void *trees = NULL;

    memset(q, 0, sizeof *q);
    SCARCE__TRY(scarce__message_open(&r, bytes, n, SCARCE__A_QUESTION, err));
    q->what = (scarce__ask)scarce__get_u32(&r);
    q->plan = scarce__get_u64(&r);
    q->run = scarce__get_u64(&r);
    q->factor[0] = scarce__get_f64(&r);
    q->factor[1] = scarce__get_f64(&r);
    q->base = scarce__get_f64(&r);
    SCARCE__TRY(read_loss(&q->loss, &r, err));
    q->thin = scarce__get_u32(&r);
    q->rule.add = scarce__get_f32(&r);
    q->rule.mu = scarce__get_f32(&r);
    q->rule.most = scarce__get_f32(&r);
    q->rule.key = scarce__get_u64(&r);
    q->from = scarce__get_f32(&r);
    if (r.failed) return scarce__message_damaged(err);
    SCARCE__TRY(check_question(q, err));
    SCARCE__TRY(scarce__kind_trees.read(&trees, &schema, &r, err));
    q->own = trees;
    q->trees = trees;
    if (r.failed || r.at != r.end || q->trees->n_trees > MOST_TREES) {
        scarce__question_deinit(q);
        return scarce__message_damaged(err);
    }
    return SCARCE_OK;
}

void scarce__question_deinit(scarce__question *q)
{
    if (q->own) scarce__kind_trees.free(q->own);
    q->own = NULL;
    q->trees = NULL;
}

/* ---- answers */

void scarce__answer_begin(scarce__writer *w, const scarce__question *q, uint64_t rows)
{
    scarce__message_begin(w, SCARCE__AN_ANSWER);
    scarce__put_u32(w, (uint32_t)q->what);
    scarce__put_u64(w, q->plan);
    scarce__put_u64(w, rows);
}

scarce_status scarce__answer_open(scarce__reader *r, uint64_t *rows, const void *bytes, size_t n,
                                  const scarce__question *q, scarce_error *err)
{
    SCARCE__TRY(scarce__message_open(r, bytes, n, SCARCE__AN_ANSWER, err));
    const uint32_t what = scarce__get_u32(r);
    const uint64_t plan = scarce__get_u64(r);
    *rows = scarce__get_u64(r);
    if (r->failed || what != (uint32_t)q->what) return scarce__message_damaged(err);
    if (plan != q->plan) return scarce__fail(err, SCARCE_EDATA, "an answer comes from rows of another plan");
    return SCARCE_OK;
}

void scarce__exact_write(const scarce__exact *e, scarce__writer *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SCARCE__EXACT_PARTS; ++i) n += e->part[i] != 0;
    scarce__put_u32(w, n);
    for (uint32_t i = 0; i < SCARCE__EXACT_PARTS; ++i)
        if (e->part[i]) {
            scarce__put_u32(w, i);
            scarce__put_u64(w, e->part[i]);
        }
}

void scarce__exact_read(scarce__exact *e, scarce__reader *r)
{
    for (uint32_t n = scarce__get_u32(r); n > 0 && !r->failed; --n) {
        const uint32_t i = scarce__get_u32(r);
        const uint64_t v = scarce__get_u64(r);
        if (i < SCARCE__EXACT_PARTS) e->part[i] += v;
        else r->failed = 1;
    }
}

enum { SCORE_SHIFT = 15 };

uint32_t scarce__score_cell(float score)
{
    return scarce__float_key(score) >> SCORE_SHIFT;
}

float scarce__score_cell_edge(uint32_t cell)
{
    return scarce__key_float(cell << SCORE_SHIFT);
}
