#!/bin/sh
# Creates the user before the files are unpacked: the configuration file belongs to its group.
set -e
if ! getent passwd quayside >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/quayside --no-create-home --shell /usr/sbin/nologin quayside
fi
