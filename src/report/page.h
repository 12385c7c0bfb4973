/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed parts of a page. */
#ifndef SCARCE_REPORT_PAGE_H
#define SCARCE_REPORT_PAGE_H

#include <stddef.h>

/* Lines of the style sheet and of the script; both end with NULL. */
extern const char *const scarce__page_style[];
extern const char *const scarce__page_script[];

#endif
