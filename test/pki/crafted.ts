import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier, keyIdentifier } from "../../src/x509/public-key.ts";
import { authorityKeyIdentifier, subjectKeyIdentifier } from "../../src/x509/key-identifiers.ts";
import { parseCsr } from "../../src/x509/csr.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { keyUsage, type KeyUsage } from "../../src/x509/usage.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { encodeName, type Rdn } from "../../src/x509/name.ts";
import { start, type Authority } from "../support/authority.ts";
import { certify, commonName, defined, type TestKey } from "../x509/fixture.ts";
import { derOf, keyOf } from "./reading.ts";

/** The contents of a CA certificate of a test. */
export interface Crafted {
  readonly subject?: string | readonly Rdn[];
  readonly issuer?: string | readonly Rdn[];
  /** The signing key; default the shared P-384 key. */
  readonly by?: TestKey;
  readonly spki?: Uint8Array;
  readonly pathLength?: number;
  readonly usage?: readonly KeyUsage[];
  readonly extensions?: readonly (Extension | undefined)[];
  /** Seconds from the start of the test. */
  readonly until?: number;
  /** Marks the key identifiers critical, which RFC 5280 forbids. */
  readonly criticalIds?: boolean;
  /** False: without a subject key identifier. */
  readonly ownIds?: boolean;
}
let serial = 1000;
const nameOf = (name: string | readonly Rdn[]): Uint8Array =>
  encodeName(typeof name === "string" ? commonName(name) : name);

/** Returns a CA certificate, PEM, that no endpoint would create. */
export async function crafted({
  subject = "Outside",
  issuer = subject,
  until = 1e8,
  pathLength,
  usage = ["CertSign", "CRLSign"],
  criticalIds: critical = false,
  ownIds = true,
  ...rest
}: Crafted): Promise<string> {
  const by = rest.by ?? (await keyOf("P-384"));
  const spki = rest.spki ?? by.key.spki;
  const der = await certify(by, {
    serial: Uint8Array.of(1, serial >> 8, serial++ & 255, 1, 2, 3, 4, 5, 6),
    algorithm: algorithmIdentifier(by.scheme),
    issuer: nameOf(issuer),
    notBefore: start / 1000 - 100,
    notAfter: start / 1000 + until,
    subject: nameOf(subject),
    spki,
    extensions: defined([
      keyUsage(usage),
      basicConstraints(true, pathLength),
      ...(ownIds
        ? [
            { ...subjectKeyIdentifier(await keyIdentifier(spki)), critical },
            { ...authorityKeyIdentifier(await keyIdentifier(by.key.spki)), critical },
          ]
        : []),
      ...(rest.extensions ?? []),
    ]),
  });
  return encodePem("CERTIFICATE", der);
}

/** Adds an issuer with its key and this certificate to the mount. Returns its id. */
export async function heldIssuer(a: Authority, certificate: Crafted): Promise<string> {
  const { csr } = await a.pki.generateIntermediate({ common_name: "Held", key_type: "ec" });
  const pem = await crafted({
    subject: "Held",
    issuer: "Outside",
    ...certificate,
    spki: parseCsr(derOf(csr)).spki,
  });
  return (await a.pki.setSigned({ certificate: pem })).imported_issuers?.[0] ?? "";
}
