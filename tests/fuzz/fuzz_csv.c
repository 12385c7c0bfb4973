/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and TSV files nobody vouches for; how they are read and what must hold: fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separators[] = {0, ';', ',', '\t'}, signs[] = {0, ',', '.', 0};
    static const scarce__read_tuning tuning = {64, 100, 33, 0, 0};
    static const char *const used[] = {"a"};
    const uint8_t choice = size > 5 ? data[size / 2] : 0;
    scarce_read_options o = SCARCE_READ_OPTIONS_INIT;

    fuzz_table(data, size, SCARCE_FORMAT_CSV, SCARCE_FORMAT_TSV);
    if (size <= 5) return 0;
    /* The same file with what can be said of how it is written. */
    o.format = SCARCE_FORMAT_CSV;
    o.separator = separators[choice & 3];
    o.decimal = signs[choice >> 2 & 3];
    o.date_order = (scarce_date_order)(choice >> 4 & 3);
    o.time_format = (scarce_time_format)(data[0] % 11);
    o.time = "t";
    o.optional_roles = SCARCE_ROLE_TIME;
    o.leave_out = choice >> 6 & 1;
    if (choice & 128) o.use = (scarce_names){used, 1};
    fuzz_read_all_ways(data + 5, size - 5, &o, &tuning, 0, 0, 1);
    return 0;
}
