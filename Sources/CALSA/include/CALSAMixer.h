// A card's control elements (volumes, switches, choices) and its use cases (UCM), as plain values. Part of CALSA.h.
#pragma once
#include <alsa/asoundlib.h>
#include <alsa/use-case.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CALSAList.h"

// As many values as one element has at most (bytes; of numbers there are 128).
enum { CALSA_MOST_VALUES = 512 };

// One element: who it is and, where it was looked at, what it takes.
struct calsa_mixer_element {
    unsigned int number;
    int interface;
    unsigned int device;
    unsigned int subdevice;
    unsigned int index;
    char name[64];
    // SND_CTL_ELEM_TYPE_…
    int type;
    unsigned int count;
    int64_t least;
    int64_t most;
    unsigned int items;
    int is_readable;
    int is_writable;
    // Another program has locked it for itself.
    int is_locked;
    int is_volatile;
};

// Who they are, as many as fit; answers how many there are, or minus errno.
static inline int calsa_mixer_list(snd_ctl_t *control, struct calsa_mixer_element *elements, int room) {
    snd_ctl_elem_list_t *list = NULL;
    unsigned int index;
    int count = calsa_list(control, &list);
    if (count < 0) return count;
    for (index = 0; (int)index < count && (int)index < room; index++) {
        struct calsa_mixer_element *element = &elements[index];
        memset(element, 0, sizeof *element);
        element->number = snd_ctl_elem_list_get_numid(list, index);
        element->interface = (int)snd_ctl_elem_list_get_interface(list, index);
        element->device = snd_ctl_elem_list_get_device(list, index);
        element->subdevice = snd_ctl_elem_list_get_subdevice(list, index);
        element->index = snd_ctl_elem_list_get_index(list, index);
        strncpy(element->name, snd_ctl_elem_list_get_name(list, index), sizeof element->name - 1);
    }
    calsa_free_listed(list);
    return count;
}

// What an element takes, by its number; who it is stays.
static inline int calsa_mixer_look(snd_ctl_t *control, struct calsa_mixer_element *element) {
    snd_ctl_elem_info_t *info = NULL;
    int answer;
    if ((answer = snd_ctl_elem_info_malloc(&info)) < 0) return answer;
    snd_ctl_elem_info_set_numid(info, element->number);
    if ((answer = snd_ctl_elem_info(control, info)) < 0) goto out;
    element->type = (int)snd_ctl_elem_info_get_type(info);
    element->count = snd_ctl_elem_info_get_count(info);
    element->is_readable = snd_ctl_elem_info_is_readable(info);
    element->is_writable = snd_ctl_elem_info_is_writable(info);
    element->is_locked = snd_ctl_elem_info_is_locked(info) && !snd_ctl_elem_info_is_owner(info);
    element->is_volatile = snd_ctl_elem_info_is_volatile(info);
    switch (element->type) {
    case SND_CTL_ELEM_TYPE_BOOLEAN: element->most = 1; break;
    case SND_CTL_ELEM_TYPE_INTEGER:
        element->least = snd_ctl_elem_info_get_min(info);
        element->most = snd_ctl_elem_info_get_max(info);
        break;
    case SND_CTL_ELEM_TYPE_INTEGER64:
        element->least = snd_ctl_elem_info_get_min64(info);
        element->most = snd_ctl_elem_info_get_max64(info);
        break;
    case SND_CTL_ELEM_TYPE_ENUMERATED: element->items = snd_ctl_elem_info_get_items(info); break;
    default: break;
    }
out:
    snd_ctl_elem_info_free(info);
    return answer;
}

// The name of an item of an enumerated element.
static inline int calsa_mixer_item(snd_ctl_t *control, unsigned int number, unsigned int item, char name[64]) {
    snd_ctl_elem_info_t *info = NULL;
    int answer;
    if ((answer = snd_ctl_elem_info_malloc(&info)) < 0) return answer;
    snd_ctl_elem_info_set_numid(info, number);
    snd_ctl_elem_info_set_item(info, item);
    if ((answer = snd_ctl_elem_info(control, info)) >= 0) {
        strncpy(name, snd_ctl_elem_info_get_item_name(info), 63);
        name[63] = 0;
    }
    snd_ctl_elem_info_free(info);
    return answer;
}

// How many values of it are ours to keep; −EINVAL for a kind that is left alone.
static inline int calsa_mixer_count(const struct calsa_mixer_element *element) {
    switch (element->type) {
    case SND_CTL_ELEM_TYPE_BOOLEAN:
    case SND_CTL_ELEM_TYPE_INTEGER:
    case SND_CTL_ELEM_TYPE_INTEGER64:
    case SND_CTL_ELEM_TYPE_ENUMERATED:
    case SND_CTL_ELEM_TYPE_BYTES: return element->count <= CALSA_MOST_VALUES ? (int)element->count : -EINVAL;
    default: return -EINVAL;
    }
}

// All values of an element; there is room for CALSA_MOST_VALUES. Answers how many, or minus errno.
static inline int calsa_mixer_read(snd_ctl_t *control, const struct calsa_mixer_element *element, int64_t *values) {
    snd_ctl_elem_value_t *value = NULL;
    int answer, count = calsa_mixer_count(element), index;
    if (count < 0) return count;
    if ((answer = snd_ctl_elem_value_malloc(&value)) < 0) return answer;
    snd_ctl_elem_value_set_numid(value, element->number);
    if ((answer = snd_ctl_elem_read(control, value)) < 0) goto out;
    for (index = 0; index < count; index++) {
        unsigned int at = (unsigned int)index;
        switch (element->type) {
        case SND_CTL_ELEM_TYPE_BOOLEAN: values[index] = snd_ctl_elem_value_get_boolean(value, at) != 0; break;
        case SND_CTL_ELEM_TYPE_INTEGER: values[index] = snd_ctl_elem_value_get_integer(value, at); break;
        case SND_CTL_ELEM_TYPE_INTEGER64: values[index] = snd_ctl_elem_value_get_integer64(value, at); break;
        case SND_CTL_ELEM_TYPE_ENUMERATED: values[index] = snd_ctl_elem_value_get_enumerated(value, at); break;
        default: values[index] = snd_ctl_elem_value_get_byte(value, at); break;
        }
    }
    answer = count;
out:
    snd_ctl_elem_value_free(value);
    return answer;
}

// Sets all values of an element: as many as calsa_mixer_count says. 0 or minus errno.
static inline int calsa_mixer_write(
    snd_ctl_t *control, const struct calsa_mixer_element *element, const int64_t *values) {
    snd_ctl_elem_value_t *value = NULL;
    int answer, count = calsa_mixer_count(element), index;
    if (count < 0) return count;
    if ((answer = snd_ctl_elem_value_malloc(&value)) < 0) return answer;
    snd_ctl_elem_value_set_numid(value, element->number);
    for (index = 0; index < count; index++) {
        unsigned int at = (unsigned int)index;
        switch (element->type) {
        case SND_CTL_ELEM_TYPE_BOOLEAN: snd_ctl_elem_value_set_boolean(value, at, values[index] != 0); break;
        case SND_CTL_ELEM_TYPE_INTEGER: snd_ctl_elem_value_set_integer(value, at, (long)values[index]); break;
        case SND_CTL_ELEM_TYPE_INTEGER64: snd_ctl_elem_value_set_integer64(value, at, values[index]); break;
        case SND_CTL_ELEM_TYPE_ENUMERATED:
            snd_ctl_elem_value_set_enumerated(value, at, (unsigned int)values[index]);
            break;
        default: snd_ctl_elem_value_set_byte(value, at, (unsigned char)values[index]); break;
        }
    }
    answer = snd_ctl_elem_write(control, value);
    snd_ctl_elem_value_free(value);
    return answer < 0 ? answer : 0;
}

// The dB scale of an element in hundredths, or minus errno where it has none.
static inline int calsa_mixer_decibels(snd_ctl_t *control, unsigned int number, int64_t *least, int64_t *most) {
    snd_ctl_elem_id_t *id = NULL;
    long low = 0, high = 0;
    int answer;
    if ((answer = snd_ctl_elem_id_malloc(&id)) < 0) return answer;
    snd_ctl_elem_id_set_numid(id, number);
    answer = snd_ctl_get_dB_range(control, id, &low, &high);
    snd_ctl_elem_id_free(id);
    *least = low;
    *most = high;
    return answer;
}

// The value of an element that is nearest to a level in hundredths of a dB.
static inline int calsa_mixer_from_decibels(snd_ctl_t *control, unsigned int number, int64_t level, int64_t *value) {
    snd_ctl_elem_id_t *id = NULL;
    long found = 0;
    int answer;
    if ((answer = snd_ctl_elem_id_malloc(&id)) < 0) return answer;
    snd_ctl_elem_id_set_numid(id, number);
    answer = snd_ctl_convert_from_dB(control, id, (long)level, &found, 0);
    snd_ctl_elem_id_free(id);
    *value = found;
    return answer;
}

// The ID of the card that a control is of.
static inline int calsa_mixer_card(snd_ctl_t *control, char id[32]) {
    snd_ctl_card_info_t *info = NULL;
    int answer;
    if ((answer = snd_ctl_card_info_malloc(&info)) < 0) return answer;
    if ((answer = snd_ctl_card_info(control, info)) >= 0) {
        strncpy(id, snd_ctl_card_info_get_id(info), 31);
        id[31] = 0;
    }
    snd_ctl_card_info_free(info);
    return answer;
}

// The names that a list of the use case manager has ("_verbs", "_devices/VERB"), a line each, as far as there is room.
static inline int calsa_use_case_names(snd_use_case_mgr_t *manager, const char *list, char *text, size_t room) {
    const char **names = NULL;
    size_t used = 0;
    int count = snd_use_case_get_list(manager, list, &names), index;
    text[0] = 0;
    if (count < 0) return count;
    // Name and comment, in turn.
    for (index = 0; index + 1 < count; index += 2) {
        int length = snprintf(text + used, room - used, "%s\n", names[index] ? names[index] : "");
        if (length < 0 || (size_t)length >= room - used) {
            text[used] = 0;
            break;
        }
        used += (size_t)length;
    }
    snd_use_case_free_list(names, count);
    return 0;
}
