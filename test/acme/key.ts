import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  sign as signWith,
} from "node:crypto";

/** Keys and signatures of ACME clients, with Node's cryptography only. */

type Members = Readonly<Record<string, unknown>>;
export const base64Url = (bytes: Uint8Array | string): string =>
  Buffer.from(bytes).toString("base64url");
export const json64 = (value: unknown): string => base64Url(JSON.stringify(value));
export const sha256 = (text: string): string =>
  createHash("sha256").update(text).digest("base64url");

/** A key that signs JWS. */
export interface AcmeKey {
  readonly alg: string;
  readonly jwk: Members;
  readonly thumbprint: string;
  readonly key: KeyObject;
  sign(data: string, alg?: string): Uint8Array;
}
const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
/** Hashes by the suffix of `alg`. */
export const hashes: Readonly<Record<string, string>> = {
  256: "sha256",
  384: "sha384",
  512: "sha512",
};

/** Generates a key for an `alg`; `bits`: size of an RSA modulus. */
export function newKey(alg = "ES256", bits = 2048): AcmeKey {
  const namedCurve = curves[alg];
  const { privateKey, publicKey } = namedCurve
    ? generateKeyPairSync("ec", { namedCurve })
    : alg.startsWith("Ed")
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: bits });
  return keyOf(alg, privateKey, publicKey);
}
/** Returns a key for an `alg` from an existing pair. */
export function keyOf(alg: string, privateKey: KeyObject, publicKey: KeyObject): AcmeKey {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: "jwk" });
  const jwk = JSON.parse(JSON.stringify({ crv, e, kty, n, x, y })) as Members;
  return {
    alg,
    jwk,
    thumbprint: sha256(JSON.stringify(jwk)),
    key: privateKey,
    sign: (data, as = alg) => signatureOf(privateKey, as, data),
  };
}
function signatureOf(key: KeyObject, alg: string, data: string): Uint8Array {
  if (alg.startsWith("Ed")) return signWith(null, Buffer.from(data), key);
  const hash = hashes[alg.slice(2)] ?? "sha256";
  const padding = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: Number(alg.slice(2)) / 8,
  };
  const how = alg.startsWith("PS")
    ? { key, ...padding }
    : { key, dsaEncoding: "ieee-p1363" as const };
  return signWith(hash, Buffer.from(data), how);
}

/** A JWS in its serialized form. */
export interface Jws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/** Encodes a payload; `undefined`: POST-as-GET. */
export const payloadText = (payload: unknown): string =>
  payload === undefined ? "" : json64(payload);
/** Returns the JWS of a header and a payload. */
export function jwsOf(key: AcmeKey, header: Members, payload: unknown): Jws {
  const [head, body] = [json64(header), payloadText(payload)];
  return { protected: head, payload: body, signature: base64Url(key.sign(`${head}.${body}`)) };
}
