import type { IssueFields } from "../../api/certificates.ts";
import type { Role } from "../../lib/role.ts";
import { clean, fieldsOf } from "../../lib/request-fields.ts";
import { kindOf } from "../../lib/verdict.ts";
import { seconds } from "../../lib/durations.ts";

/** A requested lifetime: one of the options, or a custom lifetime. */
export interface Lifetime {
  /** A duration, empty for the role's default, or `own` or `until` for a custom value. */
  readonly choice: string;
  /** A custom duration, such as `36h` or `45d`. */
  readonly own: string;
  /** The last day, such as `2027-02-01`. */
  readonly until: string;
}
export const usualLifetime: Lifetime = { choice: "", own: "", until: "" };

/** Returns why a custom lifetime is invalid, or an empty string if it is valid. */
export function wrongLifetime({ choice, own, until }: Lifetime, now: Date): string {
  if (choice === "own")
    return (seconds(own) ?? 0) > 0 ? "" : "Enter a number and a unit, such as 36h, 45d or 1h30m";
  if (choice !== "until") return "";
  const end = Date.parse(`${until}T23:59:59Z`);
  if (Number.isNaN(end)) return "Choose a date";
  return end > now.getTime() ? "" : "Choose a future date";
}

/** Returns the lifetime as request fields. */
export function lifetimeFields({
  choice,
  own,
  until,
}: Lifetime): Pick<IssueFields, "ttl" | "not_after"> {
  if (choice === "own") return { ttl: `${seconds(own) ?? 0}s` };
  if (choice === "until") return { not_after: `${until}T23:59:59Z` };
  return choice === "" ? {} : { ttl: choice };
}

/** Returns the lifetime as a duration, for the page's own checks. */
export function lifetimeText({ choice, own, until }: Lifetime, now: Date): string {
  if (choice === "own") return own;
  if (choice !== "until") return choice;
  return `${Math.max(0, Math.floor((Date.parse(`${until}T23:59:59Z`) - now.getTime()) / 1000))}s`;
}

/** The subject fields of the form. */
export interface Subject {
  /** The common name. If empty, the first name is used. */
  readonly commonName: string;
  /** Whether to exclude the common name from the alternative names. */
  readonly alone: boolean;
  readonly serial: string;
  /** User IDs, one per line. */
  readonly users: string;
}
export const noSubject: Subject = { commonName: "", alone: false, serial: "", users: "" };

/** The names and the subject of a request, as API fields. */
type RequestFields = Pick<
  IssueFields,
  | "common_name"
  | "alt_names"
  | "ip_sans"
  | "uri_sans"
  | "exclude_cn_from_sans"
  | "serial_number"
  | "user_ids"
>;

/** Returns the request fields for the names and the subject. */
export function namesAndSubject(
  typed: readonly string[],
  { commonName, alone, serial, users }: Subject,
): RequestFields {
  const { common_name: first, alt_names: rest, ...others } = fieldsOf(typed);
  const own = commonName.trim();
  const alternative = own === "" ? rest : [first, rest].filter(Boolean).join(",");
  const common = own || first;
  const ids = users.split(/[\n,]/).flatMap((id) => id.trim() || []);
  return {
    ...(common !== undefined && { common_name: common }),
    ...(alternative && { alt_names: alternative }),
    ...others,
    ...(alone && { exclude_cn_from_sans: true }),
    ...(serial.trim() && { serial_number: serial.trim() }),
    ...(ids.length > 0 && { user_ids: ids }),
  };
}

/** Returns the common name and all alternative names in a request. */
export function requestedNames(
  typed: readonly string[],
  { commonName, alone }: Subject,
): { readonly commonName: string; readonly names: readonly string[] } {
  const names = clean(typed);
  const common = commonName.trim() || (names.find((name) => kindOf(name) === "name") ?? "");
  const isName = /^[^\s]+\.[^\s]+$|@/.test(common);
  const all = clean(isName && !alone ? [common, ...names] : names);
  return { commonName: common, names: alone ? all.filter((name) => name !== common) : all };
}

/**
 * Returns the fields of `sign` for a CSR that the page generated. Omits fields that the role takes
 * from the CSR.
 */
export function besideRequest(role: Role, fields: RequestFields): RequestFields {
  const { common_name: common, alt_names: names, ip_sans: ips, uri_sans: uris, ...rest } = fields;
  return {
    ...(role.use_csr_common_name === false && common !== undefined && { common_name: common }),
    ...(role.use_csr_sans === false && {
      ...(names !== undefined && { alt_names: names }),
      ...(ips !== undefined && { ip_sans: ips }),
      ...(uris !== undefined && { uri_sans: uris }),
    }),
    ...rest,
  };
}
