import { CaError } from "../base/errors.ts";
import { keyBinding, keys, serialKeyBinding } from "../engine/records.ts";
import type { Unit } from "../engine/unit.ts";
import {
  resealFingerprint,
  sealedAnew,
  type Resealed,
  type SealedSecret,
} from "../engine/sealing.ts";
import { int, list } from "../wire/field.ts";
import { endpoint } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";

export const rotateSeal = endpoint({
  id: "rotateSeal",
  at: ["POST /rotate"],
  access: "sudo",
  style: envelope,
  doc: "Seals every stored secret again under the current sealing key, so that the previous one can be removed.",
  body: {},
  reply: {
    resealed: int.required("Number of secrets that were sealed again."),
    unopened: list.optional(
      "Names of the secrets that opened under neither key and stay as they are; absent when all opened.",
    ),
  },
  run: async (ca) => {
    const done: Resealed[] = [];
    for (const keeper of ca.deployment.keepers) done.push(await keeper.reseal(ca.deployment));
    for (const [path, { uuid }] of await ca.deployment.readMounts())
      done.push(
        await resealMount(ca.deployment.engine(uuid), path).catch((error: unknown) =>
          left(error, path),
        ),
      );
    // last: a run that was broken off leaves data that the new key alone does not claim to open
    await resealFingerprint(ca.store, ca.ports.vault);
    const unopened = done.flatMap((one) => one.unopened);
    return {
      resealed: done.reduce((sum, one) => sum + one.resealed, 0),
      ...(unopened.length > 0 ? { unopened } : {}),
    };
  },
});

/**
 * A mount that was removed meanwhile has nothing to seal; one whose store fails keeps what it has.
 */
function left(error: unknown, path: string): Resealed {
  if (error instanceof CaError && error.code === "no_route") return { resealed: 0, unopened: [] };
  if (error instanceof CaError && error.code === "storage")
    return { resealed: 0, unopened: [`${path}/`] };
  throw error;
}

interface Secret {
  /** Of its row in the mount's store. */
  readonly key: string;
  readonly secret: SealedSecret;
  /** The row with the secret sealed anew. */
  row(sealed: Uint8Array): unknown;
}
/**
 * Opens every sealed row of a mount and seals it under the current key, in one change that expects
 * them as they were.
 */
function resealMount(engine: Unit, path: string): Promise<Resealed> {
  const { vault } = engine.ports;
  return engine.configure(
    async (config) => {
      const { uuid } = config.mount;
      const secrets: Secret[] = [...config.keys.values()].map((key) => ({
        key: keys.key(key.id),
        secret: { sealed: key.sealed, binding: keyBinding(uuid, key.id) },
        row: (sealed) => ({ ...key, sealed }),
      }));
      const { serialKey } = config;
      if (serialKey)
        secrets.push({
          key: keys.config("serial"),
          secret: { sealed: serialKey, binding: serialKeyBinding(uuid) },
          row: (sealed) => sealed,
        });
      const anew = await Promise.all(secrets.map(({ secret }) => sealedAnew(vault, secret)));
      const put = secrets.flatMap(({ key, row }, at) =>
        anew[at] ? [[key, row(anew[at])] as const] : [],
      );
      const unopened = secrets.flatMap(({ key }, at) => (anew[at] ? [] : [`${path}/${key}`]));
      return { reply: { resealed: put.length, unopened }, batch: { put } };
    },
    { exact: true },
  );
}
