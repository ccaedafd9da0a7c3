/* The least that a player can do which keeps its position and lets the device go: what ours is held to.
 *
 *   floor DEVICE FILE.wav [PERIOD BUFFER]       in frames; 6000 24000 if left out
 *
 * One wait (poll on the PCM and an eventfd), one write per wake-up, the file mapped. SIGUSR1 pauses: hwsync, delay, drop,
 * close; SIGUSR2 opens the device again and goes on behind the last frame that the delay says was heard. SIGTERM ends it.
 * On a plain hw: device whose pointer moves with its sound that is exact; elsewhere it is only fast.
 *
 * Takes 16-bit PCM in a WAV file whose header is well formed: it is a ruler, not a player.
 */
#include <alsa/asoundlib.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_descriptors = 8 };

static const char *device;
static snd_pcm_uframes_t period = 6000, buffer = 24000;
static const char *frames;  /* the sound */
static snd_pcm_uframes_t count, next; /* how many frames it has, and the first one not written yet */
static unsigned channels, rate, frame_size;

static snd_pcm_t *pcm;
static struct pollfd waits[1 + most_descriptors]; /* the eventfd, then the PCM's */
static int pcm_waits;

static int wake;
static atomic_int wished = SIGUSR2; /* the last signal */

static void on_signal(int number) {
    int kept = errno;
    uint64_t one = 1;
    atomic_store(&wished, number);
    if (write(wake, &one, sizeof one) < 0) { /* it is full: then it is readable */
    }
    errno = kept;
}

static void must(int answer, const char *call) {
    if (answer >= 0) return;
    fprintf(stderr, "floor: %s: %s\n", call, snd_strerror(answer));
    exit(1);
}

static void map_file(const char *path) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) < 0) must(-errno, path);
    const unsigned char *all = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (all == MAP_FAILED) must(-errno, path);
    close(file);
    uint32_t length;
    for (size_t at = 12; at + 8 <= (size_t)info.st_size; at += 8 + length + (length & 1)) {
        memcpy(&length, all + at + 4, 4);
        if (!memcmp(all + at, "fmt ", 4)) {
            channels = (unsigned)(all[at + 10] | all[at + 11] << 8);
            memcpy(&rate, all + at + 12, 4);
            frame_size = channels * 2;
        } else if (!memcmp(all + at, "data", 4)) {
            frames = (const char *)all + at + 8;
            count = length / frame_size;
            return;
        }
    }
    must(-EINVAL, path);
}

static void acquire(void) {
    int mode = SND_PCM_NONBLOCK | SND_PCM_NO_AUTO_RESAMPLE | SND_PCM_NO_AUTO_CHANNELS | SND_PCM_NO_AUTO_FORMAT;
    snd_pcm_hw_params_t *hw;
    snd_pcm_sw_params_t *sw;
    must(snd_pcm_open(&pcm, device, SND_PCM_STREAM_PLAYBACK, mode), "snd_pcm_open");
    snd_pcm_hw_params_alloca(&hw);
    must(snd_pcm_hw_params_any(pcm, hw), "snd_pcm_hw_params_any");
    must(snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access");
    must(snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format");
    must(snd_pcm_hw_params_set_channels(pcm, hw, channels), "snd_pcm_hw_params_set_channels");
    must(snd_pcm_hw_params_set_rate(pcm, hw, rate, 0), "snd_pcm_hw_params_set_rate");
    must(snd_pcm_hw_params_set_buffer_size_near(pcm, hw, &buffer), "snd_pcm_hw_params_set_buffer_size_near");
    must(snd_pcm_hw_params_set_period_size_near(pcm, hw, &period, NULL), "snd_pcm_hw_params_set_period_size_near");
    must(snd_pcm_hw_params(pcm, hw), "snd_pcm_hw_params");
    snd_pcm_sw_params_alloca(&sw);
    must(snd_pcm_sw_params_current(pcm, sw), "snd_pcm_sw_params_current");
    must(snd_pcm_sw_params_set_start_threshold(pcm, sw, buffer * 2), "snd_pcm_sw_params_set_start_threshold");
    must(snd_pcm_sw_params(pcm, sw), "snd_pcm_sw_params");
    pcm_waits = snd_pcm_poll_descriptors(pcm, waits + 1, most_descriptors);
    must(pcm_waits, "snd_pcm_poll_descriptors");
}

/* What fits, in one call: a short write says that the ring is full. */
static void fill(void) {
    snd_pcm_sframes_t answer;
    while ((answer = snd_pcm_writei(pcm, frames + next * frame_size, count - next)) == -EPIPE)
        must(snd_pcm_prepare(pcm), "snd_pcm_prepare");
    if (answer == -EAGAIN) return;
    must((int)answer, "snd_pcm_writei");
    next += (snd_pcm_uframes_t)answer;
}

static void resume(void) {
    acquire();
    fill();
    must(snd_pcm_start(pcm), "snd_pcm_start");
}

static void release(void) {
    snd_pcm_sframes_t ahead = 0;
    snd_pcm_hwsync(pcm);
    if (snd_pcm_delay(pcm, &ahead) < 0 || ahead < 0) ahead = 0;
    snd_pcm_drop(pcm);
    snd_pcm_close(pcm);
    pcm = NULL;
    next -= (snd_pcm_uframes_t)ahead < next ? (snd_pcm_uframes_t)ahead : next;
}

/* 0 when it is to end. */
static int obey(void) {
    uint64_t times;
    if (read(wake, &times, sizeof times) < 0) return 1;
    switch (atomic_load(&wished)) {
    case SIGUSR1:
        if (pcm) release();
        return 1;
    case SIGUSR2:
        if (!pcm && next < count) resume();
        return 1;
    default: return 0;
    }
}

int main(int arguments, char **argument) {
    if (arguments != 3 && arguments != 5) {
        fprintf(stderr, "usage: floor DEVICE FILE.wav [PERIOD BUFFER]\n");
        return 2;
    }
    device = argument[1];
    if (arguments == 5) {
        period = strtoul(argument[3], NULL, 10);
        buffer = strtoul(argument[4], NULL, 10);
    }
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0) must(-errno, "eventfd");
    waits[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};
    for (unsigned at = 0; at < sizeof signals / sizeof *signals; at++) sigaction(signals[at], &action, NULL);
    map_file(argument[2]);
    resume();
    for (;;) {
        if (poll(waits, 1 + (nfds_t)(pcm && next < count ? pcm_waits : 0), pcm && next == count ? 20 : -1) < 0) continue;
        if (waits[0].revents & POLLIN) {
            if (!obey()) break;
            continue;
        }
        if (!pcm) continue;
        if (next < count) {
            unsigned short events = 0;
            snd_pcm_poll_descriptors_revents(pcm, waits + 1, (unsigned)pcm_waits, &events);
            if (events & (POLLOUT | POLLERR)) fill();
        } else {
            snd_pcm_sframes_t ahead = 0;
            if (snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING || snd_pcm_delay(pcm, &ahead) < 0 || ahead <= 0) break;
        }
    }
    if (pcm) {
        snd_pcm_drop(pcm);
        snd_pcm_close(pcm);
    }
    return 0;
}
