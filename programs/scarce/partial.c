/* SPDX-License-Identifier: Apache-2.0 */
/* scarce show MODEL --partial COL[,COL]: the mean score along the values of a feature, with the share of the
 * rows that each value stands for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef struct partial {
    const scarce_schema *schema;
    size_t n; /* features: 1 or 2 */
    size_t feature[2];
    scarce_grid grid[2];
    size_t cells;
    double *score, *share; /* by the first value, then the second */
} partial;

static void print_field(const char *field)
{
    if (field[0] && !field[strcspn(field, ",\"\r\n")]) {
        fputs(field, stdout);
        return;
    }
    putchar('"');
    for (; *field; ++field) {
        if (*field == '"') putchar('"');
        putchar(*field);
    }
    putchar('"');
}

static scarce_status find_features(partial *p, const text_list *columns, scarce_error *err)
{
    p->n = columns->count;
    for (size_t i = 0; i < p->n; ++i) {
        p->feature[i] = scarce_schema_find(p->schema, columns->items[i]);
        if (p->feature[i] == SIZE_MAX)
            return fail_with(err, SCARCE_EINVAL,
                             "the model has no feature \"%.100s\" (scarce show MODEL lists them)",
                             columns->items[i]);
    }
    return SCARCE_OK;
}

static scarce_status compute(partial *p, const scarce_model *model, const scarce_table *table, size_t points,
                             scarce_context *ctx, scarce_error *err)
{
    scarce_status st = SCARCE_OK;

    p->cells = 1;
    for (size_t i = 0; st == SCARCE_OK && i < p->n; ++i) {
        st = scarce_grid_of(&p->grid[i], table, p->feature[i], points, err);
        p->cells *= p->grid[i].n;
    }
    if (st != SCARCE_OK) return st;
    p->score = malloc((p->cells + 1) * sizeof *p->score);
    p->share = malloc((p->cells + 1) * sizeof *p->share);
    if (!p->score || !p->share)
        return fail_with(err, SCARCE_ENOMEM, "out of memory for %zu points", p->cells);
    if (p->n == 2)
        return scarce_partial_pair(p->score, p->share, model, table, p->feature, p->grid, ctx, err);
    memcpy(p->share, p->grid[0].share, p->cells * sizeof *p->share);
    return scarce_partial_dependence(p->score, model, table, p->feature[0], p->grid[0].value, p->cells, ctx,
                                     err);
}

/* Value `at` of feature i as text: a category, a number, or missing (""). */
static const char *value_text(const partial *p, size_t i, size_t at, char number[32])
{
    const float value = p->grid[i].value[at];

    if (isnan(value)) return "";
    if (p->grid[i].category)
        return value < (float)scarce_schema_categories(p->schema, p->feature[i])
                   ? scarce_schema_category(p->schema, p->feature[i], (size_t)value)
                   : "(unknown)";
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(number, 32, "%.*g", digits, (double)value);
        if (strtof(number, NULL) == value) break;
    }
    return number;
}

static size_t part_of(const partial *p, size_t cell, size_t i)
{
    if (p->n == 1) return cell;
    return i == 0 ? cell / p->grid[1].n : cell % p->grid[1].n;
}

static void print_csv(const partial *p)
{
    char number[32];

    for (size_t i = 0; i < p->n; ++i) {
        print_field(scarce_schema_name(p->schema, p->feature[i]));
        putchar(',');
    }
    puts("score,share");
    for (size_t c = 0; c < p->cells; ++c) {
        for (size_t i = 0; i < p->n; ++i) {
            const char *value = value_text(p, i, part_of(p, c, i), number);
            if (*value) print_field(value);
            putchar(',');
        }
        format_number(number, p->score[c]);
        printf("%s,%.6g\n", number, p->share[c]);
    }
}

static void print_text(const partial *p)
{
    char number[32];

    for (size_t i = 0; i < p->n; ++i) printf("%-24s ", shown(scarce_schema_name(p->schema, p->feature[i])));
    puts("       score   share of rows");
    for (size_t c = 0; c < p->cells; ++c) {
        for (size_t i = 0; i < p->n; ++i) {
            const char *value = value_text(p, i, part_of(p, c, i), number);
            printf("%-24s ", *value ? shown(value) : "(missing)");
        }
        printf("%12.6g %10.4f\n", p->score[c], p->share[c]);
    }
}

static void print_json(const partial *p)
{
    char number[32];

    json_open('{');
    json_key("features"), json_open('[');
    for (size_t i = 0; i < p->n; ++i) json_text(scarce_schema_name(p->schema, p->feature[i]));
    json_close(']');
    json_key("points"), json_open('[');
    for (size_t c = 0; c < p->cells; ++c) {
        json_open('{');
        json_key("value"), json_open('[');
        for (size_t i = 0; i < p->n; ++i) {
            const char *value = value_text(p, i, part_of(p, c, i), number);
            if (isnan(p->grid[i].value[part_of(p, c, i)])) json_text(NULL);
            else if (p->grid[i].category) json_text(value);
            else json_number(strtod(value, NULL));
        }
        json_close(']');
        json_key("score"), json_number(p->score[c]);
        json_key("share"), json_number(p->share[c]);
        json_close('}');
    }
    json_close(']');
    json_close('}');
    json_end();
}

scarce_status print_partial(const scarce_model *model, const scarce_table *table, const text_list *columns,
                            size_t points, const char *format, scarce_context *ctx, scarce_error *err)
{
    partial p;
    scarce_status st;

    memset(&p, 0, sizeof p);
    p.schema = scarce_model_schema(model);
    st = find_features(&p, columns, err);
    if (st == SCARCE_OK) st = compute(&p, model, table, points, ctx, err);
    talk_clear();
    if (st == SCARCE_OK && strcmp(format, "json") == 0) print_json(&p);
    else if (st == SCARCE_OK && strcmp(format, "csv") == 0) print_csv(&p);
    else if (st == SCARCE_OK) print_text(&p);
    scarce_grid_deinit(&p.grid[0]);
    scarce_grid_deinit(&p.grid[1]);
    free(p.score);
    free(p.share);
    return st;
}
