#!/usr/bin/env bash
# Lets go-pkcs12, keytool and openssl read archives issued by `npm start`: PKCS#12 with PBMAC1 (RFC 9579) and without, and JKS. Reports missing programs. Not part of `npm test`, where test/interop/archives.test.ts does the same with more key types.
# OPENSSL names another openssl; version 3.4 and later reads PBMAC1.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
OPENSSL="${OPENSSL:-openssl}"
work="$(mktemp -d)"
cleanup() {
  [ -z "${server:-}" ] || kill -TERM "$server" 2>/dev/null || true
  [ -z "${server:-}" ] || wait "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

PORT="${PORT:-8797}" DATA_DIR="$work/data" node server/cli/serve.ts >"$work/log" 2>&1 &
server=$!
url="http://127.0.0.1:${PORT:-8797}/v1"
for _ in $(seq 300); do
  curl -sf "$url/sys/health" >/dev/null && break
  sleep 0.1
done
token="$(cat "$work/data/root-token")"
call() { curl -sSf -H "X-Service-Token: $token" -d "$2" "$url/$1"; }
member() { node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0, "utf8")).data[process.argv[1]]))' "$1"; }

call pki/root/generate/internal '{"common_name": "Archive Root", "key_type": "ec", "ttl": "87600h"}' >"$work/root"
failed=0
tell() { # name, program, command …
  local name="$1" program="$2"
  shift 2
  if ! command -v "$program" >/dev/null; then
    printf '%-30s%-12s%s\n' "$name" "$program" "not installed"
  elif "$@" >"$work/out" 2>&1; then
    printf '%-30s%-12s%s\n' "$name" "$program" ok
  else
    printf '%-30s%-12s%s\n' "$name" "$program" "FAILED: $(tail -1 "$work/out")"
    failed=1
  fi
}
if command -v go >/dev/null; then (cd test/interop/go-archives && GOTOOLCHAIN=local CGO_ENABLED=0 go build -o "$work/go-pkcs12" .) || true; fi
export PATH="$work:$PATH"
of_go() { go-pkcs12 "$1" | grep -v '^refused'; }
for kind in ec rsa; do
  call pki/roles/web "{\"allow_any_name\": true, \"key_type\": \"$kind\"}" >/dev/null
  for encoder in modern2026 modern2023; do
    call pki/issue/web "{\"common_name\": \"www.example\", \"ttl\": \"1h\", \"format\": \"pkcs12_bundle\", \"pkcs12_encoder\": \"$encoder\"}" >"$work/reply"
    member certificate <"$work/reply" | openssl base64 -d -A >"$work/archive.p12"
    password="$(member pkcs12_password <"$work/reply")"
    tell "$encoder $kind" go-pkcs12 of_go "$work/archive.p12:$password:key"
    if [ "$encoder" = modern2023 ] || "$OPENSSL" version | grep -Eq ' (3\.([4-9]|[1-9][0-9])|[4-9])\.'; then
      tell "$encoder $kind" "$OPENSSL" "$OPENSSL" pkcs12 -in "$work/archive.p12" -nodes -passin "pass:$password"
    fi
    [ "$encoder" = modern2026 ] || tell "$encoder $kind" keytool keytool -list -storetype PKCS12 -keystore "$work/archive.p12" -storepass "$password"
  done
  call pki/issue/web "{\"common_name\": \"www.example\", \"ttl\": \"1h\", \"format\": \"jks_bundle\"}" >"$work/reply"
  member certificate <"$work/reply" | openssl base64 -d -A >"$work/archive.jks"
  tell "jks $kind" keytool keytool -list -storetype JKS -keystore "$work/archive.jks" -storepass "$(member jks_password <"$work/reply")"
done
exit "$failed"
