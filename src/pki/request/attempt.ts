import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";

/**
 * Decides for a caller. Of the warnings, leases and notes only those of the attempt that counts are
 * given on: the others speak of a replaced configuration.
 */
export async function decideFor<T>(
  ca: Mount,
  caller: Caller,
  make: (config: Snapshot, caller: Caller) => Promise<Decision<T>>,
): Promise<T> {
  let said: (() => void)[] = [];
  const reply = await ca.decide((config) => {
    const saying: (() => void)[] = [];
    said = saying;
    const warnings: string[] = [];
    let lease: { readonly id: string; readonly seconds: number } | undefined;
    const { keep } = caller;
    return make(config, {
      ...caller,
      warn: (warning) => {
        warnings.push(warning);
        saying.push(() => caller.warn(warning));
      },
      note: (fields) => void saying.push(() => caller.note(fields)),
      lease: (id, seconds) => {
        lease = { id, seconds };
        saying.push(() => caller.lease(id, seconds));
      },
      ...(keep ? { keep: (reply) => keep(reply, { warnings, lease }) } : {}),
    });
  });
  for (const say of said) say();
  return reply;
}
