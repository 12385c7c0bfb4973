/* SPDX-License-Identifier: Apache-2.0 */
/* A table from bytes in memory: what came over a network, out of an archive or a database. Gzip and zstd are
 * unpacked on the way, as with files. */
#include <stdio.h>
#include <string.h>

#include <scarce/scarce.h>

int main(void)
{
    static const char message[] = "amount,country,fraud\n"
                                  "12.50,FR,no\n"
                                  "900,XX,yes\n"
                                  "NA,\"Korea, Republic of\",no\n";
    scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_table *table = NULL;
    const scarce_schema *schema;

    ro.label = "fraud";
    ro.positive = "yes";
    /* the name stands in messages, and its end tells the format */
    if (scarce_table_read_bytes(&table, message, strlen(message), "message.csv", &ro, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    schema = scarce_table_schema(table);
    printf("%zu rows, %zu positive\n", scarce_table_rows(table), scarce_table_positives(table));
    for (size_t f = 0; f < scarce_schema_features(schema); ++f)
        printf("%-8s %s\n", scarce_schema_name(schema, f),
               scarce_schema_kind(schema, f) == SCARCE_COLUMN_CATEGORY ? "category" : "number");
    scarce_table_free(table);
    return 0;
}
