/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no text, told by their first bytes, and what to do with them. */
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "data/look.h"

enum { START_BYTES = 4096 };

typedef struct signature {
    const char *bytes;
    size_t n;
    const char *advice;
} signature;

static const signature signatures[] = {
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "is an Excel workbook (.xls); in Excel save it as CSV UTF-8"},
    {"SCARCE\r\n", 8, "is a model of scarce, not data (scarce score MODEL DATA)"},
    {"\x7F"
     "ELF",
     4, "is a program; name the file that holds the table"},
    {"PAR1", 4, "is a Parquet file; write it as CSV, e.g. pandas.read_parquet(F).to_csv(G, index=False)"},
    {"ARROW1", 6,
     "is an Arrow (Feather) file; write it as CSV, e.g. pandas.read_feather(F).to_csv(G, index=False)"},
    {"FEA1", 4, "is a Feather file; write it as CSV, e.g. pandas.read_feather(F).to_csv(G, index=False)"},
    {"SQLite format 3", 16,
     "is an SQLite database; write a table as CSV: sqlite3 -header -csv F 'select * from T' > G"},
    {"\x89HDF\r\n\x1A\n", 8, "is an HDF5 file; write its table as CSV"},
    {"7z\xBC\xAF\x27\x1C", 6, "is a 7-Zip archive; unpack it first"},
    {"\xFD"
     "7zXZ",
     6, "is packed with xz; unpack it first (gzip and zstd are read as they are)"},
    {"BZh", 3, "is packed with bzip2; unpack it first (gzip and zstd are read as they are)"},
    {"%PDF-", 5, "is a PDF; export the table as CSV where it was made"},
    {"{\\rtf", 5, "is a rich text document; save the table as CSV"},
};

static int holds(const unsigned char *b, size_t n, const char *word)
{
    const size_t k = strlen(word);
    for (size_t i = 0; i + k <= n; ++i)
        if (memcmp(b + i, word, k) == 0) return 1;
    return 0;
}

static int begins_like(const unsigned char *b, size_t n, const char *word)
{
    size_t i = 0;
    if (n >= 3 && memcmp(b, "\xEF\xBB\xBF", 3) == 0) i = 3;
    while (i < n && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n')) ++i;
    return n - i >= strlen(word) && strncasecmp((const char *)b + i, word, strlen(word)) == 0;
}

static const char *advice_of(const unsigned char *b, size_t n)
{
    if (n >= 4 && memcmp(b, "PK\x03\x04", 4) == 0) {
        if (holds(b, n, "[Content_Types].xml") || holds(b, n, "xl/"))
            return "is an Excel workbook (.xlsx); in Excel save it as CSV UTF-8";
        if (holds(b, n, "opendocument.spreadsheet")) return "is an OpenDocument sheet (.ods); save it as CSV";
        return "is a zip archive; unpack it first (gzip and zstd are read as they are)";
    }
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; ++i) {
        const signature *s = &signatures[i];
        if (n >= s->n && memcmp(b, s->bytes, s->n) == 0) return s->advice;
    }
    if (begins_like(b, n, "<!doctype html") || begins_like(b, n, "<html"))
        return "is a web page (HTML), perhaps a login page saved instead of the data; download the file "
               "itself";
    if (begins_like(b, n, "<?xml")) return "is XML; export the table as CSV";
    if (begins_like(b, n, "{\"") || begins_like(b, n, "[{"))
        return "is JSON; write it as CSV, e.g. pandas.read_json(F).to_csv(G, index=False)";
    return NULL;
}

int scarce__begins_like_no_text(const char *text, size_t n)
{
    return advice_of((const unsigned char *)text, n) != NULL;
}

static int is_called_packed(const char *name)
{
    const size_t n = strlen(name);
    return scarce__ends_with(name, n, ".gz") || scarce__ends_with(name, n, ".zst");
}

/* Something that separates fields or rows. */
static int looks_like_table(const unsigned char *b, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (b[i] == '\n' || b[i] == ',' || b[i] == ';' || b[i] == '\t' || b[i] == '|') return 1;
    return n == 0; /* that is told elsewhere */
}

scarce_status scarce__check_signature(scarce__source *source, scarce_error *err)
{
    unsigned char *start = scarce__malloc(START_BYTES);
    size_t got = 0;
    scarce_status st;

    if (!start) return scarce__fail_memory(err, "the beginning of a file", START_BYTES);
    st = scarce__source_read(source, start, START_BYTES, &got, err);
    if (st == SCARCE_OK) {
        const char *advice = advice_of(start, got);
        if (!advice && !scarce__source_is_packed(source) && is_called_packed(scarce__source_name(source)) &&
            !looks_like_table(start, got))
            advice = "is called packed, but is neither packed nor a table: download or copy it again";
        if (advice) st = scarce__fail(err, SCARCE_EPARSE, "%s: this %s", scarce__source_name(source), advice);
    }
    scarce__free(start);
    return st == SCARCE_OK ? scarce__source_rewind(source, err) : st;
}
