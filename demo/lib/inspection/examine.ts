import { fromHex, toHex } from "../../../src/base/bytes.ts";
import { decodePem, type PemBlock } from "../../../src/base/pem.ts";
import { readCrl, type CrlView } from "../x509/crl-view.ts";
import { readCertificate, readCsr, type CertificateView, type CsrView } from "../x509/decode.ts";
import { lazyLoad } from "../lazy-load.ts";
import { normalizePem } from "../x509/pem-text.ts";
import type { OcspRefusal, OcspRequestView, OcspView } from "../x509/ocsp-view.ts";
import { visible } from "../visible-text.ts";
import { parametersName, readPrivateKey, readPublicKey, unlockKey, type KeyView } from "./keys.ts";
import { asError } from "../store.ts";

/** An object found in the input. Private keys are included, but never shown. */
export type Finding =
  | { readonly kind: "certificate"; readonly view: CertificateView }
  | { readonly kind: "request"; readonly view: CsrView }
  | { readonly kind: "crl"; readonly view: CrlView }
  | { readonly kind: "ocsp"; readonly view: OcspView }
  | { readonly kind: "ocsp refusal"; readonly view: OcspRefusal }
  | { readonly kind: "ocsp request"; readonly view: OcspRequestView }
  | ({ readonly kind: "key" | "public key" } & KeyView)
  /** An archive or a key that none of the passwords decrypts. */
  | { readonly kind: "locked"; readonly name: string; readonly what: string }
  /** A recognized object that is not shown in detail. */
  | { readonly kind: "named"; readonly name: string; readonly what: string }
  | {
      readonly kind: "unreadable";
      readonly name: string;
      readonly why: string;
      /** DER that is probably a malformed certificate. */
      readonly certificate?: Uint8Array;
    };

/** Maximum number of PEM blocks to show. */
const maxBlocks = 200;

const nothing =
  "This is not a certificate, request, CRL, OCSP message or key, and contains none of these.";

const because = (error: unknown): string => visible(asError(error).message);

/**
 * Parses a file or pasted text: PEM with surrounding text, DER, base64 or hexadecimal, possibly
 * several values. Tries `passwords` for encrypted archives and keys.
 */
export async function examine(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  passwords: readonly string[] = [],
): Promise<readonly Finding[]> {
  const shown = visible(name);
  const input: Input = { name: shown, passwords };
  if (bytes.length === 0)
    return [{ kind: "unreadable", name: shown, why: "Empty, or larger than 10 MB." }];
  try {
    const decodedText = textOf(bytes);
    if (decodedText === undefined) return await ofDer(input, bytes);
    const text = normalizePem(decodedText);
    const ssh = sshFinding(shown, text);
    if (ssh) return [ssh];
    const findings = text.includes("-----BEGIN ")
      ? await ofPem(input, text)
      : await ofText(input, text);
    return findings.length > 0 ? findings : [{ kind: "unreadable", name: shown, why: nothing }];
  } catch (error) {
    return [{ kind: "unreadable", name: shown, why: because(error) }];
  }
}

interface Input {
  readonly name: string;
  readonly passwords: readonly string[];
}

function sshFinding(name: string, text: string): Finding | undefined {
  const [type] = /^(?:ssh-[\w@.-]+|ecdsa-sha2-[\w-]+|sk-[\w@.-]+)(?= )/.exec(text.trim()) ?? [];
  return type === undefined
    ? undefined
    : { kind: "named", name, what: `An SSH public key of type ${type}, not an X.509 key` };
}

async function ofPem(input: Input, text: string): Promise<readonly Finding[]> {
  const blocks = decodePem(text).slice(0, maxBlocks);
  return (await Promise.all(blocks.map((block) => ofBlock(input, block)))).flat();
}

/** Decodes UTF-8. Returns undefined for binary data. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /\p{Cc}/u.test(text.replace(/\s/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Decodes a string that is entirely base64 or hexadecimal. Returns undefined for any other string.
 */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bare = text.replace(/[\s:]/g, "");
  if (/^(?:[0-9a-f]{2})+$/i.test(bare)) return fromHex(bare);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(bare)) return undefined;
  const plain = bare.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (plain.length % 4 === 1) throw new Error("Truncated base64.");
  const binary = atob(plain);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Matches base64-encoded DER within text, such as `x5c` in JSON or `keystore.p12` in a Kubernetes
 * Secret.
 */
const encodedDer = /(?<![A-Za-z0-9+/_-])M[A-P][A-Za-z0-9+/_-]{60,}={0,2}/g;

/**
 * Parses text without PEM: the whole text as one encoded value, or else each base64 value in it
 * that decodes to DER.
 */
async function ofText(input: Input, text: string): Promise<readonly Finding[]> {
  const values = text.match(encodedDer) ?? [];
  const whole = /[^A-Za-z0-9+/_\-=\s:]/.test(text) ? undefined : decoded(text);
  if (whole?.[0] === 0x30) return await ofDer(input, whole);
  const findings = await Promise.all(
    values.slice(0, maxBlocks).flatMap((value) => {
      const der = decoded(value);
      return der ? [ofDer(input, der)] : [];
    }),
  );
  return findings.flat().filter(({ kind }) => kind !== "unreadable");
}

const containers = lazyLoad(() => import("./containers.ts"));

const blocksOf = async (input: Input, blocks: readonly PemBlock[]): Promise<readonly Finding[]> =>
  await Promise.all(blocks.slice(0, maxBlocks).map((one) => ofOne(input, one)));

/** Returns the findings in a PEM block, usually one. */
async function ofBlock(input: Input, block: PemBlock): Promise<readonly Finding[]> {
  const { label, der } = block;
  try {
    if (/^(?:PKCS7|PKCS #7 SIGNED DATA|CMS)$/.test(label)) return await ofMessage(input, der);
    if (label === "PKCS12") return await ofArchive(input, der);
  } catch (error) {
    return [{ kind: "unreadable", name: `${label} in ${input.name}`, why: because(error) }];
  }
  return [await ofOne(input, block)];
}

async function ofMessage(input: Input, der: Uint8Array): Promise<readonly Finding[]> {
  const { blocksOfMessage } = await containers();
  const blocks = await blocksOf(input, blocksOfMessage(der));
  return blocks.length > 0
    ? blocks
    : [{ kind: "named", name: input.name, what: "A PKCS#7 message without certificates or CRLs" }];
}

async function ofArchive(
  input: Input,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly Finding[]> {
  const { blocksOfArchive } = await containers();
  const blocks = await blocksOfArchive(bytes, input.passwords);
  return blocks
    ? await blocksOf(input, blocks)
    : [{ kind: "locked", name: input.name, what: "PKCS#12 archive" }];
}

async function ofOne(input: Input, block: PemBlock): Promise<Finding> {
  const name = `${visible(block.label.slice(0, 60))} in ${input.name}`;
  try {
    return await readBlock(input, block);
  } catch (error) {
    if (!/^(?:X509 )?CERTIFICATE$/.test(block.label))
      return { kind: "unreadable", name, why: because(error) };
    return await rejectedCertificate(name, block.der, because(error));
  }
}

/**
 * Returns the finding for a certificate that the parser rejected, with the violated DER rule and
 * its offset.
 */
async function rejectedCertificate(name: string, der: Uint8Array, error: string): Promise<Finding> {
  const fault = (await import("../x509/der-fault.ts")).findDerFault(der);
  const place = fault ? ` Not DER at byte ${fault.at}: ${fault.rule}.` : "";
  return { kind: "unreadable", name, why: `${error}.${place}`, certificate: der };
}

async function readBlock(input: Input, block: PemBlock): Promise<Finding> {
  const { label, der } = block;
  if (label.endsWith("CERTIFICATE REQUEST")) return { kind: "request", view: await readCsr(der) };
  if (label === "TRUSTED CERTIFICATE") {
    const { trustedCertificate } = await containers();
    const own = new Uint8Array(trustedCertificate(der));
    return { kind: "certificate", view: await readCertificate(own) };
  }
  if (label.endsWith("CERTIFICATE"))
    return { kind: "certificate", view: await readCertificate(der) };
  if (label.endsWith("CRL")) return { kind: "crl", view: await readCrl(der) };
  if (label === "OCSP RESPONSE") return await ofOcsp(der);
  if (label === "OCSP REQUEST") return await ofOcspRequest(der);
  if (label === "OPENSSH PRIVATE KEY")
    return { kind: "named", name: input.name, what: "An SSH private key, not an X.509 key" };
  if (label === "EC PARAMETERS")
    return { kind: "named", name: input.name, what: await parametersName(der) };
  if (label === "ENCRYPTED PRIVATE KEY") return await ofLockedKey(input, der);
  if (label.endsWith("PRIVATE KEY")) return await ofKey(block);
  if (label.endsWith("PUBLIC KEY")) return { kind: "public key", ...(await readPublicKey(block)) };
  const what = `A PEM block with the label ${visible(label.slice(0, 60))}, which this page does not decode`;
  return { kind: "named", name: input.name, what };
}

async function ofLockedKey({ name, passwords }: Input, der: Uint8Array): Promise<Finding> {
  const view = await unlockKey(der, passwords);
  return view ? { kind: "key", ...view } : { kind: "locked", name, what: "encrypted private key" };
}

async function ofKey(block: PemBlock): Promise<Finding> {
  const view = await readPrivateKey(block);
  const why = view.why && `The key could not be read: ${visible(view.why)}`;
  return { kind: "key", ...view, form: visible(view.form), why };
}

const sequence = "^30(?:80|[0-7].|81..|82.{4}|83.{6}|84.{8})";
const pkcs12 = new RegExp(`${sequence}020103`);
/** Reports whether a file has the first bytes of a PKCS#12 archive. */
export const isPkcs12 = (bytes: Uint8Array): boolean => pkcs12.test(toHex(bytes.subarray(0, 24)));
const isPkcs7 = new RegExp(`${sequence}06092a864886f70d0107`);

const ocsp = lazyLoad(() => import("./ocsp-parts.ts"));

async function ofOcsp(der: Uint8Array<ArrayBuffer>): Promise<Finding> {
  const { readOcspResponse } = await ocsp();
  const view = await readOcspResponse(der);
  return "failure" in view ? { kind: "ocsp refusal", view } : { kind: "ocsp", view };
}

async function ofOcspRequest(der: Uint8Array<ArrayBuffer>): Promise<Finding> {
  const { readOcspRequest } = await ocsp();
  return { kind: "ocsp request", view: readOcspRequest(der) };
}

/** Parses DER, or a BER container. */
async function ofDer(input: Input, der: Uint8Array<ArrayBuffer>): Promise<readonly Finding[]> {
  const begin = toHex(der.subarray(0, 24));
  if (isPkcs7.test(begin)) return await ofMessage(input, der);
  if (pkcs12.test(begin)) return await ofArchive(input, der);
  return [await ofSingle(input, der)];
}

/** Tries to parse DER as each of the supported types. */
async function ofSingle(input: Input, der: Uint8Array<ArrayBuffer>): Promise<Finding> {
  let first: unknown;
  const tries: readonly (() => Promise<Finding>)[] = [
    async () => ({ kind: "certificate", view: await readCertificate(der) }),
    async () => ({ kind: "request", view: await readCsr(der) }),
    async () => ({ kind: "crl", view: await readCrl(der) }),
    () => ofOcsp(der),
    () => ofOcspRequest(der),
    async () => ({
      kind: "public key",
      ...(await readPublicKey({ label: "PUBLIC KEY", der })),
    }),
    ...["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].map((label) => async () => {
      const view = await readPrivateKey({ label, der });
      if (view.name === "") throw new Error(view.why);
      return { kind: "key", ...view } as const;
    }),
    () => ofLockedDer(input, der),
  ];
  for (const attempt of tries) {
    try {
      return await attempt();
    } catch (error) {
      first ??= error;
    }
  }
  return der[0] === 0x30
    ? await rejectedCertificate(input.name, der, `${nothing} As a certificate: ${because(first)}`)
    : { kind: "unreadable", name: input.name, why: nothing };
}

/**
 * Matches the hexadecimal beginning of an EncryptedPrivateKeyInfo with a PKCS#5 or PKCS#12
 * algorithm.
 */
const isLockedKey =
  /^30(?:[0-7].|81..|82.{4})30(?:[0-7].|81..)06(?:09|0a)2a864886f70d01(?:05|0c01)/;

async function ofLockedDer(input: Input, der: Uint8Array): Promise<Finding> {
  if (!isLockedKey.test(toHex(der.subarray(0, 32)))) throw new Error("not an encrypted key");
  return await ofLockedKey(input, der);
}
