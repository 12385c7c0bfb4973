/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over rows and fields, included by csv_rows.c for each set of instructions with
 *   ROWS         the function's name
 *   FIELD_END    (p, separator) -> the next separator or newline
 *   FAST_NUMBER  (p, q, &value) -> 1 when p..q is a plain decimal
 *   TARGET       attributes
 * A block ends with a newline, and SCARCE__CSV_PAD bytes around it may be read. */

TARGET static void ROWS(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    const size_t n_columns = csv->plan.n_columns, stride = csv->tile_stride;
    const scarce__plan_column *columns = csv->plan.columns;
    const char separator = csv->separator, *p, *const end = b->end;
    const int fast = !csv->odd_missing, arff = csv->arff;
    size_t r = 0, done = 0;

    w->line = b->line;
    p = skip_blank(csv, b->begin, end, &w->line);
    while (p < end) {
        const char *const begin = p;
        const size_t line = w->line;
        for (size_t c = 0; c < n_columns; ++c) {
            const int last = c + 1 == n_columns;
            const scarce__use use = columns[c].use;
            const char *q = FIELD_END(p, separator);
            if (use == SCARCE__USE_NUMBER) {
                const char *e = q - (last && q > p && q[-1] == '\r');
                float value;
                if (e == p) value = NAN; /* the empty text is always missing */
                if (e == p || (fast && FAST_NUMBER(p, e, &value))) memcpy(&w->tile[c * stride + r], &value, sizeof value);
                else q = scarce__csv_field(csv, b, w, c, p, q, r, b->row + done + r);
            } else if (use != SCARCE__USE_SKIP || *p == '"' || arff) {
                q = scarce__csv_field(csv, b, w, c, p, q, r, b->row + done + r);
            }
            if (!q) return;
            if ((*q == '\n') != last) {
                scarce__csv_wrong_length(csv, b, begin, line);
                return;
            }
            p = q + 1;
        }
        w->line += 1;
        if (++r == csv->tile_rows) {
            flush_tile(csv, w, b->row + done, r);
            done += r;
            r = 0;
        }
        if (p < end && (*p == '\n' || *p == '\r' || arff)) p = skip_blank(csv, p, end, &w->line);
    }
    flush_tile(csv, w, b->row + done, r);
    b->n_rows = done + r;
}
