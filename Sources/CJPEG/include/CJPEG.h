// libjpeg-turbo's TurboJPEG, loaded at first use: its own header, a table of its functions, and shims that call through it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <turbojpeg.h>

#define CJPEG_FUNCTIONS(X) \
    X(tjInitCompress) X(tjInitDecompress) X(tjDestroy) X(tjBufSize) X(tjCompress2) X(tjDecompress2) \
    X(tjGetErrorStr2) X(tjGetErrorCode)

struct cjpeg_table {
#define X(name) __typeof__(name) *name;
    CJPEG_FUNCTIONS(X)
#undef X
};
extern struct cjpeg_table cjpeg_table; // filled by cjpeg_load(); never used before it answered 0

// Loads libturbojpeg.so.0 once, from any thread; 0, or -ENOENT with the reason in cjpeg_missing().
int cjpeg_load(void);
const char *cjpeg_missing(void);

// The greatest size that a picture can come to.
static inline size_t cjpeg_bound(int width, int height) {
    return cjpeg_table.tjBufSize(width, height, TJSAMP_420);
}
// Compresses B, G, R and a byte that means nothing into `to`, of cjpeg_bound() bytes. Answers its size; 0 when it cannot,
// with the reason in `why`.
size_t cjpeg_compress(
    const uint8_t *from, int stride, int width, int height, int quality, uint8_t *to, size_t bound, char why[200]);
// Decompresses into B, G, R, A. 0; 1 when the picture is damaged and what could be read is there; -1 when it cannot.
int cjpeg_decompress(
    const uint8_t *from, size_t count, uint8_t *to, int stride, int width, int height, char why[200]);
