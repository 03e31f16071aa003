import type { Decision, Engine } from "../engine.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Caller } from "../wire/endpoint.ts";

/** Decides for a caller. Of the warnings, leases and notes only those of the attempt that counts are given on: the others speak of a replaced configuration. */
export async function decideFor<T>(ca: Engine, caller: Caller, make: (config: Snapshot, caller: Caller) => Promise<Decision<T>>): Promise<T> {
  let said: (() => void)[] = [];
  const reply = await ca.decide((config) => {
    const saying: (() => void)[] = [];
    said = saying;
    return make(config, {
      ...caller,
      warn: (warning) => void saying.push(() => caller.warn(warning)),
      note: (fields) => void saying.push(() => caller.note(fields)),
      lease: (id, seconds) => void saying.push(() => caller.lease(id, seconds)),
    });
  });
  for (const say of said) say();
  return reply;
}
