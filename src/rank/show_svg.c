/* SPDX-License-Identifier: Apache-2.0 */
/* A ranking tree as a picture: the outline with its branches, and beside every leaf two bars, how many of its rows
 * are positive and how many of all positives are caught down to it. Colours follow the reader's light or dark
 * setting; texts are real texts. 1060 pixels wide, a line is 20 high: depth 4 fits a laptop's screen. */
#include <string.h>

#include "core/fail.h"
#include "rank/show.h"

enum {
    WIDTH = 1060,
    LINE = 20,
    STEP = 22, /* in for each level */
    LEFT = 16,
    TEXT_END = 700, /* of conditions */
    CHARACTER = 7,  /* pixels, about */
    ROWS_AT = 770,  /* right ends of the numbers */
    SHARE_AT = 840,
    PRECISION = 860, /* where the bars begin */
    RECALL = 960,
    BAR = 80,
    DEEPEST = 64
};

typedef struct picture {
    scarce__text body;
    const scarce__rank_shown *shown;
    const scarce__dag *dag;
    scarce__rank_totals all;
    long y;                 /* baseline of the next line */
    long last[DEEPEST + 1]; /* baseline of the branch at each level */
    double alert;
} picture;

static void add_escaped(scarce__text *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const char c = text[i];
        if (c == '<') scarce__text_add(out, "&lt;");
        else if (c == '>') scarce__text_add(out, "&gt;");
        else if (c == '&') scarce__text_add(out, "&amp;");
        else scarce__text_add_char(out, (unsigned char)c < 32 ? ' ' : c);
    }
}

static long left_of(uint32_t depth)
{
    return LEFT + STEP * (long)(depth < 20 ? depth : 20);
}

static void add_text(picture *p, long x, const char *class, const char *text, size_t n)
{
    scarce__text_addf(&p->body, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">", x, p->y, class);
    add_escaped(&p->body, text, n);
    scarce__text_add(&p->body, "</text>\n");
}

/* Long conditions go on in the next line, broken at blanks. */
static void add_wrapped(picture *p, long x, const char *text)
{
    size_t left = strlen(text);
    for (;;) {
        const size_t room = (size_t)((TEXT_END - x) / CHARACTER);
        size_t n = left;
        if (n > room)
            for (n = room; n > room / 2 && text[n] != ' ';) --n;
        if (n < left && text[n] != ' ')
            for (n = room; n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80;) --n; /* whole characters */
        add_text(p, x, "c", text, n);
        text += n;
        left -= n;
        if (left == 0) return;
        while (left > 0 && *text == ' ') ++text, --left;
        p->y += LINE;
    }
}

/* From the branch above down to this line. */
static void add_branch(picture *p, uint32_t depth)
{
    const uint32_t d = depth < DEEPEST ? depth : DEEPEST;
    if (d > 0)
        scarce__text_addf(&p->body, "<path d=\"M%ld %ldV%ldH%ld\"/>\n", left_of(depth - 1) + 5,
                          p->last[d - 1] + 6, p->y - 5, left_of(depth) - 3);
    p->last[d] = p->y;
}

static void add_number(picture *p, long x, const char *class, uint64_t rows)
{
    scarce__text_addf(&p->body, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">%llu</text>\n", x, p->y, class,
                      (unsigned long long)rows);
}

static void add_share(picture *p, long x, const char *class, double share)
{
    scarce__text_addf(&p->body, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">", x, p->y, class);
    scarce__add_percent(&p->body, share);
    scarce__text_add(&p->body, "</text>\n");
}

static void add_bar(picture *p, long x, const char *class, double share)
{
    const double s = share < 0 ? 0 : share > 1 ? 1 : share;
    scarce__text_addf(&p->body, "<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"12\" class=\"t\"/>", x,
                      p->y - 11, BAR);
    scarce__text_addf(&p->body, "<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"12\" class=\"%s\"/>\n", x,
                      p->y - 11, (int)(s * BAR + 0.5), class);
}

static void add_leaf(picture *p, const scarce__line *line)
{
    const scarce__rank_leaf *l = &p->dag->leaves[line->leaf];
    const double share = l->weight > 0 ? l->positive / l->weight : 0;
    const int alert = l->score >= p->alert;
    const long x = left_of(line->depth);
    scarce__text t = SCARCE__TEXT_INIT;
    double so_far = 0;

    for (uint32_t i = 0; i <= line->leaf; ++i) so_far += p->dag->leaves[i].positive;
    add_branch(p, line->depth);
    scarce__text_addf(&p->body,
                      "<rect x=\"%ld\" y=\"%ld\" width=\"38\" height=\"16\" rx=\"8\" class=\"%s\"/>", x,
                      p->y - 13, alert ? "a" : "n");
    scarce__text_addf(&p->body, "<text x=\"%ld\" y=\"%ld\" class=\"%s\">#%lu</text>\n", x + 19, p->y,
                      alert ? "ka" : "k", (unsigned long)line->leaf + 1);
    scarce__text_addf(&t, "%llu of %llu row%s positive", (unsigned long long)l->positives,
                      (unsigned long long)l->rows, l->rows == 1 ? "" : "s");
    if (t.failed) p->body.failed = 1;
    else add_text(p, x + 46, "l", t.bytes, t.n);
    scarce__text_deinit(&t);
    add_number(p, ROWS_AT, "r", l->rows);
    add_share(p, SHARE_AT, "r", share);
    add_bar(p, PRECISION, "b", share);
    add_bar(p, RECALL, "f", p->all.positive > 0 ? so_far / p->all.positive : 0);
}

static void add_condition(picture *p, const scarce__line *line)
{
    const long x = left_of(line->depth);
    if (line->kind == SCARCE__LINE_OR)
        p->last[line->depth < DEEPEST ? line->depth : DEEPEST] = p->y; /* no line through the word */
    else {
        add_branch(p, line->depth);
        add_number(p, ROWS_AT, "g", line->rows);
        add_share(p, SHARE_AT, "g", line->share);
    }
    if (line->kind == SCARCE__LINE_ELSE) {
        add_text(p, x, "w", "else", 4);
        return;
    }
    add_text(p, x, "w", line->kind == SCARCE__LINE_OR ? "or" : "if", 2);
    add_wrapped(p, x + 20, line->text);
}

static scarce_status add_line(void *arg, const scarce__line *line, scarce_error *err)
{
    picture *p = arg;
    if (line->kind == SCARCE__LINE_LEAF) add_leaf(p, line);
    else add_condition(p, line);
    p->y += LINE;
    return p->body.failed ? scarce__fail_memory(err, "a picture", 0) : SCARCE_OK;
}

/* Contrast of every text with its ground is above 4.5 in both settings. Colours are written out, without variables, which
 * programs other than browsers leave out: they would draw black on black. */
static const char style[] =
    "<style>text{font:13px system-ui,sans-serif;fill:#1b1f24}path{fill:none;stroke:#c4ccd4}.p{fill:#fff}"
    ".h{font-weight:600;font-size:15px}.w{fill:#57606a;font-style:italic}.r,.g{text-anchor:end}"
    ".g,.s{fill:#57606a}.s{font-size:12px}.e{text-anchor:end;font-size:12px;fill:#57606a}"
    ".k,.ka{text-anchor:middle;font-size:12px;font-weight:600}.ka{fill:#fff}"
    ".t,.n{fill:#eaeef2}.b{fill:#0969da}.f{fill:#8250df}.a{fill:#cf222e}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}path{stroke:#3d444d}.p,.ka{fill:#0d1117}"
    ".w,.g,.s,.e{fill:#9aa4af}.t,.n{fill:#21262d}.b{fill:#4493f8}.f{fill:#ab7df8}.a{fill:#f85149}}"
    "</style>\n";

static void add_head(picture *p, scarce__text *out)
{
    const long height = p->y - LINE + 16;
    scarce__text_addf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %ld\" width=\"%d\" "
                      "height=\"%ld\" role=\"img\">\n",
                      WIDTH, height, WIDTH, height);
    scarce__text_addf(out, "<title>ranking tree of method %s</title>\n", p->shown->method);
    scarce__text_add(out, style);
    scarce__text_addf(out, "<rect class=\"p\" width=\"%d\" height=\"%ld\"/>\n", WIDTH, height);
    scarce__text_addf(out, "<text x=\"%d\" y=\"28\" class=\"h\">%s: %llu rows, %llu positive (", LEFT,
                      p->shown->method, (unsigned long long)p->all.rows,
                      (unsigned long long)p->all.positives);
    scarce__add_percent(out, p->all.weight > 0 ? p->all.positive / p->all.weight : 0);
    scarce__text_add(out, ")</text>\n");
    scarce__text_addf(out, "<text x=\"%d\" y=\"28\" class=\"e\">rows</text>", ROWS_AT);
    scarce__text_addf(out, "<text x=\"%d\" y=\"28\" class=\"e\">positive</text>", SHARE_AT);
    scarce__text_addf(out, "<text x=\"%d\" y=\"28\" class=\"s\">precision</text>", PRECISION);
    scarce__text_addf(out, "<text x=\"%d\" y=\"28\" class=\"s\">recall so far</text>\n", RECALL);
}

scarce_status scarce__rank_svg(const scarce__rank_shown *s, scarce__text *out, scarce_error *err)
{
    picture p = {.body = SCARCE__TEXT_INIT,
                 .shown = s,
                 .dag = &s->rank->dags[0],
                 .all = scarce__dag_totals(&s->rank->dags[0]),
                 .y = 56,
                 .alert = s->alert};
    const scarce_status st = scarce__dag_outline(s, p.dag, add_line, &p, err);

    if (st == SCARCE_OK) {
        add_head(&p, out);
        if (p.body.bytes) scarce__text_add_bytes(out, p.body.bytes, p.body.n);
        scarce__text_add(out, "</svg>\n");
    }
    scarce__text_deinit(&p.body);
    return st;
}
