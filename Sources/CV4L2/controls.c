#include "CV4L2.h"
#include <string.h>

int cv4l2_query_item(int fd, struct cv4l2_item *item) {
    struct v4l2_querymenu menu = {.id = item->control, .index = item->index};
    int answer = cv4l2_call(fd, VIDIOC_QUERYMENU, &menu);
    if (answer < 0) return answer;
    if (item->is_number) {
        item->number = menu.value;
    } else {
        memcpy(item->text, menu.name, sizeof item->text);
        item->text[sizeof item->text - 1] = 0;
    }
    return 0;
}

static int exchange(int fd, unsigned long request, struct cv4l2_value *value) {
    struct v4l2_ext_control control = {.id = value->control};
    struct v4l2_ext_controls all = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    if (value->is_text) {
        value->text[sizeof value->text - 1] = 0;
        control.size = request == VIDIOC_S_EXT_CTRLS ? strlen(value->text) + 1 : sizeof value->text;
        control.string = value->text;
    } else if (value->is_wide) {
        control.value64 = value->number;
    } else {
        control.value = (int32_t)value->number;
    }
    int answer = cv4l2_call(fd, request, &all);
    if (answer < 0) return answer;
    if (!value->is_text) value->number = value->is_wide ? control.value64 : control.value;
    return 0;
}

int cv4l2_get_value(int fd, struct cv4l2_value *value) {
    return exchange(fd, VIDIOC_G_EXT_CTRLS, value);
}

int cv4l2_set_value(int fd, struct cv4l2_value *value) {
    return exchange(fd, VIDIOC_S_EXT_CTRLS, value);
}
