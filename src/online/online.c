/* SPDX-License-Identifier: Apache-2.0 */
/* A model that learns row by row: inputs, weak learners and what combines them, put together. */
#include "online/online.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "online/combine.h"
#include "online/inputs.h"
#include "online/weak.h"

struct scarce__online_work {
    scarce__active active;
    scarce__steps steps;
    float h[SCARCE__ONLINE_MOST_LEARNERS];
    double effect[SCARCE__ONLINE_MOST_LEARNERS];
};

static const double heaviest = 1000; /* a row counts at most as so many */

int scarce__online_is_log_odds(const scarce__online_options *o)
{
    return o->algorithm == SCARCE__ONLINE_ALONE || o->algorithm == SCARCE__ONLINE_ONLB ||
           o->algorithm == SCARCE__ONLINE_STREAMBOOST || o->algorithm == SCARCE__ONLINE_OGB;
}

scarce_status scarce__online_check(const scarce__online_options *o, scarce_error *err)
{
    if (o->weak == SCARCE__WEAK_NET && o->learners * o->units > SCARCE__ONLINE_MOST_HIDDEN)
        return scarce__fail(err, SCARCE_EINVAL, "%lld learners of %lld units; together at most %d",
                            (long long)o->learners, (long long)o->units, (int)SCARCE__ONLINE_MOST_HIDDEN);
    return SCARCE_OK;
}

void scarce__online_free(scarce__online *m)
{
    if (!m) return;
    scarce__inputs_free(m->inputs);
    if (m->weak) m->weak->ops->free(m->weak);
    scarce__combine_free(m->combine);
    if (m->work) {
        scarce__free(m->work->active.input);
        scarce__free(m->work->active.value);
    }
    scarce__free(m->work);
    scarce__free(m->merit);
    scarce__free(m);
}

static scarce_status make_work(scarce__online *m, scarce_error *err)
{
    const size_t n = m->n_features + 1;
    m->work = scarce__calloc(1, sizeof *m->work);
    m->merit = scarce__calloc((size_t)m->o.learners, sizeof *m->merit);
    if (m->work) {
        m->work->active.input = scarce__malloc_array(n, sizeof(uint32_t));
        m->work->active.value = scarce__malloc_array(n, sizeof(float));
    }
    if (!m->work || !m->merit || !m->work->active.input || !m->work->active.value)
        return scarce__fail_memory(err, "an online model", 0);
    return SCARCE_OK;
}

/* Without inputs. */
static scarce_status make(scarce__online **out, const scarce__online_options *o, const scarce_schema *schema,
                          size_t n_classes, size_t positive, uint64_t seed, scarce_error *err)
{
    scarce__online *m;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(scarce__online_check(o, err));
    if (n_classes < 2 || n_classes > SCARCE__ONLINE_MOST_CLASSES || positive >= n_classes)
        return scarce__fail(err, SCARCE_EINVAL, "%zu classes; 2 to %d are learnt", n_classes,
                            (int)SCARCE__ONLINE_MOST_CLASSES);
    if (n_classes > 2 && (o->algorithm != SCARCE__ONLINE_ONLB || o->paper))
        return scarce__fail(err, SCARCE_EINVAL,
                            "more than two classes are learnt by onlb, end to end, alone");
    m = scarce__calloc(1, sizeof *m);
    if (!m) return scarce__fail_memory(err, "an online model", 0);
    m->o = *o;
    m->seed = seed;
    m->n_features = schema->n_features;
    m->n_classes = n_classes;
    m->positive = positive;
    st = make_work(m, err);
    if (st == SCARCE_OK)
        st = o->weak == SCARCE__WEAK_TREE ? scarce__hoeffding_new(&m->weak, o, schema, seed, err)
                                          : scarce__bank_new(&m->weak, o, schema, seed, err);
    if (st == SCARCE_OK)
        st = scarce__combine_new(&m->combine, o, n_classes == 2 ? 1 : n_classes, positive, seed, err);
    if (st != SCARCE_OK) {
        scarce__online_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

scarce_status scarce__online_new(scarce__online **out, const scarce__online_options *o,
                                 const scarce_schema *schema, size_t n_classes, size_t positive,
                                 uint64_t seed, scarce_error *err)
{
    SCARCE__TRY(make(out, o, schema, n_classes, positive, seed, err));
    const scarce_status st = scarce__inputs_new(&(*out)->inputs, schema, (size_t)o->max_categories, err);
    if (st != SCARCE_OK) {
        scarce__online_free(*out);
        *out = NULL;
    }
    return st;
}

/* ---- scoring */

double scarce__online_score_row(const scarce__online *m, const scarce__online_row *row)
{
    float h[SCARCE__ONLINE_MOST_LEARNERS];
    m->weak->ops->predict(m->weak, m->inputs, row, h);
    return scarce__combine_score(m->combine, h);
}

double scarce__online_score(const scarce__online *m, const float *row)
{
    const scarce__online_row r = {row, NULL, 0};
    return scarce__online_score_row(m, &r);
}

double scarce__online_classes(const scarce__online *m, const scarce__online_row *row, double *probability)
{
    const double prior = scarce__ln(m->o.pos_weight);
    float h[SCARCE__ONLINE_MOST_LEARNERS];
    double largest = -HUGE_VAL, sum = 0;

    m->weak->ops->predict(m->weak, m->inputs, row, h);
    const double score = scarce__combine_score(m->combine, h);
    if (m->n_classes == 2) {
        probability[1] = scarce__sigmoid(score - prior);
        probability[0] = 1 - probability[1];
        return score;
    }
    scarce__combine_outputs(m->combine, h, probability);
    probability[m->positive] -= prior;
    for (size_t j = 0; j < m->n_classes; ++j) largest = probability[j] > largest ? probability[j] : largest;
    for (size_t j = 0; j < m->n_classes; ++j) sum += probability[j] = scarce__exp(probability[j] - largest);
    const int usual = sum <= DBL_MAX; /* not of outputs that are none */
    for (size_t j = 0; j < m->n_classes; ++j)
        probability[j] = usual ? probability[j] / sum : 1 / (double)m->n_classes;
    return score;
}

/* ---- learning */

scarce_status scarce__online_learn(scarce__online *m, const scarce__online_row *row, size_t y, double weight,
                                   scarce_error *err)
{
    struct scarce__online_work *w = m->work;
    const scarce__weak_ops *ops = m->weak->ops;
    const size_t n = m->weak->count;
    const int positive = m->n_classes == 2 ? y != 0 : y == m->positive;

    if (!(weight >= 0 && weight <= DBL_MAX) || y >= m->n_classes) {
        m->refused += 1;
        return SCARCE_OK;
    }
    weight = positive ? weight * m->o.pos_weight : weight;
    weight = weight > heaviest ? heaviest : weight;
    if (ops->made) {
        SCARCE__TRY(scarce__inputs_make(m->inputs, row, ops->made, m->weak, err));
        scarce__inputs_count(m->inputs, row);
        scarce__inputs_list(m->inputs, row, &w->active);
    }
    ops->see(m->weak, &w->active, row, w->h);
    memset(w->effect, 0, n * sizeof *w->effect);
    if (!scarce__combine_learn(m->combine, w->h, y, weight, m->rows + 1, &w->steps, w->effect)) {
        m->refused += 1;
        return SCARCE_OK;
    }
    m->rows += 1;
    for (size_t t = 0; t < n; ++t) m->merit[t] += 1e-3 * (w->effect[t] - m->merit[t]);
    return ops->step(m->weak, &w->active, row, w->h, &w->steps, err);
}

void scarce__online_restart_weakest(scarce__online *m)
{
    size_t weakest = 0;
    if (m->weak->count < 2) {
        scarce__online_decay(m);
        return;
    }
    for (size_t t = 1; t < m->weak->count; ++t)
        if (m->merit[t] < m->merit[weakest]) weakest = t;
    m->restarts += 1;
    m->weak->ops->restart(m->weak, weakest, m->restarts);
    scarce__combine_restart(m->combine, weakest);
    m->merit[weakest] = HUGE_VAL; /* not the same again at once */
    double sum = 0;
    for (size_t t = 0; t < m->weak->count; ++t) sum += t == weakest ? 0 : m->merit[t];
    m->merit[weakest] = sum / (double)(m->weak->count - 1);
}

void scarce__online_decay(scarce__online *m)
{
    m->decays += 1;
    m->weak->ops->decay(m->weak);
    scarce__inputs_decay(m->inputs);
}

/* ---- the file */

static void write_options(const scarce__online_options *o, scarce__writer *w)
{
    scarce__put_u8(w, (uint8_t)o->algorithm);
    scarce__put_u8(w, (uint8_t)o->weak);
    scarce__put_u8(w, (uint8_t)o->paper);
    scarce__put_u64(w, (uint64_t)o->learners);
    scarce__put_u64(w, (uint64_t)o->spaces);
    scarce__put_u64(w, (uint64_t)o->units);
    scarce__put_u64(w, (uint64_t)o->max_categories);
    scarce__put_u64(w, (uint64_t)o->grace);
    scarce__put_u64(w, (uint64_t)o->max_leaves);
    const double reals[] = {o->learning_rate, o->combine_rate,     o->leak, o->pos_weight, o->edge, o->bound,
                            o->kappa,         o->split_confidence, o->tie};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i) scarce__put_f64(w, reals[i]);
}

static double get_within(scarce__reader *r, double lo, double hi)
{
    const double x = scarce__get_f64(r);
    if (!(x >= lo && x <= hi)) r->failed = 1;
    return x;
}

static int64_t get_count_within(scarce__reader *r, uint64_t lo, uint64_t hi)
{
    const uint64_t x = scarce__get_u64(r);
    if (x < lo || x > hi) r->failed = 1;
    return r->failed ? (int64_t)lo : (int64_t)x;
}

static void read_options(scarce__online_options *o, scarce__reader *r)
{
    memset(o, 0, sizeof *o);
    o->algorithm = scarce__get_u8(r);
    o->weak = scarce__get_u8(r);
    o->paper = scarce__get_u8(r);
    if (o->algorithm > SCARCE__ONLINE_STREAMBOOST || o->weak > SCARCE__WEAK_TREE || o->paper > 1)
        r->failed = 1;
    o->learners = get_count_within(r, 1, SCARCE__ONLINE_MOST_LEARNERS);
    o->spaces = get_count_within(r, 1, SCARCE__ONLINE_MOST_SPACES);
    o->units = get_count_within(r, 1, SCARCE__ONLINE_MOST_HIDDEN);
    o->max_categories = get_count_within(r, 1, 1 << 24);
    o->grace = get_count_within(r, 1, 1 << 30);
    o->max_leaves = get_count_within(r, 1, 1 << 20);
    o->learning_rate = get_within(r, 0, 1e6);
    o->combine_rate = get_within(r, 0, 1e6);
    o->leak = get_within(r, 0, 1);
    o->pos_weight = get_within(r, 0, 1e9);
    o->edge = get_within(r, 0, 0.499999);
    o->bound = get_within(r, 1e-9, 1e9);
    o->kappa = get_within(r, 0, 1e6);
    o->split_confidence = get_within(r, 1e-300, 1);
    o->tie = get_within(r, 0, 1e6);
}

void scarce__online_write(const scarce__online *m, scarce__writer *w)
{
    write_options(&m->o, w);
    scarce__put_u64(w, m->seed);
    scarce__put_u64(w, m->n_classes);
    scarce__put_u64(w, m->positive);
    scarce__put_u64(w, m->rows);
    scarce__put_u64(w, m->refused);
    scarce__put_u64(w, m->restarts);
    scarce__put_u64(w, m->decays);
    for (size_t t = 0; t < m->weak->count; ++t) scarce__put_f64(w, m->merit[t]);
    scarce__inputs_write(m->inputs, w);
    scarce__combine_write(m->combine, w);
    m->weak->ops->write(m->weak, w);
}

scarce_status scarce__online_read(scarce__online **out, const scarce_schema *schema, scarce__reader *r,
                                  scarce_error *err)
{
    scarce__online_options o;
    scarce__online *m = NULL;
    scarce_status st;

    *out = NULL;
    read_options(&o, r);
    const uint64_t seed = scarce__get_u64(r), classes = scarce__get_u64(r), positive = scarce__get_u64(r);
    if (r->failed || classes > SCARCE__ONLINE_MOST_CLASSES || positive >= classes)
        return scarce__fail(err, SCARCE_EPARSE, "the settings of an online model are damaged");
    st = make(&m, &o, schema, (size_t)classes, (size_t)positive, seed, err);
    if (st != SCARCE_OK)
        return st == SCARCE_ENOMEM
                   ? st
                   : scarce__fail(err, SCARCE_EPARSE, "the settings of an online model are damaged");
    m->rows = scarce__get_u64(r);
    m->refused = scarce__get_u64(r);
    m->restarts = scarce__get_u64(r);
    m->decays = scarce__get_u64(r);
    for (size_t t = 0; t < m->weak->count; ++t) m->merit[t] = get_within(r, -DBL_MAX, DBL_MAX);
    if (r->failed) st = scarce__fail(err, SCARCE_EPARSE, "the settings of an online model are damaged");
    if (st == SCARCE_OK) st = scarce__inputs_read(&m->inputs, schema, r, err);
    if (st == SCARCE_OK) st = scarce__combine_read(m->combine, r, err);
    if (st == SCARCE_OK) st = m->weak->ops->read(m->weak, m->inputs->n_inputs, r, err);
    if (st != SCARCE_OK) {
        scarce__online_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}
