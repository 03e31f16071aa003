import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import { int, text } from "../../wire/field.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { issuerPem } from "../issuer/output.ts";

const pemType = "application/pem-certificate-chain";
/** Media type of a certificate in DER. */
export const derType = "application/pkix-cert";
/**
 * Time in seconds for which clients may cache CA certificates and CRLs. A new default issuer is
 * visible to all clients after this time.
 */
export const caMaxAge = 60;

/**
 * Returns the ETag of issuer certificates. It consists of the issuers' IDs, because an issuer's
 * certificate never changes.
 */
export const tagOf = (rows: readonly IssuerRow[]): string =>
  `"${rows.map((row) => row.id).join("+")}"`;
/** Returns the response with an issuer's certificate as DER. */
export const issuerDer = (mount: Mount, row: IssuerRow): RawReply => ({
  since: mount.checked,
  type: derType,
  bytes: row.der,
  modified: row.modified,
  etag: tagOf([row]),
  maxAge: caMaxAge,
});
/** Returns the response with an issuer's certificate as PEM. */
export const issuerPemReply = (mount: Mount, row: IssuerRow): RawReply => ({
  ...issuerDer(mount, row),
  type: pemType,
  bytes: issuerPem(row),
});
/** Declarations that the unauthenticated read endpoints share. */
export const openRead = { access: "open", body: {} } as const;

/** Reply members that show a certificate or CRL as not revoked. */
export const unrevokedMembers = { revocation_time: 0, revocation_time_rfc3339: "" };
/**
 * Reply members of endpoints whose path has a word in place of a serial number, such as `cert/ca`.
 */
export const wordReply = {
  certificate: text.required("Certificates or CRL, PEM."),
  revocation_time: int.required("Always 0."),
  revocation_time_rfc3339: text.required("Always empty."),
} as const;
/** Declarations that endpoints such as `cert/ca` share. */
export const certificateReads = { ...openRead, style: envelope, refuses: ["not_found"] } as const;
