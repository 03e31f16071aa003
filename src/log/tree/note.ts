import { concat, equalBytes, fromBase64, toBase64, toHex, utf8 } from "../../base/bytes.ts";
import { bitString, oid, sequence } from "../../base/der.ts";
import { algorithmIdentifier, verifySignature } from "../../x509/public-key.ts";
import { digestOf } from "./hash.ts";

/** An Ed25519 public key that verifies notes, and its name (C2SP signed-note). */
export interface NoteKey {
  readonly name: string;
  readonly key: Uint8Array;
}
/** A note: the text, including the final newline, and the signatures. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}
/** A signature of a note. */
export interface NoteSignature {
  readonly name: string;
  /** Key ID of 4 bytes. */
  readonly id: Uint8Array;
  readonly signature: Uint8Array;
}

/** Signature type of Ed25519. */
const ed25519 = 1;
const idLength = 4;
const maxNote = 1_000_000;
/**
 * Matches allowed names of keys. signed-note forbids spaces and plus signs, and this server allows
 * only printable ASCII.
 */
const nameForm = /^[!-*,-~]{1,255}$/;
/** Reports whether a string is a valid name for a log and its key. */
export const isNoteName = (text: string): boolean => nameForm.test(text);

/** Returns the ID of a key. `type` is the signature type. */
export const noteKeyId = ({ name, key }: NoteKey, type = ed25519): Uint8Array =>
  digestOf(concat([utf8(`${name}\n`), Uint8Array.of(type), key])).subarray(0, idLength);

/** Encodes a key as a verifier key: `<name>+<id>+<base64>`. */
export const encodeVerifierKey = (key: NoteKey): string =>
  `${key.name}+${toHex(noteKeyId(key))}+${toBase64(concat([Uint8Array.of(ed25519), key.key]))}`;
/**
 * Parses an Ed25519 verifier key with the given signature type. Returns undefined if the key is
 * malformed or has another type.
 */
export function parseVerifierKey(text: string, type = ed25519): NoteKey | undefined {
  const [, name = "", id, encoded = ""] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (!isNoteName(name) || bytes?.length !== 33 || bytes[0] !== type) return undefined;
  const key = { name, key: bytes.subarray(1) };
  return toHex(noteKeyId(key, type)) === id ? key : undefined;
}

/** Encodes a signature as a line of a note. */
export const signatureLine = ({ name, id, signature }: NoteSignature): string =>
  `\u2014 ${name} ${toBase64(concat([id, signature]))}\n`;
/** Encodes the given text and its signatures as a note. */
export const encodeNote = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(signatureLine).join("")}`;

/** Parses a note. Returns undefined if the note is malformed. */
export function parseNote(note: string): Note | undefined {
  const at = note.lastIndexOf("\n\n");
  // eslint-disable-next-line no-control-regex -- signed-note forbids control characters
  if (note.length > maxNote || at < 0 || /[\0-\x09\x0b-\x1f]/.test(note)) return undefined;
  const signatures = parseSignatures(note.slice(at + 2));
  return signatures && { text: note.slice(0, at + 1), signatures };
}
/** Parses signature lines. Returns undefined if there are none, or if one is malformed. */
export function parseSignatures(lines: string): readonly NoteSignature[] | undefined {
  if (!lines.endsWith("\n")) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines.slice(0, -1).split("\n")) {
    const [, name = "", encoded = ""] = /^\u2014 ([^\s+]+) (\S+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (name === "" || !bytes || bytes.length <= idLength) return undefined;
    signatures.push({
      name,
      id: bytes.subarray(0, idLength),
      signature: bytes.subarray(idLength),
    });
  }
  return signatures;
}

/** Returns the SubjectPublicKeyInfo of an Ed25519 public key. */
const spkiOf = (key: Uint8Array): Uint8Array =>
  sequence(sequence(oid("1.3.101.112")), bitString(key));
/** Reports whether an Ed25519 signature is valid. */
export const verifyEd25519 = (
  key: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> =>
  verifySignature(spkiOf(key), algorithmIdentifier({ name: "Ed25519" }), data, signature);

/** Reports whether a note has a valid signature by the key. */
export async function isSignedBy({ text, signatures }: Note, key: NoteKey): Promise<boolean> {
  const id = noteKeyId(key);
  const own = signatures.filter((one) => one.name === key.name && equalBytes(one.id, id));
  for (const { signature } of own)
    if (!(await verifyEd25519(key.key, utf8(text), signature))) return false;
  return own.length > 0;
}
