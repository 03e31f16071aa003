/**
 * The kind of an issuer's CRL: empty for the unsharded CRL, `delta`, a shard such as `8-3`, or the
 * delta of a shard such as `8-3-delta`.
 */
export type CrlKind = string;

/**
 * Parses the kind of a CRL into its shard (empty if there is none) and whether it is a delta CRL.
 * Returns undefined if the kind is invalid.
 */
export function parseCrlKind(
  kind: CrlKind,
): { readonly shard: string; readonly delta: boolean } | undefined {
  const [, shard = "", delta] = /^(?:(\d+-\d+)(?:-|$))?(delta)?$/.exec(kind) ?? [];
  if (kind !== [shard, delta].filter(Boolean).join("-")) return undefined;
  return { shard, delta: delta !== undefined };
}

/**
 * Returns the suffix for the title of a CRL, such as ` delta` or ` shard 8-3`, or an empty string
 * for the unsharded CRL.
 */
export function kindLabel(kind: CrlKind): string {
  const { shard = "", delta = false } = parseCrlKind(kind) ?? {};
  return `${shard && ` shard ${shard}`}${delta ? " delta" : ""}`;
}

/** Returns the shard in the CRL distribution points of a certificate, or an empty string. */
export const shardIn = (addresses: readonly string[]): CrlKind =>
  addresses.map((one) => /\/shard\/(\d+-\d+)\/?(?:$|[\s?,])/.exec(one)?.[1]).find(Boolean) ?? "";

/** Returns the CRL kinds for an issuer's `count` shards. */
export const shardKinds = (count: number): readonly CrlKind[] =>
  Array.from({ length: count }, (_, i) => `${count}-${i}`);
