// libsndfile, loaded at first use: its own header, one table of function pointers, and a call through it for each.
#pragma once
#include <sndfile.h>
#include <stdint.h>

#define CSNDFILE_CALLS(X) \
    X(sf_open) X(sf_close) X(sf_error) X(sf_strerror) X(sf_command) X(sf_seek) X(sf_readf_short) X(sf_readf_int) \
    X(sf_readf_float)

struct csndfile_table {
#define CSNDFILE_POINTER(name) __typeof__(name) *name;
    CSNDFILE_CALLS(CSNDFILE_POINTER)
#undef CSNDFILE_POINTER
};

extern struct csndfile_table csndfile_table;

// Loads the library, once, from any thread. NULL when it is there, else what is missing and which package has it. All
// other calls are for after a NULL.
const char *csndfile_load(void);

static inline SNDFILE *csndfile_open(const char *path, SF_INFO *info) {
    return csndfile_table.sf_open(path, SFM_READ, info);
}

static inline void csndfile_close(SNDFILE *file) {
    csndfile_table.sf_close(file);
}

// The text of the last error; with NULL, of the last open that failed.
static inline const char *csndfile_error_text(SNDFILE *file) {
    return csndfile_table.sf_strerror(file);
}

static inline int csndfile_error(SNDFILE *file) {
    return csndfile_table.sf_error(file);
}

// What the header's reader wrote down on its way; answers the length.
static inline int csndfile_log(SNDFILE *file, char *text, int size) {
    return csndfile_table.sf_command(file, SFC_GET_LOG_INFO, text, size);
}

// The frame that is read next, or -1.
static inline int64_t csndfile_seek(SNDFILE *file, int64_t frame) {
    return csndfile_table.sf_seek(file, frame, SEEK_SET);
}

static inline int64_t csndfile_read_s16(SNDFILE *file, void *to, int64_t frames) {
    return csndfile_table.sf_readf_short(file, (short *)to, frames);
}

static inline int64_t csndfile_read_s32(SNDFILE *file, void *to, int64_t frames) {
    return csndfile_table.sf_readf_int(file, (int *)to, frames);
}

static inline int64_t csndfile_read_float(SNDFILE *file, void *to, int64_t frames) {
    return csndfile_table.sf_readf_float(file, (float *)to, frames);
}

// Which of its `count` channels is which, by libsndfile's numbers; 0 where the file does not say.
static inline int csndfile_channel_map(SNDFILE *file, int *map, int count) {
    return csndfile_table.sf_command(file, SFC_GET_CHANNEL_MAP_INFO, map, count * (int)sizeof *map);
}

// Floats outside of -1...1 are clipped when they are read as whole numbers, instead of wrapping.
static inline void csndfile_clip(SNDFILE *file) {
    csndfile_table.sf_command(file, SFC_SET_CLIPPING, NULL, SF_TRUE);
}
