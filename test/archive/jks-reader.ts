import { createHash } from "node:crypto";
import { readDer } from "../../src/base/der.ts";

const sha1 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export interface JksEntry {
  readonly alias: string;
  readonly date: number;
  /** PKCS#8; absent for trusted certificates. */
  readonly key?: Uint8Array;
  readonly certificates: readonly Uint8Array[];
}

/** Reads a JKS key store. Written from the description of the format, independent of the writer. */
export function readJks(store: Uint8Array, password: string): readonly JksEntry[] {
  const secret = Buffer.from(password, "utf16le").swap16();
  const bytes = Buffer.from(store);
  const body = bytes.subarray(0, -20);
  if (!sha1(secret, Buffer.from("Mighty Aphrodite"), body).equals(bytes.subarray(-20)))
    throw new TypeError("the password is wrong, or the store was changed");
  let at = 0;
  const take = (length: number) => bytes.subarray(at, (at += length));
  const int = () => take(4).readUInt32BE();
  const text = () => take(take(2).readUInt16BE()).toString("utf8");
  const certificate = () => {
    if (text() !== "X.509") throw new TypeError("the certificate is not X.509");
    return new Uint8Array(take(int()));
  };
  if (int() !== 0xfeedfeed || int() !== 2) throw new TypeError("not a JKS key store of version 2");
  const entries = Array.from({ length: int() }, () => {
    const isKey = int() === 1;
    const alias = text();
    const date = Number(take(8).readBigUInt64BE());
    if (!isKey) return { alias, date, certificates: [certificate()] };
    const key = openKey(take(int()), secret);
    return { alias, date, key, certificates: Array.from({ length: int() }, certificate) };
  });
  if (at !== body.length) throw new TypeError("trailing bytes after the entries");
  return entries;
}

function openKey(der: Uint8Array, secret: Uint8Array): Uint8Array {
  const info = readDer(der, "key").enter("EncryptedPrivateKeyInfo");
  if (info.enter("algorithm").oid("its oid") !== "1.3.6.1.4.1.42.2.17.1.1")
    throw new TypeError("the key is not encrypted with the JKS algorithm");
  const all = Buffer.from(info.octets("the key"));
  let stream: Uint8Array = all.subarray(0, 20);
  const plain = Buffer.from(all.subarray(20, -20));
  for (const [i] of plain.entries()) {
    if (i % 20 === 0) stream = sha1(secret, stream);
    plain[i] = (plain[i] ?? 0) ^ (stream[i % 20] ?? 0);
  }
  if (!sha1(secret, plain).equals(all.subarray(-20))) throw new TypeError("the key was changed");
  return new Uint8Array(plain);
}
