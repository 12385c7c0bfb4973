/* SPDX-License-Identifier: Apache-2.0 */
/* What the statements of a definition file share (define.c has the grammar). Functions that take tokens complain with
 * file, line and column, and leave the token behind what they took. */
#ifndef SCARCE_FEATURE_DEFINE_H
#define SCARCE_FEATURE_DEFINE_H

#include "expr/lexer.h"
#include "feature/plan.h"

#define SCARCE__MOST_SECONDS (68LL * 365 * 86400) /* times are kept in 32 bits */

typedef struct scarce__definer {
    scarce__feature_plan *plan;
    scarce__lexer lexer;
    scarce__token token;
    const char *file;
    const char *end;
    scarce_error *err;
} scarce__definer;

static inline void scarce__define_next(scarce__definer *p)
{
    p->token = scarce__lexer_next(&p->lexer);
}

static inline int scarce__define_is(const scarce__definer *p, const char *word)
{
    return scarce__token_is(&p->token, word);
}

scarce_status scarce__define_wanted(scarce__definer *p, const char *what);
scarce_status scarce__define_no_memory(scarce__definer *p);
/* A name as a text of its own; NULL after a failure. */
scarce_status scarce__define_name(scarce__definer *p, const char *what, char **out);
scarce_status scarce__define_span(scarce__definer *p, const char *what, int64_t *out);
scarce_status scarce__define_count(scarce__definer *p, const char *what, uint32_t least, uint32_t most,
                                   uint32_t *out);
scarce_status scarce__define_sign(scarce__definer *p, int sign, const char *what);
/* The field named here. */
scarce_status scarce__define_field(scarce__definer *p, const char *what, int *out);
/* "no field "amout", did you mean "amount"?" */
scarce_status scarce__define_unknown(scarce__definer *p, const scarce__token *at, const char *what,
                                     const char *name, const char *(*name_of)(const void *, size_t), size_t n,
                                     const char *remedy);

/* -1: there is none. */
int scarce__feature_find_field(const scarce__feature_plan *plan, const char *name);
int scarce__feature_find_kind(const scarce__feature_plan *plan, const char *name);

/* A new kind, which takes the name over; a new feature; its canonical line, which takes the text over. */
scarce_status scarce__define_kind(scarce__definer *p, const scarce__token *at, char *name,
                                  scarce__feature_kind **out);
scarce_status scarce__define_out(scarce__definer *p, const scarce__token *at, const char *name, int kind,
                                 size_t *out);
scarce_status scarce__define_line(scarce__definer *p, scarce__text *t, size_t out);

/* An expression over fields but the label, and with_features over the features made so far; its tokens as a text. */
scarce_status scarce__define_expression(scarce__definer *p, int with_features, scarce__type type,
                                        scarce__expr **out, char **text);
void scarce__define_mark_used(scarce__feature_plan *plan, const scarce__expr *e);

/* define_over.c: a statement that begins with `over` or `by`. */
scarce_status scarce__define_over(scarce__definer *p);

#endif
