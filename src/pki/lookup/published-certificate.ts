import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import { int, text } from "../../wire/field.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { issuerPem } from "../issuer/output.ts";

const pemType = "application/pem-certificate-chain";
/** The media type of a certificate in DER. */
export const derType = "application/pkix-cert";
/**
 * Maximum cache age of CA certificates in seconds, after which clients see a new default issuer.
 */
export const caMaxAge = 60;

/**
 * Returns the ETag of certificates, computed from the ids of their issuers, which permanently
 * identify one certificate.
 */
export const tagOf = (rows: readonly IssuerRow[]): string =>
  `"${rows.map((row) => row.id).join("+")}"`;
/** Replies with the certificate of an issuer as DER. */
export const issuerDer = (ca: Mount, row: IssuerRow): RawReply => ({
  since: ca.checked,
  type: derType,
  bytes: row.der,
  modified: row.modified,
  etag: tagOf([row]),
  maxAge: caMaxAge,
});
/** Replies with the certificate of an issuer as PEM. */
export const issuerPemReply = (ca: Mount, row: IssuerRow): RawReply => ({
  ...issuerDer(ca, row),
  type: pemType,
  bytes: issuerPem(row),
});
/** Declarations of unauthenticated reads. */
export const openRead = { access: "open", body: {} } as const;

/** JSON members of a certificate that is not revoked. */
export const unrevokedMembers = { revocation_time: 0, revocation_time_rfc3339: "" };
/** Reply fields of a word in place of a serial number. */
export const wordReply = {
  certificate: text.required("Certificates or CRL, PEM."),
  revocation_time: int.required("Always 0."),
  revocation_time_rfc3339: text.required("Always empty."),
} as const;
/** Declarations shared by the endpoints of such words. */
export const certificateReads = { ...openRead, style: envelope, refuses: ["not_found"] } as const;
