import { type FieldKind, fieldKind, readText } from "../../wire/field.ts";

/**
 * Declares a string field in which the empty string, which some clients send, means the default.
 */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
