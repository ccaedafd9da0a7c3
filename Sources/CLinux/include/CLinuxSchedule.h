// How the kernel schedules a thread.
#pragma once
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>

// What _GNU_SOURCE hides: the numbers are the kernel's.
enum { CLINUX_RESET_ON_FORK = 0x40000000, CLINUX_RLIMIT_RTPRIO = 14 };

// The calling thread gets SCHED_FIFO; the threads and processes that it makes do not.
static inline int clinux_schedule_fifo(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO | CLINUX_RESET_ON_FORK, &parameters) < 0 ? -errno : 0;
}

// The highest priority that this process may ask for; 0 where it may not.
static inline uint64_t clinux_realtime_limit(void) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)CLINUX_RLIMIT_RTPRIO, &limit) < 0) return 0;
    return limit.rlim_cur;
}
