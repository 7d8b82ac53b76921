#!/bin/sh
# Whether torch.fx still answers as recorded.
. "$(dirname "$0")/python.sh"
need_modules torch
need_vision_operators
# The record was made with this version; others spell differently.
case $("$python" -c 'import torch; print(torch.__version__)') in
1.13.*) ;;
*)
	echo "the record is torch 1.13's"
	exit 77
	;;
esac
exec "$python" "$here/oracle.py" check "$here/recorded.json"
