/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up data to try methods on: a stream of card payments with fraud, thousands of dependent columns with
 * labels of known probability, hands of poker, and two toys.
 *
 *     const char *settings[] = {"preset=hard", "transactions=200000"};
 *     scarce_simulate_summary s = SCARCE_SIMULATE_SUMMARY_INIT;
 *     if (scarce_simulate("fraud", settings, 2, "pay.csv", ctx, &s, &err)) ...
 *
 * Kinds
 *  fraud  card payments in time order, one row each, as CSV with a header. preset=hard (default):
 *         rare fraud in campaigns that come and go, imitating the card holder, with merchants'
 *         categories, drift, late and partly wrong labels. preset=handbook: the published simulator
 *         of the Fraud Detection Handbook, whose figures can be compared with ours.
 *         Columns: tx_id, time (seconds since 1970), card, terminal, amount; for hard category,
 *         country, channel, abroad, hour, since_last (seconds since the card's previous payment,
 *         empty for its first), seen (earlier payments of the card at this terminal); weekend, night,
 *         card_count_Wd and card_mean_Wd (payments of the card in the last W = 1, 7, 30 days, this one
 *         included, and their mean amount), terminal_count_Wd and terminal_risk_Wd (payments at the
 *         terminal in the W days that ended `delay_days` ago, and the share of them known as fraud by
 *         now; 0 when there are none); label, label_time (when the label becomes known); with
 *         scenario=true also scenario (0: genuine), which tells the truth and so must not be learnt
 *         from. Windows are open at the old end and closed at the new one. With raw=true only what a payment says of
 *         itself (tx_id, time, card, terminal, amount; for hard category, country, channel, abroad) and the label:
 *         what `scarce features` (features.h) makes features of.
 *  copula a row has `features` columns x1, x2, ... in `groups` groups of `clusters` clusters. Columns of
 *         one cluster are alike (rho_high), those of one group somewhat (rho_low), others independent; each
 *         is normal, 0 or 1, or gamma. The label is 1 with probability 1 / (1 + exp(-b0 - x'beta)), and b0
 *         makes that probability `rate` on average. With truth=true also the column probability. Rows depend
 *         on the seed, the truth (margins, beta, b0) on `model` and `draw`: two seeds give training and test
 *         rows of one truth, and the first rows are the same however many are asked for. 10,000 x 10,000
 *         cells take a few seconds.
 *  toy    variant=square: two features, two classes in rectangles that overlap in one corner;
 *         variant=line: 14 fixed points on a line. Columns: x1, x2 (or x), label.
 *  poker  five cards of 52 as they were drawn: s1, c1 (suit and rank of the first), ..., s5, c5; with hand=true
 *         also hand, the name of what they make; label 1 when that is more than nothing (half of them).
 *
 * The bytes depend on the settings and the context's seed alone, not on threads. */
#ifndef SCARCE_SIMULATE_H
#define SCARCE_SIMULATE_H

#include <scarce/base.h>
#include <scarce/method.h>
#include <scarce/table.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCARCE_SIMULATE_SCENARIOS = 8 };

/* What was written. Fields that mean nothing for a kind are 0. */
typedef struct scarce_simulate_summary {
    size_t struct_size;
    uint64_t rows;
    uint64_t positives; /* rows with label 1 */
    uint64_t cards, terminals;
    uint64_t days;
    /* Rows by truth: [0] genuine. handbook: [1] large amounts, [2] bad terminals, [3] stolen card
     * data. hard: [1] small test payments, then large ones, [2] imitation of the holder's habits,
     * [3] account taken over for online shops. */
    uint64_t scenario[SCARCE_SIMULATE_SCENARIOS];
    uint64_t unreported;     /* frauds that carry label 0 (hard) */
    uint64_t false_reports;  /* genuine rows that carry label 1 (hard) */
    double amount;           /* of all rows */
    double amount_fraud;     /* of all true frauds */
    double intercept;        /* copula: b0 */
    double mean_probability; /* copula: of the rows that were made */
} scarce_simulate_summary;

#define SCARCE_SIMULATE_SUMMARY_INIT                                                                         \
    SCARCE_INIT(sizeof(scarce_simulate_summary), 0, 0, 0, 0, 0, {0}, 0, 0, 0, 0, 0, 0)

/* Writes the data to `path` ("-": standard output); a file appears only when it is complete.
 * `settings` are n_settings texts "key=value" (scarce_simulate_param lists the keys). NULL ctx: one
 * thread, seed 1. `summary` may be NULL; on failure it is unchanged.
 * EINVAL: unknown kind or key, value not allowed, a key given twice; EIO: can't write; ENOMEM;
 * ECANCEL by the progress callback. fraud keeps about 200 bytes per row in memory (30 with raw=true) and writes a
 * million rows in a few seconds. */
SCARCE_API scarce_status scarce_simulate(const char *kind, const char *const *settings, size_t n_settings,
                                         const char *path, scarce_context *ctx,
                                         scarce_simulate_summary *summary, scarce_error *err);

/* The same as a table in memory, for copula: the table that reading the file would give, without the way
 * through text; 4 bytes a cell. With truth=true the probability is scarce_table_exact(*out, 0). EUNSUPPORTED
 * for the kinds that are made as files only (fraud, toy). */
SCARCE_API scarce_status scarce_simulate_table(scarce_table **out, const char *kind,
                                               const char *const *settings, size_t n_settings,
                                               scarce_context *ctx, scarce_simulate_summary *summary,
                                               scarce_error *err);

typedef struct scarce_simulate_info {
    const char *name;
    const char *summary;
    size_t n_params;
} scarce_simulate_info;

/* Kinds are numbered from 0. A number out of range gives NULL texts. */
SCARCE_API size_t scarce_simulate_count(void);
SCARCE_API scarce_simulate_info scarce_simulate_get(size_t kind);
SCARCE_API scarce_param_info scarce_simulate_param(size_t kind, size_t param);

#ifdef __cplusplus
}
#endif
#endif
