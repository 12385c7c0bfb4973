/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian bytes: a growing writer and a reader that never steps outside.
 *
 * Both remember a failure, so a long row of calls needs one look at its end. A reader that has failed
 * gives zeros and empty ranges. */
#ifndef SCARCE_CORE_BYTES_H
#define SCARCE_CORE_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct scarce__writer {
    uint8_t *bytes;
    size_t n, capacity;
    int failed; /* memory */
} scarce__writer;

void scarce__writer_deinit(scarce__writer *w);
void scarce__put(scarce__writer *w, const void *bytes, size_t n);
void scarce__put_u8(scarce__writer *w, uint8_t v);
void scarce__put_u32(scarce__writer *w, uint32_t v);
void scarce__put_u64(scarce__writer *w, uint64_t v);
void scarce__put_f32(scarce__writer *w, float v);
void scarce__put_f64(scarce__writer *w, double v);
void scarce__put_text(scarce__writer *w, const char *text); /* u32 length, bytes; NULL: length 0xffffffff */
/* Writes a u64 length later: begin returns the place, end fills it with what was written since. */
size_t scarce__put_begin(scarce__writer *w);
void scarce__put_end(scarce__writer *w, size_t place);

typedef struct scarce__reader {
    const uint8_t *at, *end;
    int failed;
} scarce__reader;

scarce__reader scarce__reader_of(const void *bytes, size_t n);
const uint8_t *scarce__get(scarce__reader *r, size_t n); /* NULL when fewer are left */
uint8_t scarce__get_u8(scarce__reader *r);
uint32_t scarce__get_u32(scarce__reader *r);
uint64_t scarce__get_u64(scarce__reader *r);
float scarce__get_f32(scarce__reader *r);
double scarce__get_f64(scarce__reader *r);
/* A count of items that take at least `least` bytes each: fails when so many can't follow. */
size_t scarce__get_count(scarce__reader *r, size_t least);
/* A copy to be freed, or NULL: for an absent text, a failed reader, no memory (*no_memory = 1), or a
 * text with a NUL inside (fails). */
char *scarce__get_text(scarce__reader *r, int *no_memory);

/* CRC-64 (ECMA-182, reflected): every change of up to 64 neighbouring bits is seen. */
uint64_t scarce__crc64(const void *bytes, size_t n);

#endif
