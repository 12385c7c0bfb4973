/* SPDX-License-Identifier: Apache-2.0 */
/* html_check FILE [TEXT...]: is it a whole, well-formed page that fetches nothing, with all these texts in
 * it? */
#include "html_check.h"

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    static char page[4000000];
    html_state s;
    size_t n;
    int failed = 0;

    if (!file) return fprintf(stderr, "usage: html_check FILE [TEXT...]\n"), 2;
    n = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[n] = '\0';
    if (html_problem(&s, page)) failed = fprintf(stderr, "%s: %s\n", argv[1], s.problem);
    if (n < 8 || strcmp(page + n - 8, "</html>\n") != 0) failed = fprintf(stderr, "%s: not whole\n", argv[1]);
    for (int i = 2; i < argc; ++i)
        if (!strstr(page, argv[i])) failed = fprintf(stderr, "%s: lacks %s\n", argv[1], argv[i]);
    return failed != 0;
}
