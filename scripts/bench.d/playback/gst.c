/* GStreamer, driven: gst-launch-1.0 cannot pause.
 *
 *   gst DEVICE FILE.wav      lines on standard input: pause, resume (PAUSED and back: the device is kept),
 *                            release, reacquire (NULL and back, by an accurate seek), quit
 *
 * The few functions used are declared here, so that no -dev package is needed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct element element;
enum { state_null = 1, state_paused = 3, state_playing = 4 };
enum { format_time = 3, seek_flush = 1, seek_accurate = 2 };
void gst_init(int *, char ***);
element *gst_parse_launch(const char *, void **);
int gst_element_set_state(element *, int);
int gst_element_get_state(element *, int *, int *, uint64_t);
int gst_element_query_position(element *, int, int64_t *);
int gst_element_seek_simple(element *, int, int, int64_t);

static void set(element *pipeline, int state) {
    gst_element_set_state(pipeline, state);
    gst_element_get_state(pipeline, NULL, NULL, UINT64_MAX);
}

int main(int arguments, char **argument) {
    char text[1024], line[64];
    int64_t position = 0;
    if (arguments != 3) return 2;
    snprintf(text, sizeof text, "filesrc location=\"%s\" ! wavparse ! alsasink device=\"%s\"", argument[2], argument[1]);
    gst_init(NULL, NULL);
    element *pipeline = gst_parse_launch(text, NULL);
    if (!pipeline) return 1;
    set(pipeline, state_playing);
    while (fgets(line, sizeof line, stdin)) {
        if (!strcmp(line, "pause\n")) {
            set(pipeline, state_paused);
        } else if (!strcmp(line, "resume\n")) {
            set(pipeline, state_playing);
        } else if (!strcmp(line, "release\n")) {
            set(pipeline, state_paused);
            gst_element_query_position(pipeline, format_time, &position);
            set(pipeline, state_null);
        } else if (!strcmp(line, "reacquire\n")) {
            set(pipeline, state_paused);
            gst_element_seek_simple(pipeline, format_time, seek_flush | seek_accurate, position);
            gst_element_get_state(pipeline, NULL, NULL, UINT64_MAX);
            set(pipeline, state_playing);
        } else {
            break;
        }
    }
    set(pipeline, state_null);
    return 0;
}
