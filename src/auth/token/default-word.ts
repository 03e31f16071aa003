import { type FieldKind, fieldKind } from "../../wire/field.ts";
import { readText } from "../../wire/read-value.ts";

/** One of several words; clients whose types know no absence send "" for the default. */
export const textOrDefault = (standard: string): FieldKind<string> =>
  fieldKind({ type: "string" }, (raw) => readText(raw) || standard);
