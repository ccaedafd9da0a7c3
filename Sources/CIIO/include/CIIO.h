// libiio 0.24, loaded at first use: its own header, one table of function pointers, and a call through it for each. It
// describes and converts; a local stream is read raw from the node (creating a context alone costs 15 times as much).
#pragma once
#include <errno.h>
#include <iio.h>
#include <stddef.h>
#include <stdint.h>

#define CIIO_CALLS(X) \
    X(iio_library_get_version) X(iio_create_xml_context_mem) X(iio_create_context_from_uri) X(iio_context_destroy) \
    X(iio_context_get_xml) X(iio_context_get_devices_count) X(iio_context_get_device) X(iio_context_find_device) \
    X(iio_device_get_id) X(iio_device_get_name) X(iio_device_get_label) X(iio_device_get_channels_count) \
    X(iio_device_get_channel) X(iio_device_find_channel) X(iio_device_get_sample_size) X(iio_device_attr_read) \
    X(iio_channel_get_id) X(iio_channel_get_index) X(iio_channel_is_scan_element) X(iio_channel_enable) \
    X(iio_channel_disable) X(iio_channel_attr_read) X(iio_channel_convert)

struct ciio_table {
#define CIIO_POINTER(name) __typeof__(name) *name;
    CIIO_CALLS(CIIO_POINTER)
#undef CIIO_POINTER
};

extern struct ciio_table ciio_table;

// Loads the library, once, from any thread. NULL when it is there, else what is missing and which package has it. All
// other calls are for after a NULL.
const char *ciio_load(void);

// A context from its description; NULL and minus errno in `fault`.
static inline struct iio_context *ciio_context_from_xml(const char *xml, size_t length, int *fault) {
    struct iio_context *context = ciio_table.iio_create_xml_context_mem(xml, length);
    *fault = context ? 0 : -errno;
    return context;
}

// A context from "ip:HOST", "usb:…", "serial:…" or "local:"; NULL and minus errno in `fault`.
static inline struct iio_context *ciio_context_from_uri(const char *uri, int *fault) {
    struct iio_context *context = ciio_table.iio_create_context_from_uri(uri);
    *fault = context ? 0 : -errno;
    return context;
}

static inline void ciio_context_destroy(struct iio_context *context) {
    ciio_table.iio_context_destroy(context);
}

static inline const char *ciio_context_xml(const struct iio_context *context) {
    return ciio_table.iio_context_get_xml(context);
}

static inline unsigned ciio_device_count(const struct iio_context *context) {
    return ciio_table.iio_context_get_devices_count(context);
}

static inline struct iio_device *ciio_device(const struct iio_context *context, unsigned index) {
    return ciio_table.iio_context_get_device(context, index);
}

// By ID, name or label.
static inline struct iio_device *ciio_find_device(const struct iio_context *context, const char *name) {
    return ciio_table.iio_context_find_device(context, name);
}

static inline const char *ciio_device_id(const struct iio_device *device) {
    return ciio_table.iio_device_get_id(device);
}

static inline const char *ciio_device_name(const struct iio_device *device) {
    return ciio_table.iio_device_get_name(device);
}

static inline const char *ciio_device_label(const struct iio_device *device) {
    return ciio_table.iio_device_get_label(device);
}

static inline struct iio_channel *ciio_find_channel(const struct iio_device *device, const char *name) {
    return ciio_table.iio_device_find_channel(device, name, false);
}

// Bytes of one sample with the channels that are enabled, or minus errno.
static inline ssize_t ciio_sample_size(const struct iio_device *device) {
    return ciio_table.iio_device_get_sample_size(device);
}

static inline void ciio_enable(struct iio_channel *channel) {
    ciio_table.iio_channel_enable(channel);
}

// One value from the hardware's form to the host's.
static inline void ciio_convert(const struct iio_channel *channel, void *to, const void *from) {
    ciio_table.iio_channel_convert(channel, to, from);
}
