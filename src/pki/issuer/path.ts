import { equalBytes } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";
import { certificateOf, chainRows } from "./issuer.ts";

/** Returns the subject and authority key identifiers in a certificate. */
function keyIdsOf(certificate: Certificate): {
  readonly own: Uint8Array | undefined;
  readonly signers: Uint8Array | undefined;
} {
  const own = findExtension(certificate, extensionOid.subjectKeyIdentifier);
  const signers = findExtension(certificate, extensionOid.authorityKeyIdentifier);
  return {
    own: own && readSubjectKeyIdentifier(own.value),
    signers: signers && readAuthorityKeyIdentifier(signers.value),
  };
}
const isKeyOf = (id: Uint8Array | undefined, certificate: Certificate): boolean => {
  const { own } = keyIdsOf(certificate);
  return id !== undefined && own !== undefined && equalBytes(id, own);
};
/**
 * Reports whether a certificate ends its certification path: it is self-issued, and its authority
 * key identifier is not that of another key. A self-issued certificate in which a CA's previous key
 * certifies its new key does not end the path.
 */
function endsPath(certificate: Certificate): boolean {
  const { own, signers } = keyIdsOf(certificate);
  return (
    equalBytes(certificate.subject, certificate.issuer) &&
    (!own || !signers || equalBytes(own, signers))
  );
}

/**
 * Returns the certification path from an issuer to a root, or the part of it that the mount has.
 * Each step leads to the member of the chain whose subject is the issuer name, preferably with the
 * matching key identifier.
 */
function pathOf(config: Snapshot, issuer: IssuerRow): readonly Certificate[] {
  const rows = chainRows(config, issuer).map(certificateOf);
  const first = certificateOf(issuer);
  const path = [first];
  for (let last = first; !endsPath(last);) {
    const { signers } = keyIdsOf(last);
    const named = rows.filter((row) => !path.includes(row) && equalBytes(row.subject, last.issuer));
    const next = named.find((row) => isKeyOf(signers, row)) ?? named[0];
    if (!next) break;
    path.push(next);
    last = next;
  }
  return path;
}

const pathsOf = memoize((config: Snapshot) =>
  memoize((issuer: IssuerRow) => pathOf(config, issuer)),
);
/** Returns the certification path of an issuer, computed once per configuration. */
export const cachedPath = (config: Snapshot, issuer: IssuerRow): readonly Certificate[] =>
  pathsOf(config)(issuer);
