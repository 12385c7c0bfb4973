/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds, their parameters, and the one call that runs them. */
#include <scarce/simulate.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/options.h"
#include "core/param.h"
#include "simulate/copula.h"
#include "simulate/fraud.h"
#include "simulate/poker.h"
#include "simulate/toy.h"

#define FRAUD(field) offsetof(scarce__fraud_options, field)
#define TOY(field) offsetof(scarce__toy_options, field)
#define POKER(field) offsetof(scarce__poker_options, field)
#define COPULA(field) offsetof(scarce__copula_options, field)

static const scarce__param fraud_params[] = {
    {"preset", "", SCARCE__CHOICE, FRAUD(preset), "hard", 0, 0, "hard|handbook",
     "hard: rare fraud that imitates, drifts and is labelled late; handbook: the Fraud Detection "
     "Handbook's simulator",
     NULL, NULL},
    {"transactions", "rows", SCARCE__INT, FRAUD(transactions), "auto", 1, 2e9, NULL,
     "about how many payments: sets the number of customers", NULL, NULL},
    {"customers", "cards", SCARCE__INT, FRAUD(customers), "auto", 1, 1e8, NULL,
     "card holders; 5000 unless transactions is given", NULL, NULL},
    {"terminals", "", SCARCE__INT, FRAUD(terminals), "auto", 1, 1e8, NULL,
     "payment terminals; two per customer unless given", NULL, NULL},
    {"days", "", SCARCE__INT, FRAUD(days), "183", 1, 10000, NULL, "length of the stream", NULL, NULL},
    {"start", "", SCARCE__TEXT, FRAUD(start), "2018-04-01", 0, 0, NULL, "first day, YYYY-MM-DD", NULL, NULL},
    {"rate", "", SCARCE__REAL, FRAUD(rate), "0.002", 0, 0.2, NULL, "share of rows labelled fraud (hard only)",
     NULL, NULL},
    {"radius", "", SCARCE__REAL, FRAUD(radius), "5", 0, 1e4, NULL,
     "how far customers go; there is one terminal per unit of area", NULL, NULL},
    {"delay_days", "delay", SCARCE__REAL, FRAUD(delay_days), "7", 0, 365, NULL,
     "days until a label is known (hard: the median)", NULL, NULL},
    {"unreported", "", SCARCE__REAL, FRAUD(unreported), "0.05", 0, 0.75, NULL,
     "share of frauds that keep label 0 (hard only)", NULL, NULL},
    {"false_reports", "", SCARCE__REAL, FRAUD(false_reports), "0.02", 0, 1, NULL,
     "genuine payments labelled fraud, per true fraud (hard only)", NULL, NULL},
    {"scenario", "", SCARCE__BOOL, FRAUD(scenario), "false", 0, 0, NULL,
     "adds the column scenario, the truth; never learn from it", NULL, NULL},
    {"raw", "", SCARCE__BOOL, FRAUD(raw), "false", 0, 0, NULL,
     "raw payments: no features of the past, which `scarce features` makes", NULL, NULL},
};

static const scarce__param toy_params[] = {
    {"variant", "", SCARCE__CHOICE, TOY(variant), "square", 0, 0, "square|line",
     "square: two features, classes overlap in one corner; line: 14 fixed points", NULL, NULL},
    {"rows", "", SCARCE__INT, TOY(rows), "1000", 1, 1e7, NULL, "number of points (square only)", NULL, NULL},
    {"rate", "", SCARCE__REAL, TOY(rate), "0.1", 0, 1, NULL, "share of positives (square only)", NULL, NULL},
};

static const scarce__param poker_params[] = {
    {"rows", "n", SCARCE__INT, POKER(rows), "1025010", 1, 1e9, NULL, "number of hands", NULL, NULL},
    {"hand", "", SCARCE__BOOL, POKER(hand), "false", 0, 0, NULL,
     "adds the column hand, its name, which tells the label", NULL, NULL},
};

static const scarce__param copula_params[] = {
    {"rows", "n", SCARCE__INT, COPULA(rows), "1000", 1, 1e9, NULL, "number of rows", NULL, NULL},
    {"features", "p", SCARCE__INT, COPULA(features), "10000", 1, 1e6, NULL, "number of columns", NULL, NULL},
    {"groups", "", SCARCE__INT, COPULA(groups), "10", 1, 1e5, NULL,
     "groups of columns; columns of different groups are independent", NULL, NULL},
    {"clusters", "", SCARCE__INT, COPULA(clusters), "2", 1, 1e5, NULL, "clusters in each group", NULL, NULL},
    {"rho_high", "", SCARCE__REAL, COPULA(rho_high), "0.8", 0, 1, NULL,
     "correlation within a cluster, before the margins", NULL, NULL},
    {"rho_low", "", SCARCE__REAL, COPULA(rho_low), "0.2", 0, 1, NULL,
     "correlation between the clusters of a group", NULL, NULL},
    {"margins", "", SCARCE__TEXT, COPULA(margins), "normal,bernoulli:0.1,bernoulli:0.5,gamma:2:2", 0, 0, NULL,
     "distributions of which each column gets one at random: normal, bernoulli:Q, gamma:SHAPE:SCALE", NULL,
     NULL},
    {"rate", "q", SCARCE__REAL, COPULA(rate), "0.1", 1e-6, 0.999999, NULL,
     "mean probability of label 1, which sets the intercept", NULL, NULL},
    {"coefficients", "", SCARCE__CHOICE, COPULA(coefficients), "all", 0, 0, "all|half",
     "all: every column matters; half: those of every second group are 0", NULL, NULL},
    {"sd", "", SCARCE__REAL, COPULA(sd), "auto", 0, 1e6, NULL,
     "spread of the coefficients; 1, with coefficients=half 0.033", NULL, NULL},
    {"intercept", "", SCARCE__REAL, COPULA(intercept), "auto", -1e9, 1e9, NULL,
     "given, rate is not looked at; simulate --json tells what it came to", NULL, NULL},
    {"intercept_rows", "", SCARCE__INT, COPULA(intercept_rows), "auto", 1, 1e8, NULL,
     "rows of the sample that finds the intercept; as many as make 200 million cells, at most a million",
     NULL, NULL},
    {"model", "", SCARCE__INT, COPULA(model), "1", 0, 1e15, NULL,
     "number of the truth: margins and coefficients; --seed changes the rows alone", NULL, NULL},
    {"draw", "", SCARCE__INT, COPULA(draw), "1", 0, 1e9, NULL,
     "number of the vector of coefficients, with the margins of the model", NULL, NULL},
    {"truth", "", SCARCE__BOOL, COPULA(truth), "false", 0, 0, NULL,
     "adds the column probability, the truth; never learn from it", NULL, NULL},
};

static scarce_status run_fraud(const scarce__params *params, const char *path, const scarce_context *ctx,
                               scarce_simulate_summary *s, scarce_error *err);
static scarce_status run_copula(const scarce__params *params, const char *path, const scarce_context *ctx,
                                scarce_simulate_summary *s, scarce_error *err);
static scarce_status table_copula(scarce_table **out, const scarce__params *params, scarce_context *ctx,
                                  scarce_simulate_summary *s, scarce_error *err);
static scarce_status run_toy(const scarce__params *params, const char *path, const scarce_context *ctx,
                             scarce_simulate_summary *s, scarce_error *err);
static scarce_status run_poker(const scarce__params *params, const char *path, const scarce_context *ctx,
                               scarce_simulate_summary *s, scarce_error *err);

typedef struct kind {
    const char *name, *summary;
    scarce__param_table table;
    scarce_status (*run)(const scarce__params *params, const char *path, const scarce_context *ctx,
                         scarce_simulate_summary *s, scarce_error *err);
    /* In memory; NULL: as a file only. */
    scarce_status (*table_of)(scarce_table **out, const scarce__params *params, scarce_context *ctx,
                              scarce_simulate_summary *s, scarce_error *err);
} kind;

static const scarce__param_part fraud_parts[] = {SCARCE__PART(fraud_params, 0)},
                                copula_parts[] = {SCARCE__PART(copula_params, 0)},
                                toy_parts[] = {SCARCE__PART(toy_params, 0)},
                                poker_parts[] = {SCARCE__PART(poker_params, 0)};

static const kind kinds[] = {
    {"fraud",
     "a stream of card payments with fraud, in time order, with rolling features",
     {fraud_parts, 1, sizeof(scarce__fraud_options)},
     run_fraud,
     NULL},
    {"copula",
     "thousands of dependent columns of four distributions, and labels of known probability",
     {copula_parts, 1, sizeof(scarce__copula_options)},
     run_copula,
     table_copula},
    {"toy",
     "two-dimensional rectangles that overlap in a corner, or 14 points on a line",
     {toy_parts, 1, sizeof(scarce__toy_options)},
     run_toy,
     NULL},
    {"poker",
     "hands of five cards, and whether they are more than nothing: a rule of combinations",
     {poker_parts, 1, sizeof(scarce__poker_options)},
     run_poker,
     NULL},
};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

size_t scarce_simulate_count(void)
{
    return N_KINDS;
}

scarce_simulate_info scarce_simulate_get(size_t k)
{
    scarce_simulate_info info = {NULL, NULL, 0};
    if (k >= N_KINDS) return info;
    info.name = kinds[k].name;
    info.summary = kinds[k].summary;
    info.n_params = scarce__param_count(&kinds[k].table);
    return info;
}

scarce_param_info scarce_simulate_param(size_t k, size_t param)
{
    const scarce_param_info none = {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL};
    if (k >= N_KINDS || param >= scarce__param_count(&kinds[k].table)) return none;
    return scarce__param_info(&kinds[k].table, NULL, param);
}

/* ---- fraud */

/* Days since 1970 of a date of the Gregorian calendar, counting years from March so that the leap day
 * comes last. */
static int64_t days_of_date(int64_t y, int64_t m, int64_t d)
{
    if (m <= 2) --y;
    const int64_t era = y / 400, year = y % 400, day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

static scarce_status parse_date(const char *text, int64_t *seconds, scarce_error *err)
{
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int v[3] = {0, 0, 0};
    size_t part = 0, i = 0;
    int ok = strlen(text) == 10;
    for (; ok && i < 10; ++i) {
        if (i == 4 || i == 7) {
            ok = text[i] == '-';
            ++part;
        } else {
            ok = text[i] >= '0' && text[i] <= '9';
            v[part] = v[part] * 10 + (text[i] - '0');
        }
    }
    if (ok) ok = v[0] >= 1 && v[1] >= 1 && v[1] <= 12 && v[2] >= 1;
    if (ok) {
        const int leap = v[1] == 2 && v[0] % 4 == 0 && (v[0] % 100 != 0 || v[0] % 400 == 0);
        ok = v[2] <= lengths[v[1] - 1] + leap;
    }
    if (!ok) return scarce__fail(err, SCARCE_EINVAL, "start is '%s', expected a date as YYYY-MM-DD", text);
    *seconds = days_of_date(v[0], v[1], v[2]) * SECONDS_PER_DAY;
    return SCARCE_OK;
}

static scarce_status size_stream(scarce__fraud *f, const scarce__fraud_options *o, scarce_error *err)
{
    const double per_day = o->preset == PRESET_HARD ? scarce__hard_per_day() : scarce__handbook_per_day();
    double cards = 5000;

    if (o->customers != SCARCE__AUTO_INT && o->transactions != SCARCE__AUTO_INT)
        return scarce__fail(err, SCARCE_EINVAL,
                            "customers and transactions both given; transactions sets customers, give one");
    if (o->customers != SCARCE__AUTO_INT) cards = (double)o->customers;
    else if (o->transactions != SCARCE__AUTO_INT)
        cards = (double)o->transactions / (per_day * (double)o->days);
    f->n_cards = cards < 1 ? 1 : (size_t)(cards + 0.5);
    f->n_terminals = o->terminals != SCARCE__AUTO_INT ? (size_t)o->terminals : 2 * f->n_cards;
    f->n_days = (size_t)o->days;
    f->delay = (uint32_t)(o->delay_days * SECONDS_PER_DAY + 0.5);
    if (1.5 * (double)f->n_cards * (double)f->n_days * per_day >= (double)UINT32_MAX)
        return scarce__fail(err, SCARCE_EINVAL,
                            "%zu customers over %zu days make too many transactions; lower one of them",
                            f->n_cards, f->n_days);
    return SCARCE_OK;
}

scarce_status scarce__fraud_make(scarce__fraud *f, const scarce__fraud_options *o, const scarce_context *ctx,
                                 scarce_error *err)
{
    const int hard = o->preset == PRESET_HARD;

    memset(f, 0, sizeof *f);
    f->options = o;
    f->seed = scarce_context_seed(ctx);
    SCARCE__TRY(size_stream(f, o, err));
    SCARCE__TRY(parse_date(o->start, &f->origin, err));
    scarce_status status = scarce__world_make(&f->world, f->n_terminals, o->radius, hard, f->seed, err);
    if (status == SCARCE_OK)
        status = hard ? scarce__fraud_hard(f, ctx, err) : scarce__fraud_handbook(f, ctx, err);
    if (status == SCARCE_OK && !o->raw) status = scarce__fraud_features(f, ctx, err);
    if (status != SCARCE_OK) scarce__fraud_deinit(f);
    return status;
}

void scarce__fraud_deinit(scarce__fraud *f)
{
    scarce__world_deinit(&f->world);
    scarce__free(f->rows);
    scarce__free(f->by_card);
    scarce__free(f->card_start);
    scarce__free(f->by_terminal);
    scarce__free(f->terminal_start);
    scarce__free(f->known);
    for (int w = 0; w < N_WINDOWS; ++w) {
        scarce__free(f->card_count[w]);
        scarce__free(f->card_mean[w]);
        scarce__free(f->terminal_count[w]);
        scarce__free(f->terminal_bad[w]);
    }
    scarce__free(f->since_last);
    scarce__free(f->seen);
    memset(f, 0, sizeof *f);
}

static void summarise(const scarce__fraud *f, scarce_simulate_summary *s)
{
    uint64_t cents = 0, cents_fraud = 0;
    s->rows = f->n;
    s->cards = f->n_cards;
    s->terminals = f->n_terminals;
    s->days = f->n_days;
    for (size_t i = 0; i < f->n; ++i) {
        const scarce__payment *p = &f->rows[i];
        s->positives += p->label;
        ++s->scenario[p->scenario];
        s->unreported += p->scenario != 0 && !p->label;
        s->false_reports += p->scenario == 0 && p->label;
        cents += p->cents;
        if (p->scenario) cents_fraud += p->cents;
    }
    s->amount = (double)cents / 100;
    s->amount_fraud = (double)cents_fraud / 100;
}

static scarce_status run_fraud(const scarce__params *params, const char *path, const scarce_context *ctx,
                               scarce_simulate_summary *s, scarce_error *err)
{
    scarce__fraud f;
    scarce_status status = scarce__fraud_make(&f, scarce__params_options(params), ctx, err);
    if (status != SCARCE_OK) return status;
    summarise(&f, s);
    status = scarce__fraud_write(&f, path, ctx, err);
    scarce__fraud_deinit(&f);
    return status;
}

static scarce_status run_toy(const scarce__params *params, const char *path, const scarce_context *ctx,
                             scarce_simulate_summary *s, scarce_error *err)
{
    return scarce__toy_write(scarce__params_options(params), path, ctx, s, err);
}

static scarce_status run_poker(const scarce__params *params, const char *path, const scarce_context *ctx,
                               scarce_simulate_summary *s, scarce_error *err)
{
    return scarce__poker_write(scarce__params_options(params), path, ctx, s, err);
}

/* ---- copula */

static scarce_status run_copula(const scarce__params *params, const char *path, const scarce_context *ctx,
                                scarce_simulate_summary *s, scarce_error *err)
{
    scarce__copula c;
    SCARCE__TRY(scarce__copula_init(&c, scarce__params_options(params), ctx, err));
    const scarce_status status = scarce__copula_write(&c, path, scarce_context_seed(ctx), ctx, s, err);
    scarce__copula_deinit(&c);
    return status;
}

static scarce_status table_copula(scarce_table **out, const scarce__params *params, scarce_context *ctx,
                                  scarce_simulate_summary *s, scarce_error *err)
{
    scarce__copula c;
    SCARCE__TRY(scarce__copula_init(&c, scarce__params_options(params), ctx, err));
    const scarce_status status = scarce__copula_table(out, &c, scarce_context_seed(ctx), ctx, s, err);
    scarce__copula_deinit(&c);
    return status;
}

/* ---- the call */

static const char *kind_name(const void *arg, size_t i)
{
    (void)arg;
    return kinds[i].name;
}

static scarce_status find_kind(const kind **out, const char *name, scarce_error *err)
{
    const char *nearest;
    for (size_t k = 0; k < N_KINDS; ++k) {
        if (strcmp(kinds[k].name, name) != 0) continue;
        *out = &kinds[k];
        return SCARCE_OK;
    }
    nearest = scarce__nearest_name(name, kind_name, NULL, N_KINDS);
    return scarce__fail_unknown(err, "simulation", name, nearest, "there are fraud, copula, toy and poker");
}

static scarce_status set_one(scarce__params *params, const char *setting, scarce_error *err)
{
    const char *equals = strchr(setting, '=');
    char *name;
    scarce_status status;

    if (!equals || equals == setting)
        return scarce__fail(err, SCARCE_EINVAL, "setting '%s' isn't of the form key=value", setting);
    name = scarce__strndup(setting, (size_t)(equals - setting));
    if (!name) return scarce__fail_memory(err, "a setting", 0);
    status = scarce__params_set(params, name, equals + 1, err);
    scarce__free(name);
    return status;
}

/* `path` NULL: a table. */
static scarce_status simulate(const char *kind_text, const char *const *settings, size_t n_settings,
                              const char *path, scarce_table **out, scarce_context *ctx,
                              scarce_simulate_summary *summary, scarce_error *err)
{
    scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
    scarce__params *params = NULL;
    const kind *k = NULL;
    scarce_status status;

    SCARCE__TRY(SCARCE__FILLED_CHECK(summary, SCARCE_SIMULATE_SUMMARY_INIT, err));
    SCARCE__TRY(find_kind(&k, kind_text, err));
    if (!path && !k->table_of)
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "simulate %s makes files, not tables; write one and read it", k->name);
    SCARCE__TRY(scarce__params_new(&params, "simulate ", k->name, &k->table, NULL, err));
    status = SCARCE_OK;
    for (size_t i = 0; i < n_settings && status == SCARCE_OK; ++i) status = set_one(params, settings[i], err);
    if (status == SCARCE_OK)
        status = path ? k->run(params, path, ctx, &s, err) : k->table_of(out, params, ctx, &s, err);
    scarce__params_free(params);
    if (status == SCARCE_OK) SCARCE__FILL(summary, &s);
    return status;
}

scarce_status scarce_simulate(const char *kind_text, const char *const *settings, size_t n_settings,
                              const char *path, scarce_context *ctx, scarce_simulate_summary *summary,
                              scarce_error *err)
{
    return simulate(kind_text, settings, n_settings, path, NULL, ctx, summary, err);
}

scarce_status scarce_simulate_table(scarce_table **out, const char *kind_text, const char *const *settings,
                                    size_t n_settings, scarce_context *ctx, scarce_simulate_summary *summary,
                                    scarce_error *err)
{
    *out = NULL;
    return simulate(kind_text, settings, n_settings, NULL, out, ctx, summary, err);
}
