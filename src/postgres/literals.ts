/** Encodes an ASCII string, such as a key, as a `bytea` parameter. */
export const toBytes = (text: string): Buffer => Buffer.from(text, "latin1");

/** Returns an array literal of numbers or booleans, with NULL for undefined. */
export const toArray = (values: readonly (number | boolean | undefined)[]): string =>
  `{${values.map((value) => value ?? "NULL").join()}}`;

/** Returns a `bytea` array literal of ASCII strings. */
export const toBytesArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"\\\\x${toBytes(text).toString("hex")}"`).join()}}`;

/** Returns a `text` array literal of strings that consist of letters and `_`. */
export const toTextArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text}"`).join()}}`;

/** Decodes a `bytea` in a result. */
export const fromBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** Decodes a `bytea` in a result that contains an ASCII string, such as a key. */
export const fromKey = (hex: string): string => fromBytes(hex).toString("latin1");
