import type { IssueInput } from "../../src/client/pki.ts";
import { kindOf } from "./verdict.ts";

/** The API fields for the names in a request. */
type RequestedNames = {
  readonly [
    K in keyof Pick<IssueInput, "common_name" | "alt_names" | "ip_sans" | "uri_sans">
  ]?: string;
};

/** Trims names, and removes empty ones and duplicates. */
export const clean = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map((name) => name.trim()).filter(Boolean)),
];

/**
 * Returns names as request fields. The first host name or email address becomes the common name.
 */
export function fieldsOf(typed: readonly string[]): RequestedNames {
  const names = clean(typed);
  const uris = names.filter((name) => kindOf(name) === "uri");
  const addresses = names.filter((name) => kindOf(name) === "address");
  const [common, ...others] = names.filter((name) => kindOf(name) === "name");
  return {
    ...(common !== undefined && { common_name: common }),
    ...(others.length > 0 && { alt_names: others.join(",") }),
    ...(addresses.length > 0 && { ip_sans: addresses.join(",") }),
    ...(uris.length > 0 && { uri_sans: uris.join(",") }),
  };
}
