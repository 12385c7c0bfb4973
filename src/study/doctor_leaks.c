/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that know the label, or the future, too well.
 *
 * A column is suspected when it is (1) no chance result: the deviate of its AUC is significant at 0.001
 * after correction for all columns and both directions; and (2) too good even at the lower end of its
 * interval: with a = (AP - base) / (1 - base), 0 for chance and 1 for perfect, as in docs/doctor.md.
 * So few positives can't raise an alarm by luck, nor can a column that is merely good. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "eval/special.h"
#include "study/doctor.h"

static const double chance = 1e-3;  /* of a false alarm, over all columns */
enum { FEWEST = 5, ID_ROWS = 100 }; /* positives (and negatives) to judge by; rows to call something an id */

typedef struct suspicion {
    double ap, base, above, lower, auc, auc_lower;
    int significant, high; /* high: large values are suspicious */
} suspicion;

static suspicion suspect(const scarce_doctor *d, size_t f)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const int category = d->columns[f].kind == SCARCE_COLUMN_CATEGORY;
    const size_t negatives = x->present - x->positives;
    suspicion s;

    memset(&s, 0, sizeof s);
    if (x->positives < FEWEST || negatives < FEWEST) return s;
    s.high = category || !(x->ap_low > x->ap_high);
    s.ap = s.high ? x->ap_high : x->ap_low;
    s.auc = x->auc < 0.5 && !category ? 1 - x->auc : x->auc;
    s.base = (double)x->positives / (double)x->present;
    s.above = scarce__doctor_above_chance(s.ap, s.base);
    s.lower = scarce__doctor_above_chance(scarce__doctor_ap_lower(s.ap, x->positives), s.base);
    s.auc_lower = scarce__doctor_auc_lower(s.auc, x->positives, negatives);
    s.significant =
        2 * (double)d->n_columns * scarce__normal_upper(category ? x->auc_z : fabs(x->auc_z)) < chance;
    if (!s.significant) {
        s.above = s.lower = 0;
        s.auc = s.auc_lower = 0.5;
    }
    return s;
}

/* ln C(n, k) */
static double log_choose(double n, double k)
{
    return scarce__log_gamma(n + 1) - scarce__log_gamma(k + 1) - scarce__log_gamma(n - k + 1);
}

/* Two values, one for each class: also shown by so few positives that intervals say nothing. */
static int is_label(const scarce_doctor *d, size_t f)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double n = (double)x->present, p = (double)x->positives;
    if (x->distinct != 2 || x->positives < 3 || x->positives + 3 > x->present) return 0;
    if (x->top.positives != 0 && x->top.positives != x->top.rows) return 0;
    if (x->top.rows != x->present - x->positives && x->top.rows != x->positives) return 0;
    return log_choose(n, p) > scarce__ln((double)d->n_columns / (chance * chance));
}

/* ---- one column against the label */

static scarce_status say_leak(scarce_doctor *d, size_t f, const suspicion *s, const char *code,
                              scarce_severity severity, const char *reason, const char *advice,
                              scarce_error *err)
{
    const int category = d->columns[f].kind == SCARCE_COLUMN_CATEGORY;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding = scarce__doctor_add(d, code, severity, f, NULL, err);

    scarce__doctor_figure(finding, "ap", s->ap);
    scarce__doctor_figure(finding, "auc", s->auc);
    scarce__doctor_figure(finding, "base_rate", s->base);
    scarce__doctor_textf(&t, "%s alone ranks the positives with AP %n and AUC %n (chance: %n)%s%s",
                         scarce__doctor_name(d, f), s->ap, s->auc, s->base,
                         category  ? ""
                         : s->high ? ", high values first"
                                   : ", low values first",
                         reason);
    return scarce__doctor_say(finding, &t, advice, err);
}

static scarce_status say_copy(scarce_doctor *d, size_t f, scarce_error *err)
{
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding = scarce__doctor_add(d, "leak-label", SCARCE_SEVERITY_BAD, f, NULL, err);
    scarce__doctor_figure(finding, "positives", (double)d->facts[f].positives);
    scarce__doctor_textf(&t, "%s has two values, and they are the two classes: it is the label itself",
                         scarce__doctor_name(d, f));
    return scarce__doctor_say(finding, &t, "leave it out (--ignore)", err);
}

enum { OUT_BY_AP = 1, OUT_ALONE = 2, OUT_BY_AUC = 4 };

/* Columns that leave the others behind. By AP: those before the last place where the columns, best first,
 * fall to half or less, among the first few; alone: the best, if the second is far behind. By AUC: the best,
 * if the second misses twice as many pairs. */
static void find_outstanding(const suspicion *s, size_t *best, size_t n, unsigned char *out)
{
    const size_t most = n < 2 ? 0 : n < 8 ? 1 : n < 12 ? 2 : 3;
    size_t top = 0, k = most;
    double second = 0.5;

    for (size_t b = 0; b < n && b <= most; ++b)
        for (size_t i = b + 1; i < n; ++i)
            if (s[best[i]].above > s[best[b]].above) {
                const size_t swap = best[b];
                best[b] = best[i];
                best[i] = swap;
            }
    while (k > 0 && !(s[best[k - 1]].above > 0 && s[best[k - 1]].above >= 2 * s[best[k]].above)) --k;
    for (size_t b = 0; b < k; ++b) out[best[b]] |= OUT_BY_AP;
    if (n > 1 && s[best[0]].above > 0 && s[best[0]].above >= 1.75 * s[best[1]].above)
        out[best[0]] |= OUT_ALONE;
    for (size_t f = 1; f < n; ++f)
        if (s[f].auc > s[top].auc) top = f;
    for (size_t f = 0; f < n; ++f)
        if (f != top && s[f].auc > second) second = s[f].auc;
    if (n > 1 && 2 * (1 - s[top].auc) <= 1 - second) out[top] |= OUT_BY_AUC;
}

static scarce_status judge_column(scarce_doctor *d, size_t f, const suspicion *s, unsigned out,
                                  scarce_error *err)
{
    const char *when = "ask when its value is known: what is filled in, corrected or summed up after the "
                       "event must be left out (--ignore)";
    if (is_label(d, f)) return say_copy(d, f, err);
    if (s->above >= 0.98 && s->lower >= 0.75)
        return say_leak(d, f, s, "leak-label", SCARCE_SEVERITY_BAD, ": it nearly is the label", when, err);
    if (s->above >= 0.9 && s->lower >= 0.6)
        return say_leak(d, f, s, "leak-label", SCARCE_SEVERITY_WARN, ": few honest columns do", when, err);
    if (s->significant && s->auc >= 0.98 && s->auc_lower >= 0.95)
        return say_leak(d, f, s, "leak-label", SCARCE_SEVERITY_WARN, ": few honest columns do", when, err);
    if ((out & OUT_BY_AP) && s->lower >= 0.5)
        return say_leak(d, f, s, "leak-label", SCARCE_SEVERITY_WARN, ", and no other column comes near", when,
                        err);
    if (((out & OUT_ALONE) && s->lower >= 0.2) || ((out & OUT_BY_AUC) && s->auc_lower >= 0.85))
        return say_leak(d, f, s, "strong-column", SCARCE_SEVERITY_NOTE, ", far better than the others",
                        "make sure that its value is known at the time of scoring", err);
    return SCARCE_OK;
}

/* ---- missing values that tell the label */

/* Chance of `k` or a more extreme number out of n draws of share p, in the direction it deviates. */
static double binomial_tail(double k, double n, double p)
{
    if (k > n * p) return k > 0 ? scarce__beta_i(k, n - k + 1, p) : 1;
    return k < n ? 1 - scarce__beta_i(k + 1, n - k, p) : 1;
}

static scarce_status judge_missing(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const double n = (double)d->table->n_rows, p = (double)d->table->n_positives, q = n - p;
    const double missing = n - (double)x->present, with = p - (double)x->positives;
    const double of_pos = with / p, of_neg = (missing - with) / q;
    const int more = of_pos > of_neg;
    const double k = more ? with : p - with, m = more ? missing : n - missing; /* of the rows ranked first */
    const double base = p / n, ap = k / p * (m > 0 ? k / m : 0) + (1 - k / p) * base;
    const double above = scarce__doctor_above_chance(ap, base);
    const double lower =
        scarce__doctor_above_chance(scarce__doctor_ap_lower(ap, d->table->n_positives), base);
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (p < FEWEST || q < FEWEST || missing == 0 || missing == n) return SCARCE_OK;
    if (fabs(of_pos - of_neg) < 0.25) return SCARCE_OK;
    if (2 * (double)d->n_columns * binomial_tail(with, p, missing / n) >= chance) return SCARCE_OK;
    finding = scarce__doctor_add(d, "leak-missing",
                                 above >= 0.9 && lower >= 0.6 ? SCARCE_SEVERITY_BAD : SCARCE_SEVERITY_WARN, f,
                                 NULL, err);
    scarce__doctor_figure(finding, "missing_positives", of_pos);
    scarce__doctor_figure(finding, "missing_negatives", of_neg);
    scarce__doctor_figure(finding, "ap", ap);
    scarce__doctor_textf(&t, "%s is missing in %p of the positives and in %p of the negatives",
                         scarce__doctor_name(d, f), of_pos, of_neg);
    return scarce__doctor_say(
        finding, &t,
        "find out why: a field that is filled in because of the investigation gives the "
        "label away; leave it out (--ignore)",
        err);
}

/* ---- values that only positives have */

static void add_value(const scarce_doctor *d, scarce__text *t, size_t f, double value)
{
    const scarce__dictionary *c = &d->table->schema.features[f].categories;
    if (d->columns[f].kind != SCARCE_COLUMN_CATEGORY) scarce__text_digits(t, value, 7);
    else if ((size_t)value >= c->count) scarce__text_add(t, "(unknown)");
    else scarce__text_addf(t, "\"%.60s\"", scarce__dictionary_text(c, (size_t)value));
}

static scarce_status judge_pure(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const scarce__doctor_value *v = &x->pure;
    const double base = x->present ? (double)x->positives / (double)x->present : 1;
    const double share = x->positives ? (double)v->positives / (double)x->positives : 0;
    const double tail = v->rows ? binomial_tail((double)v->positives, (double)v->rows, base) : 1;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (v->positives < FEWEST || share < 0.1 || base > 0.2) return SCARCE_OK;
    if (tail * (double)x->distinct * (double)d->n_columns >= chance) return SCARCE_OK;
    finding = scarce__doctor_add(d, "pure-value", share >= 0.25 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                                 f, NULL, err);
    scarce__doctor_figure(finding, "rows", (double)v->rows);
    scarce__doctor_figure(finding, "positives", (double)v->positives);
    scarce__doctor_figure(finding, "share_of_positives", share);
    scarce__doctor_textf(&t, "%s = ", scarce__doctor_name(d, f));
    add_value(d, &t, f, v->value);
    scarce__doctor_textf(&t, ": %z of its %z row%S are positive, %p of all positives", v->positives, v->rows,
                         share);
    return scarce__doctor_say(
        finding, &t,
        "a value that is set once a case is confirmed gives the label away; if so, leave the column "
        "out (--ignore)",
        err);
}

/* ---- identifiers and clocks */

static scarce_status judge_id(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    const int category = d->columns[f].kind == SCARCE_COLUMN_CATEGORY;
    const suspicion s = suspect(d, f);
    const int grows = !category && fabs(x->rank_with_order) >= 0.99;
    const int unique = category ? x->distinct * 10 >= x->present * 9
                                : x->whole && x->distinct == x->present &&
                                      (grows || x->high - x->low <= 10 * (double)x->present);
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (x->present < ID_ROWS || !unique || scarce__doctor_stray_text(d, f, NULL)) return SCARCE_OK;
    if (s.significant && s.auc >= 0.6 && !(grows && d->table->time)) {
        finding = scarce__doctor_add(d, "leak-id", SCARCE_SEVERITY_BAD, f, NULL, err);
        scarce__doctor_figure(finding, "auc", s.auc);
        scarce__doctor_figure(finding, "distinct", (double)x->distinct);
        scarce__doctor_textf(
            &t, "%s is another in every row, as a number given to each, and yet tells the label (AUC %n)",
            scarce__doctor_name(d, f), s.auc);
        return scarce__doctor_say(finding, &t,
                                  "the numbers were given knowing the label, or positives were added later: "
                                  "leave it out (--ignore)",
                                  err);
    }
    finding = scarce__doctor_add(d, "identifier", SCARCE_SEVERITY_WARN, f, NULL, err);
    scarce__doctor_figure(finding, "distinct", (double)x->distinct);
    scarce__doctor_figure(finding, "rank_with_order", x->rank_with_order);
    scarce__doctor_textf(&t, "%s has %z value%S in %z row%S%s: it is an id, one per row",
                         scarce__doctor_name(d, f), x->distinct, x->present,
                         !grows           ? ""
                         : d->table->time ? ", growing with the time"
                                          : ", in the order of the rows");
    return scarce__doctor_say(finding, &t,
                              "leave it out (--ignore); a model can only learn rows by heart from it", err);
}

/* A column that goes with time tells the future apart from the past, and nothing else. */
static scarce_status judge_clock(scarce_doctor *d, size_t f, scarce_error *err)
{
    const scarce__doctor_facts *x = &d->facts[f];
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (d->columns[f].kind == SCARCE_COLUMN_CATEGORY || x->present < ID_ROWS || x->distinct < 20 ||
        fabs(x->rank_with_order) < 0.99)
        return SCARCE_OK;
    finding = scarce__doctor_add(d, d->table->time ? "clock" : "sorted",
                                 d->table->time ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE, f, NULL, err);
    scarce__doctor_figure(finding, "rank_with_order", x->rank_with_order);
    scarce__doctor_textf(&t,
                         d->table->time ? "%s goes with the time (rank correlation %n)"
                                        : "the rows are sorted by %s (rank correlation %n)",
                         scarce__doctor_name(d, f), x->rank_with_order);
    return scarce__doctor_say(
        finding, &t,
        d->table->time ? "leave it out (--ignore): all values of the future lie beyond those learnt from"
                       : "if it is the time, say so (--time), and test on later rows than were learnt from",
        err);
}

/* Without a time role: are the positives at one end of the file? */
static scarce_status judge_row_order(scarce_doctor *d, scarce_error *err)
{
    const scarce_table *t = d->table;
    const double n = (double)t->n_rows, p = (double)t->n_positives;
    double sum = 0, auc, z;
    scarce__text text = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (t->time || p < FEWEST || n - p < FEWEST) return SCARCE_OK;
    for (size_t i = 0; i < t->n_rows; ++i) sum += t->label[i] ? (double)i : 0;
    auc = (sum - p * (p - 1) / 2) / (p * (n - p));
    z = (auc - 0.5) / sqrt((n + 1) / (12 * p * (n - p)));
    if (fabs(auc - 0.5) < 0.1 || 2 * scarce__normal_upper(fabs(z)) > chance) return SCARCE_OK;
    finding = scarce__doctor_add(d, "label-order", SCARCE_SEVERITY_NOTE, SIZE_MAX, "rows", err);
    scarce__doctor_figure(finding, "auc", auc);
    scarce__doctor_textf(&text, "positives stand towards the %s of the data (AUC of the row number: %n)",
                         auc > 0.5 ? "end" : "beginning", auc);
    return scarce__doctor_say(finding, &text,
                              "never split such data by position; if the order is that of time, name the "
                              "column (--time)",
                              err);
}

static int no_warning_since(const scarce_doctor *d, size_t before)
{
    for (size_t i = before; i < d->n_findings; ++i)
        if (d->findings[i].severity > SCARCE_SEVERITY_NOTE) return 0;
    return 1;
}

scarce_status scarce__doctor_leaks(scarce_doctor *d, scarce_error *err)
{
    const size_t n = d->n_columns;
    suspicion *s = scarce__calloc(n + 1, sizeof *s);
    size_t *best = scarce__malloc_array(n + 1, sizeof *best);
    unsigned char *out = scarce__calloc(n + 1, 1);
    scarce_status st = SCARCE_OK;

    if (!s || !best || !out) st = scarce__fail_memory(err, "the columns", 0);
    for (size_t f = 0; st == SCARCE_OK && f < n; ++f) {
        s[f] = suspect(d, f);
        best[f] = f;
    }
    if (st == SCARCE_OK) find_outstanding(s, best, n, out);
    for (size_t f = 0; st == SCARCE_OK && f < n; ++f) {
        const size_t before = d->n_findings;
        if (d->table->label) st = judge_column(d, f, &s[f], out[f], err);
        if (st == SCARCE_OK && d->table->label) st = judge_missing(d, f, err);
        if (st == SCARCE_OK && d->table->label && no_warning_since(d, before)) st = judge_pure(d, f, err);
        if (st == SCARCE_OK && no_warning_since(d, before)) st = judge_id(d, f, err);
        if (st == SCARCE_OK && no_warning_since(d, before)) st = judge_clock(d, f, err);
    }
    if (st == SCARCE_OK && d->table->label) st = judge_row_order(d, err);
    scarce__free(s);
    scarce__free(best);
    scarce__free(out);
    return st;
}
