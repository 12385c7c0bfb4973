/* SPDX-License-Identifier: Apache-2.0 */
/* nlb: boosted trees and a layer of representations on top of them (boost/latent.h). The parameters of trees are those of
 * gb; trees see all rows. */
#include <math.h>
#include <string.h>

#include "boost/latent.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/gb_options.h"
#include "method/method.h"
#include "method/watcher.h"
#include "model/latent_body.h"

typedef struct layer_params {
    int scheme;
    int64_t representations, steps, batch, passes;
    double rate, decay, ridge;
} layer_params;

typedef struct nlb_params {
    layer_params layer;
    scarce__gb_tree_params tree;
} nlb_params;

#define AT(f) offsetof(layer_params, f)
static const scarce__param layer_list[] = {
    {"scheme", "", SCARCE__CHOICE, AT(scheme), "skip", 0, 0, "skip|paper",
     "skip: the sum of the trees, as in gb with learning_rate, and representations beside it, all of whose "
     "weights "
     "learn on after each tree. paper: representations alone, as published: least-squares trees, and Newton "
     "steps for "
     "the newest tree (learning_rate is their damping)",
     NULL, NULL},
    {"representations", "n_representations", SCARCE__INT, AT(representations), "auto", 1, SCARCE__LATENT_MOST,
     NULL, "weighted sums of the trees whose positive parts are weighed and added up. auto: 20; paper: 50",
     NULL, NULL},
    {"latent_rate", "", SCARCE__REAL, AT(rate), "0.002", 0, 1, NULL,
     "size of a step on the weights of the representations (Adam). 0: there are none, as in gb",
     .search = "0|0.002|0.01", .when = "scheme=skip"},
    {"latent_steps", "", SCARCE__INT, AT(steps), "4", 0, 1000, NULL, "such steps after each tree",
     .when = "scheme=skip"},
    {"latent_decay", "", SCARCE__REAL, AT(decay), "0.001", 0, 1, NULL,
     "how strongly these weights are drawn to 0", .search = "log:1e-4:0.1", .when = "scheme=skip"},
    {"latent_batch", "", SCARCE__INT, AT(batch), "4096", 256, 1e9, NULL,
     "rows that the steps after a tree look at, drawn by how wrong they are; all where there are no more",
     .when = "scheme=skip"},
    {"passes", "", SCARCE__INT, AT(passes), "10", 1, 1000, NULL,
     "times that all representations are gone over after each tree (the paper: 1)", .when = "scheme=paper"},
    {"ridge", "", SCARCE__REAL, AT(ridge), "1", 0, 1e9, NULL, "added to the curvature in these Newton steps",
     .when = "scheme=paper"},
};
#undef AT

static const scarce__param_part parts[] = {SCARCE__PART(layer_list, offsetof(nlb_params, layer)),
                                           SCARCE__PART(scarce__gb_tree_list, offsetof(nlb_params, tree))};
static const scarce__param_table table = {parts, 2, sizeof(nlb_params)};

/* Leaves are not shrunk but clipped; constraints on trees are none on what the representations make of them. */
const scarce__preset scarce__as_nlb[] = {{"n_trees", "100", 0},      {"learning_rate", "auto", 0},
                                         {"max_leaves", "4", 0},     {"lambda", "1e-3", 0},
                                         {"max_delta_step", "4", 0}, {"splits", "best", 1},
                                         {"categories", "sets", 1},  {"monotone", "", 1},
                                         {"interactions", "", 1},    {NULL, NULL, 0}};

/* ---- options */

/* The parameters of trees, as gb takes them: logistic loss, all rows. */
static scarce__gb_params as_gb(const nlb_params *p)
{
    scarce__gb_params gb;

    memset(&gb, 0, sizeof gb);
    gb.tree = p->tree;
    gb.loss.loss_gamma = 1;
    gb.loss.focal_gamma = 2;
    gb.loss.beta = 1;
    gb.loss.list_alpha = (double)NAN;
    gb.loss.z_max = 4;
    gb.sample.sample = 1; /* all */
    gb.sample.subsample = 1;
    gb.sample.ratio = 0.5;
    gb.sample.reweigh = 1;
    gb.sample.top = 0.2;
    gb.sample.other = 0.1;
    gb.sample.mvs_lambda = 0.1;
    gb.sample.neg_per_pos = 5;
    gb.sample.max_probability = (double)NAN;
    gb.sample.refresh = SCARCE__AUTO_INT;
    gb.sample.k_neighbors = 5;
    gb.sample.made_per_pos = 1;
    return gb;
}

enum { FEW_TREES = 10 };

/* "auto" becomes what it is. */
static void settle(nlb_params *p)
{
    const int paper = p->layer.scheme == SCARCE__LATENT_PAPER;

    if (p->layer.representations == SCARCE__AUTO_INT) p->layer.representations = paper ? 50 : 20;
    if (isnan(p->tree.learning_rate))
        p->tree.learning_rate = !paper ? 0.1 : p->tree.n_trees < FEW_TREES ? 1 : 0.3;
    if (p->tree.max_leaves == SCARCE__AUTO_INT) p->tree.max_leaves = 31;
    if (isnan(p->tree.colsample_node)) p->tree.colsample_node = 1;
}

static scarce__latent_options layer_options(const nlb_params *p, uint64_t seed)
{
    const layer_params *l = &p->layer;
    const int paper = l->scheme == SCARCE__LATENT_PAPER;

    return (scarce__latent_options){.scheme = (scarce__latent_scheme)l->scheme,
                                    .width = (size_t)l->representations,
                                    .skip = paper ? 0 : p->tree.learning_rate,
                                    .seed = seed,
                                    .steps = (int)l->steps,
                                    .rate = l->rate,
                                    .decay = l->decay,
                                    .batch = (size_t)l->batch,
                                    .passes = (int)l->passes,
                                    .damping = p->tree.learning_rate,
                                    .ridge = l->ridge};
}

static scarce_status tree_options(scarce__boost_options *o, const nlb_params *p,
                                  const scarce__latent_options *l, scarce__latent *layer, size_t rows,
                                  size_t positives, uint64_t seed, scarce_error *err)
{
    const scarce__gb_params gb = as_gb(p);
    const scarce__gb_size size = {rows, positives};

    SCARCE__TRY(scarce__gb_options(o, &gb, size, NULL, seed, err));
    o->grow.learning_rate = 1; /* what a tree counts is the layer's business */
    if (l->scheme == SCARCE__LATENT_PAPER) o->grow.rounding = 0; /* made for Newton's curvatures */
    o->loss = scarce__loss_latent(l, layer);
    return SCARCE_OK;
}

/* ---- before the work */

static scarce_status check(const scarce__job *job, scarce_error *err)
{
    const nlb_params *p = scarce__params_options(job->asked);
    const scarce__gb_params gb = as_gb(p);
    const scarce_model *resume = job->options->resume;

    if (job->options->early_stop > 0 && !job->valid && !job->options->expects_valid)
        return scarce__fail(err, SCARCE_EINVAL,
                            "early stopping needs validation rows (--valid or --valid-fraction)");
    SCARCE__TRY(scarce__gb_check(&gb, err));
    if (p->tree.max_leaves > SCARCE__LATENT_LEAVES || (p->tree.max_leaves == 0 && p->tree.max_depth > 8))
        return scarce__fail(err, SCARCE_EINVAL,
                            "nlb takes trees of at most %d leaves: set max_leaves, or max_depth to 8 or less",
                            SCARCE__LATENT_LEAVES);
    if (resume && job->table &&
        (resume->kind != &scarce__kind_latent || resume->schema.n_features != job->table->schema.n_features))
        return scarce__fail(err, SCARCE_EINVAL,
                            "the checkpoint is of another kind of model or has other features");
    return SCARCE_OK;
}

static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    nlb_params p = *(const nlb_params *)scarce__params_options(job->asked);
    scarce__latent layer = {0};
    scarce__boost_options o;

    settle(&p);
    const scarce__latent_options l = layer_options(&p, 1);
    if (tree_options(&o, &p, &l, &layer, rows, positives, 1, NULL) != SCARCE_OK) return 0;
    return (double)scarce__boost_memory(rows, features, valid_rows, &o, scarce_context_threads(job->ctx)) +
           scarce__latent_memory(rows, valid_rows, (size_t)p.tree.n_trees, &l);
}

/* ---- checkpoints: a model whose section `stat` says how many trees are done. Going on takes these trees and learns the
 * layer again from them, which gives what it was. */

typedef struct company {
    const scarce__job *job;
    scarce__latent_body *body;
} company;

static scarce_status make_state(uint8_t **state, size_t *n, size_t trees, scarce_error *err)
{
    scarce__writer w = {0};
    scarce__put_u64(&w, trees);
    if (w.failed) return scarce__fail_memory(err, "a checkpoint", 0);
    *state = w.bytes;
    *n = w.n;
    return SCARCE_OK;
}

static scarce_status keep(void *payload, const scarce__forest *so_far, scarce_error *err)
{
    const company *c = payload;
    const scarce__latent_body now = {*so_far, c->body->layer};
    uint8_t *state = NULL;
    size_t n = 0;

    SCARCE__TRY(make_state(&state, &n, so_far->n_trees, err));
    const scarce_status st = scarce__keep_checkpoint(c->job, &scarce__kind_latent, &now, state, n, err);
    scarce__free(state);
    return st;
}

/* ---- training */

static scarce_status set_company(scarce__boost_options *o, scarce__watcher *w, company *c, scarce_error *err)
{
    const scarce_train_options *options = c->job->options;

    if (options->resume) o->resume = scarce__kind_latent.forest(options->resume->body);
    if (options->checkpoint && options->checkpoint_every > 0) {
        o->keep = keep;
        o->keep_payload = c;
        o->keep_every = options->checkpoint_every;
    }
    return c->job->valid ? scarce__watcher_start(w, o, c->job, err) : SCARCE_OK;
}

static double last_seen(const double *curve, size_t n)
{
    for (size_t t = n; curve && t > 0; --t)
        if (!isnan(curve[t - 1])) return curve[t - 1];
    return (double)NAN;
}

static scarce_status boost(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                           scarce__latent_body *body, scarce_error *err)
{
    const scarce__boost_data train = {.table = job->table}, valid = {.table = job->valid};
    scarce__boost_result result;

    if (o->metric) {
        out->curve = scarce__malloc_array((size_t)o->n_trees, sizeof *out->curve);
        if (!out->curve) return scarce__fail_memory(err, "trees", 0);
        for (int t = 0; t < o->n_trees; ++t) out->curve[t] = (double)NAN;
        o->history = out->curve;
    }
    SCARCE__TRY(
        scarce__boost_train(&body->forest, &train, job->valid ? &valid : NULL, o, &result, job->ctx, err));
    out->iterations = result.n_grown;
    out->best_iteration = result.n_trees;
    out->valid_metric = last_seen(out->curve, result.n_trees);
    out->n_curve = out->curve ? result.n_grown : 0;
    out->seconds_prepare = result.seconds_bin;
    out->cancelled = result.cancelled;
    if (result.cancelled) return make_state(&out->state, &out->n_state, result.n_grown, err);
    return job->throwaway
               ? SCARCE_OK
               : scarce__latent_importance(body, job->valid ? job->valid : job->table, job->ctx, err);
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    nlb_params *p = scarce__params_edit(job->params);
    scarce__latent_body *body = scarce__calloc(1, sizeof *body);
    scarce__latent_options l;
    scarce__boost_options o;
    scarce__watcher w;
    company c = {job, body};
    scarce_status st;

    if (!body) return scarce__fail_memory(err, "a model", sizeof *body);
    memset(&w, 0, sizeof w);
    settle(p);
    l = layer_options(p, scarce_context_seed(job->ctx));
    st = tree_options(&o, p, &l, &body->layer, job->table->n_rows, job->table->n_positives, l.seed, err);
    if (st == SCARCE_OK) {
        p->tree.eval_every = o.eval_every;
        p->tree.category_splits = SCARCE__CATEGORY_SPLITS_SORTED + (o.grow.rules.category_all ? 1 : 0);
        scarce__gb_meaning(&out->meaning, &o);
        scarce__meaning_costs(&out->meaning, job->table);
        if (job->base) {
            o.base_given = 1;
            o.base = *job->base;
        }
        st = set_company(&o, &w, &c, err);
    }
    if (st == SCARCE_OK) st = boost(out, job, &o, body, err);
    scarce__watcher_stop(&w);
    if (st != SCARCE_OK) {
        scarce__kind_latent.free(body);
        return st;
    }
    out->kind = &scarce__kind_latent;
    out->body = body;
    return SCARCE_OK;
}

const scarce__engine scarce__engine_nlb = {.params = &table,
                                           .can = SCARCE__CAN_STOP | SCARCE__CAN_RESUME |
                                                  SCARCE__CAN_PROBABILITY | SCARCE__CAN_COSTS,
                                           .rate = "learning_rate",
                                           .check = check,
                                           .memory = memory,
                                           .train = train};
