import { generateKey } from "../src/keys/generate.ts";
import { planOf, type IssuingPlan } from "../src/pki/issuer/certify.ts";
import type { Template } from "../src/pki/request/template.ts";
import { ecdsaToDer } from "../src/algorithms/nist-curves.ts";
import { encodeName } from "../src/x509/name.ts";
import { keyIdentifier, parsePublicKey } from "../src/x509/public-key.ts";

/** The inputs for signing a leaf certificate. */
interface Leaf {
  readonly plan: IssuingPlan;
  readonly template: Template;
  readonly serial: Uint8Array;
  readonly signer: CryptoKey;
}
/**
 * Returns the inputs for signing a leaf certificate: a plan with a P-256 issuer, and a template
 * like that of a role.
 */
export async function leafRequest(): Promise<Leaf> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const leaf = await generateKey("ec", 256);
  const now = Math.floor(Date.now() / 1000);
  const authority = {
    signer: {
      spki,
      platform: true,
      sign: async (_: unknown, data: Uint8Array) =>
        ecdsaToDer(
          new Uint8Array(
            await crypto.subtle.sign(
              { name: "ECDSA", hash: "SHA-256" },
              pair.privateKey,
              new Uint8Array(data),
            ),
          ),
        ),
    },
    publicKey: parsePublicKey(spki),
    subject: encodeName([[{ oid: "2.5.4.3", value: "Bench Root" }]]),
    log: undefined,
    keyId: await keyIdentifier(spki),
    pathLength: undefined,
  };
  const template: Template = {
    kind: "leaf",
    subject: [[{ oid: "2.5.4.3", value: "host.example.com" }]],
    names: { dns: ["host.example.com"], email: [], ip: [], uri: [], other: [] },
    notBefore: now - 30,
    notAfter: now + 86_400,
    spki: leaf.spki,
    keyUsage: ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    extKeyUsage: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
  };
  const urls = {
    issuing_certificates: [],
    crl_distribution_points: ["http://ca.example.com/crl"],
    delta_crl_distribution_points: [],
    ocsp_servers: [],
  };
  const serial = Uint8Array.of(1, ...crypto.getRandomValues(new Uint8Array(19)));
  const plan = planOf(template, { authority, scheme: { name: "ECDSA", hash: "SHA-256" }, urls });
  return { plan, template, serial, signer: pair.privateKey };
}
