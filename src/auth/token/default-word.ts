import { type FieldKind, fieldKind, readText } from "../../wire/field.ts";

/** A choice of words in which "", sent by some clients, means the default. */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
