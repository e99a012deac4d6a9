#!/usr/bin/env bash
# The service for the browser tests, once for each worker of Playwright: no test can meet what
# another worker does at the same time. All of them are the built binary on one PostgreSQL. Each
# has a database of its own, a copy of one with the demo's company, an empty company for the
# first steps, and one that defines columns of its own.
#
#   e2e/service.sh PORT WORKERS   serves at PORT, PORT+1, …, says "ready" and waits
set -euo pipefail
cd "$(dirname "$0")/../.."
port=$1 workers=$2
export QUAYSIDE_RUN_DIR=$(mktemp -d /var/tmp/quayside-e2e-XXXXXX)
# Writes down the server's address, for a test that needs more rows than it could send.
pointer=/var/tmp/quayside-e2e-at-$port
echo "$QUAYSIDE_RUN_DIR" > "$pointer"
services=()
stop() {
  kill "${services[@]}" 2>/dev/null || true
  wait "${services[@]}" 2>/dev/null || true
  scripts/postgres drop >/dev/null 2>&1 || true
  rm -f "$pointer"
}
trap stop EXIT
trap 'exit 0' INT TERM
# The data is thrown away, so nothing has to survive a power cut.
export QUAYSIDE_RUN_SETTINGS="fsync=off synchronous_commit=off full_page_writes=off"
environment=$(scripts/postgres start)
eval "$environment"
# Nobody waits long for what is looked at or counted now and then.
export QUAYSIDE_ALERTS_EVERY=2s QUAYSIDE_SWEEP_EVERY=2s QUAYSIDE_SPOOL_DIR=off QUAYSIDE_LOG_LEVEL=error
# Connections lead to stand-ins on this machine, and are read often.
export QUAYSIDE_SECRET_KEYS=e2e:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= QUAYSIDE_OUTBOUND_ALLOW=127.0.0.0/8 QUAYSIDE_POLL_EVERY=2s
QUAYSIDE_BASE_URL=http://localhost:$port bin/quayside demo --small --no-serve > /dev/null
company() { # name, email and name of its admin
  local tenant
  tenant=$(bin/quayside tenant create --name "$1" | awk '/^tenant/ {print $2}')
  echo "harbour-goods-demo" | bin/quayside user create --tenant "$tenant" --email "$2" --name "$3" --role company_admin > /dev/null
}
company "Empty Quay" eve@demo.example "Eve Empty"
company "Own Quay" olga@demo.example "Olga Own"
admin=postgres://postgres:$(cat "$QUAYSIDE_RUN_DIR/password")@127.0.0.1:$(cat "$QUAYSIDE_RUN_DIR/port")/postgres
for ((worker = 0; worker < workers; worker++)); do
  at=$((port + worker))
  psql -qX -v ON_ERROR_STOP=1 "$admin" -c "CREATE DATABASE quayside_$worker TEMPLATE quayside OWNER quayside_owner"
  (
    export QUAYSIDE_DATABASE_URL=${QUAYSIDE_DATABASE_URL}_$worker QUAYSIDE_MIGRATE_URL=${QUAYSIDE_MIGRATE_URL}_$worker
    export QUAYSIDE_ADDR=127.0.0.1:$at QUAYSIDE_BASE_URL=http://localhost:$at
    bin/quayside backup restored --nothing-lost > /dev/null # a copied database sends nothing until this is said
    exec bin/quayside serve
  ) &
  services+=($!)
done
for ((worker = 0; worker < workers; worker++)); do
  until curl -fso /dev/null "http://127.0.0.1:$((port + worker))/readyz"; do
    kill -0 "${services[$worker]}" # a service that ended is no longer waited for
    sleep 0.2
  done
done
echo ready
wait -n "${services[@]}"
