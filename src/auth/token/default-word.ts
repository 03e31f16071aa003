import { type FieldKind, fieldKind, readText } from "../../wire/field.ts";

/** A choice of words; "" means the default, which some clients send instead of nothing. */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
