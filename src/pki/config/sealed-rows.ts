import { secretOfPolicy } from "../../external/rows/client-key.ts";
import { externalPolicyConfig } from "../../external/rows/records.ts";
import type { NewRow } from "../../engine/rows-in-backup.ts";
import type { RowSecret } from "../../engine/sealing.ts";
import type { ConfigValue } from "../../engine/snapshot.ts";
import { logConfig } from "../../log/rows/records.ts";
import { serialKeyBinding } from "../issuer/serial-binding.ts";
import { secretOfKey } from "../rows/key-row.ts";
import { keys, rowPrefixes, storedPki, type KeyRow } from "../rows/records.ts";

/** The rows of one kind, each of which may contain a sealed secret. */
interface SealedRows {
  /** Key of the row, or prefix of the keys, which ends with a slash. */
  readonly at: string;
  /** Returns the secret in the value of a row, if any. `mount` is a UUID. */
  secretIn(mount: string, value: unknown): RowSecret | undefined;
}

/**
 * All rows of a CA mount that contain sealed secrets. They belong to the configuration. The
 * rotation of the sealing key, backups and restores reseal exactly these rows.
 */
export const sealedRows: readonly SealedRows[] = [
  { at: rowPrefixes.keys, secretIn: (mount, value) => secretOfKey(mount, storedPki.key(value)) },
  {
    at: rowPrefixes.responders,
    secretIn: (mount, value) => ofMember(mount, storedPki.responder(value)),
  },
  {
    at: externalPolicyConfig.key,
    secretIn: (mount, value) => secretOfPolicy(mount, externalPolicyConfig.read(value)),
  },
  { at: logConfig.key, secretIn: (mount, value) => ofMember(mount, logConfig.read(value)) },
  {
    at: keys.config("serial"),
    secretIn: (mount, value) =>
      value instanceof Uint8Array
        ? { sealed: value, binding: serialKeyBinding(mount), withSealed: (sealed) => sealed }
        : undefined,
  },
];

/** Returns the secret of a row's `key` member, if any. */
function ofMember(mount: string, row: { readonly key?: KeyRow }): RowSecret | undefined {
  const secret = row.key && secretOfKey(mount, row.key);
  return (
    secret && { ...secret, withSealed: (sealed) => ({ ...row, key: secret.withSealed(sealed) }) }
  );
}

const isAt = (at: string, key: string): boolean =>
  at.endsWith("/") ? key.startsWith(at) : key === at;

/** Returns the sealed secret in a row of a mount, if any. `mount` is a UUID. */
export const secretOfRow = (mount: string, [key, value]: NewRow): RowSecret | undefined =>
  sealedRows.find(({ at }) => isAt(at, key))?.secretIn(mount, value);

/** The rows of a mount's configuration that may contain sealed secrets. */
export const configuredSealedRows: ConfigValue<readonly NewRow[]> = {
  parse: (rows) =>
    sealedRows.flatMap(({ at }) =>
      rows
        .below(at)
        .filter(([key]) => isAt(at, key))
        .map(([key, { value }]) => [key, value] as const),
    ),
};
