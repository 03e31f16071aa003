import { parseSerial } from "../../base/ids.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys } from "../rows/records.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { classifyMany, revokeMany, type RevocationOutcomes } from "../revoke/revoke-many.ts";
import { serialOf } from "./cert-detail.ts";

/** Maximum number of serial numbers in `keys` of a response. */
const maxListed = 100;
/**
 * Number of certificates to revoke per batch. The store commits a batch of this size in a few
 * milliseconds.
 */
export const certificatesPerBatch = 100;
/** Maximum number of serial numbers per request. */
const maxNamed = 1000;

/** Creates a counter that adds up the outcomes of several batches. */
export function revocationCounter() {
  const revokedFields = {
    revoked: 0,
    keys: [] as string[],
    already_revoked: 0,
    expired: 0,
    issuers: 0,
    responders: 0,
  };
  const crlIds = new Set<string>();
  const count = (outcomes: RevocationOutcomes): void => {
    revokedFields.revoked += outcomes.revoked.length;
    revokedFields.already_revoked += outcomes.alreadyRevoked.length;
    revokedFields.expired += outcomes.expired.length;
    revokedFields.issuers += outcomes.issuers.length;
    revokedFields.responders += outcomes.responders.length;
    revokedFields.keys.push(
      ...outcomes.revoked.slice(0, maxListed - revokedFields.keys.length).map(serialOf),
    );
    outcomes.crlIds.forEach((crlId) => crlIds.add(crlId));
  };
  return { totals: revokedFields, crlIds, count };
}

/** Returns the keys of all certificates that have an outcome. */
const all = (of: RevocationOutcomes): readonly string[] => [
  ...of.revoked,
  ...of.alreadyRevoked,
  ...of.expired,
  ...of.issuers,
  ...of.responders,
  ...of.damaged,
];

/**
 * Revokes certificates by serial number. `unknown` in the output contains the serial numbers for
 * which no certificate is stored. Throws `malformed` if there are too many serial numbers.
 */
export async function revokeNamed(
  mount: Mount,
  named: readonly string[],
  { reason, dry_run }: { readonly reason: number | undefined; readonly dry_run: boolean },
  caller: Caller,
) {
  if (named.length > maxNamed)
    throw new CaError("malformed", `serial_numbers contains more than ${maxNamed} serial numbers`);
  const keyOf = new Map(
    named.map((text) => {
      const serial = parseSerial(text);
      return [text, serial && keys.cert(serial)] as const;
    }),
  );
  const certificateKeys = [...new Set([...keyOf.values()].filter((key) => key !== undefined))];
  const { totals, crlIds, count } = revocationCounter();
  const existing = new Set<string>();
  for (let from = 0; from < certificateKeys.length; from += certificatesPerBatch) {
    const some = certificateKeys.slice(from, from + certificatesPerBatch);
    const outcomes = await (dry_run ? classifyMany(mount, some) : revokeMany(mount, some, reason));
    count(outcomes);
    all(outcomes).forEach((key) => existing.add(key));
    for (const key of outcomes.damaged)
      caller.reply.warn(
        `the stored certificate ${serialOf(key)} was altered in storage, so it was not revoked; to revoke it, send the certificate as PEM to \`revoke\``,
      );
    await yieldToEventLoop();
  }
  const unknown = named.filter((text) => !existing.has(keyOf.get(text) ?? ""));
  return {
    output: { ...totals, left: 0, cursor: "", unknown },
    revoked: totals.revoked,
    crlIds: [...crlIds],
  };
}
