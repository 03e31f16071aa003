import type { Page } from "../../engine/ports.ts";
import { nameKey, type CertRow } from "../../engine/records.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { firstName } from "../request/template.ts";

/** What a search asks for; the name as its index holds it. */
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
  /** Of ACME. */
  readonly account: string;
  readonly san: string;
  /** SHA-256 of a certificate or of its key, hexadecimal; "" for any. */
  readonly print: string;
}
/** A row in the order of an index. */
export type Position = readonly [value: string | number, key: string];
/** The part of an index that is searched. */
export type Span = NonNullable<Page["by"]>;

/**
 * The index that leaves the fewest rows: first name, account, role, expiry, issuer, source; without
 * any of them all, by expiry.
 */
export function pageOf({ name, role, from, to, issuer, source, account }: Query): Span {
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
/** The rows after a position. */
export const pageAfter = (by: Span, at: Position | undefined, limit: number): Page => ({
  limit,
  by: at ? { ...by, after: at } : by,
});
/** The value of a certificate in an index. */
export function indexValue(
  by: Span["name"],
  row: CertRow,
  certificate: Certificate,
): string | number {
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
