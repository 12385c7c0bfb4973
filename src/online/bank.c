/* SPDX-License-Identifier: Apache-2.0 */
/* Nets of a few tanh units, or linear models, T of them side by side.
 *
 *     net     h_t(x) = v_t + sum_u V_tu tanh(w_tu x)       linear   h_t(x) = w_t x
 *
 * The first layers of all T are one matrix: input j has a row of T x units weights (unit u of learner t is column
 * u T + t), so a row of data is one walk over the rows of its inputs forward and one backward, in vectors over the
 * learners, at a cost in proportion to what is not zero. Every weight has a step of its own (AdaGrad: Duchi, Hazan and
 * Singer, JMLR 12, 2011), without which boosted nets stay at chance on hard sets (METHODS of the project, measured). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/random.h"
#include "online/weak.h"

enum { NUMBERS = SCARCE__ONLINE_MOST_HIDDEN };

typedef struct bank {
    scarce__weak base;
    const scarce__bank_kernels *kernels;
    size_t units, hidden, width; /* of a learner; in all; padded to 8 */
    int is_net;
    float rate, number_scale, flag_scale; /* of first weights */
    uint64_t seed, round;
    size_t n_inputs, capacity;
    float *weight, *square;      /* capacity x width */
    float *out, *out_square;     /* V: units x T */
    float *shift, *shift_square; /* v: T */
    float *seen;                 /* hidden values of the row that was seen last */
    float *delta;
} bank;

static void bank_free(scarce__weak *w)
{
    bank *b = (bank *)w;
    if (!b) return;
    scarce__free(b->weight);
    scarce__free(b->square);
    scarce__free(b->out);
    scarce__free(b->out_square);
    scarce__free(b->shift);
    scarce__free(b->shift_square);
    scarce__free(b->seen);
    scarce__free(b->delta);
    scarce__free(b);
}

/* ---- first weights */

static float uniform(const bank *b, uint64_t round, uint64_t index, uint64_t i)
{
    const uint64_t key = scarce__key(b->seed + 0x9e3779b97f4a7c15u * round, SCARCE__FOR_ONLINE, index);
    return (float)(2 * scarce__to_unit(scarce__hash(key, i)) - 1);
}

/* Column c of the row of an input. The kind is not kept: a restart draws as for a number that is standardised. */
static float first_weight(const bank *b, uint64_t round, size_t input, size_t c, float scale)
{
    return b->is_net ? scale * uniform(b, round, input + 1, c) : 0;
}

static void first_out(bank *b, uint64_t round, size_t t)
{
    for (size_t u = 0; u < b->units; ++u) {
        const size_t c = u * b->base.count + t;
        b->out[c] = b->is_net ? 0.5f * uniform(b, round, 0, c) : 1;
        b->out_square[c] = 0;
    }
    b->shift[t] = b->shift_square[t] = 0;
}

static int grow(bank *b)
{
    const size_t capacity = b->capacity ? 2 * b->capacity : 64;
    float *weight = scarce__realloc_array(b->weight, capacity * b->width, sizeof *weight), *square;
    if (!weight) return 0;
    b->weight = weight;
    square = scarce__realloc_array(b->square, capacity * b->width, sizeof *square);
    if (!square) return 0;
    b->square = square;
    b->capacity = capacity;
    return 1;
}

static scarce_status bank_made(void *payload, uint32_t input, scarce__input_kind kind, scarce_error *err)
{
    bank *b = payload;
    const float scale = kind == SCARCE__INPUT_CONSTANT ? 0.5f
                        : kind == SCARCE__INPUT_NUMBER ? b->number_scale
                                                       : b->flag_scale;
    if (b->n_inputs == b->capacity && !grow(b))
        return scarce__fail_memory(err, "the weights of an online model", 2 * b->capacity * b->width * 8);
    float *w = b->weight + b->n_inputs * b->width;
    for (size_t c = 0; c < b->width; ++c) w[c] = c < b->hidden ? first_weight(b, 0, input, c, scale) : 0;
    memset(b->square + b->n_inputs * b->width, 0, b->width * sizeof(float));
    b->n_inputs += 1;
    return SCARCE_OK;
}

static void bank_restart(scarce__weak *w, size_t t, uint64_t round)
{
    bank *b = (bank *)w;
    for (size_t j = 0; j < b->n_inputs; ++j)
        for (size_t u = 0; u < b->units; ++u) {
            const size_t c = u * b->base.count + t;
            b->weight[j * b->width + c] = first_weight(b, round, j, c, b->number_scale);
            b->square[j * b->width + c] = 0;
        }
    first_out(b, round, t);
}

static void bank_decay(scarce__weak *w)
{
    bank *b = (bank *)w;
    for (size_t i = 0; i < b->n_inputs * b->width; ++i) b->square[i] *= 0.25f;
    for (size_t c = 0; c < b->hidden; ++c) b->out_square[c] *= 0.25f;
    for (size_t t = 0; t < b->base.count; ++t) b->shift_square[t] *= 0.25f;
}

/* ---- forward */

typedef struct forward {
    const bank *b;
    float *sum;
} forward;

static void add_piece(void *payload, const uint32_t *input, const float *value, size_t n)
{
    const forward *f = payload;
    f->b->kernels->add(f->sum, f->b->weight, f->b->width, input, value, n);
}

/* Sums of the first layer to values of its units, and what comes out. */
static void finish(const bank *b, float *hidden, float *h)
{
    const size_t n = b->base.count;
    if (!b->is_net) {
        memcpy(h, hidden, n * sizeof *h);
        return;
    }
    b->kernels->tanh(hidden, b->width);
    for (size_t t = 0; t < n; ++t) h[t] = b->shift[t];
    for (size_t u = 0; u < b->units; ++u)
        for (size_t t = 0; t < n; ++t) h[t] += b->out[u * n + t] * hidden[u * n + t];
}

static void bank_predict(const scarce__weak *w, const scarce__inputs *in, const scarce__online_row *row,
                         float *h)
{
    const bank *b = (const bank *)w;
    float hidden[NUMBERS];
    forward f = {b, hidden};

    memset(hidden, 0, b->width * sizeof *hidden);
    scarce__inputs_each(in, row, add_piece, &f);
    finish(b, hidden, h);
}

static void bank_see(scarce__weak *w, const scarce__active *active, const scarce__online_row *row, float *h)
{
    bank *b = (bank *)w;
    (void)row;
    memset(b->seen, 0, b->width * sizeof *b->seen);
    b->kernels->add(b->seen, b->weight, b->width, active->input, active->value, active->n);
    finish(b, b->seen, h);
}

/* ---- backward */

static void adagrad(float *weight, float *square, float g, float rate)
{
    const float s = *square + g * g;
    *square = s;
    *weight += rate * g / (sqrtf(s) + 1e-8f);
}

static scarce_status bank_step(scarce__weak *w, const scarce__active *active, const scarce__online_row *row,
                               const float *h, const scarce__steps *s, scarce_error *err)
{
    bank *b = (bank *)w;
    const size_t n = b->base.count;
    float move[SCARCE__ONLINE_MOST_LEARNERS], most = 0;

    (void)row, (void)err;
    for (size_t t = 0; t < n; ++t) {
        move[t] = s->by_gradient ? s->move[t] : s->weight[t] * (s->target[t] - h[t]);
        most = fabsf(move[t]) > most ? fabsf(move[t]) : most;
    }
    if (!(most > 1e-15f && most <= FLT_MAX))
        return SCARCE_OK; /* squares below are none, above are infinite */
    for (size_t u = 0; u < b->units; ++u)
        for (size_t t = 0; t < n; ++t) {
            const size_t c = u * n + t;
            const float a = b->seen[c];
            b->delta[c] = b->is_net ? move[t] * b->out[c] * (1 - a * a) : move[t];
            if (b->is_net) adagrad(&b->out[c], &b->out_square[c], move[t] * a, b->rate);
        }
    for (size_t t = 0; b->is_net && t < n; ++t) adagrad(&b->shift[t], &b->shift_square[t], move[t], b->rate);
    b->kernels->step(b->weight, b->square, b->width, active->input, active->value, active->n, b->delta,
                     b->rate);
    return SCARCE_OK;
}

/* ---- the file */

static void put_floats(scarce__writer *to, const float *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) scarce__put_f32(to, x[i]);
}

static void bank_write(const scarce__weak *w, scarce__writer *to)
{
    const bank *b = (const bank *)w;
    for (size_t j = 0; j < b->n_inputs; ++j) {
        put_floats(to, b->weight + j * b->width, b->hidden);
        put_floats(to, b->square + j * b->width, b->hidden);
    }
    if (!b->is_net) return;
    put_floats(to, b->out, b->hidden);
    put_floats(to, b->out_square, b->hidden);
    put_floats(to, b->shift, b->base.count);
    put_floats(to, b->shift_square, b->base.count);
}

static void get_floats(scarce__reader *r, float *x, size_t n, int square)
{
    for (size_t i = 0; i < n; ++i) {
        x[i] = scarce__get_f32(r);
        if (!(fabsf(x[i]) <= FLT_MAX) || (square && x[i] < 0)) r->failed = 1;
    }
}

static scarce_status bank_read(scarce__weak *w, size_t n_inputs, scarce__reader *r, scarce_error *err)
{
    bank *b = (bank *)w;
    if (n_inputs > (size_t)(r->end - r->at) / (8 * b->hidden)) r->failed = 1;
    while (!r->failed && b->n_inputs < n_inputs) {
        SCARCE__TRY(bank_made(b, (uint32_t)b->n_inputs, SCARCE__INPUT_CONSTANT, err));
        get_floats(r, b->weight + (b->n_inputs - 1) * b->width, b->hidden, 0);
        get_floats(r, b->square + (b->n_inputs - 1) * b->width, b->hidden, 1);
    }
    if (b->is_net) {
        get_floats(r, b->out, b->hidden, 0);
        get_floats(r, b->out_square, b->hidden, 1);
        get_floats(r, b->shift, b->base.count, 0);
        get_floats(r, b->shift_square, b->base.count, 1);
    }
    return r->failed ? scarce__fail(err, SCARCE_EPARSE, "the weights of an online model are damaged")
                     : SCARCE_OK;
}

static const scarce__weak_ops bank_ops = {.free = bank_free,
                                          .predict = bank_predict,
                                          .see = bank_see,
                                          .step = bank_step,
                                          .made = bank_made,
                                          .restart = bank_restart,
                                          .decay = bank_decay,
                                          .write = bank_write,
                                          .read = bank_read};

static void set_scales(bank *b, const scarce_schema *schema)
{
    size_t numbers = 0, categories = 0;
    for (size_t f = 0; f < schema->n_features; ++f) {
        numbers += schema->features[f].kind == SCARCE_COLUMN_NUMERIC;
        categories += schema->features[f].kind == SCARCE_COLUMN_CATEGORY;
    }
    b->number_scale = (float)sqrt(3 / (double)(numbers ? numbers : 1));
    b->flag_scale = (float)(0.87 * (categories > 10 ? sqrt(10 / (double)categories) : 1));
}

scarce_status scarce__bank_new(scarce__weak **out, const scarce__online_options *o,
                               const scarce_schema *schema, uint64_t seed, scarce_error *err)
{
    bank *b = scarce__calloc(1, sizeof *b);

    *out = NULL;
    if (!b) return scarce__fail_memory(err, "an online model", 0);
    b->base.ops = &bank_ops;
    b->base.count = (size_t)o->learners;
    b->kernels = scarce__bank_best();
    b->is_net = o->weak == SCARCE__WEAK_NET;
    b->units = b->is_net ? (size_t)o->units : 1;
    b->hidden = b->units * b->base.count;
    b->width = (b->hidden + 7) / 8 * 8;
    b->rate = (float)o->learning_rate;
    b->seed = seed;
    set_scales(b, schema);
    b->out = scarce__calloc(b->hidden, sizeof *b->out);
    b->out_square = scarce__calloc(b->hidden, sizeof *b->out_square);
    b->shift = scarce__calloc(b->base.count, sizeof *b->shift);
    b->shift_square = scarce__calloc(b->base.count, sizeof *b->shift_square);
    b->seen = scarce__calloc(b->width, sizeof *b->seen);
    b->delta = scarce__calloc(b->width, sizeof *b->delta);
    if (!b->out || !b->out_square || !b->shift || !b->shift_square || !b->seen || !b->delta) {
        bank_free(&b->base);
        return scarce__fail_memory(err, "an online model", 0);
    }
    for (size_t t = 0; t < b->base.count; ++t) first_out(b, 0, t);
    *out = &b->base;
    return SCARCE_OK;
}
