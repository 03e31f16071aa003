/**
 * Parses an integer with an optional sign and base prefix, such as 31, 0x1f, 0b1, 0o17 or 017.
 * Returns 0 for an empty string, and NaN for a malformed string.
 */
export function parseIntegerText(text: string): number {
  if (text === "") return 0;
  const match = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(text);
  if (!match) return NaN;
  const digits = match[2] ?? "";
  const value = /^0[0-7]/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return match[1] === "-" ? -value : value;
}
