#!/bin/sh
# split beside torch.fx's split_module.
. "$(dirname "$0")/python.sh"
need_modules torch numpy torchvision
need_capture
FXDB=$FXDB exec "$python" "$here/split.py"
