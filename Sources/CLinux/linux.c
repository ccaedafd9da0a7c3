// What can only be said with _GNU_SOURCE, kept out of the header that Swift reads.
#define _GNU_SOURCE
#include "CLinux.h"

static int look(int folder, const char *path, int flags, struct clinux_file *file) {
    struct statx facts;
    unsigned mask = STATX_TYPE | STATX_MODE | STATX_INO | STATX_UID;
    if (statx(folder, path, flags | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, mask, &facts) < 0) return -errno;
    file->rdev = (uint64_t)facts.stx_rdev_major << 32 | facts.stx_rdev_minor;
    file->device = (uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor;
    file->inode = facts.stx_ino;
    file->mode = facts.stx_mode;
    file->owner = facts.stx_uid;
    return 0;
}

int clinux_look(int folder, const char *path, struct clinux_file *file) {
    return look(folder, path, 0, file);
}

int clinux_look_at_link(int folder, const char *path, struct clinux_file *file) {
    return look(folder, path, AT_SYMLINK_NOFOLLOW, file);
}

int64_t clinux_find(const void *bytes, size_t count, const void *needle, size_t length) {
    const char *found = memmem(bytes, count, needle, length);
    return found ? found - (const char *)bytes : -1;
}

int clinux_peer(int fd, int *pid, uint32_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
    *pid = peer.pid;
    *user = peer.uid;
    return 0;
}
