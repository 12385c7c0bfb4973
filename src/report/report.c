/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: the body grows as a text; blocks of one kind are opened when the first of them comes and
 * closed when something else does; a chart is drawn when the next call comes, because it is filled until
 * then. */
#include <math.h>
#include <string.h>

#include <scarce/report.h>

#include "core/alloc.h"
#include "core/outfile.h"
#include "core/text.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/page.h"

typedef enum block { BLOCK_NONE, BLOCK_FACTS, BLOCK_TILES, BLOCK_FINDINGS, BLOCK_CHARTS, BLOCK_TABLE } block;

struct scarce_report {
    scarce__text head, contents, body; /* head: title and subtitle */
    size_t sections;
    int keywords; /* options in sentences are written as keyword arguments */
    block open;
    scarce_chart *chart;  /* not drawn yet */
    size_t columns, cell; /* of the open table; cell: the next one's column */
    char *numeric;        /* a flag per column */
    int failed;           /* of something that is no text: */
    scarce_error error;   /* what it was; no text: memory */
};

static int failed(const scarce_report *r)
{
    return r->failed || r->head.failed || r->contents.failed || r->body.failed;
}

scarce_status scarce_report_new(scarce_report **out, const char *title, const char *subtitle,
                                scarce_error *err)
{
    scarce_report *r;

    *out = NULL;
    r = scarce__calloc(1, sizeof *r);
    if (!r) return scarce__fail_memory(err, "a report", sizeof *r);
    scarce__text_add(&r->head, "<title>");
    scarce__html_escape(&r->head, title);
    scarce__text_add(&r->head, "</title>\n");
    scarce__text_add(&r->body, "<header><h1>");
    scarce__html_escape(&r->body, title);
    scarce__text_add(&r->body, "</h1>");
    if (subtitle) {
        scarce__text_add(&r->body, "<p class=\"sub\">");
        scarce__html_escape(&r->body, subtitle);
        scarce__text_add(&r->body, "</p>");
    }
    scarce__text_add(&r->body, "</header>\n");
    if (failed(r)) {
        scarce_report_free(r);
        return scarce__fail_memory(err, "a report", 0);
    }
    /* The contents stand between header and first block: what is there now moves in front of them. */
    scarce__text_add_bytes(&r->contents, r->body.bytes, r->body.n);
    r->body.n = 0;
    *out = r;
    return SCARCE_OK;
}

void scarce_report_free(scarce_report *r)
{
    if (!r) return;
    scarce__chart_free(r->chart);
    scarce__text_deinit(&r->head);
    scarce__text_deinit(&r->contents);
    scarce__text_deinit(&r->body);
    scarce__free(r->numeric);
    scarce__free(r);
}

static void end_row(scarce_report *r)
{
    for (; r->cell && r->cell < r->columns; ++r->cell) scarce__text_add(&r->body, "<td></td>");
    if (r->cell) scarce__text_add(&r->body, "</tr>\n");
    r->cell = 0;
}

/* Draws the chart that was being filled, and ends the open block unless it is the wanted one. */
static void begin(scarce_report *r, block wanted)
{
    static const char *const opening[] = {"",
                                          "<dl class=\"card\">\n",
                                          "<div class=\"tiles\">\n",
                                          "<ul class=\"findings\">\n",
                                          "<div class=\"grid\">\n",
                                          ""};
    static const char *const closing[] = {"",        "</dl>\n",  "</div>\n",
                                          "</ul>\n", "</div>\n", "</tbody></table></div>\n"};

    if (r->chart) {
        scarce__chart_draw(&r->body, r->chart);
        scarce__chart_free(r->chart);
        r->chart = NULL;
    }
    if (r->open == wanted && wanted != BLOCK_TABLE) return;
    if (r->open == BLOCK_TABLE) end_row(r);
    scarce__text_add(&r->body, closing[r->open]);
    scarce__text_add(&r->body, opening[wanted]);
    r->open = wanted;
}

void scarce_report_section(scarce_report *r, const char *heading)
{
    if (!r) return;
    begin(r, BLOCK_NONE);
    ++r->sections;
    scarce__text_add(&r->contents, r->sections == 1 ? "<nav>" : "");
    scarce__text_addf(&r->contents, "<a href=\"#s%zu\">", r->sections);
    scarce__html_escape_short(&r->contents, heading, 60);
    scarce__text_add(&r->contents, "</a>");
    scarce__text_addf(&r->body, "<h2 id=\"s%zu\">", r->sections);
    scarce__html_escape(&r->body, heading);
    scarce__text_add(&r->body, "</h2>\n");
}

void scarce_report_keywords(scarce_report *r)
{
    if (r) r->keywords = 1;
}

static int small(char c)
{
    return c >= 'a' && c <= 'z';
}

/* A sentence; with keywords "--valid-fraction" in it becomes "valid_fraction=". */
static void add_sentence(scarce_report *r, const char *text)
{
    scarce__text t = SCARCE__TEXT_INIT;
    const char *c = text ? text : "";

    if (!r->keywords || !strstr(c, "--")) {
        scarce__html_escape(&r->body, text);
        return;
    }
    while (*c) {
        const int fresh = c == text || !(c[-1] == '-' || small(c[-1]));
        if (!fresh || c[0] != '-' || c[1] != '-' || !small(c[2])) {
            scarce__text_add_char(&t, *c++);
            continue;
        }
        for (c += 2; *c == '-' || small(*c); ++c) scarce__text_add_char(&t, *c == '-' ? '_' : *c);
        scarce__text_add_char(&t, '=');
    }
    if (t.failed) r->failed = 1;
    else scarce__html_escape(&r->body, t.bytes);
    scarce__text_deinit(&t);
}

static void add_paragraph(scarce_report *r, const char *opening, const char *text)
{
    if (!r) return;
    begin(r, BLOCK_NONE);
    scarce__text_add(&r->body, opening);
    add_sentence(r, text);
    scarce__text_add(&r->body, "</p>\n");
}

void scarce_report_paragraph(scarce_report *r, const char *text)
{
    add_paragraph(r, "<p>", text);
}

void scarce_report_note(scarce_report *r, const char *text)
{
    add_paragraph(r, "<p class=\"note\">", text);
}

static int stays(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-_.~ ,;:/()!*=", c));
}

void scarce_report_picture(scarce_report *r, const char *caption, const char *svg, size_t n)
{
    if (!r) return;
    begin(r, BLOCK_NONE);
    scarce__text_add(&r->body, "<p><img style=\"max-width:100%\" alt=\"");
    scarce__html_escape(&r->body, caption);
    scarce__text_add(&r->body, "\" src=\"data:image/svg+xml,");
    for (size_t i = 0; i < n; ++i) {
        if (stays(svg[i])) scarce__text_add_char(&r->body, svg[i]);
        else scarce__text_addf(&r->body, "%%%02X", (unsigned)(unsigned char)svg[i]);
    }
    scarce__text_add(&r->body, "\"></p>\n");
}

/* ---- numbers */

static void tile_begin(scarce_report *r, const char *name, int is_text)
{
    begin(r, BLOCK_TILES);
    scarce__text_add(&r->body, "<div class=\"tile\"><span>");
    scarce__html_escape(&r->body, name);
    scarce__text_add(&r->body, is_text ? "</span><b class=\"t\">" : "</span><b>");
}

static void tile_end(scarce_report *r, const char *detail)
{
    scarce__text_add(&r->body, "</b>");
    if (detail) {
        scarce__text_add(&r->body, "<small>");
        scarce__html_escape(&r->body, detail);
        scarce__text_add(&r->body, "</small>");
    }
    scarce__text_add(&r->body, "</div>\n");
}

void scarce_report_tile(scarce_report *r, const char *name, const char *value, const char *detail)
{
    if (!r) return;
    tile_begin(r, name, scarce__html_length(value) > 12);
    scarce__html_escape(&r->body, value);
    tile_end(r, detail);
}

void scarce_report_tile_number(scarce_report *r, const char *name, double value, int digits,
                               const char *detail)
{
    if (!r) return;
    tile_begin(r, name, 0);
    scarce__html_number(&r->body, value, digits);
    tile_end(r, detail);
}

static void fact_begin(scarce_report *r, const char *key)
{
    begin(r, BLOCK_FACTS);
    scarce__text_add(&r->body, "<dt>");
    scarce__html_escape(&r->body, key);
    scarce__text_add(&r->body, "</dt><dd>");
}

void scarce_report_fact(scarce_report *r, const char *key, const char *value)
{
    if (!r) return;
    fact_begin(r, key);
    scarce__html_escape(&r->body, value);
    scarce__text_add(&r->body, "</dd>\n");
}

void scarce_report_fact_number(scarce_report *r, const char *key, double value, int digits)
{
    if (!r) return;
    fact_begin(r, key);
    scarce__html_number(&r->body, value, digits);
    scarce__text_add(&r->body, "</dd>\n");
}

void scarce_report_table(scarce_report *r, const char *caption, const char *const *columns, const char *align,
                         size_t n_columns)
{
    size_t ends = 0; /* of `align` */
    if (!r || !columns || n_columns == 0) return;
    begin(r, BLOCK_TABLE);
    scarce__free(r->numeric);
    r->numeric = scarce__calloc(n_columns, 1);
    r->columns = r->numeric ? n_columns : 0;
    if (!r->numeric) {
        r->failed = 1;
        return;
    }
    scarce__text_add(&r->body, "<div class=\"card scroll\"><table>");
    if (caption) {
        scarce__text_add(&r->body, "<caption>");
        scarce__html_escape(&r->body, caption);
        scarce__text_add(&r->body, "</caption>");
    }
    scarce__text_add(&r->body, "<thead><tr>");
    for (size_t i = 0; i < n_columns; ++i) {
        if (align && align[ends]) r->numeric[i] = align[ends++] == 'r';
        scarce__text_add(&r->body, r->numeric[i] ? "<th class=\"n\">" : "<th>");
        scarce__html_escape(&r->body, columns[i]);
        scarce__text_add(&r->body, "</th>");
    }
    scarce__text_add(&r->body, "</tr></thead><tbody>\n");
}

/* A long text gets room, so that it does not become a tall one. */
static int cell_begin(scarce_report *r, int is_long)
{
    if (!r || r->open != BLOCK_TABLE || r->columns == 0) return 0;
    if (r->cell == r->columns) end_row(r);
    if (r->cell == 0) scarce__text_add(&r->body, "<tr>");
    scarce__text_add(&r->body, r->numeric[r->cell] ? "<td class=\"n\">"
                               : is_long           ? "<td class=\"w\">"
                                                   : "<td>");
    ++r->cell;
    return 1;
}

void scarce_report_cell(scarce_report *r, const char *text)
{
    if (!cell_begin(r, scarce__html_length(text) > 36)) return;
    scarce__html_escape(&r->body, text);
    scarce__text_add(&r->body, "</td>");
}

void scarce_report_cell_number(scarce_report *r, double value, int digits)
{
    if (!cell_begin(r, 0)) return;
    scarce__html_number(&r->body, value, digits);
    scarce__text_add(&r->body, "</td>");
}

void scarce_report_finding(scarce_report *r, scarce_severity severity, const char *sentence,
                           const char *advice)
{
    static const char *const word[] = {"good", "note", "warning", "problem"};
    const unsigned kind = (unsigned)severity > 3 ? 3 : (unsigned)severity;
    if (!r) return;
    begin(r, BLOCK_FINDINGS);
    scarce__text_addf(&r->body, "<li class=\"card f%u\"><em>%s</em>", kind, word[kind]);
    add_sentence(r, sentence);
    if (advice) {
        scarce__text_add(&r->body, "<span>");
        add_sentence(r, advice);
        scarce__text_add(&r->body, "</span>");
    }
    scarce__text_add(&r->body, "</li>\n");
}

scarce_chart *scarce_report_chart(scarce_report *r, const scarce_chart_options *options)
{
    if (!r) return NULL;
    begin(r, BLOCK_CHARTS);
    if (failed(r)) return NULL;
    if (scarce__chart_new(&r->chart, options, &r->error) != SCARCE_OK) r->failed = 1;
    return r->chart;
}

/* ---- the page */

static void add_lines(scarce__text *out, const char *const *line)
{
    for (; *line; ++line) {
        scarce__text_add(out, *line);
        scarce__text_add_char(out, '\n');
    }
}

static scarce_status assemble(scarce__text *page, scarce_report *r, scarce_error *err)
{
    begin(r, BLOCK_NONE);
    scarce__text_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                           "<meta name=\"color-scheme\" content=\"light dark\">\n");
    if (r->head.n) scarce__text_add_bytes(page, r->head.bytes, r->head.n);
    scarce__text_add(page, "<style>\n");
    add_lines(page, scarce__page_style);
    scarce__text_add(page, "</style>\n</head>\n<body>\n<main>\n");
    if (r->contents.n) scarce__text_add_bytes(page, r->contents.bytes, r->contents.n);
    if (r->sections) scarce__text_add(page, "</nav>\n");
    if (r->body.n) scarce__text_add_bytes(page, r->body.bytes, r->body.n);
    scarce__text_addf(page, "<footer>scarce %s</footer>\n</main>\n<script>\n", scarce_version());
    add_lines(page, scarce__page_script);
    scarce__text_add(page, "</script>\n</body>\n</html>\n");
    if (!failed(r) && !page->failed) return SCARCE_OK;
    if (r->error.code == SCARCE_OK || r->error.code == SCARCE_ENOMEM)
        return scarce__fail_memory(err, "a report", 0);
    return scarce__fail(err, r->error.code, "a chart's %s", r->error.text);
}

scarce_status scarce_report_bytes(void **out, size_t *n, scarce_report *r, scarce_error *err)
{
    scarce__text page = SCARCE__TEXT_INIT;
    const scarce_status st = assemble(&page, r, err);

    *out = NULL;
    *n = 0;
    if (st != SCARCE_OK) {
        scarce__text_deinit(&page);
        return st;
    }
    *out = page.bytes;
    *n = page.n;
    return SCARCE_OK;
}

scarce_status scarce_report_write(scarce_report *r, const char *path, scarce_error *err)
{
    scarce__text page = SCARCE__TEXT_INIT;
    scarce__outfile *file = NULL;
    scarce_status st = assemble(&page, r, err);

    if (st == SCARCE_OK) st = scarce__outfile_open(&file, path, err);
    if (st == SCARCE_OK) {
        st = scarce__outfile_write(file, page.bytes, page.n, err);
        if (st == SCARCE_OK) st = scarce__outfile_commit(file, err);
        else scarce__outfile_abort(file);
    }
    scarce__text_deinit(&page);
    return st;
}
