import { compileGlob } from "../../base/glob.ts";
import { JwtFault } from "../../jose/compact.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A claim by its name, or by a JSON pointer (RFC 6901) where the name begins with a slash;
 * undefined where there is none.
 */
export const claimAt = (claims: JsonMembers, name: string): unknown =>
  name.startsWith("/") ? atPointer(claims, name) : ownOf(claims, name);
const ownOf = (from: JsonMembers, name: string): unknown =>
  Object.hasOwn(from, name) ? from[name] : undefined;

/** What a JSON pointer leads to. */
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

/** A value as one text, where it is a text, a number or a flag. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
/** A value as a list: itself, or the one item of a list. */
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** How far clocks may differ, in seconds. 0 stands for the usual, below 0 for none. */
export interface Leeways {
  readonly expiration_leeway: number;
  readonly not_before_leeway: number;
  readonly clock_skew_leeway: number;
  /** Seconds since `auth_time` at most; 0: any. */
  readonly max_age: number;
}
const or = (leeway: number, usual: number): number => (leeway === 0 ? usual : Math.max(leeway, 0));

/** A time of the token, Unix seconds; undefined where it says none. Throws {@link JwtFault}. */
function timeOf(claims: JsonMembers, name: string): number | undefined {
  const value = ownOf(claims, name);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0) || value > 2 ** 40)
    throw new JwtFault(`the claim ${name} is no time`);
  return value;
}

/**
 * Judges the times of a token at `now`, Unix seconds. One of `exp`, `nbf` and `iat` must be there;
 * what is missing follows from the others: it ends 150 seconds after it began, or begins 150
 * seconds before it ends. Clocks may differ by a minute. Throws {@link JwtFault}.
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

/** The audiences of a token (RFC 7519 section 4.1.3). Throws {@link JwtFault}. */
export function audiencesOf(claims: JsonMembers): readonly string[] {
  const value = ownOf(claims, "aud");
  if (value === undefined) return [];
  const all = listed(value);
  if (!all.every((one) => typeof one === "string"))
    throw new JwtFault("the claim aud is neither a text nor a list of texts");
  return all;
}

/**
 * Whether each of these claims is there with one of the values bound to it, a value itself or an
 * item of a list; texts as patterns with `*` where `globs`. Throws {@link JwtFault}, which names
 * the claim that is not.
 */
export function validateBoundClaims(
  claims: JsonMembers,
  bound: Readonly<Record<string, unknown>>,
  globs: boolean,
): void {
  for (const [name, expected] of Object.entries(bound)) {
    const actual = claimAt(claims, name);
    if (actual === undefined || actual === null) throw new JwtFault(`claim "${name}" is missing`);
    const tests = listed(expected).map((one) => testOf(one, globs));
    if (!listed(actual).some((value) => tests.some((test) => test(value))))
      throw new JwtFault(`claim "${name}" does not match any associated bound claim values`);
  }
}
function testOf(expected: unknown, globs: boolean): (value: unknown) => boolean {
  if (!globs || typeof expected !== "string") return (value) => value === expected;
  const fits = compileGlob(expected);
  return (value) => typeof value === "string" && fits(value);
}

/** Characters of a name that a token gives to whoever logs in. */
const maxNameLength = 512;
/** A claim that names the user. Throws {@link JwtFault}. */
export function nameIn(claims: JsonMembers, claim: string, isPointer: boolean): string {
  const value = isPointer ? atPointer(claims, claim) : ownOf(claims, claim);
  if (value === undefined) throw new JwtFault(`claim "${claim}" not found in token`);
  if (typeof value !== "string" || value === "")
    throw new JwtFault(`claim "${claim}" could not be converted to string`);
  if (value.length > maxNameLength)
    throw new JwtFault(`claim "${claim}" is longer than ${maxNameLength} characters`);
  return value;
}

/** Names of groups in a claim; none where no claim was asked for. Throws {@link JwtFault}. */
export function groupsIn(claims: JsonMembers, claim: string): readonly string[] {
  if (claim === "") return [];
  const value = claimAt(claims, claim);
  if (value === undefined) throw new JwtFault(`"${claim}" claim not found in token`);
  const groups = listed(value);
  if (!groups.every((one) => typeof one === "string" && one !== "" && one.length <= maxNameLength))
    throw new JwtFault(`"${claim}" claim could not be converted to string list`);
  return [...new Set(groups.map(String))];
}

/** Metadata of a token by the claims that are mapped to it; what is not there gives none. */
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
