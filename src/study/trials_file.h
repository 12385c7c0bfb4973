/* SPDX-License-Identifier: Apache-2.0 */
/* A file that lets a search go on after an interruption: a line for every finished fit, with the values it gave.
 *
 *     trials of scarce tune, 1
 *     print trial share split seconds value value ... check
 *
 * Numbers are hexadecimal floats, so that a search that goes on gives the bits of one that was not interrupted.
 * print stands for what values depend on (data, method, options, seed); check is a hash of the line before it, so
 * a line that was cut off or changed is passed over, and its fit done again. core/journal.h says what else is
 * promised: above all, a file of that name that is not ours stays as it is. */
#ifndef SCARCE_STUDY_TRIALS_FILE_H
#define SCARCE_STUDY_TRIALS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <scarce/base.h>

#define SCARCE__TRIALS_HEADER "trials of scarce tune, 1\n"

typedef struct scarce__fit_record {
    size_t trial, split, n; /* n values */
    double share, seconds;
    double *value;
} scarce__fit_record;

typedef struct scarce__trials_file {
    const char *path; /* NULL: there is none, and nothing is kept */
    uint64_t print;
    scarce__fit_record *records; /* of this search, as the file had them at the beginning */
    size_t n_records;
} scarce__trials_file;

/* A file that isn't there, or is of another search, holds nothing; EDATA: it holds something else. */
scarce_status scarce__trials_open(scarce__trials_file *out, const char *path, uint64_t print,
                                  scarce_error *err);
void scarce__trials_close(scarce__trials_file *file);
/* NULL: it has to be done. */
const scarce__fit_record *scarce__trials_find(const scarce__trials_file *file, size_t trial, double share,
                                              size_t split, size_t n);
scarce_status scarce__trials_append(const scarce__trials_file *file, const scarce__fit_record *record,
                                    scarce_error *err);

#endif
