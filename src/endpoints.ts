import { authorities } from "./endpoints/authorities.ts";
import { searchAndMaintenance } from "./endpoints/administration.ts";
import { issuing } from "./endpoints/issuance.ts";
import { reading } from "./endpoints/lookup.ts";
import { responding } from "./endpoints/ocsp.ts";
import { revoking } from "./endpoints/revocation.ts";
import { settings } from "./endpoints/settings.ts";
import { state } from "./endpoints/state.ts";
import { system } from "./endpoints/system.ts";

/** Every endpoint of a CA mount except ACME and EST, with paths under the mount. */
export const pki = [
  ...issuing,
  ...reading,
  ...responding,
  ...revoking,
  ...authorities,
  ...settings,
  ...searchAndMaintenance,
] as const;

/** Every endpoint under `/v1/sys`. */
export const sys = [...state, ...system] as const;

export { methodTypes } from "./endpoints/method-types.ts";
export { jobs, mountTypes } from "./endpoints/mount-types.ts";
