import { equalBytes } from "../base/bytes.ts";
import type { IssuerId, IssuerRow } from "../records.ts";
import { verifySignature } from "../x509/algorithm.ts";
import { findExtension, isCa, type Certificate } from "../x509/certificate.ts";
import { readKeyUsage } from "../x509/extension.ts";
import { extensionOid } from "../x509/oid.ts";
import { certificateOf } from "./issuer.ts";

/** Whether a CA certificate signed another one: subject equals issuer, a CA that may sign certificates, and the signature holds (RFC 5280 section 6.1.3). */
export async function signedBy(child: Certificate, parent: Certificate): Promise<boolean> {
  if (!equalBytes(child.issuer, parent.subject) || !isCa(parent)) return false;
  const usage = findExtension(parent, extensionOid.keyUsage);
  if (usage && !readKeyUsage(usage.value).includes("CertSign")) return false;
  return verifySignature(parent.spki, child.algorithm, child.tbs, child.signature);
}
/** Whether a certificate's issuer and subject are one name. */
export const isSelfIssued = (certificate: Certificate): boolean => equalBytes(certificate.issuer, certificate.subject);
/** Whether a certificate is a root: self-issued, and signed by its own key. */
export const isSelfSigned = async (certificate: Certificate): Promise<boolean> =>
  isSelfIssued(certificate) && verifySignature(certificate.spki, certificate.algorithm, certificate.tbs, certificate.signature);

/**
 * The rows with their chains built anew: own certificate, then each parent's chain, self-issued parents first, then by descending id; certificates already
 * there are skipped (details A section 5). Rows whose chain did not change are the same objects.
 */
export async function withChains(rows: readonly IssuerRow[]): Promise<readonly IssuerRow[]> {
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const parents = new Map<IssuerId, readonly IssuerRow[]>();
  for (const row of sorted) parents.set(row.id, await parentsOf(row, sorted));
  return rows.map((row) => {
    const chain = row.manual_chain.length ? row.manual_chain : automatic(row, parents);
    return chain.length === row.chain.length && chain.every((id, i) => id === row.chain[i]) ? row : { ...row, chain };
  });
}

async function parentsOf(row: IssuerRow, candidates: readonly IssuerRow[]): Promise<readonly IssuerRow[]> {
  const child = certificateOf(row);
  const found: IssuerRow[] = [];
  for (const candidate of candidates) if (candidate.id !== row.id && (await signedBy(child, certificateOf(candidate)))) found.push(candidate);
  const selfIssued = found.filter((parent) => isSelfIssued(certificateOf(parent)));
  return [...selfIssued, ...found.filter((parent) => !selfIssued.includes(parent))];
}

/** Depth first through the parents; a certificate that was met is not walked again, so cycles of cross-signed CAs end. */
function automatic(row: IssuerRow, parents: ReadonlyMap<IssuerId, readonly IssuerRow[]>): readonly IssuerId[] {
  const chain = new Set<IssuerId>();
  const pending = [row];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (chain.has(next.id)) continue;
    chain.add(next.id);
    pending.push(...(parents.get(next.id) ?? []).toReversed());
  }
  return [...chain];
}
