// A terminal that hands over each key at once, put back however the program ends. One a process: what a signal handler
// reads cannot belong to anybody.
#pragma once

// Keys one by one and without echo, from the terminal at `fd`, whose settings are kept. Signals by keys (Ctrl-C) stay.
// Called again while they are kept, it only sets them anew. 0 or minus errno.
extern int clinux_keys_begin(int fd);

// The settings as they were kept. Not from the background, where it would stop the process. 0 or minus errno.
extern int clinux_keys_end(void);
