import { toBase64, toHex } from "../base/bytes.ts";
import type { Mount } from "../engine/mount.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import { mayRead } from "./reads.ts";
import { logKeys } from "./rows/records.ts";
import { entriesFrom, recentState, tileReader } from "./tiles-read.ts";
import { digestOf } from "./tree/hash.ts";
import { inclusionProof } from "./tree/proof.ts";

/** Members of a reply about the entry of a certificate in the log. */
interface LogMembers {
  readonly log_index?: number;
  readonly log_entry?: string;
  readonly log_proof?: string;
}

/**
 * Returns index, entry and inclusion proof (C2SP tlog-proof) of a certificate in the log of its
 * mount. Returns nothing before the entry is in the tree, and for callers who may not read the log.
 */
export async function logMembers(
  ca: Mount,
  config: Snapshot,
  caller: Caller,
  der: Uint8Array,
): Promise<LogMembers> {
  if (!(await mayRead(config, "log/checkpoint", caller))) return {};
  const [row] = await ca.store.get([logKeys.index(toHex(digestOf(der)))]);
  const state = await recentState(ca);
  const index = row?.value;
  if (typeof index !== "number" || index >= state.size) return {};
  const [entry = new Uint8Array()] = await entriesFrom(ca, state, index, 1);
  const hashes = await inclusionProof(index, state.size, tileReader(ca, state));
  const lines = ["c2sp.org/tlog-proof@v1", `index ${index}`, ...hashes.map(toBase64)];
  return {
    log_index: index,
    log_entry: toBase64(entry),
    log_proof: `${lines.join("\n")}\n\n${state.checkpoint}`,
  };
}
