import { CaError } from "../base/errors.ts";
import { uuid } from "../base/ids.ts";
import { freshFor, kindOf } from "./cache.ts";
import type { Deployment, Job, Keeper, Routes } from "./deployment.ts";
import { Mount } from "./mount.ts";
import { firstMountTtl, newMount, type MountOptions } from "./new-mount.ts";
import type { Batch, Ports } from "./ports.ts";
import { keys, serialKeyBinding } from "./records.ts";
import { belowSys, type MountRoute, sysKeys } from "./sys-records.ts";
import { fingerprint, keyFits, wrongKey, type SealedSecret } from "./sealing.ts";
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
  #keyFits = false;
  /**
   * When the key was last found to be another one, or mounts could not be read that tell so
   * (`cause`): Unix milliseconds.
   */
  #keyRefused: { readonly at: number; readonly cause?: Error } = { at: -Infinity };

  constructor(ports: Ports, jobs: readonly Job[], keepers: readonly Keeper[] = []) {
    this.ports = ports;
    this.#jobs = jobs;
    this.keepers = keepers;
    this.sys = this.#newUnit(sysName);
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
    return new Unit(this.ports, name, (unit, kind, id) => this.#run(unit, kind, id), sys);
  }
  async #run(unit: Unit, kind: string, id: string): Promise<void> {
    const job = this.#jobs.find((known) => known.kind === kind);
    if (!job) throw new TypeError(`no job ${kind}`);
    if (job.of === "mount") await job.run(this.mount(unit.name), id);
    else if (job.of === "unit") await job.run(unit, id);
    else await job.run(this, id);
  }

  /**
   * Runs the due jobs of every mount and of `sys`, and tells when the next is due, Unix
   * milliseconds.
   */
  async tick(): Promise<number | undefined> {
    await this.demandKey();
    const due: number[] = [];
    for (const name of [
      ...[...(await this.mounts()).values()].map((route) => route.uuid),
      sysName,
    ]) {
      // a store that fails must not keep the jobs of the others waiting
      const next = await this.unit(name)
        .tick()
        .catch((cause: unknown) => {
          this.ports.log?.({ endpoint: "job tick", status: 500, ms: 0, cause });
          return this.ports.now() + tickAgainAfter;
        });
      if (next !== undefined) due.push(next);
    }
    return due.length ? Math.min(...due) : undefined;
  }

  /**
   * Whether the sealing key is another one than that of the stored secrets, at the first use of all
   * too: then the store gets the key's fingerprint. Throws CaError `storage`.
   */
  async demandKey(): Promise<void> {
    if (this.#keyFits) return;
    await this.mounts();
    await this.refuseWrongKey();
  }
  /** The same where nothing is made: an empty store fits any key. Throws CaError `storage`. */
  async refuseWrongKey(): Promise<void> {
    if (!(await this.isKeyRight())) throw wrongKey();
  }
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  async isKeyRight(): Promise<boolean> {
    if (this.#keyFits) return true;
    const now = this.ports.now();
    const { at, cause } = this.#keyRefused;
    // strangers may ask, and may not make the storage work for each call
    if (now - at < freshFor && now >= at) {
      if (cause) throw cause;
      return false;
    }
    const { store } = this.sys;
    const [marker] = await store.get([sysKeys.installed]);
    if (!marker) return true;
    this.#keyFits = await keyFits(store, this.ports.vault, () => this.#secrets());
    if (!this.#keyFits) this.#keyRefused = { at: now };
    return this.#keyFits;
  }
  /**
   * Of each mount the key of its serial numbers, which every mount has, and what the other APIs
   * keep. Rejects at the end where a mount could not be read.
   */
  async *#secrets(): AsyncIterable<SealedSecret> {
    let failure: Error | undefined;
    for (const [, row] of await this.sys.store.list(belowSys.routes)) {
      const { uuid: name } = stored.route(row.value);
      const [serial] = await this.unit(name)
        .store.get([keys.config("serial")])
        .catch((cause: unknown) => {
          failure =
            cause instanceof Error
              ? cause
              : new CaError("storage", "the storage cannot be reached", { cause });
          return [];
        });
      if (serial?.value instanceof Uint8Array)
        yield { sealed: serial.value, binding: serialKeyBinding(name) };
    }
    for (const keeper of this.keepers) yield* keeper.secrets(this);
    if (!failure) return;
    this.#keyRefused = { at: this.ports.now(), cause: failure };
    throw failure;
  }

  /**
   * Where the mounts' paths lead, at most a second old. The first use of all makes the mount `pki`.
   */
  mounts(): Promise<Routes> {
    return this.sys.cache.recent(routes, "", () => this.readMounts());
  }
  /** The same, asked of the store now. */
  async readMounts(): Promise<Routes> {
    const { store } = this.sys;
    const [marker] = await store.get([sysKeys.installed]);
    if (!marker) {
      await this.#install();
      // of several first starts another one may have won, with another key
      await this.refuseWrongKey();
    }
    const rows = await store.list(belowSys.routes);
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
        await fingerprint(this.ports.vault),
        [sysKeys.route("pki"), { uuid: name, free: true }],
      ],
    });
  }
}
