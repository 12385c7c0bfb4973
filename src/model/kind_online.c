/* SPDX-License-Identifier: Apache-2.0 */
/* Models that learn row by row (online/online.h) as a kind: saved as docs/model-format.md says, with all that they need to
 * go on learning. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/json.h"
#include "model/model.h"
#include "online/online.h"

enum { BLOCK_ROWS = 512 };

static void free_body(void *body)
{
    scarce__online_free(body);
}

static uint32_t write_body(const void *body, const scarce_schema *schema, scarce__writer *w)
{
    (void)schema;
    scarce__online_write(body, w);
    return 1;
}

static scarce_status read_body(void **body, const scarce_schema *schema, scarce__reader *r, scarce_error *err)
{
    scarce__online *m = NULL;
    const scarce_status st = scarce__online_read(&m, schema, r, err);
    *body = m;
    return st;
}

static double score_row(const void *prepared, const float *row)
{
    return scarce__online_score(prepared, row);
}

typedef struct table_job {
    const scarce__online *m;
    scarce__online_rows *rows; /* one for each thread */
    size_t n;
    double *score, *classes; /* one of them */
} table_job;

static void score_block(void *arg, size_t index, int worker)
{
    const table_job *j = arg;
    const size_t begin = index * BLOCK_ROWS, end = begin + BLOCK_ROWS < j->n ? begin + BLOCK_ROWS : j->n;
    for (size_t i = begin; i < end; ++i) {
        const scarce__online_row row = scarce__online_rows_get(&j->rows[worker], i);
        if (j->classes) (void)scarce__online_classes(j->m, &row, j->classes + i * j->m->n_classes);
        else j->score[i] = scarce__online_score_row(j->m, &row);
    }
}

/* Scores, or with `classes` the probabilities of all of them. */
static scarce_status answer_table(const void *prepared, const scarce_table *table, double *score,
                                  double *classes, scarce_context *ctx, scarce_error *err)
{
    scarce__pool *pool = scarce__context_pool(ctx);
    const size_t n = (size_t)scarce__pool_threads(pool);
    scarce__online_rows first, *rows = scarce__calloc(n, sizeof *rows);
    table_job job = {prepared, rows, table->n_rows, score, classes};
    scarce_status st;

    if (!rows) return scarce__fail_memory(err, "scoring", 0);
    st = scarce__online_rows_init(&first, table, err);
    if (st == SCARCE_OK) scarce__online_rows_match(&first, prepared);
    for (size_t i = 0; st == SCARCE_OK && i < n; ++i) st = scarce__online_rows_share(&rows[i], &first, err);
    if (st == SCARCE_OK) scarce__pool_run(pool, scarce__blocks(table->n_rows, BLOCK_ROWS), score_block, &job);
    for (size_t i = 0; i < n; ++i) scarce__online_rows_deinit(&rows[i]);
    scarce__online_rows_deinit(&first);
    scarce__free(rows);
    return st;
}

static scarce_status score_table(const void *prepared, const scarce_table *table, double *score,
                                 scarce_context *ctx, scarce_error *err)
{
    return answer_table(prepared, table, score, NULL, ctx, err);
}

static size_t n_classes(const void *body)
{
    return ((const scarce__online *)body)->n_classes;
}

static scarce_status classes_table(const void *prepared, const scarce_table *table, double *probability,
                                   scarce_context *ctx, scarce_error *err)
{
    return answer_table(prepared, table, NULL, probability, ctx, err);
}

/* ---- what is in it */

static const char *algorithm_name(const scarce__online_options *o)
{
    static const char *const names[] = {"one learner",   "onlb", "online-bbm", "adaboost-ol",
                                        "adaboost-ol-w", "ogb",  "streamboost"};
    return names[o->algorithm];
}

static const char *weak_name(const scarce__online_options *o)
{
    static const char *const names[] = {"net", "linear", "tree"};
    return names[o->weak];
}

/* The text of class j; its number where no text is known. */
static const char *class_name(char number[24], const scarce_schema *s, size_t j)
{
    snprintf(number, 24, "%zu", j);
    return j < s->classes.count ? scarce__dictionary_text(&s->classes, j) : number;
}

static void show_json(const scarce__online *m, const scarce_schema *schema, scarce__text *out)
{
    char number[24];

    scarce__json_field_string(out, "combination", algorithm_name(&m->o));
    scarce__json_field_string(out, "weak", weak_name(&m->o));
    scarce__json_field_number(out, "learners", (double)m->o.learners);
    scarce__json_field_number(out, "rows_learnt", (double)m->rows);
    scarce__json_field_number(out, "rows_refused", (double)m->refused);
    scarce__json_field_number(out, "restarts", (double)m->restarts);
    scarce__json_field_number(out, "decays", (double)m->decays);
    scarce__json_key(out, "merit");
    scarce__json_begin_array(out);
    for (int64_t t = 0; t < m->o.learners; ++t) scarce__json_number(out, m->merit[t]);
    scarce__json_end_array(out);
    if (m->n_classes == 2) return;
    scarce__json_key(out, "classes");
    scarce__json_begin_array(out);
    for (size_t j = 0; j < m->n_classes; ++j) scarce__json_string(out, class_name(number, schema, j));
    scarce__json_end_array(out);
}

static void show_text(const scarce__online *m, const scarce_schema *schema, scarce__text *out)
{
    char number[24];
    const char *weak = m->o.weak == SCARCE__WEAK_NET      ? "net"
                       : m->o.weak == SCARCE__WEAK_LINEAR ? "linear model"
                                                          : "tree";
    scarce__text_addf(out, "\nlearns row by row: %s of %lld %s%s", algorithm_name(&m->o),
                      (long long)m->o.learners, weak, m->o.learners == 1 ? "" : "s");
    if (m->o.weak == SCARCE__WEAK_NET)
        scarce__text_addf(out, " of %lld unit%s", (long long)m->o.units, m->o.units == 1 ? "" : "s");
    scarce__text_addf(out, "\n%llu rows learnt, %llu refused, %llu learners begun anew\n",
                      (unsigned long long)m->rows, (unsigned long long)m->refused,
                      (unsigned long long)m->restarts);
    if (m->n_classes == 2) return;
    scarce__text_addf(out, "%zu classes:", m->n_classes);
    for (size_t j = 0; j < m->n_classes; ++j)
        scarce__text_addf(out, "%s %s", j ? "," : "", class_name(number, schema, j));
    scarce__text_addf(out, "; the score is about %s\n", class_name(number, schema, m->positive));
}

static scarce_status show(const void *body, const scarce_model *model, const char *format, scarce__text *out,
                          scarce_error *err)
{
    if (strcmp(format, "json") == 0) show_json(body, &model->schema, out);
    else if (strcmp(format, "text") == 0 || strcmp(format, "summary") == 0)
        show_text(body, &model->schema, out);
    else
        return scarce__fail(err, SCARCE_EUNSUPPORTED,
                            "an online model has no form \"%.20s\" (it has text and json)", format);
    return SCARCE_OK;
}

const scarce__kind scarce__kind_online = {.name = "online",
                                          .tag = "ONLN",
                                          .free = free_body,
                                          .write = write_body,
                                          .read = read_body,
                                          .score_row = score_row,
                                          .score_table = score_table,
                                          .n_classes = n_classes,
                                          .classes_table = classes_table,
                                          .show = show,
                                          .reasons = SCARCE__REASONS_NONE};
