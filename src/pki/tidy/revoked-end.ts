import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";
import { readable, unreadable } from "../revocation/readable-rows.ts";

/**
 * What keeps the ends of revocations whose certificates go: rows of before have theirs in the
 * certificate only. `end`: no certificate of them ends later, Unix seconds.
 */
export async function keepEnds(
  ca: Mount,
  names: readonly string[],
  end: number,
): Promise<Required<Pick<Batch, "expect" | "put">>> {
  const rows = (await readable(ca, names)).flatMap((row, i) => {
    if (!row || row === unreadable) return [];
    const value = stored.revoked(row.value);
    return value.not_after === undefined ? [{ key: names[i] ?? "", rev: row.rev, value }] : [];
  });
  return {
    expect: rows.map(({ key, rev }) => [key, rev]),
    put: rows.map(({ key, value }) => [
      key,
      { ...value, not_after: end },
      { not_after: end, issuer: value.issuer },
    ]),
  };
}
