import { parseInstant } from "../../base/duration.ts";
import { fieldKind } from "../../wire/field.ts";
import { unfitValue } from "../../wire/read-value.ts";
import type { JsonMembers } from "../../jose/jwk.ts";

/**
 * The members of a payload that its client has set. Encoders of some languages write every member
 * of a record: `null` and the empty text stand for members that are absent.
 */
export const setMembers = (members: JsonMembers): JsonMembers =>
  Object.fromEntries(Object.entries(members).filter(([, one]) => one !== null && one !== ""));

/** The zero value of times in Go, Unix seconds, which its encoder writes for a time not set. */
const zeroTime = parseInstant("0001-01-01T00:00:00Z");
function isZeroTime(text: string): boolean {
  try {
    return parseInstant(text) === zeroTime;
  } catch {
    // the reader of the field refuses it
    return false;
  }
}
/** A time, RFC 3339, which its reader parses; undefined for the zero time in any spelling. */
export const exactTime = fieldKind<string | undefined>({ type: "string" }, (raw) =>
  typeof raw === "string" ? (isZeroTime(raw) ? undefined : raw) : unfitValue("expected a string"),
);

/** A JSON value of any kind, which its reader judges. */
export const anyJson = fieldKind<unknown>({}, (raw) => raw);
/** A text and nothing else: a number is none. */
export const exactText = fieldKind<string>({ type: "string" }, (raw) =>
  typeof raw === "string" ? raw : unfitValue("expected a string"),
);
/** `true` or `false` and nothing else. */
export const exactFlag = fieldKind<boolean>({ type: "boolean" }, (raw) =>
  typeof raw === "boolean" ? raw : unfitValue("expected true or false"),
);
