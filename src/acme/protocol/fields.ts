import { parseInstant } from "../../base/duration.ts";
import { fieldKind, unfitValue } from "../../wire/field.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

/**
 * Returns the members of a payload that are set. JSON encoders of some languages write every
 * member, so `null` and the empty string count as absent.
 */
export const setMembers = (members: JsonMembers): JsonMembers =>
  Object.fromEntries(Object.entries(members).filter(([, one]) => one !== null && one !== ""));

/** The zero time of Go in Unix seconds, which Go's JSON encoder writes for an unset time. */
const zeroTime = parseInstant("0001-01-01T00:00:00Z");
function isZeroTime(text: string): boolean {
  try {
    return parseInstant(text) === zeroTime;
  } catch {
    // the field's parser rejects it
    return false;
  }
}
/** A time (RFC 3339), unparsed, or undefined for Go's zero time. */
export const exactTime = fieldKind<string | undefined>({ type: "string" }, (raw) =>
  typeof raw === "string" ? (isZeroTime(raw) ? undefined : raw) : unfitValue("expected a string"),
);

/** Any JSON value, which the handler checks. */
export const anyJson = fieldKind<unknown>({}, (raw) => raw);
/** A string; numbers are rejected. */
export const exactText = fieldKind<string>({ type: "string" }, (raw) =>
  typeof raw === "string" ? raw : unfitValue("expected a string"),
);
/** `true` or `false` only. */
export const exactFlag = fieldKind<boolean>({ type: "boolean" }, (raw) =>
  typeof raw === "boolean" ? raw : unfitValue("expected true or false"),
);
