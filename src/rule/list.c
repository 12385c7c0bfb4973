/* SPDX-License-Identifier: Apache-2.0 */
/* list NAME [of TYPE] = { "a", "b" } | file "names.txt" | live */
#include <string.h>

#include "core/alloc.h"
#include "core/files.h"
#include "core/number.h"
#include "rule/ruleset.h"

enum { LARGEST_LIST = 256 << 20 };

static scarce__rule_list *new_list(scarce__rule_reader *r)
{
    scarce_ruleset *set = r->set;

    if (set->n_lists == SCARCE__MOST_RULES) {
        SCARCE__FAIL_TOKEN(r, &r->token, "more than %d lists; split the file", SCARCE__MOST_RULES);
        return NULL;
    }
    if (set->n_lists == set->lists_capacity) {
        const size_t n = set->lists_capacity ? 2 * set->lists_capacity : 8;
        scarce__rule_list *lists = scarce__realloc_array(set->lists, n, sizeof *lists);
        if (lists) set->lists = lists;
        scarce__expr_list *seen = lists ? scarce__realloc_array(r->lists, n, sizeof *seen) : NULL;
        if (seen) r->lists = seen;
        if (!lists || !seen) {
            scarce__reader_no_memory(r);
            return NULL;
        }
        set->lists_capacity = n;
    }
    memset(&set->lists[set->n_lists], 0, sizeof *set->lists);
    return &set->lists[set->n_lists];
}

static void add(scarce__rule_reader *r, scarce__rule_list *l, scarce__value v, const scarce__token *at)
{
    scarce_error err = SCARCE_ERROR_INIT;
    const scarce_status st = scarce__set_add(l->set, v, &err);
    if (st == SCARCE_ENOMEM) scarce__reader_no_memory(r);
    else if (st != SCARCE_OK) SCARCE__FAIL_TOKEN(r, at, "%s", err.text);
}

/* The type of a literal; ANY: it isn't one. */
static scarce__type literal_type(const scarce__rule_reader *r)
{
    if (r->token.kind == SCARCE__TOKEN_TEXT) return SCARCE__WORD;
    if (r->token.kind == SCARCE__TOKEN_NUMBER || scarce__token_is_sign(&r->token, '-')) return SCARCE__NUMBER;
    return SCARCE__ANY;
}

static void take_literal(scarce__rule_reader *r, scarce__rule_list *l)
{
    const scarce__token at = r->token;
    const int negative = scarce__token_is_sign(&at, '-');

    if (at.kind == SCARCE__TOKEN_TEXT) {
        char *text = scarce__reader_text(r, &at);
        if (text) add(r, l, scarce__value_text(text, strlen(text)), &at);
        scarce__free(text);
    } else {
        if (negative) scarce__reader_next(r);
        if (r->token.kind != SCARCE__TOKEN_NUMBER)
            SCARCE__FAIL_TOKEN(r, &at, "a number is missing behind the -");
        else add(r, l, scarce__value_number(negative ? -r->token.number : r->token.number), &at);
    }
    scarce__reader_next(r);
}

static void take_literals(scarce__rule_reader *r, scarce__rule_list *l)
{
    const scarce__token open = r->token;

    scarce__reader_next(r);
    if (scarce__token_is_sign(&r->token, '}')) {
        SCARCE__FAIL_TOKEN(r, &open, "the list is empty; one that is filled later is live");
        return;
    }
    while (scarce__reader_ok(r) && !scarce__token_is_sign(&r->token, '}')) {
        const scarce__type type = literal_type(r), wanted = scarce__set_type(l->set);
        if (type == SCARCE__ANY && r->token.kind == SCARCE__TOKEN_BAD)
            SCARCE__FAIL_TOKEN(r, &r->token, "%s", r->token.what);
        else if (type == SCARCE__ANY)
            SCARCE__FAIL_TOKEN(r, &r->token, "a list holds texts in quotes, or numbers");
        else if (type != wanted)
            SCARCE__FAIL_TOKEN(r, &r->token, "this is a %s, but the list holds %ss", scarce__type_name(type),
                               scarce__type_name(wanted));
        if (!scarce__reader_ok(r)) return;
        take_literal(r, l);
        if (!scarce__reader_ok(r)) return;
        if (scarce__token_is_sign(&r->token, ',')) scarce__reader_next(r);
        else if (!scarce__token_is_sign(&r->token, '}'))
            SCARCE__FAIL_TOKEN(r, &r->token, "a , or } is missing in the list that begins in line %d",
                               open.line);
    }
    scarce__reader_next(r);
}

/* One value a line; blank lines and those that begin with # don't count. */
static void take_lines(scarce__rule_reader *r, scarce__rule_list *l, const char *path, const char *text,
                       size_t n, const scarce__token *at)
{
    const char *end = text + n;
    size_t line = 0;

    while (scarce__reader_ok(r) && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text)), *last;
        double x;
        if (!stop) stop = end;
        ++line;
        for (last = stop; last > text && strchr(" \t\r", last[-1]); --last) {
        }
        while (text < last && (*text == ' ' || *text == '\t')) ++text;
        if (text < last && *text != '#') {
            if (scarce__set_type(l->set) == SCARCE__WORD) {
                if (memchr(text, '\0', (size_t)(last - text)))
                    SCARCE__FAIL_TOKEN(r, at, "%.200s, line %zu: a zero byte; this is no text", path, line);
                else add(r, l, scarce__value_text(text, (size_t)(last - text)), at);
            } else if (scarce__parse_double(text, (size_t)(last - text), &x) != 1 || x - x != 0) {
                SCARCE__FAIL_TOKEN(r, at, "%.200s, line %zu: \"%.*s\" is not a number", path, line,
                                   (int)(last - text < 60 ? last - text : 60), text);
            } else {
                add(r, l, scarce__value_number(x), at);
            }
        }
        text = stop + (stop < end);
    }
}

static void take_file(scarce__rule_reader *r, scarce__rule_list *l)
{
    scarce__text path = SCARCE__TEXT_INIT, text = SCARCE__TEXT_INIT;
    const scarce__token at = r->token;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_status st = SCARCE_OK;

    if (at.kind != SCARCE__TOKEN_TEXT) {
        SCARCE__FAIL_TOKEN(r, &at, "the name of a file is missing: file \"merchants.txt\"");
        return;
    }
    if (r->folder && at.length > 1 && at.at[1] != '/') {
        scarce__text_add(&path, r->folder);
        if (path.n && path.bytes[path.n - 1] != '/') scarce__text_add(&path, "/");
    }
    scarce__token_value(&at, &path);
    if (path.failed) scarce__reader_no_memory(r);
    else if (!r->set->grammar_only) {
        st = scarce__read_text_file(&text, path.bytes ? path.bytes : "", LARGEST_LIST, &err);
        if (st == SCARCE_ENOMEM) scarce__reader_no_memory(r);
        else if (st != SCARCE_OK) SCARCE__FAIL_TOKEN(r, &at, "%s", err.text);
        else take_lines(r, l, path.bytes, text.bytes ? text.bytes : "", text.n, &at);
    }
    scarce__text_deinit(&path);
    scarce__text_deinit(&text);
    scarce__reader_next(r);
}

/* [of TYPE] =: the type, ANY where it isn't told. */
static scarce__type take_head(scarce__rule_reader *r)
{
    scarce__type type = SCARCE__ANY;

    if (scarce__token_is(&r->token, "of")) {
        scarce__reader_next(r);
        type = scarce__token_is(&r->token, "text")     ? SCARCE__WORD
               : scarce__token_is(&r->token, "number") ? SCARCE__NUMBER
                                                       : SCARCE__ANY;
        if (type == SCARCE__ANY) scarce__reader_unknown(r, &r->token, "the types of a list", "text|number");
        scarce__reader_next(r);
    }
    if (!scarce__token_is_sign(&r->token, '='))
        SCARCE__FAIL_TOKEN(r, &r->token, "a = is missing: list NAME = { \"a\", \"b\" }");
    scarce__reader_next(r);
    return type;
}

/* The first literal says what type the list has. */
static scarce__type look_ahead(const scarce__rule_reader *r)
{
    scarce__rule_reader copy = *r;
    if (!scarce__token_is_sign(&r->token, '{')) return SCARCE__WORD;
    scarce__reader_next(&copy);
    return literal_type(&copy) == SCARCE__NUMBER ? SCARCE__NUMBER : SCARCE__WORD;
}

static void take_values(scarce__rule_reader *r, scarce__rule_list *l)
{
    if (scarce__token_is_sign(&r->token, '{')) {
        take_literals(r, l);
    } else if (scarce__token_is(&r->token, "file")) {
        scarce__reader_next(r);
        take_file(r, l);
    } else if (scarce__token_is(&r->token, "live")) {
        l->live = 1;
        scarce__reader_next(r);
    } else {
        scarce__reader_unknown(r, &r->token, "what a list can be", "{ ... }|file|live");
    }
}

void scarce__read_list(scarce__rule_reader *r)
{
    const scarce__token at = r->token;
    scarce__rule_list *l;
    scarce__type type;
    char *name;

    if (at.kind != SCARCE__TOKEN_NAME) {
        SCARCE__FAIL_TOKEN(r, &at, "the name of the list is missing");
        return;
    }
    l = new_list(r);
    name = l ? scarce__reader_text(r, &at) : NULL;
    if (!name) return;
    for (size_t i = 0; i < r->set->n_lists; ++i)
        if (strcmp(r->set->lists[i].name, name) == 0)
            SCARCE__FAIL_TOKEN(r, &at, "there are two lists \"%.80s\"; the first is in line %d", name,
                               r->set->lists[i].line);
    scarce__reader_next(r);
    type = scarce__reader_ok(r) ? take_head(r) : SCARCE__WORD;
    if (type == SCARCE__ANY) type = look_ahead(r);
    if (scarce__reader_ok(r) && scarce__set_new(&l->set, type, NULL) != SCARCE_OK)
        scarce__reader_no_memory(r);
    if (!scarce__reader_ok(r)) {
        scarce__free(name);
        return;
    }
    l->name = name;
    l->line = at.line;
    l->column = at.column;
    r->lists[r->set->n_lists].name = name;
    r->lists[r->set->n_lists].set = l->set;
    ++r->set->n_lists; /* it is known from here on, also where its values are wrong */
    take_values(r, l);
}
