import { toBase64, toHex } from "../base/bytes.ts";
import type { Mount } from "../engine/mount.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";
import { mayRead } from "./reads.ts";
import {
  firstOfRun,
  logKeys,
  numberEnd,
  numberEndLength,
  runPrefix,
  runsFrom,
  type LogState,
} from "./rows/records.ts";
import { entriesFrom, recentState, tileReader } from "./tiles-read.ts";
import { isEntryOf, parseEntry } from "./tree/entry.ts";
import { digestOf } from "./tree/hash.ts";
import { inclusionProof } from "./tree/proof.ts";

/** Response members about a certificate's entry in the log. */
interface LogMembers {
  readonly log_index?: number;
  readonly log_entry?: string;
  readonly log_proof?: string;
}

/** A stored certificate, and the time of its entry, if known (Unix ms). */
interface LoggedCertificate {
  readonly der: Uint8Array;
  readonly serial: Uint8Array;
  readonly logged_at?: number;
}

/**
 * Returns the index, entry and inclusion proof (C2SP tlog-proof) of a certificate in its mount's
 * log. Returns no members if the tree does not have the entry yet, or if the caller may not read
 * the log.
 */
export async function logMembers(
  mount: Mount,
  config: Snapshot,
  caller: Caller,
  certificate: LoggedCertificate,
): Promise<LogMembers> {
  if (!(await mayRead(config, "log/checkpoint", caller))) return {};
  const state = await recentState(mount);
  const found = await findEntry(mount, state, certificate);
  if (!found) return {};
  const { index, entry } = found;
  const hashes = await inclusionProof(index, state.size, tileReader(mount, state));
  const lines = ["c2sp.org/tlog-proof@v1", `index ${index}`, ...hashes.map(toBase64)];
  return {
    log_index: index,
    log_entry: toBase64(entry),
    log_proof: `${lines.join("\n")}\n\n${state.checkpoint}`,
  };
}

interface FoundEntry {
  readonly index: number;
  readonly entry: Uint8Array;
}
/** Number of runs to read at a time. The first run usually has the entry. */
const runsPerRead = 4;

/** Returns the entry of a certificate, or undefined if the tree does not have it. */
async function findEntry(
  mount: Mount,
  state: LogState,
  certificate: LoggedCertificate,
): Promise<FoundEntry | undefined> {
  const { der, serial, logged_at: time } = certificate;
  if (time === undefined) return findIndexed(mount, state, der);
  const end = numberEnd(serial);
  for (let after = runsFrom(time); ;) {
    const runs = await mount.store.list(runPrefix, { after, limit: runsPerRead });
    for (const [key, { value }] of runs)
      for (const at of positionsOf(value, end)) {
        const index = firstOfRun(key) + at;
        const entry = await entryAt(mount, state, index);
        // a certificate of another issuer may have the same serial number
        if (entry && isEntryOf(parseEntry(entry), der)) return { index, entry };
      }
    const last = runs.at(-1);
    // an earlier version of the server, which wrote no runs, may have added the entry
    if (!last || runs.length < runsPerRead) return findIndexed(mount, state, der);
    [after] = last;
  }
}
/** Returns the positions, in a run, of the entries whose numbers end with the given octets. */
function positionsOf(run: unknown, end: Uint8Array): readonly number[] {
  // rows under this prefix are byte strings
  const ends = run as Uint8Array;
  const count = ends.length / numberEndLength;
  return Array.from({ length: count }, (_, at) => at).filter((at) =>
    end.every((octet, i) => ends[at * numberEndLength + i] === octet),
  );
}

/** Returns a certificate's entry that was added by a server version that wrote no runs. */
async function findIndexed(
  mount: Mount,
  state: LogState,
  der: Uint8Array,
): Promise<FoundEntry | undefined> {
  const [row] = await mount.store.get([logKeys.index(toHex(digestOf(der)))]);
  const index = row?.value;
  if (typeof index !== "number") return undefined;
  const entry = await entryAt(mount, state, index);
  return entry && { index, entry };
}
/** Returns the entry at the given index, or undefined if the tree is smaller. */
async function entryAt(
  mount: Mount,
  state: LogState,
  index: number,
): Promise<Uint8Array | undefined> {
  return index < state.size ? (await entriesFrom(mount, state, index, 1))[0] : undefined;
}
