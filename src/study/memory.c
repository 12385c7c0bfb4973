/* SPDX-License-Identifier: Apache-2.0 */
/* What one fit takes, for the number of fits side by side: copies of its rows, what the method says of itself, and
 * scores. */
#include "method/method.h"
#include "study/compare.h"

double scarce__memory_of_fit(const char *spec, const scarce_table *table, const scarce__fold_size *size,
                             int tuned)
{
    enum { FIXED = 1 << 20, PER_ROW = 64 }; /* scores, ranks, judging */
    const double row = (double)scarce_table_bytes(table) / (double)table->n_rows,
                 train = (double)(size->train_rows + size->valid_rows), test = (double)size->test_rows;
    scarce_train_size fit = SCARCE_TRAIN_SIZE_INIT;
    scarce_params *params = NULL;
    double bytes = 0, copies = tuned ? 2 : 1; /* tuning: once more, as rows that train and rows that judge */

    fit.rows = size->train_rows;
    fit.positives = size->train_positives;
    fit.features = table->schema.n_features;
    fit.valid_rows = size->valid_rows;
    if (scarce_params_of_spec(&params, spec, NULL) == SCARCE_OK) {
        copies += params->resample ? 1 : 0;
        (void)scarce_train_memory(&bytes, params, NULL, &fit, NULL, NULL);
    }
    scarce_params_free(params);
    return FIXED + bytes + row * (copies * train + test) + PER_ROW * (train + test);
}
