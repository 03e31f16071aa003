import type { Credential } from "../../wire/openapi-about.ts";

/** Headers with the token of a `/v1` caller. */
export const tokenHeaders: readonly Credential[] = ["token", "otherToken", "bearer"];
const orNone: readonly (readonly Credential[])[] = [[], ...tokenHeaders.map((one) => [one])];

/** Credentials of open endpoints that require some. */
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
/** Returns the credentials of an open endpoint, if it requires some. */
export const credentialsOf = (id: string): readonly (readonly Credential[])[] | undefined =>
  credentials[id];
