import { encodeCBOR, type CBORType } from "@levischuck/tiny-cbor";
import { createHash } from "node:crypto";
import { encodePem } from "../../src/base/pem.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import type { TbsFields } from "../../src/x509/certificate.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { encodeName } from "../../src/x509/name.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { certify, commonName, makeKey, type TestKey } from "../x509/fixture.ts";

/** The time of the tests, Unix seconds. */
export const testTime = Date.UTC(2030, 0, 2, 3, 4, 5) / 1000;
const day = 86_400;

/** A CA of a manufacturer. */
export interface MakerCa {
  readonly key: TestKey;
  readonly der: Uint8Array;
  readonly name: Uint8Array;
}
const ofCa: readonly (Extension | undefined)[] = [basicConstraints(true), keyUsage(["CertSign"])];
let serial = 0;
/** Signs a certificate, by default for a year around the time of the tests. */
export function signed(
  by: Pick<MakerCa, "key" | "name">,
  fields: Pick<TbsFields, "subject" | "spki" | "extensions"> & Partial<TbsFields>,
): Promise<Uint8Array> {
  return certify(by.key, {
    serial: Uint8Array.of(1, ++serial),
    algorithm: algorithmIdentifier(by.key.scheme),
    issuer: by.name,
    notBefore: testTime - 100 * day,
    notAfter: testTime + 265 * day,
    ...fields,
  });
}
const defined = (extensions: readonly (Extension | undefined)[]) =>
  extensions.filter((one) => one !== undefined);

/** Creates a CA: a root, or an intermediate that `by` signs. */
export async function makerCa(
  cn: string,
  by?: MakerCa,
  more: Partial<TbsFields> & { readonly with?: readonly (Extension | undefined)[] } = {},
): Promise<MakerCa> {
  const key = await makeKey("P-384");
  const name = encodeName(commonName(cn));
  const { with: extensions = ofCa, ...fields } = more;
  const der = await signed(by ?? { key, name }, {
    subject: name,
    spki: key.key.spki,
    extensions: defined(extensions),
    ...fields,
  });
  return { key, der, name };
}
export const pemOf = (...ders: readonly Uint8Array[]): string =>
  ders.map((der) => encodePem("CERTIFICATE", der)).join("\n");

export const sha256Of = (text: string | Uint8Array): Uint8Array =>
  new Uint8Array(createHash("sha256").update(text).digest());

/** Returns an extension whose value is not DER, as in Apple's certificates. */
export const raw = (oid: string, value: string | Uint8Array): Extension => ({
  oid,
  critical: false,
  value: typeof value === "string" ? new TextEncoder().encode(value) : value,
});
export const appleOids = {
  serial: "1.2.840.113635.100.8.9.1",
  udid: "1.2.840.113635.100.8.9.2",
  sepos: "1.2.840.113635.100.8.10.2",
  freshness: "1.2.840.113635.100.8.11.1",
};

/** An Apple device and its key. */
export interface AppleDevice {
  readonly serial: string;
  readonly udid: string;
  readonly key: TestKey;
}
/** Returns the extensions of the certificate that Apple issues for a device and a token. */
export const appleExtensions = (
  { serial: number, udid }: Pick<AppleDevice, "serial" | "udid">,
  token: string,
): readonly Extension[] => [
  raw(appleOids.serial, number),
  raw(appleOids.udid, udid),
  raw(appleOids.sepos, "18.1"),
  raw(appleOids.freshness, sha256Of(token)),
];
/** Returns the attestation certificate of a device. */
export const appleCertificate = (
  by: MakerCa,
  device: AppleDevice,
  token: string,
  fields: Partial<TbsFields> = {},
): Promise<Uint8Array> =>
  signed(by, {
    subject: encodeName(commonName("device")),
    spki: device.key.key.spki,
    extensions: appleExtensions(device, token),
    ...fields,
  });
type Members = Readonly<Record<string, CBORType>>;
/** Encodes a map. */
export const encodeMap = (members: Members): Uint8Array =>
  encodeCBOR(new Map(Object.entries(members)));
/** Encodes an attestation object. */
export const attestationObject = (fmt: CBORType, statement: Members): Uint8Array =>
  encodeMap({ fmt, attStmt: new Map(Object.entries(statement)) });
export const appleObject = (...x5c: readonly Uint8Array[]): Uint8Array =>
  attestationObject("apple", { x5c: [...x5c] });
