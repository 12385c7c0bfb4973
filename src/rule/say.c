/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences: text with values in it, "amount {amount} is {amount / mean:1} times the mean". {x:2} asks for two decimals
 * of a number; {{ and }} are braces. */
#include <string.h>

#include "core/alloc.h"
#include "rule/ruleset.h"

typedef scarce__rule_reader reader;

enum { MOST_PARTS = 64 };

/* Where the k-th brace of a sentence stands in the file: escapes before it take other room there. */
static void place_of(const scarce__token *t, size_t k, int *line, int *column)
{
    *line = t->line;
    *column = t->column;
    for (size_t i = 0; i < t->length; ++i) {
        const char c = t->at[i];
        if (c == '{' && k-- == 0) return;
        if (c == '\n') ++*line, *column = 1;
        else if (((unsigned char)c & 0xc0) != 0x80) ++*column;
    }
}

/* The value between braces at *p, which stands behind the {; *p goes behind the }. */
static void take_value(reader *r, scarce__say_part *part, const scarce__token *at, const char **p,
                       size_t brace)
{
    int line, column;
    size_t used = 0;
    const char *end;

    place_of(at, brace, &line, &column);
    end = strchr(*p, '}');
    if (!end) {
        scarce__reader_fail(r, line, column, NULL, NULL,
                            "a } is missing behind this {; a brace itself is written {{");
        return;
    }
    part->digits = -1;
    part->expr = scarce__reader_expr(r, *p, strlen(*p), line, column + 1, SCARCE__ANY, &used);
    if (!part->expr) return;
    *p += used;
    *p += strspn(*p, " \t\n");
    if (**p == ':') {
        ++*p;
        *p += strspn(*p, " ");
        if (**p < '0' || **p > '9') {
            scarce__reader_fail(r, line, column, NULL, NULL,
                                "behind the : of {value:2} stands a number of decimals, 0 to 9");
            return;
        }
        part->digits = *(*p)++ - '0';
        *p += strspn(*p, " ");
    }
    if (**p != '}') {
        scarce__reader_fail(r, line, column, NULL, NULL,
                            "the value between { and } has no end before \"%.20s\"", *p);
        return;
    }
    ++*p;
}

/* Text up to the next value, with {{ and }} as braces. *braces counts the { that were passed. */
static void take_plain(reader *r, scarce__say_part *part, const char **p, size_t *braces)
{
    scarce__text t = SCARCE__TEXT_INIT;

    scarce__text_add_bytes(&t, "", 0);
    while (**p) {
        if (**p == '{' && (*p)[1] != '{') break;
        if (**p == '{') *braces += 2;
        if ((**p == '{' || **p == '}') && (*p)[1] == **p) ++*p;
        scarce__text_add_char(&t, **p);
        ++*p;
    }
    if (t.failed) {
        scarce__text_deinit(&t);
        scarce__reader_no_memory(r);
        return;
    }
    part->text = t.bytes; /* NULL: none */
}

void scarce__read_say(reader *r, scarce__rule *x)
{
    const scarce__token at = r->token;
    const char *p;
    size_t braces = 0, n = 0;

    if (at.kind != SCARCE__TOKEN_TEXT) {
        SCARCE__FAIL_TOKEN(r, &at, "%s",
                           at.kind == SCARCE__TOKEN_BAD ? at.what
                                                        : "a sentence in quotes is missing behind say");
        return;
    }
    x->say = scarce__reader_text(r, &at);
    x->parts = x->say ? scarce__calloc(MOST_PARTS, sizeof *x->parts) : NULL;
    if (!x->parts) {
        scarce__reader_no_memory(r);
        return;
    }
    for (p = x->say; scarce__reader_ok(r) && *p;) {
        if (n == MOST_PARTS) {
            SCARCE__FAIL_TOKEN(r, &at, "a sentence has %d values at most", MOST_PARTS);
            return;
        }
        scarce__say_part *part = &x->parts[n++];
        x->n_parts = n;
        take_plain(r, part, &p, &braces);
        if (*p != '{' || !scarce__reader_ok(r)) continue;
        ++p;
        take_value(r, part, &at, &p, braces++);
    }
    scarce__reader_next(r);
}

/* ---- Saying it */

size_t scarce_ruleset_say(const scarce_ruleset *set, size_t i, const scarce_value *record, char *out,
                          size_t size)
{
    const scarce__rule *x = &set->rules[i];
    scarce__text t = SCARCE__TEXT_INIT;
    size_t n;

    if (!x->say) scarce__text_add(&t, x->name);
    for (size_t k = 0; k < x->n_parts; ++k) {
        const scarce__say_part *part = &x->parts[k];
        if (part->text) scarce__text_add(&t, part->text);
        if (!part->expr) continue;
        const scarce__value v = scarce__expr_run(part->expr, record);
        scarce__value_add(&t, &v, scarce__expr_type(part->expr), part->digits);
    }
    n = t.failed ? 0 : t.n;
    if (size > 0) {
        const size_t copied = n < size ? n : size - 1;
        if (copied) memcpy(out, t.bytes, copied);
        out[copied] = '\0';
        scarce_printable(out);
    }
    scarce__text_deinit(&t);
    return n;
}
