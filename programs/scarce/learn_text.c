/* SPDX-License-Identifier: Apache-2.0 */
/* How a learning goes, as a table, as JSON and as a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn.h"

static scarce_status add_point(learning *w, scarce_error *err)
{
    learn_point *lines = realloc(w->lines, (w->n_lines + 1) * sizeof *lines);

    if (!lines) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    w->lines = lines;
    lines[w->n_lines].status = (scarce_learner_status)SCARCE_LEARNER_STATUS_INIT;
    lines[w->n_lines].seconds = seconds_now() - w->begun;
    return scarce_learner_get_status(&lines[w->n_lines++].status, w->learner, err);
}

static double rate_of(const learning *w, size_t i)
{
    const learn_point *p = &w->lines[i];
    const double rows = (double)p->status.rows - (i ? (double)p[-1].status.rows : (double)w->to_skip);
    const double seconds = p->seconds - (i ? p[-1].seconds : 0);
    return seconds > 0 ? rows / seconds : (double)NAN;
}

static void figure(double x)
{
    if (isnan(x)) printf("  %8s", "-");
    else printf("  %8.4f", x);
}

/* Seconds as days where they are many. */
static void print_lag(const learning *w, double lag)
{
    (void)w;
    if (isnan(lag)) printf("  %9s", "-");
    else if (lag >= 86400) printf("  %8.1fd", lag / 86400);
    else printf("  %9.0f", lag);
}

static void print_line(const learning *w, size_t i)
{
    const scarce_learner_status *s = &w->lines[i].status;
    const int many = w->n_classes > 2;

    if (i == 0 && many)
        printf("%12s  %10s  %10s  %8s  %8s  %9s  %10s  %6s\n", "rows", "learnt", "waiting", "error",
               "logloss", "lag", "rows/s", "drifts");
    else if (i == 0)
        printf("%12s  %10s  %10s  %8s  %8s  %8s  %9s  %10s  %6s\n", "rows", "learnt", "waiting", "ap",
               "cards", "logloss", "lag", "rows/s", "drifts");
    printf("%12llu  %10llu  %10llu", (unsigned long long)s->rows, (unsigned long long)s->learnt,
           (unsigned long long)s->pending);
    figure(many ? s->error : s->ap);
    if (!many) figure(s->card_precision);
    figure(s->log_loss);
    print_lag(w, s->lag);
    if (w->o->common.quiet) printf("  %10s", "-"); /* no times: the same every run */
    else printf("  %10.0f", rate_of(w, i));
    printf("  %6llu\n", (unsigned long long)s->drifts_loss);
    fflush(stdout);
}

scarce_status learn_line(learning *w, scarce_error *err)
{
    const scarce_status st = add_point(w, err);
    talk_clear();
    if (st == SCARCE_OK && !w->o->common.json) print_line(w, w->n_lines - 1);
    return st;
}

static void tell_columns(const learning *w)
{
    const char *latest = NULL;
    const size_t unknown = scarce_stream_unknown(w->stream, &latest);

    if (unknown == 1) say("column \"%s\" was not there before and is ignored", latest);
    else if (unknown)
        say("%zu columns were not there before and are ignored; the latest: \"%s\"", unknown, latest);
}

static void tell_left(const learning *w, const scarce_learner_status *s)
{
    const char *why = NULL;
    const size_t bad = scarce_stream_left_out(w->stream, &why);

    if (bad) say("%zu rows could not be read and were left out; the latest: %s", bad, why);
    tell_columns(w);
    if (s->refused) say("%llu rows were refused: a weight that is no number", (unsigned long long)s->refused);
    if (s->dropped)
        say("%llu rows were dropped: more than --max-pending %zu waited for their labels",
            (unsigned long long)s->dropped, w->learn.max_pending);
    if (s->pending)
        say("%llu rows whose labels are not due yet were not learnt (--flush learns them; a checkpoint keeps "
            "them)",
            (unsigned long long)s->pending);
    if (s->unlabelled) say("%llu rows have no label", (unsigned long long)s->unlabelled);
    if (s->other_labels)
        say("%llu rows have a label that is none of the %zu classes: they were scored and not learnt",
            (unsigned long long)s->other_labels, w->n_classes);
    if (s->new_categories)
        say("%llu categories came after the first block", (unsigned long long)s->new_categories);
    if (s->shared_categories)
        say("%llu values are of categories beyond max_categories and share one weight",
            (unsigned long long)s->shared_categories);
    if (s->drifts_loss && s->restarts + s->decays == 0)
        say("the loss rose %llu times, which was only counted (--adapt answers it)",
            (unsigned long long)s->drifts_loss);
    else if (s->drifts_loss)
        say("the loss rose %llu times (%llu learners begun anew, steps enlarged %llu times)",
            (unsigned long long)s->drifts_loss, (unsigned long long)s->restarts,
            (unsigned long long)s->decays);
}

static void status_json(const scarce_learner_status *s)
{
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"rows", s->rows},
                  {"learnt", s->learnt},
                  {"positives", s->positives},
                  {"waiting", s->pending},
                  {"dropped", s->dropped},
                  {"refused", s->refused},
                  {"unlabelled", s->unlabelled},
                  {"early", s->early},
                  {"new_categories", s->new_categories},
                  {"shared_categories", s->shared_categories},
                  {"drifts_loss", s->drifts_loss},
                  {"drifts_score", s->drifts_score},
                  {"restarts", s->restarts},
                  {"decays", s->decays},
                  {"other_labels", s->other_labels},
                  {"window", s->window}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        json_key(counts[i].key), json_count((size_t)counts[i].value);
    json_key("ap"), json_number(s->ap);
    json_key("card_precision"), json_number(s->card_precision);
    json_key("log_loss"), json_number(s->log_loss);
    json_key("log_loss_early"), json_number(s->log_loss_early);
    json_key("error"), json_number(s->error);
    json_key("lag"), json_number(s->lag);
}

/* Figures of each class, where there are more than two. */
static scarce_status tell_classes(const learning *w, scarce_error *err)
{
    const scarce_schema *schema = scarce_learner_schema(w->learner);
    scarce_class_metrics figures[64];
    uint64_t learnt[64];
    scarce_status st;

    if (w->n_classes <= 2) return SCARCE_OK;
    st = scarce_learner_get_classes(figures, learnt, w->learner, err);
    if (st != SCARCE_OK) return st;
    if (w->o->common.json) json_class_figures(schema, figures, learnt, w->n_classes);
    else putchar('\n'), print_class_figures(schema, figures, learnt, w->n_classes);
    return SCARCE_OK;
}

static scarce_status print_json(const learning *w, scarce_error *err)
{
    const scarce_learner_status *s = &w->lines[w->n_lines - 1].status;
    const double seconds = seconds_now() - w->begun;

    json_open('{');
    json_key("method"), json_text(w->began ? scarce_model_method(w->began) : scarce_params_method(w->params));
    status_json(s);
    json_key("left_out"), json_count(scarce_stream_left_out(w->stream, NULL));
    json_key("unknown_columns"), json_count(scarce_stream_unknown(w->stream, NULL));
    json_key("seconds"), json_number(seconds);
    json_key("rows_per_second"), json_number((double)s->rows / seconds);
    json_key("peak_memory_bytes"), json_number(peak_memory_bytes());
    json_key("model"), json_text(w->o->output);
    const scarce_status st = tell_classes(w, err);
    json_key("curve"), json_open('[');
    for (size_t i = 0; i < w->n_lines; ++i) {
        json_open('{');
        status_json(&w->lines[i].status);
        json_key("seconds"), json_number(w->lines[i].seconds);
        json_close('}');
    }
    json_close(']');
    json_close('}');
    json_end();
    return st;
}

scarce_status learn_end(learning *w, scarce_error *err)
{
    const scarce_learner_status *last = w->n_lines ? &w->lines[w->n_lines - 1].status : NULL;
    scarce_learner_status now = SCARCE_LEARNER_STATUS_INIT;
    scarce_status st = scarce_learner_get_status(&now, w->learner, err);

    if (st == SCARCE_OK && (!last || last->rows != now.rows || last->learnt != now.learnt))
        st = learn_line(w, err);
    if (st != SCARCE_OK) return st;
    if (w->o->common.json) return print_json(w, err);
    st = tell_classes(w, err);
    if (st == SCARCE_OK) {
        tell_left(w, &w->lines[w->n_lines - 1].status);
        say("learnt %llu rows in %.2f s%s%s", (unsigned long long)now.learnt, seconds_now() - w->begun,
            w->o->output ? ", saved to " : "", w->o->output ? w->o->output : "");
    }
    return st;
}

/* ---- the page */

typedef double (*figure_fn)(const learning *w, size_t i); /* at line i of the table */

static double ap_of(const learning *w, size_t i)
{
    return w->lines[i].status.ap;
}

static double error_of(const learning *w, size_t i)
{
    return w->n_classes > 2 ? w->lines[i].status.error : (double)NAN;
}

static double cards_of(const learning *w, size_t i)
{
    return w->lines[i].status.card_precision;
}

static double loss_of(const learning *w, size_t i)
{
    return w->lines[i].status.log_loss;
}

static double lag_of(const learning *w, size_t i)
{
    return w->lines[i].status.lag / 86400;
}

static double drifts_of(const learning *w, size_t i)
{
    return (double)w->lines[i].status.drifts_loss;
}

static void draw(scarce_report *r, const learning *w, const char *title, const char *note, figure_fn fn,
                 double *x)
{
    scarce_chart_options o = SCARCE_CHART_OPTIONS_INIT;
    double *y = x + w->n_lines;
    size_t n = 0;

    for (size_t i = 0; i < w->n_lines; ++i) {
        const double value = fn(w, i);
        if (isnan(value)) continue;
        x[n] = (double)w->lines[i].status.rows;
        y[n++] = value;
    }
    if (n < 2) return;
    o.title = title;
    o.note = note;
    o.x_label = "rows";
    scarce_chart_line(scarce_report_chart(r, &o), title, x, y, n);
}

static void settings(scarce_report *r, const learning *w, const scarce_model *model)
{
    const learn_command *o = w->o;
    static const char *const adapt[] = {"none", "restart-weakest", "decay"};

    scarce_report_section(r, "Settings");
    scarce_report_fact(r, "method", scarce_model_method(model));
    for (size_t i = 0; i < o->set.count; ++i) scarce_report_fact(r, "set", o->set.items[i]);
    if (o->from) scarce_report_fact(r, "goes on from", o->from);
    if (o->label_time) scarce_report_fact(r, "labels come at", o->label_time);
    else scarce_report_fact(r, "labels come after", o->delay ? o->delay : "no time");
    if (o->early) {
        scarce_report_fact(r, "looked into", o->early);
        scarce_report_fact(r, "their labels come after", o->early_delay ? o->early_delay : "no time");
        scarce_report_fact_number(r, "and weigh", w->learn.early_weight, 6);
    }
    scarce_report_fact_number(r, "rows in the window, at most", (double)w->learn.window, 15);
    scarce_report_fact_number(r, "cards looked at in a day", (double)w->learn.top, 15);
    scarce_report_fact(r, "when the loss rises", adapt[w->learn.adapt]);
}

scarce_status learn_page(const learning *w, const scarce_model *model, scarce_error *err)
{
    const scarce_learner_status *s = &w->lines[w->n_lines - 1].status;
    double *room = malloc((2 * w->n_lines + 1) * sizeof *room);
    scarce_report *r = NULL;
    scarce_status st;

    if (!room) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    st = begin_page(&r, "Learning from a stream", "", w->paths, 0, err);
    if (st == SCARCE_OK) {
        scarce_report_section(r, "How it went");
        scarce_report_tile(r, "method", scarce_model_method(model), NULL);
        scarce_report_tile_number(r, "rows", (double)s->rows, 15, "scored before they were learnt");
        if (w->n_classes > 2)
            scarce_report_tile_number(r, "error", s->error, 4, "of the latest rows with a label");
        else scarce_report_tile_number(r, "ap", s->ap, 4, "of the latest rows with a label");
        draw(r, w, "error", "Share of the window whose likeliest class was not theirs.", error_of, room);
        scarce_report_tile_number(r, "waiting", (double)s->pending, 15, "for their labels");
        scarce_report_tile_number(r, "drifts", (double)s->drifts_loss, 15, "times the loss rose");
        draw(r, w, "average precision",
             "Of the window of latest rows, scored before their labels were known.", ap_of, room);
        draw(r, w, "card precision", "Share of the cards looked at each day that had a positive.", cards_of,
             room);
        draw(r, w, "log loss", "Of the window.", loss_of, room);
        draw(r, w, "lag, in days", "How long after its row the latest label came.", lag_of, room);
        draw(r, w, "drifts", "How often the loss has risen so far.", drifts_of, room);
        draw(r, w, "rows a second", "From line to line of the table.", rate_of, room);
        scarce_report_section(r, "Counts");
        scarce_report_fact_number(r, "learnt", (double)s->learnt, 15);
        scarce_report_fact_number(r, "positives", (double)s->positives, 15);
        scarce_report_fact_number(r, "window", (double)s->window, 15);
        scarce_report_fact_number(r, "learners begun anew", (double)s->restarts, 15);
        scarce_report_fact_number(r, "refused", (double)s->refused, 15);
        scarce_report_fact_number(r, "could not be read", (double)scarce_stream_left_out(w->stream, NULL),
                                  15);
        scarce_report_fact_number(r, "columns not seen before",
                                  (double)scarce_stream_unknown(w->stream, NULL), 15);
        settings(r, w, model);
    }
    free(room);
    return end_page(r, w->o->report, st, err);
}
