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

/** An API that belongs to no mount and has sealed secrets in its own store. */
export interface SecretOwner {
  /** URL path of the API's endpoints, with a trailing slash. */
  readonly path: string;
  /** Name of the API's store. */
  readonly store: string;
  /** The API's jobs, including the job that reseals the secrets. */
  readonly jobs: readonly AnyJob[];
  /**
   * Returns why the API cannot work, in one sentence, or undefined if it can work. Rejects if the
   * store cannot be read.
   */
  fault(deployment: Deployment): Promise<string | undefined>;
  /** Migrations of the store's format. */
  readonly formats: FormatSteps;
  /** Reports whether the store has only the rows that the first use of the API creates. */
  isInitial(deployment: Deployment): Promise<boolean>;
  /**
   * Lets the API start over with an empty store if the store has lost all rows. Throws CaError
   * `conflict` otherwise.
   */
  beginAnew(deployment: Deployment): Promise<void>;
  /** Reseals the API's secrets with the current sealing key. */
  reseal(deployment: Deployment): Promise<ResealResult>;
  /** Yields the API's stored secrets. */
  secrets(deployment: Deployment): AsyncIterable<SealedSecret>;
}
/** The mounts by path. */
export type Routes = ReadonlyMap<string, MountRoute>;

/**
 * All mounts in one set of stores, and the data that they share. `sys` endpoints work on this
 * object.
 */
export interface Deployment {
  readonly ports: Ports;
  readonly secretOwners: readonly SecretOwner[];
  readonly sys: StoreContext;
  /** The available mount types by name. */
  readonly types: ReadonlyMap<string, MountType>;
  /** Returns the store context of the named store. */
  storeContext(name: string): StoreContext;
  /** Returns the mount with the given UUID. */
  mount(uuid: string): Mount;
  /** Throws CaError `storage` if the sealing key cannot open the stored secrets. */
  requireKey(): Promise<void>;
  /** Whether the sealing key is known to open the stored secrets. */
  readonly isKeyKnown: boolean;
  /**
   * Reports whether the sealing key can open the stored secrets. Rejects if that cannot be
   * determined.
   */
  isKeyRight(): Promise<boolean>;
  /**
   * Resolves when this process has seen all previous commits of other processes. Returns undefined
   * if it already has. Without this call, cached rows may be up to a second old.
   */
  catchUp(): Promise<void> | undefined;
  /** Returns the mounts by path, from a cache that is at most a second old. */
  mounts(): Promise<Routes> | Routes;
  /** Reads the mounts by path from the store. */
  readMounts(): Promise<Routes>;
  /** Reads the routes of mounts without initializing the deployment. */
  storedRoutes(): Promise<Routes>;
  /** Opens the store of a mount that has no route yet. */
  openStore(route: MountRoute): Promise<StoreContext>;
  /** Returns the current path of a mount, or undefined if it was deleted. */
  pathOf(uuid: string): Promise<string | undefined>;
  /**
   * Creates a mount (D 2). Throws `malformed` if the options are invalid, and `already_exists` if
   * the path is not free.
   */
  createMount(path: string, options: MountOptions): Promise<void>;
  /**
   * Moves a mount to another path and returns its UUID. `beside` returns rows to put in the same
   * commit. Throws `no_mount` if `from` has no mount, and `already_exists` if `to` is not free.
   */
  moveMount(from: string, to: string, beside: (uuid: string) => Promise<NewRows>): Promise<string>;
  /**
   * Routes a path to a mount that is being restored. Requests are rejected until `openMount` is
   * called. Throws `already_exists` if the path is not free.
   */
  claimMount(path: string, route: MountRoute): Promise<void>;
  /** Lets a restored mount accept requests. */
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

/** Rows to put, with their keys. */
export type NewRows = readonly NewRow[];
/** Functions that revoke leases in mounts of one type. */
export interface LeaseEnder {
  /**
   * Revokes up to a hundred leases. Returns the keys of the leases that cannot be revoked because
   * their certificate is damaged, and in `crlIds` the CRLs to pass to `show`.
   */
  end(
    mount: Mount,
    leases: readonly StoredLease[],
    options?: { readonly force?: boolean },
  ): Promise<{ readonly damaged: readonly string[]; readonly crlIds: readonly string[] }>;
  /**
   * Rebuilds the CRLs in `crlIds`, so that clients see at once that the certificates are revoked.
   * Never rejects.
   */
  show(mount: Mount, crlIds: readonly string[]): Promise<void>;
}
/** A mount type, without its endpoints. */
export interface MountType {
  /** Name of the type, such as `pki`. The accessors of mounts begin with it. */
  readonly type: string;
  /** The rows that form the configuration of a mount. */
  readonly config: ConfigSchema;
  /**
   * Returns the given version of the rules that place rows in partitions. If absent, mounts cannot
   * have several partitions.
   */
  placement?(version: number): Promise<PlacementRules>;
  /** Returns the first rows of a new mount's store, in addition to the mount's own row. */
  rows(ports: Ports, mount: Pick<MountRow, "uuid" | "path">): Promise<NewRows>;
  /** The row key and the binding of the secret that every mount has from the start. */
  readonly secret: { readonly key: string; binding(uuid: string): string };
  /**
   * Reseals all secrets and returns their rows. The value of a row is `undefined` if no key can
   * open its secret.
   */
  resealed(vault: KeyVault, config: Snapshot): Promise<NewRows>;
  /** Loads the functions that back up and restore the rows of a mount. */
  backup(): Promise<RowsInBackup>;
  readonly jobs: readonly AnyJob[];
  /** Functions that revoke leases. Absent if mounts of the type have no leases. */
  readonly leases?: LeaseEnder;
  /**
   * Returns the initial policies of a mount at the given path. `number` distinguishes the policy
   * names from those for other mounts; it is 1 unless one of the names is in use.
   */
  policies?(path: string, number: number): readonly (readonly [name: string, text: string])[];
  /**
   * Returns warnings about a working mount for `sys/health`, one sentence each. They contain no
   * names, because `sys/health` requires no token.
   */
  warnings?(mount: Mount): Promise<readonly string[]>;
  /** Returns the gauges of a mount for `sys/metrics`. */
  gauges?(mount: Mount): Promise<readonly Sample[]>;
  /** The mount that is created when the deployment is initialized. */
  readonly first?: { readonly path: string; readonly config: Partial<MountConfig> };
}
/** The mount types, jobs and features of a deployment. */
export interface DeploymentParts {
  readonly types: readonly MountType[];
  /** Jobs of the `sys` store. */
  readonly jobs: readonly AnyJob[];
  readonly secretOwners?: readonly SecretOwner[];
  readonly features?: Features;
  /**
   * Loads the functions that join the stores of partitions. If absent, mounts cannot have several
   * partitions.
   */
  partitioned?(): Promise<JoinPartitions>;
}

/**
 * The hook of a job that cleans up after a deleted mount. It is called before the mount is deleted,
 * and returns the rows to add to the `sys` store for the cleanup.
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
/** A job that is already loaded, or is loaded on its first run. */
export type AnyJob = Job | LazyJob;
