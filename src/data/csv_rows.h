/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over rows and fields, included by csv_rows.c for each set of instructions with VARIANT(x) in
 * front of these names, and TARGET for their attributes:
 *   ends, start, next, seek  where fields end: the next separator or newline at p or behind it
 *   number                   (p, q, point, to) stores p..q as a float and returns 1 if it is a plain decimal
 * and with the decimal sign POINT, a constant, so that a comma costs nothing where it is a point, and ROWS,
 * the name of the function.
 * A block ends with a newline, and SCARCE__CSV_PAD bytes around it may be read. */

TARGET static void ROWS(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    const size_t n_columns = csv->plan.n_columns, stride = csv->tile_stride;
    const scarce__plan_column *columns = csv->plan.columns;
    const char *p, *const end = b->end;
    const int fast = !csv->odd_missing, arff = csv->arff;
    size_t r = 0, done = 0;
    VARIANT(ends) ends;

    w->line = b->line;
    p = skip_blank(csv, b->begin, end, &w->line);
    VARIANT(start)(&ends, p, end, csv->separator);
    while (p < end) {
        const char *const begin = p;
        const size_t line = w->line;
        uint32_t *to = w->tile + r;
        for (size_t c = 0; c < n_columns; ++c, to += stride) {
            const int last = c + 1 == n_columns;
            const scarce__use use = columns[c].use;
            const char *q = VARIANT(next)(&ends, p), *e = q - (last && q > p && q[-1] == '\r');
            int done_fast = 0;
            if (use == SCARCE__USE_NUMBER) {
                if (e == p) { /* the empty text is always missing */
                    const float nan = NAN;
                    memcpy(to, &nan, sizeof nan);
                    done_fast = 1;
                } else {
                    done_fast = fast && VARIANT(number)(p, e, POINT, to);
                }
            } else if (use == SCARCE__USE_SKIP) {
                done_fast = *p != '"' && !arff;
            } else if (w->caches[c]) {
                done_fast = cached(w->caches[c], p, (size_t)(e - p), to);
            }
            if (!done_fast) {
                const char *found = q;
                q = scarce__csv_field(csv, b, w, c, p, q, r, b->row + done + r);
                if (!q) return;
                if (q != found) VARIANT(seek)(&ends, q + 1);
            }
            if ((*q == '\n') != last) {
                scarce__csv_wrong_length(csv, b, begin, line);
                return;
            }
            p = q + 1;
        }
        w->line += 1;
        if (csv->keep.n && !keep_row(csv, b, begin, p)) return;
        if (++r == csv->tile_rows) {
            flush_tile(csv, w, b->row + done, r);
            done += r;
            r = 0;
        }
        if (p < end && (*p == '\n' || *p == '\r' || arff)) {
            p = skip_blank(csv, p, end, &w->line);
            VARIANT(seek)(&ends, p);
        }
    }
    flush_tile(csv, w, b->row + done, r);
    b->n_rows = done + r;
}
