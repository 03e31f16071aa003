import { estConfig } from "./settings.ts";
import { certsOnly } from "../archive/pkcs7.ts";
import type { Mount } from "../engine/mount.ts";
import { chainRows, getIssuer } from "../pki/issuer/issuer.ts";
import { defaultRole, roleOf } from "../pki/leaf/role.ts";
import { type RawReply, endpoint } from "../wire/endpoint.ts";
import { certificatesType, base64Reply } from "./answer.ts";
import { rulesOf, type EstPath } from "./policy.ts";
import { csrAttributes } from "./csr-attributes.ts";
import { enroll } from "./enroll.ts";
import { bytes } from "../wire/field.ts";
import { estStyle } from "./style.ts";

/**
 * Returns the certificate of the issuer that signs for a path, followed by the rest of its chain
 * (RFC 7030 section 4.1).
 */
export async function caCertificates(mount: Mount, path: EstPath): Promise<RawReply> {
  const config = await mount.config();
  const rules = rulesOf(config.get(estConfig), path);
  const role = rules.role === undefined ? defaultRole : await roleOf(config, rules.role);
  const issuer = getIssuer(config, role.issuer_ref);
  const chain = chainRows(config, issuer).map(({ der }) => der);
  return base64Reply(certificatesType, certsOnly(chain));
}

const open = { access: "open", style: estStyle, reply: {} } as const;
const enrolling = {
  ...open,
  body: {
    csr: bytes.required("PKCS#10 request (DER) in base64, with or without line breaks."),
  },
  bodyLimits: { bytes: 64 * 1024, members: 0 },
} as const;
const reading = { ...open, body: {} } as const;

export const estCaCertificates = endpoint({
  ...reading,
  id: "estCaCertificates",
  at: ["GET /est/cacerts", "GET /roles/:role/est/cacerts"],
  doc: "Returns the certificates of the issuing CA and its parents, as base64-encoded certs-only PKCS#7 (RFC 7030).",
  refuses: ["not_found", "unknown_role", "unknown_issuer"],
  run: caCertificates,
});

export const estCsrAttributes = endpoint({
  ...reading,
  id: "estCsrAttributes",
  at: ["GET /est/csrattrs", "GET /roles/:role/est/csrattrs"],
  doc: "Returns the attributes that a CSR should contain, as base64-encoded DER. The status is 204 if `csr_attributes` in `config/est` is empty.",
  refuses: ["not_found"],
  run: csrAttributes,
});

export const estEnroll = endpoint({
  ...enrolling,
  id: "estEnroll",
  audits: { always: true },
  at: ["POST /est/simpleenroll", "POST /roles/:role/est/simpleenroll"],
  doc: "Issues a certificate for a CSR and returns it as base64-encoded certs-only PKCS#7. The client authenticates with HTTP Basic or a TLS client certificate, and needs `create` and `update` on the path.",
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
  run: (mount, named, caller) => enroll(mount, { ...named, operation: "simpleenroll" }, caller),
});

export const estReenroll = endpoint({
  ...enrolling,
  id: "estReenroll",
  audits: { always: true },
  at: ["POST /est/simplereenroll", "POST /roles/:role/est/simplereenroll"],
  doc: "Replaces the certificate with which the client authenticates. It must be a valid, unrevoked certificate of this mount with the same subject and names as the CSR.",
  refuses: ["not_found", "unauthorized", "bad_csr", "name_not_allowed"],
  run: (mount, named, caller) => enroll(mount, { ...named, operation: "simplereenroll" }, caller),
});
