import type { Api } from "../wire/api.ts";
import { faultOfVars, isVarsPath, resealVars, secretsOfVars, serveVars } from "./http.ts";

export { vars } from "./api.ts";
export type { VarsSettings } from "../engine/ports.ts";

/**
 * The workspace variables API, for the option `apis` of `createCa`: paths below `/api/v2`, its own
 * store, users and tokens. Its settings are the option `vars`.
 */
export const varsApi: Api = {
  path: "/api/v2/",
  answers: isVarsPath,
  fetch: serveVars,
  reseal: resealVars,
  secrets: secretsOfVars,
  fault: faultOfVars,
};
