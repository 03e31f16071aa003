import { uuid } from "../base/ids.ts";
import { stored } from "./stored.ts";
import { sysKeys } from "./sys-records.ts";
import type { Unit } from "./unit.ts";

/** Never changes once it is drawn, so that nobody asks twice. */
const known = new WeakMap<Unit, string>();
/**
 * The uuid by which the deployment is named where clients know clusters (D 4). `sys`: the unit of
 * what all mounts share. Whoever asks first draws it.
 */
export async function clusterId(sys: Unit): Promise<string> {
  const held = known.get(sys);
  if (held !== undefined) return held;
  const id = await sys.change(async () => {
    const [row] = await sys.store.get([sysKeys.cluster]);
    if (row) return { reply: stored.cluster(row.value).id };
    const drawn = uuid(sys.ports.random);
    return {
      reply: drawn,
      batch: { expect: [[sysKeys.cluster, null]], put: [[sysKeys.cluster, { id: drawn }]] },
    };
  });
  known.set(sys, id);
  return id;
}
