/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: the parser on the bytes, with every pair as it should be (no blanks around, no comment
 * left over, lines counted), and scarce_params_read on a file in memory, which must agree with setting the
 * pairs. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "method/method.h"

typedef struct pairs {
    scarce_params *params;
    int last_line;
    size_t count;
} pairs;

static scarce_status take(void *arg, const char *key, const char *value, int line, scarce_error *err)
{
    pairs *p = arg;
    const size_t n = strlen(value);
    MUST(line > p->last_line && *key);
    MUST(!strpbrk(key, "=#\n") && !strpbrk(value, "#\n"));
    MUST(*key != ' ' && *key != '\t' && key[strlen(key) - 1] != ' ' && *value != ' ' && *value != '\t');
    MUST(n == 0 || (value[n - 1] != ' ' && value[n - 1] != '\t' && value[n - 1] != '\r'));
    p->last_line = line;
    p->count += 1;
    if (strcmp(key, "method") == 0) {
        if (strcmp(value, p->params->method->name) == 0) return SCARCE_OK;
        if (err) err->code = SCARCE_EINVAL;
        return SCARCE_EINVAL;
    }
    return scarce_params_set(p->params, key, value, err);
}

/* The same through a file that has no name on any disk. */
static scarce_status read_file(scarce_params *p, const uint8_t *data, size_t size, scarce_error *err)
{
    char path[64];
    const int fd = memfd_create("config", 0);
    scarce_status st;
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    st = scarce_params_read(p, path, err);
    close(fd);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t first = fuzz_take(&data, &size);
    const char *method = scarce_method_get(first % scarce_method_count()).name;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_params *p = NULL;
    pairs got = {NULL, 0, 0};
    char *text = malloc(size + 1);
    scarce_status st, st2;

    MUST(text != NULL && scarce_params_new(&got.params, method, NULL) == SCARCE_OK);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    st = scarce__config_parse(text, "file", take, &got, &err);
    MUST(st == SCARCE_OK || st == SCARCE_EPARSE || st == SCARCE_EINVAL);
    MUST(scarce_params_new(&p, method, NULL) == SCARCE_OK);
    st2 = read_file(p, data, size, &err);
    if (size && memchr(data, 0, size)) MUST(st2 == SCARCE_EPARSE);
    else MUST(st2 == st);
    if (st2 == SCARCE_OK)
        for (size_t i = 0; i < scarce__param_count(scarce__params_table(p->values)); ++i)
            MUST(scarce__params_given(p->values, i) == scarce__params_given(got.params->values, i));
    scarce_params_free(p);
    scarce_params_free(got.params);
    free(text);
    return 0;
}
