import { CaError } from "../base/errors.ts";
import { keyBinding, keys, serialKeyBinding } from "../records.ts";
import type { Engine } from "../engine.ts";
import { int } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";

export const rotateSeal = endpoint({
  id: "rotateSeal",
  at: ["POST /rotate"],
  access: "sudo",
  style: envelope,
  doc: "Seals every stored secret again under the current sealing key, so that the previous one can be removed.",
  body: {},
  reply: { resealed: int.required("Number of secrets that were sealed again.") },
  run: async (ca) => {
    let resealed = 0;
    for (const api of ca.system.tables.apis ?? []) resealed += await api.reseal(ca.system);
    for (const route of (await ca.system.readMounts()).values()) resealed += await resealMount(ca.system.engine(route.uuid)).catch(gone);
    return { resealed };
  },
});

/** A mount that was removed meanwhile has nothing to seal. */
function gone(error: unknown): number {
  if (error instanceof CaError && error.code === "no_route") return 0;
  throw error;
}

/** Opens every sealed row of a mount and seals it under the current key, in one change that expects them as they were. */
function resealMount(engine: Engine): Promise<number> {
  const { vault } = engine.ports;
  return engine.configure(
    async (config) => {
      const { uuid } = config.mount;
      const rows = await Promise.all(
        [...config.keys.values()].map(async (key) => {
          const binding = keyBinding(uuid, key.id);
          return [keys.key(key.id), { ...key, sealed: await vault.seal(await vault.unseal(key.sealed, binding), binding) }] as const;
        }),
      );
      const binding = serialKeyBinding(uuid);
      const serial = config.serialKey ? [[keys.config("serial"), await vault.seal(await vault.unseal(config.serialKey, binding), binding)] as const] : [];
      return { reply: rows.length + serial.length, batch: { put: [...rows, ...serial] } };
    },
    { exact: true },
  );
}
