/* SPDX-License-Identifier: Apache-2.0 */
/* stand-in while measuring */
#include "tree/import.h"
#include "core/fail.h"
scarce_status scarce__import_xgboost(scarce__imported *out, const char *bytes, size_t n, scarce_error *err)
{
    (void)out; (void)bytes; (void)n;
    return scarce__fail(err, SCARCE_EUNSUPPORTED, "x");
}
