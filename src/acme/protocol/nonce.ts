import { nonceSalt } from "../rows/config.ts";
import { sealedSerialKey } from "../../pki/rows/records.ts";
import { slotOfId } from "../../base/slot-ids.ts";
import { concat, equalBytes, fromBase64Url, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { nonceSlotDigit } from "../rows/prefixes.ts";
import { acmeIndexes, acmeKeys } from "../rows/records.ts";
import { acmeMac } from "./secret.ts";

/** Validity of a nonce in seconds (B 5.5). */
const validFor = 90;
/** Maximum clock skew within a deployment, in seconds. */
const clockSkew = 60;
/**
 * Time for which a spent nonce is stored, in seconds. It is longer than any clock in the deployment
 * can consider the nonce valid.
 */
const storedFor = validFor + 5 * clockSkew;
/** Lengths of the parts of a nonce in octets: time in seconds, random bytes, MAC. */
const [timeLength, chanceLength, proofLength] = [5, 11, 16];
const headLength = timeLength + chanceLength;
/** Position of the octet that begins with the slot. */
const slotOctet = (nonceSlotDigit * 6) / 8;

/**
 * Returns the function that computes the MAC of a nonce. Derives its key once per sealed key and
 * salt.
 */
const macOf = memoize(async (_bytes: Uint8Array, mount: Mount, config: Snapshot) => {
  const salt = config.get(nonceSalt);
  return acmeMac(mount, config, salt ? `nonce ${toBase64Url(salt)}` : "nonce");
});
async function proofOf(
  mount: Mount,
  config: Snapshot,
  directory: string,
  head: Uint8Array,
): Promise<Uint8Array> {
  const serialKey = config.get(sealedSerialKey);
  if (!serialKey) throw new TypeError("the mount has no key for serial numbers");
  const mac = await macOf(config.get(nonceSalt) ?? serialKey, mount, config);
  return mac(concat([head, utf8(directory)])).subarray(0, proofLength);
}

/**
 * Returns a new nonce for a directory of the mount (RFC 8555 section 6.5). A nonce is not stored.
 * Its content proves when and for which directory it was created, so that it stays valid after a
 * restart. `account` is the ID of the account that will probably spend the nonce. In a partitioned
 * mount, this lets its request commit a single batch.
 */
export async function newNonce(
  mount: Mount,
  config: Snapshot,
  {
    directory,
    account = "",
  }: { readonly directory: string; readonly account?: string | undefined },
): Promise<string> {
  const head = new Uint8Array(headLength);
  // byte by byte, because accessing the buffer of a short array is slow in Workers
  let seconds = Math.floor(mount.ports.now() / 1000);
  for (let at = timeLength - 1; at >= 0; at--) {
    head[at] = seconds % 256;
    seconds = Math.floor(seconds / 256);
  }
  head.set(mount.ports.random(chanceLength), timeLength);
  head[slotOctet] = ((slotOfId(account) ?? 0) << 2) | ((head[slotOctet] ?? 0) & 3);
  return toBase64Url(concat([head, await proofOf(mount, config, directory, head)]));
}

/**
 * Returns the time at which a nonce was created (Unix seconds). Throws CaError `bad_nonce` if it is
 * forged, from another directory, or too old. Only the store knows whether it was spent.
 */
export async function nonceTime(
  mount: Mount,
  config: Snapshot,
  { directory, nonce }: { readonly directory: string; readonly nonce: unknown },
): Promise<number> {
  const bytes = typeof nonce === "string" && nonce.length === 43 ? fromBase64Url(nonce) : undefined;
  if (!bytes) throw badNonce("send the nonce of the last response, or one from newNonce");
  const head = bytes.subarray(0, headLength);
  const proof = await proofOf(mount, config, directory, head);
  // the comparison need not take constant time, because a forged nonce would only save an attacker
  // the request for a real one
  if (!equalBytes(proof, bytes.subarray(headLength)))
    throw badNonce("the nonce is not from this directory");
  let seconds = 0;
  for (const byte of head.subarray(0, timeLength)) seconds = seconds * 256 + byte;
  const now = Math.floor(mount.ports.now() / 1000);
  if (seconds > now + clockSkew || seconds + validFor < now)
    throw badNonce("the nonce has expired");
  return seconds;
}
/** Returns the error for an invalid nonce. */
export const badNonce = (why: string): CaError => new CaError("bad_nonce", why);

/**
 * Returns the change that spends a nonce created at a time (Unix seconds). As part of the request's
 * batch, it ensures that only one of two requests with the same nonce succeeds.
 */
export function spendNonce(
  nonce: string,
  createdAt: number,
): Required<Pick<Batch, "expect" | "put" | "upkeep">> {
  const key = acmeKeys.nonce(nonce);
  return {
    expect: [[key, null]],
    put: [[key, {}, { [acmeIndexes.end]: createdAt + storedFor }]],
    upkeep: [key],
  };
}
