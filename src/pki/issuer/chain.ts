import { equalBytes, toHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { IssuerId, IssuerRow } from "../rows/records.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { certificateOf } from "./issuer.ts";
import { isSignatureValid, isSelfIssued, keyIdentifiersMatch, mayHaveSigned } from "./signed-by.ts";

/**
 * Maximum number of certificates with the same subject, issuer and key. More of them are assumed to
 * be a mistake (A 5 rule 4).
 */
const maxReissued = 6;
const maxCycle = 8;
/**
 * Maximum number of signatures to verify per rebuild. Verifying this many takes about half a
 * second. With correct key identifiers, each CA needs one verification, and a mount has at most a
 * thousand CAs.
 */
const maxTries = 5000;
const failed = (why: string) => new CaError("malformed", `error building issuer chains: ${why}`);

/**
 * Returns the issuers with rebuilt chains (A 5). An issuer whose chain is unchanged is returned as
 * the same object. Throws `malformed` if a limit is exceeded.
 *
 * A chain consists of the issuer itself, followed by the chains of its parents: self-issued parents
 * first, then by descending ID. Reissued CAs and cycles of cross-signed CAs form a group. The chain
 * of a member consists of the issuer itself, the other members, and the chains of the parents
 * outside the group.
 */
export async function withChains(rows: readonly IssuerRow[]): Promise<readonly IssuerRow[]> {
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  let tries = 0;
  const tried: typeof isSignatureValid = (child, spki) => {
    if (++tries > maxTries)
      throw failed(
        "too many CAs with the same name whose key identifiers do not identify their issuer",
      );
    return isSignatureValid(child, spki);
  };
  const parents = new Map<IssuerId, readonly IssuerRow[]>();
  for (const row of sorted) parents.set(row.id, await parentsOf(row, sorted, tried));
  const chains = chainsOf(sorted, parents, reissuedWith(sorted));
  return rows.map((row) => {
    const chain = chains.get(row.id) ?? [row.id];
    return chain.length === row.chain.length && chain.every((id, i) => id === row.chain[i])
      ? row
      : { ...row, chain };
  });
}

async function parentsOf(
  row: IssuerRow,
  candidates: readonly IssuerRow[],
  tried: typeof isSignatureValid,
): Promise<readonly IssuerRow[]> {
  const child = certificateOf(row);
  const named = candidates.filter(
    (candidate) => candidate.id !== row.id && mayHaveSigned(child, certificateOf(candidate)),
  );
  const key = await keyThatSigned(child, named.map(certificateOf), tried);
  const parents = key
    ? named.filter((candidate) => equalBytes(certificateOf(candidate).spki, key))
    : [];
  const selfIssued = parents.filter((parent) => isSelfIssued(certificateOf(parent)));
  return [...selfIssued, ...parents.filter((parent) => !selfIssued.includes(parent))];
}

/**
 * Returns the key of the CA that signed a certificate, if any. Key identifiers prove nothing (A 5
 * rule 1), and only determine which keys are tried first.
 */
async function keyThatSigned(
  child: Certificate,
  parents: readonly Certificate[],
  tried: typeof isSignatureValid,
): Promise<Uint8Array | undefined> {
  const likely = (parent: Certificate): boolean => keyIdentifiersMatch(child, parent) === true;
  const ranked = [
    ...parents.filter(likely),
    ...(isSelfIssued(child) ? [child] : []),
    ...parents.filter((parent) => !likely(parent)),
  ];
  const keys = new Map(ranked.map(({ spki }) => [toHex(spki), spki]));
  for (const spki of keys.values()) if (await tried(child, spki)) return spki;
  return undefined;
}

/**
 * Returns, for each issuer, the others with the same subject, issuer name and key. Throws
 * `malformed` if too many issuers share these values.
 */
function reissuedWith(rows: readonly IssuerRow[]): ReadonlyMap<IssuerId, readonly IssuerRow[]> {
  const groups = new Map<string, IssuerRow[]>();
  for (const row of rows) {
    const { subject, issuer, spki } = certificateOf(row);
    const name = [subject, issuer, spki].map(toHex).join("/");
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  for (const group of groups.values())
    if (group.length > maxReissued)
      throw failed(`excessively reissued certificate: ${group.length} entries`);
  return new Map(
    [...groups.values()].flatMap((group) =>
      group.map((row) => [row.id, group.filter((other) => other !== row)] as const),
    ),
  );
}

type Edges = ReadonlyMap<IssuerId, readonly IssuerRow[]>;
function chainsOf(
  rows: readonly IssuerRow[],
  parents: Edges,
  reissued: Edges,
): ReadonlyMap<IssuerId, readonly IssuerId[]> {
  const byHand = (row: IssuerRow): boolean => row.manual_chain.length > 0;
  const chains = new Map<IssuerId, readonly IssuerId[]>(
    rows.filter(byHand).map((row) => [row.id, row.manual_chain]),
  );
  const next = (row: IssuerRow) =>
    byHand(row) ? [] : [...(parents.get(row.id) ?? []), ...(reissued.get(row.id) ?? [])];
  // groups are in order, parents first, so the chains of parents outside a group are complete
  for (const group of connected(rows, next)) {
    if (group.some(byHand)) continue; // a manual chain is not extended
    if (group.length > maxCycle)
      throw failed(`cycle (${group.map((row) => row.id).join(", ")}) exceeds max size`);
    const outside = group
      .flatMap((row) => parents.get(row.id) ?? [])
      .filter((parent) => !group.includes(parent));
    const beside = group.flatMap((row) => (reissued.get(row.id) ?? []).filter(byHand));
    const above = outside.flatMap((parent) => chains.get(parent.id) ?? []);
    for (const row of group)
      chains.set(row.id, [
        ...new Set([row.id, ...[...group, ...beside].map((other) => other.id), ...above]),
      ]);
  }
  return chains;
}

/**
 * Returns the strongly connected components of a graph of issuers (Tarjan's algorithm). Each
 * component follows those to which it leads; its members are in descending order of ID.
 */
function connected(
  rows: readonly IssuerRow[],
  next: (row: IssuerRow) => readonly IssuerRow[],
): readonly (readonly IssuerRow[])[] {
  const index = new Map<IssuerRow, number>();
  const open: IssuerRow[] = [];
  const groups: (readonly IssuerRow[])[] = [];
  const findComponents = (row: IssuerRow): number => {
    index.set(row, index.size);
    let low = index.size - 1;
    open.push(row);
    for (const other of next(row)) {
      if (!index.has(other)) low = Math.min(low, findComponents(other));
      else if (open.includes(other)) low = Math.min(low, index.get(other) ?? low);
    }
    if (low === index.get(row))
      groups.push(open.splice(open.indexOf(row)).toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    return low;
  };
  for (const row of rows) if (!index.has(row)) findComponents(row);
  return groups;
}
