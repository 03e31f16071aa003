#!/usr/bin/env bash
# Renders the Helm chart with several values, and validates the results and the manifests of docs/guides/kubernetes.md against the schemas of three versions of Kubernetes. Not part of `npm test`.
# Installs the SDK of Helm 4 and the schemas from PyPI into a temporary directory. Needs Python 3.10.
set -euo pipefail
cd "$(dirname "$0")/../.."
directory="$(mktemp -d)"
trap 'rm -rf "$directory"' EXIT
python3 -m venv "$directory"
"$directory/bin/pip" install --quiet --disable-pip-version-check helm-python-sdk==0.2.2 kubernetes-validate==1.37.0
"$directory/bin/python" test/interop/chart/check.py
