import { keyTypeDoc } from "../../algorithms/table.ts";
import { fromBase64Url, fromUtf8, toBase64Url, toHex, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { sha1 } from "../../base/sha1.ts";
import { rfc3339 } from "../../base/duration.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Page, Row } from "../../engine/ports.ts";
import { lowerAscii } from "../../base/names.ts";
import { below, type CertRow, isIntact, nameKey } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import {
  certificateEnd,
  certificateNames,
  parseCertificate,
  type Certificate,
} from "../../x509/certificate.ts";
import { parsePublicKey } from "../../x509/spki.ts";
import { int, list, records, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { firstName } from "../request/first-name.ts";
import { findIssuer } from "../issuer/issuer.ts";
import { nameFilter } from "../request/name-filter.ts";
import { serialsAfter } from "../request/paging.ts";

/** What is told of each certificate. */
const detail = {
  common_name: text.required("Common name of the subject."),
  issuer: text.required("Id of the issuer, or empty."),
  role: text.required("Name of the role, or empty."),
  key_type: text.required(`${keyTypeDoc}.`),
  key_bits: int.required("Size of the key in bits."),
  not_before: text.required("Start of validity, RFC 3339."),
  not_after: text.required("End of validity, RFC 3339."),
  dns_names: list.required("DNS names, five at most."),
} as const;
const found = { ...detail, state: text.required("`valid`, `expired` or `revoked`.") } as const;

const serialOf = (key: string): string => key.slice(below.certs.length).replace(/..(?!$)/g, "$&:");
function detailOf(row: CertRow, certificate: Certificate) {
  const names = certificateNames(certificate);
  const key = parsePublicKey(certificate.spki);
  return {
    common_name: names.common[0] ?? "",
    issuer: row.issuer,
    role: row.role,
    key_type: key.type as string,
    key_bits: key.bits,
    not_before: rfc3339(certificate.notBefore),
    not_after: rfc3339(certificate.notAfter),
    dns_names: names.dns.slice(0, 5),
  };
}

const pageLimit = 1000;
function limitOf(limit: number, fallback: number): number {
  if (limit < 0) throw new CaError("malformed", `limit ${limit} is below 0`);
  return Math.min(limit === 0 ? fallback : limit, pageLimit);
}

export const listCertDetails = endpoint({
  id: "listCertDetails",
  at: ["LIST /certs/detailed"],
  access: "token",
  style: envelope,
  doc: "Lists stored certificates with what they say, a thousand at most a page.",
  body: {
    after: text.default("", "Only serial numbers after this one."),
    limit: int.default(0, "How many at most; 0 for a thousand."),
  },
  reply: {
    keys: list.required("Serial numbers with colons, sorted."),
    key_info: records(detail).required("What each says."),
  },
  refuses: ["not_found", "malformed"],
  run: async (ca, input, caller) => {
    const rows = await ca.store.list(
      below.certs,
      serialsAfter(below.certs, { after: input.after, limit: limitOf(input.limit, pageLimit) }),
    );
    if (rows.length === 0) throw new CaError("not_found", "");
    const shown = intact(rows, caller).map(
      ({ key, row }) => [serialOf(key), detailOf(row, parseCertificate(row.der))] as const,
    );
    return { keys: shown.map(([serial]) => serial), key_info: Object.fromEntries(shown) };
  },
});

type State = "valid" | "expired" | "revoked";
/** What a search asks for; the name as its index holds it. */
interface Query {
  readonly name: string;
  readonly issuer: string;
  readonly role: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly state: string;
  readonly san: string;
}
/** How many rows one page may look at: what a filter leaves over goes on in the next page. */
const scanLimit = 2500;
const step = 250;

export const searchCerts = endpoint({
  id: "searchCerts",
  at: ["LIST /certs/search"],
  access: "token",
  style: envelope,
  doc: "Finds stored certificates by the begin of a name, issuer, role and expiry, with state and any name as filters. Pages go on with `cursor`.",
  body: {
    name: text.default(
      "",
      "Begin of the name by which a certificate is found, its first 253 octets, ASCII letters in any case. That is the first DNS name (in ASCII form), else mail address, IP address or URI of its alternative names; without these the common name, else another name. A common name beside them, and every further name, is found by `san`.",
    ),
    issuer: text.default("", "The issuer: an id, a name, or `default`."),
    role: text.default("", "Name of the role."),
    not_after_from: int.optional("Earliest end of validity, Unix seconds."),
    not_after_to: int.optional("Latest end of validity, Unix seconds."),
    state: text.default("", "`valid`, `expired` or `revoked`."),
    san: text.default("", "A text that one of the names contains; ASCII letters in any case."),
    cursor: text.default("", "Where the page before ended."),
    limit: int.default(0, "How many at most; 0 for a hundred."),
  },
  reply: {
    keys: list.required("Serial numbers with colons, in the order of the index that was used."),
    key_info: records(found).required("What each says."),
    cursor: text.required("Where the next page begins; empty at the end."),
  },
  refuses: ["malformed", "damaged"],
  run: async (ca, input, caller) => {
    if (!["", "valid", "expired", "revoked"].includes(input.state))
      throw new CaError(
        "malformed",
        `unknown state ${input.state.slice(0, 32)}: use valid, expired or revoked`,
      );
    const query = {
      name: nameKey(input.name),
      issuer: findIssuer(await ca.config(), input.issuer)?.id ?? input.issuer,
      role: input.role,
      from: input.not_after_from,
      to: input.not_after_to,
      state: input.state,
      san: lowerAscii(input.san),
    };
    const from = { cursor: input.cursor, limit: limitOf(input.limit, 100) };
    const { hits, cursor } = await search(ca, query, from, caller);
    return {
      keys: hits.map(({ serial }) => serial),
      key_info: Object.fromEntries(hits.map(({ serial, info }) => [serial, info])),
      cursor,
    };
  },
});

interface Hit {
  readonly serial: string;
  readonly info: ReturnType<typeof detailOf> & { readonly state: State };
}
/** A row that may be a hit. */
interface Candidate {
  readonly key: string;
  readonly row: CertRow;
}

/** Rows of certificates but for those whose bytes were altered, which the caller is told of. */
function intact(
  rows: readonly (readonly [key: string, row: Row])[],
  caller: Caller,
): readonly Candidate[] {
  const found = rows.map(([key, { value }]) => ({ key, row: stored.cert(value) }));
  const damaged = found.filter(({ row }) => !isIntact(row));
  for (const { key } of damaged)
    caller.warn(
      `The stored certificate ${serialOf(key)} was altered in the storage; it is left out.`,
    );
  return damaged.length === 0 ? found : found.filter((candidate) => !damaged.includes(candidate));
}

interface From {
  readonly cursor: string;
  readonly limit: number;
}
async function search(
  ca: Mount,
  query: Query,
  { cursor, limit }: From,
  caller: Caller,
): Promise<{ readonly hits: readonly Hit[]; readonly cursor: string }> {
  const page = pageOf(query);
  const hits: Hit[] = [];
  const tag = tagOf(query);
  let at = readCursor(cursor, page, tag);
  // altered rows behind `at`: where they stand in the index is not to be read from them
  const behind = new Set<string>();
  for (let scanned = 0; scanned < scanLimit;) {
    const take = Math.min(step, Math.max(limit, 50)) + behind.size;
    const listed = await ca.store.list(below.certs, after(page, at, take));
    const rows = listed.filter(([key]) => !behind.has(key));
    scanned += rows.length;
    const candidates = intact(rows, caller);
    for (const { key, row, state } of await fitting(ca, query, candidates)) {
      const certificate = parseCertificate(row.der);
      hits.push({ serial: serialOf(key), info: { ...detailOf(row, certificate), state } });
      if (hits.length === limit)
        return { hits, cursor: writeCursor([indexValue(page.name, row, certificate), key], tag) };
    }
    if (listed.length < take) return { hits, cursor: "" };
    const last = candidates.at(-1);
    if (last) {
      at = [indexValue(page.name, last.row, parseCertificate(last.row.der)), last.key];
      behind.clear();
    }
    for (const [key] of rows.slice(last ? rows.findIndex(([key]) => key === last.key) + 1 : 0))
      behind.add(key);
  }
  // a cursor from here would lead to the same page again
  if (behind.size >= scanLimit)
    throw new CaError(
      "damaged",
      `the next ${behind.size} stored certificates were altered in the storage; search beyond them, by not_after_from or another index`,
    );
  return { hits, cursor: at ? writeCursor(at, tag) : "" };
}

type Position = readonly [value: string | number, key: string];
/**
 * The index that leaves the fewest rows: first name, role, expiry, issuer; without any of them all,
 * by expiry.
 */
function pageOf({ name, role, from, to, issuer }: Query): NonNullable<Page["by"]> {
  if (name !== "") return { name: "name", from: name, to: `${name}\uffff` };
  if (role !== "") return { name: "role", from: role, to: role };
  if (from !== undefined || to !== undefined || issuer === "")
    return {
      name: "not_after",
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
  return { name: "issuer", from: issuer, to: issuer };
}
const after = (by: NonNullable<Page["by"]>, at: Position | undefined, limit: number): Page => ({
  limit,
  by: at ? { ...by, after: at } : by,
});
function indexValue(
  by: NonNullable<Page["by"]>["name"],
  row: CertRow,
  certificate: Certificate,
): string | number {
  return by === "not_after"
    ? certificate.notAfter
    : by === "role"
      ? row.role
      : by === "issuer"
        ? row.issuer
        : nameKey(firstName(certificate));
}

/**
 * Those of the rows that fit, in their order. What is cheap to tell is asked first: few
 * certificates are taken apart that do not fit.
 */
async function fitting(
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
  const names = certificateNames(parseCertificate(der));
  const other = names.other.map(({ value }) => value);
  return [...names.common, ...names.dns, ...names.email, ...names.ip, ...names.uri, ...other].some(
    (name) => lowerAscii(name).includes(san),
  );
}

/**
 * Whether a value is of the kind and in the range of an index: a cursor of another search is not.
 */
const liesIn = ({ name, from, to }: NonNullable<Page["by"]>, value: string | number): boolean =>
  (name === "not_after") === (typeof value === "number") &&
  (from === undefined || value >= from) &&
  (to === undefined || value <= to);
/**
 * What tells the cursors of one search from those of another. The expiry window is not part of it:
 * one that ends "in 30 days" moves between two pages.
 */
const tagOf = ({ name, issuer, role, state, san }: Query): string =>
  toHex(sha1(utf8(JSON.stringify([name, issuer, role, state, san]))).subarray(0, 8));
const writeCursor = ([value, key]: Position, tag: string): string =>
  toBase64Url(utf8(JSON.stringify([value, key, tag])));
/**
 * Above the longest cursor that is given: a first name of 253 control characters, six bytes each.
 */
const longestCursor = 4096;
function readCursor(
  cursor: string,
  by: NonNullable<Page["by"]>,
  tag: string,
): Position | undefined {
  if (cursor === "") return undefined;
  try {
    const at: unknown =
      cursor.length > longestCursor
        ? undefined
        : JSON.parse(fromUtf8(fromBase64Url(cursor) ?? new Uint8Array()));
    if (
      Array.isArray(at) &&
      at.length === 3 &&
      at[2] === tag &&
      (typeof at[0] === "string" || Number.isSafeInteger(at[0])) &&
      typeof at[1] === "string" &&
      at[1].startsWith(below.certs) &&
      /^[0-9a-f]{1,64}$/.test(at[1].slice(below.certs.length)) &&
      liesIn(by, at[0] as string | number)
    )
      return [at[0] as string | number, at[1]];
  } catch {
    // told below
  }
  throw new CaError("malformed", "the cursor is none that this authority gave");
}
