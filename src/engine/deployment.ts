import type { Steps as FormatSteps } from "./format.ts";
import type { Steps } from "./jobs.ts";
import type { StoredLease } from "./lease-records.ts";
import type { Sample } from "./metrics.ts";
import type { Mount } from "./mount.ts";
import type { JoinPartitions } from "./mount-stores.ts";
import type { PlacementRules } from "./placement.ts";
import type { KeyVault, Ports } from "./ports.ts";
import type { MountConfig, MountRow } from "./mount-records.ts";
import type { MountRoute } from "./sys-records.ts";
import type { NewRow, RowsInBackup } from "./rows-in-backup.ts";
import type { ResealResult, SealedSecret } from "./sealing.ts";
import type { ConfigSchema, Snapshot } from "./snapshot.ts";
import type { AuditAttachment, Features, StoreContext } from "./store-context.ts";

/** An API outside the mounts that has sealed secrets in its own store. */
export interface SecretOwner {
  /** Path of its endpoints, with a trailing slash. */
  readonly path: string;
  /** Name of its store. */
  readonly store: string;
  /** Its jobs, including the one that reseals its secrets. */
  readonly jobs: readonly AnyJob[];
  /**
   * Returns why it cannot work, in one sentence; undefined if it can. Rejects if its store cannot
   * be read.
   */
  fault(deployment: Deployment): Promise<string | undefined>;
  /** Migrations of its store's format. */
  readonly formats: FormatSteps;
  /** Reports whether its store has only the rows that its first use creates. */
  isInitial(deployment: Deployment): Promise<boolean>;
  /** Lets it start over if its store has lost all rows. Throws CaError `conflict` otherwise. */
  beginAnew(deployment: Deployment): Promise<void>;
  /** Reseals its secrets with the current sealing key. */
  reseal(deployment: Deployment): Promise<ResealResult>;
  /** Yields its stored secrets. */
  secrets(deployment: Deployment): AsyncIterable<SealedSecret>;
}
/** The mounts by path. */
export type Routes = ReadonlyMap<string, MountRoute>;

/**
 * All mounts over one set of stores, and their shared parts. Handlers of `sys` endpoints receive
 * it.
 */
export interface Deployment {
  readonly ports: Ports;
  readonly secretOwners: readonly SecretOwner[];
  readonly sys: StoreContext;
  /** The available types of mounts, by name. */
  readonly types: ReadonlyMap<string, MountType>;
  /** Returns the store context of the named store. */
  storeContext(name: string): StoreContext;
  /** Returns the mount with a uuid. */
  mount(uuid: string): Mount;
  /** Throws CaError `storage` if the sealing key is not that of the stored secrets. */
  requireKey(): Promise<void>;
  /** Whether the sealing key is known to open the stored secrets. */
  readonly isKeyKnown: boolean;
  /**
   * Reports whether the sealing key can open the stored secrets. Rejects if that cannot be
   * determined.
   */
  isKeyRight(): Promise<boolean>;
  /**
   * Resolves when this engine has all commits of other processes so far; undefined if it already
   * has. Without this, cached rows may be a second old.
   */
  catchUp(): Promise<void> | undefined;
  /** Returns the mounts by path, at most a second old. */
  mounts(): Promise<Routes> | Routes;
  /** Reads the mounts by path from the store. */
  readMounts(): Promise<Routes>;
  /** Reads the routes of mounts without performing the first start. */
  storedRoutes(): Promise<Routes>;
  /** Opens the store of a mount that has no route yet. */
  openStore(route: MountRoute): Promise<StoreContext>;
  /** Returns the current path of a mount. */
  pathOf(uuid: string): Promise<string | undefined>;
  /** Creates a mount (D 2). Throws `already_exists`. */
  createMount(path: string, options: MountOptions): Promise<void>;
  /**
   * Moves a mount to another path and returns its uuid. `beside`: returns rows to put in the same
   * commit. Throws `no_mount`, `already_exists`.
   */
  moveMount(from: string, to: string, beside: (uuid: string) => Promise<NewRows>): Promise<string>;
  /**
   * Routes a path to a store that is being restored; calls are rejected until it is opened. Throws
   * `already_exists`.
   */
  claimMount(path: string, route: MountRoute): Promise<void>;
  /** Opens a restored mount for calls. */
  openMount(path: string): Promise<void>;
  /** Deletes a mount and everything in it. */
  deleteMount(path: string): Promise<void>;
  /** Returns a view for one call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment): Deployment;
}

/** Options of a new mount. */
export interface MountOptions {
  readonly type: string;
  readonly description?: string;
  readonly config?: Partial<MountConfig>;
  readonly options?: Readonly<Record<string, string>> | null;
  readonly local?: boolean;
  readonly seal_wrap?: boolean;
  readonly external_entropy_access?: boolean;
}

/** Rows to put, by key. */
export type NewRows = readonly NewRow[];
/** Ends the leases of mounts of a type. */
export interface LeaseEnder {
  /**
   * Ends up to a hundred leases. Returns the keys of those that cannot be ended because their
   * certificate is damaged. `lists`: CRLs to pass to `show`.
   */
  end(
    mount: Mount,
    leases: readonly StoredLease[],
    options?: { readonly force?: boolean },
  ): Promise<{ readonly damaged: readonly string[]; readonly lists: readonly string[] }>;
  /**
   * Rebuilds the CRLs in `lists`, so that clients learn at once that the leases have ended; never
   * rejects.
   */
  show(mount: Mount, lists: readonly string[]): Promise<void>;
}
/** A type of mounts, without its endpoints. */
export interface MountType {
  /** Name, such as `pki`; accessors begin with it. */
  readonly type: string;
  /** The rows that are the configuration of a mount. */
  readonly config: ConfigSchema;
  /** Returns where the rows of a mount with several partitions are; absent: it cannot have them. */
  placement?(): Promise<PlacementRules>;
  /** Throws CaError `conflict` if a mount with this configuration cannot get more partitions. */
  requireGrowable?(config: Snapshot): Promise<void>;
  /** Returns the first rows of a new mount's store, in addition to the mount's own row. */
  rows(ports: Ports, mount: Pick<MountRow, "uuid" | "path">): Promise<NewRows>;
  /** A secret that every mount has from the start: the key of its row, and its binding. */
  readonly secret: { readonly key: string; binding(uuid: string): string };
  /** Returns every row with a secret, resealed; `undefined` for a secret that no key can open. */
  resealed(vault: KeyVault, config: Snapshot): Promise<NewRows>;
  /** Returns functions for backing up and restoring its rows. */
  backup(): Promise<RowsInBackup>;
  readonly jobs: readonly AnyJob[];
  /** Ends leases; absent if mounts of the type have none. */
  readonly leases?: LeaseEnder;
  /**
   * Returns names and texts of the policies of a new mount at a path. `number`: 1, or higher if
   * another mount has one of the names.
   */
  policies?(path: string, number: number): readonly (readonly [name: string, text: string])[];
  /** Returns the warnings of a working mount for `sys/health`: one sentence each, without names. */
  warnings?(mount: Mount): Promise<readonly string[]>;
  /** Returns the gauges of a mount for `sys/metrics`. */
  gauges?(mount: Mount): Promise<readonly Sample[]>;
  /** The mount that the first start creates. */
  readonly first?: { readonly path: string; readonly config: Partial<MountConfig> };
}
/** The parts of a deployment. */
export interface DeploymentParts {
  readonly types: readonly MountType[];
  /** Jobs of the system. */
  readonly jobs: readonly AnyJob[];
  readonly secretOwners?: readonly SecretOwner[];
  readonly features?: Features;
  /** Loads the functions that join the stores of partitions; absent: mounts cannot have several. */
  partitioned?(): Promise<JoinPartitions>;
}

/**
 * Returns rows for the store `sys` that the cleanup after a deleted mount needs; called before the
 * mount is deleted.
 */
interface Leaving {
  removal?(mount: Mount): Promise<NewRows>;
}
/** Scheduled work on a mount, a store context or the deployment. */
export type Job<P = unknown> = Leaving &
  (
    | ({ readonly of: "mount" } & Steps<Mount, P>)
    | ({ readonly of: "storeContext" } & Steps<StoreContext, P>)
    | ({ readonly of: "deployment" } & Steps<Deployment, P>)
  );
/** A job whose code is loaded on its first run. */
export interface LazyJob {
  readonly kind: string;
  load(): Promise<Job>;
}
/** A job, loaded or not. */
export type AnyJob = Job | LazyJob;
