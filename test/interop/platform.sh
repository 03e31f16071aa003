#!/usr/bin/env bash
# Lets clients of this API family work with `npm start` unchanged: the Go SDK, hvac for Python, node-vault for Node, the agent's template loop (consul-template) and the Terraform provider.
# Installs clients with the package managers of their languages, and reports which were skipped and why. Arguments: names of clients, by default all. Not part of `npm test`.
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

# In a process group of its own, so that an interrupted run can be killed with everything it started.
set -m
node test/interop/platform/run.ts "$@" </dev/null &
run=$!
wait "$run"
