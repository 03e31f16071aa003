import type { Page } from "../../engine/ports.ts";
import { nameKey, newestValue, type CertRow } from "../rows/records.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { firstName } from "../request/template.ts";

/** A search, with `name` in the form of the `name` index. */
export interface Query {
  readonly name: string;
  readonly issuer: string;
  readonly role: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly beginsFrom: number | undefined;
  readonly beginsTo: number | undefined;
  readonly state: string;
  /** `acme`, `api`, or "" for both. */
  readonly source: string;
  /** ID of an ACME account; "" for any. */
  readonly account: string;
  readonly san: string;
  /** SHA-256 of a certificate or its SubjectPublicKeyInfo, hexadecimal; "" for any. */
  readonly print: string;
  /** `newest` for the latest notBefore first, or "" for the order of the most selective index. */
  readonly order: "" | "newest";
}
/** The position of a row in an index. */
export type Position = readonly [value: string | number, key: string];
/** The part of an index that a search reads. */
export type Span = NonNullable<Page["by"]>;

/** Returns the part of the `newest` index, by notBefore, that a search reads. */
const newestPage = ({ beginsFrom, beginsTo }: Query): Span => ({
  name: "newest",
  ...(beginsTo === undefined ? {} : { from: newestValue(beginsTo) }),
  ...(beginsFrom === undefined ? {} : { to: newestValue(beginsFrom) }),
});
/**
 * Returns the part of an index that a search reads. The index is that of the requested order, or
 * else the most selective one of name, account, role, expiry, issuer and source. A search without
 * criteria reads all rows by expiry.
 */
export function pageOf(query: Query): Span {
  if (query.order === "newest") return newestPage(query);
  const { name, role, from, to, issuer, source, account } = query;
  if (name !== "") return { name: "name", from: name, to: `${name}\uffff` };
  if (account !== "") return { name: "acme", from: account, to: account };
  if (role !== "") return { name: "role", from: role, to: role };
  if (from === undefined && to === undefined && issuer === "" && source === "acme")
    return { name: "acme" };
  if (from !== undefined || to !== undefined || issuer === "")
    return {
      name: "not_after",
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
  return { name: "issuer", from: issuer, to: issuer };
}
/** Returns the store query for the rows after a position in an index. */
export const pageAfter = (by: Span, at: Position | undefined, limit: number): Page => ({
  limit,
  by: at ? { ...by, after: at } : by,
});
/** Returns the value that a certificate has in an index. */
export function indexValue(
  by: Span["name"],
  row: CertRow,
  certificate: Certificate,
): string | number {
  if (by === "newest") return newestValue(certificate.notBefore);
  return by === "not_after"
    ? certificate.notAfter
    : by === "role"
      ? row.role
      : by === "issuer"
        ? row.issuer
        : by === "acme"
          ? (row.acme?.account ?? "")
          : nameKey(firstName(certificate));
}
