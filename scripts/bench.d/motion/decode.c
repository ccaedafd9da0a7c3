// What a sample of three axes and a time costs that was read as doubles: by hand, and through iio_channel_convert.
//
// usage: decode        says for each form and way: FORM|WAY|nanoseconds a sample, the best of 41 rounds
#include <iio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 64, REPEATS = 500, ROUNDS = 41 };

static double sum;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static const char *const before =
    "<?xml version=\"1.0\"?><!DOCTYPE context [<!ELEMENT context (device)*><!ELEMENT device (channel)*>"
    "<!ELEMENT channel (scan-element?)><!ELEMENT scan-element EMPTY><!ATTLIST context name CDATA #REQUIRED>"
    "<!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type CDATA #REQUIRED>"
    "<!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED>]><context name=\"xml\">"
    "<device id=\"iio:device0\" name=\"fake\">";

static struct iio_channel *channels[3];

static void describe(const char *form) {
    char xml[4096];
    int length = snprintf(xml, sizeof xml, "%s", before);
    for (int axis = 0; axis < 3; axis++)
        length += snprintf(xml + length, sizeof xml - (size_t)length,
            "<channel id=\"accel_%c\" type=\"input\"><scan-element index=\"%d\" format=\"%s\"/></channel>", 'x' + axis, axis,
            form);
    length += snprintf(xml + length, sizeof xml - (size_t)length, "</device></context>");
    struct iio_context *context = iio_create_xml_context_mem(xml, (size_t)length);
    if (!context) {
        perror("iio_create_xml_context_mem");
        exit(1);
    }
    struct iio_device *device = iio_context_get_device(context, 0);
    for (int axis = 0; axis < 3; axis++) channels[axis] = iio_device_get_channel(device, (unsigned)axis);
}

static void by_libiio_32(const char *bytes, size_t step) {
    for (int i = 0; i < BATCH; i++, bytes += step)
        for (int axis = 0; axis < 3; axis++) {
            int32_t value;
            iio_channel_convert(channels[axis], &value, bytes + 4 * axis);
            sum += value * 1e-3;
        }
}

static void by_libiio_16(const char *bytes, size_t step) {
    for (int i = 0; i < BATCH; i++, bytes += step)
        for (int axis = 0; axis < 3; axis++) {
            int16_t value;
            iio_channel_convert(channels[axis], &value, bytes + 2 * axis);
            sum += value * 1e-3;
        }
}

static void by_hand_32(const char *bytes, size_t step) {
    for (int i = 0; i < BATCH; i++, bytes += step) {
        int32_t value[3];
        memcpy(value, bytes, sizeof value);
        sum += value[0] * 1e-3 + value[1] * 1e-3 + value[2] * 1e-3;
    }
}

static void by_hand_16(const char *bytes, size_t step) {
    for (int i = 0; i < BATCH; i++, bytes += step) {
        int16_t value[3];
        memcpy(value, bytes, sizeof value);
        sum += (value[0] >> 4) * 1e-3 + (value[1] >> 4) * 1e-3 + (value[2] >> 4) * 1e-3;
    }
}

static void measure(const char *form, const char *way, void (*go)(const char *, size_t), size_t step) {
    static char bytes[BATCH * 24];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)rand();
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t begun = now();
        for (int i = 0; i < REPEATS; i++) go(bytes, step);
        double each = (double)(now() - begun) / (REPEATS * BATCH);
        if (each < best) best = each;
    }
    printf("%s|%s|%.3f\n", form, way, best);
}

int main(void) {
    measure("le:s32/32>>0", "C, by hand", by_hand_32, 24);
    measure("le:s12/16>>4", "C, by hand", by_hand_16, 16);
    describe("le:s32/32>>0");
    measure("le:s32/32>>0", "iio_channel_convert", by_libiio_32, 24);
    describe("le:s12/16>>4");
    measure("le:s12/16>>4", "iio_channel_convert", by_libiio_16, 16);
    fprintf(stderr, "%g\n", sum);
    return 0;
}
