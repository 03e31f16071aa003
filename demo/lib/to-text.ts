/**
 * Converts a string, number or boolean from a response to a string. Returns `otherwise` for any
 * other value.
 */
export const toText = (value: unknown, otherwise = ""): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : otherwise;
