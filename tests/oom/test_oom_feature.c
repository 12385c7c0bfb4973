/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions, engines, snapshots and tables of features with every allocation failing once. */
#include <stdlib.h>
#include <unistd.h>

#include <scarce/features.h>

#include "oom/walk.h"
#include "unit/files.h"

static const char definitions[] =
    "field id text id\nfield time time\nfield card key\nfield shop key\nfield amount decimal(2)\nfield ecom "
    "bool optional\n"
    "field fraud label\nkind shop by shop max_events 16\nover 1h 1d by card: count, sd(amount), "
    "distinct(shop)\n"
    "over 1d by shop where ecom: count as e, share(fraud) as s\nover last 2 by card: mean(amount)\n"
    "feature ratio = amount / card_mean_amount_last2\nby shop: since, decay(amount, 1h)\n";

static char path[256], output[256];

static scarce_status define(scarce_definitions **d, scarce_error *err)
{
    return scarce_definitions_read(d, definitions, strlen(definitions), NULL, err);
}

static scarce_status defining(scarce_error *err)
{
    scarce_definitions *d = NULL;
    const scarce_status st = define(&d, err);
    CHECK((st == SCARCE_OK) == (d != NULL));
    scarce_definitions_free(d);
    return st;
}

/* A failed record is put again and must then give what it gives without failures. */
static scarce_status putting(scarce_error *err)
{
    scarce_definitions *d = NULL;
    scarce_features *f = NULL, *loaded = NULL;
    scarce_status st = define(&d, err);
    double values[32];

    if (st == SCARCE_OK) st = scarce_features_new(&f, d, err);
    for (int i = 0; i < 250 && st == SCARCE_OK; ++i) {
        char id[16], time[32], card[16];
        snprintf(id, sizeof id, "t%d", i);
        snprintf(time, sizeof time, "%d", 1700000000 + i);
        snprintf(card, sizeof card, "%d", i % 50 == 49 ? i : 7);
        const char *fields[] = {
            id, time, card, i % 3 ? "s" : "t", i == 200 ? "99999999999" : "12.5", i % 2 ? "1" : "0", ""};
        st = scarce_features_put(f, fields, SCARCE_FEATURES_NOW, values, NULL, err);
        if (st == SCARCE_OK) st = scarce_features_label(f, id, i & 1, SCARCE_FEATURES_NOW, NULL, err);
    }
    if (st == SCARCE_OK) st = scarce_features_save(f, output, err);
    if (st == SCARCE_OK) st = scarce_features_restore(&loaded, d, output, err);
    scarce_features_free(loaded);
    scarce_features_free(f);
    scarce_definitions_free(d);
    unlink(output);
    return st;
}

static scarce_status tables(scarce_error *err)
{
    scarce_definitions *d = NULL;
    const char *paths[] = {path};
    scarce_status st = define(&d, err);
    if (st == SCARCE_OK) st = scarce_features_table(d, paths, 1, output, NULL, NULL, NULL, err);
    if (st != SCARCE_OK) CHECK(access(output, F_OK) != 0);
    scarce_definitions_free(d);
    unlink(output);
    return st;
}

static void test_walk(void)
{
    FILE *file;
    snprintf(path, sizeof path, "%s/scarce-oom-features-%ld.csv", P_tmpdir, (long)getpid());
    snprintf(output, sizeof output, "%s/scarce-oom-features-%ld.out", P_tmpdir, (long)getpid());
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fprintf(file, "id,time,card,shop,amount,ecom,fraud,label_time\n");
    for (int i = 0; i < 300; ++i)
        fprintf(file, "t%d,%d,%d,%d,%d.25,%d,%d,%d\n", i, 1700000000 + 60 * i, i % 3, i % 2, i, i % 2,
                i % 5 == 0, 1700000000 + 60 * i + 300);
    fclose(file);
    oom_walk("definitions", defining);
    oom_walk("records and snapshots", putting);
    oom_walk("tables", tables);
    unlink(path);
}

static const test_case tests[] = {{"walk", test_walk}};
TEST_MAIN(tests)
