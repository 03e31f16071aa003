import { concat } from "../../src/base/bytes.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { assembleSigned, parseCertificate, type TbsFields } from "../../src/x509/certificate.ts";
import { crlNumber, encodeRevokedEntry, encodeTbsCrl } from "../../src/x509/crl.ts";
import { encodeName } from "../../src/x509/name.ts";
import {
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
  type CertStatus,
} from "../../src/x509/ocsp-response.ts";
import { encodeCertId } from "../../src/x509/ocsp-request.ts";
import { algorithmIdentifier, keyIdentifier } from "../../src/x509/public-key.ts";
import { noNames, type GeneralNames } from "../../src/x509/san.ts";
import { certify, commonName, defined, makeKey, type TestKey } from "../x509/fixture.ts";
import {
  authorityKeyIdentifier,
  basicConstraints,
  extKeyUsage,
  keyUsage,
  nameConstraints,
  subjectAltName,
  subjectKeyIdentifier,
  type KeyUsage,
  type Subtrees,
} from "../x509/extensions.ts";

/** 2026-01-01T00:00:00Z, the time of the tests, Unix seconds. */
export const now = 1_767_225_600;
export const at = new Date(now * 1000);
export const day = 86_400;
export const serverAuth = "1.3.6.1.5.5.7.3.1";
export const clientAuth = "1.3.6.1.5.5.7.3.2";

/** A certificate and its key. */
export interface Member {
  readonly name: string;
  readonly key: TestKey;
  readonly der: Uint8Array;
}

/** Differences of a certificate from a usual one of its kind. */
export interface Traits {
  readonly ca?: boolean;
  readonly basic?: Extension | undefined;
  readonly pathLength?: number;
  readonly usage?: readonly KeyUsage[];
  readonly purposes?: readonly string[];
  readonly names?: Partial<GeneralNames>;
  readonly permitted?: Subtrees;
  readonly excluded?: Subtrees;
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly serial?: number;
  readonly key?: TestKey;
  readonly version?: 1 | 3;
  readonly more?: readonly (Extension | undefined)[];
}

const keys = await Promise.all(Array.from({ length: 8 }, () => makeKey("P-256")));
let nextKey = 0;
/** Returns one of a few keys, in turn. */
export const someKey = (): TestKey => keys[nextKey++ % keys.length] ?? keys[0] ?? never();
const never = (): never => {
  throw new Error("no keys");
};

let nextSerial = 1000;

/** Issues a certificate; without an issuer it is self-signed. */
export async function issue(
  name: string,
  issuer: Member | undefined,
  traits: Traits = {},
): Promise<Member> {
  const { ca = false, key = someKey() } = traits;
  const signer = issuer?.key ?? key;
  const subject = encodeName(commonName(name));
  const serial = traits.serial ?? nextSerial++;
  const fields: TbsFields = {
    serial: Uint8Array.of(serial >> 16, serial >> 8, serial & 0xff),
    algorithm: algorithmIdentifier(signer.scheme),
    issuer: issuer ? parseCertificate(issuer.der).subject : subject,
    notBefore: traits.notBefore ?? now - 30 * day,
    notAfter: traits.notAfter ?? now + 30 * day,
    subject,
    spki: key.key.spki,
    extensions: await extensionsOf(traits, { ca, key, signer }),
  };
  return { name, key, der: await certify(signer, fields) };
}

async function extensionsOf(
  traits: Traits,
  { ca, key, signer }: { readonly ca: boolean; readonly key: TestKey; readonly signer: TestKey },
): Promise<readonly Extension[]> {
  const { permitted, excluded } = traits;
  const usage = traits.usage ?? (ca ? ["CertSign", "CRLSign"] : ["DigitalSignature"]);
  return defined([
    keyUsage(usage),
    "basic" in traits ? traits.basic : basicConstraints(ca, ca ? traits.pathLength : undefined),
    subjectKeyIdentifier(await keyIdentifier(key.key.spki)),
    authorityKeyIdentifier(await keyIdentifier(signer.key.spki)),
    extKeyUsage(traits.purposes ?? (ca ? [] : [serverAuth])),
    subjectAltName(
      { ...noNames, ...(traits.names ?? (ca ? {} : { dns: ["www.example.com"] })) },
      false,
    ),
    nameConstraints({ ...(permitted && { permitted }), ...(excluded && { excluded }) }),
    ...(traits.more ?? []),
  ]);
}

/** Signs a CRL that lists serial numbers. */
export async function crlOf(
  issuer: Member,
  serials: readonly number[],
  options: {
    readonly number?: number;
    readonly thisUpdate?: number;
    readonly nextUpdate?: number;
    readonly reason?: number;
    readonly more?: readonly Extension[];
  } = {},
): Promise<Uint8Array> {
  const algorithm = algorithmIdentifier(issuer.key.scheme);
  const tbs = encodeTbsCrl({
    algorithm,
    issuer: parseCertificate(issuer.der).subject,
    thisUpdate: options.thisUpdate ?? now - day,
    nextUpdate: options.nextUpdate ?? now + day,
    pages: serials.map((serial) =>
      encodeRevokedEntry({
        serial: Uint8Array.of(serial >> 16, serial >> 8, serial & 0xff),
        revokedAt: now - 2 * day,
        reason: options.reason ?? 1,
      }),
    ),
    extensions: [
      authorityKeyIdentifier(await keyIdentifier(issuer.key.key.spki)),
      crlNumber(options.number ?? 1),
      ...(options.more ?? []),
    ],
  });
  return assembleSigned(tbs, algorithm, await issuer.key.sign(tbs));
}

/** Signs an OCSP response about a certificate. */
export async function ocspOf(
  member: Member,
  issuer: Member,
  status: CertStatus,
  options: {
    readonly signer?: Member;
    readonly hash?: "SHA-1" | "SHA-256";
    readonly producedAt?: number;
    readonly nextUpdate?: number | undefined;
    readonly certificates?: readonly Uint8Array[];
    readonly byKey?: boolean;
  } = {},
): Promise<Uint8Array> {
  const { signer = issuer } = options;
  const ca = parseCertificate(issuer.der);
  const by = parseCertificate(signer.der);
  const data = encodeResponseData({
    responder: options.byKey ? { keyHash: await keyIdentifier(by.spki) } : { name: by.subject },
    producedAt: options.producedAt ?? now - 3600,
    nextUpdate: "nextUpdate" in options ? options.nextUpdate : now + day,
    responses: [
      {
        certId: await encodeCertId(
          options.hash ?? "SHA-1",
          ca,
          parseCertificate(member.der).serial,
        ),
        status,
      },
    ],
  });
  const algorithm = algorithmIdentifier(signer.key.scheme);
  return encodeOcspResponse(
    assembleSigned(
      data,
      algorithm,
      await signer.key.sign(data),
      encodeResponderCertificates(options.certificates ?? []),
    ),
  );
}

/** A root, an intermediate and a leaf for www.example.com. */
export async function usualChain(): Promise<{
  readonly root: Member;
  readonly intermediate: Member;
  readonly leaf: Member;
}> {
  const root = await issue("Root", undefined, { ca: true });
  const intermediate = await issue("Intermediate", root, { ca: true, pathLength: 0 });
  return { root, intermediate, leaf: await issue("leaf", intermediate) };
}

/** Changes the last byte, so that the signature no longer verifies. */
export const withBrokenSignature = (der: Uint8Array): Uint8Array =>
  concat([der.subarray(0, -1), Uint8Array.of((der.at(-1) ?? 0) ^ 1)]);
