// libmpg123, loaded at first use: its own header, one table of function pointers, and a call through it for each.
#pragma once
// The names that every version of the library has.
#define MPG123_ENUM_API
#include <mpg123.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CMPG123_CALLS(X) \
    X(mpg123_init) X(mpg123_new) X(mpg123_delete) X(mpg123_param) X(mpg123_open) X(mpg123_getformat) \
    X(mpg123_format_none) X(mpg123_format) X(mpg123_scan) X(mpg123_length) X(mpg123_seek) X(mpg123_read) \
    X(mpg123_info) X(mpg123_strerror) X(mpg123_plain_strerror)

struct cmpg123_table {
#define CMPG123_POINTER(name) __typeof__(name) *name;
    CMPG123_CALLS(CMPG123_POINTER)
#undef CMPG123_POINTER
};

extern struct cmpg123_table cmpg123_table;

// Loads the library, once, from any thread. NULL when it is there, else what is missing and which package has it. All
// other calls are for after a NULL.
const char *cmpg123_load(void);

static inline void cmpg123_close(mpg123_handle *handle) {
    cmpg123_table.mpg123_delete(handle);
}

// The text of a handle's last error.
static inline const char *cmpg123_error_text(mpg123_handle *handle) {
    return cmpg123_table.mpg123_strerror(handle);
}

// Opens a file whose samples come as floats at the rate and with the channels that it has. NULL with a text in `fault`,
// which stays valid.
//
// It says nothing on standard error (libsndfile lets it), and decodes so many frames before each place that it goes to
// that its bit reservoir is full there: 255 bytes of it lie in at most 23 of the smallest frames.
static inline mpg123_handle *cmpg123_open(const char *path, long *rate, int *channels, const char **fault) {
    int error = 0, encoding = 0;
    mpg123_handle *handle = cmpg123_table.mpg123_new(NULL, &error);
    if (!handle) {
        *fault = cmpg123_table.mpg123_plain_strerror(error);
        return NULL;
    }
    cmpg123_table.mpg123_param(
        handle, MPG123_ADD_FLAGS, MPG123_QUIET | MPG123_GAPLESS | MPG123_SKIP_ID3V2 | MPG123_FORCE_FLOAT, 0);
    cmpg123_table.mpg123_param(handle, MPG123_REMOVE_FLAGS, MPG123_AUTO_RESAMPLE, 0);
    cmpg123_table.mpg123_param(handle, MPG123_PREFRAMES, 32, 0);
    cmpg123_table.mpg123_param(handle, MPG123_INDEX_SIZE, -1000, 0);
    cmpg123_table.mpg123_param(handle, MPG123_RESYNC_LIMIT, 1 << 20, 0);
    error = cmpg123_table.mpg123_open(handle, path);
    if (error == MPG123_OK) error = cmpg123_table.mpg123_getformat(handle, rate, channels, &encoding);
    if (error == MPG123_OK) {
        cmpg123_table.mpg123_format_none(handle);
        int layout = *channels == 1 ? MPG123_MONO : MPG123_STEREO;
        error = cmpg123_table.mpg123_format(handle, *rate, layout, MPG123_ENC_FLOAT_32);
    }
    if (error == MPG123_OK) return handle;
    *fault = cmpg123_table.mpg123_plain_strerror(error);
    cmpg123_table.mpg123_delete(handle);
    return NULL;
}

// Frames in all, by the info frame or, after cmpg123_scan(), by what is there; below 0 where it is not known.
static inline int64_t cmpg123_length(mpg123_handle *handle) {
    return cmpg123_table.mpg123_length(handle);
}

// Goes through the whole file once, from header to header. 0, or -1.
static inline int cmpg123_scan(mpg123_handle *handle) {
    return cmpg123_table.mpg123_scan(handle) == MPG123_OK ? 0 : -1;
}

// The frame that is read next, or below 0.
static inline int64_t cmpg123_seek(mpg123_handle *handle, int64_t frame) {
    return cmpg123_table.mpg123_seek(handle, frame, SEEK_SET);
}

// Reads up to `bytes`; answers how many came, 0 at the end, -1 for an error, -2 where the rate or the channels change.
static inline ssize_t cmpg123_read(mpg123_handle *handle, void *to, size_t bytes, long rate, int channels) {
    for (;;) {
        size_t came = 0;
        int answer = cmpg123_table.mpg123_read(handle, (unsigned char *)to, bytes, &came);
        if (came > 0) return (ssize_t)came;
        if (answer == MPG123_DONE || answer == MPG123_NEED_MORE) return 0;
        if (answer == MPG123_OK) continue;
        if (answer != MPG123_NEW_FORMAT) return -1;
        long new_rate = 0;
        int new_channels = 0, encoding = 0;
        cmpg123_table.mpg123_getformat(handle, &new_rate, &new_channels, &encoding);
        if (new_rate != rate || new_channels != channels) return -2;
    }
}

// 1, 2 or 3.
static inline int cmpg123_layer(mpg123_handle *handle) {
    struct mpg123_frameinfo info;
    return cmpg123_table.mpg123_info(handle, &info) == MPG123_OK ? info.layer : 0;
}
