#define _GNU_SOURCE // mremap; here and not in the header, which Swift imports beside Glibc
#include "CV4L2.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

struct cv4l2_table cv4l2_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

static void load(void) {
    void *library = dlopen("libv4l2.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libv4l2.so.0 is not installed: apt install libv4l-0";
        return;
    }
#define X(field, symbol)                                                          \
    *(void **)&cv4l2_table.field = dlsym(library, symbol);                        \
    if (!cv4l2_table.field) {                                                     \
        missing = "libv4l2.so.0 has no " symbol ": apt install libv4l-0";         \
        return;                                                                   \
    }
    X(fd_open, "v4l2_fd_open")
    X(close, "v4l2_close")
    X(ioctl, "v4l2_ioctl")
    X(mmap, "v4l2_mmap")
    X(munmap, "v4l2_munmap")
#undef X
}

int cv4l2_load(void) {
    pthread_once(&once, load);
    return missing ? -ENOENT : 0;
}

const char *cv4l2_missing(void) {
    return missing ? missing : "";
}

void *cv4l2_map(int fd, size_t length, int64_t offset, int *fault) {
    void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (address != MAP_FAILED) return address;
    *fault = errno;
    return NULL;
}

void *cv4l2_converted_map(int fd, size_t length, int64_t offset, int *fault) {
    void *address = cv4l2_table.mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    if (address != MAP_FAILED) return address;
    *fault = errno;
    return NULL;
}

void *cv4l2_own(size_t length) {
    void *address = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

int cv4l2_unmap(void *address, size_t length) {
    return munmap(address, length) < 0 ? -errno : 0;
}

int cv4l2_detach(void *address, size_t length, int copy) {
    void *own = copy ? cv4l2_own(length) : NULL;
    if (own) {
        memcpy(own, address, length);
        // Moved over the old mapping in one step: no reader ever sees a hole.
        if (mremap(own, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, address) != MAP_FAILED) return 1;
        munmap(own, length);
    }
    void *blank = mmap(
        address, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return blank == MAP_FAILED ? -errno : 0;
}
