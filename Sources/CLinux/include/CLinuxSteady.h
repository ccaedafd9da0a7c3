// Waiting for the same descriptors again and again: epoll, and a timer that is one of them.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static inline int clinux_epoll(void) {
    int answer = epoll_create1(EPOLL_CLOEXEC);
    return answer < 0 ? -errno : answer;
}

static inline int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t number) {
    struct epoll_event event = {.events = events, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

// Tells the same again; -ENOENT where this file is not waited for, whatever had the number before.
static inline int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t number) {
    struct epoll_event event = {.events = events, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) < 0 ? -errno : 0;
}

static inline int clinux_epoll_remove(int epoll, int fd) {
    struct epoll_event event = {0};
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event) < 0 ? -errno : 0;
}

enum { CLINUX_EPOLL_MOST = 8 };
// Besides what `poll` knows: told when it becomes ready, not as long as it is.
static const uint32_t CLINUX_EPOLL_EDGE = 1u << 31;
// What came, in the order of the kernel.
struct clinux_epoll_answers {
    struct epoll_event event[CLINUX_EPOLL_MOST];
};

// Waits until woken; how many came, 0 for a signal.
static inline int clinux_epoll_wait(int epoll, struct clinux_epoll_answers *answers) {
    int count = epoll_wait(epoll, answers->event, CLINUX_EPOLL_MOST, -1);
    return count >= 0 ? count : errno == EINTR ? 0 : -errno;
}

static inline uint64_t clinux_epoll_number(const struct clinux_epoll_answers *answers, int index) {
    return answers->event[index].data.u64;
}
static inline uint32_t clinux_epoll_events(const struct clinux_epoll_answers *answers, int index) {
    return answers->event[index].events;
}

// A timer of CLOCK_MONOTONIC.
static inline int clinux_timer(void) {
    int answer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return answer < 0 ? -errno : answer;
}

// Readable from `nanoseconds` of CLOCK_MONOTONIC on, and no longer before.
static inline int clinux_timer_set(int timer, int64_t nanoseconds) {
    if (nanoseconds < 1) nanoseconds = 1; // 0 would be never
    struct itimerspec at = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, 0) < 0 ? -errno : 0;
}

static inline void clinux_timer_clear(int timer) {
    uint64_t count;
    while (read(timer, &count, sizeof count) < 0 && errno == EINTR) {}
}
