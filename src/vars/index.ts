import type { SecretOwner } from "../engine/deployment.ts";
import { lazyJobs } from "../engine/lazy-jobs.ts";
import type { Api } from "../wire/api.ts";
import { storeName, varsHttp } from "./http.ts";
import { forgetInstallation, describeLoss } from "./installation.ts";
import { varsSteps } from "./rows/format.ts";

export { vars, type VarsClient } from "../client/vars.ts";
export type { VarsSettings } from "./rows/settings.ts";

const all = () => import("./api.ts");

/**
 * The workspace variables API, for the `apis` option of `createCa`. It serves paths under
 * `/api/v2`, and has its own store, users and tokens. Its settings are in the `vars` option.
 */
export const varsApi: Api & SecretOwner = {
  ...varsHttp,
  path: "/api/v2/",
  store: storeName,
  jobs: lazyJobs(["organization-end"], async () => [(await all()).organizationEnd]),
  reseal: async (deployment) => (await all()).resealVariables(deployment.storeContext(storeName)),
  async *secrets(deployment) {
    yield* (await all()).sealedVariables(deployment.storeContext(storeName));
  },
  formats: varsSteps,
  isInitial: async (deployment) =>
    (await all()).isInitial(deployment.storeContext(storeName).store),
  beginAnew: (deployment) => forgetInstallation(deployment.storeContext(storeName)),
  fault: (deployment) => describeLoss(deployment.storeContext(storeName)),
};
