import type { Keeper } from "../engine/deployment.ts";
import type { Api } from "../wire/api.ts";
import { storeName, varsHttp } from "./http.ts";
import { organizationEnd } from "./rows/sweep.ts";
import { beginAnew, lossOf } from "./installation.ts";
import { resealVariables, sealedVariables } from "./variables/reseal.ts";

export { vars } from "./api.ts";
export type { VarsSettings } from "./rows/settings.ts";

/**
 * The workspace variables API, for the option `apis` of `createCa`: paths below `/api/v2`, its own
 * store, users and tokens. Its settings are the option `vars`.
 */
export const varsApi: Api & Keeper = {
  ...varsHttp,
  path: "/api/v2/",
  store: storeName,
  jobs: [organizationEnd],
  reseal: (deployment) => resealVariables(deployment.unit(storeName)),
  secrets: (deployment) => sealedVariables(deployment.unit(storeName)),
  beginAnew: (deployment) => beginAnew(deployment.unit(storeName)),
  fault: (deployment) => lossOf(deployment.unit(storeName)),
};
