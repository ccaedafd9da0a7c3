// A file's pages in memory, for calls of the kernel alone: read by ourselves a page that is gone is SIGBUS, in a call of the
// kernel's it is EFAULT.
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "CLinuxFiles.h"

// Hidden without _GNU_SOURCE.
extern ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags);
enum { CLINUX_RWF_NOWAIT = 8 };

static inline size_t clinux_page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static inline int clinux_map(int fd, size_t length, void **start) {
    void *answer = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
    if (answer == MAP_FAILED) return -errno;
    *start = answer;
    return 0;
}

static inline void clinux_unmap(void *start, size_t length) {
    munmap(start, length);
}

// Whether the kernel holds all pages of the range; of a file that is not its asker's it says so always.
static inline bool clinux_is_present(void *start, size_t length, size_t page) {
    unsigned char present[256];
    for (size_t at = 0; at < length;) {
        size_t piece = length - at < sizeof present * page ? length - at : sizeof present * page;
        if (mincore((char *)start + at, piece, present) < 0) return false;
        for (size_t i = 0; i < (piece + page - 1) / page; i++)
            if (!(present[i] & 1)) return false;
        at += piece;
    }
    return true;
}

// Has the kernel read from a page, and so bring it in and map it, with those around it that it holds; false where it cannot.
//
// Any call would do that copies what it is handed before it finds out that there is nothing to be done: this one takes little
// more than the fault itself, madvise(MADV_POPULATE_READ) 2,000 instructions more.
static inline bool clinux_touch(void *page) {
    return epoll_ctl(-1, EPOLL_CTL_ADD, -1, (struct epoll_event *)page) == 0 || errno != EFAULT;
}

// The same of a page in each piece of so many bytes, a power of two and no less than a page; `start` is a page's.
static inline bool clinux_touch_each(void *start, size_t length, size_t piece) {
    const uintptr_t end = (uintptr_t)start + length;
    for (uintptr_t at = (uintptr_t)start; at < end; at = (at / piece + 1) * piece)
        if (!clinux_touch((void *)at)) return false;
    return true;
}

// Whether the file is this user's. (Being root is not enough: not in a user namespace that does not know the owner.)
static inline bool clinux_is_own(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_uid == geteuid();
}

// Lets the pages go from this process; the kernel may keep them.
static inline void clinux_let_go(void *start, size_t length) {
    madvise(start, length, MADV_DONTNEED);
}

// Reads what is in memory; -EAGAIN where a disk would have to be waited for, as far as the file system can tell.
static inline ssize_t clinux_read_present(int fd, void *bytes, size_t count, off_t offset) {
    struct iovec piece = {bytes, count};
    ssize_t answer;
    do answer = preadv2(fd, &piece, 1, offset, CLINUX_RWF_NOWAIT);
    while (answer < 0 && errno == EINTR);
    if (answer >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return answer < 0 ? -errno : answer;
    return clinux_read_at(fd, bytes, count, offset);
}

// Whether the file comes from a server or another program, which may take it away without a word.
static inline bool clinux_is_remote(int fd) {
    struct statfs about;
    if (fstatfs(fd, &about) < 0) return true;
    switch ((uint32_t)about.f_type) {
    case 0x6969:     // NFS
    case 0x517B:     // SMB
    case 0xFF534D42: // CIFS
    case 0xFE534D42: // SMB 2
    case 0x01021997: // 9P
    case 0x65735546: // FUSE
    case 0x00C36400: // Ceph
    case 0x5346414F: // AFS
    case 0x6B414653: // kAFS
    case 0x73757245: // Coda
    case 0x01161970: // GFS2
    case 0x7461636F: // OCFS2
        return true;
    default: return false;
    }
}
