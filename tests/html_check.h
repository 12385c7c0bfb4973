/* SPDX-License-Identifier: Apache-2.0 */
/* Is a page well formed? A small checker of what our pages use: every element is closed in order (but for
 * HTML's void ones), attributes are quoted, ids occur once, references are known, and nothing is fetched from
 * elsewhere. Not for pages of other programs. */
#ifndef SCARCE_HTML_CHECK_H
#define SCARCE_HTML_CHECK_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HTML_DEPTH = 64, HTML_NAME = 24 };

typedef struct html_state {
    char open[HTML_DEPTH][HTML_NAME];
    int depth;
    char problem[200];
} html_state;

static inline const char *html_fail(html_state *s, const char *what, const char *at)
{
    if (!s->problem[0]) snprintf(s->problem, sizeof s->problem, "%s: %.60s", what, at);
    return NULL;
}

static inline int html_is_void(const char *name)
{
    return !strcmp(name, "meta") || !strcmp(name, "br") || !strcmp(name, "link") || !strcmp(name, "img");
}

static inline const char *html_reference(html_state *s, const char *p)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#10;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strncmp(p, known[i], strlen(known[i])) == 0) return p + strlen(known[i]);
    return html_fail(s, "unknown reference", p);
}

/* From behind the name of a tag to behind its '>'. *closed: it ends with "/>". */
static inline const char *html_attributes(html_state *s, const char *p, int *closed)
{
    *closed = 0;
    for (;;) {
        const char *name;
        while (isspace((unsigned char)*p)) ++p;
        if (*p == '>') return p + 1;
        if (p[0] == '/' && p[1] == '>') return *closed = 1, p + 2;
        name = p;
        while (isalnum((unsigned char)*p) || *p == '-') ++p;
        if (p == name) return html_fail(s, "no attribute", p);
        if (*p != '=') continue; /* a flag */
        if (p[1] != '"') return html_fail(s, "attribute without quotes", name);
        if (!strncmp(name, "src=", 4) || !strncmp(name, "on", 2)) return html_fail(s, "forbidden", name);
        if (!strncmp(name, "href=", 5) && p[2] != '#') return html_fail(s, "a link to elsewhere", name);
        for (p += 2; *p != '"';) {
            if (*p == '\0' || *p == '<' || *p == '>') return html_fail(s, "attribute without end", name);
            if (*p != '&') ++p;
            else if (!(p = html_reference(s, p))) return NULL;
        }
        ++p;
    }
}

static inline const char *html_tag(html_state *s, const char *p)
{
    const int end = p[1] == '/';
    const char *at = p, *name = p + 1 + end;
    char text[HTML_NAME];
    size_t n = 0;
    int closed;

    for (p = name; isalnum((unsigned char)*p); ++p)
        if (n + 1 < HTML_NAME) text[n++] = *p;
    text[n] = '\0';
    if (n == 0) return html_fail(s, "a bare <", at);
    p = html_attributes(s, p, &closed);
    if (!p) return NULL;
    if (end) {
        if (s->depth == 0 || strcmp(s->open[s->depth - 1], text) != 0)
            return html_fail(s, "closed out of order", at);
        --s->depth;
        return p;
    }
    if (closed || html_is_void(text)) return p;
    if (s->depth == HTML_DEPTH) return html_fail(s, "too deep", at);
    strcpy(s->open[s->depth++], text);
    if (strcmp(text, "style") == 0 || strcmp(text, "script") == 0) { /* raw text up to its end */
        p = strstr(p, text[1] == 't' ? "</style>" : "</script>");
        if (!p) return html_fail(s, "without end", at);
    }
    return p;
}

/* NULL when all is well, else what is wrong, in `s`. */
static inline const char *html_problem(html_state *s, const char *page)
{
    static const char doctype[] = "<!DOCTYPE html>";
    const char *p = page;

    memset(s, 0, sizeof *s);
    if (strncmp(p, doctype, sizeof doctype - 1) != 0) html_fail(s, "no doctype", p);
    else p += sizeof doctype - 1;
    while (*p && !s->problem[0]) {
        const char *next = *p == '<' ? html_tag(s, p) : *p == '&' ? html_reference(s, p) : p + 1;
        if (*p == '>') html_fail(s, "a bare >", p);
        if (next) p = next;
    }
    if (!s->problem[0] && s->depth) html_fail(s, "not closed", s->open[s->depth - 1]);
    if (!s->problem[0] &&
        (strstr(page, "http:") || strstr(page, "https:") || strstr(page, "@import") || strstr(page, "url(")))
        html_fail(s, "an address of elsewhere", "");
    return s->problem[0] ? s->problem : NULL;
}

#endif
