import type { RevokeFoundReply, SearchCertsInput, SearchFields } from "../../../src/client/pki.ts";
import type { Filters } from "../../api/inventory-search.ts";

/** The query of a bulk revocation: the filters of a search. */
export type BulkQuery = SearchFields;

/** The parameters of a bulk revocation beside the filters. */
interface Beside {
  /** No name begins with the text, so it was sought inside the names. */
  readonly within?: boolean;
  /** The text is also a serial number or a fingerprint, or begins one. */
  readonly digits: boolean;
}

/**
 * The fields of a search as those of a revocation; undefined where that would revoke something else
 * than the rows that are shown, or where nothing narrows it down.
 */
export function bulkQuery(
  fields: SearchCertsInput,
  { status }: Pick<Filters, "status">,
  { within = false, digits }: Beside,
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

/** The result of a call, or of its dry run; an older server leaves out `responders`. */
export type BulkAnswer = Pick<
  RevokeFoundReply,
  "revoked" | "keys" | "already_revoked" | "expired" | "issuers" | "cursor" | "unknown"
> &
  Partial<Pick<RevokeFoundReply, "responders">>;

/** The same of all calls together. */
export type BulkSum = Pick<
  BulkAnswer,
  "revoked" | "keys" | "already_revoked" | "expired" | "issuers"
>;

const none: BulkSum = { revoked: 0, keys: [], already_revoked: 0, expired: 0, issuers: 0 };

const maxKeys = 100;

/** Calls until all were looked at; tells after each call how many certificates it concerned. */
export async function eachCall(
  call: (cursor: string) => Promise<BulkAnswer>,
  progress: (revoked: number) => void = () => {},
): Promise<BulkSum> {
  let sum = none;
  let cursor = "";
  do {
    const said = await call(cursor);
    sum = {
      revoked: sum.revoked + said.revoked,
      keys: [...sum.keys, ...said.keys].slice(0, maxKeys),
      already_revoked: sum.already_revoked + said.already_revoked,
      expired: sum.expired + said.expired,
      issuers: sum.issuers + said.issuers,
    };
    progress(sum.revoked);
    // A place that does not move would never end.
    if (said.cursor === cursor) break;
    cursor = said.cursor;
  } while (cursor !== "");
  return sum;
}

/** So many are named in a call: each call builds the lists once. */
const maxNamed = 500;

/** The serial numbers of one call after the other. */
export const partsOf = (serials: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(serials.length / maxNamed) }, (_, i) =>
    serials.slice(i * maxNamed, (i + 1) * maxNamed),
  );

const were = (count: number, one: string, several: string): readonly string[] =>
  count === 0 ? [] : [count === 1 ? `One ${one}.` : `${count} ${several}.`];

/**
 * Returns the named certificates that were not revoked, and why. `title` returns the title of one.
 */
export const notRevoked = (
  { already_revoked: before, expired, issuers, responders = 0, unknown = [] }: BulkAnswer,
  title: (serial: string) => string,
): readonly string[] => [
  ...were(before, "was already revoked", "were already revoked"),
  ...were(expired, "has expired and was skipped", "have expired and were skipped"),
  ...were(issuers, "is an authority and was skipped", "are authorities and were skipped"),
  ...were(
    responders,
    "signs OCSP responses and was skipped",
    "sign OCSP responses and were skipped",
  ),
  ...unknown.map((serial) => `${title(serial)} is no longer stored here.`),
];
