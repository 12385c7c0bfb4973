/* SPDX-License-Identifier: Apache-2.0 */
/* Are there positives enough to learn from and to test on, and is the test part new to the training part?
 *
 * Every fold of the protocol is counted through: positives on either side, test rows that are copies of
 * training rows, test rows of groups that train. How sure an AP could be is told by the interval that an AP
 * of one half would have with so many positives. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "study/doctor.h"
#include "study/protocol.h"

static const char *label_name(const scarce_doctor *d)
{
    return d->table->schema.label ? d->table->schema.label : "label";
}

/* Half the width of the 90 % interval of an AP of one half. */
static double half_width(size_t positives)
{
    return positives ? (scarce__doctor_ap_upper(0.5, positives) - scarce__doctor_ap_lower(0.5, positives)) / 2
                     : 0.5;
}

static scarce_status judge_class(scarce_doctor *d, int *usable, scarce_error *err)
{
    const scarce_table *t = d->table;
    const char *what = NULL, *advice = NULL;
    scarce__text text = SCARCE__TEXT_INIT;

    if (!t->label) {
        what = "there is no label column";
        advice = "name it (--label): nothing can be learnt without one";
    } else if (t->n_positives == 0) {
        what = "there is no positive row";
        advice = "check which value is the positive class (--positive)";
    } else if (t->n_positives == t->n_rows) {
        what = "all rows are positive";
        advice =
            "check which value is the positive class (--positive), and whether the negatives are in the file";
    }
    *usable = !what;
    if (!what) return SCARCE_OK;
    scarce__text_add(&text, what);
    return scarce__doctor_say(
        scarce__doctor_add(d, "one-class", SCARCE_SEVERITY_BAD, SIZE_MAX, label_name(d), err), &text, advice,
        err);
}

static scarce_status judge_count(scarce_doctor *d, scarce_error *err)
{
    const size_t p = d->table->n_positives;
    const double width = half_width(p);
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (p >= 200) return SCARCE_OK;
    finding = scarce__doctor_add(d, "few-positives",
                                 p < 10   ? SCARCE_SEVERITY_BAD
                                 : p < 50 ? SCARCE_SEVERITY_WARN
                                          : SCARCE_SEVERITY_NOTE,
                                 SIZE_MAX, label_name(d), err);
    scarce__doctor_figure(finding, "positives", (double)p);
    scarce__doctor_figure(finding, "ap_half_width", width);
    scarce__doctor_textf(
        &t,
        "%z positive%S in %z row%S: even if all of them were tested on, an AP of 0.5 would be known to "
        "about +/- %n only",
        p, d->table->n_rows, width);
    return scarce__doctor_say(
        finding, &t,
        p < 10 ? "collect more positives before believing any figure; until then use simple methods and rules"
               : "use repeated cross-validation, simple models, and look at intervals rather than means",
        err);
}

/* ---- groups */

static scarce_status judge_groups(scarce_doctor *d, scarce_error *err)
{
    const scarce_table *t = d->table;
    size_t *positives = scarce__calloc(t->groups.count + 1, sizeof *positives), with = 0, most = 0;
    scarce__text text = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    if (!positives) return scarce__fail_memory(err, "the groups", 0);
    for (size_t i = 0; i < t->n_rows; ++i)
        if (t->label[i] && t->group[i] >= 0) ++positives[t->group[i]];
    for (size_t g = 0; g < t->groups.count; ++g) {
        with += positives[g] > 0;
        if (positives[g] > positives[most]) most = g;
    }
    const size_t largest = positives[most];
    scarce__free(positives);
    if (t->n_positives < 20 || (with >= 10 && 4 * largest < t->n_positives)) return SCARCE_OK;
    finding = scarce__doctor_add(d, "concentrated", SCARCE_SEVERITY_WARN, SIZE_MAX,
                                 t->schema.group_name ? t->schema.group_name : "group", err);
    scarce__doctor_figure(finding, "groups", (double)with);
    scarce__doctor_figure(finding, "largest", (double)largest);
    scarce__doctor_textf(&text, "the %z positive%S come from %z group%S, %z of them from one", t->n_positives,
                         with, largest);
    return scarce__doctor_say(
        finding, &text,
        "count groups, not rows, when judging how sure a result is; intervals are drawn over groups", err);
}

/* ---- folds */

static void count_fold(scarce_doctor_fold *out, const scarce_doctor *d, const scarce__fold *f,
                       uint8_t *twin_seen, uint8_t *group_seen)
{
    const scarce_table *t = d->table;
    memset(twin_seen, 0, d->n_twins + 1);
    memset(group_seen, 0, t->groups.count + 1);
    out->train_rows = f->n_train;
    out->test_rows = f->n_test;
    for (size_t i = 0; i < f->n_train; ++i) {
        const uint32_t row = f->train[i];
        out->train_positives += t->label[row];
        twin_seen[d->twin[row]] = 1;
        if (t->group && t->group[row] >= 0) group_seen[t->group[row]] = 1;
    }
    twin_seen[0] = 0;
    for (size_t i = 0; i < f->n_test; ++i) {
        const uint32_t row = f->test[i];
        out->test_positives += t->label[row];
        out->copies += twin_seen[d->twin[row]];
        if (t->group && t->group[row] >= 0) out->known_groups += group_seen[t->group[row]];
    }
}

static scarce_status count_folds(scarce_doctor *d, const scarce__folds *folds, const scarce_context *ctx,
                                 scarce_error *err)
{
    uint8_t *twin_seen = scarce__malloc(d->n_twins + 1);
    uint8_t *group_seen = scarce__malloc(d->table->groups.count + 1);
    scarce_status st = SCARCE_OK;

    d->folds = scarce__calloc(folds->count, sizeof *d->folds);
    if (!twin_seen || !group_seen || !d->folds) st = scarce__fail_memory(err, "the folds", 0);
    for (size_t i = 0; st == SCARCE_OK && i < folds->count; ++i) {
        const scarce_progress progress = {"folds", (double)i, (double)folds->count, "folds", "", NULL, 0};
        scarce__fold fold;
        if (i % 64 == 63 && scarce__progress(ctx, &progress)) {
            st = scarce__fail(err, SCARCE_ECANCEL, "stopped at fold %zu of %zu", i + 1, folds->count);
            break;
        }
        st = scarce__fold_rows(&fold, folds, d->table, i, ctx, err);
        if (st != SCARCE_OK) break;
        count_fold(&d->folds[d->n_folds++], d, &fold, twin_seen, group_seen);
        scarce__fold_deinit(&fold);
    }
    scarce__free(twin_seen);
    scarce__free(group_seen);
    return st;
}

static scarce_status judge_positives(scarce_doctor *d, scarce_error *err)
{
    size_t untrained = 0, untested = 0, fewest = SIZE_MAX, which = 0;
    scarce__text t = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    for (size_t i = 0; i < d->n_folds; ++i) {
        untrained += d->folds[i].train_positives == 0;
        untested += d->folds[i].test_positives == 0 || d->folds[i].test_positives == d->folds[i].test_rows;
        if (d->folds[i].test_positives < fewest) fewest = d->folds[which = i].test_positives;
    }
    if (untrained > 0) {
        finding = scarce__doctor_add(d, "folds-untrained", SCARCE_SEVERITY_BAD, SIZE_MAX, d->protocol, err);
        scarce__doctor_figure(finding, "folds", (double)untrained);
        scarce__doctor_textf(&t, "no positive to learn from in %z of %z folds of %s", untrained, d->n_folds,
                             d->protocol);
        return scarce__doctor_say(finding, &t, "train on longer spans, or use fewer folds", err);
    }
    if (untested > 0) {
        finding = scarce__doctor_add(d, "folds-untested", SCARCE_SEVERITY_WARN, SIZE_MAX, d->protocol, err);
        scarce__doctor_figure(finding, "folds", (double)untested);
        scarce__doctor_textf(&t,
                             "one class only to test on in %z of %z folds of %s: no metric is defined there",
                             untested, d->n_folds, d->protocol);
        return scarce__doctor_say(finding, &t, "test on longer spans, or use fewer folds", err);
    }
    if (fewest >= 10) return SCARCE_OK;
    finding = scarce__doctor_add(d, "folds-few", fewest < 5 ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                                 SIZE_MAX, d->protocol, err);
    scarce__doctor_figure(finding, "positives", (double)fewest);
    scarce__doctor_figure(finding, "fold", (double)(which + 1));
    scarce__doctor_textf(
        &t, "fold %z of %z of %s tests on %z positive%S: an AP of 0.5 would be known to about +/- %n",
        which + 1, d->n_folds, d->protocol, fewest, half_width(fewest));
    return scarce__doctor_say(finding, &t, "use fewer folds or longer test spans, and repeat (--repeats)",
                              err);
}

/* Test rows that training has seen, over all folds. */
static scarce_status judge_overlap(scarce_doctor *d, scarce_error *err)
{
    double rows = 0, copies = 0, known = 0;
    scarce__text t = SCARCE__TEXT_INIT, u = SCARCE__TEXT_INIT;
    scarce_doctor_finding *finding;

    for (size_t i = 0; i < d->n_folds; ++i) {
        rows += (double)d->folds[i].test_rows;
        copies += (double)d->folds[i].copies;
        known += (double)d->folds[i].known_groups;
    }
    if (copies >= 0.01 * rows) {
        finding = scarce__doctor_add(d, "copies-across",
                                     copies >= 0.1 * rows ? SCARCE_SEVERITY_WARN : SCARCE_SEVERITY_NOTE,
                                     SIZE_MAX, d->protocol, err);
        scarce__doctor_figure(finding, "share", copies / rows);
        scarce__doctor_textf(&t, "%p of the test rows of %s have the features of a training row",
                             copies / rows, d->protocol);
        SCARCE__TRY(scarce__doctor_say(finding, &t,
                                       "methods that learn rows by heart look better than they are: keep one "
                                       "of each copy, or group them (--group)",
                                       err));
    }
    if (known < 0.05 * rows || known == 0) return SCARCE_OK;
    finding = scarce__doctor_add(d, "groups-across", SCARCE_SEVERITY_NOTE, SIZE_MAX, d->protocol, err);
    scarce__doctor_figure(finding, "share", known / rows);
    scarce__doctor_textf(&u, "%p of the test rows of %s belong to a group that is in training as well",
                         known / rows, d->protocol);
    return scarce__doctor_say(finding, &u,
                              "right if the model will meet known entities again; those known as fraudulent "
                              "are left out with --purge",
                              err);
}

scarce_status scarce__doctor_judge_folds(scarce_doctor *d, const scarce_doctor_options *o,
                                         scarce_context *ctx, scarce_error *err)
{
    scarce__folds folds;
    scarce_error inner = SCARCE_ERROR_INIT;
    scarce_status st;
    int usable;

    d->protocol = scarce__strdup(o->protocol ? o->protocol : "cv:5");
    if (!d->protocol) return scarce__fail_memory(err, "the protocol", 0);
    SCARCE__TRY(judge_class(d, &usable, err));
    if (!usable) return SCARCE_OK;
    SCARCE__TRY(judge_count(d, err));
    if (d->table->group) SCARCE__TRY(judge_groups(d, err));
    st = scarce__folds_make(&folds, d->table, d->protocol, o->repeats ? o->repeats : 1, o->purge_known, ctx,
                            &inner);
    if (st == SCARCE_EDATA) {
        scarce__text t = SCARCE__TEXT_INIT;
        scarce__text_add(&t, inner.text);
        return scarce__doctor_say(
            scarce__doctor_add(d, "protocol", SCARCE_SEVERITY_BAD, SIZE_MAX, d->protocol, err), &t,
            "choose a protocol that fits the data (--protocol)", err);
    }
    if (st != SCARCE_OK) return scarce__fail(err, st, "%s", inner.text);
    st = count_folds(d, &folds, ctx, err);
    scarce__folds_deinit(&folds);
    if (st == SCARCE_OK) st = judge_positives(d, err);
    return st == SCARCE_OK ? judge_overlap(d, err) : st;
}
