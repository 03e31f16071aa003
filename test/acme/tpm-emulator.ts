import { createHash, createPublicKey } from "node:crypto";
import { sequence, tlvOf } from "../../src/base/der.ts";
import { encodeDeviceName, type DeviceName } from "../../src/x509/device-name.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import type { TbsFields } from "../../src/x509/certificate.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { extKeyUsage } from "../../src/x509/usage.ts";
import type { TestKey } from "../x509/fixture.ts";
import { attestationObject, signed, type MakerCa } from "./attestation.ts";

/**
 * A TPM that implements as much as TPM2_Certify needs. Independent of the parsers of the sources;
 * written from part 2 of the TPM 2.0 Library.
 */

export const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const sized = (bytes: Uint8Array): Buffer => Buffer.concat([u16(bytes.length), bytes]);
export const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts));

/** fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, sign. */
export const usualAttributes = 0x0004_0072;
/** Returns the members of a public key in a JWK. */
const membersOf = (key: TestKey): Readonly<Record<string, Buffer>> => {
  const jwk = createPublicKey({ key: Buffer.from(key.key.spki), format: "der", type: "spki" });
  const members = Object.entries(jwk.export({ format: "jwk" })).map(
    ([name, value]) => [name, Buffer.from(String(value), "base64url")] as const,
  );
  return Object.fromEntries(members);
};

/** The parts of a public area that tests vary. */
export interface AreaParts {
  readonly nameAlg?: number;
  readonly attributes?: number;
  /** The curve, for an EC key. */
  readonly curve?: number;
}
/** Returns the TPMT_PUBLIC of a P-256 key or a 2048-bit RSA key. */
export function publicArea(
  key: TestKey,
  { nameAlg = 0x000b, attributes = usualAttributes, curve = 0x0003 }: AreaParts = {},
): Uint8Array {
  const { x, y, n } = membersOf(key);
  const none = u16(0x0010);
  const head = [u16(nameAlg), u32(attributes), sized(Buffer.alloc(0))];
  return n
    ? joined(u16(0x0001), ...head, none, none, u16(2048), u32(0), sized(n))
    : joined(
        u16(0x0023),
        ...head,
        none,
        u16(0x0018),
        u16(0x000b),
        u16(curve),
        none,
        sized(x ?? Buffer.alloc(0)),
        sized(y ?? Buffer.alloc(0)),
      );
}
export const nameOf = (area: Uint8Array, nameAlg = 0x000b, hash = "sha256"): Uint8Array =>
  joined(u16(nameAlg), createHash(hash).update(area).digest());

/** The parts of a certification that tests vary. */
export interface InfoParts {
  readonly magic?: number;
  readonly type?: number;
}
/** Returns the TPMS_ATTEST that certifies a name. */
export const certInfo = (
  extraData: Uint8Array,
  name: Uint8Array,
  { magic = 0xff54_4347, type = 0x8017 }: InfoParts = {},
): Uint8Array =>
  joined(
    u32(magic),
    u16(type),
    sized(Buffer.alloc(34)),
    sized(extraData),
    Buffer.alloc(25),
    sized(name),
    sized(Buffer.alloc(34)),
  );

export const attestationUsage = "2.23.133.8.3";
/** The TPM attributes: manufacturer, model and version. */
export const tpmNames = [
  { oid: "2.23.133.2.1", value: "id:4E544300" },
  { oid: "2.23.133.2.2", value: "NPCT6xx" },
  { oid: "2.23.133.2.3", value: "id:13" },
];
/** Returns the extensions of an attestation key certificate. */
export const attestationExtensions = (
  names: readonly DeviceName[],
  usages: readonly string[] = [attestationUsage],
  tpm = tpmNames,
): readonly Extension[] =>
  [
    basicConstraints(false),
    usages.length === 0 ? undefined : extKeyUsage(usages),
    {
      oid: extensionOid.subjectAltName,
      critical: true,
      value: sequence(...names.map(encodeDeviceName), tlvOf(0xa4, [encodeName([tpm])])),
    },
  ].filter((one) => one !== undefined);
/** Returns the certificate of an attestation key. */
export const attestationCertificate = (
  by: MakerCa,
  key: TestKey,
  names: readonly DeviceName[],
  fields: Partial<TbsFields> = {},
): Promise<Uint8Array> =>
  signed(by, {
    subject: encodeName([]),
    spki: key.key.spki,
    extensions: attestationExtensions(names),
    ...fields,
  });

/** The members of a statement. */
export interface TpmStatement {
  readonly ver: string;
  readonly alg: number;
  readonly x5c: Uint8Array[];
  readonly sig: Uint8Array;
  readonly certInfo: Uint8Array;
  readonly pubArea: Uint8Array;
}
export const tpmObject = (statement: Partial<TpmStatement>): Uint8Array =>
  attestationObject("tpm", { ...statement });
