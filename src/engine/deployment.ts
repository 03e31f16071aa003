import type { AuditAttachment } from "./audit-attachment.ts";
import type { Steps as FormatSteps } from "./format.ts";
import type { Steps } from "./jobs.ts";
import type { StoredLease } from "./lease-records.ts";
import type { Sample } from "./metrics.ts";
import type { Mount } from "./mount.ts";
import type { KeyVault, Ports } from "./ports.ts";
import type { MountConfig, MountRow } from "./mount-records.ts";
import type { MountRoute } from "./sys-records.ts";
import type { NewRow, RowsInBackup } from "./rows-in-backup.ts";
import type { ResealResult, SealedSecret } from "./sealing.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Features, StoreContext } from "./store-context.ts";

/** Something beside the mounts that keeps secrets sealed in a store of its own. */
export interface SecretOwner {
  /** Path of its calls, with a slash at the end. */
  readonly path: string;
  /** Name of its store. */
  readonly store: string;
  readonly jobs: readonly AnyJob[];
  /**
   * What keeps it from its work, in one sentence; undefined when nothing does. Rejects where its
   * store cannot be read.
   */
  fault(deployment: Deployment): Promise<string | undefined>;
  /** From the first format of its store to that of today. */
  readonly formats: FormatSteps;
  /** Reports whether its store holds nothing but what its first use makes. */
  isInitial(deployment: Deployment): Promise<boolean>;
  /** Lets it begin anew where its store has lost all rows. Throws CaError `conflict` elsewhere. */
  beginAnew(deployment: Deployment): Promise<void>;
  /** Seals its secrets anew under the current sealing key. */
  reseal(deployment: Deployment): Promise<ResealResult>;
  /** Its stored secrets. */
  secrets(deployment: Deployment): AsyncIterable<SealedSecret>;
}
/** Where the paths of mounts lead. */
export type Routes = ReadonlyMap<string, MountRoute>;

/** All mounts over one set of stores, and what they share. The handlers of `sys` get it. */
export interface Deployment {
  readonly ports: Ports;
  readonly secretOwners: readonly SecretOwner[];
  readonly sys: StoreContext;
  /** The types that mounts may have, by name. */
  readonly types: ReadonlyMap<string, MountType>;
  /** The store context over the store of a name. */
  storeContext(name: string): StoreContext;
  /** The mount of a uuid. */
  mount(uuid: string): Mount;
  /**
   * Throws CaError `storage` while the sealing key is another one than that of the stored secrets.
   */
  demandKey(): Promise<void>;
  /** Whether the sealing key has been found to open what is stored. */
  readonly isKeyKnown: boolean;
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  isKeyRight(): Promise<boolean>;
  /**
   * Resolves once what other processes have committed until now is known here; undefined where it
   * is. Without it what was read may be a second old.
   */
  catchUp(): Promise<void> | undefined;
  /** Where the mounts' paths lead, at most a second old. */
  mounts(): Promise<Routes>;
  /** The same, asked of the store now. */
  readMounts(): Promise<Routes>;
  /** The path that leads to the mount of a uuid now. */
  pathOf(uuid: string): Promise<string | undefined>;
  /** Makes a mount (D 2). Throws `already_exists`. */
  createMount(path: string, options: MountOptions): Promise<void>;
  /**
   * Makes another path lead to a mount, and gives its uuid. `beside`: rows that go into the same
   * change. Throws `no_mount`, `already_exists`.
   */
  moveMount(from: string, to: string, beside: (uuid: string) => Promise<NewRows>): Promise<string>;
  /**
   * Lets a path lead to a store that is being restored: all calls of it are refused until it is
   * opened. Throws `already_exists`.
   */
  claimMount(path: string, route: MountRoute): Promise<void>;
  /** Lets calls reach a mount that was restored. */
  openMount(path: string): Promise<void>;
  /** Removes a mount and all it holds. */
  deleteMount(path: string): Promise<void>;
  /** Returns a view for one call; see `StoreContext.forCall`. */
  forCall(attachment: AuditAttachment): Deployment;
}

/** What is asked of a new mount. */
export interface MountOptions {
  readonly type: string;
  readonly description?: string;
  readonly config?: Partial<MountConfig>;
  readonly options?: Readonly<Record<string, string>> | null;
  readonly local?: boolean;
  readonly seal_wrap?: boolean;
  readonly external_entropy_access?: boolean;
}

/** Rows to be put, by key. */
export type NewRows = readonly NewRow[];
/** How a type of mounts ends what was handed out with leases. */
export interface LeaseEnder {
  /**
   * Ends leases, a hundred at the most, and tells the keys of those that stay because what they
   * stand for is damaged. `lists`: for `show`.
   */
  end(
    mount: Mount,
    leases: readonly StoredLease[],
    options?: { readonly force?: boolean },
  ): Promise<{ readonly damaged: readonly string[]; readonly lists: readonly string[] }>;
  /** Shows at once to those who ask others what was ended; never rejects for them. */
  show(mount: Mount, lists: readonly string[]): Promise<void>;
}
/** What the mounts of one type are, beside the endpoints that they answer. */
export interface MountType {
  /** Such as `pki`; accessors begin with it. */
  readonly type: string;
  /** The rows that a new mount's store begins with, beside that of the mount. */
  rows(ports: Ports, mount: Pick<MountRow, "uuid" | "path">): Promise<NewRows>;
  /** A secret that each mount has from its beginning: key of its row, and what it is bound to. */
  readonly secret: { readonly key: string; binding(uuid: string): string };
  /** Every row that holds a secret, sealed anew; `undefined` for one that opens under no key. */
  resealed(vault: KeyVault, config: Snapshot): Promise<NewRows>;
  /** How its rows are backed up and restored. */
  backup(): Promise<RowsInBackup>;
  readonly jobs: readonly AnyJob[];
  /** What becomes of leases; absent where mounts of the type give none. */
  readonly leases?: LeaseEnder;
  /**
   * The access policies that a mount at a path is made with: names and texts. `number`: from 1 on,
   * higher where another mount has one of the names.
   */
  policies?(path: string, number: number): readonly (readonly [name: string, text: string])[];
  /** What `sys/health` is to warn of, of a mount that works: one sentence each, without names. */
  warnings?(mount: Mount): Promise<readonly string[]>;
  /** Returns the gauges of a mount for `sys/metrics`. */
  gauges?(mount: Mount): Promise<readonly Sample[]>;
  /** The mount that the first start makes. */
  readonly first?: { readonly path: string; readonly config: Partial<MountConfig> };
}
/** What a deployment is put together from. */
export interface DeploymentParts {
  readonly types: readonly MountType[];
  /** Jobs of the system. */
  readonly jobs: readonly AnyJob[];
  readonly secretOwners?: readonly SecretOwner[];
  readonly features?: Features;
}

/** What a mount that is removed leaves to be done: rows for the store `sys`, asked for before. */
interface Leaving {
  removal?(mount: Mount): Promise<NewRows>;
}
/** Work that time or a change demands, of a mount, of a store context, or of the deployment. */
export type Job<P = unknown> = Leaving &
  (
    | ({ readonly of: "mount" } & Steps<Mount, P>)
    | ({ readonly of: "storeContext" } & Steps<StoreContext, P>)
    | ({ readonly of: "deployment" } & Steps<Deployment, P>)
  );
/** A job that is loaded when one of its kind is to be run. */
export interface LaterJob {
  readonly kind: string;
  load(): Promise<Job>;
}
/** A job as it is found by its kind. */
export type AnyJob = Job | LaterJob;
