#!/usr/bin/env bash
# Runs test/browser and a flow of the console in Firefox and WebKitGTK if they are installed, and reports which are not.
# Takes the arguments of `vitest run`, such as --project firefox, --project webkit or --project flow. Not part of `npm test`.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

TMPDIR="$(mktemp -d)"
export TMPDIR SEALWRIGHT_BROWSERS_RUNNING="$TMPDIR/running"
mkdir "$SEALWRIGHT_BROWSERS_RUNNING"
finish() {
  for group in "${run:-}" "$SEALWRIGHT_BROWSERS_RUNNING"/*; do
    kill -KILL -- "-${group##*/}" 2>/dev/null || true
  done
  rm -rf "$TMPDIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

# In a process group of its own, so that an interrupted run can be killed with everything it started.
set -m
node test/interop/browsers/run.ts "$@" </dev/null &
run=$!
wait "$run"
