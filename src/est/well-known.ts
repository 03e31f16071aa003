import { importOnce } from "../base/memo.ts";
import type { Aliases } from "../wire/api.ts";

const alias = importOnce(() => import("./alias.ts"));
const base = "/.well-known/est";

/** The EST paths under `/.well-known/est`, with or without a label. */
export const wellKnownEst: Aliases = {
  answers: (path) => path === base || path.startsWith(`${base}/`),
  resolve: async (deployment, path) => (await alias()).resolveAlias(deployment, path),
};
