/** Splits hexadecimal digits into groups of four. */
export const groups = (hex: string): string => (hex.match(/.{1,4}/g) ?? []).join(" ");

/** Removes colons, hyphens and spaces from hexadecimal digits, and converts them to lowercase. */
export const bareHex = (text: string): string => text.replace(/[\s:-]/g, "").toLowerCase();

/** Formats hexadecimal digits as the API formats serial numbers: `4f:61:d6:7d`. */
export const colons = (hex: string): string => (bareHex(hex).match(/../g) ?? []).join(":");
