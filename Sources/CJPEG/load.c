#include "CJPEG.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

struct cjpeg_table cjpeg_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libturbojpeg.so.0 is not installed: apt install libturbojpeg0";
        return;
    }
#define X(name)                                                                     \
    *(void **)&cjpeg_table.name = dlsym(library, #name);                            \
    if (!cjpeg_table.name) {                                                        \
        missing = "libturbojpeg.so.0 has no " #name ": apt install libturbojpeg0";  \
        return;                                                                     \
    }
    CJPEG_FUNCTIONS(X)
#undef X
}

int cjpeg_load(void) {
    pthread_once(&once, load);
    return missing ? -ENOENT : 0;
}

const char *cjpeg_missing(void) {
    return missing ? missing : "";
}

static void say(tjhandle handle, char why[200]) {
    snprintf(why, 200, "%s", cjpeg_table.tjGetErrorStr2(handle));
}

size_t cjpeg_compress(
    const uint8_t *from, int stride, int width, int height, int quality, uint8_t *to, size_t bound, char why[200]) {
    tjhandle handle = cjpeg_table.tjInitCompress();
    if (!handle) {
        say(NULL, why);
        return 0;
    }
    unsigned long size = bound;
    int answer = cjpeg_table.tjCompress2(
        handle, from, width, stride, height, TJPF_BGRX, &to, &size, TJSAMP_420, quality, TJFLAG_NOREALLOC);
    if (answer < 0) say(handle, why);
    cjpeg_table.tjDestroy(handle);
    return answer < 0 ? 0 : size;
}

int cjpeg_decompress(
    const uint8_t *from, size_t count, uint8_t *to, int stride, int width, int height, char why[200]) {
    tjhandle handle = cjpeg_table.tjInitDecompress();
    if (!handle) {
        say(NULL, why);
        return -1;
    }
    int answer = cjpeg_table.tjDecompress2(handle, from, count, to, width, stride, height, TJPF_BGRA, 0);
    if (answer < 0) {
        say(handle, why);
        answer = cjpeg_table.tjGetErrorCode(handle) == TJERR_WARNING ? 1 : -1;
    }
    cjpeg_table.tjDestroy(handle);
    return answer;
}
