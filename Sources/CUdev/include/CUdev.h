// libudev, loaded at first use: its own header, a table of pointers to its functions, and shims that call through it.
#pragma once
#include <errno.h>
#include <libudev.h>
#include <stdbool.h>
#include <stddef.h>

// Every function that is used; load.c makes the table from the same list.
#define CUDEV_FUNCTIONS(X) \
    X(udev_new) \
    X(udev_unref) \
    X(udev_monitor_new_from_netlink) \
    X(udev_monitor_filter_add_match_subsystem_devtype) \
    X(udev_monitor_set_receive_buffer_size) \
    X(udev_monitor_enable_receiving) \
    X(udev_monitor_get_fd) \
    X(udev_monitor_receive_device) \
    X(udev_monitor_unref) \
    X(udev_device_get_action) \
    X(udev_device_get_devnode) \
    X(udev_device_get_property_value) \
    X(udev_device_get_subsystem) \
    X(udev_device_get_syspath) \
    X(udev_device_unref)

struct cudev_functions {
#define X(name) __typeof__(&name) name;
    CUDEV_FUNCTIONS(X)
#undef X
};

extern struct cudev_functions cudev;

// Loads the library once, from any thread. NULL, or why it cannot be used; the text stays valid.
extern const char *cudev_load(void);

// The shims below may only be called after cudev_load() has answered NULL.

// A monitor of `group` ("udev" or "kernel") that hears nothing yet; NULL and minus errno in `fault`.
static inline struct udev_monitor *cudev_monitor(const char *group, int *fault) {
    errno = 0;
    struct udev *udev = cudev.udev_new();
    struct udev_monitor *monitor = udev ? cudev.udev_monitor_new_from_netlink(udev, group) : NULL;
    *fault = monitor ? 0 : errno ? -errno : -ENOMEM;
    if (udev) cudev.udev_unref(udev); // the monitor keeps its own reference
    return monitor;
}

static inline int cudev_monitor_match(struct udev_monitor *monitor, const char *subsystem) {
    return cudev.udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, NULL);
}

// Begins to hear. A larger buffer may be refused without CAP_NET_ADMIN; then the default stays.
static inline int cudev_monitor_begin(struct udev_monitor *monitor, int bytes) {
    cudev.udev_monitor_set_receive_buffer_size(monitor, bytes);
    return cudev.udev_monitor_enable_receiving(monitor);
}

static inline int cudev_monitor_descriptor(struct udev_monitor *monitor) {
    return cudev.udev_monitor_get_fd(monitor);
}

// The next event; NULL and minus errno in `fault` (EAGAIN: none; ENOBUFS: some were lost). Never blocks.
static inline struct udev_device *cudev_monitor_next(struct udev_monitor *monitor, int *fault) {
    errno = 0;
    struct udev_device *device = cudev.udev_monitor_receive_device(monitor);
    *fault = device ? 0 : errno ? -errno : -EAGAIN;
    return device;
}

static inline void cudev_monitor_close(struct udev_monitor *monitor) {
    cudev.udev_monitor_unref(monitor);
}

static inline const char *cudev_device_action(struct udev_device *device) {
    return cudev.udev_device_get_action(device);
}

static inline const char *cudev_device_node(struct udev_device *device) {
    return cudev.udev_device_get_devnode(device);
}

static inline const char *cudev_device_subsystem(struct udev_device *device) {
    return cudev.udev_device_get_subsystem(device);
}

static inline const char *cudev_device_syspath(struct udev_device *device) {
    return cudev.udev_device_get_syspath(device);
}

static inline const char *cudev_device_property(struct udev_device *device, const char *key) {
    return cudev.udev_device_get_property_value(device, key);
}

static inline void cudev_device_release(struct udev_device *device) {
    cudev.udev_device_unref(device);
}
