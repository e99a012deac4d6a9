#!/bin/sh
# The user and /var/lib/quayside stay, because the folder may contain failed imports.
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
