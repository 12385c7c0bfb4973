/* SPDX-License-Identifier: Apache-2.0 */
/* What comparing and tuning share. */
#ifndef SCARCE_STUDY_STUDY_H
#define SCARCE_STUDY_STUDY_H

#include <scarce/study.h>

#include "data/table.h"

/* Parameters of "name:key=value:key=value". */
scarce_status scarce__params_of_spec(scarce_params **out, const char *spec, scarce_error *err);

#endif
