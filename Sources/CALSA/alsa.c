#include "CALSA.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[256];

static void keep(const char *file, int line, const char *function, int error, const char *format, va_list arguments) {
    (void)file, (void)line, (void)function;
    int length = vsnprintf(message, sizeof message, format, arguments);
    if (error && length >= 0 && length < (int)sizeof message - 3)
        snprintf(message + length, sizeof message - (size_t)length, ": %s", snd_strerror(error));
}

void calsa_quiet(void) {
    snd_lib_error_set_local(keep);
}

const char *calsa_message(void) {
    return message;
}

void calsa_forget(void) {
    message[0] = 0;
}
