/**
 * The dialect selected by the header of the token (D 1): how replies are printed, and by its name
 * some choices of handlers. Stored rows never depend on it.
 */
export interface Dialect {
  readonly name: "documented" | "compat" | "library";
  readonly expiration: "text" | "number";
  readonly warnings: "text" | "list";
  readonly durations: "text" | "number";
  /** Whether errors have the statuses that older clients expect, if the table has one. */
  readonly compatStatus: boolean;
}

const documented: Dialect = {
  name: "documented",
  expiration: "text",
  warnings: "text",
  durations: "text",
  compatStatus: false,
};
/** The dialect of existing clients, and of protocols without dialects. */
export const compat: Dialect = {
  name: "compat",
  expiration: "number",
  warnings: "list",
  durations: "number",
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

/**
 * Returns the token of a request and the dialect that its headers select. The token of
 * `X-Service-Token` comes first. `X-Vault-Request` selects the compat dialect with its statuses,
 * whichever header carries the token and also without one (D 1).
 */
export function readToken(header: (name: string) => string | null): {
  token: string | undefined;
  dialect: Dialect;
} {
  const isCompat = header("x-vault-request") !== null;
  const service = header("x-service-token");
  if (service !== null && service !== "")
    return { token: service, dialect: isCompat ? compat : documented };
  const product = header("x-vault-token");
  if (product !== null && product !== "") return { token: product, dialect: compat };
  const authorization = header("authorization");
  if (authorization?.startsWith("Bearer "))
    return { token: authorization.slice(7).trim(), dialect: compat };
  return { token: undefined, dialect: { ...compat, compatStatus: isCompat } };
}
