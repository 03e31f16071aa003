/**
 * The dialect of a call, which depends on the header that carries the token (D 1): how responses
 * are formatted and, by its name, some decisions of handlers. Stored rows never depend on it.
 */
export interface Dialect {
  readonly name: "documented" | "compat" | "library";
  readonly expiration: "text" | "number";
  readonly warnings: "text" | "list";
  readonly durations: "text" | "number";
  /**
   * Whether an unknown field is an error, or is ignored with a warning, as existing clients expect.
   */
  readonly unknownFields: "reject" | "warn";
  /**
   * Whether errors have the status that existing clients expect, where the table of errors has a
   * different one for them.
   */
  readonly compatStatus: boolean;
}

/** The dialect that the documentation shows. */
export const documented: Dialect = {
  name: "documented",
  expiration: "text",
  warnings: "text",
  durations: "text",
  unknownFields: "reject",
  compatStatus: false,
};
/** The dialect for existing clients, and for protocols that have no dialects. */
export const compat: Dialect = {
  name: "compat",
  expiration: "number",
  warnings: "list",
  durations: "number",
  unknownFields: "warn",
  compatStatus: true,
};
/**
 * The dialect of the typed library: responses contain numbers and arrays, and values above a limit
 * are rejected rather than capped.
 */
export const library: Dialect = {
  ...documented,
  name: "library",
  expiration: "number",
  warnings: "list",
  durations: "number",
};
