import { toBase64Url } from "../../../src/base/bytes.ts";
import { bitString, integer, oid, sequence } from "../../../src/base/der.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { ipToBytes } from "../../../src/x509/address.ts";
import { encodeCsrInfo } from "../../../src/x509/csr.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { subjectAltName } from "../../../src/x509/san.ts";

/** A key that was made in this page, and the request for a certificate of it. */
export interface KeyAndCsr {
  /** PKCS#8, PEM. */
  readonly privateKey: string;
  /** The CSR as ACME takes it: base64url of DER. */
  readonly csr: string;
}

const curve = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Makes a key and asks with it for a certificate of these names, all of them in the extension. */
export async function requestFor(names: readonly string[]): Promise<KeyAndCsr> {
  const pair = await crypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const isAddress = (name: string): boolean => ipToBytes(name) !== undefined;
  const san = subjectAltName(
    {
      dns: names.filter((name) => !isAddress(name)),
      ip: names.filter(isAddress),
      email: [],
      uri: [],
      other: [],
    },
    true,
  );
  const info = encodeCsrInfo({ subject: encodeName([]), spki, extensions: san ? [san] : [] });
  const raw = new Uint8Array(
    await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, info),
  );
  const signature = sequence(integer(raw.slice(0, 32)), integer(raw.slice(32)));
  const der = sequence(info, sequence(oid("1.2.840.10045.4.3.2")), bitString(signature));
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  return { privateKey: encodePem("PRIVATE KEY", pkcs8), csr: toBase64Url(der) };
}
