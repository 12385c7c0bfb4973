/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a source as UTF-8 with newlines, whatever it was written in. */
#ifndef SCARCE_DATA_DECODE_H
#define SCARCE_DATA_DECODE_H

#include "data/source.h"

typedef enum scarce__encoding {
    SCARCE__UTF8 = 0, /* and ASCII: bytes are handed on as they are */
    SCARCE__UTF16_LE,
    SCARCE__UTF16_BE,
    SCARCE__LATIN1, /* as Windows writes it (code page 1252) */
    SCARCE__MIXED   /* UTF-8, and here and there a byte that can't be: that is a letter of Latin-1 */
} scarce__encoding;

/* By the byte order mark, or by zeros between the first letters. */
scarce__encoding scarce__encoding_of(const unsigned char *bytes, size_t n);

/* Latin-1, UTF-8 or both, by the beginning of a text that isn't UTF-16: Latin-1 has bytes that can't be UTF-8, and hardly
 * any characters that are, but for a byte order mark. `whole`: the text ends there, so that a character that is cut off is none. */
scarce__encoding scarce__encoding_of_letters(const unsigned char *bytes, size_t n, int whole);

/* Zero-initialise, then set encoding and cr; free with scarce__decoder_deinit. */
typedef struct scarce__decoder {
    scarce__encoding encoding;
    int cr; /* lines end with a carriage return alone: it becomes a newline */
    unsigned char *raw;
    size_t begin, end;
    int at_end, begun;
    unsigned high; /* first half of a pair, waiting for the second; 0: none */
    char spare[8]; /* bytes of characters that didn't fit any more */
    size_t n_spare;
} scarce__decoder;

void scarce__decoder_deinit(scarce__decoder *d);
/* As scarce__source_read_shared. What is no valid UTF-16 becomes U+FFFD. */
scarce_status scarce__decoder_read(scarce__decoder *d, scarce__source *source, char *to, size_t n,
                                   size_t *got, scarce__pool *pool, scarce_error *err);
void scarce__decoder_rewind(scarce__decoder *d); /* after scarce__source_rewind */

#endif
