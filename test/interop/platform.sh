#!/usr/bin/env bash
# Lets clients of this API family work with `npm start` unchanged: the Go SDK, Python's hvac, Node's node-vault, the agent's template loop (consul-template) and the Terraform provider.
# Installs what a package manager of the language has; says what it could not try, and why. Takes names of clients, all unless said. No part of `npm test`.
# The provider must be built: PROVIDER=<directory with terraform-provider-vault>; `tofu` or `terraform` must be in PATH.
set -euo pipefail
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
node test/interop/platform/run.ts "$@" </dev/null &
run=$!
wait "$run"
