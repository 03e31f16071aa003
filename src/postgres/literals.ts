/** Returns ASCII text, such as a key, as a `bytea` for a statement. */
export const toBytes = (text: string): Buffer => Buffer.from(text, "latin1");

/** Returns the literal of an array of numbers or booleans. */
export const toArray = (values: readonly (number | boolean | undefined)[]): string =>
  `{${values.map((value) => value ?? "NULL").join()}}`;

/** Returns the literal of an array of `bytea` with ASCII texts. */
export const toBytesArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"\\\\x${toBytes(text).toString("hex")}"`).join()}}`;

/** Returns the literal of an array of texts that consist of letters and `_`. */
export const toTextArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text}"`).join()}}`;

/** Returns the bytes of a `bytea` in an answer. */
export const fromBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");

/** Returns the ASCII text of a `bytea` in an answer. */
export const fromKey = (hex: string): string => fromBytes(hex).toString("latin1");
