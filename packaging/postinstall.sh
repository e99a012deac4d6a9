#!/bin/sh
# An upgrade restarts the service; quayside-migrate.service, which it wants, runs before. A new installation is not
# started: it has no database yet.
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl try-restart quayside.service ||
  echo "quayside did not start again; see journalctl -u quayside" >&2
