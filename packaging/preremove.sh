#!/bin/sh
# When the package is removed, deb calls this with "remove" and rpm with 0. An upgrade changes nothing.
set -e
case "$1" in
remove | 0) if [ -d /run/systemd/system ]; then systemctl disable --now quayside.service; fi ;;
esac
