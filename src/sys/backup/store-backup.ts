import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { formatRows } from "../../engine/format.ts";
import { partsOf, rowsAtOnce } from "./backup.ts";
import { findStoreKind, type StoreKind, storeContextOf } from "./store-kinds.ts";

/** Returns the store with the given name. Throws CaError `not_found` if there is no such store. */
export function getStoreKind(deployment: Deployment, name: string): StoreKind {
  const kind = findStoreKind(deployment, name);
  if (kind) return kind;
  const names = [deployment.sys.name, ...deployment.secretOwners.map(({ store }) => store)].join(
    ", ",
  );
  throw new CaError("not_found", `no store ${name.slice(0, 64)}: expected one of ${names}`);
}

/**
 * Yields a backup in parts, like `backupParts`, but of a store that belongs to no mount. Secrets
 * stay sealed under the deployment's own key.
 */
export async function* storeBackupParts(
  deployment: Deployment,
  name: string,
  partBytes?: number,
): AsyncGenerator<Uint8Array, undefined> {
  const kind = getStoreKind(deployment, name);
  await kind.prepare();
  const { store } = storeContextOf(deployment, kind);
  if (!store.export) throw new CaError("storage", `the storage of ${name} cannot be backed up`);
  const head = {
    sealwright_backup: 1,
    id: uuid(deployment.ports.random),
    mount: { uuid: name, type: name, path: name },
    time: Math.floor(deployment.ports.now() / 1000),
    format: formatRows(kind.formats)[0]?.[1] ?? { number: 1 },
  } as const;
  const from = store.export.bind(store, rowsAtOnce);
  const source = { head, from, rowsOf: <T>(row: T) => Promise.resolve(row) };
  yield* partsOf(deployment, source, { vault: deployment.ports.vault }, partBytes);
  return undefined;
}
