import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { Judge } from "./judge.ts";

/** A request with all that it is judged by. Who needs less of it says so with `Pick`. */
export interface Case<I> {
  readonly ca: Mount;
  /** The configuration of this attempt. */
  readonly config: Snapshot;
  readonly input: I;
  /** Who asks; hears warnings. */
  readonly caller: Caller;
  /** Refuses at the first rule that says no, or writes down all of them. */
  readonly judge: Judge;
}
