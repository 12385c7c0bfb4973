/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of any bytes. As they are they fail by their checksum, so a right one is put behind them too: then either
 * they are refused, or there is an engine that takes records and can be written and read again. */
#include <string.h>

#include "feature/engine.h"
#include "fuzz.h"

static const char definitions[] =
    "field id text id\nfield time time\nfield card key\nfield shop key\nfield amount decimal(2)\nfield fraud "
    "label\n"
    "kind shop by shop max_events 16 tile 1m\nover 1m 1h by card: count, sd(amount), distinct(shop)\n"
    "over 1h by shop where amount > 5: count, share(fraud), max(amount)\nby shop: since, decay(amount, 1m)\n";

static void use(scarce_features *f)
{
    double values[32];
    char id[16], time[32];
    for (int i = 0; i < 30; ++i) {
        snprintf(id, sizeof id, "t%d", i);
        snprintf(time, sizeof time, "%lld", (long long)(f->started ? f->base + f->at : 1700000000) + i);
        const char *fields[] = {id, time, i % 3 ? "a" : "b", i % 5 ? "s" : "t", "12.5", ""};
        (void)scarce_features_put(f, fields, SCARCE_FEATURES_NOW, values, NULL, NULL);
        (void)scarce_features_label(f, id, i & 1, SCARCE_FEATURES_NOW, NULL, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scarce_definitions *d = NULL;
    scarce_features *f = NULL, *again = NULL;
    scarce__writer w = {NULL, 0, 0, 0};

    MUST(scarce_definitions_read(&d, definitions, strlen(definitions), "fuzz", NULL) == SCARCE_OK);
    if (size > 0 && scarce__features_read(&f, d, data, size, "fuzz", NULL) == SCARCE_OK) use(f);
    scarce_features_free(f);
    f = NULL;
    if (size >= 8) { /* with a sum that is right */
        scarce__put(&w, data, size - 8);
        scarce__put_u64(&w, scarce__crc64(w.bytes, w.n));
        if (scarce__features_read(&f, d, w.bytes, w.n, "fuzz", NULL) == SCARCE_OK) {
            use(f);
            scarce__writer_deinit(&w);
            memset(&w, 0, sizeof w);
            MUST(scarce__features_write(f, &w, NULL) == SCARCE_OK);
            MUST(scarce__features_read(&again, d, w.bytes, w.n, "fuzz", NULL) == SCARCE_OK);
        }
    }
    scarce_features_free(again);
    scarce_features_free(f);
    scarce__writer_deinit(&w);
    scarce_definitions_free(d);
    return 0;
}
