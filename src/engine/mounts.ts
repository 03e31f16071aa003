import { isInstalled, sysSteps } from "./sys-format.ts";
import { CaError } from "../base/errors.ts";
import { freshFor, type AuditAttachment, StoreContext, type Features } from "./store-context.ts";
import type {
  Deployment,
  AnyJob,
  SecretOwner,
  MountOptions,
  MountType,
  NewRows,
  DeploymentParts,
  Routes,
} from "./deployment.ts";
import { opensSecrets, type SealedSecret, wrongKey } from "./sealing.ts";
import { belowSys, storedRoute, type MountRoute, sysKeys } from "./sys-records.ts";
import { contextOf, findStore } from "./partition-stores.ts";
import { refuseNewer } from "./format.ts";
import type { JobSteps } from "./jobs.ts";
import { loadJob } from "./lazy-jobs.ts";
import { Mount } from "./mount.ts";
import { MountStores } from "./mount-stores.ts";
import { MountTable } from "./mount-table.ts";
import type { Ports } from "./ports.ts";
import { mountSteps, type ConfigSchema } from "./snapshot.ts";

/** The state of a deployment's sealing key: whether it can open the stored secrets. */
class SealingKey {
  /** Whether the key is known to be right. */
  isKnown = false;
  readonly #deployment: Deployment;
  /**
   * Time of the last failed check (Unix ms). The key was wrong or, if there is a `cause`, stores
   * with secrets to check could not be read.
   */
  #refused: { readonly at: number; readonly cause?: Error } = { at: -Infinity };

  /** Creates the object without checking the key. */
  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** Reports whether the key can open the stored secrets. Rejects if that cannot be determined. */
  async isRight(): Promise<boolean> {
    if (this.isKnown) return true;
    const { ports, sys } = this.#deployment;
    if (ports.vault.lacking !== undefined) return false;
    const now = ports.now();
    const { at, cause } = this.#refused;
    // anonymous callers may cause this check, but must not cause a storage access per request
    if (now - at < freshFor && now >= at) {
      if (cause) throw cause;
      return false;
    }
    if (!(await isInstalled(sys.store))) return true;
    this.isKnown = await opensSecrets(sys.store, ports.vault, () => this.#secrets());
    if (!this.isKnown) this.#refused = { at: now };
    return this.isKnown;
  }

  /**
   * Yields the secret that each mount has from the start, and the secrets of the other APIs.
   * Rejects at the end if the store of a mount could not be read.
   */
  async *#secrets(): AsyncIterable<SealedSecret> {
    const { ports, secretOwners } = this.#deployment;
    let failure: Error | undefined;
    for (const { uuid, type } of (await this.#deployment.storedRoutes()).values()) {
      const secret = this.#deployment.types.get(type)?.secret;
      if (!secret) continue;
      const [stored] = await this.#deployment
        .storeContext(uuid)
        .store.get([secret.key])
        .catch((cause: unknown) => {
          failure =
            cause instanceof Error
              ? cause
              : new CaError("storage", "the storage is unreachable", { cause });
          return [];
        });
      if (stored?.value instanceof Uint8Array)
        yield { sealed: stored.value, binding: secret.binding(uuid) };
    }
    for (const owner of secretOwners) yield* owner.secrets(this.#deployment);
    if (!failure) return;
    this.#refused = { at: ports.now(), cause: failure };
    throw failure;
  }
}

const sysName = "sys";
/** Delay in ms after which the jobs of a failed store are retried. */
const tickAgainAfter = 30_000;
const restoring = (route: MountRoute): MountRoute => ({ ...route, restoring: true });
const nothing = async (): Promise<void> => undefined;
/** All mounts in one set of stores. */
export class Mounts implements Deployment {
  readonly ports: Ports;
  readonly secretOwners: readonly SecretOwner[];
  readonly types: ReadonlyMap<string, MountType>;
  readonly sys: StoreContext;
  readonly #features: Features;
  /** Schema of all mount types, because a mount's type is unknown until its rows are read. */
  readonly #schema: ConfigSchema;
  readonly #jobs: readonly AnyJob[];
  readonly #storeContexts = new Map<string, StoreContext>();
  readonly #mounts = new Map<string, Mount>();
  readonly #stores: MountStores;
  readonly #key: SealingKey;
  readonly #table: MountTable;
  readonly #followed: (() => Promise<void> | undefined) | undefined;

  constructor(
    ports: Ports,
    { types, jobs, secretOwners = [], features = {}, partitioned }: DeploymentParts,
  ) {
    this.ports = ports;
    this.secretOwners = secretOwners;
    this.#features = features;
    this.types = new Map(types.map((type) => [type.type, type]));
    this.#schema = {
      prefixes: types.flatMap(({ config }) => config.prefixes),
      onDemand: types.flatMap(({ config }) => config.onDemand),
      settings: types.flatMap(({ config }) => config.settings),
    };
    this.#jobs = [...jobs, ...[...types, ...secretOwners].flatMap((part) => part.jobs)];
    this.#stores = new MountStores(ports, this.types, partitioned);
    this.sys = this.#newStoreContext(sysName);
    this.#key = new SealingKey(this);
    this.#table = new MountTable(this, () => this.refuseWrongKey());
    this.#followed = ports.stores.follow?.((name, changed) => this.#changed(name, changed));
  }

  catchUp(): Promise<void> | undefined {
    return this.#followed?.();
  }
  /** Handles a change to rows by another process. */
  #changed(store: string, changed?: readonly string[]): void {
    const name = contextOf(store);
    const storeContext = name === sysName ? this.sys : this.#storeContexts.get(name);
    if (changed) storeContext?.cache.changedElsewhere(changed);
    else storeContext?.cache.forget();
    if (!changed || changed.includes("epoch")) this.#mounts.get(name)?.forget();
  }

  /**
   * Returns the store context of the named store. `name` is a mount's UUID, `sys`, or the name of
   * another API's store.
   */
  storeContext(name: string): StoreContext {
    if (name === sysName) return this.sys;
    let storeContext = this.#storeContexts.get(name);
    if (!storeContext) {
      // contexts are only caches; dropping all of them frees the memory of deleted mounts
      if (this.#storeContexts.size >= 1000) {
        this.#storeContexts.clear();
        this.#mounts.clear();
      }
      storeContext = this.#newStoreContext(name, this.sys);
      this.#storeContexts.set(name, storeContext);
    }
    return storeContext;
  }
  /** Returns the mount with the given UUID. */
  mount(uuid: string): Mount {
    let mount = this.#mounts.get(uuid);
    if (!mount) {
      const storeContext = this.storeContext(uuid);
      mount = new Mount(storeContext, {
        schema: this.#schema,
        path: () => this.pathOf(uuid),
        partitions: () => this.#stores.countOf(uuid),
      });
      this.#mounts.set(uuid, mount);
    }
    return mount;
  }
  #newStoreContext(name: string, sys?: StoreContext): StoreContext {
    return new StoreContext(this.ports, name, {
      features: this.#features,
      store: this.#stores.open(name),
      steps: (storeContext, kind) => this.#steps(storeContext, kind),
      ...(sys ? { sys } : {}),
    });
  }
  async #steps(storeContext: StoreContext, kind: string): Promise<JobSteps> {
    const declared = this.#jobs.find((one) => one.kind === kind);
    const job = declared && (await loadJob(declared));
    // a restored mount may have rows for any job
    if (!job || (job.of === "deployment" && storeContext !== this.sys))
      return { budget: 1, step: () => Promise.reject(new TypeError(`no job of kind ${kind}`)) };
    if (job.of === "mount")
      return {
        budget: job.budget,
        beside: async (id) => job.beside?.(storeContext, id),
        step: async (id, progress) => {
          // checked here, because a step may write without reading the configuration
          await refuseNewer(storeContext.store, mountSteps);
          return job.step(this.mount(storeContext.name).forJob(), id, progress);
        },
      };
    return {
      budget: job.budget,
      step: async (id, progress) => {
        // the other APIs check the formats of their stores themselves
        if (storeContext === this.sys) await refuseNewer(storeContext.store, sysSteps);
        return job.of === "storeContext"
          ? job.step(storeContext, id, progress)
          : job.step(this, id, progress);
      },
    };
  }

  /** Runs the due jobs of all stores. Returns the time at which the next job is due (Unix ms). */
  async tick(): Promise<number | undefined> {
    await this.catchUp();
    await this.requireKey();
    const mounts = [...(await this.mounts()).values()].map((route) => route.uuid);
    // the stores of APIs that were never used are not opened
    const used = await this.sys.store.get(
      this.secretOwners.map(({ store }) => sysKeys.used(store)),
    );
    const others = this.secretOwners.filter((_, at) => used[at]).map(({ store }) => store);
    const due = await Promise.all(
      [...mounts, ...others, sysName].map((name) =>
        // a store that fails must not delay the jobs of other stores
        this.storeContext(name)
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

  /** Runs a job of a store at once. Throws CaError `storage` if the sealing key is wrong. */
  async run(store: string, kind: string, id: string): Promise<void> {
    await this.catchUp();
    await this.refuseWrongKey();
    await (await this.#contextOf(store)).run(kind, id);
  }
  /** Runs the due jobs of one store. Returns the time at which its next job is due (Unix ms). */
  async tickStore(store: string): Promise<number | undefined> {
    await this.catchUp();
    await this.refuseWrongKey();
    const context = await this.#contextOf(contextOf(store));
    const partition = findStore(context, store);
    // undefined if the mount was restored with fewer partitions
    return partition && context.tick(partition);
  }
  /** Returns a store context by name. Reads the mount's route first if necessary. */
  async #contextOf(name: string): Promise<StoreContext> {
    const isMount = name !== sysName && this.secretOwners.every(({ store }) => store !== name);
    if (this.ports.stores.partitions && isMount) {
      // another process may have just created or restored the mount with several partitions
      const route = await this.#stores.findRoute(name);
      if (route) await this.#learn([route]);
      else if (!this.#storeContexts.has(name)) await this.storedRoutes();
    }
    return this.storeContext(name);
  }

  /**
   * Throws CaError `storage` if the sealing key cannot open the stored secrets. The very first call
   * initializes the deployment, which stores the key's fingerprint.
   */
  async requireKey(): Promise<void> {
    if (this.isKeyKnown) return;
    // without a key, the deployment is not initialized
    if (this.ports.vault.lacking !== undefined) throw wrongKey(this.ports.vault);
    await this.mounts();
    await this.refuseWrongKey();
  }
  /**
   * Throws CaError `storage` if the sealing key is wrong. Creates nothing; any key is right for an
   * empty store.
   */
  async refuseWrongKey(): Promise<void> {
    if (!(await this.isKeyRight())) throw wrongKey(this.ports.vault);
  }
  /** Whether the sealing key is known to open the stored secrets. */
  get isKeyKnown(): boolean {
    return this.#key.isKnown;
  }
  /**
   * Reports whether the sealing key can open the stored secrets. Rejects if that cannot be
   * determined.
   */
  isKeyRight(): Promise<boolean> {
    return this.#key.isRight();
  }

  /**
   * Returns the mounts by path, from a cache that is at most a second old. The very first call
   * initializes the deployment.
   */
  mounts(): Promise<Routes> | Routes {
    return this.#table.recent();
  }
  /** Reads the mounts by path from the store. */
  readMounts(): Promise<Routes> {
    return this.#table.read();
  }
  /** Reads the routes of mounts without initializing the deployment. */
  async storedRoutes(): Promise<Routes> {
    const rows = await this.sys.store.list(belowSys.routes);
    const routes = new Map(
      rows.map(([key, row]) => [key.slice(belowSys.routes.length), storedRoute(row.value)]),
    );
    await this.#learn(routes.values());
    return routes;
  }
  /** Opens the store of a mount that has no route yet. */
  async openStore(route: MountRoute): Promise<StoreContext> {
    await this.#learn([route]);
    return this.storeContext(route.uuid);
  }
  async #learn(routes: Iterable<MountRoute>): Promise<void> {
    for (const uuid of await this.#stores.learn(routes)) {
      this.#storeContexts.delete(uuid);
      this.#mounts.delete(uuid);
    }
  }
  /** Returns the current path of a mount, or undefined if it was deleted. */
  async pathOf(uuid: string): Promise<string | undefined> {
    for (const [path, route] of await this.readMounts()) if (route.uuid === uuid) return path;
    return undefined;
  }
  /** Creates a mount (D 2); see `MountTable.create`. */
  createMount(path: string, options: MountOptions): Promise<void> {
    return this.#table.create(path, options);
  }
  /** Moves a mount to another path; see `MountTable.move`. */
  moveMount(from: string, to: string, beside: (uuid: string) => Promise<NewRows>): Promise<string> {
    return this.#table.move(from, to, beside);
  }
  /** Routes a path to a mount that is being restored; see `MountTable.claim`. */
  claimMount(path: string, route: MountRoute): Promise<void> {
    return this.#table.claim(path, restoring(route), nothing);
  }
  /** Lets a restored mount accept requests. */
  openMount(path: string): Promise<void> {
    return this.#table.opened(path);
  }
  /** Returns a view for one call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment): Deployment {
    const { ports, secretOwners, types } = this;
    const sys = this.sys.forCall(attachment);
    const isKnown = () => this.isKeyKnown;
    const view: Deployment = {
      ports,
      secretOwners,
      types,
      sys,
      storeContext: (name) =>
        name === sysName ? sys : this.storeContext(name).forCall(attachment, sys),
      mount: (uuid) => this.mount(uuid).forCall(attachment, sys),
      requireKey: () => this.requireKey(),
      get isKeyKnown() {
        return isKnown();
      },
      catchUp: () => this.catchUp(),
      isKeyRight: () => this.isKeyRight(),
      mounts: () => this.mounts(),
      readMounts: () => this.readMounts(),
      storedRoutes: () => this.storedRoutes(),
      openStore: async (route) => {
        await this.openStore(route);
        return view.storeContext(route.uuid);
      },
      pathOf: (uuid) => this.pathOf(uuid),
      createMount: (path, options) => tableOf().create(path, options),
      moveMount: (from, to, beside) => tableOf().move(from, to, beside),
      claimMount: (path, route) => tableOf().claim(path, restoring(route), nothing),
      openMount: (path) => tableOf().opened(path),
      deleteMount: (path) => this.#delete(tableOf(), path),
      forCall: (other) => this.forCall(other),
    };
    const tableOf = () => new MountTable(view, () => this.refuseWrongKey());
    return view;
  }
  /** Deletes a mount and everything in it. */
  deleteMount(path: string): Promise<void> {
    return this.#delete(this.#table, path);
  }
  async #delete(table: MountTable, path: string): Promise<void> {
    const deleted = await table.remove(path, async (mount) => {
      // a mount whose store is broken can also be deleted
      const rows = this.#jobs.map(async (job) =>
        (await loadJob(job)).removal?.(mount).catch(() => []),
      );
      return (await Promise.all(rows)).flatMap((some) => some ?? []);
    });
    if (!deleted) return;
    this.#storeContexts.delete(deleted.name);
    this.#mounts.delete(deleted.name);
  }
}
