/**
 * Which of the lists of an authority: empty for the complete one, `delta`, a shard as the API names
 * it, `8-3`, or its delta, `8-3-delta`.
 */
export type ListKind = string;

/** The shard and whether it is a delta; undefined for what names no list. */
function partsOf(kind: ListKind): { readonly shard: string; readonly delta: boolean } | undefined {
  const [, shard = "", delta] = /^(?:(\d+-\d+)(?:-|$))?(delta)?$/.exec(kind) ?? [];
  if (kind !== [shard, delta].filter(Boolean).join("-")) return undefined;
  return { shard, delta: delta !== undefined };
}

/** Where a list is read below an authority; undefined for what names no list. */
export function listPath(kind: ListKind): string | undefined {
  const parts = partsOf(kind);
  return parts && `crl${parts.delta ? "/delta" : ""}/der${parts.shard && `/shard/${parts.shard}`}`;
}

/** Returns the suffix of a CRL's title: ` delta`, ` shard 8-3`; empty for the complete CRL. */
export function kindWords(kind: ListKind): string {
  const { shard = "", delta = false } = partsOf(kind) ?? {};
  return `${shard && ` shard ${shard}`}${delta ? " delta" : ""}`;
}

/** The shard in the addresses of lists that a certificate carries; empty where there is none. */
export const shardIn = (addresses: readonly string[]): ListKind =>
  addresses.map((one) => /\/shard\/(\d+-\d+)\/?(?:$|[\s?,])/.exec(one)?.[1]).find(Boolean) ?? "";

/** The shards of so many. */
export const shardKinds = (count: number): readonly ListKind[] =>
  Array.from({ length: count }, (_, i) => `${count}-${i}`);
