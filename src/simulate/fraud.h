/* SPDX-License-Identifier: Apache-2.0 */
/* The payment stream, shared by its makers.
 *
 * Steps: (1) each card's payments are made from its own random stream, blocks of cards in parallel;
 * (2) they are put in order of time, ties by card, then as made; (3) frauds and labels are set;
 * (4) rolling features are computed per card and per terminal, by src/feature; (5) rows are written.
 *
 * A row takes 20 bytes as a payment, 8 for the two orders (by card, by terminal) and 48 to 60 for its
 * features: about 90, and some 110 more while its features are made. */
#ifndef SCARCE_SIMULATE_FRAUD_H
#define SCARCE_SIMULATE_FRAUD_H

#include <scarce/simulate.h>

#include "core/context.h"
#include "core/random.h"

enum { SECONDS_PER_DAY = 86400, N_WINDOWS = 3 };
enum { PRESET_HARD = 0, PRESET_HANDBOOK = 1 };
enum { CHANNEL_CHIP = 0, CHANNEL_CONTACTLESS, CHANNEL_STRIPE, CHANNEL_ONLINE, N_CHANNELS };
enum { N_CATEGORIES = 300, N_COUNTRIES = 40 };

extern const uint32_t scarce__fraud_window_days[N_WINDOWS];

/* Settings as the user gives them (the table is in simulate.c). */
typedef struct scarce__fraud_options {
    int preset;
    int64_t customers, terminals, days, transactions;
    double rate, radius, delay_days, unreported, false_reports;
    const char *start;
    int scenario;
    int raw; /* no features: what a payment itself says */
} scarce__fraud_options;

/* What a stream of random numbers is for: streams of different stages never meet. */
typedef enum scarce__fraud_stage {
    SCARCE__STAGE_CARD = 1,
    SCARCE__STAGE_TERMINAL,
    SCARCE__STAGE_BAD_TERMINALS,
    SCARCE__STAGE_BAD_CARDS,
    SCARCE__STAGE_CATEGORY,
    SCARCE__STAGE_CAMPAIGN,
    SCARCE__STAGE_EPISODE,
    SCARCE__STAGE_LABEL,
    SCARCE__STAGE_TOY,
    SCARCE__STAGE_COPULA_MARGINS,
    SCARCE__STAGE_COPULA_BETA,
    SCARCE__STAGE_COPULA_SAMPLE,
    SCARCE__STAGE_COPULA_ROWS,
    SCARCE__STAGE_POKER
} scarce__fraud_stage;

static inline uint64_t scarce__stage_index(scarce__fraud_stage stage, uint64_t i)
{
    return ((uint64_t)stage << 48) + i;
}

static inline scarce__random scarce__stage_random(uint64_t seed, scarce__fraud_stage stage, uint64_t i)
{
    return scarce__random_start(seed, SCARCE__FOR_SIMULATE, scarce__stage_index(stage, i));
}

typedef struct scarce__payment {
    uint32_t time; /* seconds since the first day's midnight */
    uint32_t card, terminal;
    uint32_t cents;
    uint8_t scenario; /* the truth: 0 genuine */
    uint8_t label;    /* what is reported */
    uint8_t channel;
    uint8_t abroad;
} scarce__payment;

/* A growing list of payments; `failed` when memory ran out. */
typedef struct scarce__payments {
    scarce__payment *items;
    size_t n, capacity;
    int failed;
} scarce__payments;

/* Appends, or sets `failed`. */
void scarce__payments_add(scarce__payments *list, const scarce__payment *p);

/* Terminals on a square whose side grows with their number: one per unit of area, as in the
 * handbook (10,000 on 100 x 100). Category, country and online are used by the hard preset. */
typedef struct scarce__world {
    size_t n_terminals;
    double side, radius, cell;
    size_t cells; /* per side */
    float *x, *y;
    uint32_t *cell_start, *cell_items;
    uint16_t *category;
    uint8_t *country;
    uint8_t *is_online;
    uint32_t *online; /* the terminals that are online shops, most popular first */
    size_t n_online;
} scarce__world;

scarce_status scarce__world_make(scarce__world *w, size_t n_terminals, double radius, int hard, uint64_t seed,
                                 scarce_error *err);
void scarce__world_deinit(scarce__world *w);

typedef struct scarce__ids {
    uint32_t *items;
    size_t n, capacity;
} scarce__ids;

/* The terminals nearer than radius to (x, y), in ascending order of number within a cell; online ones
 * are left out. 0 when memory ran out. */
int scarce__world_near(const scarce__world *w, double x, double y, scarce__ids *out);

/* The stream in memory. */
typedef struct scarce__fraud {
    const scarce__fraud_options *options;
    uint64_t seed;
    size_t n_cards, n_terminals, n_days, n;
    uint32_t delay; /* seconds */
    int64_t origin; /* 1970-based seconds of the first midnight */
    scarce__world world;
    scarce__payment *rows;
    uint32_t *by_card, *card_start; /* row numbers of card c: by_card[card_start[c] .. card_start[c+1]) */
    uint32_t *by_terminal, *terminal_start; /* the same for terminals */
    uint32_t *known; /* hard: seconds from a payment to its label; NULL: `delay` for all */
    /* features, each n long per window */
    uint32_t *card_count[N_WINDOWS], *card_mean[N_WINDOWS]; /* means in cents */
    uint32_t *terminal_count[N_WINDOWS], *terminal_bad[N_WINDOWS];
    uint32_t *since_last, *seen; /* hard only; UINT32_MAX: no earlier payment */
} scarce__fraud;

/* Makes all payments of one card, appending them to `out`; called from several threads at once, so `maker`
 * is only read. `scratch` is kept from card to card. */
typedef void (*scarce__card_fn)(void *maker, uint32_t card, scarce__payments *out, scarce__ids *scratch);

/* Steps 1 and 2, and the orders by card and terminal. */
scarce_status scarce__fraud_collect(scarce__fraud *f, scarce__card_fn make, void *maker,
                                    const scarce_context *ctx, scarce_error *err);
/* Step 4. */
scarce_status scarce__fraud_features(scarce__fraud *f, const scarce_context *ctx, scarce_error *err);
/* Step 5. */
scarce_status scarce__fraud_write(const scarce__fraud *f, const char *path, const scarce_context *ctx,
                                  scarce_error *err);
/* Texts of the category columns, without NUL; the number of bytes (at most 16). */
size_t scarce__category_name(uint32_t category, char *out);
size_t scarce__country_name(uint32_t country, char *out);

/* Steps 1 to 3 for one preset. */
scarce_status scarce__fraud_handbook(scarce__fraud *f, const scarce_context *ctx, scarce_error *err);
scarce_status scarce__fraud_hard(scarce__fraud *f, const scarce_context *ctx, scarce_error *err);
/* Payments a card makes per day on average, for sizing. */
double scarce__handbook_per_day(void);
double scarce__hard_per_day(void);

/* All of it. Called with checked options. */
scarce_status scarce__fraud_make(scarce__fraud *f, const scarce__fraud_options *o, const scarce_context *ctx,
                                 scarce_error *err);
void scarce__fraud_deinit(scarce__fraud *f);

#endif
