/* SPDX-License-Identifier: Apache-2.0 */
/* The hot loop: text to tiles, tiles to columns. Written once (csv_rows.h), compiled twice.
 *
 * With AVX2 the ends of fields are found 64 bytes at a time, and a plain decimal of up to 16
 * characters is converted without a branch on its length: the 16 bytes that end with the field are
 * loaded, what doesn't belong to it is masked to zero, the point is squeezed out by a shuffle, and
 * three multiply-adds join the digits. Anything else (exponents, blanks, missing, quotes) fails one
 * test and goes the long way through scarce__csv_field, which gives the same value. */
#include "data/csv.h"

#include <math.h>
#include <string.h>

#include "core/cpu.h"
#include "core/fail.h"
#include "core/number.h"

/* By sign and number of decimals: signs come at random, so they are looked up instead of branched on. */
static const double tenths[2][17] = {{1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11,
                                      1e-12, 1e-13, 1e-14, 1e-15, 1e-16},
                                     {-1e0, -1e-1, -1e-2, -1e-3, -1e-4, -1e-5, -1e-6, -1e-7, -1e-8, -1e-9,
                                      -1e-10, -1e-11, -1e-12, -1e-13, -1e-14, -1e-15, -1e-16}};

/* Stores m * 10^-k as a float, unless the double lies so near the middle of two floats that its error, at
 * most `doubt` units (two for an exact m), could decide: then 0. m < 10^18, k <= 16. */
static inline int scaled(uint64_t m, size_t k, int negative, uint64_t doubt, uint32_t *to)
{
    const double x = (double)(int64_t)m * tenths[negative][k];
    const float value = (float)x;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    memcpy(to, &value, sizeof value);
    return (bits & 0x1fffffff) - 0x10000000 + doubt > 2 * doubt;
}

typedef struct portable_ends {
    char separator;
} portable_ends;

static inline void portable_start(portable_ends *e, const char *begin, const char *end, char separator)
{
    (void)begin;
    (void)end;
    e->separator = separator;
}

static inline const char *portable_next(portable_ends *e, const char *p)
{
    while (*p != e->separator && *p != '\n') ++p;
    return p;
}

static inline void portable_seek(portable_ends *e, const char *p)
{
    (void)e;
    (void)p;
}

static inline int portable_number(const char *p, const char *q, char sign, uint32_t *to)
{
    const int negative = *p == '-';
    const char *point = NULL;
    uint64_t m = 0;

    p += negative;
    if (q - p < 1 || q - p > 16) return 0;
    for (const char *s = p; s < q; ++s) {
        const unsigned d = (unsigned)(unsigned char)*s - '0';
        if (d <= 9) m = 10 * m + d;
        else if (*s == sign && !point) point = s;
        else return 0;
    }
    if (point && q - p == 1) return 0;
    return scaled(m, point ? (size_t)(q - point - 1) : 0, negative, 2, to);
}

static size_t portable_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) lines += text[i] == '\n';
    if (memchr(text, 0, n)) *has_nul = 1;
    if (memchr(text, '"', n)) *has_quote = 1;
    return lines;
}

/* The code of a short text seen before by this worker: 1 when known. */
static inline int cached(const scarce__csv_cached *cache, const char *p, size_t n, uint32_t *to)
{
    uint64_t key;
    if (n - 1 > 7) return 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&key, p, sizeof key);
    key &= ~(uint64_t)0 >> (64 - 8 * n);
#else
    key = 0;
    memcpy(&key, p, n);
#endif
    const scarce__csv_cached *x = &cache[scarce__csv_cache_slot(key)];
    memcpy(to, &x->code, sizeof x->code);
    return x->key == key;
}

/* The cells of n rows from the tile to their columns. */
static void flush_tile(const scarce__csv *csv, const scarce__csv_worker *w, size_t row, size_t n)
{
    for (size_t c = 0; c < csv->plan.n_columns; ++c) {
        if (!csv->cells[c]) continue;
        memcpy((uint32_t *)csv->cells[c] + row, w->tile + c * csv->tile_stride, n * sizeof(uint32_t));
    }
}

/* Where the next row begins, past blank lines and comments; counts their lines. In a file of one column a
 * blank line is a row with a missing value. */
static const char *skip_blank(const scarce__csv *csv, const char *p, const char *end, size_t *line)
{
    if (csv->plan.n_columns == 1 && !csv->arff) return p;
    while (p < end) {
        const char *q = p;
        if (csv->arff)
            while (*q == ' ' || *q == '\t') ++q;
        if (*q == '\r' && q[1] == '\n') ++q;
        if (csv->arff && *q == '%') q = memchr(q, '\n', (size_t)(end - q));
        if (*q != '\n') return p;
        p = q + 1;
        *line += 1;
    }
    return p;
}

static int keep_row(const scarce__csv *csv, scarce__csv_block *b, const char *begin, const char *end)
{
    const scarce__keep_syntax how = {csv->separator, csv->decimal, csv->arff};

    if (scarce__keep_row(&b->kept, &csv->keep, how, begin, end)) return 1;
    b->status = scarce__fail_memory(&b->error, "the texts of the rows", 0);
    return 0;
}

#define VARIANT(name) portable_##name
#define TARGET
#define ROWS portable_rows
#define POINT '.'
#include "data/csv_rows.h"
#undef ROWS
#undef POINT
#define ROWS portable_comma_rows
#define POINT ','
#include "data/csv_rows.h"
#undef ROWS
#undef POINT
#undef VARIANT
#undef TARGET

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,popcnt")))

/* Shuffle i moves bytes 0..i-1 one place up over byte i and puts a zero in front; 16 leaves all as it is. */
#define X 0x80
static const _Alignas(64) uint8_t squeeze[17][16] = {{X, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
                                                     {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                                                     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
#undef X
/* Digits behind a point in place i of 16; 16 is no point. */
static const uint8_t decimals_of[17] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0};
static const uint64_t whole_tens[17] = {1u,
                                        10u,
                                        100u,
                                        1000u,
                                        10000u,
                                        100000u,
                                        1000000u,
                                        10000000u,
                                        100000000u,
                                        1000000000u,
                                        10000000000u,
                                        100000000000u,
                                        1000000000000u,
                                        10000000000000u,
                                        100000000000000u,
                                        1000000000000000u,
                                        10000000000000000u};
/* 16 bytes from `keep + n` keep the last n bytes of a register. */
static const _Alignas(32) uint8_t keep[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* The ends of the fields in the next 4 KB or so, found 64 bytes at a time ahead of the parsing, so that
 * the fields don't have to wait for each other. */
enum { AHEAD = 4096 };

typedef struct avx2_ends {
    const char *base, *scan, *stop;
    unsigned n, i;
    char separator;
    uint16_t at[AHEAD + 64];
} avx2_ends;

TARGET static void look_ahead(avx2_ends *e)
{
    const __m256i s = _mm256_set1_epi8(e->separator), nl = _mm256_set1_epi8('\n');
    const char *scan = e->scan;
    unsigned n = 0;

    e->base = scan;
    for (unsigned k = 0; k < AHEAD && scan < e->stop; k += 64, scan += 64) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)scan);
        const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(scan + 32));
        const __m256i ha = _mm256_or_si256(_mm256_cmpeq_epi8(a, s), _mm256_cmpeq_epi8(a, nl));
        const __m256i hb = _mm256_or_si256(_mm256_cmpeq_epi8(b, s), _mm256_cmpeq_epi8(b, nl));
        uint64_t hits = (uint32_t)_mm256_movemask_epi8(ha) | (uint64_t)(uint32_t)_mm256_movemask_epi8(hb)
                                                                 << 32;
        const unsigned count = (unsigned)__builtin_popcountll(hits);
        uint16_t *to = e->at + n;
        for (unsigned i = 0; i < 12; ++i) { /* more than there are is harmless, a branch is not */
            to[i] = (uint16_t)(k + (unsigned)_tzcnt_u64(hits));
            hits = _blsr_u64(hits);
        }
        for (unsigned i = 12; i < count; ++i) {
            to[i] = (uint16_t)(k + (unsigned)_tzcnt_u64(hits));
            hits = _blsr_u64(hits);
        }
        n += count;
    }
    e->scan = scan;
    e->n = n;
    e->i = 0;
}

static inline void avx2_start(avx2_ends *e, const char *begin, const char *end, char separator)
{
    e->base = e->scan = begin;
    e->stop = end;
    e->n = e->i = 0;
    e->separator = separator;
}

TARGET static inline __attribute__((always_inline)) const char *avx2_next(avx2_ends *e, const char *p)
{
    (void)p;
    while (e->i == e->n) look_ahead(e);
    return e->base + e->at[e->i++];
}

/* The next end is at p or behind it. */
TARGET static void avx2_seek(avx2_ends *e, const char *p)
{
    for (;; look_ahead(e)) {
        while (e->i < e->n && e->base + e->at[e->i] < p) e->i += 1;
        if (e->i < e->n || e->scan >= e->stop) return;
    }
}

/* Sixteen digits (values 0 to 9, the first one first) as a number. */
TARGET static inline __attribute__((always_inline)) uint64_t join_digits(__m128i x)
{
    const __m128i two =
        _mm_maddubs_epi16(x, _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1));
    const __m128i four = _mm_madd_epi16(two, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
    const __m128i packed = _mm_packus_epi32(four, four);
    const __m128i eight = _mm_madd_epi16(packed, _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
    const uint64_t halves = (uint64_t)_mm_cvtsi128_si64(eight);
    return (halves & 0xffffffffu) * 100000000u + (halves >> 32);
}

TARGET static inline __attribute__((always_inline)) int all_digits(__m128i x)
{
    const __m128i above = _mm_subs_epu8(x, _mm_set1_epi8(9));
    return _mm_testz_si128(above, above);
}

/* 17 to 32 characters without sign, up to two of them before the point: what doubles look like when
 * they are written in full. Of the decimals sixteen are used; when there are more, m >= 10^14 keeps what
 * they could add below 10^-14, which is 91 units of a double. */
TARGET static __attribute__((noinline)) int avx2_long(const char *p, const char *q, char sign, int negative,
                                                      uint32_t *to)
{
    const size_t front = p[1] == sign ? 1 : 2;
    if (q - p > 32 || p[front] != sign) return 0;

    const char *decimals = p + front + 1;
    const size_t n = (size_t)(q - decimals) < 16 ? (size_t)(q - decimals) : 16;
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(decimals + n - 16));
    x = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    x = _mm_and_si128(x, _mm_loadu_si128((const __m128i *)(const void *)(keep + n)));
    const unsigned a = (unsigned)(unsigned char)p[0] - '0',
                   b = front == 2 ? (unsigned)(unsigned char)p[1] - '0' : 0;
    if (!all_digits(x) || a > 9 || b > 9) return 0;
    for (const char *rest = decimals + n; rest < q; ++rest)
        if ((unsigned)(unsigned char)*rest - '0' > 9) return 0;
    const uint64_t m = (front == 2 ? 10 * a + b : a) * whole_tens[n] + join_digits(x);
    const int cut_off = decimals + n < q;
    if (cut_off && m < 100000000000000u) return 0;
    return scaled(m, n, negative, cut_off ? 128 : 2, to);
}

TARGET static inline __attribute__((always_inline)) int avx2_number(const char *p, const char *q, char sign,
                                                                    uint32_t *to)
{
    const int negative = *p == '-';
    const size_t n = (size_t)(q - p) - (size_t)negative;
    if (n - 1 > 15) return n > 16 && avx2_long(p + negative, q, sign, negative, to);

    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(q - 16));
    x = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    x = _mm_and_si128(x, _mm_loadu_si128((const __m128i *)(const void *)(keep + n)));
    const unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8((char)(sign - '0'))));
    const unsigned point = (unsigned)__builtin_ctz(points | 0x10000u);
    x = _mm_shuffle_epi8(x, _mm_load_si128((const __m128i *)(const void *)squeeze[point]));
    if (!all_digits(x) || (points && n == 1)) return 0;
    return scaled(join_digits(x), decimals_of[point], negative, 2, to);
}

TARGET static size_t avx2_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    const __m256i newline = _mm256_set1_epi8('\n'), quote = _mm256_set1_epi8('"'),
                  zero = _mm256_setzero_si256();
    __m256i nul = zero, quotes = zero;
    size_t lines = 0, i = 0;

    while (n - i >= 32) {
        const size_t left = (n - i) / 32,
                     stop = i + 32 * (left < 255 ? left : 255); /* bytes count up to 255 */
        __m256i sum = zero;
        for (; i < stop; i += 32) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + i));
            sum = _mm256_sub_epi8(sum, _mm256_cmpeq_epi8(x, newline));
            quotes = _mm256_or_si256(quotes, _mm256_cmpeq_epi8(x, quote));
            nul = _mm256_or_si256(nul, _mm256_cmpeq_epi8(x, zero));
        }
        const __m256i part = _mm256_sad_epu8(sum, zero);
        lines += (size_t)_mm256_extract_epi64(part, 0) + (size_t)_mm256_extract_epi64(part, 1) +
                 (size_t)_mm256_extract_epi64(part, 2) + (size_t)_mm256_extract_epi64(part, 3);
    }
    if (_mm256_movemask_epi8(nul)) *has_nul = 1;
    if (_mm256_movemask_epi8(quotes)) *has_quote = 1;
    return lines + (i < n ? portable_count(text + i, n - i, has_nul, has_quote) : 0);
}

#define VARIANT(name) avx2_##name
#define ROWS avx2_rows
#define POINT '.'
#include "data/csv_rows.h"
#undef ROWS
#undef POINT
#define ROWS avx2_comma_rows
#define POINT ','
#include "data/csv_rows.h"

static int have_avx2(void)
{
    const unsigned needed = SCARCE__CPU_AVX2 | SCARCE__CPU_POPCNT;
    return (scarce__cpu() & needed) == needed;
}

void scarce__csv_rows(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    const int comma = csv->decimal == ',';
    if (have_avx2() && !csv->tuning.portable) (comma ? avx2_comma_rows : avx2_rows)(csv, b, w);
    else (comma ? portable_comma_rows : portable_rows)(csv, b, w);
}

size_t scarce__csv_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    return have_avx2() ? avx2_count(text, n, has_nul, has_quote)
                       : portable_count(text, n, has_nul, has_quote);
}
#else
void scarce__csv_rows(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    (csv->decimal == ',' ? portable_comma_rows : portable_rows)(csv, b, w);
}

size_t scarce__csv_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    return portable_count(text, n, has_nul, has_quote);
}
#endif
