#!/usr/bin/env bash
# The service for the browser tests: the built binary on its own PostgreSQL, with the demo's
# company, an empty company for the first steps, and one whose columns no other test sees.
set -euo pipefail
cd "$(dirname "$0")/../.."
export QUAYSIDE_RUN_DIR=$(mktemp -d /var/tmp/quayside-e2e-XXXXXX)
# Writes down the database's address, for a test that needs more rows than it could send.
pointer=/var/tmp/quayside-e2e-at-$1
echo "$QUAYSIDE_RUN_DIR" > "$pointer"
trap 'kill %1 2>/dev/null || true; wait %1 2>/dev/null || true; scripts/postgres drop >/dev/null 2>&1 || true; rm -f "$pointer"' EXIT
trap 'exit 0' INT TERM
# The data is thrown away, so nothing has to survive a power cut.
export QUAYSIDE_RUN_SETTINGS="fsync=off synchronous_commit=off full_page_writes=off"
environment=$(scripts/postgres start)
eval "$environment"
export QUAYSIDE_ALERTS_EVERY=2s QUAYSIDE_ADDR=127.0.0.1:$1 QUAYSIDE_BASE_URL=http://localhost:$1 QUAYSIDE_SPOOL_DIR=off
# Connections lead to stand-ins on this machine, and are read often.
export QUAYSIDE_SECRET_KEYS=e2e:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= QUAYSIDE_OUTBOUND_ALLOW=127.0.0.0/8 QUAYSIDE_POLL_EVERY=2s
bin/quayside demo --small --no-serve > /dev/null
company() { # name, email and name of its admin
  local tenant
  tenant=$(bin/quayside tenant create --name "$1" | awk '/^tenant/ {print $2}')
  echo "harbour-goods-demo" | bin/quayside user create --tenant "$tenant" --email "$2" --name "$3" --role company_admin
}
company "Empty Quay" eve@demo.example "Eve Empty"
company "Own Quay" olga@demo.example "Olga Own"
QUAYSIDE_LOG_LEVEL=error bin/quayside serve &
wait %1
