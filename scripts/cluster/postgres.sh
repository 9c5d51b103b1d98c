#!/bin/sh
# One PostgreSQL of docker-compose.cluster.yml: the primary, or the synchronous standby of the other one (PEER).
#
#   start     makes what is missing, and runs the server
#   promote   makes this standby the primary, which goes on without a standby
#   alone     this primary waits for no standby any more
#   together  this primary waits for its standby again, which must be there
set -eu

export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=2

own() { psql -v ON_ERROR_STOP=1 -Atq -U "$POSTGRES_USER" -d "$POSTGRES_DB" "$@"; }

# t for a standby, f for a primary, nothing for a server that does not answer. The name of a container that is gone may
# take half a minute to be not found.
peer_is_standby() {
  timeout 3 psql -At -h "$PEER" -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c 'select pg_is_in_recovery()' 2>/dev/null || true
}

wait_for_standby() {
  own -c "alter system set synchronous_standby_names = '$1'" -c 'select pg_reload_conf()' >/dev/null
}

fail() {
  echo "$*" >&2
  exit 1
}

start() {
  if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chown postgres "$(dirname "$PGDATA")"
    find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres {} +
    chmod 700 "$PGDATA"
    # Older images for Alpine have the second.
    exec "$(command -v gosu || command -v su-exec)" postgres sh "$0" start
  fi
  if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # At the first start of all nobody answers. Later the other one has the data.
    tries=0
    until [ "$(peer_is_standby)" = f ] || { [ "$INITIALISE" = yes ] && [ "$tries" -ge 5 ]; }; do
      tries=$((tries + 1))
      sleep 1
    done
    [ "$(peer_is_standby)" != f ] || copy_peer
  elif [ ! -e "$PGDATA/standby.signal" ] && [ "$(peer_is_standby)" = f ]; then
    fail "$PEER is the primary now, and $NAME was it before. Remove the volume of $NAME to make it a standby" \
      "(docs/operations.md#a-database-server-is-lost)."
  fi
  # A standby that was gone for long catches up from what is kept.
  exec docker-entrypoint.sh postgres -c wal_keep_size=1GB
}

# Under another name until it is complete.
copy_peer() {
  rm -rf "$PGDATA.new"
  pg_basebackup -D "$PGDATA.new" -X stream -c fast -R \
    -d "host=$PEER user=$POSTGRES_USER application_name=$NAME"
  chmod 700 "$PGDATA.new"
  rm -rf "$PGDATA"
  mv "$PGDATA.new" "$PGDATA"
}

case "${1:-}" in
  start) start ;;
  promote)
    [ "$(own -c 'select pg_is_in_recovery()')" = t ] || fail "$NAME is the primary already."
    [ "$(peer_is_standby)" != f ] || fail "$PEER answers as the primary. Stop it first."
    own -c 'select pg_promote(true, 60)' >/dev/null
    wait_for_standby ''
    echo "$NAME is the primary, without a standby."
    ;;
  alone)
    [ "$(own -c 'select pg_is_in_recovery()')" = f ] || fail "$NAME is a standby. Use promote."
    wait_for_standby ''
    echo "$NAME waits for no standby: what it loses is lost."
    ;;
  together)
    present=$(own -c "select count(*) from pg_stat_replication where application_name = '$PEER' and state = 'streaming'")
    [ "$present" = 1 ] || fail "$PEER is no standby of $NAME yet."
    wait_for_standby "\"$NAME\", \"$PEER\""
    echo "$NAME waits for $PEER again."
    ;;
  *) fail "Usage: $0 start|promote|alone|together" ;;
esac
