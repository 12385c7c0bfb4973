/* SPDX-License-Identifier: Apache-2.0 */
/* preset=handbook: the simulator published in the Fraud Detection Handbook (Le Borgne, Siblini,
 * Lebichot, Bontempi), written anew from its description.
 *
 * A customer has a place, a mean amount m ~ U(5,100) with deviation m/2, and makes Poisson(U(0,4))
 * payments a day at terminals nearer than the radius. Second of the day N(noon, 20,000), a payment
 * outside the day is dropped; amount N(m, m/2), drawn anew from U(0,2m) when negative, in cents.
 * Frauds, the later rule winning: (1) amount > 220; (2) each day 2 terminals go bad for 28 days: all
 * their payments; (3) each day 3 customers' data is stolen for 14 days: a third of their payments,
 * with the amount times 5. With other sizes the 2 and 3 grow in proportion to the terminals (per
 * 10,000) and customers (per 5,000), which keeps the fraud share. */
#include <string.h>

#include "core/alloc.h"
#include "simulate/fraud.h"

enum {
    LARGE_CENTS = 22000,
    BAD_TERMINAL_DAYS = 28,
    BAD_CARD_DAYS = 14,
    SCENARIO_LARGE = 1,
    SCENARIO_TERMINAL = 2,
    SCENARIO_CARD = 3
};

/* 2 a day on average, times P(|N(0,1)| < 43200 / 20000) = erf(2.16 / sqrt(2)). */
double scarce__handbook_per_day(void)
{
    return 2 * 0.96922733043214909;
}

static void make_card(void *maker, uint32_t card, scarce__payments *out, scarce__ids *near)
{
    const scarce__fraud *f = maker;
    scarce__random r = scarce__stage_random(f->seed, SCARCE__STAGE_CARD, card);
    const double x = scarce__random_unit(&r) * f->world.side, y = scarce__random_unit(&r) * f->world.side;
    const double mean = 5 + 95 * scarce__random_unit(&r), per_day = 4 * scarce__random_unit(&r);
    scarce__payment p;

    if (!scarce__world_near(&f->world, x, y, near)) {
        out->failed = 1;
        return;
    }
    if (near->n == 0) return; /* nowhere to pay */
    memset(&p, 0, sizeof p);
    p.card = card;
    for (size_t d = 0; d < f->n_days; ++d) {
        for (uint64_t k = scarce__random_poisson(&r, per_day); k > 0; --k) {
            const double second = SECONDS_PER_DAY / 2.0 + 20000 * scarce__random_normal(&r);
            if (!(second >= 1 && second < SECONDS_PER_DAY)) continue;
            double amount = mean + mean / 2 * scarce__random_normal(&r);
            if (amount < 0) amount = 2 * mean * scarce__random_unit(&r);
            p.time = (uint32_t)(d * SECONDS_PER_DAY) + (uint32_t)second;
            p.cents = (uint32_t)floor(amount * 100 + 0.5);
            p.terminal = near->items[scarce__random_below(&r, near->n)];
            scarce__payments_add(out, &p);
        }
    }
}

/* How many of `per_day` on average go bad on day d: whole numbers that add up. */
static size_t bad_on_day(double per_day, size_t d)
{
    return (size_t)(per_day * (double)(d + 1)) - (size_t)(per_day * (double)d);
}

/* The j-th of the day, different from the j before it (few, so a scan is enough). */
static uint32_t draw_other(scarce__random *r, uint32_t *drawn, size_t j, size_t n)
{
    for (;;) {
        const uint32_t id = (uint32_t)scarce__random_below(r, n);
        size_t k = 0;
        while (k < j && drawn[k] != id) ++k;
        if (k == j) {
            drawn[j] = id;
            return id;
        }
    }
}

static void spoil_terminal(scarce__fraud *f, uint32_t terminal, size_t day)
{
    for (uint32_t k = f->terminal_start[terminal]; k < f->terminal_start[terminal + 1]; ++k) {
        scarce__payment *p = &f->rows[f->by_terminal[k]];
        const size_t d = p->time / SECONDS_PER_DAY;
        if (d >= day && d < day + BAD_TERMINAL_DAYS) p->scenario = SCENARIO_TERMINAL;
    }
}

/* A third, rounded down, of the card's payments in the days, drawn without replacement: of the `left`
 * still to come take one with probability wanted/left. */
static void spoil_card(scarce__fraud *f, scarce__random *r, uint32_t card, size_t day)
{
    size_t left = 0, wanted;
    for (int pass = 0; pass < 2; ++pass) {
        wanted = left / 3;
        for (uint32_t k = f->card_start[card]; k < f->card_start[card + 1]; ++k) {
            scarce__payment *p = &f->rows[f->by_card[k]];
            const size_t d = p->time / SECONDS_PER_DAY;
            if (d < day || d >= day + BAD_CARD_DAYS) continue;
            if (pass == 0) {
                ++left;
                continue;
            }
            if (scarce__random_below(r, left--) >= wanted) continue;
            --wanted;
            p->scenario = SCENARIO_CARD;
            p->cents = p->cents > UINT32_MAX / 5 ? UINT32_MAX : p->cents * 5;
        }
    }
}

scarce_status scarce__fraud_handbook(scarce__fraud *f, const scarce_context *ctx, scarce_error *err)
{
    const double terminals = 2 * (double)f->n_terminals / 10000, cards = 3 * (double)f->n_cards / 5000;
    const size_t most = (size_t)((terminals > cards ? terminals : cards) + 2);
    uint32_t *drawn;

    SCARCE__TRY(scarce__fraud_collect(f, make_card, f, ctx, err));
    drawn = scarce__malloc_array(most, sizeof *drawn);
    if (!drawn) return scarce__fail_memory(err, "frauds", 0);
    for (size_t i = 0; i < f->n; ++i)
        if (f->rows[i].cents > LARGE_CENTS) f->rows[i].scenario = SCENARIO_LARGE;
    for (size_t d = 0; d < f->n_days; ++d) {
        scarce__random r = scarce__stage_random(f->seed, SCARCE__STAGE_BAD_TERMINALS, d);
        const size_t n = bad_on_day(terminals, d);
        for (size_t j = 0; j < n; ++j) spoil_terminal(f, draw_other(&r, drawn, j, f->n_terminals), d);
    }
    for (size_t d = 0; d < f->n_days; ++d) {
        scarce__random r = scarce__stage_random(f->seed, SCARCE__STAGE_BAD_CARDS, d);
        const size_t n = bad_on_day(cards, d);
        for (size_t j = 0; j < n; ++j) spoil_card(f, &r, draw_other(&r, drawn, j, f->n_cards), d);
    }
    scarce__free(drawn);
    for (size_t i = 0; i < f->n; ++i) f->rows[i].label = f->rows[i].scenario != 0;
    return SCARCE_OK;
}
