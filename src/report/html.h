/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign text and numbers on their way into a page. */
#ifndef SCARCE_REPORT_HTML_H
#define SCARCE_REPORT_HTML_H

#include "core/text.h"

/* As content or as a quoted attribute: & < > " ' become references. Bytes that are no UTF-8, controls (line
 * ends and tabs become blanks) and marks that change the direction of writing become U+FFFD. NULL is "". */
void scarce__html_escape(scarce__text *out, const char *text);

/* The same, but a text of more than `max` characters (5 or more) keeps only its beginning and its end. */
void scarce__html_escape_short(scarce__text *out, const char *text, size_t max);

/* Characters of a text as scarce__html_escape counts them. */
size_t scarce__html_length(const char *text);

/* For people: whole numbers below 1e15, and others from 10^(digits - 1) on, whole and with thousands apart;
 * smaller ones with `digits` significant digits; NaN is "n/a". Needs no escaping. */
void scarce__html_number(scarce__text *out, double value, int digits);

/* For the script and for coordinates: shortest text of a finite number. */
void scarce__html_raw(scarce__text *out, double value);

#endif
