/* SPDX-License-Identifier: Apache-2.0 */
/* Two layers: stored bytes (file, pipe or memory), and unpacking on top of them.
 *
 * A file is read with pread, never mapped: a mapped file that another program shortens meanwhile
 * would kill the process, and its pages would count as our memory. A pipe can't be read twice, so
 * what comes out of it is also written to a temporary file without a name. */
#include "data/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/files.h"
#include "core/wait.h"

#ifdef SCARCE_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef SCARCE_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

enum {
    PACKED_BUFFER = 1 << 18,
    SHARED_PIECE = 1 << 20,
    ZSTD_WINDOW = 27 /* 128 MB, as zstd itself allows: eleven bytes may ask for 2 GB */
};

typedef enum packing { PLAIN, GZIP, ZSTD } packing;

struct scarce__source {
    char *name;
    int fd; /* -1: memory */
    int owns_fd;
    int seekable;
    const scarce_context *ctx; /* told while a pipe is silent */
    const unsigned char *memory;
    size_t memory_size;
    uint64_t start;    /* offset of our first byte in a seekable file */
    uint64_t position; /* stored bytes taken */
    uint64_t size;     /* 0: not known */
    int spool;         /* copy of a pipe, -1 if none */
    uint64_t spooled;
    int once; /* read once: no copy */
    packing packed;
    unsigned char *in; /* packed bytes waiting */
    size_t in_begin, in_end;
    int in_frame; /* inside a member (gzip) or frame (zstd): the end of the file here is an error */
    int ended;
#ifdef SCARCE_HAVE_ZLIB
    z_stream gzip;
    int gzip_ready;
#endif
#ifdef SCARCE_HAVE_ZSTD
    ZSTD_DStream *zstd;
    unsigned long long promised, unpacked; /* bytes of the frame: by its header, and so far */
#endif
};

static scarce_status fail_io(const scarce__source *s, const char *what, int number, scarce_error *err)
{
    const char *why = scarce__io_reason(number);
    if (why) return scarce__fail(err, SCARCE_EIO, "%s: %s: %s", s->name, what, why);
    return scarce__fail(err, SCARCE_EIO, "%s: %s (error %d)", s->name, what, number);
}

/* ---- Stored bytes */

static scarce_status read_at(scarce__source *s, int fd, uint64_t offset, unsigned char *to, size_t n,
                             size_t *got, scarce_error *err)
{
    *got = 0;
    while (*got < n) {
        const ssize_t k = pread(fd, to + *got, n - *got, (off_t)(offset + *got));
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return fail_io(s, "can't be read", errno, err);
        if (k == 0) break;
        *got += (size_t)k;
    }
    return SCARCE_OK;
}

static scarce_status make_spool(scarce__source *s, scarce_error *err)
{
    s->spool = scarce__open_nameless(NULL);
    return s->spool < 0 ? fail_io(s, "can't make a temporary copy", errno, err) : SCARCE_OK;
}

static scarce_status write_spool(scarce__source *s, const unsigned char *from, size_t n, scarce_error *err)
{
    size_t done = 0;
    if (s->spool < 0) SCARCE__TRY(make_spool(s, err));
    while (done < n) {
        const ssize_t k = pwrite(s->spool, from + done, n - done, (off_t)(s->spooled + done));
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return fail_io(s, "can't write a temporary copy", errno, err);
        done += (size_t)k;
    }
    s->spooled += n;
    return SCARCE_OK;
}

static scarce_status read_pipe(scarce__source *s, unsigned char *to, size_t n, size_t *got, scarce_error *err)
{
    *got = 0;
    if (s->position < s->spooled) {
        const uint64_t left = s->spooled - s->position;
        const size_t want = n < left ? n : (size_t)left;
        SCARCE__TRY(read_at(s, s->spool, s->position, to, want, got, err));
        if (*got < want) return fail_io(s, "the temporary copy became shorter", EIO, err);
    }
    while (*got < n) {
        const scarce_progress waiting = {"read", (double)s->spooled, 0, "bytes", "", NULL, 0};
        SCARCE__TRY(scarce__wait_readable(s->fd, s->name, &waiting, s->ctx, err));
        const ssize_t k = read(s->fd, to + *got, n - *got);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return fail_io(s, "can't be read", errno, err);
        if (k == 0) break;
        if (!s->once) SCARCE__TRY(write_spool(s, to + *got, (size_t)k, err));
        *got += (size_t)k;
        if (s->once) break;
    }
    return SCARCE_OK;
}

static scarce_status read_stored(scarce__source *s, unsigned char *to, size_t n, size_t *got,
                                 scarce_error *err)
{
    *got = 0;
    if (s->fd < 0) {
        const size_t left = s->memory_size - (size_t)s->position;
        *got = n < left ? n : left;
        if (*got) memcpy(to, s->memory + s->position, *got);
    } else if (s->seekable) {
        SCARCE__TRY(read_at(s, s->fd, s->start + s->position, to, n, got, err));
    } else {
        SCARCE__TRY(read_pipe(s, to, n, got, err));
    }
    s->position += *got;
    return SCARCE_OK;
}

/* ---- Unpacking */

static scarce_status fill_packed(scarce__source *s, scarce_error *err)
{
    size_t got;
    if (s->in_begin < s->in_end) return SCARCE_OK;
    SCARCE__TRY(read_stored(s, s->in, PACKED_BUFFER, &got, err));
    s->in_begin = 0;
    s->in_end = got;
    return SCARCE_OK;
}

/* At the end of the stored bytes. */
static scarce_status finish_packed(scarce__source *s, scarce_error *err)
{
    s->ended = 1;
    if (s->in_frame)
        return scarce__fail(err, SCARCE_EPARSE, "%s: the packed file is cut off (copy it again)", s->name);
    return SCARCE_OK;
}

#ifdef SCARCE_HAVE_ZLIB
/* Members may follow each other; zeros after the last one are padding. */
static int only_zeros(const scarce__source *s)
{
    for (size_t i = s->in_begin; i < s->in_end; ++i)
        if (s->in[i] != 0) return 0;
    return 1;
}

static scarce_status read_gzip(scarce__source *s, unsigned char *to, size_t n, size_t *got, scarce_error *err)
{
    while (*got < n && !s->ended) {
        SCARCE__TRY(fill_packed(s, err));
        if (s->in_begin == s->in_end) return finish_packed(s, err);
        if (!s->in_frame) {
            if (s->in[s->in_begin] == 0 && only_zeros(s)) {
                s->in_begin = s->in_end;
                continue;
            }
            if (inflateReset(&s->gzip) != Z_OK)
                return scarce__fail(err, SCARCE_EBUG, "%s: inflate state", s->name);
            s->in_frame = 1;
        }
        const size_t room = n - *got < (1u << 30) ? n - *got : (1u << 30);
        s->gzip.next_in = s->in + s->in_begin;
        s->gzip.avail_in = (uInt)(s->in_end - s->in_begin);
        s->gzip.next_out = to + *got;
        s->gzip.avail_out = (uInt)room;
        const int code = inflate(&s->gzip, Z_NO_FLUSH);
        s->in_begin = s->in_end - s->gzip.avail_in;
        *got += room - s->gzip.avail_out;
        if (code == Z_STREAM_END) s->in_frame = 0;
        else if (code == Z_MEM_ERROR) return scarce__fail_memory(err, "unpacking gzip", 0);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return scarce__fail(err, SCARCE_EPARSE, "%s: damaged gzip data (copy the file again)", s->name);
    }
    return SCARCE_OK;
}
#endif

#ifdef SCARCE_HAVE_ZSTD
enum { ZSTD_HEADER = 18 }; /* bytes that tell everything of a frame, at most */

/* How many bytes a frame promises: the library compares it with what comes out only where it unpacks a frame in one go,
 * which depends on the room it is given. */
static scarce_status begin_frame(scarce__source *s, scarce_error *err)
{
    const size_t rest = s->in_end - s->in_begin;
    size_t got = 0;

    if (rest < ZSTD_HEADER) {
        memmove(s->in, s->in + s->in_begin, rest);
        SCARCE__TRY(read_stored(s, s->in + rest, PACKED_BUFFER - rest, &got, err));
        s->in_begin = 0;
        s->in_end = rest + got;
    }
    s->promised = ZSTD_getFrameContentSize(s->in + s->in_begin, s->in_end - s->in_begin);
    s->unpacked = 0;
    return SCARCE_OK;
}

static int breaks_promise(const scarce__source *s)
{
    return s->promised != ZSTD_CONTENTSIZE_UNKNOWN && s->promised != ZSTD_CONTENTSIZE_ERROR &&
           s->promised != s->unpacked;
}

/* A frame begins without room for what comes out of it: with room for all of it, the library would unpack it in one go
 * without a look at its window, and what is refused would depend on the room. */
static scarce_status read_zstd(scarce__source *s, unsigned char *to, size_t n, size_t *got, scarce_error *err)
{
    while (*got < n && !s->ended) {
        if (!s->in_frame) SCARCE__TRY(begin_frame(s, err));
        else SCARCE__TRY(fill_packed(s, err));
        ZSTD_inBuffer in = {s->in, s->in_end, s->in_begin};
        ZSTD_outBuffer out = {to, s->in_frame ? n : *got, *got};
        const size_t code = ZSTD_decompressStream(s->zstd, &out, &in);
        const int moved = out.pos > *got || in.pos > s->in_begin;
        s->unpacked += out.pos - *got;
        *got = out.pos;
        s->in_begin = in.pos;
        const ZSTD_ErrorCode why = ZSTD_getErrorCode(code);
        if (why == ZSTD_error_memory_allocation) return scarce__fail_memory(err, "unpacking zstd", 0);
        if (why == ZSTD_error_frameParameter_windowTooLarge)
            return scarce__fail(err, SCARCE_EUNSUPPORTED,
                                "%s: unpacking it takes a window of more than %d MB (pack it again without "
                                "--long, or unpack it first with zstd -d --long=31)",
                                s->name, 1 << (ZSTD_WINDOW - 20));
        if (ZSTD_isError(code) || (code == 0 && moved && breaks_promise(s)))
            return scarce__fail(err, SCARCE_EPARSE, "%s: damaged zstd data (copy the file again)", s->name);
        if (moved) s->in_frame = code != 0;
        if (!moved && in.pos == in.size) return finish_packed(s, err);
    }
    return SCARCE_OK;
}
#endif

static void stop_unpacking(scarce__source *s)
{
#ifdef SCARCE_HAVE_ZLIB
    if (s->gzip_ready) (void)inflateEnd(&s->gzip);
    s->gzip_ready = 0;
#endif
#ifdef SCARCE_HAVE_ZSTD
    if (s->zstd) (void)ZSTD_freeDStream(s->zstd);
    s->zstd = NULL;
#endif
}

static scarce_status start_unpacking(scarce__source *s, scarce_error *err)
{
    stop_unpacking(s);
#ifdef SCARCE_HAVE_ZLIB
    if (s->packed == GZIP) {
        memset(&s->gzip, 0, sizeof s->gzip);
        if (inflateInit2(&s->gzip, 15 + 16) != Z_OK) return scarce__fail_memory(err, "unpacking gzip", 0);
        s->gzip_ready = 1;
    }
#endif
#ifdef SCARCE_HAVE_ZSTD
    if (s->packed == ZSTD) {
        s->zstd = ZSTD_createDStream();
        if (!s->zstd) return scarce__fail_memory(err, "unpacking zstd", 0);
        (void)ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW);
    }
#endif
    return SCARCE_OK;
}

/* Takes the first bytes to see how the file is packed. For a plain one they are handed out first. */
static scarce_status look_at_start(scarce__source *s, scarce_error *err)
{
    static const unsigned char gzip_magic[2] = {0x1f, 0x8b}, zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t got;

    s->in = scarce__malloc(PACKED_BUFFER);
    if (!s->in) return scarce__fail_memory(err, "reading a file", PACKED_BUFFER);
    SCARCE__TRY(read_stored(s, s->in, 4, &got, err));
    s->in_end = got;
    if (got >= 2 && memcmp(s->in, gzip_magic, 2) == 0) s->packed = GZIP;
    if (got == 4 && memcmp(s->in, zstd_magic, 4) == 0) s->packed = ZSTD;
#ifndef SCARCE_HAVE_ZLIB
    if (s->packed == GZIP)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "%s: this build can't read gzip", s->name);
#endif
#ifndef SCARCE_HAVE_ZSTD
    if (s->packed == ZSTD)
        return scarce__fail(err, SCARCE_EUNSUPPORTED, "%s: this build can't read zstd", s->name);
#endif
    return start_unpacking(s, err);
}

/* ---- Opening and closing */

static scarce_status source_new(scarce__source **out, const char *name, scarce_error *err)
{
    scarce__source *s = scarce__calloc(1, sizeof *s);
    *out = NULL;
    if (s) {
        s->fd = s->spool = -1;
        s->name = scarce__strdup(name);
    }
    if (!s || !s->name) {
        scarce__free(s);
        return scarce__fail_memory(err, "opening a file", 0);
    }
    *out = s;
    return SCARCE_OK;
}

static scarce_status open_file(scarce__source *s, const char *path, scarce_error *err)
{
    struct stat info;

    if (strcmp(path, "-") == 0) {
        s->fd = STDIN_FILENO;
    } else {
        s->fd = scarce__open_to_wait(path);
        if (s->fd < 0) return fail_io(s, "can't be opened", errno, err);
        s->owns_fd = 1;
    }
    if (fstat(s->fd, &info) != 0) return fail_io(s, "can't be opened", errno, err);
    if (S_ISDIR(info.st_mode)) return fail_io(s, "can't be read", EISDIR, err);
    if (S_ISREG(info.st_mode)) {
        const off_t at = lseek(s->fd, 0, SEEK_CUR);
        s->seekable = at >= 0;
        s->start = at > 0 ? (uint64_t)at : 0;
        s->size = (uint64_t)info.st_size > s->start ? (uint64_t)info.st_size - s->start : 0;
    }
    return SCARCE_OK;
}

scarce_status scarce__source_open(scarce__source **out, const char *path, const scarce_context *ctx,
                                  scarce_error *err)
{
    scarce__source *s = NULL;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(source_new(&s, strcmp(path, "-") == 0 ? "stdin" : path, err));
    s->ctx = ctx;
    st = open_file(s, path, err);
    if (st == SCARCE_OK) st = look_at_start(s, err);
    if (st != SCARCE_OK) {
        scarce__source_close(s);
        return st;
    }
    *out = s;
    return SCARCE_OK;
}

scarce_status scarce__source_memory(scarce__source **out, const void *bytes, size_t n, const char *name,
                                    scarce_error *err)
{
    scarce__source *s = NULL;
    scarce_status st;

    *out = NULL;
    SCARCE__TRY(source_new(&s, name, err));
    s->memory = bytes;
    s->memory_size = n;
    s->size = n;
    st = look_at_start(s, err);
    if (st != SCARCE_OK) {
        scarce__source_close(s);
        return st;
    }
    *out = s;
    return SCARCE_OK;
}

void scarce__source_close(scarce__source *s)
{
    if (!s) return;
    stop_unpacking(s);
    if (s->owns_fd) (void)close(s->fd);
    if (s->spool >= 0) (void)close(s->spool);
    scarce__free(s->in);
    scarce__free(s->name);
    scarce__free(s);
}

/* ---- Reading */

/* What look_at_start took from a plain source. */
static size_t take_waiting(scarce__source *s, unsigned char *to, size_t n)
{
    const size_t left = s->in_end - s->in_begin, k = n < left ? n : left;
    if (k) memcpy(to, s->in + s->in_begin, k);
    s->in_begin += k;
    return k;
}

scarce_status scarce__source_read(scarce__source *s, void *buffer, size_t n, size_t *got, scarce_error *err)
{
    unsigned char *to = buffer;
    size_t more;

    *got = 0;
#ifdef SCARCE_HAVE_ZLIB
    if (s->packed == GZIP) return read_gzip(s, to, n, got, err);
#endif
#ifdef SCARCE_HAVE_ZSTD
    if (s->packed == ZSTD) return read_zstd(s, to, n, got, err);
#endif
    *got = take_waiting(s, to, n);
    if (*got == n) return SCARCE_OK;
    SCARCE__TRY(read_stored(s, to + *got, n - *got, &more, err));
    *got += more;
    return SCARCE_OK;
}

typedef struct shared_read {
    scarce__source *source;
    unsigned char *to;
    size_t n;
    size_t *got;
    scarce_status *status;
    scarce_error *errors;
} shared_read;

static void read_piece(void *arg, size_t index, int worker)
{
    const shared_read *r = arg;
    scarce__source *s = r->source;
    const size_t begin = index * SHARED_PIECE;
    const size_t n = r->n - begin < SHARED_PIECE ? r->n - begin : SHARED_PIECE;
    (void)worker;
    r->status[index] = read_at(s, s->fd, s->start + s->position + begin, r->to + begin, n, &r->got[index],
                               &r->errors[index]);
}

scarce_status scarce__source_read_shared(scarce__source *s, void *buffer, size_t n, size_t *got,
                                         scarce__pool *pool, scarce_error *err)
{
    enum { MOST = 64 };
    size_t part[MOST];
    scarce_status status[MOST];
    unsigned char *to = buffer;

    if (s->packed != PLAIN || !s->seekable || scarce__pool_threads(pool) < 2 || n < 2 * SHARED_PIECE)
        return scarce__source_read(s, buffer, n, got, err);
    *got = take_waiting(s, to, n);
    scarce_error *errors = scarce__calloc(MOST, sizeof *errors);
    if (!errors) return scarce__fail_memory(err, "reading a file", 0);
    scarce_status st = SCARCE_OK;
    for (int more = 1; more && *got < n && st == SCARCE_OK;) {
        const size_t left = n - *got,
                     want = left < (size_t)MOST * SHARED_PIECE ? left : (size_t)MOST * SHARED_PIECE;
        const size_t pieces = scarce__blocks(want, SHARED_PIECE);
        shared_read r = {s, to + *got, want, part, status, errors};
        scarce__pool_run(pool, pieces, read_piece, &r);
        for (size_t i = 0; i < pieces && more && st == SCARCE_OK; ++i) {
            const size_t full =
                want - i * SHARED_PIECE < SHARED_PIECE ? want - i * SHARED_PIECE : SHARED_PIECE;
            st = status[i];
            if (st != SCARCE_OK && err) *err = errors[i];
            *got += part[i];
            s->position += part[i];
            more = part[i] == full; /* a short piece is the end of the file */
        }
    }
    scarce__free(errors);
    return st;
}

void scarce__source_once(scarce__source *s)
{
    s->once = 1;
}

scarce_status scarce__source_rewind(scarce__source *s, scarce_error *err)
{
    size_t got;
    if (s->once && !s->seekable && s->fd >= 0)
        return scarce__fail(err, SCARCE_EBUG, "%s: it can be read once", s->name);
    s->position = 0;
    s->in_begin = s->in_end = 0;
    s->in_frame = s->ended = 0;
    SCARCE__TRY(start_unpacking(s, err));
    if (s->packed != PLAIN) return SCARCE_OK;
    SCARCE__TRY(read_stored(s, s->in, 4, &got, err));
    s->in_end = got;
    return SCARCE_OK;
}

int scarce__source_is_packed(const scarce__source *s)
{
    return s->packed != PLAIN;
}

const char *scarce__source_name(const scarce__source *s)
{
    return s->name;
}

uint64_t scarce__source_size(const scarce__source *s)
{
    return s->size;
}

uint64_t scarce__source_position(const scarce__source *s)
{
    return s->position;
}
