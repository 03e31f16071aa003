import { keyTypeDoc, keyTypes } from "../../algorithms/table.ts";
import type { KeyRow } from "../../engine/records.ts";
import { text } from "../../wire/field.ts";

/** What is answered of a key. */
export const keyReply = {
  key_id: text.required("Its id."),
  key_name: text.required("Its name, or empty."),
  key_type: text.required(`${keyTypeDoc}.`, keyTypes),
} as const;
/** A key in that form. */
export const keyOutput = (row: KeyRow) => ({
  key_id: row.id as string,
  key_name: row.name,
  key_type: row.type as string,
});
