import { parseInstant } from "../../base/duration.ts";
import { kind } from "../../wire/field.ts";
import { unfit } from "../../wire/read-value.ts";
import type { Members } from "../../jose/jwk.ts";

/**
 * The members of a payload that its client has set. Encoders of some languages write every member
 * of a record: `null` and the empty text stand for members that are absent.
 */
export const setMembers = (members: Members): Members =>
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
export const exactTime = kind<string | undefined>({ type: "string" }, (raw) =>
  typeof raw === "string" ? (isZeroTime(raw) ? undefined : raw) : unfit("expected a string"),
);

/** A JSON value of any kind, which its reader judges. */
export const anything = kind<unknown>({}, (raw) => raw);
/** A text and nothing else: a number is none. */
export const exactText = kind<string>({ type: "string" }, (raw) =>
  typeof raw === "string" ? raw : unfit("expected a string"),
);
/** `true` or `false` and nothing else. */
export const exactFlag = kind<boolean>({ type: "boolean" }, (raw) =>
  typeof raw === "boolean" ? raw : unfit("expected true or false"),
);
