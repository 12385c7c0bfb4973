/* SPDX-License-Identifier: Apache-2.0 */
/* More than two classes: columns of a scored row, and the figures of each class as a table or JSON.
 *
 *     class,class_probability          the likeliest one
 *     p_nothing,p_pair,...             with --classes, all of them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"

const char *class_text(char room[24], const scarce_schema *schema, size_t number)
{
    const char *known = scarce_schema_class(schema, number);

    if (known) return known;
    snprintf(room, 24, "%zu", number); /* learnt by a program that gave numbers alone */
    return room;
}

static size_t likeliest(const double *p, size_t n)
{
    size_t best = 0;
    for (size_t j = 1; j < n; ++j)
        if (p[j] > p[best]) best = j;
    return best;
}

/* ---- rows */

void classes_header(text *t, const line_format *f)
{
    char room[24];

    text_addf(t, ",class,class_probability");
    for (size_t j = 0; f->all_classes && j < f->n_classes; ++j) {
        text name = {NULL, 0, 0, 0};
        text_addf(&name, "p_%s", class_text(room, f->schema, j));
        text_add(&name, "", 1);
        text_add(t, ",", 1);
        if (!name.failed) text_field(t, name.bytes);
        t->failed |= name.failed;
        free(name.bytes);
    }
}

void add_classes(text *t, const line_format *f, const double *p)
{
    const size_t best = likeliest(p, f->n_classes);
    char room[24];

    text_add(t, ",", 1);
    text_field(t, class_text(room, f->schema, best));
    text_add(t, ",", 1);
    text_number(t, p[best], f->full);
    for (size_t j = 0; f->all_classes && j < f->n_classes; ++j) {
        text_add(t, ",", 1);
        text_number(t, p[j], f->full);
    }
}

void json_classes(const line_format *f, const double *p)
{
    const size_t best = likeliest(p, f->n_classes);
    char room[24];

    json_key("class"), json_text(class_text(room, f->schema, best));
    json_key("class_probability"), json_number(p[best]);
    if (!f->all_classes) return;
    json_key("classes"), json_open('{');
    for (size_t j = 0; j < f->n_classes; ++j) json_key(class_text(room, f->schema, j)), json_number(p[j]);
    json_close('}');
}

/* ---- figures */

static void figure(double x)
{
    if (isnan(x)) printf("  %9s", "-");
    else printf("  %9.4f", x);
}

void print_class_figures(const scarce_schema *schema, const scarce_class_metrics *figures,
                         const uint64_t *learnt, size_t n)
{
    char room[24];

    printf("%-24s", "class");
    if (learnt) printf("  %10s", "learnt");
    printf("  %10s  %10s  %9s  %9s  %9s", "rows", "guessed", "precision", "recall", "logloss");
    puts(learnt ? "" : "         ap");
    for (size_t j = 0; j < n; ++j) {
        const scarce_class_metrics *f = &figures[j];
        printf("%-24s", shown(class_text(room, schema, j)));
        if (learnt) printf("  %10llu", (unsigned long long)learnt[j]);
        printf("  %10.0f  %10.0f", f->rows, f->guessed);
        figure(f->precision);
        figure(f->recall);
        figure(f->log_loss);
        if (!learnt) figure(f->ap);
        putchar('\n');
    }
}

void json_class_figures(const scarce_schema *schema, const scarce_class_metrics *figures,
                        const uint64_t *learnt, size_t n)
{
    char room[24];

    json_key("classes"), json_open('[');
    for (size_t j = 0; j < n; ++j) {
        const scarce_class_metrics *f = &figures[j];
        json_open('{');
        json_key("class"), json_text(class_text(room, schema, j));
        if (learnt) json_key("learnt"), json_count((size_t)learnt[j]);
        json_key("rows"), json_number(f->rows);
        json_key("guessed"), json_number(f->guessed);
        json_key("hits"), json_number(f->hits);
        json_key("precision"), json_number(f->precision);
        json_key("recall"), json_number(f->recall);
        json_key("log_loss"), json_number(f->log_loss);
        if (!learnt) json_key("ap"), json_number(f->ap);
        json_close('}');
    }
    json_close(']');
}

/* ---- scarce eval */

static size_t count_others(const uint8_t *class_of, size_t n)
{
    size_t others = 0;
    for (size_t i = 0; i < n; ++i) others += class_of[i] == SCARCE_NO_CLASS;
    return others;
}

static void tell(const scored_data *s, const scarce_class_metrics *figures, double error, double log_loss,
                 size_t n, int json)
{
    const uint8_t *class_of = scarce_table_classes(s->table);
    const size_t rows = scarce_table_rows(s->table), others = count_others(class_of, rows);
    const scarce_schema *schema = scarce_model_schema(s->model);

    if (json) {
        json_key("class_error"), json_number(error);
        json_key("class_log_loss"), json_number(log_loss);
        json_key("other_labels"), json_count(others);
        json_class_figures(schema, figures, NULL, n);
        return;
    }
    printf("%zu classes, %zu rows: error %.4g, log loss %.4g\n", n, rows - others, error, log_loss);
    print_class_figures(schema, figures, NULL, n);
    if (others) say("%zu rows have a label that is none of the classes and are left out here", others);
}

int has_classes(const scored_data *s)
{
    return s->model && s->table && scarce_table_classes(s->table) && scarce_model_n_classes(s->model) > 2;
}

scarce_status print_classes(const scored_data *s, int json, scarce_context *ctx, scarce_error *err)
{
    scarce_class_metrics figures[64];
    double *p, error = 0, log_loss = 0;
    size_t n, rows;
    scarce_status st;

    if (!has_classes(s)) return SCARCE_OK;
    n = scarce_model_n_classes(s->model);
    rows = scarce_table_rows(s->table);
    p = malloc((rows * n + 1) * sizeof *p);
    if (!p) return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu probabilities", rows * n);
    st = scarce_scorer_classes(s->scorer, s->table, p, ctx, err);
    if (st == SCARCE_OK)
        st = scarce_metrics_classes(figures, &error, &log_loss, scarce_table_classes(s->table), p, rows, n,
                                    ctx, err);
    if (st == SCARCE_OK) tell(s, figures, error, log_loss, n, json);
    free(p);
    return st;
}
