import {
  issuersById,
  certRow,
  isIntact,
  keys,
  type CertRow,
  type IssuerRow,
  type RevocationRequestRow,
  type RevokedRow,
  storedPki,
} from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { parseSerial, serialText } from "../../base/ids.ts";
import { decodePem } from "../../base/pem.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { verifySignature } from "../../x509/public-key.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { retainCrl, type CrlRetention } from "../issuer/crl-retention.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { namedShardOf } from "../crl/active-crls.ts";

/** The stored rows for a serial number. */
interface StoredState {
  readonly row: Row<CertRow> | undefined;
  readonly revoked: RevokedRow | undefined;
  /** A queued request to revoke a certificate that was not stored at the time. */
  readonly request: Row<RevocationRequestRow> | undefined;
}
/**
 * A serial number for which no certificate is stored. `revoked` is present if the certificate was
 * revoked and has since been removed.
 */
export interface MissingCertificate {
  readonly serial: Uint8Array;
  readonly revoked: RevokedRow | undefined;
}
/**
 * The certificate to revoke. `row` is its stored row, absent if the certificate was presented and
 * is not yet stored. `isNew` is set if the certificate must be stored, possibly in place of a
 * damaged row.
 */
export interface RevocationSubject extends StoredState {
  readonly certificate: Certificate;
  readonly cert: CertRow;
  readonly isNew?: true;
  /** The rows that ensure that the CRLs of a new certificate are kept current until it expires. */
  readonly needs?: CrlRetention["put"];
}

/** Finds the certificate that a request specifies, as PEM or by its serial number. */
export const findSubject = (
  mount: Mount,
  config: Snapshot,
  {
    serial_number = "",
    certificate,
  }: {
    readonly serial_number?: string | undefined;
    readonly certificate?: string | undefined;
  },
): Promise<RevocationSubject | MissingCertificate> =>
  certificate === undefined
    ? bySerial(mount, config, serial_number)
    : byCertificate(mount, config, certificate);

/**
 * Throws `is_issuer` if the serial number is that of one of the mount's issuers, which cannot be on
 * its own CRL.
 */
export function refuseIssuer(config: Snapshot, serial: Uint8Array): void {
  for (const issuer of config.get(issuersById).values())
    if (equalBytes(certificateOf(issuer).serial, serial))
      throw new CaError(
        "is_issuer",
        `adding issuer (id: ${issuer.id}) to its own CRL is not allowed`,
      );
}

async function readStoredState(mount: Mount, serial: Uint8Array): Promise<StoredState> {
  const [row, revoked, request] = await mount.store.get([
    keys.cert(serial),
    keys.revoked(serial),
    keys.revocationRequest(serial),
  ]);
  return {
    row: row && { value: storedPki.cert(row.value), rev: row.rev },
    revoked: revoked && storedPki.revoked(revoked.value),
    request: request && { value: storedPki.revocationRequest(request.value), rev: request.rev },
  };
}

async function bySerial(
  mount: Mount,
  config: Snapshot,
  text: string,
): Promise<RevocationSubject | MissingCertificate> {
  if (text === "") throw new CaError("malformed", "The serial number must be provided");
  const serial = parseSerial(text);
  if (!serial)
    throw new CaError(
      "unknown_certificate",
      `certificate with serial ${text.slice(0, 128)} not found.`,
    );
  const stored = await readStoredState(mount, serial);
  const { row, revoked } = stored;
  if (row && !isIntact(row.value))
    throw new CaError(
      "damaged",
      `the stored certificate ${serialText(serial)} was altered in storage; to revoke it, send the certificate as PEM in \`certificate\``,
    );
  // the certificate of an imported issuer is not among the certificate rows
  if (!row) refuseIssuer(config, serial);
  return row
    ? { ...stored, certificate: parseCertificate(row.value.der), cert: row.value }
    : { serial, revoked };
}
/**
 * Returns a presented certificate, if it is stored or if an issuer of the mount signed it (B 1.1).
 * Throws `bad_certificate` if it is not stored and no issuer signed it, if it is malformed, or if
 * another certificate with its serial number is stored.
 */
async function byCertificate(
  mount: Mount,
  config: Snapshot,
  pem: string,
): Promise<RevocationSubject> {
  if (pem.length < 75)
    throw new CaError(
      "bad_certificate",
      "provided certificate data was too short; perhaps a path was passed to the API rather than the contents of a PEM file?",
    );
  const certificate = readPresented(pem);
  const stored = await readStoredState(mount, certificate.serial);
  const { row } = stored;
  if (row && isIntact(row.value)) {
    if (equalBytes(row.value.der, certificate.der))
      return { ...stored, certificate, cert: row.value };
    throw new CaError(
      "bad_certificate",
      "certificate with same serial but unequal value already present in this cluster's storage; refusing to revoke",
    );
  }
  const issuer = await signerOf(config, certificate);
  return newSubject(mount, config, issuer, { ...stored, certificate });
}

/**
 * Returns the subject for a presented certificate that is not stored: its new row, and the
 * retention of the CRL to which the certificate refers.
 */
async function newSubject(
  mount: Mount,
  config: Snapshot,
  { id: issuer, crl_set }: IssuerRow,
  stored: StoredState & Pick<RevocationSubject, "certificate">,
): Promise<RevocationSubject> {
  const { der, notAfter } = stored.certificate;
  const { role = "", acme } = stored.row?.value ?? {};
  const shard = await namedShardOf(mount, config, crl_set, stored.certificate);
  return {
    ...stored,
    cert: certRow({
      der,
      issuer,
      crl_set,
      role,
      ...(shard === undefined ? {} : { shard }),
      ...(acme ? { acme } : {}),
    }),
    isNew: true,
    needs: retainCrl(mount, config, { set: crl_set, shard, notAfter, addresses: [] }).put,
  };
}

/**
 * Returns the issuer whose key verifies the signature of a certificate. Tries the issuers whose
 * subject is the certificate's issuer name first, then all others, because a CA may have been
 * renamed. Throws `bad_certificate` if no key verifies it.
 */
async function signerOf(config: Snapshot, certificate: Certificate): Promise<IssuerRow> {
  const isNamedIssuer = ({ subject }: Certificate) => equalBytes(subject, certificate.issuer);
  const issuers = [...config.get(issuersById).values()].map((row) => ({
    row,
    ca: certificateOf(row),
  }));
  const { algorithm, tbs, signature } = certificate;
  for (const { row, ca } of [
    ...issuers.filter(({ ca }) => isNamedIssuer(ca)),
    ...issuers.filter(({ ca }) => !isNamedIssuer(ca)),
  ])
    if (await verifySignature(ca.spki, algorithm, tbs, signature)) return row;
  throw new CaError(
    "bad_certificate",
    "unable to verify signature on presented cert from any present issuer in this mount; certificates from previous CAs will need to have their issuing CA and key re-imported if revocation is necessary",
  );
}
function readPresented(pem: string): Certificate {
  let block;
  try {
    [block] = decodePem(pem);
  } catch {
    block = undefined;
  }
  if (!block) throw new CaError("bad_certificate", "certificate contains no PEM data");
  try {
    return parseCertificate(block.der);
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `certificate could not be parsed: ${error instanceof Error ? error.message : ""}`,
    );
  }
}
