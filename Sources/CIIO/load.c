#include "CIIO.h"

#include <dlfcn.h>
#include <pthread.h>

struct ciio_table ciio_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libiio.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libiio.so.0 is not installed: apt install libiio0";
        return;
    }
#define CIIO_FIND(name) \
    ciio_table.name = (__typeof__(ciio_table.name))dlsym(library, #name); \
    if (!ciio_table.name) missing = "libiio.so.0 has no " #name ": apt install libiio0";
    CIIO_CALLS(CIIO_FIND)
#undef CIIO_FIND
}

const char *ciio_load(void) {
    pthread_once(&once, load);
    return missing;
}
