#include "CMpg123.h"

#include <dlfcn.h>
#include <pthread.h>

struct cmpg123_table cmpg123_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libmpg123.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libmpg123.so.0 is not installed: apt install libmpg123-0";
        return;
    }
#define CMPG123_FIND(name) \
    cmpg123_table.name = (__typeof__(cmpg123_table.name))dlsym(library, #name); \
    if (!cmpg123_table.name) missing = "libmpg123.so.0 has no " #name ": apt install libmpg123-0";
    CMPG123_CALLS(CMPG123_FIND)
#undef CMPG123_FIND
    // Needed before 1.28; harmless since.
    if (!missing) cmpg123_table.mpg123_init();
}

const char *cmpg123_load(void) {
    pthread_once(&once, load);
    return missing;
}
