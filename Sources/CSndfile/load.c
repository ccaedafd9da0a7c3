#include "CSndfile.h"

#include <dlfcn.h>
#include <pthread.h>

struct csndfile_table csndfile_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libsndfile.so.1 is not installed: apt install libsndfile1";
        return;
    }
#define CSNDFILE_FIND(name) \
    csndfile_table.name = (__typeof__(csndfile_table.name))dlsym(library, #name); \
    if (!csndfile_table.name) missing = "libsndfile.so.1 has no " #name ": apt install libsndfile1";
    CSNDFILE_CALLS(CSNDFILE_FIND)
#undef CSNDFILE_FIND
}

const char *csndfile_load(void) {
    pthread_once(&once, load);
    return missing;
}
