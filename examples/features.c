/* SPDX-License-Identifier: Apache-2.0 */
/* What the past of a card says about each payment, as a payment service asks it: definitions once, then one call a
 * payment; a label that comes later; a snapshot, from which another process goes on. */
#include <scarce/scarce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "field id     text id\n"
                           "field time   time\n"
                           "field card   key\n"
                           "field amount decimal(2)\n"
                           "field fraud  label\n"
                           "over 1h 30d by card: count, mean(amount), share(fraud)\n"
                           "by card: since\n"
                           "feature ratio = amount / card_mean_amount_30d\n";

static const char *const payments[][5] = {{"t1", "2026-11-16 08:00:00", "4711", "10.00", NULL},
                                          {"t2", "2026-11-16 08:20:00", "4711", "30.00", NULL},
                                          {"t3", "2026-11-16 09:10:00", "4711", "400.00", NULL},
                                          {"t4", "2026-11-16 09:10:30", "815", "12.00", NULL}};

static void must(scarce_status status, const scarce_error *err)
{
    if (status == SCARCE_OK) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_definitions *d = NULL;
    scarce_features *f = NULL, *again = NULL;
    double values[16];

    must(scarce_definitions_read(&d, text, strlen(text), "payments", &err), &err);
    must(scarce_features_new(&f, d, &err), &err);
    for (size_t i = 0; i < 4; ++i) {
        must(scarce_features_put(f, payments[i], SCARCE_FEATURES_NOW, values, NULL, &err), &err);
        printf("%s:", payments[i][0]);
        for (size_t k = 0; k < scarce_definitions_count(d); ++k)
            printf(" %s %g", scarce_definitions_name(d, k), values[k]);
        putchar('\n');
        if (i == 1) must(scarce_features_label(f, "t1", 1, SCARCE_FEATURES_NOW, NULL, &err), &err);
    }
    must(scarce_features_save(f, "state", &err), &err);
    must(scarce_features_restore(&again, d, "state", &err), &err);
    printf("went on after %llu records and labels, definitions %.8s\n",
           (unsigned long long)scarce_features_position(again), scarce_definitions_digest(d));
    remove("state");
    scarce_features_free(again);
    scarce_features_free(f);
    scarce_definitions_free(d);
    return 0;
}
