/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds every file of the folders named on the command line, in order of name, to a fuzz target, and the
 * empty input first. Each input lies in a block of exactly its size, so that the address sanitizer sees
 * one byte too many. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int feed(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        if (f) fclose(f);
        fprintf(stderr, "%s: can't be read\n", path);
        return 1;
    }
    const size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);
    const int failed = !data || fread(data, 1, size, f) != size;
    fclose(f);
    if (failed) fprintf(stderr, "%s: can't be read\n", path);
    else LLVMFuzzerTestOneInput(data, size);
    free(data);
    return failed;
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    int fed = 0, failures = 0;
    uint8_t *nothing = calloc(1, 1);
    if (nothing) LLVMFuzzerTestOneInput(nothing, 0);
    free(nothing);
    for (int a = 1; a < argc; ++a) {
        struct dirent **entry = NULL;
        const int n = scandir(argv[a], &entry, is_input, alphasort);
        if (n < 0) {
            fprintf(stderr, "%s: no such folder\n", argv[a]);
            return 2;
        }
        for (int i = 0; i < n; ++i) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[a], entry[i]->d_name);
            if (getenv("REPLAY_NAMES")) fprintf(stderr, "%s\n", path); /* which one it was that crashed */
            failures += feed(path);
            ++fed;
            free(entry[i]);
        }
        free(entry);
    }
    printf("%d inputs\n", fed);
    return fed == 0 || failures != 0;
}
