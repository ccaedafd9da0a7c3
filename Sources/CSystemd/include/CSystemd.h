// sd-bus of libsystemd, loaded at first use: its own header, a table of pointers to its functions, and shims that call
// through it. Nothing here waits for anybody: what is sent is queued, what is answered comes by csystemd_process().
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

// Every function that is used; load.c makes the table from the same list.
#define CSYSTEMD_FUNCTIONS(X) \
    X(sd_bus_new) \
    X(sd_bus_set_address) \
    X(sd_bus_set_bus_client) \
    X(sd_bus_start) \
    X(sd_bus_open_user) \
    X(sd_bus_close_unref) \
    X(sd_bus_get_fd) \
    X(sd_bus_get_events) \
    X(sd_bus_get_timeout) \
    X(sd_bus_get_unique_name) \
    X(sd_bus_process) \
    X(sd_bus_add_object) \
    X(sd_bus_add_match_async) \
    X(sd_bus_call_async) \
    X(sd_bus_send) \
    X(sd_bus_slot_unref) \
    X(sd_bus_message_new_method_call) \
    X(sd_bus_message_new_method_return) \
    X(sd_bus_message_ref) \
    X(sd_bus_message_unref) \
    X(sd_bus_message_append_basic) \
    X(sd_bus_message_open_container) \
    X(sd_bus_message_close_container) \
    X(sd_bus_message_read_basic) \
    X(sd_bus_message_get_error) \
    X(sd_bus_message_get_interface) \
    X(sd_bus_message_get_member) \
    X(sd_bus_message_get_sender) \
    X(sd_bus_message_is_method_call)

struct csystemd_functions {
#define X(name) __typeof__(&name) name;
    CSYSTEMD_FUNCTIONS(X)
#undef X
};

extern struct csystemd_functions csystemd;

// Loads the library once, from any thread. NULL, or why it cannot be used; the text stays valid.
extern const char *csystemd_load(void);

// The shims below may only be called after csystemd_load() has answered NULL. Each answers a value, or minus errno.

// Takes one message, or answers 1 when something was done, 0 when there is nothing to do.
typedef int (*csystemd_handler)(sd_bus_message *message, void *data, sd_bus_error *fault);

// The user's bus ($DBUS_SESSION_BUS_ADDRESS, else $XDG_RUNTIME_DIR/bus). The connection is begun, and not waited for.
static inline int csystemd_open(sd_bus **bus) {
    return csystemd.sd_bus_open_user(bus);
}

// The same for the bus at `address`.
static inline int csystemd_open_at(sd_bus **bus, const char *address) {
    int answer = csystemd.sd_bus_new(bus);
    if (answer < 0) return answer;
    answer = csystemd.sd_bus_set_address(*bus, address);
    if (answer >= 0) answer = csystemd.sd_bus_set_bus_client(*bus, 1);
    if (answer >= 0) answer = csystemd.sd_bus_start(*bus);
    if (answer >= 0) return answer;
    csystemd.sd_bus_close_unref(*bus);
    *bus = NULL;
    return answer;
}

// Closed without waiting for what has not been sent.
static inline void csystemd_close(sd_bus *bus) {
    csystemd.sd_bus_close_unref(bus);
}

static inline int csystemd_descriptor(sd_bus *bus) {
    return csystemd.sd_bus_get_fd(bus);
}

// What to poll for.
static inline int csystemd_events(sd_bus *bus) {
    return csystemd.sd_bus_get_events(bus);
}

// When it is to be processed whatever comes, in microseconds of CLOCK_MONOTONIC; UINT64_MAX for never.
static inline int csystemd_timeout(sd_bus *bus, uint64_t *microseconds) {
    return csystemd.sd_bus_get_timeout(bus, microseconds);
}

// The connection's own name; waits for it unless something has been answered already.
static inline int csystemd_unique_name(sd_bus *bus, const char **name) {
    return csystemd.sd_bus_get_unique_name(bus, name);
}

static inline int csystemd_process(sd_bus *bus) {
    return csystemd.sd_bus_process(bus, NULL);
}

static inline int csystemd_add_object(sd_bus *bus, sd_bus_slot **slot, const char *path, csystemd_handler handler, void *data) {
    return csystemd.sd_bus_add_object(bus, slot, path, handler, data);
}

// What is sent to `match` is handed to `handler`; a bus that does not take the match closes the connection.
static inline int csystemd_match(sd_bus *bus, sd_bus_slot **slot, const char *match, csystemd_handler handler, void *data) {
    return csystemd.sd_bus_add_match_async(bus, slot, match, handler, NULL, data);
}

// The answer, or an error in its place after `microseconds`, is handed to `handler`; the slot's end calls that off.
static inline int csystemd_call(
    sd_bus *bus, sd_bus_slot **slot, sd_bus_message *message, csystemd_handler handler, void *data, uint64_t microseconds) {
    return csystemd.sd_bus_call_async(bus, slot, message, handler, data, microseconds);
}

static inline int csystemd_send(sd_bus *bus, sd_bus_message *message) {
    return csystemd.sd_bus_send(bus, message, NULL);
}

static inline void csystemd_end(sd_bus_slot *slot) {
    csystemd.sd_bus_slot_unref(slot);
}

static inline int csystemd_new_call(
    sd_bus *bus, sd_bus_message **message, const char *to, const char *path, const char *interface, const char *member) {
    return csystemd.sd_bus_message_new_method_call(bus, message, to, path, interface, member);
}

static inline int csystemd_new_answer(sd_bus_message *call, sd_bus_message **message) {
    return csystemd.sd_bus_message_new_method_return(call, message);
}

static inline void csystemd_keep(sd_bus_message *message) {
    csystemd.sd_bus_message_ref(message);
}

static inline void csystemd_drop(sd_bus_message *message) {
    csystemd.sd_bus_message_unref(message);
}

static inline int csystemd_append_text(sd_bus_message *message, const char *text) {
    return csystemd.sd_bus_message_append_basic(message, 's', text);
}

static inline int csystemd_append_int32(sd_bus_message *message, int32_t value) {
    return csystemd.sd_bus_message_append_basic(message, 'i', &value);
}

static inline int csystemd_append_uint32(sd_bus_message *message, uint32_t value) {
    return csystemd.sd_bus_message_append_basic(message, 'u', &value);
}

static inline int csystemd_append_bool(sd_bus_message *message, bool value) {
    int wide = value;
    return csystemd.sd_bus_message_append_basic(message, 'b', &wide);
}

static inline int csystemd_open_container(sd_bus_message *message, char type, const char *contents) {
    return csystemd.sd_bus_message_open_container(message, type, contents);
}

static inline int csystemd_close_container(sd_bus_message *message) {
    return csystemd.sd_bus_message_close_container(message);
}

// The text is the message's.
static inline int csystemd_read_text(sd_bus_message *message, const char **text) {
    return csystemd.sd_bus_message_read_basic(message, 's', text);
}

static inline int csystemd_read_int32(sd_bus_message *message, int32_t *value) {
    return csystemd.sd_bus_message_read_basic(message, 'i', value);
}

static inline int csystemd_read_uint32(sd_bus_message *message, uint32_t *value) {
    return csystemd.sd_bus_message_read_basic(message, 'u', value);
}

static inline int csystemd_read_bool(sd_bus_message *message, bool *value) {
    int wide = 0;
    int answer = csystemd.sd_bus_message_read_basic(message, 'b', &wide);
    *value = wide != 0;
    return answer;
}

// The name of the error that a message is; NULL for one that is none.
static inline const char *csystemd_error(sd_bus_message *message) {
    const sd_bus_error *error = csystemd.sd_bus_message_get_error(message);
    return error ? error->name : NULL;
}

static inline const char *csystemd_interface(sd_bus_message *message) {
    return csystemd.sd_bus_message_get_interface(message);
}

static inline const char *csystemd_member(sd_bus_message *message) {
    return csystemd.sd_bus_message_get_member(message);
}

static inline const char *csystemd_sender(sd_bus_message *message) {
    return csystemd.sd_bus_message_get_sender(message);
}

static inline bool csystemd_is_call(sd_bus_message *message) {
    return csystemd.sd_bus_message_is_method_call(message, NULL, NULL) > 0;
}
