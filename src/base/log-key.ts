/** What the keys begin with of the rows that hold the last number of each log of a store. */
export const lastNumbers = "logged/";
