// The least that a V4L2 capture which can be woken has to do: O_NONBLOCK, poll on the camera and an eventfd, DQBUF, QBUF.
//
// usage: floor DEVICE WIDTHxHEIGHT FOURCC FPS FRAMES [BUFFERS [CYCLES]]
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_BUFFERS = 32 };

struct wish {
    const char *device;
    unsigned width, height, fourcc, fps, frames, buffers;
};

static void need(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static int ask(int camera, unsigned long request, void *argument) {
    int answer;
    do answer = ioctl(camera, request, argument);
    while (answer < 0 && errno == EINTR);
    return answer;
}

static void capture(const struct wish *wish, int bell) {
    int camera = open(wish->device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    need(camera >= 0, wish->device);
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    format.fmt.pix.width = wish->width;
    format.fmt.pix.height = wish->height;
    format.fmt.pix.pixelformat = wish->fourcc;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    need(ask(camera, VIDIOC_S_FMT, &format) == 0, "VIDIOC_S_FMT");
    if (wish->fps) {
        struct v4l2_streamparm rate = {.type = format.type};
        rate.parm.capture.timeperframe = (struct v4l2_fract){1, wish->fps};
        need(ask(camera, VIDIOC_S_PARM, &rate) == 0, "VIDIOC_S_PARM");
    }
    struct v4l2_requestbuffers request = {
        .count = wish->buffers, .type = format.type, .memory = V4L2_MEMORY_MMAP};
    need(ask(camera, VIDIOC_REQBUFS, &request) == 0 && request.count <= MOST_BUFFERS, "VIDIOC_REQBUFS");
    void *memory[MOST_BUFFERS];
    size_t length[MOST_BUFFERS];
    for (unsigned index = 0; index < request.count; index++) {
        struct v4l2_buffer buffer = {.index = index, .type = format.type, .memory = V4L2_MEMORY_MMAP};
        need(ask(camera, VIDIOC_QUERYBUF, &buffer) == 0, "VIDIOC_QUERYBUF");
        length[index] = buffer.length;
        memory[index] = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera, buffer.m.offset);
        need(memory[index] != MAP_FAILED, "mmap");
        need(ask(camera, VIDIOC_QBUF, &buffer) == 0, "VIDIOC_QBUF");
    }
    int type = format.type;
    need(ask(camera, VIDIOC_STREAMON, &type) == 0, "VIDIOC_STREAMON");
    struct pollfd wait[2] = {{.fd = camera, .events = POLLIN}, {.fd = bell, .events = POLLIN}};
    for (unsigned frame = 0; frame < wish->frames;) {
        need(poll(wait, 2, -1) > 0, "poll");
        struct v4l2_buffer buffer = {.type = format.type, .memory = V4L2_MEMORY_MMAP};
        if (ask(camera, VIDIOC_DQBUF, &buffer) < 0) {
            need(errno == EAGAIN, "VIDIOC_DQBUF");
            continue;
        }
        frame++;
        need(ask(camera, VIDIOC_QBUF, &buffer) == 0, "VIDIOC_QBUF");
    }
    need(ask(camera, VIDIOC_STREAMOFF, &type) == 0, "VIDIOC_STREAMOFF");
    for (unsigned index = 0; index < request.count; index++) munmap(memory[index], length[index]);
    close(camera);
}

int main(int count, char **words) {
    struct wish wish = {.buffers = 4};
    if (count < 6 || sscanf(words[2], "%ux%u", &wish.width, &wish.height) != 2 || strlen(words[3]) != 4) {
        fprintf(stderr, "usage: floor DEVICE WIDTHxHEIGHT FOURCC FPS FRAMES [BUFFERS [CYCLES]]\n");
        return 2;
    }
    wish.device = words[1];
    wish.fourcc = v4l2_fourcc(words[3][0], words[3][1], words[3][2], words[3][3]);
    wish.fps = atoi(words[4]);
    wish.frames = atoi(words[5]);
    if (count > 6) wish.buffers = atoi(words[6]);
    int cycles = count > 7 ? atoi(words[7]) : 1;
    int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    need(bell >= 0, "eventfd");
    for (int cycle = 0; cycle < cycles; cycle++) capture(&wish, bell);
    return 0;
}
