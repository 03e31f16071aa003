// Made by `npm run generate`; what is changed here is lost.

/** The version of this package. */
export const version = "0.2.0";
