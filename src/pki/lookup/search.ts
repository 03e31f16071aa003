import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { revocationReasons } from "../../x509/crl.ts";
import { firstName, readableNames } from "../request/template.ts";
import { int, list, records, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateDetail, detailOf, limitOf, serialOf } from "./cert-detail.ts";
import { hasNewestIndex } from "../issuer/newest-index.ts";
import { hasTag, readCursor, tagOf, writeCursor } from "./search-cursor.ts";
import { queryOf, searchFields } from "./search-fields.ts";
import { sha256 } from "./search-filter.ts";
import { pageOf, type Query } from "./search-index.ts";
import { partsOf, positionOf, type SearchMatch } from "./search-walk.ts";

const detailFields = {
  ...certificateDetail,
  name: text.required(
    "The indexed name: the first subject alternative name (DNS, email, IP, then URI), otherwise the common name, otherwise any other name in the certificate.",
  ),
  names: int.required("Number of alternative names of all types together."),
  fingerprint: text.required("SHA-256 fingerprint of the certificate, hexadecimal."),
  state: text.required("`valid`, `expired` or `revoked`.", ["", "valid", "expired", "revoked"]),
  revocation_time: int.required("Time of revocation, Unix seconds; 0 if not revoked."),
  revocation_reason: text.optional(
    "Reason for the revocation, with the same names as in `revoke`.",
  ),
} as const;

/** Maximum number of rows to read per page; the next page continues after them. */
const scanLimit = 2500;
const step = 250;

/** Maximum number of certificates per page of a search. */
const maxMatches = 5000;

export const searchCerts = endpoint({
  id: "searchCerts",
  at: ["LIST /certs/search"],
  access: "token",
  style: envelope,
  doc: "Searches the stored certificates by name prefix, issuer, role or expiry, and filters them by state, notBefore, fingerprint or any name. To get the next page, send `cursor`.",
  body: {
    ...searchFields,
    order: text.default(
      "",
      "`newest` returns the latest notBefore first. If empty, the order is that of the index that the search uses.",
      ["", "newest"],
    ),
    cursor: text.default("", "`cursor` of the previous page."),
    limit: int.default(0, "Maximum number of certificates to return, up to 5000; 0 means 100."),
  },
  reply: {
    keys: list.required("Serial numbers with colons, in the order given by `order`."),
    key_info: records(detailFields).required("Details of each certificate, by serial number."),
    cursor: text.required(
      "Value to send as `cursor` to get the next page; empty on the last page.",
    ),
    order: text.required(
      "Order of `keys`: `newest`, or empty for the order of the index that the search uses. Also empty while certificates stored by an earlier version are still being indexed.",
      ["", "newest"],
    ),
  },
  refuses: ["malformed", "damaged"],
  run: async (mount, input, caller) => {
    const query = await withOrder(mount, await queryOf(mount, input), input);
    const from = { cursor: input.cursor, limit: limitOf(input.limit, 100, maxMatches) };
    const { hits, cursor } = await search(mount, query, from, caller);
    return {
      keys: hits.map(({ serial }) => serial),
      key_info: Object.fromEntries(hits.map(({ serial, info }) => [serial, info])),
      cursor,
      order: query.order,
    };
  },
});

/**
 * Returns the search in the requested order, or in index order while the `newest` index is
 * incomplete. Throws `malformed` for an unknown order.
 */
async function withOrder(
  mount: Mount,
  query: Query,
  { order, cursor }: { readonly order: string; readonly cursor: string },
): Promise<Query> {
  if (!["", "newest"].includes(order))
    throw new CaError("malformed", `unknown order ${order.slice(0, 32)}: use newest`);
  if (order === "") return query;
  const newest = { ...query, order: "newest" } as const;
  // all pages of one search must have the same order
  const isIndexed = cursor === "" ? await hasNewestIndex(mount) : hasTag(cursor, tagOf(newest));
  return isIndexed ? newest : query;
}

interface Hit {
  readonly serial: string;
  readonly info: Awaited<ReturnType<typeof infoOf>>;
}

/** Returns the details of a matching certificate for the response. */
async function infoOf({ row, state, revoked }: SearchMatch) {
  const certificate = parseCertificate(row.der);
  const { dns, email, ip, uri, other } = readableNames(certificate);
  const reason = Object.entries(revocationReasons).find(([, code]) => code === revoked?.reason);
  return {
    ...detailOf(row, certificate),
    name: firstName(certificate),
    names: [dns, email, ip, uri, other].reduce((sum, { length }) => sum + length, 0),
    fingerprint: await sha256(row.der),
    state,
    revocation_time: revoked ? Math.floor(revoked.at / 1000) : 0,
    ...(reason ? { revocation_reason: reason[0] } : {}),
  };
}

interface From {
  readonly cursor: string;
  readonly limit: number;
}
async function search(
  mount: Mount,
  query: Query,
  { cursor, limit }: From,
  caller: Caller,
): Promise<{ readonly hits: readonly Hit[]; readonly cursor: string }> {
  const hits: Hit[] = [];
  const tag = tagOf(query);
  const from = readCursor(cursor, pageOf(query), tag);
  let scanned = 0;
  for await (const part of partsOf(
    mount,
    query,
    { from, step: Math.min(step, Math.max(limit, 50)) },
    caller,
  )) {
    for (const match of part.matches) {
      hits.push({ serial: serialOf(match.key), info: await infoOf(match) });
      if (hits.length === limit)
        return { hits, cursor: writeCursor(positionOf(query, match), tag) };
    }
    scanned += part.rowsRead;
    if (part.isLast) break;
    if (scanned < scanLimit) continue;
    // a cursor at this position would return the same page again
    if (part.behind >= scanLimit)
      throw new CaError(
        "damaged",
        `the next ${part.behind} stored certificates were altered in storage; skip them with not_after_from, or use other search criteria`,
      );
    return { hits, cursor: part.at ? writeCursor(part.at, tag) : "" };
  }
  return { hits, cursor: "" };
}
