import type { IssuerId, IssuerRow } from "../rows/records.ts";
import { certificateOf } from "./issuer.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { keyIdentifiersMatch, mayHaveSigned } from "./signed-by.ts";

/**
 * Reports whether a certificate has the subject of `parent` as its issuer, and no authority key
 * identifier of a different key.
 */
const namesSigner = (child: Certificate, parent: Certificate): boolean =>
  mayHaveSigned(child, parent) && keyIdentifiersMatch(child, parent) !== false;

/**
 * Reports whether every certification path from an issuer to its roots in the mount contains a
 * revoked CA above the issuer. Visits each issuer only once, because the number of paths grows
 * exponentially with CAs that were reissued or cross-sign each other.
 */
export function isBelowRevoked(row: IssuerRow, all: ReadonlyMap<IssuerId, IssuerRow>): boolean {
  const reached = new Set([row]);
  let hasRevoked = false;
  // the loop also visits the members that are added during the iteration
  for (const one of reached) {
    const certificate = certificateOf(one);
    const parents = one.chain.flatMap((id): readonly IssuerRow[] => {
      const parent = id === one.id ? undefined : all.get(id);
      return parent && namesSigner(certificate, certificateOf(parent)) ? [parent] : [];
    });
    // there may be other roots with the same name above a reissued root, but the root itself ends
    // the path
    if (parents.length === 0 || namesSigner(certificate, certificate)) return false;
    for (const parent of parents)
      if (parent.revoked === undefined) reached.add(parent);
      else hasRevoked = true;
  }
  // if no parent is revoked, the visited CAs only cross-sign each other
  return hasRevoked;
}
