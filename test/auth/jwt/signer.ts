import { createHmac } from "node:crypto";
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, type JWK } from "jose";
import { toBase64Url, utf8 } from "../../../src/base/bytes.ts";

/** A signer of tokens. */
export interface TokenSigner {
  readonly alg: string;
  readonly kid: string | undefined;
  /** The public key, PEM. */
  readonly pem: string;
  /** The public key as in a JWK set. */
  readonly jwk: JWK;
  /** Returns a token with these claims. */
  token(claims: object, header?: object): Promise<string>;
  /** Returns a token with this text for claims. */
  tokenOf(claims: string, header?: object): Promise<string>;
}

export async function tokenSigner(alg = "ES256", kid?: string): Promise<TokenSigner> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }) };
  const tokenOf = (claims: string, header: object = {}) =>
    new CompactSign(utf8(claims))
      .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), ...header })
      .sign(privateKey);
  return {
    alg,
    kid,
    pem: await exportSPKI(publicKey),
    jwk,
    tokenOf,
    token: (claims, header) => tokenOf(JSON.stringify(claims), header),
  };
}

/** Encodes a part of a token. */
export const part = (value: unknown): string =>
  toBase64Url(utf8(typeof value === "string" ? value : JSON.stringify(value)));
/** Returns a token signed with an HMAC under a secret that an attacker knows. */
export function hmacToken(header: object, claims: object, secret: string | Uint8Array): string {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
