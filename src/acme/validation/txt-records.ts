import { CaError } from "../../base/errors.ts";
import { causeSuffix } from "../../net/failure.ts";
import type { ValidationNetwork } from "./challenge-type.ts";
import { digestText, sameText, type Proof } from "./proof.ts";

/** Timeout of DNS queries in ms (B 5.10). */
const limit = 30_000;

/**
 * Returns the TXT records of the given name. Rejects with `dns` if the query fails, or if there are
 * none.
 */
export async function txtRecords(
  queried: string,
  { resolve, timeout }: Pick<ValidationNetwork, "resolve" | "timeout">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const soon = AbortSignal.any([signal, timeout(limit)]);
  const records = await resolve({ name: queried, type: "TXT" }, soon).catch((cause: unknown) => {
    signal.throwIfAborted();
    const what = `cannot query the TXT records of ${queried}${causeSuffix(cause)}`;
    throw new CaError("dns", what, { cause });
  });
  if (records.length === 0) throw new CaError("dns", `DNS has no TXT record for ${queried}`);
  return records;
}

/**
 * Requires a TXT record with the digest of the key authorization (RFC 8555 section 8.4). Rejects
 * with `dns` if the query fails, and with `incorrect_response` if no record matches.
 */
export async function requireDigestRecord(
  queried: string,
  proof: Proof,
  network: ValidationNetwork,
  signal: AbortSignal,
): Promise<void> {
  const records = await txtRecords(queried, network, signal);
  const expected = digestText(proof);
  // compares all records, so that timing does not reveal which of them matches
  const right = records.filter((record) => sameText(record, expected));
  if (right.length === 0)
    throw new CaError(
      "incorrect_response",
      records.length === 1
        ? `the TXT record of ${queried} is not the expected one`
        : `none of the ${records.length} TXT records of ${queried} is the expected one`,
    );
}
