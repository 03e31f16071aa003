/** What the keys begin with of the rows that hold the last number of each log of a store. */
export const lastNumbers = "logged/";
/** Key of the entry `n` of the log below `prefix`. */
export const logKey = (prefix: string, n: number): string => prefix + String(n).padStart(12, "0");
/** Key of the row that holds the last number that the log below `prefix` gave. */
export const lastKey = (prefix: string): string => `${lastNumbers}${prefix}`;
/** The number that such a row holds; 0 where there is none. */
export const lastNumber = (value: unknown): number => (typeof value === "number" ? value : 0);
