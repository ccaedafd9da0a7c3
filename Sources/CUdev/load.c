#include "CUdev.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct cudev_functions cudev;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *fault;
static char text[256];

static void load(void) {
    void *library = dlopen("libudev.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fault = "libudev.so.1 is not installed: apt install libudev1";
        return;
    }
#define X(name) \
    *(void **)&cudev.name = dlsym(library, #name); \
    if (!cudev.name) { \
        snprintf(text, sizeof text, "libudev.so.1 has no %s: apt install libudev1", #name); \
        fault = text; \
        return; \
    }
    CUDEV_FUNCTIONS(X)
#undef X
}

const char *cudev_load(void) {
    pthread_once(&once, load);
    return fault;
}
