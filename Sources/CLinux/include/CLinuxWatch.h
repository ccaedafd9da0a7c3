// Being told instead of asking: inotify, pidfd, signalfd, and the kernel's uevents.
#pragma once
#include <errno.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int clinux_inotify(void) {
    int answer = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return answer < 0 ? -errno : answer;
}

static inline int clinux_inotify_add(int watch, const char *path, uint32_t mask) {
    int answer = inotify_add_watch(watch, path, mask);
    return answer < 0 ? -errno : answer;
}

static inline int clinux_inotify_remove(int watch, int number) {
    return inotify_rm_watch(watch, number) < 0 ? -errno : 0;
}

// glibc has a wrapper since 2.36 only; the number is the same everywhere (Linux 5.3).
static inline int clinux_pidfd(int pid) {
    long answer = syscall(434 /* SYS_pidfd_open */, pid, 0u);
    return answer < 0 ? -errno : (int)answer;
}

// Blocks `count` signals in the calling thread (and those it makes later) and opens a descriptor that tells of them.
static inline int clinux_signalfd(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) {
        if (sigaddset(&set, signals[i]) < 0) return -errno;
    }
    int fault = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (fault) return -fault;
    int answer = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return answer < 0 ? -errno : answer;
}

// Lets SIGTSTP do what it does: all threads stand still until SIGCONT. It is blocked before and after.
static inline void clinux_stop_process(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// Whether the program was started with this signal ignored (nohup).
static inline bool clinux_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The number of the next signal, or minus errno (EAGAIN: none).
static inline int clinux_signalfd_next(int fd) {
    struct signalfd_siginfo signal;
    ssize_t answer;
    do answer = read(fd, &signal, sizeof signal);
    while (answer < 0 && errno == EINTR);
    if (answer < 0) return -errno;
    return answer == (ssize_t)sizeof signal ? (int)signal.ssi_signo : -EIO;
}

// The kernel's own uevents (multicast group 1).
static inline int clinux_uevents(int bytes) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) return -errno;
    // Both may be refused (the first without CAP_NET_ADMIN); the socket works with its default size too.
    if (setsockopt(fd, SOL_SOCKET, 33 /* SO_RCVBUFFORCE */, &bytes, sizeof bytes) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = 1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int fault = errno;
        close(fd);
        return -fault;
    }
    return fd;
}

// One message; `from_kernel` is false for what a process has sent (any may try).
static inline ssize_t clinux_uevents_next(int fd, void *bytes, size_t count, bool *from_kernel) {
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    ssize_t answer;
    memset(&sender, 0, sizeof sender);
    do answer = recvfrom(fd, bytes, count, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
    while (answer < 0 && errno == EINTR);
    *from_kernel = sender.nl_pid == 0;
    return answer < 0 ? -errno : answer;
}
