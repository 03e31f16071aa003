import { generateKeyPairSync } from "node:crypto";
import { fromHex, utf8 } from "../../src/base/bytes.ts";
import {
  absentPart,
  bitString,
  boolean,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  tlv,
  tlvOf,
} from "../../src/base/der.ts";
import { extensionOid } from "../../src/x509/oid.ts";

type Bytes = Uint8Array;

/** Returns a string of `x`. */
export const x = (length: number): string => "x".repeat(length);

/** The base point of P-256, which is a valid public key. */
const point = fromHex(
  "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
);
const ecKeyOid = oid("1.2.840.10045.2.1");
const p256 = oid("1.2.840.10045.3.1.7");

/** Encodes a SubjectPublicKeyInfo. */
export const spki = (algorithm: readonly Bytes[], key: Bytes): Bytes =>
  sequence(tlvOf(0x30, algorithm), bitString(key));
/** Encodes an EC key with the parameters and point. */
export const ecKey = (parameters: Bytes = p256, key: Bytes = point): Bytes =>
  spki([ecKeyOid, parameters], key);
export { point, p256 };

/** The modulus of a valid 2048-bit RSA key. */
export const modulus = Buffer.from(
  generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" }).n ?? "",
  "base64url",
);
/** Encodes an RSA key; modulus and exponent are the contents of INTEGERs. */
export const rsaKey = (
  n: Bytes = Buffer.concat([Uint8Array.of(0), modulus]),
  e: Bytes = Uint8Array.of(1, 0, 1),
  parameters: Bytes = nullValue,
): Bytes => spki([oid("1.2.840.113549.1.1.1"), parameters], sequence(tlv(0x02, n), tlv(0x02, e)));

/** An attribute of a name: type, value, and the tag of its string. */
export type Attribute = readonly [oid: string, value: string | Bytes, tag?: number];
const attribute = ([type, value, tag = 0x0c]: Attribute): Bytes =>
  sequence(oid(type), tlv(tag, typeof value === "string" ? utf8(value) : value));
/** Encodes a name with one attribute in each RDN. */
export const name = (...attributes: readonly Attribute[]): Bytes =>
  tlvOf(
    0x30,
    attributes.map((one) => tlv(0x31, attribute(one))),
  );
/** Encodes a name with all attributes in one RDN. */
export const joinedName = (...attributes: readonly Attribute[]): Bytes =>
  sequence(tlvOf(0x31, attributes.map(attribute)));

/** Encodes an extension; `critical`: `false-written` encodes the default, which DER omits. */
export const extension = (
  type: string,
  value: Bytes,
  critical: boolean | "false-written" = false,
): Bytes =>
  sequence(
    oid(type),
    critical === "false-written" ? boolean(false) : critical ? boolean(true) : absentPart,
    octets(value),
  );
/** Encodes a time. */
export const timeText = (text: string, tag = 0x17): Bytes => tlv(tag, utf8(text));
/** Encodes GeneralNames from context tags and contents. */
export const names = (...list: readonly (readonly [tag: number, value: string | Bytes])[]): Bytes =>
  tlvOf(
    0x30,
    list.map(([tag, value]) => tlv(tag, typeof value === "string" ? utf8(value) : value)),
  );
/** Encodes DNS names. */
export const dns = (...list: readonly string[]): Bytes =>
  names(...list.map((one) => [0x82, one] as const));
/** Encodes extended key usages. */
export const purposes = (...list: readonly string[]): Bytes => tlvOf(0x30, list.map(oid));

/** Encoded key usages. */
export const usages = {
  signature: fromHex("03020780"),
  encipherment: fromHex("03020520"),
  agreement: fromHex("03020308"),
  signatureAndCrl: fromHex("03020182"),
  certAndCrl: fromHex("03020106"),
  none: fromHex("030100"),
  encipherOnly: fromHex("03020001"),
  bothOnly: fromHex("0303070980"),
} as const;

const ecdsaSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const serverAuth = "1.3.6.1.5.5.7.3.1";

/** The extensions of a valid leaf by object identifier. */
const soundExtensions: Readonly<Record<string, Bytes>> = {
  [extensionOid.keyUsage]: extension(extensionOid.keyUsage, usages.signature, true),
  [extensionOid.extKeyUsage]: extension(extensionOid.extKeyUsage, purposes(serverAuth)),
  [extensionOid.basicConstraints]: extension(extensionOid.basicConstraints, sequence(), true),
  [extensionOid.subjectKeyIdentifier]: extension(
    extensionOid.subjectKeyIdentifier,
    octets(new Uint8Array(20).fill(1)),
  ),
  [extensionOid.authorityKeyIdentifier]: extension(
    extensionOid.authorityKeyIdentifier,
    sequence(octets(new Uint8Array(20).fill(2), 0x80)),
  ),
  [extensionOid.authorityInfoAccess]: extension(
    extensionOid.authorityInfoAccess,
    sequence(sequence(oid("1.3.6.1.5.5.7.48.2"), tlv(0x86, utf8("http://pki.a.test/ca")))),
  ),
  [extensionOid.crlDistributionPoints]: extension(
    extensionOid.crlDistributionPoints,
    sequence(sequence(tlv(0xa0, tlv(0xa0, tlv(0x86, utf8("http://pki.a.test/crl")))))),
  ),
  [extensionOid.subjectAltName]: extension(extensionOid.subjectAltName, dns("a.test")),
};

/** Changes to a valid leaf: each replaces a part of it. */
export interface Changes {
  readonly version?: Bytes;
  readonly serial?: Bytes;
  readonly algorithm?: Bytes;
  readonly outerAlgorithm?: Bytes;
  readonly issuer?: Bytes;
  readonly notBefore?: Bytes;
  readonly notAfter?: Bytes;
  readonly subject?: Bytes;
  readonly spki?: Bytes;
  readonly afterKey?: Bytes;
  /** Extensions by object identifier; undefined removes one. */
  readonly extensions?: Readonly<Record<string, Bytes | undefined>>;
  /** Extensions to append. */
  readonly more?: readonly Bytes[];
  /** Whether to omit the list of extensions. */
  readonly isBare?: true;
}

/** Encodes a valid leaf with changes, and with an empty signature. */
export function certificate(changes: Changes = {}): Bytes {
  const extensions = Object.values({ ...soundExtensions, ...changes.extensions }).filter(
    (one) => one !== undefined,
  );
  const algorithm = changes.algorithm ?? ecdsaSha256;
  const tbs = sequence(
    changes.version ?? explicit(0, integer(2)),
    changes.serial ?? integer(new Uint8Array(16).fill(7)),
    algorithm,
    changes.issuer ?? name(["2.5.4.3", "A CA"]),
    sequence(
      changes.notBefore ?? timeText("300101000000Z"),
      changes.notAfter ?? timeText("300201000000Z"),
    ),
    changes.subject ?? name(["2.5.4.3", "a.test"]),
    changes.spki ?? ecKey(),
    changes.afterKey ?? absentPart,
    changes.isBare
      ? absentPart
      : explicit(3, tlvOf(0x30, [...extensions, ...(changes.more ?? [])])),
  );
  return sequence(tbs, changes.outerAlgorithm ?? algorithm, bitString(new Uint8Array(8)));
}

/** Returns changes that replace or remove one extension. */
export const withExtension = (
  type: string,
  value: Bytes | undefined,
  critical: boolean | "false-written" = false,
): Changes => ({
  extensions: { [type]: value && extension(type, value, critical) },
});
/** Returns changes that make the leaf a CA. */
export const ca = (changes: Changes = {}): Changes => ({
  ...changes,
  extensions: {
    [extensionOid.basicConstraints]: extension(
      extensionOid.basicConstraints,
      sequence(boolean(true)),
      true,
    ),
    [extensionOid.keyUsage]: extension(extensionOid.keyUsage, usages.certAndCrl, true),
    [extensionOid.extKeyUsage]: undefined,
    [extensionOid.subjectAltName]: undefined,
    ...changes.extensions,
  },
});
