/** What the keys begin with of the rows that hold the last number of each log of a store. */
export const lastNumberPrefix = "logged/";
/** Key of the entry `n` of the log below `prefix`. */
export const logKey = (prefix: string, n: number): string => prefix + String(n).padStart(12, "0");
/** Key of the row that holds the last number that the log below `prefix` gave. */
export const lastNumberKey = (prefix: string): string => `${lastNumberPrefix}${prefix}`;
/** The number that such a row holds; 0 where there is none. */
export const parseLastNumber = (value: unknown): number => (typeof value === "number" ? value : 0);
