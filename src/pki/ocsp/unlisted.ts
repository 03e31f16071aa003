import { serialKey } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, unlistedIndex } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "../issuer/issuer.ts";

/** What was found with a configuration: issuers are revoked and deleted by a change of it. */
const found = memoize<Snapshot, readonly [], { serials?: ReadonlySet<string> }>(() => ({}));

/**
 * Serial numbers in hexadecimal of which the entries of lists may not tell all: those of issuers
 * that are revoked, self-signed ones above all, which stand on no list.
 */
export async function unlistedOf(ca: Mount, config: Snapshot): Promise<ReadonlySet<string>> {
  const known = found(config);
  if (known.serials) return known.serials;
  const rows = await ca.store.list(below.revoked, { by: { name: unlistedIndex }, values: false });
  const serials = new Set(rows.map(([key]) => key.slice(below.revoked.length)));
  for (const row of config.issuers.values())
    if (row.revoked !== undefined) serials.add(serialKey(certificateOf(row).serial));
  known.serials = serials;
  return serials;
}
