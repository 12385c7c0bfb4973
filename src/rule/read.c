/* SPDX-License-Identifier: Apache-2.0 */
/* A rule file:
 *
 *     file    = { list | rule | comment } ;
 *     list    = "list" name [ "of" type ] "=" ( "{" literal { "," literal } "}" | "file" string | "live" ) ;
 *     rule    = "rule" name "stage" ( "check" | "block" | "alert" ) { clause } ;
 *
 * After a mistake reading goes on at the next line that begins with rule or list, so that one look tells all of them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/files.h"
#include "core/options.h"
#include "core/param.h"
#include "rule/ruleset.h"

enum { LARGEST_FILE = 16 << 20 };

void scarce__reader_next(scarce__rule_reader *r)
{
    if (!r->failed) r->token = scarce__lexer_next(&r->lexer); /* a mistake stays where it is */
}

void scarce__reader_no_memory(scarce__rule_reader *r)
{
    if (r->status == SCARCE_ENOMEM) return;
    r->failed = 1;
    r->status = scarce__fail_memory(r->err, "rules", 0);
}

static void tell(const scarce__rule_reader *r, int wrong, int line, int column, const char *text,
                 const char *name, const char *nearest)
{
    const scarce_rule_remark remark = {wrong,
                                       line,
                                       column,
                                       r->rule,
                                       text,
                                       name && *name ? name : NULL,
                                       nearest && *nearest ? nearest : NULL};
    if (r->options->remark) r->options->remark(r->options->payload, &remark);
}

void scarce__reader_fail(scarce__rule_reader *r, int line, int column, const char *name, const char *nearest,
                         const char *format, ...)
{
    char text[900];
    va_list list;

    if (r->failed) return; /* one thing leads to another */
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    r->failed = 1;
    if (r->mistakes++ == 0) r->status = scarce__fail_at(r->err, r->name, line, column, "%s", text);
    tell(r, 1, line, column, text, name, nearest);
}

void scarce__reader_remark(scarce__rule_reader *r, int line, int column, const char *format, ...)
{
    char text[900];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tell(r, 0, line, column, text, NULL, NULL);
}

/* ---- Words */

typedef struct word_list {
    char bytes[200];
    const char *word[16];
    size_t n;
} word_list;

static const char *word_of(const void *arg, size_t i)
{
    return ((const word_list *)arg)->word[i];
}

void scarce__reader_unknown(scarce__rule_reader *r, const scarce__token *t, const char *what,
                            const char *words)
{
    word_list list;
    char name[81];
    const char *nearest;

    if (t->kind == SCARCE__TOKEN_BAD) {
        SCARCE__FAIL_TOKEN(r, t, "%s", t->what);
        return;
    }
    if (t->kind == SCARCE__TOKEN_END) {
        SCARCE__FAIL_TOKEN(r, t, "the file ends where %s is missing: %s", what, words);
        return;
    }
    memset(&list, 0, sizeof list);
    (void)snprintf(list.bytes, sizeof list.bytes, "%s", words);
    for (char *at = list.bytes, *bar; at && list.n < 16; at = bar) {
        bar = strchr(at, '|');
        if (bar) *bar++ = '\0';
        list.word[list.n++] = at;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(t->length < 80 ? t->length : 80), t->at);
    nearest = scarce__nearest_name(name, word_of, &list, list.n);
    scarce__reader_fail(r, t->line, t->column, name, nearest, "%s is none of %s%s%s%s%s", name, what,
                        nearest ? "" : ": ", nearest ? ", did you mean \"" : words, nearest ? nearest : "",
                        nearest ? "\"?" : "");
}

char *scarce__reader_text(scarce__rule_reader *r, const scarce__token *t)
{
    scarce__text text = SCARCE__TEXT_INIT;
    char *empty;

    scarce__token_value(t, &text);
    if (!text.failed && text.bytes) return text.bytes;
    empty = text.failed ? NULL : scarce__strdup("");
    if (text.failed) scarce__text_deinit(&text);
    if (!empty) scarce__reader_no_memory(r);
    return empty;
}

/* ---- Expressions */

#define CLAUSES "when|say|score|priority|owner|shadow|limit|from|until|sql|every|rule|list"

scarce__expr *scarce__reader_expr(scarce__rule_reader *r, const char *text, size_t length, int line,
                                  int column, scarce__type wanted, size_t *used)
{
    scarce__expr_source s;
    scarce__expr_place place;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce__expr *e = NULL;
    char before[40];

    memset(&s, 0, sizeof s);
    memset(&place, 0, sizeof place);
    s.text = text;
    s.length = length;
    s.line = line;
    s.column = column;
    s.symbols = r->fields;
    s.n_symbols = r->n_fields;
    s.what = r->options->what;
    s.lists = r->lists;
    s.n_lists = r->set->n_lists;
    s.wanted = wanted;
    s.used = used;
    s.place = &place;
    s.any_name = r->set->grammar_only;
    const scarce_status st = scarce__expr_compile(&e, &s, &err);
    if (st == SCARCE_OK) return e;
    if (st == SCARCE_ENOMEM) {
        scarce__reader_no_memory(r);
        return NULL;
    }
    const int n = snprintf(before, sizeof before, "%d:%d: ", place.line, place.column);
    if (place.name[0] && scarce__is_word_of(CLAUSES, '|', place.name, strlen(place.name)))
        scarce__reader_fail(r, place.line, place.column, NULL, NULL,
                            "the condition has no end: a value is missing before \"%s\"", place.name);
    else
        scarce__reader_fail(r, place.line, place.column, place.name, place.nearest, "%s",
                            strncmp(err.text, before, (size_t)n) == 0 ? err.text + n : err.text);
    return NULL;
}

/* ---- The file */

static void read_item(scarce__rule_reader *r)
{
    const scarce__token word = r->token;

    if (scarce__token_is(&word, "list") || scarce__token_is(&word, "rule")) {
        scarce__reader_next(r);
        if (scarce__token_is(&word, "list")) scarce__read_list(r);
        else scarce__read_rule(r);
    } else if (word.kind == SCARCE__TOKEN_NAME &&
               scarce__is_word_of("when|say|score|priority|owner|shadow|limit|from|until|sql", '|', word.at,
                                  word.length)) {
        SCARCE__FAIL_TOKEN(r, &word, "%.*s stands outside of a rule", (int)word.length, word.at);
    } else {
        scarce__reader_unknown(r, &word, "what a file is made of", "rule|list");
    }
    r->rule = NULL;
}

/* Whether a line begins with the word rule or list. */
static int begins_item(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) ++p;
    if (end - p < 5 || (memcmp(p, "rule", 4) != 0 && memcmp(p, "list", 4) != 0)) return 0;
    return p[4] == ' ' || p[4] == '\t';
}

/* To the next line that begins with rule or list, line by line: a quote without its end must not hide what follows. */
static void recover(scarce__rule_reader *r)
{
    const char *p = r->token.at, *end = r->text + r->length;
    int line = r->token.line;

    r->failed = 0;
    if (r->token.begins_line && begins_item(p, end)) return;
    do {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        p = stop ? stop + 1 : end;
        line += stop != NULL;
    } while (p < end && !begins_item(p, end));
    r->lexer = scarce__lexer_of(p, (size_t)(end - p), line, 1);
    scarce__reader_next(r);
}

static void remark_lists(scarce__rule_reader *r)
{
    for (size_t i = 0; i < r->set->n_lists; ++i) {
        const scarce__rule_list *l = &r->set->lists[i];
        if (!l->used)
            scarce__reader_remark(r, l->line, l->column, "no rule uses the list \"%.80s\"", l->name);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The fields of all rules. */
static int join_uses(scarce_ruleset *set)
{
    size_t all = 0, n = 0;

    for (size_t i = 0; i < set->n_rules; ++i) all += set->rules[i].n_uses;
    set->uses = scarce__malloc_array(all, sizeof *set->uses);
    if (!set->uses) return 0;
    for (size_t i = 0; i < set->n_rules; ++i)
        for (size_t k = 0; k < set->rules[i].n_uses; ++k) set->uses[n++] = set->rules[i].uses[k];
    if (n) qsort(set->uses, n, sizeof *set->uses, by_number);
    for (size_t i = 0; i < n; ++i)
        if (i == 0 || set->uses[i] != set->uses[i - 1]) set->uses[set->n_uses++] = set->uses[i];
    return 1;
}

static void read_all(scarce__rule_reader *r)
{
    scarce__reader_next(r);
    while (r->status != SCARCE_ENOMEM && r->token.kind != SCARCE__TOKEN_END) {
        read_item(r);
        if (r->status == SCARCE_ENOMEM || (r->mistakes && !r->options->remark)) return;
        if (r->failed) recover(r);
    }
    if (r->mistakes == 0 && r->set->n_rules == 0 && r->status == SCARCE_OK)
        scarce__reader_fail(r, r->token.line, r->token.column, NULL, NULL,
                            "there is no rule in it; one begins with: rule NAME stage alert");
    if (r->mistakes == 0) remark_lists(r);
    if (r->mistakes > 1 && r->err) {
        const size_t n = strlen(r->err->text);
        (void)snprintf(r->err->text + n, sizeof r->err->text - n, " (and %zu more mistake%s)",
                       r->mistakes - 1, r->mistakes > 2 ? "s" : "");
    }
}

static scarce_status read_set(scarce_ruleset **out, const char *text, size_t length, const char *name,
                              char *folder, const scarce_record_field *fields, size_t n_fields,
                              const scarce_ruleset_options *options, scarce_error *err)
{
    scarce__rule_reader r;

    memset(&r, 0, sizeof r);
    r.set = scarce__calloc(1, sizeof *r.set);
    if (!r.set) return scarce__fail_memory(err, "rules", 0);
    r.set->grammar_only = options->grammar_only;
    r.fields = fields;
    r.n_fields = n_fields;
    r.options = options;
    r.name = name;
    r.folder = folder;
    r.text = text;
    r.length = length;
    r.lexer = scarce__lexer_of(text, length, 1, 1);
    r.err = err;
    read_all(&r);
    if (r.status == SCARCE_OK && !join_uses(r.set)) scarce__reader_no_memory(&r);
    scarce__free(r.lists);
    if (r.status != SCARCE_OK) {
        scarce_ruleset_free(r.set);
        return r.status;
    }
    *out = r.set;
    return SCARCE_OK;
}

scarce_status scarce_ruleset_read(scarce_ruleset **out, const char *text, size_t length, const char *name,
                                  const scarce_record_field *fields, size_t n_fields,
                                  const scarce_ruleset_options *options, scarce_error *err)
{
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    char *folder = NULL;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_RULESET_OPTIONS_INIT, err));
    if (o.folder && !(folder = scarce__strdup(o.folder))) return scarce__fail_memory(err, "rules", 0);
    st = read_set(out, text, length, name, folder, fields, n_fields, &o, err);
    scarce__free(folder);
    return st;
}

scarce_status scarce_ruleset_load(scarce_ruleset **out, const char *path, const scarce_record_field *fields,
                                  size_t n_fields, const scarce_ruleset_options *options, scarce_error *err)
{
    scarce_ruleset_options o = SCARCE_RULESET_OPTIONS_INIT;
    scarce__text text = SCARCE__TEXT_INIT;
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(SCARCE__OPTIONS(&o, options, SCARCE_RULESET_OPTIONS_INIT, err));
    st = scarce__read_text_file(&text, path, LARGEST_FILE, err);
    if (st == SCARCE_OK && (o.folder || slash)) {
        folder = o.folder ? scarce__strdup(o.folder)
                          : scarce__strndup(path, (size_t)(slash - path) + (slash == path));
        if (!folder) st = scarce__fail_memory(err, "rules", 0);
    }
    if (st == SCARCE_OK)
        st = read_set(out, text.bytes ? text.bytes : "", text.n, path, folder, fields, n_fields, &o, err);
    scarce__free(folder);
    scarce__text_deinit(&text);
    return st;
}
