import { caCertificates } from "./ca-certificates.ts";
import { csrAttributes } from "./csr-attributes.ts";
import { enroll } from "./enroll.ts";
import { endpoint } from "../wire/endpoint.ts";
import { bytes } from "../wire/field.ts";
import { estStyle } from "./style.ts";

const open = { access: "open", style: estStyle, reply: {} } as const;
const enrolling = {
  ...open,
  body: { csr: bytes.required("PKCS#10 request, base64 of its DER, with line breaks or without.") },
  takes: { bytes: 64 * 1024, members: 0 },
} as const;
const reading = { ...open, body: {} } as const;

export const estCaCertificates = endpoint({
  ...reading,
  id: "estCaCertificates",
  at: ["GET /est/cacerts", "GET /roles/:role/est/cacerts"],
  doc: "Gives the certificates of the CA that signs here and of those above it, as certs-only PKCS#7, base64 (RFC 7030).",
  refuses: ["not_found", "unknown_role", "unknown_issuer"],
  run: caCertificates,
});

export const estCsrAttributes = endpoint({
  ...reading,
  id: "estCsrAttributes",
  at: ["GET /est/csrattrs", "GET /roles/:role/est/csrattrs"],
  doc: "Tells what a CSR should have, base64 of DER; nothing (204) unless `csr_attributes` of `config/est` says so.",
  refuses: ["not_found"],
  run: csrAttributes,
});

export const estEnroll = endpoint({
  ...enrolling,
  id: "estEnroll",
  audits: { always: true },
  at: ["POST /est/simpleenroll", "POST /roles/:role/est/simpleenroll"],
  doc: "Issues a certificate for a CSR, to whoever signs in by HTTP Basic or by a TLS client certificate, with `create` and `update` on the path; as certs-only PKCS#7, base64.",
  refuses: [
    "not_found",
    "unauthorized",
    "bad_csr",
    "bad_key",
    "name_not_allowed",
    "role_violation",
    "unknown_role",
    "unknown_issuer",
  ],
  run: (ca, named, caller) => enroll(ca, { ...named, operation: "simpleenroll" }, caller),
});

export const estReenroll = endpoint({
  ...enrolling,
  id: "estReenroll",
  audits: { always: true },
  at: ["POST /est/simplereenroll", "POST /roles/:role/est/simplereenroll"],
  doc: "Issues a certificate in the place of the one that is shown as TLS client certificate: of this mount, valid, not revoked, with the subject and the names of the CSR.",
  refuses: ["not_found", "unauthorized", "bad_csr", "name_not_allowed"],
  run: (ca, named, caller) => enroll(ca, { ...named, operation: "simplereenroll" }, caller),
});
