import { equalBytes, toBase64, utf8 } from "../../base/bytes.ts";
import {
  noteKeyId,
  parseVerifierKey,
  verifyEd25519,
  type Note,
  type NoteKey,
  type NoteSignature,
} from "./note.ts";

/** Signature type of a timestamped Ed25519 cosignature (C2SP tlog-cosignature). */
const cosignatureType = 4;
/** Lengths in octets of the time in a cosignature, and of the whole cosignature. */
const [timeLength, cosignatureLength] = [8, 72];

/**
 * Parses the verifier key of a witness. Returns undefined if the key is malformed or of another
 * type.
 */
export const parseWitnessKey = (text: string): NoteKey | undefined =>
  parseVerifierKey(text, cosignatureType);

/** Returns the text that a witness signs. `time` is in Unix seconds. */
const cosignedText = (text: string, time: bigint): string =>
  `cosignature/v1\ntime ${time}\n${text}`;

/** Returns a witness's first valid cosignature of a checkpoint, or undefined if there is none. */
export async function findCosignature(
  { text, signatures }: Note,
  witness: NoteKey,
): Promise<NoteSignature | undefined> {
  const id = noteKeyId(witness, cosignatureType);
  for (const one of signatures) {
    const { name, signature } = one;
    if (name !== witness.name || !equalBytes(one.id, id)) continue;
    if (signature.length !== cosignatureLength) continue;
    const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
    const signed = utf8(cosignedText(text, time));
    if (await verifyEd25519(witness.key, signed, signature.subarray(timeLength))) return one;
  }
  return undefined;
}

/** The trusted witnesses, and the number of them that must have cosigned a checkpoint. */
export interface WitnessPolicy {
  readonly keys: readonly NoteKey[];
  readonly required: number;
}
/** Returns the number of keys with which witnesses cosigned a checkpoint. */
export async function countCosignatures(note: Note, keys: readonly NoteKey[]): Promise<number> {
  const cosignatures = await Promise.all(keys.map((key) => findCosignature(note, key)));
  return cosignatures.filter((one) => one !== undefined).length;
}

/**
 * Returns the body of an `add-checkpoint` request (C2SP tlog-witness). `oldSize` is the size of the
 * tree that the witness has cosigned, and `proof` shows that the checkpoint is consistent with that
 * tree.
 */
export const encodeSubmission = (
  oldSize: number,
  proof: readonly Uint8Array[],
  note: string,
): string => `old ${oldSize}\n${proof.map((hash) => `${toBase64(hash)}\n`).join("")}\n${note}`;
