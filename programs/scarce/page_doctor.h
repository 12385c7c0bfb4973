/* SPDX-License-Identifier: Apache-2.0 */
/* scarce doctor --report. */
#ifndef PAGE_DOCTOR_H
#define PAGE_DOCTOR_H

#include <scarce/doctor.h>

scarce_status write_doctor_page(const scarce_doctor *d, const scarce_table *table, const char *data,
                                const char *path, scarce_error *err);

#endif
