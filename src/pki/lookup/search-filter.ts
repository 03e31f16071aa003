import { lowerAscii } from "../../base/names.ts";
import { below } from "../../engine/records.ts";
import type { Mount } from "../../engine/mount.ts";
import { certificateEnd, parseCertificate } from "../../x509/certificate.ts";
import { readableNames } from "../request/first-name.ts";
import { nameFilter } from "../request/name-filter.ts";
import type { Candidate } from "./cert-detail.ts";
import type { Query } from "./search-index.ts";

/** What became of a certificate. */
export type State = "valid" | "expired" | "revoked";

/**
 * Those of the rows that fit, in their order. What is cheap to tell is asked first: few
 * certificates are taken apart that do not fit.
 */
export async function fitting(
  ca: Mount,
  query: Query,
  rows: readonly Candidate[],
): Promise<readonly (Candidate & { readonly state: State })[]> {
  const now = Math.floor(ca.ports.now() / 1000);
  const { from = -Infinity, to = Infinity } = query;
  const mayHold = nameFilter(query.san);
  const left = rows
    .filter(
      ({ row }) =>
        (query.issuer === "" || row.issuer === query.issuer) &&
        (query.role === "" || row.role === query.role) &&
        (query.account === "" || row.acme?.account === query.account) &&
        (query.source === "" || (query.source === "acme") === (row.acme !== undefined)) &&
        mayHold(row.der),
    )
    .map((candidate) => ({ ...candidate, end: certificateEnd(candidate.row.der) }))
    .filter(
      ({ end, row }) =>
        end >= from && end <= to && ends(query.state, end < now) && holdsName(row.der, query.san),
    );
  const revoked =
    left.length > 0
      ? await ca.store.get(left.map(({ key }) => below.revoked + key.slice(below.certs.length)))
      : [];
  return left
    .map(({ key, row, end }, i) => ({
      key,
      row,
      state: revoked[i]
        ? ("revoked" as const)
        : end < now
          ? ("expired" as const)
          : ("valid" as const),
    }))
    .filter(({ state }) => query.state === "" || state === query.state);
}
/** Whether a state is possible before or after the end of validity. */
const ends = (state: string, past: boolean): boolean =>
  state === "expired" ? past : state === "valid" ? !past : true;

function holdsName(der: Uint8Array, san: string): boolean {
  if (san === "") return true;
  const names = readableNames(parseCertificate(der));
  const other = names.other.map(({ value }) => value);
  return [...names.common, ...names.dns, ...names.email, ...names.ip, ...names.uri, ...other].some(
    (name) => lowerAscii(name).includes(san),
  );
}
