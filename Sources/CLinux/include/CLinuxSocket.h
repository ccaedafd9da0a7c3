// UNIX sockets that never block, and who is at the far end.
#pragma once
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// The address of `path`; a leading '@' makes it an abstract name. 0, or minus errno when it is too long.
static inline int clinux_unix_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
    size_t count = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (!count) return -EINVAL;
    // An abstract name is not ended by a zero byte, and may fill the whole field.
    if (count + (path[0] != '@') > sizeof address->sun_path) return -ENAMETOOLONG;
    memcpy(address->sun_path, path, count);
    if (path[0] == '@') address->sun_path[0] = 0;
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (path[0] != '@'));
    return 0;
}

// A stream socket that does not block, and the address of `path` for it.
static inline int clinux_unix_socket(const char *path, struct sockaddr_un *address, socklen_t *length) {
    int fault = clinux_unix_address(path, address, length);
    if (fault < 0) return fault;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 ? -errno : fd;
}

// A listening stream socket at `path`, which only its owner may connect to, whatever the umask is.
static inline int clinux_unix_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    socklen_t length;
    int fd = clinux_unix_socket(path, &address, &length);
    if (fd < 0) return fd;
    // Before bind: the node is made with the socket's own mode.
    if (fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, backlog) < 0) {
        int fault = errno;
        close(fd);
        return -fault;
    }
    return fd;
}

// A connected stream socket. Connecting to a UNIX socket never waits when the socket does not block.
static inline int clinux_unix_connect(const char *path) {
    struct sockaddr_un address;
    socklen_t length;
    int fd = clinux_unix_socket(path, &address, &length);
    if (fd < 0) return fd;
    if (connect(fd, (struct sockaddr *)&address, length) < 0) {
        int fault = errno;
        close(fd);
        return -fault;
    }
    return fd;
}

// One datagram to `path`, sent or refused at once.
static inline int clinux_unix_send(const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address;
    socklen_t length;
    int fault = clinux_unix_address(path, &address, &length);
    if (fault < 0) return fault;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    ssize_t answer = sendto(
        fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, length);
    fault = answer < 0 ? -errno : 0;
    close(fd);
    return fault;
}

static inline int clinux_accept(int fd) {
    // accept4() is hidden.
    extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
    int answer;
    do answer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (answer < 0 && (errno == EINTR || errno == ECONNABORTED));
    return answer < 0 ? -errno : answer;
}

// A write that raises no SIGPIPE.
static inline ssize_t clinux_send(int fd, const void *bytes, size_t count) {
    ssize_t answer;
    do answer = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

// Who is at the far end, as the kernel noted at connect. Defined in linux.c: struct ucred is hidden.
extern int clinux_peer(int fd, int *pid, uint32_t *user);
