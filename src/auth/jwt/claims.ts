import { compileGlob } from "../../base/glob.ts";
import { JwtFault } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Returns a claim by name, or by JSON pointer (RFC 6901) if the name begins with a slash; undefined
 * if absent.
 */
export const claimAt = (claims: JsonMembers, name: string): unknown =>
  name.startsWith("/") ? atPointer(claims, name) : ownOf(claims, name);
const ownOf = (from: JsonMembers, name: string): unknown =>
  Object.hasOwn(from, name) ? from[name] : undefined;

/** Returns the value at a JSON pointer. */
function atPointer(claims: JsonMembers, pointer: string): unknown {
  let at: unknown = claims;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isMembers(at)) at = ownOf(at, name);
    else if (Array.isArray(at) && /^(?:0|[1-9]\d{0,5})$/.test(name)) at = at[Number(name)];
    else return undefined;
  }
  return at;
}

/** Returns a text, number or boolean as text; undefined for other values. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
/** Returns a value as a list; a single value becomes a list with one item. */
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Allowed clock skews in seconds; 0: the default, negative: none. */
export interface Leeways {
  readonly expiration_leeway: number;
  readonly not_before_leeway: number;
  readonly clock_skew_leeway: number;
  /** Maximum seconds since `auth_time`; 0: unlimited. */
  readonly max_age: number;
}
const or = (leeway: number, usual: number): number => (leeway === 0 ? usual : Math.max(leeway, 0));

/** Returns a time claim, Unix seconds; undefined if absent. Throws {@link JwtFault}. */
function timeOf(claims: JsonMembers, name: string): number | undefined {
  const value = ownOf(claims, name);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0) || value > 2 ** 40)
    throw new JwtFault(`the claim ${name} is not a valid time`);
  return value;
}

/**
 * Validates the times of a token at `now`, Unix seconds. It needs one of `exp`, `nbf` and `iat`;
 * missing ones are derived: it expires 150 seconds after its start, or starts 150 seconds before
 * its expiry. Allows clock skew of a minute by default. Throws {@link JwtFault}.
 */
export function validateTimes(claims: JsonMembers, leeways: Leeways, now: number): void {
  const [exp, nbf, iat] = ["exp", "nbf", "iat"].map((name) => timeOf(claims, name));
  if (exp === undefined && nbf === undefined && iat === undefined)
    throw new JwtFault("the token has none of the claims exp, nbf and iat");
  const end = exp ?? Math.max(nbf ?? 0, iat ?? 0) + or(leeways.expiration_leeway, 150);
  const begin = nbf ?? iat ?? end - or(leeways.not_before_leeway, 150);
  const skew = or(leeways.clock_skew_leeway, 60);
  if (now >= end + skew) throw new JwtFault("the token is expired");
  if (now < begin - skew) throw new JwtFault("the token is not yet valid (nbf)");
  if (iat !== undefined && now < iat - skew)
    throw new JwtFault("the token was issued in the future (iat)");
  if (leeways.max_age <= 0) return;
  const authenticated = timeOf(claims, "auth_time");
  if (authenticated === undefined || now > authenticated + leeways.max_age + skew)
    throw new JwtFault("the user was authenticated too long ago (auth_time)");
}

/** Returns the audiences of a token (RFC 7519 section 4.1.3). Throws {@link JwtFault}. */
export function audiencesOf(claims: JsonMembers): readonly string[] {
  const value = ownOf(claims, "aud");
  if (value === undefined) return [];
  const all = asList(value);
  if (!all.every((one) => typeof one === "string"))
    throw new JwtFault("the claim aud is neither a text nor a list of texts");
  return all;
}

/**
 * Checks that each bound claim has one of its bound values, directly or as an item of a list; with
 * `globs`, texts are patterns with `*`. Throws {@link JwtFault}, which names the claim.
 */
export function validateBoundClaims(
  claims: JsonMembers,
  bound: Readonly<Record<string, unknown>>,
  globs: boolean,
): void {
  for (const [name, expected] of Object.entries(bound)) {
    const actual = claimAt(claims, name);
    if (actual === undefined || actual === null) throw new JwtFault(`claim "${name}" is missing`);
    const tests = asList(expected).map((one) => testOf(one, globs));
    if (!asList(actual).some((value) => tests.some((test) => test(value))))
      throw new JwtFault(`claim "${name}" does not match any associated bound claim values`);
  }
}
function testOf(expected: unknown, globs: boolean): (value: unknown) => boolean {
  if (!globs || typeof expected !== "string") return (value) => value === expected;
  const matches = compileGlob(expected);
  return (value) => typeof value === "string" && matches(value);
}

/** Maximum length of a user or group name in a token. */
const maxNameLength = 512;
/** Returns the claim with the user name. Throws {@link JwtFault}. */
export function nameIn(claims: JsonMembers, claim: string, isPointer: boolean): string {
  const value = isPointer ? atPointer(claims, claim) : ownOf(claims, claim);
  if (value === undefined) throw new JwtFault(`claim "${claim}" not found in token`);
  if (typeof value !== "string" || value === "")
    throw new JwtFault(`claim "${claim}" could not be converted to string`);
  if (value.length > maxNameLength)
    throw new JwtFault(`claim "${claim}" is longer than ${maxNameLength} characters`);
  return value;
}

/** Returns the group names in a claim; empty if no claim is configured. Throws {@link JwtFault}. */
export function groupsIn(claims: JsonMembers, claim: string): readonly string[] {
  if (claim === "") return [];
  const value = claimAt(claims, claim);
  if (value === undefined) throw new JwtFault(`"${claim}" claim not found in token`);
  const groups = asList(value);
  if (!groups.every((one) => typeof one === "string" && one !== "" && one.length <= maxNameLength))
    throw new JwtFault(`"${claim}" claim could not be converted to string list`);
  return [...new Set(groups.map(String))];
}

/** Returns the metadata of a token from its mapped claims; absent claims add none. */
export function metadataIn(
  claims: JsonMembers,
  mappings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(mappings).flatMap(([claim, name]) => {
      const value = claimAt(claims, claim);
      if (value === undefined) return [];
      const text = textOf(value);
      if (text === undefined)
        throw new JwtFault(`claim "${claim}" could not be converted to string`);
      return [[name, text.slice(0, maxNameLength)] as const];
    }),
  );
}
