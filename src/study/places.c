/* SPDX-License-Identifier: Apache-2.0 */
#include "study/places.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/elementary.h"
#include "core/fail.h"
#include "core/number.h"

void scarce__places_deinit(scarce__places *places)
{
    scarce__free(places->items);
    memset(places, 0, sizeof *places);
}

/* ---- text to sides */

static int parse_range(scarce__side *p, const char *text)
{
    const char *first = strchr(text, ':'), *second = strchr(first + 1, ':');
    const size_t kind = (size_t)(first - text);
    const int is_log = kind == 3 && memcmp(text, "log", 3) == 0,
              is_int = kind == 3 && memcmp(text, "int", 3) == 0,
              is_real = kind == 4 && memcmp(text, "real", 4) == 0;

    if (!second || !(is_log || is_int || is_real)) return 0;
    if (scarce__parse_double(first + 1, (size_t)(second - first - 1), &p->lo) != 1 ||
        scarce__parse_double(second + 1, strlen(second + 1), &p->hi) != 1 || !(p->lo < p->hi) ||
        (is_log && !(p->lo > 0)))
        return 0;
    p->whole = is_int;
    p->log = is_log || (is_int && p->lo > 0 && p->hi >= 8 * p->lo);
    return 1;
}

static int parse_place(scarce__side *p, const scarce__param *param)
{
    const char *text = param->search;

    memset(p, 0, sizeof *p);
    p->param = param;
    p->usual = (double)NAN;
    if (strchr(text, ':')) return parse_range(p, text);
    p->choices = text;
    p->n_choices = 1;
    for (; *text; ++text) p->n_choices += *text == '|';
    return 1;
}

/* The u of a number. */
static double place_of_number(const scarce__side *p, double x)
{
    if (p->choices || !(x >= p->lo && x <= p->hi)) return (double)NAN;
    return p->log ? scarce__ln(x / p->lo) / scarce__ln(p->hi / p->lo) : (x - p->lo) / (p->hi - p->lo);
}

static scarce_status find_usual(scarce__side *p, const scarce_params *params, size_t i, scarce_error *err)
{
    scarce__text value = SCARCE__TEXT_INIT;
    double x = (double)NAN;
    if (scarce__params_value(params->values, i, &value) != SCARCE_OK) {
        scarce__text_deinit(&value);
        return scarce__fail_memory(err, "a search", 0);
    }
    if (value.n && scarce__parse_double(value.bytes, value.n, &x) == 1) p->usual = place_of_number(p, x);
    scarce__text_deinit(&value);
    return SCARCE_OK;
}

/* Does the method want it tuned on these rows (NULL: whatever they are)? */
static int worth_tuning(const scarce_params *params, const char *name, const scarce_table *table)
{
    const scarce__engine *engine = params->method->engine;
    return !table || !engine->worth_tuning ||
           engine->worth_tuning(scarce__params_options(params->values), name, table->n_rows,
                                table->n_positives);
}

scarce_status scarce__places_find(scarce__places *out, const scarce_params *params, const char *except,
                                  const scarce_table *rows, scarce_error *err)
{
    const scarce__param_table *table = params->method->engine->params;
    const size_t n = scarce__param_count(table);
    scarce_status st = SCARCE_OK;

    memset(out, 0, sizeof *out);
    out->params = params;
    out->items = scarce__calloc(n, sizeof *out->items);
    if (!out->items) return scarce__fail_memory(err, "a search", 0);
    for (size_t i = 0; i < n && st == SCARCE_OK; ++i) {
        const scarce__param *param = scarce__param_at(table, i);
        if (!param->search || scarce__params_given(params->values, i) ||
            !scarce__params_listed(params->values, i))
            continue;
        if (except && strcmp(param->name, except) == 0) continue;
        if (!worth_tuning(params, param->name, rows)) continue;
        if (!parse_place(&out->items[out->count], param))
            st = scarce__fail(err, SCARCE_EBUG, "parameter %s can't be searched in \"%s\"", param->name,
                              param->search);
        else st = find_usual(&out->items[out->count++], params, i, err);
    }
    if (st != SCARCE_OK) scarce__places_deinit(out);
    return st;
}

/* ---- points */

void scarce__places_draw(const scarce__places *places, double *u, scarce__random *random)
{
    for (size_t i = 0; i < places->count; ++i) u[i] = scarce__random_unit(random);
}

void scarce__places_move(const scarce__places *places, double *u, const double *from, double step,
                         scarce__random *random)
{
    for (size_t i = 0; i < places->count; ++i) {
        const scarce__side *p = &places->items[i];
        const double fresh = scarce__random_unit(random), shift = scarce__random_unit(random) - 0.5,
                     coin = scarce__random_unit(random);
        const double at = isnan(from[i]) ? p->usual : from[i];
        u[i] = from[i];
        if (coin >= 0.5) continue;
        u[i] = p->choices || isnan(at) ? fresh : at + 2 * step * shift;
        if (u[i] < 0) u[i] = 0;
        if (u[i] > 1) u[i] = 1;
    }
}

static void add_value(const scarce__side *p, double u, scarce__text *out)
{
    double x;
    if (p->choices) {
        const char *at = p->choices;
        size_t k = (size_t)(u * (double)p->n_choices);
        for (k = k < p->n_choices ? k : p->n_choices - 1; k > 0; --k) at = strchr(at, '|') + 1;
        scarce__text_add_bytes(out, at, strcspn(at, "|"));
        return;
    }
    x = p->log ? p->lo * scarce__pow(p->hi / p->lo, u) : p->lo + (p->hi - p->lo) * u;
    if (p->whole) scarce__text_addf(out, "%lld", (long long)llround(x));
    else scarce__text_digits(out, x, 4);
}

static const scarce__side *find_place(const scarce__places *places, const char *name, size_t n, size_t *i)
{
    for (*i = 0; *i < places->count; ++*i)
        if (strlen(places->items[*i].param->name) == n && memcmp(places->items[*i].param->name, name, n) == 0)
            return &places->items[*i];
    return NULL;
}

/* The value of a parameter at a point: drawn, or fixed, or the default. */
static void value_at(const scarce__places *places, const double *u, const char *name, size_t n,
                     scarce__text *out)
{
    char copy[64];
    size_t i;
    const scarce__side *place = find_place(places, name, n, &i);
    if (place && !isnan(u[i])) {
        add_value(place, u[i], out);
        return;
    }
    if (n >= sizeof copy) return;
    memcpy(copy, name, n);
    copy[n] = '\0';
    i = scarce__param_find(places->params->method->engine->params, copy);
    if (i != SIZE_MAX && scarce__params_value(places->params->values, i, out) != SCARCE_OK) out->failed = 1;
}

/* Does "name=a|b" hold? */
static int holds(const scarce__places *places, const double *u, const char *when, scarce__text *out)
{
    const char *equals = strchr(when, '=');
    scarce__text value = SCARCE__TEXT_INIT;
    int found;

    value_at(places, u, when, (size_t)(equals - when), &value);
    if (value.failed) out->failed = 1;
    found = value.bytes && scarce__is_word_of(equals + 1, '|', value.bytes, value.n);
    scarce__text_deinit(&value);
    return found;
}

void scarce__places_text(const scarce__places *places, const double *u, scarce__text *out)
{
    for (size_t i = 0; i < places->count; ++i) {
        const scarce__side *p = &places->items[i];
        if (isnan(u[i]) || (p->param->when && !holds(places, u, p->param->when, out))) continue;
        if (out->n) scarce__text_add_char(out, ' ');
        scarce__text_add(out, p->param->name);
        scarce__text_add_char(out, '=');
        add_value(p, u[i], out);
    }
}

double scarce__places_number(const scarce__places *places, const double *u, const char *name)
{
    scarce__text value = SCARCE__TEXT_INIT;
    double x = (double)NAN;
    value_at(places, u, name, strlen(name), &value);
    if (value.bytes && scarce__parse_double(value.bytes, value.n, &x) != 1) x = (double)NAN;
    scarce__text_deinit(&value);
    return x;
}
