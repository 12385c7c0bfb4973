/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/utf8.h"

int scarce_version_number(void)
{
    return SCARCE_VERSION_NUMBER;
}

const char *scarce_version(void)
{
    return SCARCE_VERSION_TEXT;
}

const char *scarce_status_text(scarce_status status)
{
    switch (status) {
    case SCARCE_OK: return "done";
    case SCARCE_EINVAL: return "wrong argument";
    case SCARCE_ENOMEM: return "out of memory";
    case SCARCE_EIO: return "input or output failed";
    case SCARCE_EPARSE: return "text can't be read";
    case SCARCE_EVERSION: return "made by a newer release";
    case SCARCE_EDATA: return "data can't be used as asked";
    case SCARCE_ENUMERIC: return "numbers diverged";
    case SCARCE_ECANCEL: return "stopped";
    case SCARCE_EUNSUPPORTED: return "not supported";
    case SCARCE_EBUG: return "internal error";
    }
    return "unknown status";
}

/* Control characters are those below U+0020, and U+007F to U+009F, which terminals obey too. */
void scarce_printable(char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const unsigned char *p = (const unsigned char *)text;
        size_t n = scarce__utf8_length(text, left);
        const int control = p[0] < 32 || p[0] == 127 || (n == 2 && p[0] == 0xc2 && p[1] < 0xa0);
        if (n == 0 || control) {
            if (n == 0) n = 1;
            memset(text, '?', n);
        }
        text += n;
        left -= n;
    }
}

scarce_status scarce__fail(scarce_error *err, scarce_status code, const char *format, ...)
{
    va_list args;

    if (!err) return code;
    err->code = code;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    scarce_printable(err->text); /* a field of a file may hold anything; a message is one printable line */
    return code;
}

scarce_status scarce__fail_memory(scarce_error *err, const char *what, size_t bytes)
{
    const double limit = scarce__memory_limit();
    char size[48] = "", why[64] = "";

    if (bytes) (void)snprintf(size, sizeof size, " (%zu bytes)", bytes);
    if (limit > 0) (void)snprintf(why, sizeof why, ": the limit of %.0f MB is reached", limit / 1e6);
    return scarce__fail(err, SCARCE_ENOMEM, "out of memory for %s%s%s", what, size, why);
}

void scarce__fail_prefix(scarce_error *err, const char *format, ...)
{
    char old[sizeof err->text];
    char front[256];
    va_list args;

    if (!err) return;
    memcpy(old, err->text, sizeof old);
    va_start(args, format);
    (void)vsnprintf(front, sizeof front, format, args);
    va_end(args);
    scarce_printable(front);
    (void)snprintf(err->text, sizeof err->text, "%s%.*s", front, (int)(sizeof err->text - sizeof front), old);
}

scarce_status scarce__fail_unknown(scarce_error *err, const char *what, const char *name, const char *nearest,
                                   const char *else_)
{
    if (nearest)
        return scarce__fail(err, SCARCE_EINVAL, "no %s \"%.80s\", did you mean \"%.80s\"?", what, name,
                            nearest);
    return scarce__fail(err, SCARCE_EINVAL, "no %s \"%.80s\"%s%s", what, name, else_ ? "; " : "",
                        else_ ? else_ : "");
}
