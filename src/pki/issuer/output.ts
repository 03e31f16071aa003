import { toBase64 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import { encodePem } from "../../base/pem.ts";
import { serialText } from "../../base/ids.ts";
import { traditionalKey, type TraditionalKey } from "../../keys/read.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Dialect } from "../../wire/dialect.ts";
import { type CertificateFormat, choicesOf } from "../request/format.ts";
import { certificateOf } from "./issuer.ts";
import { isRoot } from "./signed-by.ts";

/** Returns a certificate as PEM without a final newline. */
export const certificatePem = (der: Uint8Array): string => encodePem("CERTIFICATE", der);
/** Returns an issuer's certificate as PEM, encoded once for each loaded row. */
export const issuerPem = memoize(({ der }: IssuerRow): string => certificatePem(der));

/**
 * Returns the response members for a private key: PKCS#8 as PEM, or the traditional form as PEM or
 * base64. Omits the key itself if it is in an archive.
 */
export function privateKeyOutput(
  { pkcs8, asPkcs8, traditional = traditionalKey(pkcs8) }: NewKey,
  format: CertificateFormat,
): { readonly private_key?: string; readonly private_key_type: string } {
  const { type, label, der } = traditional;
  // the archive contains the key, encrypted with a password
  if (typeof format !== "string") return { private_key_type: type };
  const key = asPkcs8
    ? encodePem("PRIVATE KEY", pkcs8)
    : format === "der"
      ? toBase64(der)
      : encodePem(label, der);
  return { private_key: key, private_key_type: type };
}

/**
 * A private key that was generated for a certificate, and whether the response contains it as
 * PKCS#8.
 */
export interface NewKey {
  readonly pkcs8: Uint8Array;
  readonly asPkcs8: boolean;
  /** The traditional form of the key. If absent, it is computed from `pkcs8`. */
  readonly traditional?: TraditionalKey;
}
/** The inputs for the response that contains a new certificate. */
interface CertificateOutput {
  readonly der: Uint8Array;
  readonly serial: Uint8Array;
  readonly notAfter: number;
  readonly issuer: IssuerRow;
  /** The chain, starting with the issuer. */
  readonly chain: readonly IssuerRow[];
  readonly format: CertificateFormat;
  readonly dialect: Dialect;
  readonly key?: NewKey;
  readonly removeRoots?: boolean;
}
/** Returns the response members for a new certificate (A 6.9, A 8.7). */
export async function certificateOutput(out: CertificateOutput) {
  const { serial, notAfter, issuer, chain, format, key } = out;
  const shown = out.removeRoots ? await withoutRoots(chain) : chain;
  const encode = (row: IssuerRow) => (format === "der" ? toBase64(row.der) : issuerPem(row));
  return {
    expiration: notAfter,
    ...(await resultOf(out)),
    issuing_ca: encode(issuer),
    // omitted if no certificates of the chain are to be returned (A 6.9)
    ...(shown.length > 0 ? { ca_chain: shown.map(encode) } : {}),
    serial_number: serialText(serial),
    ...(key ? privateKeyOutput(key, format) : {}),
  };
}

/**
 * Returns the `certificate` member of the response, and the password of an archive if the password
 * was generated.
 */
async function resultOf(out: CertificateOutput) {
  const { der, chain, format, key } = out;
  if (format === "der") return { certificate: toBase64(der) };
  if (format === "pem") return { certificate: certificatePem(der) };
  if (format === "pem_bundle") return { certificate: await bundle(out) };
  const certificates = [der, ...chain.map((row) => row.der)];
  return format.write({ certificates, ...(key && { key: key.pkcs8 }) });
}

async function withoutRoots(chain: readonly IssuerRow[]): Promise<readonly IssuerRow[]> {
  const roots = await Promise.all(chain.map((row) => isRoot(certificateOf(row))));
  return chain.filter((_, i) => !roots[i]);
}

function privateKeyPem({ pkcs8, traditional = traditionalKey(pkcs8) }: NewKey): string {
  return encodePem(traditional.label, traditional.der);
}
/**
 * Returns a PEM bundle: the key, if any, the certificate, and issuing CAs, which depend on the
 * dialect. These are the whole chain, or only the issuing CA unless it is a root of this mount (D 1
 * row 5).
 */
async function bundle({ der, issuer, chain, dialect, key }: CertificateOutput): Promise<string> {
  const above =
    choicesOf(dialect).bundle === "chain"
      ? chain
      : issuer.key_id !== "" && issuer.imported !== true && (await isRoot(certificateOf(issuer)))
        ? []
        : [issuer];
  return [...(key ? [privateKeyPem(key)] : []), certificatePem(der), ...above.map(issuerPem)].join(
    "\n",
  );
}
