#!/usr/bin/env bash
# Lets the EST clients estclient (globalsign/est, Go) and Bouncy Castle (Java) read CA certificates and CSR attributes, enrol at `npm start` over TLS, and re-enrol with their certificates. Builds estclient with the installed Go, and Bouncy Castle's client with Maven and a JDK; reports what it could not build. Not part of `npm test`, where test/interop/est-go.test.ts does the same with the library of estclient.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
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
node test/interop/est/run.ts </dev/null &
run=$!
wait "$run"
