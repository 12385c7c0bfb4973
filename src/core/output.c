/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of core/outfile.h. */
#include <scarce/output.h>

#include "core/outfile.h"

scarce_status scarce_output_open(scarce_output **out, const char *path, scarce_error *err)
{
    return scarce__outfile_open(out, path, err);
}

scarce_status scarce_output_write(scarce_output *output, const void *bytes, size_t n, scarce_error *err)
{
    return scarce__outfile_write(output, bytes, n, err);
}

scarce_status scarce_output_flush(scarce_output *output, scarce_error *err)
{
    return scarce__outfile_flush(output, err);
}

scarce_status scarce_output_commit(scarce_output *output, scarce_error *err)
{
    return scarce__outfile_commit(output, err);
}

void scarce_output_abort(scarce_output *output)
{
    scarce__outfile_abort(output);
}
