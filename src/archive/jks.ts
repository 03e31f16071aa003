import { asBytes, concat, utf8, type Bytes } from "../base/bytes.ts";
import { nullValue, octets, oid, sequence } from "../base/der.ts";
import type { RandomBytes } from "../base/random-text.ts";
import { CaError } from "../base/errors.ts";
import { sha1 } from "../base/hashes.ts";
import { checkCharacters, utf16 } from "./password.ts";
import type { ArchiveContents } from "./pkcs12.ts";

/** Password and other parameters of a JKS archive. */
interface JksProtection {
  readonly password: string;
  readonly random: RandomBytes;
  /** Creation time of the entries (Unix milliseconds). */
  readonly now: number;
  /** Alias of the key. Without a key, the aliases of the certificates are `1`, `2`, …. */
  readonly alias: string;
}

/** Object identifier of JKS's own key encryption algorithm, which only Java supports. */
const keyProtector = "1.3.6.1.4.1.42.2.17.1.1";
const whitener = utf8("Mighty Aphrodite");
const maxAliasLength = 256;

/**
 * Converts the alias of a key to lower case, because Java looks up aliases in lower case. Throws
 * `CaError` `malformed` if the alias is empty, too long, or has characters that JKS does not
 * support.
 */
export function jksAlias(alias: string, field: string): string {
  if (alias === "" || alias.length > maxAliasLength)
    throw new CaError("malformed", `${field} must have 1 to ${maxAliasLength} characters`);
  checkCharacters(alias, field);
  return alias.toLowerCase();
}

function number(value: number, size: 2 | 4 | 8): Bytes {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  if (size === 2) view.setUint16(0, value);
  else if (size === 4) view.setUint32(0, value);
  else view.setBigUint64(0, BigInt(value));
  return bytes;
}
const text = (value: string): Bytes => {
  const bytes = utf8(value);
  return concat([number(bytes.length, 2), bytes]);
};
const sized = (bytes: Uint8Array): Bytes => concat([number(bytes.length, 4), bytes]);
const certificate = (der: Uint8Array): Bytes => concat([text("X.509"), sized(der)]);

/**
 * Encodes a Java keystore (JKS version 2) with a key and its chain, or with trusted certificates.
 * Because the key is protected only by a single SHA-1 hash of the password, only generated
 * passwords are strong enough.
 */
export function writeJks({ key, certificates }: ArchiveContents, protection: JksProtection): Bytes {
  const { now, alias } = protection;
  const head = (tag: number, name: string) => [number(tag, 4), text(name), number(now, 8)];
  const password = utf16(protection.password);
  const entries = key
    ? [
        concat([
          ...head(1, alias),
          sized(protectedKey(key, password, protection.random)),
          number(certificates.length, 4),
          ...certificates.map(certificate),
        ]),
      ]
    : certificates.map((der, i) => concat([...head(2, String(i + 1)), certificate(der)]));
  const store = concat([
    number(0xfeedfeed, 4),
    number(2, 4),
    number(entries.length, 4),
    ...entries,
  ]);
  return concat([store, sha1(concat([password, whitener, store]))]);
}

/**
 * Encodes EncryptedPrivateKeyInfo with JKS's own encryption: salt, encrypted key, and a hash of the
 * key.
 */
function protectedKey(pkcs8: Uint8Array, password: Uint8Array, random: RandomBytes): Bytes {
  const salt = random(20);
  const encrypted = new Uint8Array(pkcs8.length);
  let stream: Uint8Array = salt;
  for (let at = 0; at < pkcs8.length; at += 20) {
    stream = sha1(concat([password, stream]));
    for (let i = at; i < Math.min(at + 20, pkcs8.length); i++)
      encrypted[i] = (pkcs8[i] ?? 0) ^ (stream[i - at] ?? 0);
  }
  const check = sha1(concat([password, pkcs8]));
  return sequence(
    sequence(oid(keyProtector), nullValue),
    octets(asBytes(concat([salt, encrypted, check]))),
  );
}
