#!/bin/sh
# On removal, deb calls this script with "remove" and rpm with 0. On an upgrade, it does nothing.
set -e
case "$1" in
remove | 0) if [ -d /run/systemd/system ]; then systemctl disable --now quayside.service; fi ;;
esac
