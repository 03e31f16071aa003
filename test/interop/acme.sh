#!/usr/bin/env bash
# Lets ACME clients issue, renew and revoke certificates with `npm start` and its default settings: certbot, lego, acme.sh, dehydrated, uacme, acme-tiny, Caddy, getssl, the step CLI, and libraries for Python, Rust and Ruby.
# Installs missing clients with apt-get if possible, and downloads others from the package registries of Go, Python and Rust. Prints a table that includes the skipped ones. acme.sh and getssl are not in Debian: put their checkouts in PATH, and lego 5 as lego5. Arguments: names of clients, by default all. PROGRAMS=<directory> keeps the downloads. Not part of `npm test`.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

missing=()
for client in certbot lego dehydrated uacme acme-tiny caddy; do
  command -v "$client" >/dev/null || missing+=("$client")
done
command -v gem >/dev/null || missing+=(ruby-acme-client)
# getssl resolves names with dig
command -v dig >/dev/null || missing+=(bind9-dnsutils)
if [ "${#missing[@]}" -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get -qq update || true
  for client in "${missing[@]}"; do
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$client" >/dev/null || true
  done
fi

TMPDIR="$(mktemp -d)"
export TMPDIR
finish() {
  [ -z "${run:-}" ] || kill -KILL -- "-$run" 2>/dev/null || true
  rm -rf "$TMPDIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

# In a process group of its own, so that an interrupted run can be killed with everything it started.
set -m
node test/interop/acme/run.ts "$@" </dev/null &
run=$!
wait "$run"
