/* SPDX-License-Identifier: Apache-2.0 */
/* The stream as CSV. Blocks of rows are turned to text in parallel, a wave of them at a time, and
 * written in order. All numbers are whole (cents, millionths), so the text is exact and fast to make. */
#include <string.h>

#include "core/alloc.h"
#include "core/outfile.h"
#include "simulate/fraud.h"

enum { ROWS_PER_BLOCK = 4096, BLOCKS_PER_WAVE = 16, MAX_ROW_BYTES = 384, MAX_HEADER = 512 };

static const char *const channel_names[N_CHANNELS] = {"chip", "contactless", "stripe", "online"};

static char *put_text(char *at, const char *text)
{
    const size_t n = strlen(text);
    memcpy(at, text, n);
    return at + n;
}

static char *put_u64(char *at, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    while (n > 0) *at++ = digits[--n];
    return at;
}

static char *put_i64(char *at, int64_t v)
{
    if (v >= 0) return put_u64(at, (uint64_t)v);
    *at++ = '-';
    return put_u64(at, (uint64_t)0 - (uint64_t)v);
}

/* 1234 -> 12.34 */
static char *put_cents(char *at, uint32_t cents)
{
    at = put_u64(at, cents / 100);
    *at++ = '.';
    *at++ = (char)('0' + cents / 10 % 10);
    *at++ = (char)('0' + cents % 10);
    return at;
}

/* part/whole with up to six decimals, no trailing zeros; 0 when whole is 0. */
static char *put_share(char *at, uint32_t part, uint32_t whole)
{
    uint64_t millionths = whole == 0 ? 0 : ((uint64_t)part * 1000000 + whole / 2) / whole;
    at = put_u64(at, millionths / 1000000);
    millionths %= 1000000;
    if (millionths == 0) return at;
    *at++ = '.';
    for (uint64_t unit = 100000; millionths > 0; unit /= 10) {
        *at++ = (char)('0' + millionths / unit);
        millionths %= unit;
    }
    return at;
}

size_t scarce__category_name(uint32_t category, char *out)
{
    static const char *const families[12] = {"grocery", "fuel", "dining", "travel",  "fashion", "digital",
                                             "health",  "home", "gaming", "transit", "beauty",  "gifts"};
    char *at = put_text(out, families[category % 12]);
    *at++ = '-';
    *at++ = (char)('0' + category / 12 / 10);
    *at++ = (char)('0' + category / 12 % 10);
    return (size_t)(at - out);
}

size_t scarce__country_name(uint32_t country, char *out)
{
    out[0] = (char)('A' + country % 26);
    out[1] = (char)('A' + (country * 7 + 3) % 26);
    return 2;
}

/* Monday is 0; the first of January 1970 was a Thursday. */
static int64_t weekday(int64_t time)
{
    const int64_t day = time / SECONDS_PER_DAY - (time % SECONDS_PER_DAY < 0);
    return ((day + 3) % 7 + 7) % 7;
}

/* What a payment of hard says of itself. */
static char *put_raw(char *at, const scarce__fraud *f, size_t i)
{
    const scarce__payment *p = &f->rows[i];
    at += scarce__category_name(f->world.category[p->terminal], at);
    *at++ = ',';
    at += scarce__country_name(f->world.country[p->terminal], at);
    *at++ = ',';
    at = put_text(at, channel_names[p->channel]);
    *at++ = ',';
    *at++ = (char)('0' + p->abroad);
    *at++ = ',';
    return at;
}

static char *put_hard(char *at, const scarce__fraud *f, size_t i)
{
    at = put_raw(at, f, i);
    at = put_u64(at, f->rows[i].time % SECONDS_PER_DAY / 3600);
    *at++ = ',';
    if (f->since_last[i] != UINT32_MAX) at = put_u64(at, f->since_last[i]);
    *at++ = ',';
    at = put_u64(at, f->seen[i]);
    *at++ = ',';
    return at;
}

/* What the past says of it, and the calendar. */
static char *put_features(char *at, const scarce__fraud *f, size_t i)
{
    const scarce__payment *p = &f->rows[i];

    if (f->options->preset == PRESET_HARD) at = put_hard(at, f, i);
    *at++ = weekday(f->origin + (int64_t)p->time) >= 5 ? '1' : '0';
    *at++ = ',';
    *at++ = p->time % SECONDS_PER_DAY / 3600 <= 6 ? '1' : '0';
    *at++ = ',';
    for (int w = 0; w < N_WINDOWS; ++w) {
        at = put_u64(at, f->card_count[w][i]);
        *at++ = ',';
        at = put_cents(at, f->card_mean[w][i]);
        *at++ = ',';
    }
    for (int w = 0; w < N_WINDOWS; ++w) {
        at = put_u64(at, f->terminal_count[w][i]);
        *at++ = ',';
        at = put_share(at, f->terminal_bad[w][i], f->terminal_count[w][i]);
        *at++ = ',';
    }
    return at;
}

static char *put_row(char *at, const scarce__fraud *f, size_t i)
{
    const scarce__payment *p = &f->rows[i];
    const int64_t time = f->origin + (int64_t)p->time;

    at = put_u64(at, i);
    *at++ = ',';
    at = put_i64(at, time);
    *at++ = ',';
    at = put_u64(at, p->card);
    *at++ = ',';
    at = put_u64(at, p->terminal);
    *at++ = ',';
    at = put_cents(at, p->cents);
    *at++ = ',';
    if (!f->options->raw) at = put_features(at, f, i);
    else if (f->options->preset == PRESET_HARD) at = put_raw(at, f, i);
    *at++ = (char)('0' + p->label);
    *at++ = ',';
    at = put_i64(at, time + (int64_t)(f->known ? f->known[i] : f->delay));
    if (f->options->scenario) {
        *at++ = ',';
        *at++ = (char)('0' + p->scenario);
    }
    *at++ = '\n';
    return at;
}

static size_t put_header(const scarce__fraud *f, char *out)
{
    char *at = put_text(out, "tx_id,time,card,terminal,amount,");
    if (f->options->preset == PRESET_HARD) at = put_text(at, "category,country,channel,abroad,");
    if (f->options->preset == PRESET_HARD && !f->options->raw) at = put_text(at, "hour,since_last,seen,");
    if (!f->options->raw) at = put_text(at, "weekend,night,");
    for (int k = 0; !f->options->raw && k < 2 * N_WINDOWS; ++k) {
        const uint32_t days = scarce__fraud_window_days[k % N_WINDOWS];
        at = put_text(at, k < N_WINDOWS ? "card_count_" : "terminal_count_");
        at = put_u64(at, days);
        at = put_text(at, k < N_WINDOWS ? "d,card_mean_" : "d,terminal_risk_");
        at = put_u64(at, days);
        at = put_text(at, "d,");
    }
    at = put_text(at, f->options->scenario ? "label,label_time,scenario\n" : "label,label_time\n");
    return (size_t)(at - out);
}

typedef struct write_job {
    const scarce__fraud *f;
    size_t first; /* row of the wave */
    char *text[BLOCKS_PER_WAVE];
    size_t length[BLOCKS_PER_WAVE];
} write_job;

static void format_block(void *arg, size_t b, int worker)
{
    write_job *j = arg;
    const size_t begin = j->first + b * ROWS_PER_BLOCK;
    const size_t end = begin + ROWS_PER_BLOCK < j->f->n ? begin + ROWS_PER_BLOCK : j->f->n;
    char *at = j->text[b];

    (void)worker;
    for (size_t i = begin; i < end; ++i) at = put_row(at, j->f, i);
    j->length[b] = (size_t)(at - j->text[b]);
}

static scarce_status write_rows(write_job *j, scarce__outfile *out, const scarce_context *ctx,
                                scarce_error *err)
{
    const scarce__fraud *f = j->f;
    char header[MAX_HEADER];

    SCARCE__TRY(scarce__outfile_write(out, header, put_header(f, header), err));
    for (j->first = 0; j->first < f->n; j->first += (size_t)ROWS_PER_BLOCK * BLOCKS_PER_WAVE) {
        const scarce_progress progress = {"write", (double)j->first, (double)f->n, "rows", "", NULL, 0};
        size_t n_blocks = scarce__blocks(f->n - j->first, ROWS_PER_BLOCK);

        if (scarce__progress(ctx, &progress))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped while writing");
        if (n_blocks > BLOCKS_PER_WAVE) n_blocks = BLOCKS_PER_WAVE;
        scarce__pool_run(scarce__context_pool(ctx), n_blocks, format_block, j);
        for (size_t b = 0; b < n_blocks; ++b)
            SCARCE__TRY(scarce__outfile_write(out, j->text[b], j->length[b], err));
    }
    return SCARCE_OK;
}

scarce_status scarce__fraud_write(const scarce__fraud *f, const char *path, const scarce_context *ctx,
                                  scarce_error *err)
{
    write_job j;
    scarce__outfile *out = NULL;
    scarce_status status;
    char *buffer = scarce__malloc_array((size_t)BLOCKS_PER_WAVE * ROWS_PER_BLOCK, MAX_ROW_BYTES);

    if (!buffer)
        return scarce__fail_memory(err, "rows as text",
                                   (size_t)BLOCKS_PER_WAVE * ROWS_PER_BLOCK * MAX_ROW_BYTES);
    j.f = f;
    for (size_t b = 0; b < BLOCKS_PER_WAVE; ++b) j.text[b] = buffer + b * ROWS_PER_BLOCK * MAX_ROW_BYTES;
    status = scarce__outfile_open(&out, path, err);
    if (status == SCARCE_OK) {
        status = write_rows(&j, out, ctx, err);
        if (status == SCARCE_OK) status = scarce__outfile_commit(out, err);
        else scarce__outfile_abort(out);
    }
    scarce__free(buffer);
    return status;
}
