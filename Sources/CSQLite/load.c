#include "CSQLite.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct csqlite_table csqlite;
static char trouble[256];

static void load(void) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(trouble, sizeof trouble, "libsqlite3.so.0 is not installed: apt install libsqlite3-0");
        return;
    }
#define CSQLITE_FIND(name) \
    if (!(csqlite.name = (__typeof__(name) *)dlsym(library, #name))) { \
        snprintf(trouble, sizeof trouble, "libsqlite3.so.0 has no %s: apt install --reinstall libsqlite3-0", #name); \
        return; \
    }
    CSQLITE_FUNCTIONS(CSQLITE_FIND)
}

const char *csqlite_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return trouble[0] ? trouble : NULL;
}
