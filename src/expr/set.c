/* SPDX-License-Identifier: Apache-2.0 */
/* Up to eight values are an array. More are a table: open addressing with linear probing, at most half full; removal
 * closes the gap (Knuth 6.4, algorithm R), so that no marks are left behind by years of edits. */
#include "expr/set.h"

#include "core/alloc.h"
#include "core/entropy.h"
#include "core/hash.h"

typedef struct slot {
    uint64_t hash;
    scarce__value value; /* known: taken; a text is the set's own */
} slot;

enum { FEW = 8 };

struct scarce__set {
    scarce__type type;
    size_t count, n_slots; /* a power of two */
    slot *slots;           /* NULL: the values are */
    scarce__value few[FEW];
    size_t longest; /* bytes of a text in it, ever */
};

scarce_status scarce__set_new(scarce__set **out, scarce__type type, scarce_error *err)
{
    scarce__set *s;

    *out = NULL;
    s = scarce__calloc(1, sizeof *s);
    if (!s) return scarce__fail_memory(err, "a list", sizeof *s);
    s->type = type == SCARCE__FLAG ? SCARCE__NUMBER : type;
    *out = s;
    return SCARCE_OK;
}

static int has_texts(const scarce__set *s)
{
    return s->type == SCARCE__WORD;
}

static void free_text(const scarce__set *s, const scarce__value *v)
{
    if (has_texts(s)) scarce__free((void *)(uintptr_t)v->as.text);
}

void scarce__set_free(scarce__set *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_slots; ++i)
        if (s->slots[i].value.known) free_text(s, &s->slots[i].value);
    for (size_t i = 0; !s->slots && i < s->count; ++i) free_text(s, &s->few[i]);
    scarce__free(s->slots);
    scarce__free(s);
}

scarce__type scarce__set_type(const scarce__set *s)
{
    return s->type;
}

size_t scarce__set_count(const scarce__set *s)
{
    return s->count;
}

/* The text that is looked for: in `buffer`, where capitals are to be read as small letters. */
static scarce__value plain(const scarce__value *v, char buffer[SCARCE__SET_LONGEST])
{
    scarce__value out = *v;
    if (!v->folded) return out;
    for (uint32_t i = 0; i < v->size; ++i) {
        const char c = v->as.text[i];
        buffer[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    out.as.text = buffer;
    out.folded = 0;
    return out;
}

static uint64_t hash_of(const scarce__set *s, const scarce__value *v)
{
    const double number = v->as.number + 0.0; /* -0 is 0 */
    if (has_texts(s)) return scarce__hash_bytes(scarce__process_key(), v->as.text, v->size);
    return scarce__hash_bytes(0, &number, sizeof number);
}

static int same(const scarce__set *s, const scarce__value *a, const scarce__value *b)
{
    if (!has_texts(s)) return a->as.number == b->as.number;
    return a->size == b->size && memcmp(a->as.text, b->as.text, a->size) == 0;
}

/* Where it is, or the free slot where it would be. */
static size_t place_of(const scarce__set *s, const scarce__value *v, uint64_t hash)
{
    size_t i = hash & (s->n_slots - 1);
    while (s->slots[i].value.known && !(s->slots[i].hash == hash && same(s, &s->slots[i].value, v)))
        i = (i + 1) & (s->n_slots - 1);
    return i;
}

/* Puts a value that isn't there yet into a free slot. */
static void put(scarce__set *s, const scarce__value *v, uint64_t hash)
{
    size_t k = hash & (s->n_slots - 1);
    while (s->slots[k].value.known) k = (k + 1) & (s->n_slots - 1);
    s->slots[k].hash = hash;
    s->slots[k].value = *v;
}

static int grow(scarce__set *s)
{
    const size_t n = s->n_slots ? 2 * s->n_slots : 4 * FEW;
    scarce__set larger = *s;

    larger.slots = scarce__calloc(n, sizeof *larger.slots);
    if (!larger.slots) return 0;
    larger.n_slots = n;
    for (size_t i = 0; i < s->n_slots; ++i)
        if (s->slots[i].value.known) put(&larger, &s->slots[i].value, s->slots[i].hash);
    for (size_t i = 0; !s->slots && i < s->count; ++i) put(&larger, &s->few[i], hash_of(s, &s->few[i]));
    scarce__free(s->slots);
    *s = larger;
    return 1;
}

/* Where it is among the few, or their count. */
static size_t find_few(const scarce__set *s, const scarce__value *v)
{
    size_t i = 0;
    while (i < s->count && !same(s, &s->few[i], v)) ++i;
    return i;
}

static int has_plain(const scarce__set *s, const scarce__value *v)
{
    if (!s->slots) return find_few(s, v) < s->count;
    return s->slots[place_of(s, v, hash_of(s, v))].value.known;
}

scarce_status scarce__set_add(scarce__set *s, scarce__value v, scarce_error *err)
{
    char buffer[SCARCE__SET_LONGEST];

    if (has_texts(s)) {
        if (v.size > SCARCE__SET_LONGEST)
            return scarce__fail(err, SCARCE_EINVAL, "a text of a list has %u bytes, the most is %d", v.size,
                                SCARCE__SET_LONGEST);
        v = plain(&v, buffer);
    }
    if (has_plain(s, &v)) return SCARCE_OK;
    if ((s->slots ? 2 * (s->count + 1) > s->n_slots : s->count == FEW) && !grow(s))
        return scarce__fail_memory(err, "a list", 0);
    if (has_texts(s)) {
        char *copy = scarce__malloc(v.size);
        if (!copy) return scarce__fail_memory(err, "a list", v.size);
        memcpy(copy, v.as.text, v.size);
        v.as.text = copy;
        if (v.size > s->longest) s->longest = v.size;
    }
    if (s->slots) put(s, &v, hash_of(s, &v));
    else s->few[s->count] = v;
    ++s->count;
    return SCARCE_OK;
}

int scarce__set_has(const scarce__set *s, const scarce__value *v)
{
    char buffer[SCARCE__SET_LONGEST];
    scarce__value wanted;

    if (s->count == 0 || (has_texts(s) && v->size > s->longest)) return 0;
    if (!has_texts(s) || !v->folded) return has_plain(s, v);
    wanted = plain(v, buffer);
    return has_plain(s, &wanted);
}

static void remove_slot(scarce__set *s, size_t hole)
{
    const size_t mask = s->n_slots - 1;

    for (size_t next = (hole + 1) & mask; s->slots[next].value.known; next = (next + 1) & mask) {
        const size_t home = s->slots[next].hash & mask;
        if (((next - home) & mask) < ((next - hole) & mask)) continue; /* it would stand before its home */
        s->slots[hole] = s->slots[next];
        hole = next;
    }
    s->slots[hole].value.known = 0;
}

int scarce__set_remove(scarce__set *s, scarce__value v)
{
    size_t i;

    if (v.folded || !scarce__set_has(s, &v)) return 0;
    if (s->slots) {
        i = place_of(s, &v, hash_of(s, &v));
        free_text(s, &s->slots[i].value);
        remove_slot(s, i);
    } else {
        i = find_few(s, &v);
        free_text(s, &s->few[i]);
        s->few[i] = s->few[s->count - 1];
    }
    --s->count;
    return 1;
}
