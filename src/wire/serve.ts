import { CaError } from "../base/errors.ts";
import type { Deployment, Routes } from "../engine/deployment.ts";
import type { Ports } from "../engine/ports.ts";
import type { MountRoute } from "../engine/records.ts";
import { dispatch, refuseOutside } from "./dispatch.ts";
import type { Call, Reply, Tables } from "./endpoint.ts";
import { routerOf } from "./route.ts";

/** What answers calls below `/v1`. */
export interface Served {
  readonly ports: Ports;
  /** Answers one call. Never throws. */
  call(call: Call): Promise<Reply>;
}

/** What answers while the sealing key is another one: they tell of it. */
const describing = new Set(["sys/health", "sys/seal-status"]);

/** Answers the calls of a deployment with the endpoints of the tables. */
export function serve(deployment: Deployment, tables: Tables): Served {
  const { ports } = deployment;
  const ofMount = routerOf(tables.mount);
  const ofSys = routerOf(tables.sys);
  const ofAuth = routerOf(tables.auth);
  const answer = async (call: Call): Promise<Reply> => {
    if (!call.path.startsWith("/v1/")) throw noRoute(call.path.slice(1));
    const path = call.path.slice(4);
    if (!describing.has(path)) await deployment.demandKey();
    if (path === "sys" || path.startsWith("sys/"))
      return dispatch(
        { ca: deployment, router: ofSys, path: path.slice(3) || "/", mount: "sys", tables },
        call,
      );
    if (path.startsWith("auth/token/"))
      return dispatch(
        {
          ca: deployment,
          router: ofAuth,
          path: path.slice("auth".length),
          mount: "auth",
          tables,
        },
        call,
      );
    const mount = longest(await deployment.mounts(), path);
    if (mount === undefined) throw noRoute(path);
    const ca = deployment.mount(mount.route.uuid);
    return dispatch(
      {
        ca,
        router: ofMount,
        path: path.slice(mount.path.length) || "/",
        mount: mount.path,
        tables,
      },
      call,
    );
  };
  return {
    ports,
    call: (call) => answer(call).catch((error: unknown) => refuseOutside(error, call, ports)),
  };
}

function longest(
  mounts: Routes,
  path: string,
): { readonly path: string; readonly route: MountRoute } | undefined {
  let most = 0;
  for (const mount of mounts.keys()) most = Math.max(most, mount.length);
  // no part longer than the longest mount is one: a path of many slashes is not tried at each
  for (
    let end = path.length <= most ? path.length : path.lastIndexOf("/", most);
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) {
    const candidate = path.slice(0, end);
    const route = mounts.get(candidate);
    if (route) return { path: candidate, route };
  }
  return undefined;
}
const noRoute = (path: string) =>
  new CaError("no_route", `no handler for route "${path.slice(0, 256)}". route entry not found.`);
