import { mountSteps } from "./snapshot.ts";
import { isInstalled, sysSteps } from "./sys-format.ts";
import { formatRows, refuseNewer } from "./format.ts";
import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { kindOf } from "./cache.ts";
import type { Deployment, Job, Keeper, Routes } from "./deployment.ts";
import type { UnitSteps } from "./jobs.ts";
import { Mount } from "./mount.ts";
import { firstMountTtl, newMount, type MountOptions } from "./new-mount.ts";
import type { Batch, Ports } from "./ports.ts";
import { keys } from "./records.ts";
import { belowSys, type MountRoute, sysKeys } from "./sys-records.ts";
import { fingerprint, wrongKey } from "./sealing.ts";
import { SealingKey } from "./sealing-key.ts";
import { stored } from "./stored.ts";
import { Unit } from "./unit.ts";

const sysName = "sys";
const routes = kindOf<Routes>();
/** Paths that the system keeps for itself. */
const reserved = new Set(["sys", "auth", "identity", "cubbyhole", "audit"]);
/** When the jobs of a store that failed are looked at again, milliseconds. */
const tickAgainAfter = 30_000;
/** How often a mount is tried to be made while others are made and removed. */
const createTries = 25;

/** All mounts over one set of stores. `keepers`: what else keeps secrets in them. */
export class Mounts implements Deployment {
  readonly ports: Ports;
  readonly keepers: readonly Keeper[];
  readonly #jobs: readonly Job[];
  readonly sys: Unit;
  readonly #units = new Map<string, Unit>();
  readonly #mounts = new Map<string, Mount>();
  readonly #key: SealingKey;

  constructor(ports: Ports, jobs: readonly Job[], keepers: readonly Keeper[] = []) {
    this.ports = ports;
    this.#jobs = [...jobs, ...keepers.flatMap((keeper) => keeper.jobs)];
    this.keepers = keepers;
    this.sys = this.#newUnit(sysName);
    this.#key = new SealingKey(this);
  }

  /** The unit over the store of a name: a mount's uuid, `sys`, or that of another API. */
  unit(name: string): Unit {
    if (name === sysName) return this.sys;
    let unit = this.#units.get(name);
    if (!unit) {
      // those of dead mounts are dropped with the rest when there are many: a unit is only a cache
      if (this.#units.size >= 1000) {
        this.#units.clear();
        this.#mounts.clear();
      }
      unit = this.#newUnit(name, this.sys);
      this.#units.set(name, unit);
    }
    return unit;
  }
  /** The mount of a uuid. */
  mount(uuid: string): Mount {
    const unit = this.unit(uuid);
    let mount = this.#mounts.get(uuid);
    if (!mount) {
      mount = new Mount(unit, () => this.pathOf(uuid));
      this.#mounts.set(uuid, mount);
    }
    return mount;
  }
  #newUnit(name: string, sys?: Unit): Unit {
    return new Unit(this.ports, name, (unit, kind) => this.#steps(unit, kind), sys);
  }
  #steps(unit: Unit, kind: string): UnitSteps {
    const job = this.#jobs.find((known) => known.kind === kind);
    if (!job)
      return { budget: 1, step: () => Promise.reject(new TypeError(`no job of the kind ${kind}`)) };
    const { budget } = job;
    if (job.of === "mount")
      return {
        budget,
        step: async (id, progress) => {
          // a step may write without having read the configuration
          await refuseNewer(unit.store, mountSteps);
          return job.step(this.mount(unit.name), id, progress);
        },
      };
    if (job.of === "unit") return { budget, step: (id, progress) => job.step(unit, id, progress) };
    return { budget, step: (id, progress) => job.step(this, id, progress) };
  }

  /**
   * Runs the due jobs of every mount and of `sys`, and tells when the next is due, Unix
   * milliseconds.
   */
  async tick(): Promise<number | undefined> {
    await this.demandKey();
    const mounts = [...(await this.mounts()).values()].map((route) => route.uuid);
    // what nobody has used yet is not even opened
    const used = await this.sys.store.get(this.keepers.map(({ store }) => sysKeys.used(store)));
    const others = this.keepers.filter((_, at) => used[at]).map(({ store }) => store);
    const due = await Promise.all(
      [...mounts, ...others, sysName].map((name) =>
        // a store that fails must not keep the jobs of the others waiting
        this.unit(name)
          .tick()
          .catch((cause: unknown) => {
            this.ports.log?.({ endpoint: "job tick", status: 500, ms: 0, cause });
            return this.ports.now() + tickAgainAfter;
          }),
      ),
    );
    const next = Math.min(...due.map((at) => at ?? Infinity));
    return next === Infinity ? undefined : next;
  }

  /**
   * Whether the sealing key is another one than that of the stored secrets, at the first use of all
   * too: then the store gets the key's fingerprint. Throws CaError `storage`.
   */
  async demandKey(): Promise<void> {
    if (this.#key.isKnown) return;
    await this.mounts();
    await this.refuseWrongKey();
  }
  /** The same where nothing is made: an empty store fits any key. Throws CaError `storage`. */
  async refuseWrongKey(): Promise<void> {
    if (!(await this.isKeyRight())) throw wrongKey();
  }
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  isKeyRight(): Promise<boolean> {
    return this.#key.isRight();
  }

  /**
   * Where the mounts' paths lead, at most a second old. The first use of all makes the mount `pki`.
   */
  mounts(): Promise<Routes> {
    return this.sys.cache.recent(routes, "", () => this.readMounts());
  }
  /** The same, asked of the store now. */
  async readMounts(): Promise<Routes> {
    if (!(await isInstalled(this.sys.store))) {
      await this.#install();
      // of several first starts another one may have won, with another key
      await this.refuseWrongKey();
    }
    const rows = await this.sys.store.list(belowSys.routes);
    return new Map(
      rows.map(([key, row]) => [key.slice(belowSys.routes.length), stored.route(row.value)]),
    );
  }

  /** The path that leads to the mount of a uuid now. */
  async pathOf(uuid: string): Promise<string | undefined> {
    for (const [path, route] of await this.readMounts()) if (route.uuid === uuid) return path;
    return undefined;
  }

  /**
   * Makes a mount (D 2). Throws `already_exists` when the path is in use, nests in another, or is
   * reserved.
   */
  async createMount(path: string, options: MountOptions): Promise<void> {
    // refused before anything gives way to it
    const mount = await this.#prepare(path, options);
    await this.sys.change(
      async () => {
        const onlyAtEpoch = await this.sys.epoch();
        await this.#checkFree(path);
        await mount.open();
        // whoever made another mount meanwhile may have made one that nests with this one
        return {
          reply: undefined,
          batch: { onlyAtEpoch, epoch: "next", put: [[sysKeys.route(path), { uuid: mount.name }]] },
        };
      },
      { tries: createTries, what: "the list of mounts" },
    );
    this.sys.cache.forget();
  }
  /** Refuses a path that is in use; a free mount gives way. */
  async #checkFree(path: string): Promise<void> {
    const mounts = await this.readMounts();
    const inUse = (at: string) => new CaError("already_exists", `path is already in use at ${at}/`);
    if (reserved.has(path.split("/", 1)[0] ?? "")) throw inUse(path);
    for (const other of mounts.keys())
      if (
        other !== path &&
        (`${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`))
      )
        throw inUse(other);
    const held = mounts.get(path);
    if (held && !(held.free && (await this.#vacate(held)))) throw inUse(path);
  }
  /** Removes a mount and all it holds. From then on its store refuses every commit. */
  async deleteMount(path: string): Promise<void> {
    // asked of the listing first, because a path that comes from a caller may be no key
    if (!(await this.readMounts()).has(path)) return;
    const { store } = this.sys;
    const key = sysKeys.route(path);
    const [row] = await store.get([key]);
    if (!row) return;
    const mount = this.mount(stored.route(row.value).uuid);
    // a store that is broken can be removed too
    const left = (
      await Promise.all(this.#jobs.map(async (job) => job.removal?.(mount).catch(() => [])))
    ).flatMap((rows) => rows ?? []);
    // of several removals one may have come to its end, and the path may lead to a new mount since
    const expect: Batch["expect"] = [[key, row.rev]];
    const put = async (batch: Batch): Promise<boolean> => {
      const done = await this.sys.commit(batch);
      this.sys.cache.forget();
      return done !== undefined;
    };
    // what is left to do is known from the mount's rows only, so that it is put down before they go
    if (left.length > 0 && !(await put({ expect, put: left }))) return;
    // its rows go first: after a crash in between the mount is still listed and can be removed
    // again, and it issues nothing
    await mount.store.commit({ epoch: "next", clear: true });
    // once more: a job that ran meanwhile has found the mount listed still, and has done nothing
    await put({ epoch: "next", expect, del: [key], put: left });
    this.#units.delete(mount.name);
    this.#mounts.delete(mount.name);
  }

  /** Clears a mount that the first start made, if nobody has written into it. */
  async #vacate(route: MountRoute): Promise<boolean> {
    const { store } = this.unit(route.uuid);
    if (await store.commit({ onlyAtEpoch: 1, epoch: "next", clear: true })) return true;
    // cleared before, by one that did not come to its end
    const [row] = await store.get([keys.mount]);
    return !row;
  }
  /** A mount that no path leads to yet; opening it twice is opening it once. */
  async #prepare(
    path: string,
    options: MountOptions,
  ): Promise<{ readonly name: string; open(): Promise<unknown> }> {
    const name = uuid(this.ports.random);
    const rows = await newMount(this.ports, name, path, options);
    return {
      name,
      open: () =>
        this.ports.stores(name).commit({ epoch: "next", expect: [[keys.mount, null]], put: rows }),
    };
  }
  async #install(): Promise<void> {
    const { name, open } = await this.#prepare("pki", {
      type: "pki",
      description: "",
      config: { max_lease_ttl: firstMountTtl },
    });
    await open();
    // of several first starts one wins; the stores of the others hold a mount that no path leads to
    await this.sys.store.commit({
      epoch: "next",
      expect: [[sysKeys.installed, null]],
      put: [
        [sysKeys.installed, true],
        ...formatRows(sysSteps),
        await fingerprint(this.ports.vault),
        [sysKeys.route("pki"), { uuid: name, free: true }],
      ],
    });
  }
}
