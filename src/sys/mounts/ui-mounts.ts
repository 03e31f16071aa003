import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { methods } from "../../auth/rows/methods.ts";
import { type MountRow, storedMount } from "../../engine/mount-records.ts";
import type { Capability, Identity } from "../../engine/ports.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { mapsOf, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { builtins } from "./mounts.ts";
import { methodInfo, mountInfo, mountFields } from "../../mounts/mount-info.ts";

type Info = ReturnType<typeof mountInfo>;
/** A mount or login method with its path. */
interface ListedMount {
  /** Path with a trailing slash. The path of a login method begins with `auth/`. */
  readonly path: string;
  /** Returns the details of the mount or login method, cached for at most one second. */
  info(): Promise<Info>;
}
/** Returns all mounts and login methods, cached for at most one second. */
async function everything(deployment: Deployment): Promise<readonly ListedMount[]> {
  return [
    ...[...(await deployment.mounts())].map(([path, { uuid, type, restoring }]) => ({
      path: `${path}/`,
      info: async () =>
        mountInfo(
          restoring
            ? storedMount({ path, uuid, type })
            : await rowOf(deployment, { path, uuid, type }),
        ),
    })),
    ...Object.entries(builtins).map(([path, info]) => ({ path, info: async () => info })),
    ...[...(await methods(deployment.sys))].map(([path, row]) => ({
      path: `auth/${path}/`,
      info: async () => methodInfo(row),
    })),
  ];
}
/**
 * Returns the row of a mount. If it cannot be read, returns a row with only path, type and UUID.
 */
async function rowOf(
  deployment: Deployment,
  mount: { readonly path: string; readonly uuid: string; readonly type: string },
): Promise<MountRow> {
  try {
    return (await deployment.mount(mount.uuid).config()).mount;
  } catch (error) {
    if (error instanceof CaError) return storedMount(mount);
    throw error;
  }
}

const capabilities: readonly Capability[] = ["read", "list", "update", "create", "delete", "patch"];
/** Reports whether an identity has any access under a path, which ends with a slash. */
const hasAccess = (identity: Identity, path: string): boolean =>
  identity.reaches?.(path) ??
  (identity.policies?.includes("root") === true ||
    capabilities.some((capability) => identity.can(capability, path)));

const belowAuth = "auth/";
/** Returns the details of a publicly listed mount that are visible without a token. */
const reduced = ({ type, description, options }: Info) => ({ type, description, options });
/** Reply field with mounts by path. Without a valid token, only some of the details are present. */
const seen = mapsOf(mountFields, ["type", "description", "options"]);

export const listVisibleMounts = systemEndpoint({
  id: "listVisibleMounts",
  at: ["GET /internal/ui/mounts"],
  access: "open",
  style: envelope,
  doc: "Lists the mounts and login methods that the caller's token can use, and those with `listing_visibility` `unauth`. Without a valid token, lists only mounts and login methods with `listing_visibility` `unauth`, with type, description and options.",
  body: {},
  reply: {
    secret: seen.required("The mounts by path."),
    auth: seen.required("The login methods by path under `auth/`."),
  },
  run: async (deployment, _, caller) => {
    const identity = await caller.tokenIdentity();
    const secret: Record<string, unknown> = {};
    const auth: Record<string, unknown> = {};
    for (const { path, info } of await everything(deployment)) {
      const isReached = identity !== undefined && hasAccess(identity, path);
      const about = await info();
      if (!isReached && about.config["listing_visibility"] !== "unauth") continue;
      const shownInfo = identity ? about : reduced(about);
      if (path.startsWith(belowAuth)) auth[path.slice(belowAuth.length)] = shownInfo;
      else secret[path] = shownInfo;
    }
    return { secret, auth };
  },
});

export const readVisibleMount = systemEndpoint({
  id: "readVisibleMount",
  at: ["GET /internal/ui/mounts/:below+"],
  access: "open",
  style: envelope,
  doc: "Returns the mount or login method at a path, if the caller's token can use it.",
  body: {},
  reply: { ...mountFields, path: text.required("Path of the mount, with a trailing slash.") },
  refuses: ["forbidden"],
  run: async (deployment, { below }, caller) => {
    const path = `${below.replace(/^\/+|\/+$/g, "")}/`;
    const identity = await caller.tokenIdentity();
    const mount = identity && mountOf(await everything(deployment), path);
    if (!mount || !hasAccess(identity, mount.path)) throw noAccess(path);
    return { ...(await mount.info()), path: mount.path };
  },
});
/** Returns the same error whether the path does not exist or access is denied (P 9.3). */
const noAccess = (path: string): CaError =>
  new CaError(
    "forbidden",
    `preflight capability check returned 403, please ensure client's policies grant access to path ${JSON.stringify(path.slice(0, 512))}`,
  );
const mountOf = (mounts: readonly ListedMount[], requested: string): ListedMount | undefined =>
  mounts
    .filter(({ path }) => requested.startsWith(path))
    .sort((a, b) => b.path.length - a.path.length)[0];
