import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { isSpread } from "../../engine/placement.ts";
import type { Batch } from "../../engine/ports.ts";
import { pageFields, rowsAfter } from "../../pki/request/paging.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { list, type Parsed, records } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { namedBy } from "../protocol/directory.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeKeys, type EabRow, storedAcme } from "../rows/records.ts";
import {
  limitsOutput,
  limitsReply,
  readLimits,
  requireRole,
  tightened,
  tighterFields,
} from "./binding-fields.ts";
import { eabReply } from "./eab.ts";

const bindingReply = { ...eabReply, ...limitsReply } as const;
type BindingOutput = Parsed<typeof bindingReply>;

export const listEab = endpoint({
  id: "listEab",
  at: ["LIST /eab"],
  access: "token",
  style: envelope,
  doc: "Lists the unused external account bindings, and those with limits.",
  body: pageFields,
  reply: {
    keys: list.required("IDs of the bindings, sorted."),
    key_info: records(bindingReply).required("Details of each binding, except its key, by ID."),
  },
  refuses: ["not_found"],
  run: async (mount, input) => {
    const now = Math.floor(mount.ports.now() / 1000);
    const [unused = [], limited = []] = await Promise.all(
      [acmeBelow.eabs, acmeBelow.bindings].map((prefix) =>
        mount.store.list(prefix, rowsAfter(prefix, input)),
      ),
    );
    const bindings = new Map<string, BindingOutput>([
      ...unused.map(([key, { value }]) => {
        const id = key.slice(acmeBelow.eabs.length);
        return [id, bindingOutput(storedAcme.eab(value))] as const;
      }),
      // an unused binding with limits is in both lists: show its limits
      ...limited.map(([key, { value }]) => {
        const row = storedAcme.binding(value);
        const id = key.slice(acmeBelow.bindings.length);
        return [id, { ...bindingOutput(row), ...limitsOutput(row, now) }] as const;
      }),
    ]);
    if (bindings.size === 0) throw new CaError("not_found", "");
    const sorted = [...bindings].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const page = input.limit > 0 ? sorted.slice(0, input.limit) : sorted;
    return { keys: page.map(([id]) => id), key_info: Object.fromEntries(page) };
  },
});

const bindingOutput = ({ directory, created }: EabRow) => ({
  key_type: "hs",
  acme_directory: `${directory}/directory`,
  created_on: rfc3339(created),
});

export const readEab = endpoint({
  id: "readEab",
  at: ["GET /eab/:key_id"],
  access: "token",
  style: envelope,
  doc: "Reads an external account binding that is unused or has limits, and the accounts registered with it.",
  body: {},
  reply: {
    ...bindingReply,
    accounts: list.required("IDs of the accounts registered with the binding, at most 1000."),
  },
  refuses: ["not_found"],
  run: async (mount, { key_id: id }) => {
    const { eab, limits } = await bindingRows(mount, id);
    const row = limits ?? eab;
    if (!row) throw notFound(id);
    const uses = await mount.store.list(acmeKeys.bindingUses(id), { limit: 1000 });
    return {
      ...bindingOutput(row.value),
      ...(limits ? limitsOutput(limits.value, Math.floor(mount.ports.now() / 1000)) : {}),
      accounts: uses.map(([, { value }]) => storedAcme.bindingUse(value).account),
    };
  },
});
const notFound = (id: string): CaError =>
  new CaError("not_found", `no key id found with id: ${id}`);

/**
 * Returns the epoch of a change of limits. In a partitioned mount, an order may be in another
 * partition than its limits, so its batch cannot require that they are unchanged. There, a change
 * of limits starts a new epoch, which rejects orders that were decided under the old limits.
 */
const epochOfLimits = ({ store }: Mount): Pick<Batch, "epoch"> =>
  isSpread(store, acmeBelow.orders) ? { epoch: "next" } : {};

/** Reads the rows of a binding. */
async function bindingRows({ store }: Pick<Mount, "store">, id: string) {
  const [eab, limits] = await store.get([acmeKeys.eab(id), acmeKeys.binding(id)]);
  return {
    eab: eab && { ...eab, value: storedAcme.eab(eab.value) },
    limits: limits && { ...limits, value: storedAcme.binding(limits.value) },
  };
}

export const tightenEab = endpoint({
  id: "tightenEab",
  at: ["POST /eab/:key_id"],
  access: "token",
  style: envelope,
  doc: "Tightens the limits of an external account binding for its existing and future accounts. Limits can never be relaxed.",
  body: tighterFields,
  reply: limitsReply,
  refuses: ["not_found", "invalid_field", "invalid_profile"],
  run: (mount, { key_id: id, ...input }) =>
    mount.decide(
      async (config) => {
        const now = Math.floor(mount.ports.now() / 1000);
        const { limits } = await bindingRows(mount, id);
        if (!limits) throw notFound(id);
        const row = tightened(limits.value, readLimits(input, now));
        if (row.role !== undefined && row.role !== limits.value.role)
          await requireRole(config, namedBy(row.directory), row.role);
        const key = acmeKeys.binding(id);
        return {
          reply: limitsOutput(row, now),
          batch: { ...epochOfLimits(mount), expect: [[key, limits.rev]], put: [[key, row]] },
        };
      },
      { raisesEpoch: true },
    ),
});

export const deleteEab = endpoint({
  id: "deleteEab",
  at: ["DELETE /eab/:key_id"],
  access: "token",
  style: envelope,
  doc: "Deletes an unused external account binding. A binding that has limits is revoked instead: no more accounts can register with it, and accounts bound to it can no longer create or finalize orders.",
  body: {},
  reply: {},
  run: async (mount, { key_id: id }, caller) => {
    const isHere = await mount.decide(
      async () => {
        const batch = await removal(mount, id);
        return batch ? { reply: true, batch } : { reply: false };
      },
      { raisesEpoch: true },
    );
    if (!isHere) caller.reply.warn(`No key id found with id: ${id}`);
    return null;
  },
});
/**
 * Returns the change that deletes or revokes a binding. Returns undefined if there is nothing to
 * delete or revoke.
 */
async function removal(mount: Mount, id: string): Promise<Batch | undefined> {
  const [key, limitsKey] = [acmeKeys.eab(id), acmeKeys.binding(id)];
  const { eab, limits } = await bindingRows(mount, id);
  if (!eab && (!limits || limits.value.revoked !== undefined)) return undefined;
  const uses = await mount.store.list(acmeKeys.bindingUses(id), { limit: 1, values: false });
  const now = Math.floor(mount.ports.now() / 1000);
  return {
    ...(limits ? epochOfLimits(mount) : {}),
    expect: [
      [key, eab?.rev ?? null],
      [limitsKey, limits?.rev ?? null],
    ],
    put: limits && uses.length > 0 ? [[limitsKey, { ...limits.value, revoked: now }]] : [],
    del: [...(eab ? [key] : []), ...(limits && uses.length === 0 ? [limitsKey] : [])],
  };
}
