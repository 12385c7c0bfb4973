/* SPDX-License-Identifier: Apache-2.0 */
/* What one fit takes, for the number of fits side by side. */
#include "study/compare.h"

double scarce__memory_of_fit(const scarce_table *table, const scarce__fold_size *size, int tuned)
{
    enum {
        FIXED = 16 << 20,
        PER_ROW = 64,
        PER_VALUE = 8
    }; /* histograms; scores, gradients; codes, designs */
    const double row = (double)scarce_table_bytes(table) / (double)table->n_rows,
                 train = (double)(size->train_rows + size->valid_rows), test = (double)size->test_rows,
                 features = (double)table->schema.n_features;
    /* tuning copies the training part once more, as rows that train and rows that judge */
    return FIXED + row * ((tuned ? 2 : 1) * train + test) + (PER_VALUE * features + PER_ROW) * train +
           PER_ROW * test;
}
