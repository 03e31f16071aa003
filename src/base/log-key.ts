/** Key prefix of the rows with the last number of each log of a store. */
export const lastNumberPrefix = "logged/";
/** Key of the entry `n` of the log below `prefix`. */
export const logKey = (prefix: string, n: number): string => prefix + String(n).padStart(12, "0");
/** Returns the key of the row with the last number of the log below `prefix`. */
export const lastNumberKey = (prefix: string): string => `${lastNumberPrefix}${prefix}`;
/** Parses the number of such a row; 0 without one. */
export const parseLastNumber = (value: unknown): number => (typeof value === "number" ? value : 0);
