import { administration } from "./endpoints/administration.ts";
import { authorities } from "./endpoints/authorities.ts";
import { issuance } from "./endpoints/issuance.ts";
import { lookup } from "./endpoints/lookup.ts";
import { ocsp } from "./endpoints/ocsp.ts";
import { revocation } from "./endpoints/revocation.ts";
import { settings } from "./endpoints/settings.ts";
import { state } from "./endpoints/state.ts";
import { system } from "./endpoints/system.ts";

/** All endpoints of a CA mount except those for ACME and EST, with paths under the mount. */
export const pki = [
  ...issuance,
  ...lookup,
  ...ocsp,
  ...authorities,
  ...revocation,
  ...settings,
  ...administration,
] as const;

/** All endpoints under `/v1/sys`. */
export const sys = [...state, ...system] as const;

export { methodTypes } from "./endpoints/method-types.ts";
export { jobs, mountTypes } from "./endpoints/mount-types.ts";
