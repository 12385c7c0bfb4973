/* SPDX-License-Identifier: Apache-2.0 */
/* A file that could not be read: what is there instead. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* A file beside it with nearly the same name, freed by free; NULL: none. */
static char *nearest_file(const char *path)
{
    enum { MOST = 1000 };
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("."),
         *names[MOST], *found = NULL;
    DIR *dir = folder ? opendir(folder) : NULL;
    const char *nearest;
    size_t n = 0;

    for (struct dirent *e; dir && n < MOST && (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.' && (names[n] = strdup(e->d_name)) != NULL) ++n;
    nearest = scarce_nearest_name(slash ? slash + 1 : path, (const char *const *)names, n);
    if (nearest) found = strdup(nearest);
    while (n > 0) free(names[--n]);
    if (dir) closedir(dir);
    free(folder);
    return found;
}

/* "PATH" of "PATH: no such file", freed by free; NULL: another complaint. */
static char *path_before(const char *text, const char *const *endings)
{
    for (; *endings; ++endings) {
        char *path = ends_with(text, *endings) ? strndup(text, strlen(text) - strlen(*endings)) : NULL;
        if (path && !strstr(path, ": can't")) return path;
        free(path);
    }
    return NULL;
}

int complain_no_file(const scarce_error *err)
{
    static const char *const none[] = {": can't be opened: no such file", ": No such file or directory",
                                       NULL};
    static const char *const folder[] = {": can't be read: it is a directory", ": Is a directory", NULL};
    char *path = path_before(err->text, none), *nearest = path ? nearest_file(path) : NULL;
    int told = path != NULL;

    if (nearest) complain(0, "%s: no such file, did you mean %s?", path, nearest);
    else if (path) complain(0, "%s: no such file", path);
    free(nearest);
    free(path);
    if (told) return 1;
    path = path_before(err->text, folder);
    told = path != NULL;
    if (path) complain(0, "%s: it is a directory; name the files in it", path);
    free(path);
    return told;
}
