/* SPDX-License-Identifier: Apache-2.0 */
/* Hands of poker: five cards drawn from 52, in the order in which they were drawn, and whether they are more than nothing.
 *
 * The rule is exact and in no single column: pairs, straights and flushes are of cards together, so a linear model is at
 * chance (half of all hands are nothing), and what a learner gets right is what it found out of the combinations. The
 * set of this name in the UCI archive has 1,025,010 such hands; these are drawn anew from the rules, by the seed. */
#include "simulate/poker.h"

#include "core/context.h"
#include "core/outfile.h"
#include "core/text.h"
#include "simulate/fraud.h"

enum { CARDS = 5, RANKS = 13, DECK = 52, BATCH = 4096 };

/* 0 nothing, 1 pair, 2 two pairs, 3 three, 4 straight, 5 flush, 6 full house, 7 four, 8 straight flush, 9 royal flush. */
int scarce__poker_hand(const int *suit, const int *rank)
{
    int count[RANKS] = {0}, pairs = 0, three = 0, four = 0, flush = 1, lowest = RANKS, highest = -1;

    for (int i = 0; i < CARDS; ++i) {
        ++count[rank[i]]; /* 0: ace */
        flush &= suit[i] == suit[0];
        lowest = rank[i] < lowest ? rank[i] : lowest;
        highest = rank[i] > highest ? rank[i] : highest;
    }
    for (int r = 0; r < RANKS; ++r) pairs += count[r] == 2, three += count[r] == 3, four += count[r] == 4;
    const int different = pairs + three + four == 0;
    const int royal = different && count[0] && count[9] && count[10] && count[11] && count[12];
    const int straight = royal || (different && highest - lowest == CARDS - 1);
    if (straight && flush) return royal ? 9 : 8;
    if (four) return 7;
    if (three && pairs) return 6;
    if (flush) return 5;
    if (straight) return 4;
    return three ? 3 : pairs;
}

static void add_row(scarce__text *t, const scarce__poker_options *o, scarce__random *r,
                    scarce_simulate_summary *s)
{
    static const char *const suits[] = {"H", "S", "D", "C"};
    static const char *const ranks[] = {"ace",   "two",  "three", "four", "five",  "six", "seven",
                                        "eight", "nine", "ten",   "jack", "queen", "king"};
    static const char *const hands[] = {"nothing",        "pair",       "two-pairs",  "three",
                                        "straight",       "flush",      "full-house", "four",
                                        "straight-flush", "royal-flush"};
    int deck[DECK], suit[CARDS], rank[CARDS];

    for (int i = 0; i < DECK; ++i) deck[i] = i;
    for (int i = 0; i < CARDS; ++i) {
        const int j = i + (int)scarce__random_below(r, (uint64_t)(DECK - i)), card = deck[j];
        deck[j] = deck[i];
        suit[i] = card / RANKS;
        rank[i] = card % RANKS;
        scarce__text_add(t, suits[suit[i]]);
        scarce__text_add_char(t, ',');
        scarce__text_add(t, ranks[rank[i]]);
        scarce__text_add_char(t, ',');
    }
    const int hand = scarce__poker_hand(suit, rank);
    if (o->hand) {
        scarce__text_add(t, hands[hand]);
        scarce__text_add_char(t, ',');
    }
    scarce__text_add(t, hand ? "1\n" : "0\n");
    s->rows += 1;
    s->positives += hand != 0;
}

static scarce_status write_rows(scarce__outfile *out, const scarce__poker_options *o,
                                const scarce_context *ctx, scarce_simulate_summary *s, scarce_error *err)
{
    scarce__random r = scarce__stage_random(scarce_context_seed(ctx), SCARCE__STAGE_POKER, 0);
    scarce__text text = SCARCE__TEXT_INIT;
    scarce_status st = SCARCE_OK;

    scarce__text_add(&text, "s1,c1,s2,c2,s3,c3,s4,c4,s5,c5,");
    scarce__text_add(&text, o->hand ? "hand,label\n" : "label\n");
    for (int64_t i = 0; st == SCARCE_OK && i < o->rows; ++i) {
        add_row(&text, o, &r, s);
        if (i % BATCH != BATCH - 1 && i + 1 < o->rows) continue;
        const scarce_progress p = {"write", (double)i, (double)o->rows, "rows", "", NULL, 0};
        st = text.failed ? scarce__fail_memory(err, "hands of poker", 0)
                         : scarce__outfile_write(out, text.bytes, text.n, err);
        text.n = 0;
        if (st == SCARCE_OK && scarce__progress(ctx, &p)) st = scarce__fail(err, SCARCE_ECANCEL, "cancelled");
    }
    scarce__text_deinit(&text);
    return st;
}

scarce_status scarce__poker_write(const scarce__poker_options *o, const char *path, const scarce_context *ctx,
                                  scarce_simulate_summary *summary, scarce_error *err)
{
    scarce__outfile *out = NULL;
    scarce_status st;

    SCARCE__TRY(scarce__outfile_open(&out, path, err));
    st = write_rows(out, o, ctx, summary, err);
    if (st != SCARCE_OK) {
        scarce__outfile_abort(out);
        return st;
    }
    summary->scenario[0] = summary->rows - summary->positives;
    return scarce__outfile_commit(out, err);
}
