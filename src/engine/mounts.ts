import type { AuditAttachment } from "./audit-attachment.ts";
import type {
  AnyJob,
  Deployment,
  SecretOwner,
  MountOptions,
  MountType,
  NewRows,
  Parts,
  Routes,
} from "./deployment.ts";
import { refuseNewer } from "./format.ts";
import type { PartitionSteps } from "./jobs.ts";
import { loadedJob } from "./later-jobs.ts";
import { Mount } from "./mount.ts";
import { MountTable } from "./mount-table.ts";
import type { Ports } from "./ports.ts";
import { wrongKey } from "./sealing.ts";
import { SealingKey } from "./sealing-key.ts";
import { mountSteps } from "./snapshot.ts";
import { sysSteps } from "./sys-format.ts";
import { type MountRoute, sysKeys } from "./sys-records.ts";
import { Partition, type Features } from "./partition.ts";

const sysName = "sys";
/** When the jobs of a store that failed are looked at again, milliseconds. */
const tickAgainAfter = 30_000;
const restoring = (route: MountRoute): MountRoute => ({ ...route, restoring: true });
const nothing = async (): Promise<void> => undefined;
/** All mounts over one set of stores. */
export class Mounts implements Deployment {
  readonly ports: Ports;
  readonly secretOwners: readonly SecretOwner[];
  readonly types: ReadonlyMap<string, MountType>;
  readonly sys: Partition;
  readonly #features: Features;
  readonly #jobs: readonly AnyJob[];
  readonly #partitions = new Map<string, Partition>();
  readonly #mounts = new Map<string, Mount>();
  readonly #key: SealingKey;
  readonly #table: MountTable;
  readonly #followed: (() => Promise<void> | undefined) | undefined;

  constructor(ports: Ports, { types, jobs, secretOwners = [], features = {} }: Parts) {
    this.ports = ports;
    this.secretOwners = secretOwners;
    this.#features = features;
    this.types = new Map(types.map((type) => [type.type, type]));
    this.#jobs = [...jobs, ...[...types, ...secretOwners].flatMap((part) => part.jobs)];
    this.sys = this.#newPartition(sysName);
    this.#key = new SealingKey(this);
    this.#table = new MountTable(this, () => this.refuseWrongKey());
    this.#followed = ports.stores.follow?.((name, changed) => this.#changed(name, changed));
  }

  catchUp(): Promise<void> | undefined {
    return this.#followed?.();
  }
  /** Another process has changed rows of a store. */
  #changed(name: string, changed?: readonly string[]): void {
    const partition = name === sysName ? this.sys : this.#partitions.get(name);
    if (changed) partition?.cache.changedElsewhere(changed);
    else partition?.cache.forget();
    if (!changed || changed.includes("epoch")) this.#mounts.get(name)?.forget();
  }

  /** The partition over the store of a name: a mount's uuid, `sys`, or that of another API. */
  partition(name: string): Partition {
    if (name === sysName) return this.sys;
    let partition = this.#partitions.get(name);
    if (!partition) {
      // those of dead mounts are dropped with the rest when there are many: a partition is only a
      // cache
      if (this.#partitions.size >= 1000) {
        this.#partitions.clear();
        this.#mounts.clear();
      }
      partition = this.#newPartition(name, this.sys);
      this.#partitions.set(name, partition);
    }
    return partition;
  }
  /** The mount of a uuid. */
  mount(uuid: string): Mount {
    const partition = this.partition(uuid);
    let mount = this.#mounts.get(uuid);
    if (!mount) {
      mount = new Mount(partition, () => this.pathOf(uuid));
      this.#mounts.set(uuid, mount);
    }
    return mount;
  }
  #newPartition(name: string, sys?: Partition): Partition {
    return new Partition(this.ports, name, {
      features: this.#features,
      steps: (partition, kind) => this.#steps(partition, kind),
      ...(sys ? { sys } : {}),
    });
  }
  async #steps(partition: Partition, kind: string): Promise<PartitionSteps> {
    const known = this.#jobs.find((one) => one.kind === kind);
    if (!known)
      return { budget: 1, step: () => Promise.reject(new TypeError(`no job of the kind ${kind}`)) };
    const job = await loadedJob(known);
    const { budget } = job;
    if (job.of === "mount")
      return {
        budget,
        step: async (id, progress) => {
          // a step may write without having read the configuration
          await refuseNewer(partition.store, mountSteps);
          return job.step(this.mount(partition.name).forJob(), id, progress);
        },
      };
    return {
      budget,
      step: async (id, progress) => {
        // those of the other APIs look for themselves
        if (partition === this.sys) await refuseNewer(partition.store, sysSteps);
        return job.of === "partition"
          ? job.step(partition, id, progress)
          : job.step(this, id, progress);
      },
    };
  }

  /**
   * Runs the due jobs of every mount and of `sys`, and tells when the next is due, Unix
   * milliseconds.
   */
  async tick(): Promise<number | undefined> {
    await this.catchUp();
    await this.demandKey();
    const mounts = [...(await this.mounts()).values()].map((route) => route.uuid);
    // what nobody has used yet is not even opened
    const used = await this.sys.store.get(
      this.secretOwners.map(({ store }) => sysKeys.used(store)),
    );
    const others = this.secretOwners.filter((_, at) => used[at]).map(({ store }) => store);
    const due = await Promise.all(
      [...mounts, ...others, sysName].map((name) =>
        // a store that fails must not keep the jobs of the others waiting
        this.partition(name)
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

  /** Runs a job of a store now. Throws CaError `storage` under another sealing key. */
  async run(store: string, kind: string, id: string): Promise<void> {
    await this.catchUp();
    await this.refuseWrongKey();
    await this.partition(store).run(kind, id);
  }
  /** Runs the due jobs of one store, and tells when its next is due, Unix milliseconds. */
  async tickStore(store: string): Promise<number | undefined> {
    await this.catchUp();
    await this.refuseWrongKey();
    return this.partition(store).tick();
  }

  /**
   * Whether the sealing key is another one than that of the stored secrets, at the first use of all
   * too: then the store gets the key's fingerprint. Throws CaError `storage`.
   */
  async demandKey(): Promise<void> {
    if (this.isKeyKnown) return;
    // nothing is made where there is no key
    if (this.ports.vault.lacking !== undefined) throw wrongKey(this.ports.vault);
    await this.mounts();
    await this.refuseWrongKey();
  }
  /** The same where nothing is made: an empty store fits any key. Throws CaError `storage`. */
  async refuseWrongKey(): Promise<void> {
    if (!(await this.isKeyRight())) throw wrongKey(this.ports.vault);
  }
  /** Whether the sealing key has been found to open what is stored. */
  get isKeyKnown(): boolean {
    return this.#key.isKnown;
  }
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  isKeyRight(): Promise<boolean> {
    return this.#key.isRight();
  }

  /**
   * Where the mounts' paths lead, at most a second old. The first use of all makes the first
   * mounts.
   */
  mounts(): Promise<Routes> {
    return this.#table.recent();
  }
  /** The same, asked of the store now. */
  readMounts(): Promise<Routes> {
    return this.#table.read();
  }
  /** The path that leads to the mount of a uuid now. */
  async pathOf(uuid: string): Promise<string | undefined> {
    for (const [path, route] of await this.readMounts()) if (route.uuid === uuid) return path;
    return undefined;
  }
  /** Makes a mount (D 2); see `MountTable.create`. */
  createMount(path: string, options: MountOptions): Promise<void> {
    return this.#table.create(path, options);
  }
  /** Makes another path lead to a mount; see `MountTable.move`. */
  moveMount(from: string, to: string, beside: (uuid: string) => Promise<NewRows>): Promise<string> {
    return this.#table.move(from, to, beside);
  }
  /** Lets a path lead to a store that is being restored; see `MountTable.claim`. */
  claimMount(path: string, route: MountRoute): Promise<void> {
    return this.#table.claim(path, restoring(route), nothing);
  }
  /** Lets calls reach a mount that was restored. */
  openMount(path: string): Promise<void> {
    return this.#table.opened(path);
  }
  /** Returns a view for one call; see `Partition.forCall`. */
  forCall(attachment: AuditAttachment): Deployment {
    const { ports, secretOwners, types } = this;
    const sys = this.sys.forCall(attachment);
    const isKnown = () => this.isKeyKnown;
    const view: Deployment = {
      ports,
      secretOwners,
      types,
      sys,
      partition: (name) => (name === sysName ? sys : this.partition(name).forCall(attachment, sys)),
      mount: (uuid) => this.mount(uuid).forCall(attachment, sys),
      demandKey: () => this.demandKey(),
      get isKeyKnown() {
        return isKnown();
      },
      catchUp: () => this.catchUp(),
      isKeyRight: () => this.isKeyRight(),
      mounts: () => this.mounts(),
      readMounts: () => this.readMounts(),
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
  /** Removes a mount and all it holds. */
  deleteMount(path: string): Promise<void> {
    return this.#delete(this.#table, path);
  }
  async #delete(table: MountTable, path: string): Promise<void> {
    const gone = await table.remove(path, async (mount) => {
      // a store that is broken can be removed too
      const rows = this.#jobs.map(async (job) =>
        (await loadedJob(job)).removal?.(mount).catch(() => []),
      );
      return (await Promise.all(rows)).flatMap((some) => some ?? []);
    });
    if (!gone) return;
    this.#partitions.delete(gone.name);
    this.#mounts.delete(gone.name);
  }
}
