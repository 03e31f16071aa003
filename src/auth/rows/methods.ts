import { CaError } from "../../base/errors.ts";
import { toHex } from "../../base/bytes.ts";
import { uuid as drawUuid } from "../../base/ids.ts";
import type { Deployment, MountOptions } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import {
  type MethodConfig,
  type MethodRow,
  storedMethod,
  belowMethods,
  methodKeys,
} from "./method-records.ts";
import { checkTtls } from "../../engine/new-mount.ts";
import type { Expect } from "../../engine/ports.ts";
import { kindOf, type AuditAttachment, type StoreContext } from "../../engine/store-context.ts";

/** A login method with everything that its endpoints need. */
export interface Method {
  readonly deployment: Deployment;
  /** The store context of the method's rows. */
  readonly sys: StoreContext;
  /** Path under `auth/`, such as `approle`. */
  readonly path: string;
  readonly type: string;
  readonly accessor: string;
  readonly uuid: string;
  /** The settings of the method, cached for at most one second. */
  readonly config: MethodConfig;
  /** Returns the key of a row that belongs to the method. */
  key(rest: string): string;
  /** Returns the method for use by a single call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment): Method;
}
/** The login methods by path, including `token`. */
type Methods = ReadonlyMap<string, MethodRow>;

const cachedMethods = kindOf<Methods>(1, [belowMethods.rows]);
/** The built-in token method, which has no row until its settings are changed. */
const tokenMethod: MethodRow = {
  ...storedMethod({}),
  uuid: "token",
  path: "token",
  type: "token",
  description: "token based credentials",
  accessor: "auth_token_builtin",
};
/** Path of the built-in token method. */
export const tokenPath = "token";

/** Returns the login methods, cached for at most one second. */
export const methods = (sys: StoreContext): Promise<Methods> | Methods =>
  sys.cache.recent(cachedMethods, "", () => readMethods(sys));
/** Reads the login methods from the store. */
export async function readMethods({ store }: StoreContext): Promise<Methods> {
  const rows = await store.list(belowMethods.rows);
  return new Map([
    [tokenPath, tokenMethod],
    ...rows.map(
      ([key, { value }]) => [key.slice(belowMethods.rows.length), storedMethod(value)] as const,
    ),
  ]);
}

/** Returns the login method of a row, for use by its endpoints. */
export function methodOn(deployment: Deployment, row: MethodRow): Method {
  const { path, type, accessor, uuid: id, config } = row;
  return {
    deployment,
    sys: deployment.sys,
    path,
    type,
    accessor,
    uuid: id,
    config,
    key: (rest) => methodKeys.data(id, rest),
    forCall: (attachment) => methodOn(deployment.forCall(attachment), row),
  };
}

/**
 * Returns the precondition that a method's row has not changed, for use in a batch. Throws
 * `no_route` if the method was disabled.
 */
export async function expectMethod({ sys, path, uuid: id }: Method): Promise<Expect> {
  const key = methodKeys.method(path);
  const [row] = await sys.store.get([key]);
  if (!row || storedMethod(row.value).uuid !== id) throw deletedError(path);
  return [key, row.rev];
}
const deletedError = (path: string): CaError =>
  new CaError("no_route", `no handler for route "auth/${path}". route entry not found.`);

/** Returns the associated data with which a secret member of a method's row is sealed. */
export const methodSecretBinding = (id: string, row: string, member: string): string =>
  `sys/login-method/${id}/${row}/${member}`;

/** Options for enabling a login method. */
interface MethodOptions extends Omit<MountOptions, "config"> {
  readonly config?: Partial<MethodConfig>;
}
/**
 * Enables a login method. Throws `already_exists` if the path is in use, or lies above or below the
 * path of another method. Throws `malformed` if the lifetimes contradict each other.
 */
export async function enableMethod(
  { sys }: Deployment,
  path: string,
  options: MethodOptions,
): Promise<void> {
  const { random } = sys.ports;
  const config = { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false };
  const row: MethodRow = {
    uuid: drawUuid(random),
    path,
    type: options.type,
    description: options.description ?? "",
    accessor: `auth_${options.type}_${toHex(random(4))}`,
    local: options.local ?? false,
    seal_wrap: options.seal_wrap ?? false,
    external_entropy_access: options.external_entropy_access ?? false,
    options: options.options ?? null,
    config: { ...config, ...options.config },
  };
  checkTtls(row.config);
  await sys.change(
    async () => {
      const onlyAtEpoch = await sys.epoch();
      for (const other of (await readMethods(sys)).keys())
        if (`${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`))
          throw new CaError("already_exists", `path is already in use at ${other}/`);
      const put = [[methodKeys.method(path), row]] as const;
      // the epoch detects a method enabled concurrently at a path above or below this one
      return { reply: undefined, batch: { onlyAtEpoch, epoch: "next", put } };
    },
    { what: "the list of login methods" },
  );
}

/** Kind of the job that cleans up after a disabled method. The job's ID identifies the method. */
export const methodEnd = "method-end";
const idOf = ({ uuid: id, accessor }: MethodRow): string => `${id}.${accessor}`;
/** Parses the ID of a method's clean-up job. */
export function methodOfJob(id: string): Pick<Method, "uuid" | "accessor"> {
  const [uuid = "", accessor = ""] = id.split(".");
  return { uuid, accessor };
}
/**
 * Disables a login method, which stops responding at once. A job deletes its rows and revokes its
 * tokens. Resolves after the first run of that job.
 */
export async function disableMethod({ sys }: Deployment, path: string): Promise<void> {
  const key = methodKeys.method(path);
  const id = await sys.change<string | undefined>(async () => {
    // checks the listing first, because a path from a request may not be a valid key
    if (!(await readMethods(sys)).has(path)) return { reply: undefined };
    const [row] = await sys.store.get([key]);
    if (!row) return { reply: undefined };
    const job = idOf(storedMethod(row.value));
    const now = sys.ports.now();
    return {
      reply: job,
      batch: {
        epoch: "next",
        expect: [[key, row.rev]],
        del: [key],
        put: [jobRow({ due: now, now }, methodEnd, job)],
      },
    };
  });
  // the job completes the clean-up if its first run fails
  if (id !== undefined) await sys.once(methodEnd, id).catch(() => undefined);
}

/** Changes the row of a login method. Throws `no_mount` if the method does not exist. */
export function tuneMethod(
  { sys }: Deployment,
  path: string,
  make: (row: MethodRow) => MethodRow,
): Promise<void> {
  return sys.change(async () => {
    const existing = (await readMethods(sys)).get(path);
    if (!existing) throw noSysview(path);
    const key = methodKeys.method(path);
    const [row] = await sys.store.get([key]);
    if (!row && path !== tokenPath) return "again";
    const next = make(row ? storedMethod(row.value) : existing);
    checkTtls(next.config);
    // raises the epoch, so that a concurrent move of the method reads its row again
    const batch = { epoch: "next", expect: [[key, row?.rev ?? null]], put: [[key, next]] } as const;
    return { reply: undefined, batch };
  });
}
/** Returns the error for reading or changing the settings of a login method that does not exist. */
export const noSysview = (path: string): CaError =>
  new CaError("no_mount", `cannot fetch sysview for path "auth/${path}/"`);
