import { type FieldKind, fieldKind, readText } from "../../wire/field.ts";

/**
 * Declares a string field in which the empty string means the default, because some clients send
 * it.
 */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
