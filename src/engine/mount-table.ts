import { mountKey } from "./mount-records.ts";
import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { kindOf } from "./store-context.ts";
import { clusterRow } from "./cluster-id.ts";
import type { Deployment, MountOptions, MountType, NewRows, Routes } from "./deployment.ts";
import { formatRows } from "./format.ts";
import type { Mount } from "./mount.ts";
import { placementMembers } from "./mount-stores.ts";
import { newMount } from "./new-mount.ts";
import type { Batch, Expect } from "./ports.ts";
import { unusedPolicies, movedPolicies, newPolicies } from "./ready-policies.ts";
import { fingerprint } from "./sealing.ts";
import { isInstalled, sysSteps } from "./sys-format.ts";
import { type MountRoute, sysKeys, storedRoute } from "./sys-records.ts";
import { policyKeys } from "./policy-records.ts";

const routes = kindOf<Routes>();
/** First path segments that are reserved for the system. */
const reserved = new Set(["sys", "auth", "identity", "cubbyhole", "audit"]);
/** Maximum number of attempts to add or move a route while other routes change. */
const createTries = 25;

const deleted =
  "the stored data of this authority was deleted while in use: reload the page (or restart the process) to start with an empty authority";

/** A new mount that has no route yet. `open` writes its first rows and may be called again. */
interface Prepared {
  readonly route: MountRoute;
  open(): Promise<unknown>;
}

/** The table of mount routes, in the `sys` store. */
export class MountTable {
  readonly #deployment: Deployment;
  readonly #refuseWrongKey: () => Promise<void>;
  /** Whether all mounts are known to have their initial policies. */
  #isReady = false;
  /**
   * Whether this process has seen that the deployment is initialized. If so, it never initializes
   * the deployment again.
   */
  #wasInstalled = false;

  /**
   * `refuseWrongKey` is called after the initialization, because another process may have
   * initialized the deployment with its own key.
   */
  constructor(deployment: Deployment, refuseWrongKey: () => Promise<void>) {
    this.#deployment = deployment;
    this.#refuseWrongKey = refuseWrongKey;
  }

  /** Returns the routes, from a cache that is at most a second old. */
  recent(): Promise<Routes> | Routes {
    return this.#deployment.sys.cache.recent(routes, "", () => this.read());
  }
  /** Reads the routes. The very first call initializes the deployment. */
  async read(): Promise<Routes> {
    const { store } = this.#deployment.sys;
    if (!(await isInstalled(store))) {
      // the stored copy of the sealing key may be lost too: secrets sealed by a new initialization
      // could not be unsealed after a restart
      if (this.#wasInstalled) throw new CaError("storage", deleted);
      await this.#install();
      await this.#refuseWrongKey();
    }
    this.#wasInstalled = true;
    if (!this.#isReady) await this.#makeReady();
    return this.#deployment.storedRoutes();
  }

  /** Returns the properties of a mount on which its initial policies depend. */
  #newMountOf(path: string, { type }: MountRoute) {
    const { types, ports } = this.#deployment;
    return { type: types.get(type), path, now: ports.now() };
  }
  /** Creates the initial policies of mounts that a version without access policies created. */
  async #makeReady(): Promise<void> {
    const { sys } = this.#deployment;
    await sys.change(async () => {
      const [[marker], onlyAtEpoch] = await Promise.all([
        sys.store.get([policyKeys.ready]),
        sys.epoch(),
      ]);
      if (marker) return { reply: undefined };
      const [expect, put]: [Expect[], NewRows[number][]] = [[], []];
      for (const [path, route] of await this.#deployment.storedRoutes()) {
        const policies = await newPolicies(sys.store, this.#newMountOf(path, route), {
          put,
          del: [],
        });
        expect.push(...policies.expect);
        put.push(...policies.put);
      }
      const marks = [policyKeys.ready, true] as const;
      return {
        reply: undefined,
        batch: {
          onlyAtEpoch,
          expect: [[policyKeys.ready, null], ...expect],
          put: [marks, ...put],
        },
      };
    });
    this.#isReady = true;
  }

  /**
   * Creates a mount (D 2). Throws `malformed` if the type is unknown, and `already_exists` if the
   * path is in use, is reserved, or is above or below a path in use.
   */
  async create(path: string, options: MountOptions): Promise<void> {
    const type = this.#deployment.types.get(options.type);
    if (!type)
      throw new CaError(
        "malformed",
        `plugin not found in the catalog: ${options.type.slice(0, 64)}`,
      );
    // the options are validated before a free mount is removed for the new one
    const { route, open } = await this.#prepare(type, path, options);
    await this.claim(path, route, open);
  }
  /**
   * Routes a path to a mount, whose store `open` prepares. Throws `already_exists` if the path is
   * in use, is reserved, or is above or below a path in use.
   */
  async claim(path: string, route: MountRoute, open: () => Promise<unknown>): Promise<void> {
    const { sys } = this.#deployment;
    await sys.change(
      async () => {
        const onlyAtEpoch = await sys.epoch();
        await this.#checkFree(path);
        await open();
        const { expect, put } = await newPolicies(sys.store, this.#newMountOf(path, route));
        // the epoch is checked, because a concurrently created mount may be above or below this
        // path
        return {
          reply: undefined,
          batch: {
            onlyAtEpoch,
            epoch: "next",
            expect,
            put: [[sysKeys.route(path), route], ...put],
          },
        };
      },
      { tries: createTries, what: "the list of mounts" },
    );
    sys.cache.forget();
  }
  /**
   * Moves a mount to another path and returns its UUID. `beside` returns rows to put in the same
   * commit, given the mount's UUID. Throws `no_mount` if `from` has no mount, and `already_exists`
   * as `create` does.
   */
  async move(
    from: string,
    to: string,
    beside: (uuid: string) => Promise<NewRows>,
  ): Promise<string> {
    const { sys } = this.#deployment;
    const moved = await sys.change(
      async () => {
        const onlyAtEpoch = await sys.epoch();
        const route = (await this.read()).get(from);
        if (!route) throw new CaError("no_mount", `no matching mount at "${from}/"`);
        if (route.deleting)
          throw new CaError(
            "no_mount",
            `"${from}/" is being deleted; if that failed, delete it again`,
          );
        await this.#checkFree(to, from);
        // an operator chose the new path, so no other mount may replace this one
        const { free: _, ...movedRoute } = route;
        const policies = await movedPolicies(sys.store, from, this.#newMountOf(to, route));
        const rows = [...(await beside(route.uuid)), ...policies.put];
        const put = [[sysKeys.route(to), movedRoute] as const, ...rows];
        const del = [sysKeys.route(from), ...policies.del];
        const { expect } = policies;
        return { reply: route.uuid, batch: { onlyAtEpoch, epoch: "next", expect, del, put } };
      },
      { tries: createTries, what: "the list of mounts" },
    );
    sys.cache.forget();
    return moved;
  }
  /** Lets a restored mount accept requests. */
  async opened(path: string): Promise<void> {
    const { sys } = this.#deployment;
    const key = sysKeys.route(path);
    await sys.change(async () => {
      const [row] = await sys.store.get([key]);
      if (!row) throw new CaError("no_mount", `the mount ${path}/ was deleted concurrently`);
      const { uuid, type, partitions = 1, placement = 1 } = storedRoute(row.value);
      const batch: Batch = {
        epoch: "next",
        expect: [[key, row.rev]],
        put: [[key, { uuid, type, ...placementMembers(partitions, placement) }]],
      };
      return { reply: undefined, batch };
    });
    sys.cache.forget();
  }
  /**
   * Throws `already_exists` if a path cannot be used. A free mount at the path is removed instead.
   * `moving` is the current path of the mount to be moved, which is not checked.
   */
  async #checkFree(path: string, moving?: string): Promise<void> {
    const mounts = await this.read();
    const inUse = (at: string) => new CaError("already_exists", `path is already in use at ${at}/`);
    if (reserved.has(path.split("/", 1)[0] ?? "")) throw inUse(path);
    for (const other of mounts.keys())
      if (
        other !== path &&
        other !== moving &&
        (`${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`))
      )
        throw inUse(other);
    const route = mounts.get(path);
    if (route && !(route.free && (await this.#vacate(route)))) throw inUse(path);
  }

  /**
   * Deletes a mount and everything in it, and returns the mount, or undefined if the path has none.
   * The mount's store rejects all later commits. `cleanupOf` returns the rows for the cleanup jobs.
   */
  async remove(
    path: string,
    cleanupOf: (mount: Mount) => Promise<NewRows>,
  ): Promise<Mount | undefined> {
    const { sys } = this.#deployment;
    const key = sysKeys.route(path);
    const deletion = await sys.change<{ id: string; rows: NewRows } | undefined>(async () => {
      // looks in the list first, because a caller's path is not necessarily a valid key
      if (!(await this.read()).has(path)) return { reply: undefined };
      const [row] = await sys.store.get([key]);
      if (!row) return { reply: undefined };
      const route = storedRoute(row.value);
      // the cleanup depends on the mount's rows, so it is stored before they are deleted
      const rows = await cleanupOf(this.#deployment.mount(route.uuid));
      // no other request moves a mount with this mark
      const put = [...rows, [key, { ...route, deleting: true }] as const];
      const batch: Batch = { epoch: "next", expect: [[key, row.rev]], put };
      return { reply: { id: route.uuid, rows }, batch };
    });
    sys.cache.forget();
    if (!deletion) return undefined;
    const { id, rows } = deletion;
    const mount = this.#deployment.mount(id);
    // the mount's rows are deleted before its route: after a crash in between, the mount is still
    // listed, can be deleted again, and issues nothing
    await mount.store.commit({ epoch: "next", clear: true });
    // puts the cleanup rows again, because a job that ran in between may have found the mount
    // listed and done nothing
    await sys.change(async () => {
      const [now] = await sys.store.get([key]);
      // after a concurrent deletion, the path may already have a new mount
      if (!now || storedRoute(now.value).uuid !== id) return { reply: undefined };
      const policies = await unusedPolicies(sys.store, path);
      const batch: Batch = {
        epoch: "next",
        expect: [[key, now.rev], ...policies.expect],
        del: [key, ...policies.del],
        put: rows,
      };
      return { reply: undefined, batch };
    });
    sys.cache.forget();
    return mount;
  }

  /**
   * Clears a mount that was created by the initialization, unless it was changed. Reports whether
   * the mount is empty.
   */
  async #vacate(route: MountRoute): Promise<boolean> {
    const { store } = this.#deployment.storeContext(route.uuid);
    if (await store.commit({ onlyAtEpoch: 1, epoch: "next", clear: true })) return true;
    // the store may already have been cleared, by a deletion that was not completed
    const [row] = await store.get([mountKey]);
    return !row;
  }
  async #prepare(type: MountType, path: string, options: MountOptions): Promise<Prepared> {
    const { ports } = this.#deployment;
    const id = uuid(ports.random);
    const put = await newMount(ports, type, { uuid: id, path }, options);
    const partitions = placementMembers(options.config?.partitions ?? 1);
    const route: MountRoute = { uuid: id, type: type.type, ...partitions };
    return {
      route,
      open: async () => {
        const { store } = await this.#deployment.openStore(route);
        await store.commit({ epoch: "next", expect: [[mountKey, null]], put });
      },
    };
  }
  async #install(): Promise<void> {
    const { ports, sys, types } = this.#deployment;
    const put: (readonly [key: string, value: unknown])[] = [];
    for (const type of types.values()) {
      if (!type.first) continue;
      const { path, config } = type.first;
      const { route, open } = await this.#prepare(type, path, { type: type.type, config });
      await open();
      put.push([sysKeys.route(path), { ...route, free: true }], clusterRow(route.uuid));
      put.push(...(await newPolicies(sys.store, this.#newMountOf(path, route))).put);
    }
    // only one of several concurrent initializations succeeds; the mounts of the others stay in
    // their stores without a route
    await sys.store.commit({
      epoch: "next",
      expect: [[sysKeys.installed, null]],
      put: [
        [sysKeys.installed, true],
        [policyKeys.ready, true],
        ...formatRows(sysSteps),
        await fingerprint(ports.vault),
        ...put,
      ],
    });
  }
}

/**
 * Returns the longest key of `values` that is `path` or one of its parents, with its value. Returns
 * undefined if there is none.
 */
export function longestPrefix<Value>(
  values: ReadonlyMap<string, Value>,
  path: string,
): { readonly path: string; readonly value: Value } | undefined {
  let maxLength = 0;
  for (const one of values.keys()) maxLength = Math.max(maxLength, one.length);
  // prefixes longer than the longest key are skipped, so that a path with many slashes costs little
  for (
    let end = path.length <= maxLength ? path.length : path.lastIndexOf("/", maxLength);
    end > 0;
    end = path.lastIndexOf("/", end - 1)
  ) {
    const candidate = path.slice(0, end);
    const value = values.get(candidate);
    if (value !== undefined) return { path: candidate, value };
  }
  return undefined;
}
