// The list of a card's control elements. Part of CALSA.h.
#pragma once
#include <alsa/asoundlib.h>

// All elements of a card, to be given back by calsa_free_listed; answers how many there are, or minus errno and nothing.
static inline int calsa_list(snd_ctl_t *control, snd_ctl_elem_list_t **listed) {
    snd_ctl_elem_list_t *list = NULL;
    unsigned int count;
    int answer;
    if ((answer = snd_ctl_elem_list_malloc(&list)) < 0) return answer;
    if ((answer = snd_ctl_elem_list(control, list)) < 0) goto out;
    count = snd_ctl_elem_list_get_count(list);
    if ((answer = snd_ctl_elem_list_alloc_space(list, count ? count : 1)) < 0) goto out;
    if ((answer = snd_ctl_elem_list(control, list)) < 0) goto free_space;
    *listed = list;
    return (int)snd_ctl_elem_list_get_used(list);
free_space:
    snd_ctl_elem_list_free_space(list);
out:
    snd_ctl_elem_list_free(list);
    return answer;
}

static inline void calsa_free_listed(snd_ctl_elem_list_t *list) {
    snd_ctl_elem_list_free_space(list);
    snd_ctl_elem_list_free(list);
}
