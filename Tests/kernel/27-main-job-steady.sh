#!/bin/bash
# The main job where the guest never stands still: here its sound is judged whatever the host does.
#
# vm: --deterministic
# timeout: 240
exec "$(dirname "$0")/10-main-job.py"
