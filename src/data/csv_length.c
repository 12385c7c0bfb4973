/* SPDX-License-Identifier: Apache-2.0 */
/* A row with more or fewer fields than the header: how many it has, and which column is the first to suffer. */
#include <stdio.h>

#include "core/fail.h"
#include "data/csv.h"

/* Past the quoted part at p (or p itself), as far as it can be made out. */
static const char *skip_quoted(const scarce__csv *csv, const char *p, const char *end)
{
    if (csv->arff) {
        while (*p == ' ' || *p == '\t') ++p;
        if (*p != '\'' && *p != '"') return p;
        const char quote = *p++;
        for (; *p != quote && *p != '\n'; ++p)
            if (*p == '\\' && p[1] != '\n') ++p;
        return p;
    }
    const char *close = *p == '"' ? scarce__csv_close_quote(p, end) : p;
    return close ? close : end - 1;
}

void scarce__csv_wrong_length(const scarce__csv *csv, scarce__csv_block *b, const char *p, size_t line)
{
    size_t fields = 1;
    for (;; ++p, ++fields) {
        p = skip_quoted(csv, p, b->end);
        while (*p != csv->separator && *p != '\n') ++p;
        if (*p == '\n') break;
    }
    const size_t columns = csv->plan.n_columns, first = fields < columns ? fields : columns - 1;
    char hint[160];
    if (fields < columns)
        (void)snprintf(hint, sizeof hint, "column %zu \"%.80s\" is the first without a field", first + 1,
                       scarce__dictionary_text(&csv->header.names, first));
    else if (csv->separator == '\t')
        (void)snprintf(hint, sizeof hint, "a field that holds a tab needs quotes");
    else (void)snprintf(hint, sizeof hint, "a field that holds a %c needs quotes", csv->separator);
    b->status = scarce__fail(
        &b->error, SCARCE_EPARSE, "%s:%zu: the row has %zu field%s, the header has %zu (%s)",
        scarce__source_name(csv->sources[csv->source]), line, fields, fields == 1 ? "" : "s", columns, hint);
}
