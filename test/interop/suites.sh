#!/usr/bin/env bash
# Runs the test suites of other projects against `npm start`, from local checkouts, and prints a table: the Terraform provider, hvac (Python), node-vault (Node), go-tfe (Go), vaultrs (Rust) and Spring Vault (Java).
# Usage: test/interop/suites.sh DIR... [-- FILTER]; FILTER is a regular expression for test names, for go-tfe those of whole tests. Not part of `npm test`.
# Installs what the tests need from package registries, into a temporary directory and the caches of Go, Cargo and Maven. Checkouts are not modified: a suite that must be patched is copied.
# The Terraform provider needs Go, and `terraform` or `tofu` in PATH; go-tfe needs Go, and a checkout of v1.109.0, or of a later version with its history; vaultrs needs Cargo; Spring Vault needs Maven and a JDK.
# The tests of the Vault and OpenBao command lines are left out, because they are in the repositories of those servers, which are never downloaded.
set -euo pipefail
if [ "$#" = 0 ]; then
  echo "usage: test/interop/suites.sh DIR... [-- FILTER]" >&2
  exit 2
fi
words=()
filter=
for word in "$@"; do
  if [ "$word" = -- ]; then filter=1; fi
  # relative paths refer to the directory in which the script was called
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

# In a process group of its own, so that an interrupted run can be killed with everything it started.
set -m
node test/interop/suites/run.ts "${words[@]}" </dev/null &
run=$!
wait "$run"
