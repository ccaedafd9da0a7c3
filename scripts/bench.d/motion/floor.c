// The least that a reader of an IIO accelerometer which can be woken has to do: the node read without waiting, poll on it
// and an eventfd; in batches a sleep on the eventfd alone and one read. Each sample is turned into SI doubles and counted.
//
// usage: floor NAME SAMPLES HZ BATCH [CYCLES]
//
// Says for each cycle, in µs: from the open to the buffer's enable, to the first sample, and from the disable to the close,
// with what was enabled put back in between; and what is missing in the count that x is (`bench imu --counter`).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define DEVICES "/sys/bus/iio/devices"
enum { MOST = 4096 };

// What a HID accelerometer's buffer holds: three axes of le:s32/32>>0, padding, the time.
struct sample {
    int32_t axis[3], unused;
    int64_t time;
};

static struct sample buffer[MOST];
static double values[MOST][3];
static char folder[64];
static double scale;

static void need(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void set(const char *attribute, const char *value) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, attribute);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    need(file >= 0, path);
    need(write(file, value, strlen(value)) > 0, path);
    close(file);
}

static int get(const char *attribute, char *text, size_t size) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, attribute);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, size - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    return count > 0;
}

static int find(const char *name) {
    char text[64];
    for (int number = 0; number < 64; number++) {
        snprintf(folder, sizeof folder, DEVICES "/iio:device%d", number);
        if (!get("name", text, sizeof text)) continue;
        text[strcspn(text, "\n")] = 0;
        if (strcmp(text, name) == 0) return number;
    }
    errno = ENODEV;
    need(0, name);
    return -1;
}

static const char *const channels[] = {
    "scan_elements/in_accel_x_en", "scan_elements/in_accel_y_en", "scan_elements/in_accel_z_en",
    "scan_elements/in_timestamp_en"};

static void capture(int number, long samples, double hz, int batch, int bell) {
    char text[64];
    int64_t begun = now(), first = 0;
    snprintf(text, sizeof text, "/dev/iio:device%d", number);
    int node = open(text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    need(node >= 0, text);
    snprintf(text, sizeof text, "%g", hz);
    set("in_accel_sampling_frequency", text);
    for (int i = 0; i < 4; i++) set(channels[i], "1");
    need(get("in_accel_scale", text, sizeof text), "in_accel_scale");
    scale = atof(text);
    snprintf(text, sizeof text, "%d", batch * 2 < 512 ? 512 : batch * 2);
    set("buffer/length", text);
    set("buffer/enable", "1");
    int64_t enabled = now(), next = enabled, period = batch * 1e9 / hz;
    struct pollfd wait[2] = {{.fd = bell, .events = POLLIN}, {.fd = node, .events = POLLIN}};
    long got = 0, lost = 0;
    int32_t last = 0;
    double sum = 0;
    while (got < samples) {
        if (batch > 1) {
            next += period;
            int64_t rest = next - now();
            if (rest < 0) rest = 0;
            struct timespec time = {rest / 1000000000, rest % 1000000000};
            if (ppoll(wait, 1, &time, NULL) > 0) break;
        } else if (poll(wait, 2, -1) < 0 || wait[0].revents) {
            break;
        }
        ssize_t count = read(node, buffer, sizeof buffer) / (ssize_t)sizeof *buffer;
        if (count <= 0) continue;
        if (!first) first = now();
        for (int i = 0; i < count; i++) {
            for (int axis = 0; axis < 3; axis++) values[i][axis] = buffer[i].axis[axis] * scale;
            if (got + i > 0 && buffer[i].axis[0] != last + 1) lost += buffer[i].axis[0] - last - 1;
            last = buffer[i].axis[0];
            sum += values[i][2];
        }
        got += count;
    }
    int64_t ended = now();
    set("buffer/enable", "0");
    int64_t off = now();
    for (int i = 3; i >= 0; i--) set(channels[i], "0");
    close(node);
    int64_t closed = now();
    printf("setup_us=%.1f first_us=%.1f off_us=%.1f released_us=%.1f lost=%ld z=%.3f\n", (enabled - begun) / 1e3,
        (first - begun) / 1e3, (off - ended) / 1e3, (closed - ended) / 1e3, lost, got ? sum / got : 0);
}

int main(int count, char **words) {
    if (count < 5) {
        fprintf(stderr, "usage: floor NAME SAMPLES HZ BATCH [CYCLES]\n");
        return 2;
    }
    int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), number = find(words[1]);
    need(bell >= 0, "eventfd");
    int cycles = count > 5 ? atoi(words[5]) : 1;
    for (int cycle = 0; cycle < cycles; cycle++)
        capture(number, atol(words[2]), atof(words[3]), atoi(words[4]), bell);
    return 0;
}
