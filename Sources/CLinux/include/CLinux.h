// Linux calls that Swift's Glibc module hides (variadic, or missing from its module map), one inline function each.
// Each answers a value, or minus errno, so that errno is read before Swift can run anything else. EINTR is retried here,
// except where a caller wants to know (clinux_poll).
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "CLinuxFiles.h"
#include "CLinuxMap.h"
#include "CLinuxSchedule.h"
#include "CLinuxSocket.h"
#include "CLinuxSteady.h"
#include "CLinuxTerminal.h"
#include "CLinuxUHID.h"
#include "CLinuxWatch.h"

// _GNU_SOURCE is not defined here: it changes types that the Glibc module has already (fd_set). What it hides is declared.
extern int ppoll(struct pollfd *set, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
extern int pthread_setname_np(pthread_t thread, const char *name);

// open() is variadic. Always close-on-exec: no child may keep a device.
static inline int clinux_open(const char *path, int flags) {
    int answer;
    do answer = open(path, flags | O_CLOEXEC, 0666);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

// Linux frees the descriptor even when close() says EINTR: never retried.
static inline int clinux_close(int fd) {
    return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

static inline ssize_t clinux_read(int fd, void *bytes, size_t count) {
    ssize_t answer;
    do answer = read(fd, bytes, count);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

static inline ssize_t clinux_write(int fd, const void *bytes, size_t count) {
    ssize_t answer;
    do answer = write(fd, bytes, count);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

static inline ssize_t clinux_write_at(int fd, const void *bytes, size_t count, off_t offset) {
    ssize_t answer;
    do answer = pwrite(fd, bytes, count, offset);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

// The size of a regular file; -ESPIPE for what is none.
static inline int64_t clinux_file_size(int fd) {
    struct stat about;
    if (fstat(fd, &about) < 0) return -errno;
    return S_ISREG(about.st_mode) ? (int64_t)about.st_size : -ESPIPE;
}

// ioctl() is variadic.
static inline int clinux_ioctl(int fd, unsigned long request, void *argument) {
    int answer;
    do answer = ioctl(fd, request, argument);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

// fcntl() is variadic.
static inline int clinux_duplicate(int fd) {
    int answer = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return answer < 0 ? -errno : answer;
}

static inline int clinux_eventfd(void) {
    int answer = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return answer < 0 ? -errno : answer;
}

// A full counter (EAGAIN) is as good as a success: the reader is awake already.
static inline void clinux_eventfd_add(int fd) {
    uint64_t one = 1;
    ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

static inline void clinux_eventfd_clear(int fd) {
    uint64_t count;
    ssize_t ignored = read(fd, &count, sizeof count);
    (void)ignored;
}

static inline int64_t clinux_monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clinux_clock(int clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) < 0) return -errno;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The one waiting function. `nanoseconds` < 0 waits without an end. EINTR is an answer of 0: the caller looks around.
static inline int clinux_poll(struct pollfd *set, unsigned long count, int64_t nanoseconds) {
    struct timespec rest = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int answer = ppoll(set, count, nanoseconds < 0 ? NULL : &rest, NULL);
    if (answer < 0) return errno == EINTR ? 0 : -errno;
    return answer;
}

// Waits until one descriptor can be read, or has come to its end.
static inline int clinux_poll_readable(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return clinux_poll(&one, 1, -1);
}

// Opens /dev/null for standard input, output and error where the shell has closed them.
static inline void clinux_fill_standard_descriptors(void) {
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd) return;
    }
}

static inline int clinux_gettid(void) {
    return (int)syscall(SYS_gettid);
}

static inline void clinux_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
