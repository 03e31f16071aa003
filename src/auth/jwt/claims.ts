import { compileGlob } from "../../base/glob.ts";
import { JwtFault } from "../../jose/compact.ts";
import { isMembers, type JsonMembers } from "../../jose/jwk.ts";

/**
 * Returns a claim by name, or by JSON pointer (RFC 6901) if the name begins with a slash. Returns
 * undefined if the claim is absent.
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

/** Converts a string, number or boolean to a string. Returns undefined for other values. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
/** Returns an array unchanged, and any other value as the only item of an array. */
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Tolerated clock skews of a role in seconds. 0 means the default, and a negative value means none.
 */
export interface Leeways {
  readonly expiration_leeway: number;
  readonly not_before_leeway: number;
  readonly clock_skew_leeway: number;
  /** Maximum time since `auth_time` in seconds; 0 means unlimited. */
  readonly max_age: number;
}
const or = (leeway: number, usual: number): number => (leeway === 0 ? usual : Math.max(leeway, 0));

/**
 * Returns a time claim in Unix seconds, or undefined if it is absent. Throws {@link JwtFault} if it
 * is not a number.
 */
function timeOf(claims: JsonMembers, name: string): number | undefined {
  const value = ownOf(claims, name);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0) || value > 2 ** 40)
    throw new JwtFault(`the ${name} claim is not a valid time`);
  return value;
}

/**
 * Validates the time claims of a token. `now` is in Unix seconds. The token must have at least one
 * of `exp`, `nbf` and `iat`. Missing times are derived: by default, a token expires 150 seconds
 * after it becomes valid, and becomes valid 150 seconds before it expires. The default clock skew
 * is one minute. Throws {@link JwtFault}.
 */
export function validateTimes(claims: JsonMembers, leeways: Leeways, now: number): void {
  const [exp, nbf, iat] = ["exp", "nbf", "iat"].map((name) => timeOf(claims, name));
  if (exp === undefined && nbf === undefined && iat === undefined)
    throw new JwtFault("the token must have an exp, nbf or iat claim");
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
    throw new JwtFault(
      "the user authenticated longer ago than max_age allows, or the token has no auth_time claim",
    );
}

/** Returns the audiences of a token (RFC 7519 section 4.1.3). Throws {@link JwtFault}. */
export function audiencesOf(claims: JsonMembers): readonly string[] {
  const value = ownOf(claims, "aud");
  if (value === undefined) return [];
  const all = asList(value);
  if (!all.every((one) => typeof one === "string"))
    throw new JwtFault("the aud claim must be a string or an array of strings");
  return all;
}

/**
 * Requires that each bound claim has one of the values that the role accepts, or is an array that
 * contains one. If `globs` is true, the accepted values are patterns in which `*` matches any
 * string. Throws {@link JwtFault} with the name of the claim.
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
/** Returns the user name from a claim. Throws {@link JwtFault} if it is missing or not usable. */
export function nameIn(claims: JsonMembers, claim: string, isPointer: boolean): string {
  const value = isPointer ? claimAt(claims, claim) : ownOf(claims, claim);
  if (value === undefined) throw new JwtFault(`claim "${claim}" not found in token`);
  if (typeof value !== "string" || value === "")
    throw new JwtFault(`claim "${claim}" could not be converted to string`);
  if (value.length > maxNameLength)
    throw new JwtFault(`claim "${claim}" is longer than ${maxNameLength} characters`);
  return value;
}

/**
 * Returns the group names from a claim, or none if no claim is configured. Throws {@link JwtFault}
 * if the claim is missing or malformed.
 */
export function groupsIn(claims: JsonMembers, claim: string): readonly string[] {
  if (claim === "") return [];
  const value = claimAt(claims, claim);
  if (value === undefined) throw new JwtFault(`"${claim}" claim not found in token`);
  const groups = asList(value);
  if (!groups.every((one) => typeof one === "string" && one !== "" && one.length <= maxNameLength))
    throw new JwtFault(`"${claim}" claim could not be converted to string list`);
  return [...new Set(groups.map(String))];
}

/** Returns the metadata that a role copies from claims. Ignores absent claims. */
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
