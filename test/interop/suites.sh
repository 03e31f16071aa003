#!/usr/bin/env bash
# Runs the test suites of other projects against `npm start`, from local checkouts, and prints a table: the Terraform provider, Python's hvac and Node's node-vault.
# Usage: test/interop/suites.sh DIR... [-- FILTER]; FILTER is a regular expression that names of tests must match. No part of `npm test`.
# Installs what the tests need from package registries into a temporary directory. The Terraform provider needs Go, and `terraform` or `tofu` in PATH. Checkouts stay as they are.
set -euo pipefail
if [ "$#" = 0 ]; then
  echo "usage: test/interop/suites.sh DIR... [-- FILTER]" >&2
  exit 2
fi
words=()
filter=
for word in "$@"; do
  if [ "$word" = -- ]; then filter=1; fi
  # the checkouts are named from where the script was called
  if [ -z "$filter" ]; then word="$(realpath -- "$word")"; fi
  words+=("$word")
done
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

TMPDIR="$(mktemp -d)"
export TMPDIR
finish() {
  [ -z "${run:-}" ] || kill -KILL -- "-$run" 2>/dev/null || true
  chmod -R u+w "$TMPDIR" 2>/dev/null || true
  rm -rf "$TMPDIR"
}
trap finish EXIT
trap 'exit 130' INT TERM

# In a process group of its own, so that an interrupted run can be ended with all it started.
set -m
node test/interop/suites/run.ts "${words[@]}" </dev/null &
run=$!
wait "$run"
