// V4L2 for Swift: the kernel's structures, one inline function per ioctl, and libv4l2's conversion loaded at first use.
//
// Raw nodes need no library. libv4l2 costs 332 ioctls at open and is asked only for a format that the camera lacks.
// Each function answers a value, or minus errno, so that errno is read before Swift can run anything else.
#pragma once
#include <errno.h>
#include <linux/dma-buf.h>
#include <linux/media.h>
#include <linux/v4l2-subdev.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

// Name in Swift, request, argument.
#define CV4L2_CALLS(X)                                                 \
    X(querycap, VIDIOC_QUERYCAP, struct v4l2_capability)               \
    X(enum_fmt, VIDIOC_ENUM_FMT, struct v4l2_fmtdesc)                  \
    X(enum_framesizes, VIDIOC_ENUM_FRAMESIZES, struct v4l2_frmsizeenum) \
    X(enum_frameintervals, VIDIOC_ENUM_FRAMEINTERVALS, struct v4l2_frmivalenum) \
    X(g_fmt, VIDIOC_G_FMT, struct v4l2_format)                         \
    X(try_fmt, VIDIOC_TRY_FMT, struct v4l2_format)                     \
    X(s_fmt, VIDIOC_S_FMT, struct v4l2_format)                         \
    X(g_parm, VIDIOC_G_PARM, struct v4l2_streamparm)                   \
    X(s_parm, VIDIOC_S_PARM, struct v4l2_streamparm)                   \
    X(reqbufs, VIDIOC_REQBUFS, struct v4l2_requestbuffers)             \
    X(querybuf, VIDIOC_QUERYBUF, struct v4l2_buffer)                   \
    X(qbuf, VIDIOC_QBUF, struct v4l2_buffer)                           \
    X(dqbuf, VIDIOC_DQBUF, struct v4l2_buffer)                         \
    X(streamon, VIDIOC_STREAMON, int)                                  \
    X(streamoff, VIDIOC_STREAMOFF, int)                                \
    X(expbuf, VIDIOC_EXPBUF, struct v4l2_exportbuffer)                 \
    X(queryctrl, VIDIOC_QUERY_EXT_CTRL, struct v4l2_query_ext_ctrl)

// Those of media devices and of the parts behind them, which libv4l2 knows nothing of.
#define CV4L2_PART_CALLS(X)                                            \
    X(media_info, MEDIA_IOC_DEVICE_INFO, struct media_device_info)     \
    X(pad_set_fmt, VIDIOC_SUBDEV_S_FMT, struct v4l2_subdev_format)     \
    X(pad_set_selection, VIDIOC_SUBDEV_S_SELECTION, struct v4l2_subdev_selection) \
    X(pad_set_interval, VIDIOC_SUBDEV_S_FRAME_INTERVAL, struct v4l2_subdev_frame_interval)

// ioctl() is variadic. EINTR is retried; EAGAIN is an answer.
static inline int cv4l2_call(int fd, unsigned long request, void *argument) {
    int answer;
    do answer = ioctl(fd, request, argument);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : answer;
}

#define X(name, request, type) \
    static inline int cv4l2_##name(int fd, type *argument) { return cv4l2_call(fd, request, argument); }
CV4L2_CALLS(X)
CV4L2_PART_CALLS(X)
#undef X

// Maps a buffer of the device; answers NULL and leaves the errno in `fault`.
void *cv4l2_map(int fd, size_t length, int64_t offset, int *fault);
// Memory of our own, zeroed; NULL when there is none.
void *cv4l2_own(size_t length);
int cv4l2_unmap(void *address, size_t length);
// Puts pages of our own in the place of the device's, under whoever reads them: zeros, or what is there now. In both
// cases the mapping of the device is gone afterwards, also when no memory is left for a copy (then: zeros).
// Answers 1 for a copy, 0 for zeros, minus errno when the device's pages are still there.
int cv4l2_detach(void *address, size_t length, int copy);

// What the CPU has written to a dma-buf's memory goes to where devices see it. Its counterpart, the begin, is left out: that
// would wait for whoever reads the memory now.
static inline int cv4l2_flush_dma_buffer(int fd) {
    struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE };
    return cv4l2_call(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

// --- Controls: the kernel's packed structures stay here, Swift reads these ---

// One entry of a menu: asked for by control and index.
struct cv4l2_item {
    uint32_t control;
    uint32_t index;
    int is_number; // an integer menu: `number` counts, else `text`
    int64_t number;
    char text[32];
};
int cv4l2_query_item(int fd, struct cv4l2_item *item);

// One control's value.
struct cv4l2_value {
    uint32_t control;
    int is_wide; // a 64-bit control
    int is_text; // a string control: `text` counts, else `number`
    int64_t number;
    char text[256];
};
int cv4l2_get_value(int fd, struct cv4l2_value *value);
int cv4l2_set_value(int fd, struct cv4l2_value *value);

// --- Media devices: entities and the links between their pads, in structures without unions ---

struct cv4l2_entity {
    uint32_t id; // in: the entity before it, 0 for the first
    uint32_t major; // of its device node; 0 for none
    uint32_t minor;
    uint16_t pads;
    uint16_t links; // those that begin at it
    char name[33];
};
// -EINVAL after the last one.
int cv4l2_next_entity(int fd, struct cv4l2_entity *entity);

struct cv4l2_link {
    uint32_t source;
    uint32_t sink;
    uint16_t source_pad;
    uint16_t sink_pad;
    uint32_t flags; // MEDIA_LNK_FL_…
};
// The links that begin at `entity`; -E2BIG when there are more than these, or more than 64 pads.
struct cv4l2_links {
    uint64_t sources; // a bit for each pad that feeds others
    uint32_t entity;
    uint32_t count;
    struct cv4l2_link links[64];
};
int cv4l2_get_links(int fd, struct cv4l2_links *links);
int cv4l2_set_link(int fd, const struct cv4l2_link *link);

// --- libv4l2, loaded at first use ---

// Loads libv4l2.so.0 once, from any thread; 0, or -ENOENT with the reason in cv4l2_missing().
int cv4l2_load(void);
const char *cv4l2_missing(void);

struct cv4l2_table {
    int (*fd_open)(int fd, int flags);
    int (*close)(int fd);
    int (*ioctl)(int fd, unsigned long request, ...);
    void *(*mmap)(void *start, size_t length, int protection, int flags, int fd, int64_t offset);
    int (*munmap)(void *start, size_t length);
};
// Filled by cv4l2_load(); never called before it answered 0.
extern struct cv4l2_table cv4l2_table;

#define X(name, request, type)                                        \
    static inline int cv4l2_converted_##name(int fd, type *argument) { \
        int answer;                                                   \
        do answer = cv4l2_table.ioctl(fd, request, argument);         \
        while (answer < 0 && errno == EINTR);                         \
        return answer < 0 ? -errno : answer;                          \
    }
CV4L2_CALLS(X)
#undef X

static inline int cv4l2_converted_open(int fd) {
    int answer = cv4l2_table.fd_open(fd, 0);
    return answer < 0 ? -errno : answer;
}
static inline int cv4l2_converted_close(int fd) {
    return cv4l2_table.close(fd) < 0 ? -errno : 0;
}
void *cv4l2_converted_map(int fd, size_t length, int64_t offset, int *fault);
static inline int cv4l2_converted_unmap(void *address, size_t length) {
    return cv4l2_table.munmap(address, length) < 0 ? -errno : 0;
}
