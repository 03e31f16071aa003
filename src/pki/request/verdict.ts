import { matchesGlob } from "../../base/glob.ts";
import { hasControlCharacter, lowerAscii } from "../../base/names.ts";
import { refuse, type Verdict } from "./names.ts";

/** Says whether a URI matches one of the role's `allowed_uri_sans`. */
export function uriVerdict(allowed: readonly string[], uri: string): Verdict {
  return listVerdict("allowed_uri_sans", uri, allowed, (entry) => matchesGlob(entry, uri));
}

/**
 * Says whether a subject serial number equals or matches one of the role's
 * `allowed_serial_numbers`.
 */
export function subjectSerialVerdict(allowed: readonly string[], serial: string): Verdict {
  return listVerdict("allowed_serial_numbers", serial, allowed, (entry) =>
    matchesGlob(entry, serial),
  );
}

/** Says whether a user id equals (in any case) or matches one of the role's `allowed_user_ids`. */
export function userIdVerdict(allowed: readonly string[], userId: string): Verdict {
  return listVerdict("allowed_user_ids", userId, allowed, (entry) =>
    entry.includes("*") ? matchesGlob(entry, userId) : sameIgnoringCase(entry, userId),
  );
}

function listVerdict(
  rule: string,
  value: string,
  allowed: readonly string[],
  fits: (entry: string) => boolean,
): Verdict {
  if (hasControlCharacter(value)) return refuse("control character");
  return { allowed: allowed.some((entry) => entry !== "" && fits(entry)), rule };
}

function sameIgnoringCase(one: string, other: string): boolean {
  return one.length === other.length && lowerAscii(one) === lowerAscii(other);
}
