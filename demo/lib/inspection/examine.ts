import { fromHex } from "../../../src/base/bytes.ts";
import { decodePem, type PemBlock } from "../../../src/base/pem.ts";
import { readPrivateKeyBlock } from "../../../src/keys/read.ts";
import { readCrl, type CrlView } from "../x509/crl-view.ts";
import { readCertificate, readCsr, type CertificateView, type CsrView } from "../x509/decode.ts";
import { lazyLoad } from "../lazy-load.ts";
import { normalizePem } from "../x509/pem-text.ts";
import type { OcspRefusal, OcspRequestView, OcspView } from "../x509/ocsp-view.ts";
import { hex, visible } from "../format.ts";
import { asError } from "../store.ts";

/** An object found in the input. Of a private key only the public half is retained. */
export type Finding =
  | { readonly kind: "certificate"; readonly view: CertificateView }
  | { readonly kind: "request"; readonly view: CsrView }
  | { readonly kind: "crl"; readonly view: CrlView }
  | { readonly kind: "ocsp"; readonly view: OcspView }
  | { readonly kind: "ocsp refusal"; readonly view: OcspRefusal }
  | { readonly kind: "ocsp request"; readonly view: OcspRequestView }
  | { readonly kind: "key"; readonly form: string; readonly keyPrint: string; readonly why: string }
  | { readonly kind: "unreadable"; readonly name: string; readonly why: string };

/** Maximum PEM blocks that are shown. */
const maxBlocks = 200;

/** Parses a file or a text: PEM with text around it, DER, base64 or hexadecimal. */
export async function examine(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly Finding[]> {
  const shown = visible(name);
  if (bytes.length === 0)
    return [{ kind: "unreadable", name: shown, why: "Empty, or larger than 10 MB." }];
  try {
    const given = textOf(bytes);
    const text = given === undefined ? undefined : normalizePem(given);
    if (!text?.includes("-----BEGIN "))
      return await ofDer(shown, text === undefined ? bytes : decoded(text));
    const blocks = decodePem(text).slice(0, maxBlocks);
    const findings = (await Promise.all(blocks.map((block) => ofBlock(shown, block)))).flat();
    return findings.length > 0
      ? findings
      : [
          {
            kind: "unreadable",
            name: shown,
            why: "It contains no certificate, request, key or CRL.",
          },
        ];
  } catch (error) {
    return [{ kind: "unreadable", name: shown, why: because(error) }];
  }
}

const because = (error: unknown): string => visible(asError(error).message);

/** Decodes UTF-8; undefined for binary data. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /\p{Cc}/u.test(text.replace(/\s/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  const bare = text.replace(/[\s:]/g, "");
  if (/^(?:[0-9a-f]{2})+$/i.test(bare)) return fromHex(bare);
  if (/^ssh-|^ecdsa-sha2-/.test(text.trim()))
    throw new Error("An OpenSSH public key; this page does not read these.");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(bare)) throw new Error("Not PEM, base64 or hexadecimal.");
  const plain = bare.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (plain.length % 4 === 1) throw new Error("Truncated base64.");
  const binary = atob(plain);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Returns the findings of a PEM block, usually one. */
async function ofBlock(name: string, block: PemBlock): Promise<readonly Finding[]> {
  const { label, der } = block;
  try {
    if (label === "PKCS7" || label === "CMS") return await ofBundle(der);
  } catch (error) {
    return [{ kind: "unreadable", name: `${label} in ${name}`, why: because(error) }];
  }
  return [await ofOne(name, block)];
}

const bundles = lazyLoad(() => import("../x509/bundles.ts"));

async function ofBundle(der: Uint8Array): Promise<readonly Finding[]> {
  const { certificatesOf } = await bundles();
  return (await certificatesOf(der)).map((view) => ({ kind: "certificate", view }));
}

async function ofOne(name: string, block: PemBlock): Promise<Finding> {
  const { label, der } = block;
  try {
    if (label.endsWith("CERTIFICATE REQUEST")) return { kind: "request", view: await readCsr(der) };
    if (label.endsWith("CERTIFICATE"))
      return { kind: "certificate", view: await readCertificate(der) };
    if (label.endsWith("CRL")) return { kind: "crl", view: await readCrl(der) };
    if (label.endsWith("PRIVATE KEY")) return await ofKey(block);
    if (label === "OCSP RESPONSE") return await ofOcsp(der);
    if (label === "OCSP REQUEST") return await ofOcspRequest(der);
    return {
      kind: "unreadable",
      name,
      why: `A block of ${visible(label.slice(0, 60))} is not supported here.`,
    };
  } catch (error) {
    return {
      kind: "unreadable",
      name: `${visible(label.slice(0, 60))} in ${name}`,
      why: because(error),
    };
  }
}

async function ofKey(block: PemBlock): Promise<Finding> {
  const form =
    {
      "PRIVATE KEY": "PKCS#8",
      "RSA PRIVATE KEY": "PKCS#1",
      "EC PRIVATE KEY": "SEC1",
      "ENCRYPTED PRIVATE KEY": "PKCS#8, encrypted",
    }[block.label] ?? visible(block.label);
  try {
    const { spki } = await readPrivateKeyBlock(block);
    const print = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(spki))));
    return { kind: "key", form, keyPrint: print, why: "" };
  } catch (error) {
    return { kind: "key", form, keyPrint: "", why: `It could not be read: ${because(error)}` };
  }
}

const sequence = "^30(?:80|[0-7].|81..|82.{4}|83.{6}|84.{8})";
const pkcs12 = new RegExp(`${sequence}020103`);
/** Reports whether a file begins like a PKCS#12 archive. */
export const isPkcs12 = (bytes: Uint8Array): boolean => pkcs12.test(hex(bytes.subarray(0, 24)));
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

/** Tries the types of DER in turn; throws the first error if none fits. */
async function ofDer(name: string, der: Uint8Array<ArrayBuffer>): Promise<readonly Finding[]> {
  const begin = hex(der.subarray(0, 24));
  if (isPkcs7.test(begin)) return ofBundle(der);
  return [await ofSingle(name, der, begin)];
}

async function ofSingle(
  name: string,
  der: Uint8Array<ArrayBuffer>,
  begin: string,
): Promise<Finding> {
  let first: unknown;
  const tries: readonly (() => Promise<Finding>)[] = [
    async () => ({ kind: "certificate", view: await readCertificate(der) }),
    async () => ({ kind: "request", view: await readCsr(der) }),
    async () => ({ kind: "crl", view: await readCrl(der) }),
    () => ofOcsp(der),
    () => ofOcspRequest(der),
    async () => {
      await readPrivateKeyBlock({ label: "PRIVATE KEY", der });
      return ofKey({ label: "PRIVATE KEY", der });
    },
  ];
  for (const attempt of tries) {
    try {
      return await attempt();
    } catch (error) {
      first ??= error;
    }
  }
  return {
    kind: "unreadable",
    name,
    why: pkcs12.test(begin)
      ? "A PKCS#12 archive. Open it with Import… on the overview, or with openssl pkcs12 -in file -nodes"
      : `Not a certificate: ${because(first)}. It is not a request, CRL, OCSP message or private key either.`,
  };
}
