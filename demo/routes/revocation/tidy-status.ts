import type { TidyStatus } from "./tidy-calls.ts";

/** Reports whether a run is in progress. */
export const isRunning = ({ state }: Pick<TidyStatus, "state">): boolean =>
  state === "Running" || state === "Cancelling";

/**
 * Parses the progress of a run from a message such as `checking entry 512 of 25000`. Returns
 * undefined if the message has no progress, or if the total is unknown: in "entry 512 of 512", the
 * second number is only the number of entries checked so far.
 */
export function progressOf(
  message: string | null,
): { readonly done: number; readonly all: number } | undefined {
  const [, done, all] = /\b(\d+) of (\d+)\b/.exec(message ?? "") ?? [];
  return done !== undefined && all !== undefined && Number(done) < Number(all)
    ? { done: Number(done), all: Number(all) }
    : undefined;
}

const counters: readonly (readonly [name: string, words: string])[] = [
  ["cert_store_deleted_count", "Certificates deleted"],
  ["revoked_cert_deleted_count", "Revoked certificates deleted"],
  ["missing_issuer_cert_count", "Revoked certificates with an unknown issuer"],
  ["revocation_queue_deleted_count", "Revocation requests deleted"],
  ["cross_revoked_cert_deleted_count", "Cross-cluster revocations deleted"],
  ["cert_metadata_deleted_count", "Metadata deleted"],
  ["cmpv2_nonce_deleted_count", "CMP nonces deleted"],
  ["total_acme_account_count", "ACME accounts checked"],
  ["acme_account_deleted_count", "ACME accounts deleted"],
  ["acme_account_revoked_count", "ACME accounts revoked"],
  ["acme_orders_deleted_count", "ACME orders deleted"],
];
/** Number of counters that are always shown. Other counters are shown only if they are not zero. */
const always = 2;

/** Returns the counters of a run. */
export const countsOf = (
  status: Readonly<Record<string, unknown>>,
): readonly (readonly [words: string, count: number])[] =>
  counters.flatMap(([name, words], i) => {
    const count = status[name];
    return typeof count === "number" && (count > 0 || i < always) ? [[words, count] as const] : [];
  });
