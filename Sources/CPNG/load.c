#include "CPNG.h"
#include <dlfcn.h>
#include <errno.h>
#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;
static __typeof__(png_image_write_to_memory) *write_to_memory;
static __typeof__(png_image_free) *free_image;

static void load(void) {
    void *library = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libpng16.so.16 is not installed: apt install libpng16-16";
        return;
    }
    *(void **)&write_to_memory = dlsym(library, "png_image_write_to_memory");
    *(void **)&free_image = dlsym(library, "png_image_free");
    if (!write_to_memory || !free_image) missing = "libpng16.so.16 has no simplified interface: apt install libpng16-16";
}

int cpng_load(void) {
    pthread_once(&once, load);
    return missing ? -ENOENT : 0;
}

const char *cpng_missing(void) {
    return missing ? missing : "";
}

size_t cpng_bound(int width, int height) {
    // What deflate adds at most to what it cannot compress, and the headers.
    size_t raw = ((size_t)width * 3 + 1) * (size_t)height;
    return raw + raw / 500 + 4096;
}

size_t cpng_compress(const uint8_t *from, int stride, int width, int height, uint8_t *to, size_t bound, char why[200]) {
    // The library has no "B, G, R and nothing": a copy without the fourth byte.
    uint8_t *packed = malloc((size_t)width * 3 * (size_t)height);
    if (!packed) {
        snprintf(why, 200, "out of memory");
        return 0;
    }
    for (int row = 0; row < height; row++) {
        const uint8_t *source = from + (size_t)row * (size_t)stride;
        uint8_t *target = packed + (size_t)row * (size_t)width * 3;
        for (int column = 0; column < width; column++) memcpy(target + column * 3, source + column * 4, 3);
    }
    png_image image = {.version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height,
                       .format = PNG_FORMAT_BGR, .flags = PNG_IMAGE_FLAG_FAST};
    png_alloc_size_t size = bound;
    int good = write_to_memory(&image, to, &size, 0, packed, width * 3, NULL);
    if (!good) snprintf(why, 200, "%s", image.message);
    free_image(&image);
    free(packed);
    return good ? size : 0;
}
