import { kind } from "../../wire/field-kind.ts";
import { unfit } from "../../wire/read-value.ts";

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
/** A list of texts and nothing else. */
export const exactTexts = kind<readonly string[]>(
  { type: "array", items: { type: "string" } },
  (raw) =>
    Array.isArray(raw) && raw.every((one) => typeof one === "string")
      ? raw
      : unfit("expected a list of strings"),
);
