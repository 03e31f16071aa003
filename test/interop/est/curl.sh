#!/usr/bin/env bash
# Enrols with curl and openssl, and re-enrols with the certificate, in a directory that contains server.pem, the CA of the server's certificate: curl.sh <https URL> <user:password> <name>.
set -euo pipefail
EST="$1/.well-known/est"

# the CA certificates to trust
curl -sSf --cacert server.pem "$EST/cacerts" | openssl base64 -d | openssl pkcs7 -inform DER -print_certs -out cacerts.pem

# a key and a certificate for it
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout device.key -subj "/CN=$3" -addext "subjectAltName=DNS:$3" -outform DER 2>/dev/null |
  openssl base64 >device.csr
curl -sSf --cacert server.pem -u "$2" -H "Content-Type: application/pkcs10" --data-binary @device.csr "$EST/simpleenroll" |
  openssl base64 -d | openssl pkcs7 -inform DER -print_certs -out device.pem
openssl verify -CAfile cacerts.pem device.pem

# re-enrol for the same names with the first certificate
curl -sSf --cacert server.pem --cert device.pem --key device.key -H "Content-Type: application/pkcs10" --data-binary @device.csr "$EST/simplereenroll" |
  openssl base64 -d | openssl pkcs7 -inform DER -print_certs -out renewed.pem
openssl verify -CAfile cacerts.pem renewed.pem
if cmp -s device.pem renewed.pem; then exit 1; fi
echo done
