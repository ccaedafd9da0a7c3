#include "CSystemd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct csystemd_functions csystemd;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *fault;
static char text[256];

static void load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fault = "libsystemd.so.0 is not installed: apt install libsystemd0";
        return;
    }
#define X(name) \
    *(void **)&csystemd.name = dlsym(library, #name); \
    if (!csystemd.name) { \
        snprintf(text, sizeof text, "libsystemd.so.0 has no %s: apt install --reinstall libsystemd0", #name); \
        fault = text; \
        return; \
    }
    CSYSTEMD_FUNCTIONS(X)
#undef X
}

const char *csystemd_load(void) {
    pthread_once(&once, load);
    return fault;
}
