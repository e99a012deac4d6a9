#!/bin/sh
# deb calls this with "remove", rpm with 0, when the package goes; upgrades change nothing.
set -e
case "$1" in
remove | 0) if [ -d /run/systemd/system ]; then systemctl disable --now quayside.service; fi ;;
esac
