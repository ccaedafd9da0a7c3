#include "CYuv.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

struct cyuv_table cyuv_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libyuv.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libyuv.so.0 is not installed: apt install libyuv0";
        return;
    }
#define X(name)                                                        \
    *(void **)&cyuv_table.name = dlsym(library, #name);                \
    if (!cyuv_table.name) {                                            \
        missing = "libyuv.so.0 has no " #name ": apt install libyuv0"; \
        return;                                                        \
    }
    CYUV_FUNCTIONS(X)
#undef X
    int count = 0;
#define X(name)                                                        \
    cyuv_table.matrix[count] = dlsym(library, #name);                  \
    if (!cyuv_table.matrix[count++]) {                                 \
        missing = "libyuv.so.0 has no " #name ": apt install libyuv0"; \
        return;                                                        \
    }
    CYUV_MATRICES(X)
#undef X
}

int cyuv_load(void) {
    pthread_once(&once, load);
    return missing ? -ENOENT : 0;
}

const char *cyuv_missing(void) {
    return missing ? missing : "";
}
