/* SPDX-License-Identifier: Apache-2.0 */
/* Boosted trees: from a job to a forest. The parameters are in gb_params.c, what becomes of them in
 * gb_options.c, what held-out rows are asked about in gb_candidates.c, how they answer in gb_choose.c. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "method/constraints.h"
#include "method/gb_candidates.h"
#include "method/gb_encode.h"
#include "method/gb_options.h"
#include "method/gb_sum.h"
#include "method/method.h"
#include "method/watcher.h"
#include "model/encoded.h"
#include "tree/fast.h"

static scarce__gb_size size_of(const scarce__job *job)
{
    const scarce__gb_size size = {scarce__job_rows(job), scarce__job_positives(job)};
    return size;
}

/* ---- before the work */

static scarce_status check_user_loss(const scarce__job *job, scarce_error *err)
{
    const scarce_loss *user = job->options->loss;
    if (!user) return SCARCE_OK;
    if (!user->gradients) return scarce__fail(err, SCARCE_EINVAL, "the caller's loss has no gradients");
    if (!(user->link >= 0) || !isfinite(user->link))
        return scarce__fail(err, SCARCE_EINVAL, "the link of the caller's loss is %g, 0 or more is allowed",
                            user->link);
    if (scarce__params_given(job->asked, scarce__param_find(&scarce__gb_table, "loss")))
        return scarce__fail(err, SCARCE_EINVAL,
                            "there is a loss of the caller and the parameter loss: give one");
    return SCARCE_OK;
}

static scarce_status check(const scarce__job *job, scarce_error *err)
{
    const scarce__gb_params *p = scarce__params_options(job->asked);
    const scarce_model *resume = job->options->resume;
    const int validates = job->valid || job->options->expects_valid;

    if (job->options->early_stop > 0 && !validates && !scarce__gb_leaves_rows_out(p))
        return scarce__fail(
            err, SCARCE_EINVAL,
            "early stopping needs validation rows (--valid or --valid-fraction), or rows outside the bags "
            "(subsample below 1)");
    SCARCE__TRY(scarce__gb_check(p, err));
    SCARCE__TRY(check_user_loss(job, err));
    const scarce__kind *kind = NULL;
    if (resume) (void)scarce__model_inside(resume, &kind);
    if (resume && job->table &&
        (kind != &scarce__kind_trees || resume->schema.n_features != job->table->schema.n_features))
        return scarce__fail(err, SCARCE_EINVAL,
                            "the checkpoint is of another kind of model or has other features");
    return SCARCE_OK;
}

static double memory(const scarce__job *job, size_t rows, size_t positives, size_t features,
                     size_t valid_rows)
{
    scarce__gb_params p = *(const scarce__gb_params *)scarce__params_options(job->asked);
    const scarce__gb_size size = {rows, positives};
    scarce__boost_options o;

    scarce__gb_settle(&p, size);
    if (scarce__gb_options(&o, &p, size, job->options->loss, 1, NULL) != SCARCE_OK) return 0;
    return (double)scarce__boost_memory(rows, features, valid_rows, &o, scarce_context_threads(job->ctx));
}

/* Where samples are drawn by importance, a share of the rows would only take that away, at ten times the cost. A class
 * weight moves the threshold, not the ranking, unless costs are what the loss is about. */
static int worth_tuning(const void *options, const char *name, size_t rows, size_t positives)
{
    const scarce__gb_params *p = options;
    const scarce__gb_size size = {rows, positives};
    scarce__boost_options o;

    const int cost = strcmp(name, "alarm_cost") == 0;
    if (!cost && strcmp(name, "subsample") != 0 && strcmp(name, "neg_per_pos") != 0) return 1;
    scarce__gb_params now = *p;
    scarce__gb_settle(&now, size);
    if (scarce__gb_options(&o, &now, size, NULL, 1, NULL) != SCARCE_OK) return !cost;
    if (cost) return o.loss.takes_costs;
    return (o.sampling.kind == SCARCE__ROWS_IMPORTANCE) == (strcmp(name, "neg_per_pos") == 0);
}

/* ---- what held-out rows choose */

/* Not with importance sampling: that is for speed. */
static int rows_choose(const scarce__boost_options *o, const scarce__job *job)
{
    const scarce__gb_params *asked = scarce__params_options(job->asked);
    return asked->tree.n_trees == SCARCE__AUTO_INT && scarce__gb_counts_trees(asked) && !job->options->loss &&
           !scarce__gb_by_importance(asked, &o->loss, size_of(job)) && job->options->early_stop <= 0;
}

/* The kinds of models that come into question, and what becomes of them; *o: that of the trees that lead. Without rows
 * that choose, several are taken where they are asked for. */
typedef struct chosen {
    scarce__gb_candidates from;
    scarce__gb_choice choice;
} chosen;

static scarce_status choose(scarce__boost_options *o, chosen *c, int *cancelled, const scarce__job *job,
                            scarce_error *err)
{
    const scarce__gb_params *asked = scarce__params_options(job->asked);

    scarce__gb_candidates_of(&c->from, o, asked, job->table,
                             !job->valid); /* validation rows do it themselves */
    c->from.blind = !rows_choose(o, job);
    c->from.scale = asked->end.scale;
    c->from.shift = asked->end.shift;
    SCARCE__TRY(scarce__gb_choose(&c->choice, cancelled, job->table, &c->from, job->ctx, err));
    *o = c->from.one[c->choice.which].o;
    o->n_trees = c->choice.of[c->choice.which].n_trees;
    return SCARCE_OK;
}

/* ---- checkpoints: a model whose section `stat` says how many trees are done */

static scarce_status make_state(uint8_t **state, size_t *n, size_t trees, scarce_error *err)
{
    scarce__writer w = {0};
    scarce__put_u64(&w, trees);
    if (w.failed) return scarce__fail_memory(err, "a checkpoint", 0);
    *state = w.bytes;
    *n = w.n;
    return SCARCE_OK;
}

/* Not from a training that was interrupted before it knew how many trees: its one tree says nothing. */
static int goes_on(const scarce_model *resume)
{
    for (size_t i = 0; resume && i < resume->n_state; ++i)
        if (resume->state[i] != 0) return 1;
    return 0;
}

static scarce_status keep(void *payload, const scarce__forest *so_far, scarce_error *err)
{
    const scarce__job *job = payload;
    uint8_t *state = NULL;
    size_t n = 0;
    SCARCE__TRY(make_state(&state, &n, so_far->n_trees, err));
    const scarce_status st = scarce__keep_checkpoint(job, &scarce__kind_trees, so_far, state, n, err);
    scarce__free(state);
    return st;
}

/* ---- what a search makes once */

typedef struct shared_rows {
    const scarce_table *table;
    scarce__bin_options options;
    scarce__binned *binned;
} shared_rows;

static void unshare(void *shared)
{
    shared_rows *s = shared;
    scarce__binned_free(s->binned);
    scarce__free(s);
}

static scarce_status share(void **out, const scarce__job *job, scarce_error *err)
{
    scarce__gb_params p = *(const scarce__gb_params *)scarce__params_options(job->asked);
    const scarce__gb_size size = size_of(job);
    shared_rows *s = scarce__calloc(1, sizeof *s);
    scarce__boost_options o;
    scarce_status st;

    *out = NULL;
    if (!s) return scarce__fail_memory(err, "bins", 0);
    scarce__gb_settle(&p, size);
    st = scarce__gb_options(&o, &p, size, NULL, 1, err);
    if (st == SCARCE_OK) {
        s->table = job->table;
        s->options = o.bins;
        st = scarce__binned_new(&s->binned, job->table, NULL, job->table->n_rows, job->table->weight, &o.bins,
                                job->ctx, err);
    }
    if (st != SCARCE_OK) unshare(s);
    else *out = s;
    return st;
}

/* ---- training */

/* The metric of the trees that are kept: the last that was looked at among them. */
static double metric_kept(const double *curve, size_t n_trees)
{
    for (size_t t = n_trees; curve && t > 0; --t)
        if (!isnan(curve[t - 1])) return curve[t - 1];
    return (double)NAN;
}

/* Bins of the table that this training would make anew, or NULL. */
static const scarce__binned *shared_bins(const scarce__job *job, const scarce__boost_options *o)
{
    const shared_rows *s = job->shared;
    return s && s->table == job->table && s->options.max_bins == o->bins.max_bins &&
                   s->options.min_category_rows == o->bins.min_category_rows &&
                   s->options.bundle_share == o->bins.bundle_share &&
                   s->options.positive_share == o->bins.positive_share
               ? s->binned
               : NULL;
}

/* Finds out who is there: rows that lie elsewhere are counted, with the weights of this training. */
static scarce_status ask_rows(const scarce__job *job, const scarce__boost_options *o, scarce_error *err)
{
    const double factor[2] = {o->neg_weight, o->pos_weight};
    if (!job->far) return SCARCE_OK;
    job->far->loss = o->loss;
    return scarce__asker_start(&job->far->asker, job->far->plan, job->far->how, factor,
                               scarce__key(o->seed, SCARCE__FOR_ROWS, 0xfa4), job->ctx, err);
}

static scarce_status boost(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                           const scarce__binned *binned, scarce_error *err)
{
    const scarce__boost_data train = {.table = job->table,
                                      .binned = binned,
                                      .far = job->far ? &job->far->asker.far : NULL},
                             valid = {.table = job->valid};
    scarce__forest *forest = scarce__calloc(1, sizeof *forest);
    scarce__boost_result result;
    scarce_status st = ask_rows(job, o, err);

    if (st != SCARCE_OK) {
        scarce__free(forest);
        return st;
    }
    if (o->metric || o->out_of_bag) out->curve = scarce__malloc_array((size_t)o->n_trees, sizeof *out->curve);
    if (!forest || ((o->metric || o->out_of_bag) && !out->curve)) {
        scarce__free(forest);
        return scarce__fail_memory(err, "trees", 0);
    }
    for (int t = 0; out->curve && t < o->n_trees; ++t) out->curve[t] = (double)NAN;
    o->history = out->curve;
    st = scarce__boost_train(forest, &train, job->valid ? &valid : NULL, o, &result, job->ctx, err);
    if (st != SCARCE_OK) {
        scarce__free(forest);
        return st;
    }
    out->kind = &scarce__kind_trees;
    out->body = forest;
    out->iterations = result.n_grown;
    out->best_iteration = result.n_trees;
    out->valid_metric = metric_kept(out->curve, result.n_trees);
    out->n_curve = out->curve ? result.n_grown : 0;
    out->seconds_prepare = result.seconds_bin;
    out->cancelled = result.cancelled;
    return result.cancelled ? make_state(&out->state, &out->n_state, result.n_grown, err) : SCARCE_OK;
}

/* Early stopping and checkpoints, as the options of the training want them. */
static scarce_status set_company(scarce__boost_options *o, scarce__watcher *w, const scarce__job *job,
                                 scarce_error *err)
{
    const scarce__kind *kind;
    if (goes_on(job->options->resume)) o->resume = scarce__model_inside(job->options->resume, &kind);
    if (job->options->checkpoint && job->options->checkpoint_every > 0) {
        o->keep = keep;
        o->keep_payload = (void *)(uintptr_t)job;
        o->keep_every = job->options->checkpoint_every;
    }
    if (job->valid) return scarce__watcher_start(w, o, job, err);
    if (job->options->early_stop > 0) {
        o->out_of_bag = 1;
        o->metric_name = "out-of-bag gain";
        o->stop_after = job->options->early_stop;
    }
    return SCARCE_OK;
}

/* What the validation rows say of the finished sum: the curve is of the trees alone. */
static scarce_status judge_sum(double *metric, const scarce__forest *forest, const scarce_table *valid,
                               const scarce__boost_options *o, scarce_context *ctx, scarce_error *err)
{
    double *score = scarce__malloc_array(valid->n_rows, sizeof *score);
    float *narrow = scarce__malloc_array(valid->n_rows, sizeof *narrow);
    scarce__fast *fast = NULL;
    scarce_status st = score && narrow ? scarce__fast_new(&fast, forest, err)
                                       : scarce__fail_memory(err, "validation scores", 12 * valid->n_rows);

    if (st == SCARCE_OK) st = scarce__fast_table(fast, valid, ctx, score, err);
    for (size_t i = 0; st == SCARCE_OK && i < valid->n_rows; ++i) narrow[i] = (float)score[i];
    if (st == SCARCE_OK) st = o->metric(o->metric_payload, narrow, metric, err);
    scarce__fast_free(fast);
    scarce__free(score);
    scarce__free(narrow);
    return st;
}

/* The other voices. An interruption leaves the trees that lead, for which there is a checkpoint: the others are learnt
 * anew. */
static scarce_status sum_up(scarce__learned *out, const scarce__job *job, const scarce__boost_options *o,
                            const scarce__binned *binned, const chosen *c, scarce_error *err)
{
    int cancelled = 0;

    scarce__gb_sum_words(out->voices, sizeof out->voices, &c->from, &c->choice, job->table->time != NULL);
    SCARCE__TRY(
        scarce__gb_sum_up(out->body, &cancelled, job->table, binned, &c->from, &c->choice, job->ctx, err));
    if (cancelled) {
        out->cancelled = 1;
        out->voices[0] = '\0';
        return make_state(&out->state, &out->n_state, out->iterations, err);
    }
    return job->valid && o->metric ? judge_sum(&out->valid_metric, out->body, job->valid, o, job->ctx, err)
                                   : SCARCE_OK;
}

/* Those that lead, then the others, on the same bins. */
static scarce_status learn(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                           const chosen *c, scarce_error *err)
{
    const scarce__binned *binned = shared_bins(job, o);
    scarce__binned *own = NULL;
    scarce_status st = SCARCE_OK;

    if (c->from.sum && !binned) {
        st = scarce__binned_new(&own, job->table, NULL, job->table->n_rows, job->table->weight, &o->bins,
                                job->ctx, err);
        binned = own;
    }
    if (st == SCARCE_OK) st = boost(out, job, o, binned, err);
    if (st == SCARCE_OK && !out->cancelled && c->from.sum) st = sum_up(out, job, o, binned, c, err);
    scarce__binned_free(own);
    return st;
}

/* What was chosen, for the model's notes. */
static void remember(scarce__gb_end_params *end, const chosen *c)
{
    const scarce__gb_share *lead = &c->choice.of[c->choice.which];
    if (!(end->scale > 0))
        end->scale = lead->scale; /* 0: a method made of boosters, which has no such parameter */
    if (isnan(end->shift)) end->shift = lead->shift;
    if (end->voices == SCARCE__VOICES_AUTO)
        end->voices = c->from.sum ? SCARCE__VOICES_SEVERAL : SCARCE__VOICES_ONE;
}

/* interrupted: before it was known what to learn; then nothing more is found out. */
static scarce_status train_with(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                                int interrupted, scarce_error *err)
{
    scarce__gb_end_params *end = &((scarce__gb_params *)scarce__params_edit(job->params))->end;
    chosen c = {.choice = {.of = {{.weight = 1, .scale = 1}}}};
    scarce__watcher w;
    scarce_status st = SCARCE_OK;

    memset(&w, 0, sizeof w);
    if (!interrupted && (rows_choose(o, job) || end->voices == SCARCE__VOICES_SEVERAL))
        st = choose(o, &c, &interrupted, job, err);
    if (interrupted) {
        o->n_trees = 1; /* a model must have one; see goes_on */
        c.from.sum = 0;
    }
    scarce__gb_remember(scarce__params_edit(job->params), o);
    remember(end, &c);
    if (st == SCARCE_OK) st = set_company(o, &w, job, err);
    if (st == SCARCE_OK) st = learn(out, job, o, &c, err);
    if (st == SCARCE_OK && !out->cancelled && !c.from.sum)
        scarce__forest_rescale(out->body, end->scale, end->shift);
    if (job->far) job->far->rescaled = end->scale != 1 || end->shift != 0;
    if (st == SCARCE_OK && interrupted) {
        scarce__free(out->state);
        out->state = NULL;
        out->cancelled = 1;
        st = make_state(&out->state, &out->n_state, 0, err);
    }
    scarce__watcher_stop(&w);
    return st;
}

/* The model learnt from encoded rows, with its encoder: one for the rows as they come. */
static scarce_status wrap(scarce__learned *out, scarce__encoder **encoder, scarce_error *err)
{
    scarce__encoded *body = scarce__malloc(sizeof *body);
    if (!body) return scarce__fail_memory(err, "a model", 0);
    *body = (scarce__encoded){*encoder, out->kind, out->body};
    *encoder = NULL;
    out->kind = &scarce__kind_encoded;
    out->body = body;
    return SCARCE_OK;
}

static scarce_status train_encoded(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                                   uint32_t pairs, scarce_error *err)
{
    scarce__job inside = *job;
    scarce__encoder *encoder = NULL;
    scarce_table *table = NULL, *valid = NULL;
    const scarce__gb_params *p = scarce__params_options(job->params);
    const scarce__encode_options how = {.pairs = pairs, .delay = p->tree.label_delay, .seed = o->seed};
    scarce_status st = scarce__encoder_new(&encoder, &table, job->table, &how, job->ctx, err);

    if (st == SCARCE_OK && job->valid) st = scarce__encoder_table(&valid, encoder, job->valid, job->ctx, err);
    if (st == SCARCE_OK) {
        inside.table = table;
        inside.valid = valid;
        inside.encoder = encoder;
        inside.shared = NULL; /* bins of the columns as they were */
        inside.whole = job;
        st = train_with(out, &inside, o, 0, err);
    }
    if (st == SCARCE_OK) st = wrap(out, &encoder, err);
    scarce_table_free(table);
    scarce_table_free(valid);
    scarce__encoder_free(encoder);
    return st;
}

static scarce_status learn_categories(scarce__learned *out, const scarce__job *job, scarce__boost_options *o,
                                      scarce_error *err)
{
    scarce__gb_params *p = scarce__params_edit(job->params);
    int what = SCARCE__CATEGORIES_SETS, cancelled = 0;
    uint32_t pairs = 0;

    if (job->far && p->end.voices == SCARCE__VOICES_SEVERAL)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "voices=several needs all training rows in memory (voices=one does not)");
    if (job->far) { /* shares of positives would need a look at all rows in order */
        if (p->tree.categories != SCARCE__CATEGORIES_AUTO && p->tree.categories != SCARCE__CATEGORIES_SETS)
            return scarce__fail(
                err, SCARCE_EUNSUPPORTED,
                "categories=numbers and pairs need all training rows in memory (categories=sets does not)");
        p->tree.categories = SCARCE__CATEGORIES_SETS;
        return train_with(out, job, o, 0, err);
    }
    SCARCE__TRY(scarce__gb_choose_categories(&what, &pairs, &cancelled, scarce__params_options(job->asked),
                                             job->table, o, job->ctx, err));
    p->tree.categories = what;
    if (what == SCARCE__CATEGORIES_SETS || cancelled) return train_with(out, job, o, cancelled, err);
    return train_encoded(out, job, o, pairs, err);
}

static scarce_status train(scarce__learned *out, const scarce__job *job, scarce_error *err)
{
    scarce__gb_params *p = scarce__params_edit(job->params);
    const scarce__gb_size size = size_of(job);
    scarce__boost_options o;
    scarce__constraints constraints = {0};
    scarce_status st;

    scarce__gb_settle(p, size);
    SCARCE__TRY(scarce__gb_options(&o, p, size, job->options->loss, scarce_context_seed(job->ctx), err));
    st = scarce__constraints_parse(&constraints, &job->table->schema, p->tree.monotone, p->tree.interactions,
                                   err);
    o.grow.monotone = constraints.monotone;
    o.grow.n_groups = constraints.n_groups;
    o.grow.group_begin = constraints.group_begin;
    o.grow.group_feature = constraints.group_feature;
    scarce__gb_meaning(&out->meaning, &o);
    scarce__meaning_costs(&out->meaning, job->table);
    if (job->base) {
        o.base_given = 1;
        o.base = *job->base;
    }
    if (st == SCARCE_OK) st = learn_categories(out, job, &o, err);
    scarce__constraints_deinit(&constraints);
    return st;
}

/* Whether a loss has a link doesn't depend on data, nor what sampling does to the odds. */
static int ranks(const void *options)
{
    scarce__gb_params p = *(const scarce__gb_params *)options;
    const scarce__gb_size size = {10000, 1000};
    scarce__boost_options o;
    scarce__meaning meaning = {SCARCE__LINK_NONE, 1, 1, NULL};

    scarce__gb_settle(&p, size);
    if (scarce__gb_options(&o, &p, size, NULL, 1, NULL) != SCARCE_OK) return 1;
    scarce__gb_meaning(&meaning, &o);
    return meaning.link == SCARCE__LINK_NONE || isnan(meaning.odds_factor);
}

static void bins_of(scarce__bin_options *out, const void *options)
{
    const scarce__gb_params *p = options;
    out->positive_share = p->tree.positive_bins;
    out->max_bins = (int)p->tree.max_bins;
    out->min_category_rows = (int)p->tree.min_category_rows;
}

const scarce__engine scarce__engine_gb = {
    .params = &scarce__gb_table,
    .can = SCARCE__CAN_LOSS | SCARCE__CAN_STOP | SCARCE__CAN_RESUME | SCARCE__CAN_PROBABILITY |
           SCARCE__CAN_COSTS | SCARCE__CAN_FAR,
    .bins = bins_of,
    .ranks = ranks,
    .stages = "n_trees",
    .rate = "learning_rate",
    .worth_tuning = worth_tuning,
    .check = check,
    .memory = memory,
    .train = train,
    .share = share,
    .unshare = unshare,
};
