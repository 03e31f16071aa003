import { ecdsaToDer } from "../algorithms/nist-curves.ts";
import { asBytes } from "../base/bytes.ts";
import type { Scheme, Signer } from "../engine/ports.ts";
import { webCryptoParameters, parsePublicKey } from "../x509/public-key.ts";
import { certificateKey } from "../x509/certificate.ts";
import { supportsHandshakeScheme, schemes } from "./tls-signature.ts";
import type { TlsVersion } from "./tls-suites.ts";

/** A client certificate: the chain (DER, leaf first) and the private key. */
export interface TlsIdentity {
  readonly chain: readonly Uint8Array[];
  readonly key: CryptoKey | Pick<Signer, "sign">;
}

/** The scheme and the function with which an identity signs in a handshake. */
export interface Signing {
  /** Number of the signature scheme. */
  readonly id: number;
  prove(data: Uint8Array): Promise<Uint8Array>;
}

/**
 * Selects one of the server's signature schemes. Returns undefined if the client's key supports
 * none of them.
 */
export function signingFor(
  { chain, key }: TlsIdentity,
  accepted: readonly number[],
  version: TlsVersion,
): Signing | undefined {
  const [leaf] = chain;
  if (!leaf) throw new TypeError("options: identity requires at least one certificate");
  const own = parsePublicKey(certificateKey(leaf));
  const entry = schemes.find(
    (one) =>
      accepted.includes(one.id) &&
      supportsHandshakeScheme(one, own, version) &&
      (isSigner(key) || canSign(key, one.scheme)),
  );
  if (!entry) return undefined;
  const { id, scheme } = entry;
  return {
    id,
    prove: (data) => (isSigner(key) ? key.sign(scheme, data) : platformSigned(key, scheme, data)),
  };
}

const isSigner = (key: TlsIdentity["key"]): key is Pick<Signer, "sign"> => "sign" in key;

/** Reports whether a WebCrypto key, which is bound to an algorithm, can sign with a scheme. */
function canSign({ algorithm }: CryptoKey, { name, hash }: Scheme): boolean {
  // RSA keys have a hash, which the types do not declare
  const { hash: bound } = algorithm as { readonly hash?: { readonly name: string } };
  return algorithm.name === name && (bound === undefined || bound.name === hash);
}

async function platformSigned(
  key: CryptoKey,
  scheme: Scheme,
  data: Uint8Array,
): Promise<Uint8Array> {
  const parameters = webCryptoParameters(scheme);
  const signature = new Uint8Array(await crypto.subtle.sign(parameters, key, asBytes(data)));
  return scheme.name === "ECDSA" ? ecdsaToDer(signature) : signature;
}
