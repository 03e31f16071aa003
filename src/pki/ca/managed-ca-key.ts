import { keysById, type KeyRow } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import {
  getReferencedKey,
  type StoredManagedKey,
  type ManagedKeyReference,
} from "../../managed/registry.ts";
import { bindPublicKey, publicKeyOf } from "../../managed/sign.ts";
import { signerOf } from "../../managed/signer-of.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { parsePublicKey } from "../../x509/public-key.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import { keyOutput, checkKeyName, keyRows, keyWithSpki } from "./mount-keys.ts";

/** A reference to a managed key, and the name that the key gets in the mount. */
export interface ManagedRequest extends ManagedKeyReference {
  readonly key_name?: string | undefined;
}
/** A managed key, and its row in the mount. */
interface ManagedKeyInMount {
  readonly stored: StoredManagedKey;
  readonly row: KeyRow;
}

/**
 * Returns a managed key with its existing or new row in the mount. `spki` is the public key that an
 * earlier attempt at the same decision fetched, so that the key service is called only once. Throws
 * `already_exists` if the mount has the private key itself.
 */
async function findManagedKey(
  {
    mount,
    config,
    input,
    caller,
  }: Pick<IssuanceContext<ManagedRequest>, "mount" | "config" | "input" | "caller">,
  spki: Uint8Array | undefined,
): Promise<ManagedKeyInMount> {
  const stored = await getReferencedKey(mount.sys, input, config.mount);
  const name = checkKeyName(config, input.key_name);
  const spkiDer = spki ?? stored.row.spki ?? (await publicKeyOf(mount.sys, stored));
  const { uuid: id, type, name: own } = stored.row;
  const managed = { uuid: id, type, name: own };
  const existing = keyWithSpki(config.get(keysById).values(), spkiDer);
  if (existing && !existing.managed)
    throw new CaError(
      "already_exists",
      "the mount already has the private key of this managed key",
    );
  if (existing && name !== "")
    caller.reply.warn("Key already imported, use key/ endpoint to update name.");
  if (existing) return { stored, row: { ...existing, managed } };
  const { type: kind, bits } = parsePublicKey(spkiDer);
  const row: KeyRow = {
    id: uuid(mount.ports.random),
    name,
    type: kind,
    bits,
    spki: spkiDer,
    sealed: new Uint8Array(),
    managed,
  };
  return { stored, row };
}

/**
 * Returns the CA key for a managed key. `before` is the result of an earlier attempt at the same
 * decision.
 */
export async function managedCaKey(
  it: Pick<IssuanceContext<ManagedRequest>, "mount" | "config" | "input" | "caller">,
  before: Pick<ManagedKeyInMount, "row"> | undefined,
) {
  const { row } = await findManagedKey(it, before?.row.spki);
  const signer = await signerOf(it.mount, row);
  return { row, publicKey: parsePublicKey(row.spki), signer };
}

/** Adds a managed key to the CA keys of the mount. */
export async function addManagedCaKey(mount: Mount, input: ManagedRequest, caller: Caller) {
  let key: ManagedKeyInMount | undefined;
  const reply = await mount.configureFor(
    caller,
    async (config: Snapshot, caller: Caller) => {
      key = await findManagedKey({ mount, config, input, caller }, key?.row.spki);
      // the key may already have signed elsewhere, so it counts as imported
      const row: KeyRow = config.get(keysById).has(key.row.id)
        ? key.row
        : { ...key.row, imported: true };
      return { reply: keyOutput(row), batch: { put: keyRows(config, [row]) } };
    },
    { exact: true },
  );
  if (key) await bindPublicKey(mount.sys, key.stored, key.row.spki);
  return reply;
}
