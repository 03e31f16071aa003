/**
 * The dialect of a call, which depends on the header that carries the token (D 1). It determines
 * how responses are formatted, and handlers make some decisions based on its name. Stored rows
 * never depend on it.
 */
export interface Dialect {
  readonly name: "documented" | "compat" | "library";
  readonly expiration: "text" | "number";
  readonly warnings: "text" | "list";
  readonly durations: "text" | "number";
  /**
   * Whether an unknown field causes an error, or is ignored with a warning, which existing clients
   * expect.
   */
  readonly unknownFields: "reject" | "warn";
  /**
   * Whether errors have the status that existing clients expect, if the error table contains a
   * separate status for them.
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
 * are rejected instead of capped.
 */
export const library: Dialect = {
  ...documented,
  name: "library",
  expiration: "number",
  warnings: "list",
  durations: "number",
};
