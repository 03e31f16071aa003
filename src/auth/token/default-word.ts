import { type FieldKind, fieldKind } from "../../wire/field.ts";
import { readText } from "../../wire/read-value.ts";

/** A choice of words; "" means the default, which some clients send instead of nothing. */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
