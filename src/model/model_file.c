/* SPDX-License-Identifier: Apache-2.0 */
/* Models to bytes and back: docs/model-format.md. The reader believes nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/outfile.h"
#include "data/profile.h"
#include "model/model.h"

enum { VERSION = 2, VERSION_AT = 8, HEADER = 16, CHECKSUM = 8 }; /* VERSION: the newest read */
static const char magic[8] = {'S', 'C', 'A', 'R', 'C', 'E', '\r', '\n'};

/* ---- writing */

void scarce__schema_write(const scarce_schema *s, scarce__writer *w)
{
    scarce__put_text(w, s->label);
    scarce__put_text(w, s->positive);
    scarce__put_text(w, s->negative);
    scarce__put_text(w, s->weight_name);
    scarce__put_text(w, s->time_name);
    scarce__put_text(w, s->group_name);
    scarce__put_text(w, s->amount_name);
    scarce__put_u64(w, s->n_features);
    for (size_t f = 0; f < s->n_features; ++f) {
        const scarce__feature *feature = &s->features[f];
        scarce__put_text(w, feature->name);
        scarce__put_u8(w, (uint8_t)feature->kind);
        if (feature->kind != SCARCE_COLUMN_CATEGORY) continue;
        scarce__put_u64(w, feature->categories.count);
        for (size_t c = 0; c < feature->categories.count; ++c)
            scarce__put_text(w, scarce__dictionary_text(&feature->categories, c));
    }
}

static void write_meta(const scarce_model *m, scarce__writer *w)
{
    scarce__put_text(w, m->method);
    scarce__put_u64(w, m->n_notes);
    for (size_t i = 0; i < m->n_notes; ++i) {
        scarce__put_text(w, m->notes[i].key);
        scarce__put_text(w, m->notes[i].value);
    }
}

static void write_calibrator(const scarce_model *m, scarce__writer *w)
{
    const scarce__calibrator *c = &m->calibrator;
    scarce__put_u8(w, (uint8_t)m->has_probability);
    scarce__put_u8(w, (uint8_t)c->kind);
    scarce__put_f64(w, c->a);
    scarce__put_f64(w, c->b);
    scarce__put_f64(w, c->c);
    scarce__put_u64(w, c->n_knots);
    for (size_t i = 0; i < c->n_knots; ++i) {
        scarce__put_f64(w, c->x[i]);
        scarce__put_f64(w, c->y[i]);
    }
}

/* How the training rows were written, and what they lacked. */
static int has_reading(const scarce_model *m)
{
    const scarce_writing *w = &m->schema.writing;
    return m->missing || w->decimal || w->date_order != SCARCE_DATE_AUTO ||
           w->time_format != SCARCE_TIME_AUTO;
}

static void write_reading(const scarce_model *m, scarce__writer *w)
{
    scarce__put_u8(w, (uint8_t)m->schema.writing.decimal);
    scarce__put_u8(w, (uint8_t)m->schema.writing.date_order);
    scarce__put_u8(w, (uint8_t)m->schema.writing.time_format);
    scarce__put_u64(w, m->missing ? m->schema.n_features : 0);
    for (size_t f = 0; m->missing && f < m->schema.n_features; ++f) scarce__put_f32(w, m->missing[f]);
}

static void write_classes(const scarce_model *m, scarce__writer *w)
{
    const scarce__dictionary *d = &m->schema.classes;

    scarce__put_u64(w, d->count);
    for (size_t j = 0; j < d->count; ++j) scarce__put_text(w, scarce__dictionary_text(d, j));
}

static size_t begin_section(scarce__writer *w, const char *tag)
{
    scarce__put(w, tag, 4);
    return scarce__put_begin(w);
}

scarce_status scarce_model_bytes(void **out, size_t *n, const scarce_model *model, scarce_error *err)
{
    scarce__writer w = {0};
    const int more = model->kind->has_more && model->kind->has_more(model->body);
    size_t place;

    *out = NULL;
    *n = 0;
    scarce__put(&w, magic, sizeof magic);
    scarce__put_u32(&w, 1); /* set right when the body is written */
    scarce__put_u32(&w, 5u + (model->state != NULL) + (more != 0) + (has_reading(model) != 0) +
                            (model->profile != NULL) + (model->schema.classes.count > 0));
    place = begin_section(&w, "META");
    write_meta(model, &w);
    scarce__put_end(&w, place);
    place = begin_section(&w, "SCHM");
    scarce__schema_write(&model->schema, &w);
    scarce__put_end(&w, place);
    place = begin_section(&w, model->kind->tag);
    const uint32_t version = model->kind->write(model->body, &model->schema, &w);
    scarce__put_end(&w, place);
    if (!w.failed) w.bytes[VERSION_AT] = (uint8_t)version;
    if (more) {
        place = begin_section(&w, model->kind->more_tag);
        model->kind->write_more(model->body, &w);
        scarce__put_end(&w, place);
    }
    place = begin_section(&w, "CALB");
    write_calibrator(model, &w);
    scarce__put_end(&w, place);
    place = begin_section(&w, "THRS");
    scarce__put_u8(&w, (uint8_t)model->alert_rule);
    scarce__put_f64(&w, model->alert_value);
    scarce__put_end(&w, place);
    if (has_reading(model)) {
        place = begin_section(&w, "read");
        write_reading(model, &w);
        scarce__put_end(&w, place);
    }
    if (model->schema.classes.count) {
        place = begin_section(&w, "clas");
        write_classes(model, &w);
        scarce__put_end(&w, place);
    }
    if (model->profile) {
        place = begin_section(&w, "dist");
        scarce__profile_write(model->profile, &model->schema, &w);
        scarce__put_end(&w, place);
    }
    if (model->state) {
        place = begin_section(&w, "stat");
        scarce__put(&w, model->state, model->n_state);
        scarce__put_end(&w, place);
    }
    if (!w.failed) scarce__put_u64(&w, scarce__crc64(w.bytes, w.n));
    if (w.failed) {
        scarce__writer_deinit(&w);
        return scarce__fail_memory(err, "the bytes of a model", 0);
    }
    *out = w.bytes;
    *n = w.n;
    return SCARCE_OK;
}

scarce_status scarce_model_save(const scarce_model *model, const char *path, scarce_error *err)
{
    scarce__outfile *file = NULL;
    void *bytes = NULL;
    size_t n = 0;
    scarce_status st = scarce_model_bytes(&bytes, &n, model, err);

    if (st == SCARCE_OK) st = scarce__outfile_open(&file, path, err);
    if (st == SCARCE_OK) st = scarce__outfile_write(file, bytes, n, err);
    if (st == SCARCE_OK) st = scarce__outfile_commit(file, err);
    else scarce__outfile_abort(file);
    scarce__free(bytes);
    return st;
}

#define NO_MODEL                                                                                             \
    "%s: not a model of scarce (scarce train makes one, scarce convert takes those of other tools)"

/* ---- reading */

typedef struct place {
    const char *name;
    scarce_error *err;
    int no_memory;
} place;

static scarce_status damaged(const place *at, const char *what)
{
    if (at->no_memory) return scarce__fail_memory(at->err, "a model", 0);
    return scarce__fail(at->err, SCARCE_EPARSE, "%s: damaged model file: %s", at->name, what);
}

static scarce_status read_meta(scarce_model *m, scarce__reader *r, place *at)
{
    size_t n;
    m->method = scarce__get_text(r, &at->no_memory);
    n = scarce__get_count(r, 8);
    if (!m->method || r->failed) return damaged(at, "its description is cut off");
    m->notes = scarce__calloc(n, sizeof *m->notes);
    if (!m->notes) return scarce__fail_memory(at->err, "a model's notes", 0);
    for (size_t i = 0; i < n; ++i) {
        m->notes[i].key = scarce__get_text(r, &at->no_memory);
        m->notes[i].value = scarce__get_text(r, &at->no_memory);
        m->n_notes = i + 1;
        if (!m->notes[i].key || !m->notes[i].value) return damaged(at, "its description is cut off");
    }
    return SCARCE_OK;
}

/* A list of different texts. */
static scarce_status read_texts(scarce__dictionary *out, scarce__reader *r, place *at)
{
    const size_t n = scarce__get_count(r, 4);
    for (size_t c = 0; c < n && !r->failed; ++c) {
        const uint32_t length = scarce__get_u32(r);
        const uint8_t *text = scarce__get(r, length);
        size_t code;
        if (!text || memchr(text, 0, length)) return damaged(at, "a category is cut off");
        code = scarce__dictionary_add(out, (const char *)text, length);
        if (code == SIZE_MAX) return scarce__fail_memory(at->err, "categories", 0);
        if (code != c) return damaged(at, "a category appears twice");
    }
    return r->failed ? damaged(at, "its categories are cut off") : SCARCE_OK;
}

static scarce_status read_schema(scarce_schema *s, scarce__reader *r, place *at)
{
    char **const texts[] = {&s->label,     &s->positive,   &s->negative,   &s->weight_name,
                            &s->time_name, &s->group_name, &s->amount_name};
    size_t n;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        *texts[i] = scarce__get_text(r, &at->no_memory);
    n = scarce__get_count(r, 5);
    if (r->failed || at->no_memory) return damaged(at, "its features are cut off");
    s->features = scarce__calloc(n, sizeof *s->features);
    if (!s->features) return scarce__fail_memory(at->err, "features", 0);
    for (size_t f = 0; f < n; ++f) {
        scarce__feature *feature = &s->features[f];
        uint8_t kind;
        s->n_features = f + 1;
        feature->name = scarce__get_text(r, &at->no_memory);
        kind = scarce__get_u8(r);
        if (!feature->name || r->failed) return damaged(at, "its features are cut off");
        if (kind > SCARCE_COLUMN_SPARSE) return damaged(at, "a feature is of no known kind");
        feature->kind = (scarce_column_kind)kind;
        if (feature->kind == SCARCE_COLUMN_CATEGORY) SCARCE__TRY(read_texts(&feature->categories, r, at));
    }
    const scarce_status st = scarce__schema_check(s, SCARCE_EPARSE, at->err);
    if (st == SCARCE_EPARSE) scarce__fail_prefix(at->err, "%s: damaged model file: ", at->name);
    return st;
}

scarce_status scarce__schema_read(scarce_schema *s, scarce__reader *r, const char *name, scarce_error *err)
{
    place at = {name, err, 0};
    return read_schema(s, r, &at);
}

static scarce_status read_calibrator(scarce_model *m, scarce__reader *r, place *at)
{
    const uint8_t has = scarce__get_u8(r);
    const uint8_t kind = scarce__get_u8(r);
    scarce__calibrator *c = &m->calibrator;
    size_t n;

    c->a = scarce__get_f64(r);
    c->b = scarce__get_f64(r);
    c->c = scarce__get_f64(r);
    n = scarce__get_count(r, 16);
    if (r->failed || has > 1 || kind > SCARCE__CALIBRATOR_SHIFT)
        return damaged(at, "its calibration is of no known kind");
    m->has_probability = has;
    c->kind = (scarce__calibrator_kind)kind;
    if (n) {
        c->x = scarce__malloc_array(n, sizeof(double));
        c->y = scarce__malloc_array(n, sizeof(double));
        if (!c->x || !c->y) return scarce__fail_memory(at->err, "a calibration", 0);
    }
    c->n_knots = n;
    for (size_t i = 0; i < n; ++i) {
        c->x[i] = scarce__get_f64(r);
        c->y[i] = scarce__get_f64(r);
    }
    if (r->failed) return damaged(at, "its calibration is cut off");
    if (scarce__calibrator_check(c, at->err) != SCARCE_OK)
        return damaged(at, "its calibration holds impossible numbers");
    return SCARCE_OK;
}

static scarce_status read_threshold(scarce_model *m, scarce__reader *r, place *at)
{
    const uint8_t rule = scarce__get_u8(r);
    m->alert_value = scarce__get_f64(r);
    if (r->failed || rule > SCARCE__ALERT_AMOUNT || isnan(m->alert_value))
        return damaged(at, "its threshold is not a number");
    m->alert_rule = (scarce__alert_rule)rule;
    return SCARCE_OK;
}

static scarce_status read_body(scarce_model *m, const scarce__kind *kind, scarce__reader *r, place *at)
{
    const scarce_status st = kind->read(&m->body, &m->schema, r, at->err);
    if (st == SCARCE_OK) m->kind = kind;
    else scarce__fail_prefix(at->err, "%s: %s", at->name, st == SCARCE_EPARSE ? "damaged model file: " : "");
    return st;
}

static scarce_status read_more(scarce_model *m, scarce__reader *r, place *at)
{
    const scarce_status st = m->kind->read_more(m->body, r, at->err);
    if (st != SCARCE_OK)
        scarce__fail_prefix(at->err, "%s: %s", at->name, st == SCARCE_EPARSE ? "damaged model file: " : "");
    return st;
}

static scarce_status read_reading(scarce_model *m, scarce__reader *r, place *at)
{
    const uint8_t decimal = scarce__get_u8(r), order = scarce__get_u8(r), format = scarce__get_u8(r);
    const size_t n = scarce__get_count(r, 4);

    if (r->failed || (decimal != 0 && decimal != '.' && decimal != ',') || order > SCARCE_DATE_YMD ||
        format > SCARCE_TIME_DATES || (n != 0 && n != m->schema.n_features))
        return damaged(at, "how its training rows were written is not known");
    m->schema.writing = (scarce_writing){(char)decimal, (scarce_date_order)order, (scarce_time_format)format};
    if (n == 0) return SCARCE_OK;
    m->missing = scarce__malloc_array(n, sizeof *m->missing);
    if (!m->missing) return scarce__fail_memory(at->err, "a model", 0);
    for (size_t f = 0; f < n; ++f) {
        m->missing[f] = scarce__get_f32(r);
        if (!(m->missing[f] >= 0 && m->missing[f] <= 1))
            return damaged(at, "a share of missing values is none");
    }
    return SCARCE_OK;
}

static scarce_status read_classes(scarce_model *m, scarce__reader *r, place *at)
{
    SCARCE__TRY(read_texts(&m->schema.classes, r, at));
    return m->schema.classes.count <= SCARCE__MOST_CLASSES ? SCARCE_OK
                                                           : damaged(at, "it has too many classes");
}

static scarce_status read_profile(scarce_model *m, scarce__reader *r, place *at)
{
    SCARCE__TRY(scarce__profile_read(&m->profile, &m->schema, r, at->err));
    return r->failed ? damaged(at, "the spread of its training rows is none") : SCARCE_OK;
}

static scarce_status read_state(scarce_model *m, scarce__reader *r, place *at)
{
    m->n_state = (size_t)(r->end - r->at);
    m->state = scarce__malloc(m->n_state);
    if (!m->state) return scarce__fail_memory(at->err, "a checkpoint", 0);
    memcpy(m->state, scarce__get(r, m->n_state), m->n_state);
    return SCARCE_OK;
}

enum {
    HAS_META = 1,
    HAS_SCHEMA = 2,
    HAS_BODY = 4,
    HAS_CALIBRATOR = 8,
    HAS_THRESHOLD = 16,
    HAS_STATE = 32,
    HAS_MORE = 64, /* the second section of the body, after it */
    HAS_READING = 128,
    HAS_PROFILE = 256,
    HAS_CLASSES = 512
};
enum { HAS_ALL = HAS_META | HAS_SCHEMA | HAS_BODY | HAS_CALIBRATOR | HAS_THRESHOLD };

/* `body`: the kind of the body read so far, or NULL; `kind`: the kind with this tag, or NULL. */
static int section_of(const uint8_t *tag, const scarce__kind *kind, const scarce__kind *body)
{
    static const struct {
        char tag[5];
        int is;
    } known[] = {{"META", HAS_META},      {"SCHM", HAS_SCHEMA},  {"CALB", HAS_CALIBRATOR},
                 {"THRS", HAS_THRESHOLD}, {"read", HAS_READING}, {"dist", HAS_PROFILE},
                 {"stat", HAS_STATE},     {"clas", HAS_CLASSES}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (memcmp(known[i].tag, tag, 4) == 0) return known[i].is;
    if (body && body->read_more && memcmp(body->more_tag, tag, 4) == 0) return HAS_MORE;
    return kind ? HAS_BODY : 0;
}

/* One section; `seen` collects what was there, so that nothing comes twice or too early. */
static scarce_status read_section(scarce_model *m, const uint8_t *tag, scarce__reader *r, int *seen,
                                  place *at)
{
    const scarce__kind *kind = scarce__kind_of_tag(tag);
    const int is = section_of(tag, kind, m->kind);
    scarce_status st = SCARCE_OK;

    if (is == 0 && tag[0] >= 'a' && tag[0] <= 'z') return SCARCE_OK; /* from a later release, and optional */
    if (is == 0) return damaged(at, "a section of no known name");
    if (*seen & is) return damaged(at, "a section appears twice");
    if ((is == HAS_BODY || is == HAS_READING || is == HAS_PROFILE || is == HAS_CLASSES) &&
        !(*seen & HAS_SCHEMA))
        return damaged(at, "the features come too late");
    *seen |= is;
    switch (is) {
    case HAS_META: st = read_meta(m, r, at); break;
    case HAS_SCHEMA: st = read_schema(&m->schema, r, at); break;
    case HAS_BODY: st = read_body(m, kind, r, at); break;
    case HAS_MORE: st = read_more(m, r, at); break;
    case HAS_CALIBRATOR: st = read_calibrator(m, r, at); break;
    case HAS_THRESHOLD: st = read_threshold(m, r, at); break;
    case HAS_READING: st = read_reading(m, r, at); break;
    case HAS_PROFILE: st = read_profile(m, r, at); break;
    case HAS_CLASSES: st = read_classes(m, r, at); break;
    default: st = read_state(m, r, at); break;
    }
    if (st == SCARCE_OK && (r->failed || r->at != r->end)) st = damaged(at, "a section has the wrong length");
    return st;
}

static scarce_status check_header(const uint8_t *bytes, size_t n, const place *at)
{
    scarce__reader r = scarce__reader_of(bytes, n);
    uint32_t version;

    if (n < HEADER + CHECKSUM || memcmp(bytes, magic, 6) != 0)
        return scarce__fail(at->err, SCARCE_EPARSE, NO_MODEL, at->name);
    if (memcmp(bytes, magic, 8) != 0) return damaged(at, "it was changed by a transfer in text mode");
    (void)scarce__get(&r, 8);
    version = scarce__get_u32(&r);
    if (version > VERSION)
        return scarce__fail(
            at->err, SCARCE_EVERSION,
            "%s: model format %u is newer than this release of scarce (%s) reads: update scarce", at->name,
            version, SCARCE_VERSION_TEXT);
    if (version == 0) return damaged(at, "its version is 0");
    r = scarce__reader_of(bytes + n - CHECKSUM, CHECKSUM);
    if (scarce__get_u64(&r) != scarce__crc64(bytes, n - CHECKSUM))
        return damaged(at, "the checksum does not match (copy it again)");
    return SCARCE_OK;
}

scarce_status scarce_model_read(scarce_model **out, const void *bytes, size_t n, const char *name,
                                scarce_error *err)
{
    place at = {name, err, 0};
    scarce_model *m = NULL;
    scarce__reader r;
    scarce_status st = SCARCE_OK;
    uint32_t sections;
    int seen = 0;

    *out = NULL;
    SCARCE__TRY(check_header(bytes, n, &at));
    m = scarce__calloc(1, sizeof *m);
    if (!m) return scarce__fail_memory(err, "a model", 0);
    r = scarce__reader_of((const uint8_t *)bytes + 12, n - 12 - CHECKSUM);
    sections = scarce__get_u32(&r);
    for (uint32_t i = 0; i < sections && st == SCARCE_OK; ++i) {
        const uint8_t *tag = scarce__get(&r, 4);
        const size_t length = scarce__get_count(&r, 1);
        const uint8_t *body = scarce__get(&r, length);
        scarce__reader inside;
        if (!tag || !body) {
            st = damaged(&at, "a section is cut off");
            break;
        }
        inside = scarce__reader_of(body, length);
        st = read_section(m, tag, &inside, &seen, &at);
    }
    if (st == SCARCE_OK && ((seen & HAS_ALL) != HAS_ALL || r.at != r.end))
        st = damaged(&at, "a section is missing");
    if (st != SCARCE_OK) {
        scarce_model_free(m);
        return st;
    }
    *out = m;
    return SCARCE_OK;
}

static scarce_status check_start(const void *first, size_t n, const char *path, scarce_error *err)
{
    if (n >= HEADER + CHECKSUM && memcmp(first, magic, 6) == 0) return SCARCE_OK;
    return scarce__fail(err, SCARCE_EPARSE, NO_MODEL, path);
}

scarce_status scarce_model_load(scarce_model **out, const char *path, scarce_error *err)
{
    scarce__writer all = {0};
    scarce_status st = scarce__read_file(&all, path, check_start, err);

    *out = NULL;
    if (st == SCARCE_OK)
        st = scarce_model_read(out, all.bytes ? all.bytes : (const uint8_t *)"", all.n, path, err);
    scarce__writer_deinit(&all);
    return st;
}
