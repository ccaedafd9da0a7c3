#include "CLinuxUHID.h"

#include <errno.h>
#include <linux/uhid.h>
#include <string.h>
#include <unistd.h>

// Short events are filled up with zeros by the kernel, so only what is used is written.
static int put(int fd, const struct uhid_event *event, size_t used) {
    ssize_t answer;
    do answer = write(fd, event, used);
    while (answer < 0 && errno == EINTR);
    return answer < 0 ? -errno : 0;
}

int clinux_uhid_create(
    int fd, const char *name, uint16_t bus, uint32_t vendor, uint32_t product, const uint8_t *descriptor, size_t size) {
    struct uhid_event event;
    if (size > sizeof event.u.create2.rd_data || strlen(name) >= sizeof event.u.create2.name) return -EINVAL;
    memset(&event, 0, sizeof event);
    event.type = UHID_CREATE2;
    memcpy(event.u.create2.name, name, strlen(name));
    event.u.create2.bus = bus;
    event.u.create2.vendor = vendor;
    event.u.create2.product = product;
    event.u.create2.rd_size = (uint16_t)size;
    memcpy(event.u.create2.rd_data, descriptor, size);
    return put(fd, &event, sizeof event);
}

int clinux_uhid_destroy(int fd) {
    struct uhid_event event = {.type = UHID_DESTROY};
    return put(fd, &event, sizeof event.type);
}

int clinux_uhid_next(int fd, struct clinux_uhid_event *event) {
    struct uhid_event got;
    ssize_t answer;
    memset(&got, 0, sizeof got);
    memset(event, 0, sizeof *event);
    do answer = read(fd, &got, sizeof got);
    while (answer < 0 && errno == EINTR);
    if (answer < 0) return -errno;
    uint8_t kind = 0;
    switch (got.type) {
    case UHID_START: event->type = CLINUX_UHID_START; return 0;
    case UHID_STOP: event->type = CLINUX_UHID_STOP; return 0;
    case UHID_OPEN: event->type = CLINUX_UHID_OPEN; return 0;
    case UHID_CLOSE: event->type = CLINUX_UHID_CLOSE; return 0;
    case UHID_GET_REPORT:
        event->type = CLINUX_UHID_GET_REPORT;
        event->id = got.u.get_report.id;
        event->report = got.u.get_report.rnum;
        kind = got.u.get_report.rtype;
        break;
    case UHID_SET_REPORT:
        event->type = CLINUX_UHID_SET_REPORT;
        event->id = got.u.set_report.id;
        event->report = got.u.set_report.rnum;
        kind = got.u.set_report.rtype;
        event->size = got.u.set_report.size;
        if (event->size > sizeof event->data) event->size = sizeof event->data;
        memcpy(event->data, got.u.set_report.data, event->size);
        break;
    default: event->type = CLINUX_UHID_OTHER; return 0;
    }
    event->report_type = kind == UHID_FEATURE_REPORT ? CLINUX_UHID_FEATURE
                         : kind == UHID_INPUT_REPORT ? CLINUX_UHID_INPUT
                                                     : CLINUX_UHID_OUTPUT;
    return 0;
}

int clinux_uhid_answer_get(int fd, uint32_t id, uint16_t error, const uint8_t *data, size_t size) {
    struct uhid_event event;
    if (size > sizeof event.u.get_report_reply.data) return -EINVAL;
    memset(&event, 0, offsetof(struct uhid_event, u.get_report_reply.data));
    event.type = UHID_GET_REPORT_REPLY;
    event.u.get_report_reply.id = id;
    event.u.get_report_reply.err = error;
    event.u.get_report_reply.size = (uint16_t)size;
    memcpy(event.u.get_report_reply.data, data, size);
    return put(fd, &event, offsetof(struct uhid_event, u.get_report_reply.data) + size);
}

int clinux_uhid_answer_set(int fd, uint32_t id, uint16_t error) {
    struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
    event.u.set_report_reply.id = id;
    event.u.set_report_reply.err = error;
    return put(fd, &event, offsetof(struct uhid_event, u.set_report_reply) + sizeof event.u.set_report_reply);
}

int clinux_uhid_input(int fd, const uint8_t *data, size_t size) {
    struct uhid_event event;
    if (size > sizeof event.u.input2.data) return -EINVAL;
    event.type = UHID_INPUT2;
    event.u.input2.size = (uint16_t)size;
    memcpy(event.u.input2.data, data, size);
    return put(fd, &event, offsetof(struct uhid_event, u.input2.data) + size);
}
