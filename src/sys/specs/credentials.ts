import type { Credential } from "../../wire/openapi-about.ts";

/** By which the callers of the API below `/v1` show who they are. */
export const tokenHeaders: readonly Credential[] = ["token", "otherToken", "bearer"];
const orNone: readonly (readonly Credential[])[] = [[], ...tokenHeaders.map((one) => [one])];

/** Who calls endpoints that are open, where they ask all the same. */
const ways: Readonly<Record<string, readonly (readonly Credential[])[]>> = {
  estEnroll: [["basic"], ["mutualTls"]],
  estReenroll: [["mutualTls"]],
  loginCert: [["mutualTls"]],
  unwrap: orNone,
  lookupWrapping: orNone,
  listVisibleMounts: orNone,
  readVisibleMount: orNone,
  openapiSpec: orNone,
};
/** Who may call an open endpoint, where it asks all the same. */
export const credentialsOf = (id: string): readonly (readonly Credential[])[] | undefined =>
  ways[id];
