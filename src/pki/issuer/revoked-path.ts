import type { IssuerId, IssuerRow } from "../rows/records.ts";
import { certificateOf } from "./issuer.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { keyIdentifiersMatch, mayHaveSigned } from "./signed-by.ts";

/** Reports whether a certificate names another one as its signer, by name and key identifier. */
const namesSigner = (child: Certificate, parent: Certificate): boolean =>
  mayHaveSigned(child, parent) && keyIdentifiersMatch(child, parent) !== false;

/**
 * Reports whether every path from an issuer to its roots in the mount leads through a revoked CA
 * above it. Visits each issuer once, because the number of paths grows exponentially with CAs that
 * were reissued or cross-sign each other.
 */
export function isBelowRevoked(row: IssuerRow, all: ReadonlyMap<IssuerId, IssuerRow>): boolean {
  const reached = new Set([row]);
  let hasRevoked = false;
  // a set that grows during the iteration is visited to its end
  for (const one of reached) {
    const certificate = certificateOf(one);
    const parents = one.chain.flatMap((id): readonly IssuerRow[] => {
      const parent = id === one.id ? undefined : all.get(id);
      return parent && namesSigner(certificate, certificateOf(parent)) ? [parent] : [];
    });
    // a reissued root has others of its name above it, and needs none
    if (parents.length === 0 || namesSigner(certificate, certificate)) return false;
    for (const parent of parents)
      if (parent.revoked === undefined) reached.add(parent);
      else hasRevoked = true;
  }
  // without a revoked one they only cross-sign each other
  return hasRevoked;
}
