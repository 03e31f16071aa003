import type { RevokeFoundReply, SearchCertsInput, SearchFields } from "../../../src/client/pki.ts";
import type { Filters } from "../../api/inventory-search.ts";

/** The query of a bulk revocation: the filters of a search. */
export type BulkQuery = SearchFields;

/** The properties of a search that determine whether a bulk revocation can use the same filters. */
interface BulkOptions {
  /** Whether the search matched any part of names, because no name begins with the text. */
  readonly within?: boolean;
  /** Whether the text could also be (the beginning of) a serial number or a fingerprint. */
  readonly digits: boolean;
}

/**
 * Converts a search to the filters of a bulk revocation. Returns undefined if no filter is set, or
 * if the filters would not match the same certificates as the search.
 */
export function bulkQuery(
  fields: SearchCertsInput,
  { status }: Pick<Filters, "status">,
  { within = false, digits }: BulkOptions,
): BulkQuery | undefined {
  if (digits || (status !== "" && status !== "valid")) return undefined;
  const { name = "", state: _, cursor: __, limit: ___, ...others } = fields;
  const query = {
    ...others,
    ...(name !== "" && (within ? { san: name } : { name })),
  };
  if (Object.keys(query).length === 0) return undefined;
  return { ...query, state: "valid" };
}

/** The result of a call or a dry run. Older servers omit `responders`. */
export type BulkAnswer = Pick<
  RevokeFoundReply,
  "revoked" | "keys" | "already_revoked" | "expired" | "issuers" | "cursor" | "unknown"
> &
  Partial<Pick<RevokeFoundReply, "responders">>;

/** The combined result of several calls. */
export type BulkSum = Pick<
  BulkAnswer,
  "revoked" | "keys" | "already_revoked" | "expired" | "issuers"
>;

const none: BulkSum = { revoked: 0, keys: [], already_revoked: 0, expired: 0, issuers: 0 };

const maxKeys = 100;

/**
 * Repeats a call until all matches have been processed. After each call, passes the number of
 * certificates revoked so far to `progress`.
 */
export async function eachCall(
  call: (cursor: string) => Promise<BulkAnswer>,
  progress: (revoked: number) => void = () => {},
): Promise<BulkSum> {
  let sum = none;
  let cursor = "";
  do {
    const reply = await call(cursor);
    sum = {
      revoked: sum.revoked + reply.revoked,
      keys: [...sum.keys, ...reply.keys].slice(0, maxKeys),
      already_revoked: sum.already_revoked + reply.already_revoked,
      expired: sum.expired + reply.expired,
      issuers: sum.issuers + reply.issuers,
    };
    progress(sum.revoked);
    // Stop if the cursor does not advance, to avoid an endless loop.
    if (reply.cursor === cursor) break;
    cursor = reply.cursor;
  } while (cursor !== "");
  return sum;
}

/** Maximum number of serial numbers per call. Each call builds the CRLs once. */
const maxNamed = 500;

/** Splits serial numbers into batches, one for each call. */
export const partsOf = (serials: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(serials.length / maxNamed) }, (_, i) =>
    serials.slice(i * maxNamed, (i + 1) * maxNamed),
  );

const were = (count: number, one: string, several: string): readonly string[] =>
  count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];

/**
 * Returns sentences about the certificates that were not revoked, with the reasons. `title` returns
 * the title of a certificate.
 */
export const notRevoked = (
  { already_revoked: before, expired, issuers, responders = 0, unknown = [] }: BulkAnswer,
  title: (serial: string) => string,
): readonly string[] => [
  ...were(before, "was already revoked", "were already revoked"),
  ...were(expired, "has expired and was skipped", "have expired and were skipped"),
  ...were(issuers, "is a CA certificate and was skipped", "are CA certificates and were skipped"),
  ...were(
    responders,
    "signs OCSP responses and was skipped",
    "sign OCSP responses and were skipped",
  ),
  ...unknown.map((serial) => `${title(serial)} is no longer stored.`),
];
