// libasound, linked: the one library that is. Its calls answer minus errno by themselves; here is what Swift cannot say
// (macros, parameter spaces made by alloca) and what should be one step: a configuration, a status read together.
#pragma once
#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "CALSAList.h"

// libasound prints its troubles to stderr. From this call on it does not, on this thread; the last text is kept.
// The handler of the whole process is the app's: it stays as it is.
void calsa_quiet(void);

// The last text that libasound had for this thread since calsa_forget(), or "". Good until its next call on this thread.
const char *calsa_message(void);
void calsa_forget(void);

// SNDRV_PCM_IOCTL_DROP: for the watchdog, on a duplicate of the descriptor. snd_pcm_drop() itself is not thread safe.
enum { CALSA_IOCTL_DROP = 0x4143 };

enum { CALSA_MOST_CHANNELS = 64 };

// What is asked of a PCM: the first of the formats and of the numbers of channels that it has (of these, else the nearest to the
// first), the rate exactly, the two times as near as it can.
struct calsa_request {
    int formats[8];
    int format_count;
    unsigned int channels[8];
    int channels_count;
    unsigned int rate;
    unsigned int buffer_us;
    unsigned int period_us;
    // Instead of the time, where it is not 0.
    uint64_t period_frames;
};

// What is really set, read back.
struct calsa_settings {
    int format;
    unsigned int channels;
    // Which is which, by ALSA's numbers; as many as map_count, 0 where the device does not say or was not asked.
    unsigned int map[CALSA_MOST_CHANNELS];
    unsigned int map_count;
    unsigned int rate;
    uint64_t period;
    uint64_t buffer;
    unsigned int fifo;
    int type;
    int is_batch;
    int can_pause;
    int card;
    unsigned int device;
    unsigned int subdevice;
};

// What a device was set to, kept by the caller from one opening to the next.
struct calsa_known {
    snd_pcm_hw_params_t *hw;
    snd_pcm_sw_params_t *sw;
    snd_pcm_info_t *info;
    // Room to compare with.
    snd_pcm_info_t *now;
    int is_set;
};

static inline void calsa_known_free(struct calsa_known *known) {
    if (!known) return;
    if (known->hw) snd_pcm_hw_params_free(known->hw);
    if (known->sw) snd_pcm_sw_params_free(known->sw);
    if (known->info) snd_pcm_info_free(known->info);
    if (known->now) snd_pcm_info_free(known->now);
    free(known);
}

// NULL when there is no memory.
static inline struct calsa_known *calsa_known_make(void) {
    struct calsa_known *known = (struct calsa_known *)calloc(1, sizeof *known);
    if (!known) return NULL;
    if (snd_pcm_hw_params_malloc(&known->hw) < 0 || snd_pcm_sw_params_malloc(&known->sw) < 0 ||
        snd_pcm_info_malloc(&known->info) < 0 || snd_pcm_info_malloc(&known->now) < 0) {
        calsa_known_free(known);
        return NULL;
    }
    return known;
}

// Adds what `make` makes to a configuration: where there are `node`, `answer` and a label `out`.
#define CALSA_ADD(parent, make, ...) \
    if ((answer = make(&node, __VA_ARGS__)) < 0) goto out; \
    if ((answer = snd_config_add(parent, node)) < 0) { \
        snd_config_delete(node); \
        goto out; \
    }

// Opens a device of a card past the configuration files, by a configuration of one line: they are read, searched and expanded
// for each opening else, and take as long as everything else together. For names whose meaning does not come from them.
static inline int calsa_open_direct(
    snd_pcm_t **pcm, int through_plug, long card, long device, long subdevice, int mode) {
    snd_config_t *root = NULL, *node = NULL, *slave = NULL;
    int answer;
    if ((answer = snd_config_top(&root)) < 0) return answer;
    CALSA_ADD(root, snd_config_make_compound, "pcm", 0)
    slave = node;
    CALSA_ADD(slave, snd_config_make_compound, "onstage", 0)
    slave = node;
    if (through_plug) {
        CALSA_ADD(slave, snd_config_imake_string, "type", "plug")
        CALSA_ADD(slave, snd_config_make_compound, "slave", 0)
        slave = node;
        CALSA_ADD(slave, snd_config_make_compound, "pcm", 0)
        slave = node;
    }
    CALSA_ADD(slave, snd_config_imake_string, "type", "hw")
    CALSA_ADD(slave, snd_config_imake_integer, "card", card)
    CALSA_ADD(slave, snd_config_imake_integer, "device", device)
    CALSA_ADD(slave, snd_config_imake_integer, "subdevice", subdevice)
    answer = snd_pcm_open_lconf(pcm, "onstage", SND_PCM_STREAM_PLAYBACK, mode, root);
out:
    snd_config_delete(root);
    return answer;
}

// The order matters: access, format, channels, rate, and only then the sizes. `call` gets the call that failed; what
// was set is kept in `known`.
static inline int calsa_configure(
    snd_pcm_t *pcm, const struct calsa_request *ask, struct calsa_settings *is, struct calsa_known *known,
    const char **call) {
    snd_pcm_hw_params_t *hw = known->hw;
    snd_pcm_sw_params_t *sw = known->sw;
    snd_pcm_uframes_t period = 0, buffer = 0, boundary = 0;
    unsigned int buffer_us = ask->buffer_us, period_us = ask->period_us;
    snd_pcm_format_t format = SND_PCM_FORMAT_UNKNOWN;
    int answer, index;
    memset(is, 0, sizeof *is);
    known->is_set = 0;
#define CALSA_TRY(name, arguments) \
    *call = #name; \
    if ((answer = name arguments) < 0) return answer;
    CALSA_TRY(snd_pcm_hw_params_any, (pcm, hw))
    CALSA_TRY(snd_pcm_hw_params_set_access, (pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED))
    for (index = 0; index < ask->format_count; index++) {
        format = (snd_pcm_format_t)ask->formats[index];
        if (snd_pcm_hw_params_test_format(pcm, hw, format) == 0) break;
    }
    CALSA_TRY(snd_pcm_hw_params_set_format, (pcm, hw, format))
    for (index = 0, answer = -EINVAL; index < ask->channels_count && answer < 0; index++)
        answer = snd_pcm_hw_params_set_channels(pcm, hw, ask->channels[index]);
    is->channels = ask->channels[0];
    if (answer < 0) {
        CALSA_TRY(snd_pcm_hw_params_set_channels_near, (pcm, hw, &is->channels))
    }
    CALSA_TRY(snd_pcm_hw_params_set_rate, (pcm, hw, ask->rate, 0))
    CALSA_TRY(snd_pcm_hw_params_set_buffer_time_near, (pcm, hw, &buffer_us, NULL))
    period = ask->period_frames;
    if (period) {
        CALSA_TRY(snd_pcm_hw_params_set_period_size_near, (pcm, hw, &period, NULL))
    } else {
        CALSA_TRY(snd_pcm_hw_params_set_period_time_near, (pcm, hw, &period_us, NULL))
    }
    CALSA_TRY(snd_pcm_hw_params, (pcm, hw))
    CALSA_TRY(snd_pcm_hw_params_get_format, (hw, &format))
    CALSA_TRY(snd_pcm_hw_params_get_channels, (hw, &is->channels))
    CALSA_TRY(snd_pcm_hw_params_get_rate, (hw, &is->rate, NULL))
    CALSA_TRY(snd_pcm_hw_params_get_period_size, (hw, &period, NULL))
    CALSA_TRY(snd_pcm_hw_params_get_buffer_size, (hw, &buffer))
    is->is_batch = snd_pcm_hw_params_is_batch(hw);
    is->can_pause = snd_pcm_hw_params_can_pause(hw);
    index = snd_pcm_hw_params_get_fifo_size(hw);
    is->fifo = index > 0 ? (unsigned int)index : 0;
    is->format = format;
    is->period = period;
    is->buffer = buffer;
    is->type = snd_pcm_type(pcm);
    // The start is always said by us, never by a threshold: a sound shorter than one would not be heard.
    CALSA_TRY(snd_pcm_sw_params_current, (pcm, sw))
    CALSA_TRY(snd_pcm_sw_params_get_boundary, (sw, &boundary))
    CALSA_TRY(snd_pcm_sw_params_set_avail_min, (pcm, sw, period))
    CALSA_TRY(snd_pcm_sw_params_set_start_threshold, (pcm, sw, boundary))
    CALSA_TRY(snd_pcm_sw_params_set_stop_threshold, (pcm, sw, buffer))
    // What has been played is silenced, so that a ring that runs dry does not play old sound until it is stopped.
    if (is->type == SND_PCM_TYPE_HW) {
        CALSA_TRY(snd_pcm_sw_params_set_silence_threshold, (pcm, sw, 0))
        CALSA_TRY(snd_pcm_sw_params_set_silence_size, (pcm, sw, boundary))
    }
    CALSA_TRY(snd_pcm_sw_params, (pcm, sw))
    is->card = -1;
    if (snd_pcm_info(pcm, known->info) >= 0) {
        is->card = snd_pcm_info_get_card(known->info);
        is->device = snd_pcm_info_get_device(known->info);
        is->subdevice = snd_pcm_info_get_subdevice(known->info);
        known->is_set = 1;
    }
    // Of one or two channels everybody knows which they are; to ask costs as much as to open the card's control node.
    if (is->channels > 2) {
        snd_pcm_chmap_t *map = snd_pcm_get_chmap(pcm);
        if (map && map->channels == is->channels && map->channels <= CALSA_MOST_CHANNELS) {
            memcpy(is->map, map->pos, map->channels * sizeof *map->pos);
            is->map_count = map->channels;
        }
        free(map);
    }
    return 0;
}

// Sets a PCM of a device as it was set before, in one step; −ENODATA where it is another device, or nothing is known of it.
// Where it does not take it any more: the errno, and the PCM is as after its opening.
static inline int calsa_configure_again(snd_pcm_t *pcm, struct calsa_known *known) {
    snd_pcm_uframes_t was_period = 0, was_buffer = 0, period = 0, buffer = 0;
    snd_pcm_info_t *was = known->info, *is = known->now;
    int answer;
    if (!known->is_set) return -ENODATA;
    if ((answer = snd_pcm_info(pcm, is)) < 0) return answer;
    if (snd_pcm_info_get_card(is) != snd_pcm_info_get_card(was) ||
        snd_pcm_info_get_device(is) != snd_pcm_info_get_device(was) ||
        snd_pcm_info_get_subdevice(is) != snd_pcm_info_get_subdevice(was) ||
        strcmp(snd_pcm_info_get_id(is), snd_pcm_info_get_id(was)) != 0 ||
        strcmp(snd_pcm_info_get_name(is), snd_pcm_info_get_name(was)) != 0)
        return -ENODATA;
    snd_pcm_hw_params_get_period_size(known->hw, &was_period, NULL);
    snd_pcm_hw_params_get_buffer_size(known->hw, &was_buffer);
    if ((answer = snd_pcm_hw_params(pcm, known->hw)) < 0) return answer;
    snd_pcm_hw_params_get_period_size(known->hw, &period, NULL);
    snd_pcm_hw_params_get_buffer_size(known->hw, &buffer);
    if (period != was_period || buffer != was_buffer) return -ENODATA;
    return snd_pcm_sw_params(pcm, known->sw);
}
#undef CALSA_TRY

// Whether what is written goes into a mixer (dmix) of libasound: 1 straight, 2 through a rate converter, 0 not at all. An open
// PCM tells the plug-ins that it is made of in its dump only.
static inline int calsa_mixer(snd_pcm_t *pcm) {
    snd_output_t *output = NULL;
    char *text = NULL;
    int answer = 0;
    if (snd_output_buffer_open(&output) < 0) return 0;
    if (snd_pcm_dump(pcm, output) >= 0 && snd_output_putc(output, 0) >= 0 && snd_output_buffer_string(output, &text) > 0)
        answer = !strstr(text, "Direct Stream Mixing") ? 0 : strstr(text, "Rate conversion") ? 2 : 1;
    snd_output_close(output);
    return answer;
}

// State, delay and room read in one call, so that they belong together; and when the stream was last started or
// stopped (CLOCK_MONOTONIC on a plain device).
static inline int calsa_status(
    snd_pcm_t *pcm, snd_pcm_status_t *space, int *state, int64_t *delay, int64_t *available, int64_t *triggered) {
    snd_htimestamp_t time;
    int answer = snd_pcm_status(pcm, space);
    if (answer < 0) return answer;
    *state = snd_pcm_status_get_state(space);
    *delay = snd_pcm_status_get_delay(space);
    *available = (int64_t)snd_pcm_status_get_avail(space);
    snd_pcm_status_get_trigger_htstamp(space, &time);
    *triggered = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    return 0;
}

// Opens a card's control device past the configuration files (see calsa_open_direct), without ever waiting.
static inline int calsa_card_open(snd_ctl_t **control, long card, int mode) {
    snd_config_t *root = NULL, *node = NULL, *parent = NULL;
    int answer;
    if ((answer = snd_config_top(&root)) < 0) return answer;
    CALSA_ADD(root, snd_config_make_compound, "ctl", 0)
    parent = node;
    CALSA_ADD(parent, snd_config_make_compound, "onstage", 0)
    parent = node;
    CALSA_ADD(parent, snd_config_imake_string, "type", "hw")
    CALSA_ADD(parent, snd_config_imake_integer, "card", card)
    answer = snd_ctl_open_lconf(control, "onstage", SND_CTL_NONBLOCK | mode, root);
out:
    snd_config_delete(root);
    return answer;
}

// The same to be told of changes, for reading alone. Nothing that others set is held.
static inline int calsa_control_open(snd_ctl_t **control, long card) {
    int answer = calsa_card_open(control, card, SND_CTL_READONLY);
    if (answer < 0) return answer;
    if ((answer = snd_ctl_subscribe_events(*control, 1)) < 0) {
        snd_ctl_close(*control);
        *control = NULL;
    }
    return answer;
}

// An element of a card that says something of the card itself, as jacks do.
struct calsa_element {
    unsigned int number;
    char name[64];
};

static inline void calsa_element_set(struct calsa_element *element, unsigned int number, const char *name) {
    element->number = number;
    strncpy(element->name, name, sizeof element->name - 1);
    element->name[sizeof element->name - 1] = 0;
}

// The card's own elements (SND_CTL_ELEM_IFACE_CARD), as many as fit; answers how many there are, or minus errno.
static inline int calsa_control_elements(snd_ctl_t *control, struct calsa_element *elements, int room) {
    snd_ctl_elem_list_t *list = NULL;
    int count = calsa_list(control, &list), index, found = 0;
    if (count < 0) return count;
    for (index = 0; index < count; index++) {
        if (snd_ctl_elem_list_get_interface(list, (unsigned int)index) != SND_CTL_ELEM_IFACE_CARD) continue;
        if (found < room)
            calsa_element_set(
                &elements[found], snd_ctl_elem_list_get_numid(list, (unsigned int)index),
                snd_ctl_elem_list_get_name(list, (unsigned int)index));
        found++;
    }
    calsa_free_listed(list);
    return found;
}

// Whether an element that is on or off is on: 1, 0; −EINVAL where it is of another kind, or may not be read.
static inline int calsa_control_flag(snd_ctl_t *control, unsigned int number) {
    snd_ctl_elem_info_t *info = NULL;
    snd_ctl_elem_value_t *value = NULL;
    int answer = -ENOMEM;
    if (snd_ctl_elem_info_malloc(&info) < 0 || snd_ctl_elem_value_malloc(&value) < 0) goto out;
    snd_ctl_elem_info_set_numid(info, number);
    if ((answer = snd_ctl_elem_info(control, info)) < 0) goto out;
    answer = -EINVAL;
    if (snd_ctl_elem_info_get_type(info) != SND_CTL_ELEM_TYPE_BOOLEAN || !snd_ctl_elem_info_is_readable(info)) goto out;
    snd_ctl_elem_value_set_numid(value, number);
    if ((answer = snd_ctl_elem_read(control, value)) < 0) goto out;
    answer = snd_ctl_elem_value_get_boolean(value, 0) != 0;
out:
    if (info) snd_ctl_elem_info_free(info);
    if (value) snd_ctl_elem_value_free(value);
    return answer;
}

// What happened to an element of the card itself.
enum { CALSA_EVENT_OTHER = 1, CALSA_EVENT_CHANGED = 2, CALSA_EVENT_REMOVED = 3 };

// The next thing that happened to the card: CALSA_EVENT_…, with the element for the last two; 0 when that was all.
static inline int calsa_control_event(snd_ctl_t *control, snd_ctl_event_t *space, struct calsa_element *element) {
    int answer = snd_ctl_read(control, space);
    if (answer == -EAGAIN || answer == 0) return 0;
    if (answer < 0) return answer;
    if (snd_ctl_event_get_type(space) != SND_CTL_EVENT_ELEM ||
        snd_ctl_event_elem_get_interface(space) != SND_CTL_ELEM_IFACE_CARD)
        return CALSA_EVENT_OTHER;
    calsa_element_set(element, snd_ctl_event_elem_get_numid(space), snd_ctl_event_elem_get_name(space));
    return snd_ctl_event_elem_get_mask(space) == SND_CTL_EVENT_MASK_REMOVE ? CALSA_EVENT_REMOVED : CALSA_EVENT_CHANGED;
}

#include "CALSAMixer.h"
