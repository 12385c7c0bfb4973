/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: what is written is read back and written the same; every damage is seen, and a file that lies
 * with a right checksum neither crashes the reader nor makes it ask for memory the file
 * doesn't account for. */
#include <time.h>
#include <unistd.h>

#include <scarce/explain.h>
#include <scarce/model.h>

#include "core/bytes.h"
#include "data/read.h"
#include "model/model.h"
#include "test.h"
#include "unit/models.h"

typedef struct file {
    uint8_t *bytes;
    size_t n;
} file;

static file bytes_of(const scarce_model *m)
{
    void *bytes = NULL;
    file f = {NULL, 0};
    CHECK(scarce_model_bytes(&bytes, &f.n, m, NULL) == SCARCE_OK);
    f.bytes = bytes;
    return f;
}

static void sign(file *f)
{
    const uint64_t crc = scarce__crc64(f->bytes, f->n - 8);
    for (size_t i = 0; i < 8; ++i) f->bytes[f->n - 8 + i] = (uint8_t)(crc >> (8 * i));
}

/* Reads from a block of exactly that size; frees what was read. */
static scarce_status try_read(const uint8_t *bytes, size_t n, scarce_error *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    scarce_model *m = NULL;
    memcpy(copy, bytes, n);
    const scarce_status st = scarce_model_read(&m, copy, n, "t.scarce", err);
    CHECK((st == SCARCE_OK) == (m != NULL));
    scarce_model_free(m);
    free(copy);
    return st;
}

/* An ensemble: trees of two members in turns. */
static scarce_model *member_model(void)
{
    scarce_model *m = tree_model(5, 2);
    scarce__forest *f = m->body;
    f->n_members = 2;
    f->member_trees = scarce__malloc_array(2, sizeof *f->member_trees);
    f->member_trees[0] = 2;
    f->member_trees[1] = 3;
    return m;
}

enum { N_MODELS = 7 };

static scarce_model *model_at(int i)
{
    scarce_model *m;
    if (i == 0) return linear_model();
    if (i == 1) return tree_model(3, 3);
    if (i == 2) { /* without probability, alerts by amount, a checkpoint */
        m = tree_model(1, 0);
        m->has_probability = 0;
        m->alert_rule = SCARCE__ALERT_AMOUNT;
        m->state = scarce__malloc(3);
        memcpy(m->state, "abc", 3);
        m->n_state = 3;
        return m;
    }
    if (i == 3) { /* no trees at all, never an alert */
        m = tree_model(0, 0);
        m->alert_value = INFINITY;
        return m;
    }
    if (i == 4) return member_model();
    if (i == 5) { /* it remembers how its rows were written, and what they lacked */
        m = linear_model();
        m->schema.writing = (scarce_writing){',', SCARCE_DATE_DMY, SCARCE_TIME_DATES};
        m->missing = scarce__calloc(m->schema.n_features, sizeof *m->missing);
        m->missing[0] = 0.25f;
        return m;
    }
    m = linear_model(); /* texts that may be absent */
    scarce__free(m->schema.label);
    scarce__free(m->schema.positive);
    scarce__free(m->schema.negative);
    m->schema.label = m->schema.positive = m->schema.negative = NULL;
    m->schema.time_name = scarce__strdup("when");
    m->schema.group_name = scarce__strdup("card");
    m->schema.weight_name = scarce__strdup("w");
    return m;
}

static void test_round_trip(void)
{
    for (int i = 0; i < N_MODELS; ++i) {
        scarce_model *m = model_at(i), *back = NULL;
        file first = bytes_of(m);
        CHECK(scarce_model_read(&back, first.bytes, first.n, "t", NULL) == SCARCE_OK);
        if (back) {
            file second = bytes_of(back);
            scarce_scorer *a = NULL, *b = NULL;
            CHECK(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0);
            CHECK_TEXT(scarce_model_method(back), scarce_model_method(m));
            CHECK_TEXT(scarce_model_note(back, "seed"), "1");
            CHECK_TEXT(scarce_model_note(back, "param.empty"), "");
            CHECK(scarce_model_note(back, "nothing") == NULL);
            CHECK(scarce_model_has_probability(back) == scarce_model_has_probability(m));
            CHECK(memcmp(&back->schema.writing, &m->schema.writing, sizeof m->schema.writing) == 0);
            CHECK(m->missing ? scarce_model_missing(back, 0) == 0.25 : isnan(scarce_model_missing(back, 0)));
            CHECK(back->n_state == m->n_state && (back->state != NULL) == (m->state != NULL));
            CHECK(scarce_scorer_new(&a, m, NULL) == SCARCE_OK &&
                  scarce_scorer_new(&b, back, NULL) == SCARCE_OK);
            for (uint64_t r = 0; r < 50; ++r) {
                float row[MODEL_FEATURES];
                model_row(row, r);
                const double x = scarce_scorer_score(a, row), y = scarce_scorer_score(b, row);
                CHECK(memcmp(&x, &y, sizeof x) == 0);
                const double p = scarce_scorer_probability(a, x), q = scarce_scorer_probability(b, x);
                CHECK(p == q || (isnan(p) && isnan(q)));
            }
            scarce_scorer_free(a);
            scarce_scorer_free(b);
            scarce_bytes_free(second.bytes);
        }
        scarce_model_free(back);
        scarce_model_free(m);
        scarce_bytes_free(first.bytes);
    }
}

static void test_save_and_load(void)
{
    char path[] = "/tmp/scarce-model-XXXXXX";
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = linear_model(), *back = NULL;
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(scarce_model_save(m, path, &err) == SCARCE_OK);
    CHECK(scarce_model_load(&back, path, &err) == SCARCE_OK && back != NULL);
    scarce_model_free(back);
    CHECK(unlink(path) == 0);
    back = m;
    CHECK(scarce_model_load(&back, path, &err) == SCARCE_EIO && back == NULL && strstr(err.text, path));
    CHECK(scarce_model_load(&back, "/dev/null", &err) == SCARCE_EPARSE && back == NULL);
    CHECK(strstr(err.text, "not a model of scarce"));
    CHECK(scarce_model_save(m, "/nonexistent/folder/m", &err) == SCARCE_EIO);
    scarce_model_free(m);
}

/* Every byte changed in three ways: the checksum sees it (or, in front of it, magic and version). */
static void test_every_byte(void)
{
    static const uint8_t flips[] = {1, 0x80, 0xff};
    for (int i = 0; i < 2; ++i) {
        scarce_model *m = model_at(i);
        file f = bytes_of(m);
        size_t loaded = 0, wrong = 0;
        for (size_t at = 0; at < f.n; ++at)
            for (int k = 0; k < 3; ++k) {
                f.bytes[at] ^= flips[k];
                const scarce_status st = try_read(f.bytes, f.n, NULL);
                loaded += st == SCARCE_OK;
                wrong += st != SCARCE_EPARSE && !(st == SCARCE_EVERSION && at >= 8 && at < 12);
                f.bytes[at] ^= flips[k];
            }
        CHECK(loaded == 0 && wrong == 0);
        CHECK(try_read(f.bytes, f.n, NULL) == SCARCE_OK);
        scarce_bytes_free(f.bytes);
        scarce_model_free(m);
    }
}

/* The same with the checksum set right: no crash, and what still loads can be written. */
static void test_every_byte_signed(void)
{
    static const uint8_t flips[] = {1, 0x10, 0x80, 0xff};
    for (int i = 0; i < N_MODELS; ++i) {
        scarce_model *m = model_at(i);
        file f = bytes_of(m);
        size_t refused = 0;
        for (size_t at = 0; at + 8 < f.n; ++at)
            for (int k = 0; k < 4; ++k) {
                f.bytes[at] ^= flips[k];
                sign(&f);
                const scarce_status st = try_read(f.bytes, f.n, NULL);
                CHECK(st == SCARCE_OK || st == SCARCE_EPARSE || st == SCARCE_EVERSION);
                refused += st != SCARCE_OK;
                f.bytes[at] ^= flips[k];
            }
        CHECK(refused > f.n); /* lengths, counts, tags, kinds */
        scarce_bytes_free(f.bytes);
        scarce_model_free(m);
    }
}

static void test_cut_off(void)
{
    for (int i = 0; i < N_MODELS; ++i) {
        scarce_model *m = model_at(i);
        file f = bytes_of(m);
        size_t loaded = 0;
        for (size_t n = 0; n < f.n; ++n) loaded += try_read(f.bytes, n, NULL) == SCARCE_OK;
        for (size_t n = 8; n < f.n; ++n) { /* and signed */
            file cut = {malloc(n), n};
            memcpy(cut.bytes, f.bytes, n);
            sign(&cut);
            loaded += try_read(cut.bytes, n, NULL) == SCARCE_OK;
            free(cut.bytes);
        }
        CHECK(loaded == 0);
        scarce_bytes_free(f.bytes);
        scarce_model_free(m);
    }
}

static void test_appended(void)
{
    scarce_model *m = model_at(0);
    file f = bytes_of(m), longer = {calloc(f.n + 4, 1), f.n + 4};
    memcpy(longer.bytes, f.bytes, f.n);
    CHECK(try_read(longer.bytes, longer.n, NULL) == SCARCE_EPARSE);
    sign(&longer);
    CHECK(try_read(longer.bytes, longer.n, NULL) == SCARCE_EPARSE);
    free(longer.bytes);
    scarce_bytes_free(f.bytes);
    scarce_model_free(m);
}

/* ---- sections */

typedef struct section {
    const uint8_t *begin; /* its tag */
    size_t n;             /* with tag and length */
} section;

static uint64_t u64_at(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; --i) v = v << 8 | p[i];
    return v;
}

static size_t sections_of(const file *f, section out[8])
{
    size_t n = 0, at = 16;
    while (at + 8 < f->n && n < 8) {
        out[n].begin = f->bytes + at;
        out[n].n = 12 + (size_t)u64_at(f->bytes + at + 4);
        at += out[n++].n;
    }
    CHECK(at + 8 == f->n);
    return n;
}

/* A signed file of these sections. */
static scarce_status read_sections(const section *s, const size_t *order, size_t n, uint32_t version,
                                   scarce_error *err)
{
    scarce__writer w = {0};
    scarce__put(&w, "SCARCE\r\n", 8);
    scarce__put_u32(&w, version);
    scarce__put_u32(&w, (uint32_t)n);
    for (size_t i = 0; i < n; ++i) scarce__put(&w, s[order[i]].begin, s[order[i]].n);
    scarce__put_u64(&w, scarce__crc64(w.bytes, w.n));
    const scarce_status st = try_read(w.bytes, w.n, err);
    scarce__writer_deinit(&w);
    return st;
}

static void test_sections(void)
{
    static const uint8_t optional[] = {'x', 't', 'r', 'a', 2, 0, 0, 0, 0, 0, 0, 0, 'h', 'i'};
    static const uint8_t strict[] = {'X', 't', 'r', 'a', 2, 0, 0, 0, 0, 0, 0, 0, 'h', 'i'};
    enum { META, SCHM, BODY, CALB, THRS, OPTIONAL, STRICT };
    for (int i = 0; i < 2; ++i) {
        scarce_error err = SCARCE_ERROR_INIT;
        scarce_model *m = model_at(i);
        file f = bytes_of(m);
        section s[8];
        CHECK(sections_of(&f, s) == 5 && memcmp(s[BODY].begin, i ? "TREE" : "LINR", 4) == 0);
        s[OPTIONAL] = (section){optional, sizeof optional};
        s[STRICT] = (section){strict, sizeof strict};
        CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4}, 5, 1, &err) == SCARCE_OK);
        /* any order, as long as the features come before what was learnt */
        CHECK(read_sections(s, (size_t[]){4, 3, 1, 2, 0}, 5, 1, &err) == SCARCE_OK);
        CHECK(read_sections(s, (size_t[]){0, 2, 1, 3, 4}, 5, 1, &err) == SCARCE_EPARSE &&
              strstr(err.text, "too late"));
        /* what a later release adds: skipped in lower case, else refused */
        CHECK(read_sections(s, (size_t[]){5, 0, 1, 2, 5, 3, 4, 5}, 8, 1, &err) == SCARCE_OK);
        CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4, 6}, 6, 1, &err) == SCARCE_EPARSE &&
              strstr(err.text, "no known"));
        for (size_t k = 0; k < 5; ++k) {
            const size_t twice[] = {0, 1, 2, 3, 4, k};
            size_t without[4], n = 0;
            CHECK(read_sections(s, twice, 6, 1, &err) == SCARCE_EPARSE && strstr(err.text, "twice"));
            for (size_t j = 0; j < 5; ++j)
                if (j != k) without[n++] = j;
            CHECK(read_sections(s, without, 4, 1, &err) == SCARCE_EPARSE);
        }
        CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4}, 5, 3, &err) == SCARCE_EVERSION &&
              strstr(err.text, "newer"));
        CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4}, 5, UINT32_MAX, &err) == SCARCE_EVERSION);
        CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4}, 5, 0, &err) == SCARCE_EPARSE);
        scarce_bytes_free(f.bytes);
        scarce_model_free(m);
    }
}

/* Trees of members: read where they follow the trees, skipped by a kind that has none, refused where they
 * don't add up. */
static void test_members(void)
{
    enum { META, SCHM, BODY, MEMB, CALB, THRS, LIE };
    static const size_t order[] = {META, SCHM, BODY, CALB, MEMB, THRS}, lied[] = {0, 1, 2, LIE, 4, 5};
    static const uint64_t lies[][4] = {{0, 0, 0, 0},          {1, 4, 0, 0}, {2, 3, 3, 0},
                                       {2, 6, UINT64_MAX, 0}, {3, 2, 3, 1}, {9, 2, 3, 0}};
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = member_model(), *back = NULL;
    file f = bytes_of(m);
    section s[8];
    CHECK(sections_of(&f, s) == 6 && memcmp(s[MEMB].begin, "memb", 4) == 0 && s[MEMB].n == 12 + 24);
    CHECK(scarce_model_read(&back, f.bytes, f.n, "t", NULL) == SCARCE_OK);
    const scarce__forest *forest = back->kind->forest(back->body);
    CHECK(forest->n_members == 2 && forest->member_trees[0] == 2 && forest->member_trees[1] == 3);
    CHECK(read_sections(s, order, 6, 1, &err) == SCARCE_OK);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
        scarce__writer w = {0};
        const size_t n = lies[i][0] < 3 ? (size_t)lies[i][0] + 1 : lies[i][0] == 3 ? 4 : 3;
        scarce__put(&w, "memb", 4);
        scarce__put_u64(&w, 8 * n);
        for (size_t k = 0; k < n; ++k) scarce__put_u64(&w, lies[i][k]);
        s[LIE] = (section){w.bytes, w.n};
        CHECK(read_sections(s, lied, 6, 1, &err) == SCARCE_EPARSE && strstr(err.text, "damaged model file"));
        scarce__writer_deinit(&w);
    }
    s[LIE] = s[MEMB];
    CHECK(read_sections(s, (size_t[]){0, 1, 2, 3, 4, 5, LIE}, 7, 1, &err) == SCARCE_EPARSE &&
          strstr(err.text, "twice"));
    scarce_model *linear = linear_model();
    file l = bytes_of(linear);
    section ls[8];
    CHECK(sections_of(&l, ls) == 5);
    ls[5] = s[MEMB];
    CHECK(read_sections(ls, (size_t[]){0, 1, 2, 5, 3, 4}, 6, 1, &err) == SCARCE_OK);
    scarce_bytes_free(f.bytes);
    scarce_bytes_free(l.bytes);
    scarce_model_free(m);
    scarce_model_free(back);
    scarce_model_free(linear);
}

/* ---- lies about sizes: every aligned or unaligned u64 and u32 set to something huge, with a right checksum
 */

static void test_hostile_counts(void)
{
    static const uint64_t lies[] = {UINT64_MAX,        UINT64_MAX / 2,    (uint64_t)1 << 60,
                                    (uint64_t)1 << 32, (uint64_t)1 << 31, 1000000};
    for (int i = 0; i < N_MODELS; i += i == 1 ? 3 : 1) {
        scarce_model *m = model_at(i);
        file f = bytes_of(m);
        for (size_t at = 12; at + 16 <= f.n; ++at)
            for (size_t k = 0; k < sizeof lies / sizeof *lies; ++k) {
                uint8_t saved[8];
                const size_t width = k % 2 ? 4 : 8;
                memcpy(saved, f.bytes + at, 8);
                for (size_t j = 0; j < width; ++j) f.bytes[at + j] = (uint8_t)(lies[k] >> (8 * j));
                sign(&f);
                const scarce_status st = try_read(f.bytes, f.n, NULL);
                CHECK(st == SCARCE_OK || st == SCARCE_EPARSE); /* above all not ENOMEM */
                memcpy(f.bytes + at, saved, 8);
            }
        scarce_bytes_free(f.bytes);
        scarce_model_free(m);
    }
}

/* Two features of one name, and the amount column has it too: once such a file made scoring crash. */
static void test_equal_names(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    for (int i = 0; i < 2; ++i) {
        scarce_model *m = model_at(i);
        scarce__free(m->schema.features[2].name);
        m->schema.features[2].name = scarce__strdup("amount");
        file f = bytes_of(m);
        CHECK(try_read(f.bytes, f.n, &err) == SCARCE_EPARSE);
        CHECK_TEXT(err.text, "t.scarce: damaged model file: two features are named \"amount\"");
        scarce_bytes_free(f.bytes);

        /* and where a schema of that kind came about in another way, reading with it says so */
        static const char text[] = "amount,shop,fraud\n1,food,yes\n2,fuel,no\n";
        scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
        scarce__source *source = NULL;
        scarce_table *t = NULL;
        ro.format = SCARCE_FORMAT_CSV;
        ro.amount = "amount";
        ro.schema = &m->schema;
        CHECK(scarce__source_memory(&source, text, sizeof text - 1, "d.csv", NULL) == SCARCE_OK);
        CHECK(scarce__read_sources(&t, &source, 1, &ro, NULL, NULL, &err) == SCARCE_EDATA && !t);
        CHECK_TEXT(err.text, "d.csv: the model has two features named \"amount\"");
        scarce__source_close(source);
        scarce_model_free(m);
    }
}

static void test_other_files(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    scarce_model *m = linear_model();
    file f = bytes_of(m);
    CHECK(try_read((const uint8_t *)"", 0, &err) == SCARCE_EPARSE &&
          strstr(err.text, "t.scarce: not a model of scarce"));
    CHECK(try_read((const uint8_t *)"a,b,c\n1,2,3\n4,5,6\n7,8,9\n0,0,0\n", 30, &err) == SCARCE_EPARSE);
    f.bytes[6] = '\n'; /* what a transfer in text mode does */
    CHECK(try_read(f.bytes, f.n, &err) == SCARCE_EPARSE && strstr(err.text, "text mode"));
    scarce_bytes_free(f.bytes);
    scarce_model_free(m);
}

static void test_show(void)
{
    scarce_error err = SCARCE_ERROR_INIT;
    for (int i = 0; i < N_MODELS; ++i) {
        scarce_model *m = model_at(i);
        char *text = NULL;
        CHECK(scarce_model_show(&text, m, "text", &err) == SCARCE_OK && text && strstr(text, m->method));
        scarce_bytes_free(text);
        CHECK(scarce_model_show(&text, m, "json", &err) == SCARCE_OK && text && text[0] == '{');
        scarce_bytes_free(text);
        text = (char *)m;
        CHECK(scarce_model_show(&text, m, "xml", &err) == SCARCE_EUNSUPPORTED && text == NULL);
        scarce_model_free(m);
    }
}

/* A stump for each of n features, and what showing it costs in seconds of this processor. */
static double cost_of_show(size_t n)
{
    scarce_model *m = tree_model(1, 1);
    scarce__forest *f = m->body;
    char *text = NULL, last[40];

    m->schema.features = scarce__realloc_array(m->schema.features, n, sizeof *m->schema.features);
    must(m->schema.features != NULL);
    for (size_t i = MODEL_FEATURES; i < n; ++i) {
        const scarce__node nodes[3] = {
            {.feature = (int32_t)i, .left = 1, .right = 2, .gain = (float)(i + 1), .cover = 2, .rows = 2},
            {.feature = -1, .value = -1, .cover = 1, .rows = 1},
            {.feature = -1, .value = 1, .cover = 1, .rows = 1}};
        memset(&m->schema.features[i], 0, sizeof m->schema.features[i]);
        snprintf(last, sizeof last, "f%zu", i);
        m->schema.features[i].name = scarce__strdup(last);
        must(scarce__forest_add(f, nodes, 3, NULL, 0, NULL) == SCARCE_OK);
    }
    m->schema.n_features = f->n_features = n;
    scarce_importance *importance = calloc(n, sizeof *importance);
    must(importance != NULL);
    const clock_t start = clock();
    CHECK(scarce_model_show(&text, m, "text", NULL) == SCARCE_OK);
    CHECK(scarce_importance_splits(importance, m, SCARCE_SPLITS_GAIN, NULL) == SCARCE_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    /* the highest gain comes first */
    snprintf(last, sizeof last, "importances\n  f%zu ", n - 1);
    CHECK(text && strstr(text, last));
    CHECK_NEAR(importance[n - 1].value, (double)n, 1e-6 * (double)n);
    free(importance);
    scarce_bytes_free(text);
    scarce_model_free(m);
    return seconds;
}

/* Eight times the features cost about eight times as much; it was 64 times, a quarter of a minute. */
static void test_show_many(void)
{
    const double few = cost_of_show(10000), many = cost_of_show(80000);
    if (many > 20 * few + 0.5) fprintf(stderr, "10000 features: %g s, 80000: %g s\n", few, many);
    CHECK(many <= 20 * few + 0.5);
}

static const test_case tests[] = {{"round_trip", test_round_trip},
                                  {"save_and_load", test_save_and_load},
                                  {"every_byte", test_every_byte},
                                  {"every_byte_signed", test_every_byte_signed},
                                  {"cut_off", test_cut_off},
                                  {"appended", test_appended},
                                  {"sections", test_sections},
                                  {"members", test_members},
                                  {"hostile_counts", test_hostile_counts},
                                  {"equal_names", test_equal_names},
                                  {"other_files", test_other_files},
                                  {"show", test_show},
                                  {"show_many", test_show_many}};
TEST_MAIN(tests)
