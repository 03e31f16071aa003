import { isOid } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import type { Policy } from "./template.ts";

const bad = (text: string) =>
  new CaError("role_violation", `policy_identifiers could not be parsed: ${text.slice(0, 256)}`);

/**
 * Parses certificate policies into their stored form: OIDs, and objects as compact JSON with the
 * members in the order oid, cps, notice (A 7.3). Accepts OIDs (also several in one string,
 * separated by commas), JSON objects, and one JSON array of objects. Throws `role_violation` if an
 * entry is malformed.
 */
export function readPolicies(list: readonly string[]): readonly string[] {
  const joined = list.join(",").trim();
  if (joined.startsWith("[")) return parsedArray(joined).map(stored);
  const entries = list
    .map((entry) => entry.trim())
    .flatMap((entry) =>
      entry.startsWith("{") ? [entry] : entry.split(",").map((one) => one.trim()),
    );
  return entries
    .filter((entry) => entry !== "")
    .map((entry) => (entry.startsWith("{") ? stored(parsed(entry)) : stored(entry)));
}
/** Normalizes policies for comparison: an object with only an OID equals that OID. */
export const policiesForm = (list: readonly string[]): readonly string[] =>
  readPolicies(list).map((entry) => /^\{"oid":"([\d.]+)"\}$/.exec(entry)?.[1] ?? entry);
/** Returns stored policies as they appear in a certificate template. */
export const policiesOf = (list: readonly string[]): readonly Policy[] =>
  // readPolicies normalized the entries, so one that begins with { is a JSON object with an `oid`
  // member
  list.map((entry) =>
    entry.startsWith("{") ? (JSON.parse(entry) as Exclude<Policy, string>) : entry,
  );

function stored(entry: unknown): string {
  if (typeof entry === "string" && isOid(entry)) return entry;
  if (typeof entry !== "object" || entry === null) throw bad(String(entry));
  const { oid, cps, notice } = entry as { readonly [name: string]: unknown };
  if (typeof oid !== "string" || !isOid(oid) || !isText(cps) || !isText(notice))
    throw bad(JSON.stringify(entry));
  // cPSuri is an IA5String (RFC 5280 section 4.2.1.4), so other characters could not be encoded
  if (!/^[\x20-\x7e]*$/.test(cps ?? "")) throw bad(JSON.stringify(entry));
  return JSON.stringify({ oid, ...(cps ? { cps } : {}), ...(notice ? { notice } : {}) });
}
const isText = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad(text);
  }
}
function parsedArray(text: string): readonly unknown[] {
  const value = parsed(text);
  return Array.isArray(value) ? value : [value];
}
