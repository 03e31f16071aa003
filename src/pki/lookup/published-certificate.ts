import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../../engine/records.ts";
import { int, text } from "../../wire/field.ts";
import type { RawReply } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { issuerPem } from "../issuer/output.ts";

const pemType = "application/pem-certificate-chain";
/** The media type of a certificate in DER. */
export const derType = "application/pkix-cert";
/** How long a cache may keep a CA certificate, seconds: a new default issuer is seen after that. */
export const caMaxAge = 60;

/** An id names one certificate for good. */
export const tagOf = (rows: readonly IssuerRow[]): string =>
  `"${rows.map((row) => row.id).join("+")}"`;
/** The certificate of an issuer as DER. */
export const issuerDer = (ca: Mount, row: IssuerRow): RawReply => ({
  since: ca.checked,
  type: derType,
  bytes: row.der,
  modified: row.modified,
  etag: tagOf([row]),
  maxAge: caMaxAge,
});
/** The same as PEM. */
export const issuerPemReply = (ca: Mount, row: IssuerRow): RawReply => ({
  ...issuerDer(ca, row),
  type: pemType,
  bytes: issuerPem(row),
});
/** What anybody may read. */
export const openRead = { access: "open", body: {} } as const;

/** Members of the JSON forms, where nothing is revoked. */
export const unrevokedMembers = { revocation_time: 0, revocation_time_rfc3339: "" };
/** What is answered of a word in the place of a serial number. */
export const wordReply = {
  certificate: text.required("The certificates or the CRL, PEM."),
  revocation_time: int.required("Always 0."),
  revocation_time_rfc3339: text.required("Always empty."),
} as const;
/** What the endpoints of such a word declare alike. */
export const certificateReads = { ...openRead, style: envelope, refuses: ["not_found"] } as const;
