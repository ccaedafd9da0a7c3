// libpng's simplified interface, loaded at first use.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Loads libpng16.so.16 once, from any thread; 0, or -ENOENT with the reason in cpng_missing().
int cpng_load(void);
const char *cpng_missing(void);

// The greatest size that a picture can come to.
size_t cpng_bound(int width, int height);
// Compresses B, G, R, A into `to`, of cpng_bound() bytes, without the A. Answers its size; 0 when it cannot, with the reason
// in `why`.
size_t cpng_compress(const uint8_t *from, int stride, int width, int height, uint8_t *to, size_t bound, char why[200]);
