import type { Steps } from "./jobs.ts";
import type { Mount } from "./mount.ts";
import type { MountOptions } from "./new-mount.ts";
import type { Ports } from "./ports.ts";
import type { MountRoute } from "./sys-records.ts";
import type { Resealed, SealedSecret } from "./sealing.ts";
import type { Unit } from "./unit.ts";

/** Something beside the mounts that keeps secrets sealed in a store of its own. */
export interface Keeper {
  /** Path of its calls, with a slash at the end. */
  readonly path: string;
  /** Name of its store. */
  readonly store: string;
  readonly jobs: readonly Job[];
  /**
   * What keeps it from its work, in one sentence; undefined when nothing does. Rejects where its
   * store cannot be read.
   */
  fault(deployment: Deployment): Promise<string | undefined>;
  /** Lets it begin anew where its store has lost all rows. Throws CaError `conflict` elsewhere. */
  beginAnew(deployment: Deployment): Promise<void>;
  /** Seals its secrets anew under the current sealing key. */
  reseal(deployment: Deployment): Promise<Resealed>;
  /** Its stored secrets. */
  secrets(deployment: Deployment): AsyncIterable<SealedSecret>;
}
/** Where the paths of mounts lead. */
export type Routes = ReadonlyMap<string, MountRoute>;

/** All mounts over one set of stores, and what they share. The handlers of `sys` get it. */
export interface Deployment {
  readonly ports: Ports;
  readonly keepers: readonly Keeper[];
  readonly sys: Unit;
  /** The unit over the store of a name. */
  unit(name: string): Unit;
  /** The mount of a uuid. */
  mount(uuid: string): Mount;
  /**
   * Throws CaError `storage` while the sealing key is another one than that of the stored secrets.
   */
  demandKey(): Promise<void>;
  /** Whether the sealing key opens what is stored. Rejects where that cannot be found out. */
  isKeyRight(): Promise<boolean>;
  /** Where the mounts' paths lead, at most a second old. */
  mounts(): Promise<Routes>;
  /** The same, asked of the store now. */
  readMounts(): Promise<Routes>;
  /** The path that leads to the mount of a uuid now. */
  pathOf(uuid: string): Promise<string | undefined>;
  /** Makes a mount (D 2). Throws `already_exists`. */
  createMount(path: string, options: MountOptions): Promise<void>;
  /** Removes a mount and all it holds. */
  deleteMount(path: string): Promise<void>;
}

/** What a mount that is removed leaves to be done: rows for the store `sys`, asked for before. */
export interface Leaving {
  removal?(mount: Mount): Promise<readonly (readonly [key: string, value: unknown])[]>;
}
/** Work that time or a change demands, of a mount, of a unit, or of the deployment. */
export type Job = Leaving &
  (
    | ({ readonly of: "mount" } & Steps<Mount>)
    | ({ readonly of: "unit" } & Steps<Unit>)
    | ({ readonly of: "deployment" } & Steps<Deployment>)
  );
