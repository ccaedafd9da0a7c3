// A HID device played by this process through /dev/uhid. In a file of its own (uhid.c) and with a small event of its own,
// because <linux/uhid.h> brings all of <linux/input.h> and packed structs with it, which Swift does not need to see.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum clinux_uhid_type {
    CLINUX_UHID_START,
    CLINUX_UHID_STOP,
    CLINUX_UHID_OPEN,
    CLINUX_UHID_CLOSE,
    CLINUX_UHID_GET_REPORT,
    CLINUX_UHID_SET_REPORT,
    CLINUX_UHID_OTHER,
};

enum clinux_uhid_report_type {
    CLINUX_UHID_FEATURE,
    CLINUX_UHID_INPUT,
    CLINUX_UHID_OUTPUT,
};

// What the kernel tells or asks. `data` begins with the report's number and holds at most what fits.
struct clinux_uhid_event {
    uint32_t type;
    uint32_t id;
    uint8_t report;
    uint8_t report_type;
    uint16_t size;
    uint8_t data[64];
};

// Makes the device: name, bus/vendor/product, report descriptor (at most 4,096 bytes). 0 or minus errno.
int clinux_uhid_create(
    int fd, const char *name, uint16_t bus, uint32_t vendor, uint32_t product, const uint8_t *descriptor, size_t size);
int clinux_uhid_destroy(int fd);
// Takes one event. 0 or minus errno.
int clinux_uhid_next(int fd, struct clinux_uhid_event *event);
// Answers a GET_REPORT or SET_REPORT; `error` is 0 or a positive errno for the kernel.
int clinux_uhid_answer_get(int fd, uint32_t id, uint16_t error, const uint8_t *data, size_t size);
int clinux_uhid_answer_set(int fd, uint32_t id, uint16_t error);
// Sends an input report, its number first.
int clinux_uhid_input(int fd, const uint8_t *data, size_t size);
