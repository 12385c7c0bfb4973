/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16 and Latin-1 to UTF-8, a character at a time: files of spreadsheets, not of terabytes.
 *
 * Exports of older systems in Europe are Latin-1 still. Their letters must become what they are in UTF-8, or
 * "Zürich" of one file would not be the "Zürich" of the next, and pages and terminals would show neither. Files that
 * were put together of both kinds are read letter by letter, so that what is in a table is UTF-8 and stays what it is
 * when it is written and read again. */
#include "data/decode.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

enum { RAW_BYTES = 1 << 16, REPLACEMENT = 0xFFFD, LONGEST = 4 /* bytes of a character of UTF-8 */ };

scarce__encoding scarce__encoding_of(const unsigned char *b, size_t n)
{
    if (n >= 2 && b[0] == 0xFF && b[1] == 0xFE) return SCARCE__UTF16_LE;
    if (n >= 2 && b[0] == 0xFE && b[1] == 0xFF) return SCARCE__UTF16_BE;
    if (n >= 4 && b[0] && !b[1] && b[2] && !b[3]) return SCARCE__UTF16_LE;
    if (n >= 4 && !b[0] && b[1] && !b[2] && b[3]) return SCARCE__UTF16_BE;
    return SCARCE__UTF8;
}

/* Bytes of the UTF-8 character at b, of which n are there; 0: none. */
static size_t utf8_length(const unsigned char *b, size_t n)
{
    const size_t k = b[0] >= 0xC2 && b[0] < 0xE0   ? 2
                     : b[0] >= 0xE0 && b[0] < 0xF0 ? 3
                     : b[0] >= 0xF0 && b[0] < 0xF5 ? 4
                                                   : 0;
    for (size_t i = 1; i < k; ++i)
        if (i < n && (b[i] & 0xC0) != 0x80) return 0;
    return k;
}

static int is_marked(const unsigned char *b, size_t n)
{
    return n >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF;
}

scarce__encoding scarce__encoding_of_letters(const unsigned char *b, size_t n, int whole)
{
    size_t good = 0, bad = 0;

    for (size_t i = is_marked(b, n) ? 3 : 0; i < n;) { /* the mark may be wrong */
        const size_t k = b[i] < 0x80 ? 1 : utf8_length(b + i, n - i);
        if (b[i] == 0) return SCARCE__UTF8; /* no text at all, which is told elsewhere */
        if (k > n - i && whole) bad += 1;   /* cut off by the end of the file */
        else if (b[i] >= 0x80 && k <= n - i) *(k ? &good : &bad) += 1;
        i += k ? k : 1;
    }
    if (bad == 0) return SCARCE__UTF8;
    return bad > 10 * good ? SCARCE__LATIN1 : SCARCE__MIXED;
}

void scarce__decoder_deinit(scarce__decoder *d)
{
    scarce__free(d->raw);
    memset(d, 0, sizeof *d);
}

void scarce__decoder_rewind(scarce__decoder *d)
{
    d->begin = d->end = d->n_spare = 0;
    d->at_end = d->begun = 0;
    d->high = 0;
}

static void put(scarce__decoder *d, unsigned c)
{
    char *to = d->spare + d->n_spare;
    if (c < 0x80) {
        to[0] = (char)c;
        d->n_spare += 1;
    } else if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        d->n_spare += 2;
    } else if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        d->n_spare += 3;
    } else {
        to[0] = (char)(0xF0 | c >> 18);
        to[1] = (char)(0x80 | (c >> 12 & 0x3F));
        to[2] = (char)(0x80 | (c >> 6 & 0x3F));
        to[3] = (char)(0x80 | (c & 0x3F));
        d->n_spare += 4;
    }
}

/* A unit of 16 bits; at most two characters come out of it. */
static void take_unit(scarce__decoder *d, unsigned u)
{
    const unsigned high = d->high;
    d->high = 0;
    if (high && u >= 0xDC00 && u < 0xE000) {
        put(d, 0x10000 + ((high - 0xD800) << 10) + (u - 0xDC00));
        return;
    }
    if (high) put(d, REPLACEMENT);
    if (u >= 0xD800 && u < 0xDC00) d->high = u;
    else put(d, u >= 0xDC00 && u < 0xE000 ? REPLACEMENT : u);
}

/* Code page 1252 differs from Latin-1 where that has control characters; 0: it has none there either. */
static unsigned latin1(unsigned char b)
{
    static const unsigned short upper[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                             0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                             0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                             0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    return b >= 0x80 && b < 0xA0 && upper[b - 0x80] ? upper[b - 0x80] : b;
}

static scarce_status fill_raw(scarce__decoder *d, scarce__source *source, scarce_error *err)
{
    const size_t rest = d->end - d->begin;
    size_t got;

    if (!d->raw) d->raw = scarce__malloc(RAW_BYTES);
    if (!d->raw) return scarce__fail_memory(err, "reading a text", RAW_BYTES);
    memmove(d->raw, d->raw + d->begin, rest); /* a few bytes of a character that is cut */
    SCARCE__TRY(scarce__source_read(source, d->raw + rest, RAW_BYTES - rest, &got, err));
    d->begin = 0;
    d->end = rest + got;
    d->at_end = got < RAW_BYTES - rest;
    return SCARCE_OK;
}

/* A character of UTF-8 as it is; a byte that is none as the letter it is in Latin-1. */
static scarce_status take_mixed(scarce__decoder *d, scarce__source *source, scarce_error *err)
{
    if (d->end - d->begin < LONGEST && !d->at_end) SCARCE__TRY(fill_raw(d, source, err));
    if (d->begin == d->end) return SCARCE_OK;
    const unsigned char *b = d->raw + d->begin;
    const size_t k = b[0] < 0x80 ? 1 : utf8_length(b, d->end - d->begin);
    if (k == 0 || k > d->end - d->begin) {
        put(d, latin1(*b));
        d->begin += 1;
    } else {
        memcpy(d->spare + d->n_spare, b, k);
        d->n_spare += k;
        d->begin += k;
    }
    return SCARCE_OK;
}

/* The next characters into d->spare; nothing comes at the end. */
static scarce_status decode_some(scarce__decoder *d, scarce__source *source, scarce_error *err)
{
    if (d->encoding == SCARCE__LATIN1) {
        if (d->begin == d->end && !d->at_end) SCARCE__TRY(fill_raw(d, source, err));
        if (!d->begun && is_marked(d->raw + d->begin, d->end - d->begin)) d->begin += 3;
        d->begun = 1;
        if (d->begin < d->end) put(d, latin1(d->raw[d->begin++]));
        return SCARCE_OK;
    }
    if (d->encoding == SCARCE__MIXED) return take_mixed(d, source, err);
    while (d->n_spare == 0) {
        if (d->end - d->begin < 2 && !d->at_end) SCARCE__TRY(fill_raw(d, source, err));
        if (d->end - d->begin < 2) { /* half a unit, half a pair */
            if (d->high || d->end > d->begin) put(d, REPLACEMENT);
            d->high = 0;
            d->begin = d->end = 0;
            return SCARCE_OK;
        }
        const unsigned char *b = d->raw + d->begin;
        d->begin += 2;
        take_unit(d,
                  d->encoding == SCARCE__UTF16_LE ? b[0] | (unsigned)b[1] << 8 : b[1] | (unsigned)b[0] << 8);
    }
    return SCARCE_OK;
}

static scarce_status read_wide(scarce__decoder *d, scarce__source *source, char *to, size_t n, size_t *got,
                               scarce_error *err)
{
    *got = 0;
    while (*got < n) {
        if (d->n_spare == 0) SCARCE__TRY(decode_some(d, source, err));
        if (d->n_spare == 0) return SCARCE_OK;
        const size_t k = d->n_spare < n - *got ? d->n_spare : n - *got;
        memcpy(to + *got, d->spare, k);
        memmove(d->spare, d->spare + k, d->n_spare - k);
        d->n_spare -= k;
        *got += k;
    }
    return SCARCE_OK;
}

scarce_status scarce__decoder_read(scarce__decoder *d, scarce__source *source, char *to, size_t n,
                                   size_t *got, scarce__pool *pool, scarce_error *err)
{
    if (d->encoding == SCARCE__UTF8) SCARCE__TRY(scarce__source_read_shared(source, to, n, got, pool, err));
    else SCARCE__TRY(read_wide(d, source, to, n, got, err));
    for (char *p = to; d->cr && (p = memchr(p, '\r', (size_t)(to + *got - p))) != NULL;) *p++ = '\n';
    return SCARCE_OK;
}
