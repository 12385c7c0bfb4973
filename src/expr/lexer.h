/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of what analysts write: expressions, rule files, definitions of features.
 *
 *     names       amount   card_mean_30d   `Amount in EUR`   (in backticks: any text, with the escapes of texts)
 *     numbers     5   0.25   .5   1e-3
 *     spans       30m   7d                  (s m h d w; whole or decimal)
 *     texts       "abroad"  'abroad'        (escapes \" \' \` \\ \n \t \r \xHH \uHHHH; may go over lines)
 *     signs       + - * / % ( ) [ ] { } , : ? . ! < > = == != <= >= && ||
 *     comments    # or // to the end of the line
 *
 * Nothing is copied and nothing allocated: a token points into the text. The text must be UTF-8 without control
 * characters but tab, newline and return; what is not gives a BAD token with the reason. Lines and columns count
 * from 1, columns in characters. */
#ifndef SCARCE_EXPR_LEXER_H
#define SCARCE_EXPR_LEXER_H

#include <stddef.h>

#include "core/fail.h"
#include "core/text.h"

typedef enum scarce__token_kind {
    SCARCE__TOKEN_END,
    SCARCE__TOKEN_NAME,
    SCARCE__TOKEN_NUMBER,
    SCARCE__TOKEN_SPAN,
    SCARCE__TOKEN_TEXT,
    SCARCE__TOKEN_SIGN,
    SCARCE__TOKEN_BAD
} scarce__token_kind;

typedef struct scarce__token {
    scarce__token_kind kind;
    int sign; /* SIGN: its character, or SCARCE__SIGN of two */
    const char *at;
    size_t length; /* bytes in the text, quotes included */
    int line, column;
    int begins_line;  /* nothing but blanks stands before it in its line */
    double number;    /* NUMBER; SPAN: seconds */
    const char *what; /* BAD: why */
} scarce__token;

#define SCARCE__SIGN(a, b) ((a) | (b) << 8)

typedef struct scarce__lexer {
    const char *at, *end;
    int line, column;
    int begins_line;
} scarce__lexer;

/* line, column: where text[0] stands. */
scarce__lexer scarce__lexer_of(const char *text, size_t length, int line, int column);
scarce__token scarce__lexer_next(scarce__lexer *lexer);

static inline int scarce__token_is_sign(const scarce__token *t, int sign)
{
    return t->kind == SCARCE__TOKEN_SIGN && t->sign == sign;
}
/* Whether a name token without backticks reads so. */
int scarce__token_is(const scarce__token *token, const char *word);

/* Appends what a NAME or TEXT token means, without quotes and escapes. */
void scarce__token_value(const scarce__token *token, scarce__text *out);

/* Whether a text can stand as a name without backticks (true, false, null and in can't), and appending it so
 * or in backticks. */
int scarce__is_plain_name(const char *name);
void scarce__add_name(scarce__text *out, const char *name);
/* A text in double quotes with escapes. */
void scarce__add_quoted(scarce__text *out, const char *text, size_t length);

/* EPARSE "FILE:LINE:COLUMN: ..." (without "FILE:" where file is NULL). */
scarce_status scarce__fail_at(scarce_error *err, const char *file, int line, int column, const char *format,
                              ...) SCARCE__PRINTF(5, 6);

#endif
