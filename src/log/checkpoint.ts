import { utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { Mount } from "../engine/mount.ts";
import { signerOfSealedKey } from "../pki/rows/key-row.ts";
import type { KeyRow } from "../pki/rows/records.ts";
import { parsePublicKey } from "../x509/public-key.ts";
import { encodeCheckpoint } from "./tree/checkpoint.ts";
import { encodeNote, noteKeyId, type NoteKey } from "./tree/note.ts";
import { rootOf, type TreeEdge } from "./tree/tiles.ts";
import type { LogConfig } from "./rows/records.ts";

/** The name and key of a log that has been enabled at least once. */
type NamedLog = Pick<LogConfig, "origin"> & { readonly key: KeyRow };

/** Returns the public key that verifies a log's checkpoints. */
export const noteKeyOf = ({ origin, key }: NamedLog): NoteKey => ({
  name: origin,
  key: parsePublicKey(key.spki).keyBits,
});

/** Returns the checkpoint of a tree, signed with the log's key. */
export async function signCheckpoint(
  { name, ports }: Pick<Mount, "name" | "ports">,
  log: NamedLog,
  tree: TreeEdge,
): Promise<string> {
  const { origin } = log;
  const text = encodeCheckpoint({
    origin,
    size: tree.size,
    root: rootOf(tree, ports.crypto?.sha256),
  });
  const signer = await signerOfSealedKey(ports.vault, name, log.key);
  const signature = await signer.sign({ name: "Ed25519" }, utf8(text));
  return encodeNote({
    text,
    signatures: [{ name: origin, id: noteKeyId(noteKeyOf(log)), signature }],
  });
}

/** Returns the name and key of a mount's log. Throws `not_found` if the log was never enabled. */
export function namedLog({ origin, key }: LogConfig): NamedLog {
  if (!key) throw new CaError("not_found", "the mount has no log: enable it with config/log");
  return { origin, key };
}
