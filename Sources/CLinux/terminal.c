// The terminal's settings and the handlers that put them back: see CLinuxTerminal.h.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

#include "CLinuxTerminal.h"

static const int fatal[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU};
enum { fatal_count = sizeof fatal / sizeof *fatal };

static struct sigaction before[fatal_count];
static struct termios kept;
static int terminal = -1;
static volatile sig_atomic_t is_kept;

// Both are safe in a signal handler. Now, not when all output is out: a terminal that is held (Ctrl-S) takes none.
static int put_back(void) {
    if (tcgetpgrp(terminal) != getpgrp()) return 0;
    return tcsetattr(terminal, TCSANOW, &kept) < 0 ? -errno : 0;
}

// Puts the terminal back and hands the signal on to whatever it would have met.
static void die(int number) {
    if (is_kept) put_back();
    for (int i = 0; i < fatal_count; i++) {
        if (fatal[i] == number) sigaction(number, &before[i], NULL);
    }
    raise(number);
}

static void guard(void) {
    struct sigaction action = {.sa_handler = die};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &action, &before[i]);
}

static void unguard(void) {
    for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &before[i], NULL);
}

int clinux_keys_begin(int fd) {
    if (!is_kept) {
        if (tcgetattr(fd, &kept) < 0) return -errno;
        terminal = fd;
        guard();
        is_kept = 1;
    }
    struct termios settings = kept;
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    return tcsetattr(fd, TCSANOW, &settings) < 0 ? -errno : 0;
}

int clinux_keys_end(void) {
    if (!is_kept) return 0;
    int answer = put_back();
    is_kept = 0;
    unguard();
    return answer;
}
