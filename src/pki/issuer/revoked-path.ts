import type { IssuerId, IssuerRow } from "../rows/records.ts";
import { certificateOf } from "./issuer.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { keyIdentifiersMatch, mayHaveSigned } from "./signed-by.ts";

/** Reports whether a certificate names another one as its signer, by name and key identifier. */
const namesSigner = (child: Certificate, parent: Certificate): boolean =>
  mayHaveSigned(child, parent) && keyIdentifiersMatch(child, parent) !== false;

/**
 * Reports whether every path from an issuer to its roots in the mount leads through a revoked CA
 * above it. `above`: the issuers on the current path, because CAs can cross-sign each other.
 */
export function isBelowRevoked(
  row: IssuerRow,
  all: ReadonlyMap<IssuerId, IssuerRow>,
  above: ReadonlySet<IssuerId> = new Set(),
): boolean {
  const path = new Set([...above, row.id]);
  const certificate = certificateOf(row);
  const parents = row.chain.flatMap((id): readonly IssuerRow[] => {
    const parent = path.has(id) ? undefined : all.get(id);
    return parent && namesSigner(certificate, certificateOf(parent)) ? [parent] : [];
  });
  // a reissued root has others of its name above it, and needs none
  if (parents.length === 0 || namesSigner(certificate, certificate)) return false;
  return parents.every(
    (parent) => parent.revoked !== undefined || isBelowRevoked(parent, all, path),
  );
}
