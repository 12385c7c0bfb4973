/* SPDX-License-Identifier: Apache-2.0 */
/* tocsv X.npy y.npy OUT.csv [CATEGORIES CODED.csv]: writes a table with a header line, label first, numbers
 * with 6 digits, and rounds X.npy to what was written, so that both files hold the same values. The last
 * CATEGORIES columns are written as texts; in CODED.csv as whole numbers, for readers that know no texts. */
#include "bench.h"

static size_t field(char *to, float *x)
{
    if (*x != *x) return 0; /* missing: nothing between the commas */
    const size_t n = (size_t)sprintf(to, "%.6g", (double)*x);
    *x = strtof(to, NULL);
    return n;
}

int main(int argc, char **argv)
{
    size_t rows, columns, one, texts = 0;
    FILE *out, *coded = NULL, *back;
    float *x;
    uint8_t *y;

    if (argc != 4 && argc != 6) die("tocsv", "X.npy y.npy OUT.csv [CATEGORIES CODED.csv]");
    x = npy(argv[1], sizeof *x, &rows, &columns);
    y = npy(argv[2], 1, &rows, &one);
    out = fopen(argv[3], "w");
    if (argc == 6) texts = (size_t)atoi(argv[4]), coded = fopen(argv[5], "w");
    if (!out || (argc == 6 && !coded)) die(argv[3], "can't be written");
    for (int k = 0; k < (coded ? 2 : 1); ++k) {
        fprintf(k ? coded : out, "label");
        for (size_t f = 0; f < columns; ++f) fprintf(k ? coded : out, ",f%zu", f);
        fputc('\n', k ? coded : out);
    }
    for (size_t i = 0; i < rows; ++i) {
        char line[32 * 4096];
        size_t n = (size_t)sprintf(line, "%d", y[i]);
        if (columns > 4096) die("tocsv", "too many columns");
        for (size_t f = 0; f < columns - texts; ++f) {
            line[n++] = ',';
            n += field(line + n, &x[i * columns + f]);
        }
        fwrite(line, 1, n, out);
        if (coded) fwrite(line, 1, n, coded);
        for (size_t f = columns - texts; f < columns; ++f) {
            fprintf(out, ",kind-%03.0f", (double)x[i * columns + f]);
            fprintf(coded, ",%.0f", (double)x[i * columns + f]);
        }
        fputc('\n', out);
        if (coded) fputc('\n', coded);
    }
    if (fclose(out) || (coded && fclose(coded))) die(argv[3], "can't be written");
    back = fopen(argv[1], "r+b");
    if (!back || fseek(back, -(long)(rows * columns * sizeof *x), SEEK_END) ||
        fwrite(x, sizeof *x, rows * columns, back) != rows * columns || fclose(back))
        die(argv[1], "can't be written");
    free(x);
    free(y);
    return 0;
}
