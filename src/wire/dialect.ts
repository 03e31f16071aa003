/**
 * The dialect selected by the header of the token (D 1): how replies are formatted, and, by its
 * name, some decisions of handlers. Stored rows never depend on it.
 */
export interface Dialect {
  readonly name: "documented" | "compat" | "library";
  readonly expiration: "text" | "number";
  readonly warnings: "text" | "list";
  readonly durations: "text" | "number";
  /** Whether unknown fields are an error, or ignored with a warning, as other clients expect. */
  readonly unknownFields: "reject" | "warn";
  /** Whether errors have the statuses that older clients expect, if the table has one. */
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
/** The dialect of existing clients, and of protocols without dialects. */
export const compat: Dialect = {
  name: "compat",
  expiration: "number",
  warnings: "list",
  durations: "number",
  unknownFields: "warn",
  compatStatus: true,
};
/** The dialect of the typed library: numbers and arrays, and rejection instead of capping. */
export const library: Dialect = {
  ...documented,
  name: "library",
  expiration: "number",
  warnings: "list",
  durations: "number",
};
