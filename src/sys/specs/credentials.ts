import type { Credential } from "../../wire/openapi-about.ts";

/** The headers with which a caller of `/v1` can send a token. */
export const tokenHeaders: readonly Credential[] = ["token", "otherToken", "bearer"];
const orNone: readonly (readonly Credential[])[] = [[], ...tokenHeaders.map((one) => [one])];

/**
 * Credentials of endpoints that need no token but accept or require other credentials, by endpoint
 * ID.
 */
const credentials: Readonly<Record<string, readonly (readonly Credential[])[]>> = {
  estEnroll: [["basic"], ["mutualTls"]],
  estReenroll: [["mutualTls"]],
  loginCert: [["mutualTls"]],
  unwrap: orNone,
  lookupWrapping: orNone,
  listVisibleMounts: orNone,
  readVisibleMount: orNone,
  openapiSpec: orNone,
  readLogCheckpoint: orNone,
  readLogTile: orNone,
};
/**
 * Returns the credentials that an endpoint without a required token accepts or requires, or
 * undefined if there are none.
 */
export const credentialsOf = (id: string): readonly (readonly Credential[])[] | undefined =>
  credentials[id];
