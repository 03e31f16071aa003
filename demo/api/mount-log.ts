import { fromBase64 } from "../../src/base/bytes.ts";
import {
  certificateList,
  timeText,
  type ListedCertificate,
  type NamelessCertificate,
} from "../../src/log/tree/certificate-list.ts";
import { parseCheckpoint } from "../../src/log/tree/checkpoint.ts";
import { isEntryOf, isMark, markTexts, parseEntry } from "../../src/log/tree/entry.ts";
import { followLog, type FollowResult, type LogSource } from "../../src/log/tree/follow.ts";
import { hashLeaf } from "../../src/log/tree/hash.ts";
import { isSignedBy, parseNote, parseVerifierKey, type NoteKey } from "../../src/log/tree/note.ts";
import { provesInclusion } from "../../src/log/tree/proof.ts";
import type { ReadCertReply } from "../../src/client/pki.ts";
import { place } from "../lib/place.ts";
import { readBytes, readData } from "./call.ts";
import { readLogCheckpoint, readLogConfig, readLogTile } from "./endpoints/pki.ts";

/** The state of a log when this browser last verified it. */
interface VerifiedLog {
  /** The verifier key of the log, which must not change. */
  readonly key: string;
  /** The checkpoint as a signed note. */
  readonly note: string;
  /** Verification time in Unix ms. */
  readonly at: number;
}
const storageKey = (): string => {
  const { base, mount } = place.get();
  return `sealwright-log ${base} ${mount}`;
};
/**
 * Returns the last verified state of the current mount's log, or undefined if it was never
 * verified.
 */
export function lastVerified(): VerifiedLog | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? "null");
    const { key, note, at } = { ...(stored as Partial<VerifiedLog> | null) };
    return typeof key === "string" && typeof note === "string" && typeof at === "number"
      ? { key, note, at }
      : undefined;
  } catch {
    // The browser may block site data; nothing is stored then.
    return undefined;
  }
}
function storeVerified(log: VerifiedLog): void {
  try {
    localStorage.setItem(storageKey(), JSON.stringify(log));
  } catch {
    // The browser may block site data; nothing is stored then.
  }
}
/**
 * Deletes the verified state, so that the next verification trusts the current state of the log.
 */
export function forgetVerified(): void {
  try {
    localStorage.removeItem(storageKey());
  } catch {
    // The browser may block site data; nothing was stored then.
  }
}

/** Returns the verifier key of the current mount's log, or "" if the log was never enabled. */
const logKey = async (): Promise<string> => (await readData(readLogConfig)).verifier_key;

/** Reads the files of the current mount's log. */
const source: LogSource = {
  checkpoint: async () =>
    new TextDecoder().decode((await readBytes(readLogCheckpoint)) ?? new Uint8Array()),
  tile: async (tile) => (await readBytes(readLogTile, { tile })) ?? new Uint8Array(),
};

/** An event in a log that affects the significance of later entries. */
interface LogEvent {
  readonly index: number;
  readonly time: string;
  readonly text: string;
}
/** The result of verifying a log. */
export interface LogReport {
  readonly origin: string;
  /** The reason why the log cannot be trusted; undefined if it can be trusted. */
  readonly fault: string | undefined;
  /** The two inconsistent checkpoints that prove the fault: the last verified and the latest. */
  readonly evidence: string;
  readonly size: number;
  /** Size of the log at the previous verification, and the time of that verification in Unix ms. */
  readonly previous: { readonly size: number; readonly at: number } | undefined;
  readonly events: readonly LogEvent[];
  readonly listed: readonly ListedCertificate[];
  readonly nameless: readonly NamelessCertificate[];
}

/**
 * Verifies the current mount's log from the last verified checkpoint to the latest, and stores the
 * latest. Also lists all certificates with the name `name`, unless it is "".
 */
export async function verifyLog(name: string): Promise<LogReport> {
  const before = lastVerified();
  const served = await logKey();
  const key = parseVerifierKey(before?.key ?? served);
  if (!key) throw new Error("The log has no verifier key.");
  const previous = before && parseCheckpoint(before.note);
  const events: LogEvent[] = [];
  const { visit, listed, nameless } = certificateList(name === "" ? undefined : name);
  const result = await followLog(source, { key, previous }, ({ type, time }, index) => {
    if (isMark(type)) events.push({ index, time: timeText(time), text: markTexts[type] });
  });
  // looks for the name in all entries of the verified tree, not only in the new ones
  const verified = { ...source, checkpoint: async () => result.note };
  const fault =
    faultIn(result, { key, isSameKey: before === undefined || before.key === served }) ??
    (name === "" ? undefined : (await followLog(verified, { key }, visit)).fault?.message);
  if (fault === undefined)
    storeVerified({ key: before?.key ?? served, note: result.note, at: Date.now() });
  return {
    origin: key.name,
    fault,
    evidence: fault === undefined ? "" : [before?.note, result.note].join("\n"),
    size: result.checkpoint?.size ?? 0,
    previous: before && previous && { size: previous.size, at: before.at },
    events,
    listed,
    nameless,
  };
}
/** Returns the fault of a log, or undefined if it has none. */
function faultIn(
  { fault }: FollowResult,
  { key, isSameKey }: { readonly key: NoteKey; readonly isSameKey: boolean },
): string | undefined {
  if (fault) return fault.message;
  return isSameKey ? undefined : `the server returned a different key for ${key.name} than before`;
}

/** The position of a certificate in the log, and the result of verifying the proof. */
interface LogPlace {
  readonly index: number;
  readonly size: number;
  readonly origin: string;
  /** The reason why the proof is invalid; undefined if it is valid. */
  readonly fault: string | undefined;
}
/**
 * Verifies the inclusion proof in a response about a certificate. Returns undefined if the response
 * contains none, because the log is disabled or the entry is not in the tree yet.
 */
export async function verifyInclusion(
  reply: Pick<ReadCertReply, "log_index" | "log_entry" | "log_proof">,
  der: Uint8Array,
): Promise<LogPlace | undefined> {
  const { log_index: index, log_entry: encoded = "", log_proof: text = "" } = reply;
  if (index === undefined) return undefined;
  const at = text.indexOf("\n\n");
  const [, line, ...hashes] = text.slice(0, at).split("\n");
  const note = parseNote(text.slice(at + 2));
  const checkpoint = note && parseCheckpoint(note.text);
  const entry = fromBase64(encoded);
  const proof = hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
  const { size = 0, origin = "" } = checkpoint ?? {};
  const place = (fault?: string): LogPlace => ({ index, size, origin, fault });
  if (!note || !checkpoint || !entry || line !== `index ${index}`)
    return place("the proof cannot be read");
  if (!isEntryOf(parseEntry(entry), der)) return place("the entry belongs to another certificate");
  if (!provesInclusion({ leaf: hashLeaf(entry), index, ...checkpoint }, proof))
    return place("the proof does not lead to the root of the tree");
  const key = parseVerifierKey(lastVerified()?.key ?? (await logKey()));
  if (!key || !(await isSignedBy(note, key)) || origin !== key.name)
    return place("the checkpoint is not signed with the key of the log");
  return place();
}
