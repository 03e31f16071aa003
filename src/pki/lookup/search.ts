import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, nameKey } from "../../engine/records.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { int, list, records, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { findIssuer } from "../issuer/issuer.ts";
import { detail, detailOf, intact, limitOf, serialOf } from "./cert-detail.ts";
import { readCursor, tagOf, writeCursor } from "./search-cursor.ts";
import { fitting, type State } from "./search-filter.ts";
import { after, indexValue, pageOf, type Query } from "./search-index.ts";

const found = { ...detail, state: text.required("`valid`, `expired` or `revoked`.") } as const;

/** How many rows one page may look at: what a filter leaves over goes on in the next page. */
const scanLimit = 2500;
const step = 250;

export const searchCerts = endpoint({
  id: "searchCerts",
  at: ["LIST /certs/search"],
  access: "token",
  style: envelope,
  doc: "Searches the stored certificates by name prefix, issuer, role or expiry, filtered by state and any name. Send `cursor` to get the next page.",
  body: {
    name: text.default(
      "",
      "Prefix of the name that the certificate is indexed by: the first DNS name (in ASCII form), else mail address, IP address or URI of its alternative names; without any of these the common name, else another name. The index holds 253 octets of it and ignores the case of ASCII letters. Use `san` to search all names.",
    ),
    issuer: text.default("", "The issuer: an id, a name, or `default`."),
    role: text.default("", "Name of the role."),
    not_after_from: int.optional("Earliest end of validity, Unix seconds."),
    not_after_to: int.optional("Latest end of validity, Unix seconds."),
    state: text.default("", "`valid`, `expired` or `revoked`."),
    san: text.default(
      "",
      "Text that one of the names contains; the case of ASCII letters is ignored.",
    ),
    cursor: text.default("", "The `cursor` of the previous page."),
    limit: int.default(0, "Most certificates to return; 0 for 100."),
  },
  reply: {
    keys: list.required("Serial numbers with colons, in the order of the index that was used."),
    key_info: records(found).required("Details of each, by serial number."),
    cursor: text.required("Send this to get the next page; empty on the last page."),
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
      `the next ${behind.size} stored certificates were altered in the storage; skip them with not_after_from, or search by another index`,
    );
  return { hits, cursor: at ? writeCursor(at, tag) : "" };
}
