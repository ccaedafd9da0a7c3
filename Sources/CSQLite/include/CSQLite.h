// SQLite, loaded at first use. Each shim calls through one table that csqlite_load() fills; none may be called before it
// has answered NULL. They answer SQLite's (extended) result codes, as the library does.
#pragma once
#include <sqlite3.h>
#include <stddef.h>

#define CSQLITE_FUNCTIONS(X) \
    X(sqlite3_open_v2) \
    X(sqlite3_close) \
    X(sqlite3_extended_result_codes) \
    X(sqlite3_busy_timeout) \
    X(sqlite3_errmsg) \
    X(sqlite3_system_errno) \
    X(sqlite3_db_readonly) \
    X(sqlite3_exec) \
    X(sqlite3_prepare_v2) \
    X(sqlite3_finalize) \
    X(sqlite3_step) \
    X(sqlite3_reset) \
    X(sqlite3_bind_null) \
    X(sqlite3_bind_int64) \
    X(sqlite3_bind_text) \
    X(sqlite3_column_count) \
    X(sqlite3_column_type) \
    X(sqlite3_column_int64) \
    X(sqlite3_column_text) \
    X(sqlite3_column_bytes)

#define CSQLITE_FIELD(name) __typeof__(name) *name;
struct csqlite_table {
    CSQLITE_FUNCTIONS(CSQLITE_FIELD)
};
#undef CSQLITE_FIELD
extern struct csqlite_table csqlite;

// Fills the table. NULL when it is filled, else what is missing and what to do. Any thread, any number of times; the work
// is done once.
const char *csqlite_load(void);

static inline int csqlite_open(const char *path, int flags, sqlite3 **connection) {
    return csqlite.sqlite3_open_v2(path, connection, flags, NULL);
}

static inline int csqlite_close(sqlite3 *connection) {
    return csqlite.sqlite3_close(connection);
}

static inline void csqlite_extended_codes(sqlite3 *connection) {
    csqlite.sqlite3_extended_result_codes(connection, 1);
}

static inline void csqlite_busy_timeout(sqlite3 *connection, int milliseconds) {
    csqlite.sqlite3_busy_timeout(connection, milliseconds);
}

static inline const char *csqlite_message(sqlite3 *connection) {
    return csqlite.sqlite3_errmsg(connection);
}

static inline int csqlite_errno(sqlite3 *connection) {
    return csqlite.sqlite3_system_errno(connection);
}

static inline int csqlite_is_read_only(sqlite3 *connection) {
    return csqlite.sqlite3_db_readonly(connection, "main") != 0;
}

static inline int csqlite_execute(sqlite3 *connection, const char *text) {
    return csqlite.sqlite3_exec(connection, text, NULL, NULL, NULL);
}

static inline int csqlite_prepare(sqlite3 *connection, const char *text, sqlite3_stmt **statement) {
    return csqlite.sqlite3_prepare_v2(connection, text, -1, statement, NULL);
}

static inline int csqlite_finalize(sqlite3_stmt *statement) {
    return csqlite.sqlite3_finalize(statement);
}

static inline int csqlite_step(sqlite3_stmt *statement) {
    return csqlite.sqlite3_step(statement);
}

static inline int csqlite_reset(sqlite3_stmt *statement) {
    return csqlite.sqlite3_reset(statement);
}

static inline int csqlite_bind_null(sqlite3_stmt *statement, int index) {
    return csqlite.sqlite3_bind_null(statement, index);
}

static inline int csqlite_bind_integer(sqlite3_stmt *statement, int index, sqlite3_int64 value) {
    return csqlite.sqlite3_bind_int64(statement, index, value);
}

// SQLITE_TRANSIENT does not import into Swift; the text is copied.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *value) {
    return csqlite.sqlite3_bind_text(statement, index, value, -1, SQLITE_TRANSIENT);
}

static inline int csqlite_column_count(sqlite3_stmt *statement) {
    return csqlite.sqlite3_column_count(statement);
}

static inline int csqlite_column_type(sqlite3_stmt *statement, int column) {
    return csqlite.sqlite3_column_type(statement, column);
}

static inline sqlite3_int64 csqlite_column_integer(sqlite3_stmt *statement, int column) {
    return csqlite.sqlite3_column_int64(statement, column);
}

// Valid until the next step; `bytes` without a closing zero.
static inline const unsigned char *csqlite_column_text(sqlite3_stmt *statement, int column, int *bytes) {
    const unsigned char *text = csqlite.sqlite3_column_text(statement, column);
    *bytes = csqlite.sqlite3_column_bytes(statement, column);
    return text;
}
