#!/usr/bin/env bash
# Lets the EST clients estclient (globalsign/est, Go) and Bouncy Castle (Java) get CA certificates and attributes, enrol at `npm start` over TLS, and enrol again by their certificates. Builds the one with the Go that is here, the other with Maven and a JDK; says which it could not. No part of `npm test`, where test/interop/est-go.test.ts has the library of the first do the same.
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

# In a process group of its own, so that an interrupted run can be ended with all it started.
set -m
node test/interop/est/run.ts </dev/null &
run=$!
wait "$run"
