import { bitString, sequence } from "../../../src/base/der.ts";
import { asBytes } from "../../../src/base/bytes.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { generateKey } from "../../../src/keys/generate.ts";
import { openSigner } from "../../../src/keys/signer.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  parsePublicKey,
} from "../../../src/x509/public-key.ts";
import { encodeCsrInfo } from "../../../src/x509/csr.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { nameOid } from "../../../src/x509/oid.ts";
import { subjectAltName } from "../../../src/x509/san.ts";
import type { Signer } from "../../../src/engine/ports.ts";
import { readCsr, type CsrView } from "./decode.ts";
import { kindOf } from "../verdict.ts";

/** A private key that was generated in the browser and is never sent. */
export interface PageKey {
  /** The private key as PKCS#8 in PEM. */
  readonly pem: string;
  /** Key type, as in the API's `key_type`. */
  readonly type: string;
  readonly signer: Signer;
}

/** Generates a key of the given type and size, such as `ec 256`. Size 0 means the default. */
export async function generatePageKey(kind: string): Promise<PageKey> {
  const [type = "ec", bits = "0"] = kind.split(" ");
  const { pkcs8, spki } = await generateKey(type, Number(bits));
  const signer = await openSigner(
    {
      opened: async () => pkcs8.slice(),
      unwrapped: (parameters) =>
        crypto.subtle.importKey("pkcs8", asBytes(pkcs8), parameters, false, ["sign"]),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    },
    spki,
  );
  return { pem: encodePem("PRIVATE KEY", pkcs8), type, signer };
}

/** The names to request in a CSR. */
export interface CsrNames {
  /** The common name; empty if the CSR has none. */
  readonly commonName: string;
  /** Host names, IP addresses, email addresses and URIs. */
  readonly names: readonly string[];
}

/** Creates a CSR for a key. */
export async function makeCsr(
  { signer }: PageKey,
  { commonName, names }: CsrNames,
): Promise<CsrView> {
  const plain = names.filter((name) => kindOf(name) === "name");
  const san = subjectAltName(
    {
      dns: plain.filter((name) => !name.includes("@")),
      ip: names.filter((name) => kindOf(name) === "address"),
      email: plain.filter((name) => name.includes("@")),
      uri: names.filter((name) => kindOf(name) === "uri"),
      other: [],
    },
    commonName === "",
  );
  const subject = encodeName(
    commonName === "" ? [] : [[{ oid: nameOid.commonName, value: commonName }]],
  );
  const info = encodeCsrInfo({ subject, spki: signer.spki, extensions: san ? [san] : [] });
  const scheme = defaultScheme(parsePublicKey(signer.spki));
  const signature = await signer.sign(scheme, info);
  return readCsr(sequence(info, algorithmIdentifier(scheme), bitString(signature)));
}
