/* SPDX-License-Identifier: Apache-2.0 */
/* The hot loop: text to tiles, tiles to columns. Written once (csv_rows.h), compiled twice.
 *
 * With AVX2 the end of a field is found 32 bytes at a time, and a plain decimal of up to 16
 * characters is converted without a branch on its length: the 16 bytes that end with the field are
 * loaded, what doesn't belong to it is masked to zero, the point is squeezed out by a shuffle, and
 * three multiply-adds join the digits. Anything else (exponents, blanks, missing, quotes) fails one
 * test and goes the long way through scarce__csv_field, which gives the same value. */
#include "data/csv.h"

#include <math.h>
#include <string.h>

#include "data/number.h"

static const double tens[17] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/* m / 10^k as a float, unless the double lies so near the middle of two floats that its own rounding
 * could decide: then 0. m < 10^16, k <= 16. */
static inline int quotient(uint64_t m, size_t k, int negative, float *value)
{
    const double x = (double)(int64_t)m / tens[k];
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x1fffffff) - 0x10000000 + 4 <= 8) return 0;
    *value = (float)(negative ? -x : x);
    return 1;
}

static inline const char *portable_end(const char *p, char separator)
{
    while (*p != separator && *p != '\n') ++p;
    return p;
}

static inline int portable_number(const char *p, const char *q, float *value)
{
    const int negative = *p == '-';
    const char *point = NULL;
    uint64_t m = 0;

    p += negative;
    if (q - p < 1 || q - p > 16) return 0;
    for (const char *s = p; s < q; ++s) {
        const unsigned d = (unsigned)(unsigned char)*s - '0';
        if (d <= 9) m = 10 * m + d;
        else if (*s == '.' && !point) point = s;
        else return 0;
    }
    if (point && q - p == 1) return 0;
    return quotient(m, point ? (size_t)(q - point - 1) : 0, negative, value);
}

static size_t portable_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) lines += text[i] == '\n';
    if (memchr(text, 0, n)) *has_nul = 1;
    if (memchr(text, '"', n)) *has_quote = 1;
    return lines;
}

/* The cells of n rows from the tile to their columns. */
static void flush_tile(const scarce__csv *csv, const scarce__csv_worker *w, size_t row, size_t n)
{
    for (size_t c = 0; c < csv->plan.n_columns; ++c) {
        if (!csv->cells[c]) continue;
        memcpy((uint32_t *)csv->cells[c] + row, w->tile + c * csv->tile_stride, n * sizeof(uint32_t));
    }
}

/* Where the next row begins, past blank lines and comments; counts their lines. */
static const char *skip_blank(const scarce__csv *csv, const char *p, const char *end, size_t *line)
{
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

#define ROWS rows_portable
#define FIELD_END portable_end
#define FAST_NUMBER portable_number
#define TARGET
#include "data/csv_rows.h"
#undef ROWS
#undef FIELD_END
#undef FAST_NUMBER
#undef TARGET

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi")))

/* Shuffle i moves bytes 0..i-1 one place up over byte i and puts a zero in front; 16 leaves all as it is. */
#define X 0x80
static const uint8_t squeeze[17][16] = {
    {X, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {X, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {X, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {X, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {X, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {X, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {X, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {X, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
    {X, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15}, {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
    {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},  {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
    {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},  {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
    {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},  {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
#undef X
/* 16 bytes from `keep + n` keep the last n bytes of a register. */
static const uint8_t keep[32] = {0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                 0,    0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

TARGET static inline __attribute__((always_inline)) const char *avx2_end(const char *p, char separator)
{
    const __m256i s = _mm256_set1_epi8(separator), n = _mm256_set1_epi8('\n');
    for (;; p += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
        const __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi8(x, s), _mm256_cmpeq_epi8(x, n));
        const unsigned bits = (unsigned)_mm256_movemask_epi8(hit);
        if (bits) return p + __builtin_ctz(bits);
    }
}

TARGET static inline __attribute__((always_inline)) int avx2_number(const char *p, const char *q, float *value)
{
    const int negative = *p == '-';
    const size_t n = (size_t)(q - p) - (size_t)negative;
    if (n - 1 > 15) return 0;

    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(q - 16));
    x = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    x = _mm_and_si128(x, _mm_loadu_si128((const __m128i *)(const void *)(keep + n)));
    const unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('.' - '0')));
    const unsigned point = (unsigned)__builtin_ctz(points | 0x10000u);
    x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)squeeze[point]));
    const __m128i above = _mm_subs_epu8(x, _mm_set1_epi8(9)); /* zero exactly where the byte is a digit */
    if (!_mm_testz_si128(above, above)) return 0;
    if (points && n == 1) return 0;

    const __m128i two = _mm_maddubs_epi16(x, _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1));
    const __m128i four = _mm_madd_epi16(two, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
    const __m128i packed = _mm_packus_epi32(four, four);
    const __m128i eight = _mm_madd_epi16(packed, _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
    const uint64_t halves = (uint64_t)_mm_cvtsi128_si64(eight);
    const uint64_t m = (halves & 0xffffffffu) * 100000000u + (halves >> 32);
    return quotient(m, points ? 15 - point : 0, negative, value);
}

TARGET static size_t avx2_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    const __m256i newline = _mm256_set1_epi8('\n'), quote = _mm256_set1_epi8('"'), zero = _mm256_setzero_si256();
    __m256i nul = zero, quotes = zero;
    size_t lines = 0, i = 0;

    while (n - i >= 32) {
        const size_t left = (n - i) / 32, stop = i + 32 * (left < 255 ? left : 255); /* bytes count up to 255 */
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

#define ROWS rows_avx2
#define FIELD_END avx2_end
#define FAST_NUMBER avx2_number
#include "data/csv_rows.h"

static int have_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

void scarce__csv_rows(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    if (have_avx2() && !csv->tuning.portable) rows_avx2(csv, b, w);
    else rows_portable(csv, b, w);
}

size_t scarce__csv_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    return have_avx2() ? avx2_count(text, n, has_nul, has_quote) : portable_count(text, n, has_nul, has_quote);
}
#else
void scarce__csv_rows(const scarce__csv *csv, scarce__csv_block *b, scarce__csv_worker *w)
{
    rows_portable(csv, b, w);
}

size_t scarce__csv_count(const char *text, size_t n, int *has_nul, int *has_quote)
{
    return portable_count(text, n, has_nul, has_quote);
}
#endif
