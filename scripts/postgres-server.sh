#!/bin/sh
# A PostgreSQL 17 server with pgvector for the tests, in a chroot of its own, on a free loopback port (Debian, root).
#
#   scripts/postgres-server.sh start   prints DATABASE_URL=…; builds the chroot the first time (about a minute)
#   scripts/postgres-server.sh stop
#
# Both may be repeated. PROLEPSIS_POSTGRES_DIR names the folder (default: a cache folder of the user).
# The server trusts every local login and does not sync to disk: for tests alone.
set -eu

root=${PROLEPSIS_POSTGRES_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/prolepsis/postgresql-17}
bin=/usr/lib/postgresql/17/bin
data=/data/pg17
say() { echo "$*" >&2; }
inside() { chroot --userspec=postgres:postgres "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/data LC_ALL=C.UTF-8 "$@"; }

running() { [ -s "$root$data/postmaster.pid" ] && inside "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1; }

mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

build() {
  [ -e "$root/.complete" ] && return
  if ! command -v debootstrap >/dev/null; then
    say 'Installing debootstrap.'
    { apt-get update && apt-get install -y debootstrap; } >&2
  fi
  from=$(mirror)
  [ -n "$from" ] || { say 'No Debian mirror is set up for apt.'; exit 1; }
  say "Building a chroot with PostgreSQL 17 and pgvector in $root from $from"
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase --include=postgresql-17,postgresql-17-pgvector trixie "$root" "$from" >&2
  rm -rf "$root"/var/cache/apt/archives/*.deb
  touch "$root/.complete"
}

start() {
  build
  if ! running; then
    if [ ! -s "$root$data/PG_VERSION" ]; then
      mkdir -p "$root/data"
      chroot "$root" chown postgres:postgres /data
      inside "$bin/initdb" -D "$data" -U postgres --auth=trust -E UTF8 --locale=C.UTF-8 >&2
    fi
    port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
    echo "$port" >"$root/port"
    # mmap instead of POSIX shared memory: a chroot has no /dev/shm of its own, and mounting one would have to be undone.
    inside "$bin/pg_ctl" -D "$data" -l /data/log -w start -o "-c listen_addresses=127.0.0.1 -c port=$port \
      -c unix_socket_directories= -c dynamic_shared_memory_type=mmap -c max_connections=200 -c shared_buffers=256MB \
      -c maintenance_work_mem=256MB -c fsync=off -c synchronous_commit=off -c full_page_writes=off" >&2 ||
      { tail -n 20 "$root/data/log" >&2; exit 1; }
  fi
  echo "DATABASE_URL=postgres://postgres@127.0.0.1:$(cat "$root/port")/postgres"
}

stop() {
  if running; then inside "$bin/pg_ctl" -D "$data" -m fast -w stop >&2; fi
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  *) say "usage: $0 start|stop"; exit 64 ;;
esac
