/* SPDX-License-Identifier: Apache-2.0 */
/* --report FILE.html: the library's pages (pages.h) under the names of the files they are about. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

int check_report(const char *path)
{
    if (path && (!*path || strcmp(path, "-") == 0))
        return complain(EXIT_USE, "--report wants the name of a file");
    return check_output(path);
}

scarce_status begin_page(scarce_report **out, const char *title, const char *on, const text_list *paths,
                         size_t from, scarce_error *err)
{
    size_t n = strlen(on) + 1, used = 0;
    char *text;
    scarce_status st;

    for (size_t i = from; i < paths->count; ++i) n += strlen(paths->items[i]) + 2;
    text = malloc(n);
    if (!text) return fail_with(err, SCARCE_ENOMEM, "out of memory");
    used += (size_t)snprintf(text, n, "%s", on);
    for (size_t i = from; i < paths->count; ++i)
        used += (size_t)snprintf(text + used, n - used, "%s%s", i > from ? ", " : "", paths->items[i]);
    st = scarce_report_new(out, title, text, err);
    free(text);
    return st;
}

scarce_status end_page(scarce_report *r, const char *path, scarce_status st, scarce_error *err)
{
    talk_clear();
    if (st == SCARCE_OK) st = scarce_report_write(r, path, err);
    scarce_report_free(r);
    return st;
}
