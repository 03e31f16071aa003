import { issuersById, keys, storedPki } from "../pki/rows/records.ts";
import { equalBytes, toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import type { Expect } from "../engine/ports.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { chainRows } from "../pki/issuer/issuer.ts";
import type { SigningRequest } from "../pki/request/request.ts";
import { findExtension, isCa, parseCertificate, type Certificate } from "../x509/certificate.ts";
import type { Extension } from "../x509/extension.ts";
import { parseName } from "../x509/name.ts";
import { extensionOid } from "../x509/oid.ts";
import { dnsName, emailName } from "../x509/san.ts";

const refused = (why: string): CaError =>
  new CaError("forbidden", `the TLS client certificate cannot be renewed here: ${why}`);

/**
 * Rejects renewal unless the presented certificate (`own`, DER) was issued by this mount, is valid
 * and not revoked, and has the names of the CSR (RFC 7030 section 4.2.2, security row 52). Returns
 * its serial number, and preconditions for the new certificate's batch.
 */
export async function requireRenewable(
  { mount, config }: { readonly mount: Mount; readonly config: Snapshot },
  request: SigningRequest,
  own: Uint8Array,
): Promise<{ readonly serial: Uint8Array; readonly expect: readonly Expect[] }> {
  const certificate = readPresented(own);
  const { serial } = certificate;
  const [key, revokedKey] = [keys.cert(serial), keys.revoked(serial)];
  const [row, revoked] = await mount.store.get([key, revokedKey]);
  const stored = row && storedPki.cert(row.value);
  const issuer =
    stored && stored.issuer !== "" ? config.get(issuersById).get(stored.issuer) : undefined;
  if (!row || !stored || !issuer || !equalBytes(stored.der, own))
    throw refused("this mount did not issue it, or has not stored it");
  if (revoked) throw refused("it is revoked");
  if (chainRows(config, issuer).some((one) => one.revoked !== undefined))
    throw refused("its issuer is revoked");
  const now = mount.ports.now() / 1000;
  if (now < certificate.notBefore) throw refused("it is not valid yet");
  if (now > certificate.notAfter) throw refused("it has expired");
  if (isCa(certificate)) throw refused("it is a CA certificate");
  requireSameNames(request, certificate);
  return {
    serial,
    expect: [
      [key, row.rev],
      [revokedKey, null],
    ],
  };
}

function readPresented(der: Uint8Array): Certificate {
  let certificate;
  try {
    certificate = parseCertificate(der);
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    throw refused("it cannot be parsed");
  }
  // serial numbers of this mount are not longer, and a longer serial number may not be a valid row
  // key
  if (certificate.serial.length > 20) throw refused("this mount did not issue it");
  return certificate;
}

function requireSameNames({ csr, commonName }: SigningRequest, certificate: Certificate): void {
  if (subjectOf(csr.subject) !== subjectOf(certificate.subject))
    throw new CaError(
      "bad_csr",
      "the subject of the CSR differs from that of the certificate to be renewed",
    );
  const oid = extensionOid.subjectAltName;
  const requested = findExtension(csr, oid);
  const names = namesIn(findExtension(certificate, oid));
  // a CSR without alternative names requests the name derived from its common name, as in the first
  // enrollment
  if (
    names !== (requested ? namesIn(requested) : "") &&
    (requested || names !== nameIn(commonName))
  )
    throw new CaError(
      "bad_csr",
      "the alternative names of the CSR differ from those of the certificate to be renewed",
    );
}
/** Returns the alternative name derived from a common name if the request has none. */
function nameIn(commonName: string): string {
  try {
    return toHex(commonName.includes("@") ? emailName(commonName) : dnsName(commonName));
  } catch {
    return "";
  }
}
/**
 * Returns a string that is the same for subjects that have the same characters, regardless of
 * string types.
 */
const subjectOf = (name: Uint8Array): string =>
  JSON.stringify(
    parseName(name).map((rdn) =>
      rdn.map(({ oid, value, opaque }) => JSON.stringify([oid, value, opaque === true])).sort(),
    ),
  );
/**
 * Returns a string that is the same for extensions that have the same names, regardless of their
 * order.
 */
function namesIn(extension: Extension | undefined): string {
  if (!extension) return "";
  const names = readDer(extension.value, "names").enter("GeneralNames");
  const all: string[] = [];
  while (names.tag !== undefined) all.push(toHex(names.raw("a name")));
  return all.sort().join(" ");
}
