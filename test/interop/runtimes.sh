#!/bin/sh
# Runs the main path of the packed package and the library's core tests in Bun and Deno, which are
# installed from npm into a temporary folder, and prints their versions and test counts. Takes some
# minutes and is not part of `npm test`.
#   test/interop/runtimes.sh [test files or folders]
set -eu
cd "$(dirname "$0")/../.."
tests=${*:- test/library.test.ts test/store test/node/sqlite-runtime.test.ts test/pki/leaf/roles.test.ts test/keys test/x509/certificate.test.ts test/engine/custody.test.ts}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
echo '{"private": true}' > "$folder/package.json"
npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "bun@${BUN:-1.4.5}" "deno@${DENO:-2.9.6}" >&2
npm pack --pack-destination "$folder" > /dev/null
npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$folder"/sealwright-*.tgz >&2
cp test/interop/main-path.js "$folder/main-path.mjs"
status=0
main_path() {
  case $1 in *deno) set -- "$@" -A ;; esac
  (cd "$folder" && "$@" main-path.mjs)
}
echo "node: $(node --version)"
main_path node || status=1
in_runtime() {
  name=$1
  shift
  echo "$name: $("$folder/node_modules/.bin/$name" --version | head -n 1)"
  main_path "$folder/node_modules/.bin/$name" run || status=1
  # shellcheck disable=SC2086
  NO_COLOR=1 "$folder/node_modules/.bin/$name" "$@" node_modules/vitest/vitest.mjs run --project node --reporter=dot $tests > "$folder/$name.log" 2>&1 || true
  grep -E '^[^A-Za-z]*(FAIL|Test Files|Tests) ' "$folder/$name.log" || true
  # only the counts matter: Deno exits with an error of its own when the runner exits
  grep -qE 'Tests .*[0-9]+ passed' "$folder/$name.log" || { tail -n 30 "$folder/$name.log"; status=1; }
  if grep -qE 'Tests .*[0-9]+ failed' "$folder/$name.log"; then status=1; fi
}
in_runtime bun --bun
in_runtime deno run -A
exit $status
