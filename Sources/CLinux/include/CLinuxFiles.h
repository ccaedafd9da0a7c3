// Looking at files and folders without building strings for each: what a scan of /proc needs.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What a file is. Device numbers are major << 32 | minor, so that no libc's packing of them matters.
struct clinux_file {
    uint64_t rdev;
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t owner;
};

// statx, following links; never asks a server on the net, so that a file on a dead mount cannot hold a scan.
// Defined in linux.c: struct statx is hidden without _GNU_SOURCE. AT_FDCWD for paths from the working folder.
extern int clinux_look(int folder, const char *path, struct clinux_file *file);
// The same for the link itself.
extern int clinux_look_at_link(int folder, const char *path, struct clinux_file *file);

static inline bool clinux_is_character_device(struct clinux_file file) {
    return S_ISCHR(file.mode);
}

static inline bool clinux_is_regular(struct clinux_file file) {
    return S_ISREG(file.mode);
}

static inline bool clinux_is_folder(struct clinux_file file) {
    return S_ISDIR(file.mode);
}

// openat() is variadic.
static inline int clinux_open_at(int folder, const char *path, int flags) {
    int answer;
    do answer = openat(folder, path, flags | O_CLOEXEC, 0600);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

static inline ssize_t clinux_read_at(int fd, void *bytes, size_t count, off_t offset) {
    ssize_t answer;
    do answer = pread(fd, bytes, count, offset);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

// A stream over the names of a folder; NULL and minus errno in `fault` when it cannot be read.
static inline DIR *clinux_folder(int at, const char *path, int *fault) {
    int fd = clinux_open_at(at, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        *fault = fd;
        return NULL;
    }
    DIR *folder = fdopendir(fd);
    *fault = folder ? 0 : -errno;
    if (!folder) close(fd);
    return folder;
}

// The next entry but "." and "..".
static inline struct dirent *clinux_folder_entry(DIR *folder) {
    struct dirent *entry;
    do entry = readdir(folder);
    while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
    return entry;
}

// The next name but "." and ".."; NULL at the end (or when the folder is gone: /proc of a process that ended).
static inline const char *clinux_folder_next(DIR *folder) {
    struct dirent *entry = clinux_folder_entry(folder);
    return entry ? entry->d_name : NULL;
}

// The number of the next entry, as its folder has it, without looking at what it leads to; 0 at the end.
static inline uint64_t clinux_folder_next_number(DIR *folder) {
    struct dirent *entry = clinux_folder_entry(folder);
    return entry ? entry->d_ino : 0;
}

// A name of digits only as a number; -1 for any other name.
static inline int64_t clinux_number(const char *name) {
    int64_t number = 0;
    if (!*name) return -1;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || number > 99999999999) return -1;
        number = number * 10 + (*name - '0');
    }
    return number;
}

static inline ssize_t clinux_link(int folder, const char *path, char *text, size_t size) {
    ssize_t answer = readlinkat(folder, path, text, size);
    return answer < 0 ? -errno : answer;
}

static inline int clinux_make_folder(const char *path) {
    return mkdir(path, 0700) < 0 ? -errno : 0;
}

static inline int clinux_sync(int fd) {
    int answer;
    do answer = fsync(fd);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : 0;
}

static inline int clinux_rename(const char *from, const char *to) {
    return rename(from, to) < 0 ? -errno : 0;
}

// memmem() is hidden. The offset of `needle` in `bytes`, or -1.
extern int64_t clinux_find(const void *bytes, size_t count, const void *needle, size_t length);

// pipe2() is hidden. Close-on-exec; `flags` may add O_NONBLOCK.
static inline int clinux_pipe(int ends[2], int flags) {
    extern int pipe2(int ends[2], int flags);
    return pipe2(ends, flags | O_CLOEXEC) < 0 ? -errno : 0;
}
