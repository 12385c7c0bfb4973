/* SPDX-License-Identifier: Apache-2.0 */
/* preset=hard: payments in which fraud is rare, imitates, moves on, and is labelled late.
 *
 * Holders. Each has an activity, a level and spread of amounts, hours, a share of online shopping, and
 * favourite terminals (near home) and online shops; week by week the level wanders, favourites are
 * replaced, and a few travel. Large one-off purchases, night owls and runs of small online payments
 * are part of genuine life, so no single feature gives fraud away.
 *
 * Frauds come in episodes on one card; an episode belongs to a campaign, and campaigns start, swell
 * and fade, each with its own shops, amounts and hours. Three kinds: (1) small test payments, then
 * larger ones, within an hour or so; (2) a stolen card used like its holder does, at slightly odd
 * hours; (3) an account taken over for online shops.
 *
 * Labels. A share of frauds is never reported, a few genuine payments are; every label (of either
 * kind, so that the time tells nothing) becomes known after delay_days * exp(0.6 N(0,1)). */
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "simulate/fraud.h"

enum { N_NEAR = 8, N_SHOPS = 4, MAX_MERCHANTS = 6, N_STANDING = 3 };
enum { KIND_TEST = 1, KIND_MIMIC = 2, KIND_TAKEOVER = 3 };

/* `extra`: the runs of small payments add about this share */
static const double activity_mean = 1.1, extra = 0.01;

typedef struct campaign {
    int kind;
    double start, length; /* days */
    double level;         /* of log amounts, above the holder's */
    double hour;          /* when it likes to work */
    uint32_t merchants[MAX_MERCHANTS];
    size_t n_merchants;
} campaign;

typedef struct episode {
    uint32_t card, campaign, payments;
    double day; /* when it begins */
} episode;

typedef struct maker {
    const scarce__fraud *f;
    campaign *campaigns;
    double *weight_to; /* running sum of the campaigns' weights */
    size_t n_campaigns;
    episode *episodes;
    size_t n_episodes, capacity;
    uint32_t *of_card, *card_start; /* episodes by card */
    double category_level[N_CATEGORIES], category_risk[N_CATEGORIES];
    double frauds; /* true ones wanted */
    double genuine;
} maker;

typedef struct holder {
    double activity, level, spread, hour, hour_spread, online, x, y;
    uint8_t country;
    uint32_t near[N_NEAR], shops[N_SHOPS];
    size_t n_near;
    const scarce__ids *around; /* terminals near home */
} holder;

double scarce__hard_per_day(void)
{
    return activity_mean * (1 + extra);
}

static double draw_activity(scarce__random *r)
{
    const double a = scarce__random_gamma(r, 1.5) / 1.5 * activity_mean;
    return a < 0.02 ? 0.02 : a;
}

static uint32_t draw_shop(const scarce__world *w, scarce__random *r)
{
    const size_t rank = (size_t)scarce__exp(scarce__random_unit(r) * scarce__ln((double)w->n_online + 1)) - 1;
    return w->online[rank < w->n_online ? rank : w->n_online - 1];
}

/* ---- campaigns and episodes: few, made one after the other */

/* A shop of the kind thieves like: the riskiest category of three tries. */
static uint32_t draw_target(const maker *m, scarce__random *r)
{
    const scarce__world *w = &m->f->world;
    uint32_t best = 0;
    for (int i = 0; i < 3; ++i) {
        const uint32_t t = w->online[scarce__random_below(r, w->n_online)];
        if (i == 0 || m->category_risk[w->category[t]] > m->category_risk[w->category[best]]) best = t;
    }
    return best;
}

static void draw_campaigns(maker *m)
{
    const double days = (double)m->f->n_days;
    double total = 0;
    for (size_t i = 0; i < m->n_campaigns; ++i) {
        scarce__random r = scarce__stage_random(m->f->seed, SCARCE__STAGE_CAMPAIGN, i);
        campaign *c = &m->campaigns[i];
        const double u = scarce__random_unit(&r);
        double weight;

        c->kind = u < 0.45 ? KIND_TEST : u < 0.65 ? KIND_MIMIC : KIND_TAKEOVER;
        c->length = 25 * scarce__exp(0.5 * scarce__random_normal(&r));
        c->start = (days + c->length) * scarce__random_unit(&r) - c->length;
        c->level = (c->kind == KIND_MIMIC ? 0.8 : 1.2) + 0.35 * scarce__random_normal(&r);
        c->hour = 24 * scarce__random_unit(&r);
        c->n_merchants = 2 + (size_t)scarce__random_below(&r, MAX_MERCHANTS - 1);
        for (size_t k = 0; k < c->n_merchants; ++k) c->merchants[k] = draw_target(m, &r);
        weight = scarce__exp(0.7 * scarce__random_normal(&r));
        if (i < N_STANDING) { /* one of each kind goes on all the time */
            c->kind = KIND_TEST + (int)i;
            c->start = 0;
            c->length = days;
            weight = (double)m->n_campaigns / 8;
        }
        m->weight_to[i] = total += weight;
    }
}

static size_t pick_campaign(const maker *m, scarce__random *r)
{
    const double u = scarce__random_unit(r) * m->weight_to[m->n_campaigns - 1];
    size_t lo = 0, hi = m->n_campaigns - 1;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->weight_to[mid] > u) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

static int add_episode(maker *m, const episode *e)
{
    if (m->n_episodes == m->capacity) {
        const size_t capacity = m->capacity ? 2 * m->capacity : 256;
        episode *items = scarce__realloc_array(m->episodes, capacity, sizeof *items);
        if (!items) return 0;
        m->episodes = items;
        m->capacity = capacity;
    }
    m->episodes[m->n_episodes++] = *e;
    return 1;
}

/* Until the wanted number of payments is reached. Victims: any card, the active ones more often. */
static int draw_episodes(maker *m)
{
    const double days = (double)m->f->n_days;
    scarce__random r = scarce__stage_random(m->f->seed, SCARCE__STAGE_EPISODE, 0);
    double drawn = 0;
    while (drawn + 0.5 < m->frauds) {
        episode e;
        e.campaign = (uint32_t)pick_campaign(m, &r);
        const campaign *c = &m->campaigns[e.campaign];
        const double when = c->length == days ? scarce__random_unit(&r)
                                              : (scarce__random_unit(&r) + scarce__random_unit(&r)) / 2;
        e.day = c->start + c->length * when;
        if (e.day < 0 || e.day >= days) continue;
        e.card = (uint32_t)scarce__random_below(&r, m->f->n_cards);
        scarce__random own = scarce__stage_random(m->f->seed, SCARCE__STAGE_CARD, e.card);
        const double activity = draw_activity(&own);
        if (scarce__random_unit(&r) >= activity / (activity + 0.5)) continue;
        e.payments = (uint32_t)(1 + scarce__random_below(&r, c->kind == KIND_TEST ? 5 : 3));
        if (c->kind != KIND_TAKEOVER) ++e.payments;
        if (e.payments > m->frauds - drawn + 0.5) e.payments = (uint32_t)(m->frauds - drawn + 0.5);
        if (e.payments == 0) break;
        if (!add_episode(m, &e)) return 0;
        drawn += e.payments;
    }
    return 1;
}

static int group_episodes(maker *m)
{
    m->card_start = scarce__calloc(m->f->n_cards + 2, sizeof *m->card_start);
    m->of_card = scarce__malloc_array(m->n_episodes, sizeof *m->of_card);
    if (!m->card_start || !m->of_card) return 0;
    uint32_t *next = m->card_start + 1;
    for (size_t i = 0; i < m->n_episodes; ++i) ++next[m->episodes[i].card + 1];
    for (size_t c = 0; c < m->f->n_cards; ++c) next[c + 1] += next[c];
    for (size_t i = 0; i < m->n_episodes; ++i) m->of_card[next[m->episodes[i].card]++] = (uint32_t)i;
    return 1;
}

/* ---- one card */

static void emit(const maker *m, const holder *h, scarce__payment *p, uint32_t terminal, double second,
                 double amount, scarce__random *r, scarce__payments *out)
{
    const scarce__world *w = &m->f->world;
    const double u = scarce__random_unit(r);

    if (!(second >= 0 && second < (double)m->f->n_days * SECONDS_PER_DAY)) return;
    if (amount < 0.01) amount = 0.01;
    if (amount > 20000) amount = 20000;
    p->time = (uint32_t)second;
    p->terminal = terminal;
    p->cents = (uint32_t)floor(amount * 100 + 0.5);
    p->abroad = w->country[terminal] != h->country;
    if (w->is_online[terminal]) p->channel = CHANNEL_ONLINE;
    else if (u < (p->scenario ? 0.3 : 0.03)) p->channel = CHANNEL_STRIPE;
    else p->channel = p->cents < 5000 && u < 0.75 ? CHANNEL_CONTACTLESS : CHANNEL_CHIP;
    scarce__payments_add(out, p);
}

static uint32_t favourite(const uint32_t *list, size_t n, scarce__random *r)
{
    const double u = scarce__random_unit(r);
    return list[(size_t)(u * u * (double)n)]; /* the first ones more often */
}

/* A physical terminal around `near`, or an online shop when there is none. */
static uint32_t draw_near(const maker *m, const scarce__ids *near, scarce__random *r)
{
    return near->n > 0 ? near->items[scarce__random_below(r, near->n)] : draw_shop(&m->f->world, r);
}

static double amount_at(const maker *m, const holder *h, uint32_t terminal, scarce__random *r)
{
    return scarce__exp(h->level + m->category_level[m->f->world.category[terminal]] +
                       h->spread * scarce__random_normal(r));
}

/* Returns 0 when memory ran out. */
static int draw_holder(const maker *m, uint32_t card, holder *h, scarce__random *r, scarce__ids *around)
{
    const scarce__world *w = &m->f->world;

    *r = scarce__stage_random(m->f->seed, SCARCE__STAGE_CARD, card);
    h->activity = draw_activity(r);
    h->x = scarce__random_unit(r) * w->side;
    h->y = scarce__random_unit(r) * w->side;
    h->level = scarce__ln(25) + 0.6 * scarce__random_normal(r);
    h->spread = 0.4 + 0.3 * scarce__random_unit(r);
    h->hour = 13.5 + 2.5 * scarce__random_normal(r);
    h->hour_spread = 2.5 + 2.5 * scarce__random_unit(r);
    h->online = 0.5 * scarce__random_unit(r);
    h->around = around;
    if (!scarce__world_near(w, h->x, h->y, around)) return 0;
    h->n_near = around->n > 0 ? N_NEAR : 0;
    for (size_t k = 0; k < h->n_near; ++k) h->near[k] = draw_near(m, around, r);
    for (size_t k = 0; k < N_SHOPS; ++k) h->shops[k] = draw_shop(w, r);
    h->country = w->country[h->n_near > 0 ? h->near[0] : h->shops[0]];
    return 1;
}

static uint32_t genuine_terminal(const maker *m, const holder *h, const scarce__ids *away, double progress,
                                 scarce__random *r)
{
    if (away && scarce__random_unit(r) < 0.7) return draw_near(m, away, r);
    if (h->n_near == 0 || scarce__random_unit(r) < h->online * (0.8 + 0.4 * progress))
        return scarce__random_unit(r) < 0.7 ? favourite(h->shops, N_SHOPS, r) : draw_shop(&m->f->world, r);
    return scarce__random_unit(r) < 0.8 ? favourite(h->near, h->n_near, r) : draw_near(m, h->around, r);
}

static void genuine_day(const maker *m, const holder *h, size_t d, const scarce__ids *away, scarce__random *r,
                        scarce__payment *p, scarce__payments *out)
{
    const double progress = (double)d / (double)m->f->n_days, midnight = (double)d * SECONDS_PER_DAY;
    for (uint64_t k = scarce__random_poisson(r, h->activity); k > 0; --k) {
        const uint32_t terminal = genuine_terminal(m, h, away, progress, r);
        double hour = fmod(h->hour + h->hour_spread * scarce__random_normal(r) + 96, 24);
        double amount = amount_at(m, h, terminal, r);
        if (!(hour >= 0)) hour = 0; /* 38 deviations away */
        if (scarce__random_unit(r) < 0.03) amount *= scarce__exp(0.9 + 0.5 * scarce__random_normal(r));
        emit(m, h, p, terminal, midnight + hour * 3600, amount, r, out);
        if (!m->f->world.is_online[terminal] || scarce__random_unit(r) >= 0.015) continue;
        /* several small things from one shop (games, tickets), now and then with a large one */
        for (uint64_t more = 1 + scarce__random_below(r, 3); more > 0; --more) {
            const double scale = scarce__random_unit(r) < 0.25 ? 1.5 : 0.15;
            hour += 0.15 * scarce__random_exponential(r);
            emit(m, h, p, terminal, midnight + hour * 3600, scale * amount_at(m, h, terminal, r), r, out);
        }
    }
}

/* Seconds of a fraud payment: the holder's own hours moved by a few, or the campaign's. */
static double fraud_second(const holder *h, const campaign *c, double day, scarce__random *r)
{
    const double hour = c->kind == KIND_MIMIC ? h->hour + 5 + (h->hour_spread + 1) * scarce__random_normal(r)
                                              : c->hour + 4 * scarce__random_normal(r);
    return floor(day) * SECONDS_PER_DAY + fmod(hour + 96, 24) * 3600;
}

static void test_then_take(const maker *m, const holder *h, const campaign *c, const episode *e,
                           scarce__random *r, scarce__payment *p, scarce__payments *out)
{
    const uint64_t tests = 1 + scarce__random_below(r, (e->payments + 1) / 2);
    double second = fraud_second(h, c, e->day, r);
    for (uint64_t k = 0; k < e->payments; ++k) {
        const uint32_t terminal = scarce__random_unit(r) < 0.7
                                      ? c->merchants[scarce__random_below(r, c->n_merchants)]
                                      : draw_shop(&m->f->world, r);
        const double amount = k < tests ? 1 + 8 * scarce__random_unit(r)
                                        : scarce__exp(h->level + c->level + 0.4 * scarce__random_normal(r));
        emit(m, h, p, terminal, second, amount, r, out);
        second += (k + 1 < tests ? 600 : 3000) * scarce__random_exponential(r);
    }
}

static void use_like_holder(const maker *m, const holder *h, const campaign *c, const episode *e,
                            scarce__random *r, scarce__payment *p, scarce__payments *out)
{
    double second = fraud_second(h, c, e->day, r);
    for (uint32_t k = 0; k < e->payments; ++k) {
        const uint32_t terminal = h->n_near > 0 && scarce__random_unit(r) < 0.25
                                      ? favourite(h->near, h->n_near, r)
                                      : draw_near(m, h->around, r);
        emit(m, h, p, terminal, second, scarce__exp(c->level) * amount_at(m, h, terminal, r), r, out);
        second += 3600 * scarce__random_exponential(r);
    }
}

static void take_over(const maker *m, const holder *h, const campaign *c, const episode *e, scarce__random *r,
                      scarce__payment *p, scarce__payments *out)
{
    double second = fraud_second(h, c, e->day, r);
    for (uint32_t k = 0; k < e->payments; ++k) {
        const uint32_t terminal = scarce__random_unit(r) < 0.75
                                      ? c->merchants[scarce__random_below(r, c->n_merchants)]
                                      : draw_shop(&m->f->world, r);
        emit(m, h, p, terminal, second, scarce__exp(h->level + c->level + 0.5 * scarce__random_normal(r)), r,
             out);
        second += 2 * 3600 * scarce__random_exponential(r);
    }
}

static void frauds_of_day(const maker *m, const holder *h, uint32_t card, size_t d, scarce__random *r,
                          scarce__payment *p, scarce__payments *out)
{
    for (uint32_t k = m->card_start[card]; k < m->card_start[card + 1]; ++k) {
        const episode *e = &m->episodes[m->of_card[k]];
        const campaign *c = &m->campaigns[e->campaign];
        if ((size_t)e->day != d) continue;
        p->scenario = (uint8_t)c->kind;
        if (c->kind == KIND_TEST) test_then_take(m, h, c, e, r, p, out);
        else if (c->kind == KIND_MIMIC) use_like_holder(m, h, c, e, r, p, out);
        else take_over(m, h, c, e, r, p, out);
        p->scenario = 0;
    }
}

static void make_card(void *arg, uint32_t card, scarce__payments *out, scarce__ids *around)
{
    const maker *m = arg;
    scarce__ids away = {NULL, 0, 0};
    size_t away_until = 0;
    scarce__random r;
    scarce__payment p;
    holder h;

    memset(&p, 0, sizeof p);
    p.card = card;
    if (!draw_holder(m, card, &h, &r, around)) out->failed = 1;
    for (size_t d = 0; d < m->f->n_days && !out->failed; ++d) {
        if (d % 7 == 0) { /* a new week */
            h.level += 0.05 * scarce__random_normal(&r);
            /* two draws are two statements: C leaves it to the compiler which of one expression comes first */
            if (h.n_near > 0 && scarce__random_unit(&r) < 0.2) {
                const size_t at = scarce__random_below(&r, h.n_near);
                h.near[at] = draw_near(m, around, &r);
            }
            if (scarce__random_unit(&r) < 0.1) {
                const size_t at = scarce__random_below(&r, N_SHOPS);
                h.shops[at] = draw_shop(&m->f->world, &r);
            }
            if (d >= away_until && scarce__random_unit(&r) < 0.03) {
                const double x = scarce__random_unit(&r) * m->f->world.side;
                const double y = scarce__random_unit(&r) * m->f->world.side;
                away_until = d + 2 + (size_t)scarce__random_below(&r, 8);
                if (!scarce__world_near(&m->f->world, x, y, &away)) out->failed = 1;
            }
        }
        genuine_day(m, &h, d, d < away_until ? &away : NULL, &r, &p, out);
        frauds_of_day(m, &h, card, d, &r, &p, out);
    }
    scarce__free(away.items);
}

/* ---- labels */

static scarce_status set_labels(scarce__fraud *f, const maker *m, scarce_error *err)
{
    const uint64_t key =
        scarce__key(f->seed, SCARCE__FOR_SIMULATE, scarce__stage_index(SCARCE__STAGE_LABEL, 0));
    const double false_share = f->options->false_reports * m->frauds / m->genuine;

    f->known = scarce__big_alloc(f->n, sizeof *f->known);
    if (!f->known) return scarce__fail_memory(err, "label times", f->n * sizeof *f->known);
    for (size_t i = 0; i < f->n; ++i) {
        scarce__payment *p = &f->rows[i];
        const double u = scarce__to_unit(scarce__hash(key, 3 * i));
        const double a = 1 - scarce__to_unit(scarce__hash(key, 3 * i + 1));
        const double b = scarce__to_unit(scarce__hash(key, 3 * i + 2));
        const double normal = sqrt(-2 * scarce__ln(a)) * scarce__cos_turns(b);
        const double days = f->options->delay_days * scarce__exp(0.6 * normal);
        p->label = p->scenario ? u >= f->options->unreported : u < false_share;
        f->known[i] = (uint32_t)(days < 365 ? days * SECONDS_PER_DAY : 365.0 * SECONDS_PER_DAY);
    }
    return SCARCE_OK;
}

/* ---- all together */

/* True frauds F such that labelled ones are `rate` of all rows:
 * F (1 - unreported + false) = rate (genuine + F). */
static void size_frauds(maker *m)
{
    const scarce__fraud_options *o = m->f->options;
    const double labelled = 1 - o->unreported + o->false_reports;
    double sum = 0;
    for (size_t c = 0; c < m->f->n_cards; ++c) {
        scarce__random r = scarce__stage_random(m->f->seed, SCARCE__STAGE_CARD, c);
        sum += draw_activity(&r);
    }
    m->genuine = sum * (double)m->f->n_days;
    m->frauds = o->rate * m->genuine / (labelled - o->rate);
}

static void draw_categories(maker *m)
{
    scarce__random r = scarce__stage_random(m->f->seed, SCARCE__STAGE_CATEGORY, 0);
    for (size_t k = 0; k < N_CATEGORIES; ++k) {
        m->category_level[k] = 0.5 * scarce__random_normal(&r);
        m->category_risk[k] = scarce__random_unit(&r);
    }
}

scarce_status scarce__fraud_hard(scarce__fraud *f, const scarce_context *ctx, scarce_error *err)
{
    scarce_status status = SCARCE_OK;
    maker *m = scarce__calloc(1, sizeof *m);

    if (!m) return scarce__fail_memory(err, "fraud campaigns", 0);
    m->f = f;
    m->n_campaigns = N_STANDING + f->n_days / 4 + 4;
    m->campaigns = scarce__calloc(m->n_campaigns, sizeof *m->campaigns);
    m->weight_to = scarce__calloc(m->n_campaigns, sizeof *m->weight_to);
    if (m->campaigns && m->weight_to) {
        draw_categories(m);
        draw_campaigns(m);
        size_frauds(m);
        if (!draw_episodes(m) || !group_episodes(m)) status = scarce__fail_memory(err, "fraud episodes", 0);
    } else {
        status = scarce__fail_memory(err, "fraud campaigns", 0);
    }
    if (status == SCARCE_OK) status = scarce__fraud_collect(f, make_card, m, ctx, err);
    if (status == SCARCE_OK) status = set_labels(f, m, err);
    scarce__free(m->campaigns);
    scarce__free(m->weight_to);
    scarce__free(m->episodes);
    scarce__free(m->of_card);
    scarce__free(m->card_start);
    scarce__free(m);
    return status;
}
