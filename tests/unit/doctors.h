/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text for the tests of the doctor, and looking for a finding. */
#ifndef SCARCE_TEST_DOCTORS_H
#define SCARCE_TEST_DOCTORS_H

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <scarce/doctor.h>

#include "core/random.h"
#include "core/text.h"
#include "test.h"

static inline scarce_context *doctor_context(int threads)
{
    scarce_context_options o = SCARCE_CONTEXT_OPTIONS_INIT;
    scarce_context *ctx = NULL;
    o.threads = threads;
    CHECK(scarce_context_new(&ctx, &o, NULL) == SCARCE_OK);
    return ctx;
}

/* Reads the text as a file and frees it. */
static inline scarce_table *table_of(scarce__text *text, const scarce_read_options *ro)
{
    char path[] = "/tmp/scarce-doctor-XXXXXX";
    const char *paths[1] = {path};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *t = NULL;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && !text->failed && write(fd, text->bytes, text->n) == (ssize_t)text->n);
    if (fd >= 0) close(fd);
    if (scarce_table_read(&t, paths, 1, ro, NULL, &err) != SCARCE_OK) {
        fprintf(stderr, "%s\n", err.text);
        ++test_failures;
    }
    unlink(path);
    scarce__text_deinit(text);
    return t;
}

/* A column name=value separated by commas: ",1.25" */
static inline void add_number(scarce__text *t, double value)
{
    if (t->n && t->bytes[t->n - 1] != '\n') scarce__text_add_char(t, ',');
    if (!isnan(value)) scarce__text_double(t, value);
}

static inline scarce_doctor *examine(const scarce_table *table, const char *protocol)
{
    scarce_doctor_options o = SCARCE_DOCTOR_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_doctor *d = NULL;
    o.protocol = protocol;
    if (scarce_doctor_run(&d, table, &o, NULL, &err) != SCARCE_OK) {
        fprintf(stderr, "doctor: %s\n", err.text);
        ++test_failures;
    }
    return d;
}

/* The first finding with that code (and subject, unless NULL), or NULL. */
static inline const scarce_doctor_finding *found(const scarce_doctor *d, const char *code,
                                                 const char *subject)
{
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i) {
        const scarce_doctor_finding *f = scarce_doctor_get(d, i);
        if (strcmp(f->code, code) == 0 && (!subject || strcmp(f->subject, subject) == 0)) return f;
    }
    return NULL;
}

static inline double figure(const scarce_doctor_finding *f, const char *name)
{
    for (size_t i = 0; f && i < f->n_figures; ++i)
        if (strcmp(f->figures[i].name, name) == 0) return f->figures[i].value;
    return (double)NAN;
}

/* Findings that accuse a column or speak of drift: what clean data must not have. */
static inline size_t alarms(const scarce_doctor *d, int print)
{
    static const char *const codes[] = {"leak-label",    "leak-missing",  "leak-id", "pure-value",
                                        "strong-column", "identifier",    "clock",   "label-order",
                                        "base-rate",     "label-delay",   "drift",   "copy",
                                        "infinite",      "new-categories"};
    size_t n = 0;
    for (size_t i = 0; i < scarce_doctor_findings(d); ++i)
        for (size_t k = 0; k < sizeof codes / sizeof codes[0]; ++k) {
            const scarce_doctor_finding *f = scarce_doctor_get(d, i);
            if (strcmp(f->code, codes[k]) != 0) continue;
            if (print) fprintf(stderr, "alarm: %s: %s\n", f->code, f->what);
            ++n;
        }
    return n;
}

#endif
