/**
 * A CRL of an issuer: empty for the complete one, `delta`, a shard as the API names it, `8-3`, or
 * its delta, `8-3-delta`.
 */
export type CrlKind = string;

/** Parses a kind: its shard, empty for none, and whether it is a delta. Undefined if invalid. */
export function parseCrlKind(
  kind: CrlKind,
): { readonly shard: string; readonly delta: boolean } | undefined {
  const [, shard = "", delta] = /^(?:(\d+-\d+)(?:-|$))?(delta)?$/.exec(kind) ?? [];
  if (kind !== [shard, delta].filter(Boolean).join("-")) return undefined;
  return { shard, delta: delta !== undefined };
}

/** Returns the suffix of a CRL's title: ` delta`, ` shard 8-3`; empty for the complete CRL. */
export function kindLabel(kind: CrlKind): string {
  const { shard = "", delta = false } = parseCrlKind(kind) ?? {};
  return `${shard && ` shard ${shard}`}${delta ? " delta" : ""}`;
}

/** Returns the shard in the CRL distribution points of a certificate; empty for none. */
export const shardIn = (addresses: readonly string[]): CrlKind =>
  addresses.map((one) => /\/shard\/(\d+-\d+)\/?(?:$|[\s?,])/.exec(one)?.[1]).find(Boolean) ?? "";

/** Returns the kinds of all shards of an issuer with `count` shards. */
export const shardKinds = (count: number): readonly CrlKind[] =>
  Array.from({ length: count }, (_, i) => `${count}-${i}`);
