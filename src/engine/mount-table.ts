import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { kindOf } from "./cache.ts";
import { clusterRow } from "./cluster-id.ts";
import type { Deployment, MountOptions, MountType, NewRows, Routes } from "./deployment.ts";
import { formatRows } from "./format.ts";
import type { Mount } from "./mount.ts";
import { newMount } from "./new-mount.ts";
import type { Batch, Expect } from "./ports.ts";
import { keys } from "./records.ts";
import { leftPolicies, movedPolicies, newPolicies } from "./ready-policies.ts";
import { fingerprint } from "./sealing.ts";
import { isInstalled, sysSteps } from "./sys-format.ts";
import { belowSys, type MountRoute, sysKeys, storedRoute } from "./sys-records.ts";
import { policyKeys } from "./policy-records.ts";

const routes = kindOf<Routes>();
/** Paths that the system keeps for itself. */
const reserved = new Set(["sys", "auth", "identity", "cubbyhole", "audit"]);
/** How often a mount is tried to be made while others are made and removed. */
const createTries = 25;

const deleted =
  "the stored data of this authority was deleted while it was in use: load the page (or start the process) again to begin with an empty one";

/** A mount that no path leads to yet; opening it twice is opening it once. */
interface Prepared {
  readonly route: MountRoute;
  open(): Promise<unknown>;
}

/** Where the paths of mounts lead: the rows of it in the store `sys`, and how they change. */
export class MountTable {
  readonly #deployment: Deployment;
  readonly #refuseWrongKey: () => Promise<void>;
  /** That all mounts have the policies that mounts are made with. */
  #isReady = false;
  /** That the rows of the first start were there: in this life they are not made again. */
  #wasInstalled = false;

  /** `refuseWrongKey`: asked after the first start, since another one may have won with its key. */
  constructor(deployment: Deployment, refuseWrongKey: () => Promise<void>) {
    this.#deployment = deployment;
    this.#refuseWrongKey = refuseWrongKey;
  }

  /** The table, at most a second old. */
  recent(): Promise<Routes> {
    return this.#deployment.sys.cache.recent(routes, "", () => this.read());
  }
  /** The table as it is now. The first use of all makes the first mounts. */
  async read(): Promise<Routes> {
    const { store } = this.#deployment.sys;
    if (!(await isInstalled(store))) {
      // its secrets would be sealed under a key whose stored copy may be gone as well
      if (this.#wasInstalled) throw new CaError("storage", deleted);
      await this.#install();
      await this.#refuseWrongKey();
    }
    this.#wasInstalled = true;
    if (!this.#isReady) await this.#makeReady();
    return this.#list();
  }
  async #list(): Promise<Routes> {
    const rows = await this.#deployment.sys.store.list(belowSys.routes);
    return new Map(
      rows.map(([key, row]) => [key.slice(belowSys.routes.length), storedRoute(row.value)]),
    );
  }

  /** A mount, for the policies that it is made with. */
  #made(path: string, { type }: MountRoute) {
    const { types, ports } = this.#deployment;
    return { type: types.get(type), path, now: ports.now() };
  }
  /** Gives mounts that were made before there were policies those that mounts are made with. */
  async #makeReady(): Promise<void> {
    const { sys } = this.#deployment;
    await sys.change(async () => {
      const [[marker], onlyAtEpoch] = await Promise.all([
        sys.store.get([policyKeys.ready]),
        sys.epoch(),
      ]);
      if (marker) return { reply: undefined };
      const [expect, put]: [Expect[], NewRows[number][]] = [[], []];
      for (const [path, route] of await this.#list()) {
        const made = await newPolicies(sys.store, this.#made(path, route), { put, del: [] });
        expect.push(...made.expect);
        put.push(...made.put);
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
   * Makes a mount (D 2). Throws `malformed` for a type that is not known, and `already_exists` when
   * the path is in use, nests in another, or is reserved.
   */
  async create(path: string, options: MountOptions): Promise<void> {
    const type = this.#deployment.types.get(options.type);
    if (!type)
      throw new CaError(
        "malformed",
        `plugin not found in the catalog: ${options.type.slice(0, 64)}`,
      );
    // refused before anything gives way to it
    const { route, open } = await this.#prepare(type, path, options);
    await this.claim(path, route, open);
  }
  /**
   * Lets a path lead to a store that `open` makes ready, unless the path is in use, nests in
   * another, or is reserved: `already_exists`.
   */
  async claim(path: string, route: MountRoute, open: () => Promise<unknown>): Promise<void> {
    const { sys } = this.#deployment;
    await sys.change(
      async () => {
        const onlyAtEpoch = await sys.epoch();
        await this.#checkFree(path);
        await open();
        const { expect, put } = await newPolicies(sys.store, this.#made(path, route));
        // whoever made another mount meanwhile may have made one that nests with this one
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
   * Makes another path lead to a mount, and gives its uuid. `beside`: rows that go into the same
   * change, for the mount of a uuid. Throws `no_mount`, and `already_exists` as `create` does.
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
        await this.#checkFree(to, from);
        // it is somebody's choice now: no other mount is made in its place
        const { free: _, ...kept } = route;
        const policies = await movedPolicies(sys.store, from, this.#made(to, route));
        const rows = [...(await beside(route.uuid)), ...policies.put];
        const put = [[sysKeys.route(to), kept] as const, ...rows];
        const del = [sysKeys.route(from), ...policies.del];
        const { expect } = policies;
        return { reply: route.uuid, batch: { onlyAtEpoch, epoch: "next", expect, del, put } };
      },
      { tries: createTries, what: "the list of mounts" },
    );
    sys.cache.forget();
    return moved;
  }
  /** Lets calls reach a mount that a restore has made. */
  async opened(path: string): Promise<void> {
    const { sys } = this.#deployment;
    const key = sysKeys.route(path);
    await sys.change(async () => {
      const [row] = await sys.store.get([key]);
      if (!row) throw new CaError("no_mount", `the mount ${path}/ was deleted meanwhile`);
      const { uuid, type } = storedRoute(row.value);
      const batch: Batch = {
        epoch: "next",
        expect: [[key, row.rev]],
        put: [[key, { uuid, type }]],
      };
      return { reply: undefined, batch };
    });
    sys.cache.forget();
  }
  /**
   * Refuses a path that is in use; a free mount gives way. `moving`: the path of one that leaves.
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
    const held = mounts.get(path);
    if (held && !(held.free && (await this.#vacate(held)))) throw inUse(path);
  }

  /**
   * Removes a mount and all it holds, and gives it; undefined where the path leads to none. From
   * then on its store refuses every commit. `left`: what is to be done when it is gone.
   */
  async remove(path: string, left: (mount: Mount) => Promise<NewRows>): Promise<Mount | undefined> {
    const { sys } = this.#deployment;
    // asked of the listing first, because a path that comes from a caller may be no key
    if (!(await this.read()).has(path)) return undefined;
    const key = sysKeys.route(path);
    const [row] = await sys.store.get([key]);
    if (!row) return undefined;
    const mount = this.#deployment.mount(storedRoute(row.value).uuid);
    const rows = await left(mount);
    // of several removals one may have come to its end, and the path may lead to a new mount since
    const expect: Batch["expect"] = [[key, row.rev]];
    const put = async (batch: Batch): Promise<boolean> => {
      const done = await sys.commit(batch);
      sys.cache.forget();
      return done !== undefined;
    };
    // what is left to do is known from the mount's rows only, so that it is put down before they go
    if (rows.length > 0 && !(await put({ expect, put: rows }))) return undefined;
    // its rows go first: after a crash in between the mount is still listed and can be removed
    // again, and it issues nothing
    await mount.store.commit({ epoch: "next", clear: true });
    // once more: a job that ran meanwhile has found the mount listed still, and has done nothing
    await sys.change(async () => {
      const [now] = await sys.store.get([key]);
      if (now?.rev !== row.rev) return { reply: undefined };
      const left = await leftPolicies(sys.store, path);
      const batch: Batch = {
        epoch: "next",
        expect: [...expect, ...left.expect],
        del: [key, ...left.del],
        put: rows,
      };
      return { reply: undefined, batch };
    });
    sys.cache.forget();
    return mount;
  }

  /** Clears a mount that the first start made, if nobody has written into it. */
  async #vacate(route: MountRoute): Promise<boolean> {
    const { store } = this.#deployment.storeContext(route.uuid);
    if (await store.commit({ onlyAtEpoch: 1, epoch: "next", clear: true })) return true;
    // cleared before, by one that did not come to its end
    const [row] = await store.get([keys.mount]);
    return !row;
  }
  async #prepare(type: MountType, path: string, options: MountOptions): Promise<Prepared> {
    const { ports } = this.#deployment;
    const id = uuid(ports.random);
    const put = await newMount(ports, type, { uuid: id, path }, options);
    return {
      route: { uuid: id, type: type.type },
      open: () => ports.stores(id).commit({ epoch: "next", expect: [[keys.mount, null]], put }),
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
      put.push(...(await newPolicies(sys.store, this.#made(path, route))).put);
    }
    // of several first starts one wins; the stores of the others hold a mount that no path leads to
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
