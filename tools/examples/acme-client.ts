import { toBase64Url, utf8 } from "../../src/base/bytes.ts";
import { findEndpoint, patternFor } from "./places.ts";
import type { GrantedRequest, Send } from "./send.ts";

type Members = Readonly<Record<string, unknown>>;
/** An ACME client of one directory, with one account. */
export interface AcmeClient {
  register(payload: Members): Promise<GrantedRequest>;
  /**
   * Sends a request that is signed with the account's key; a POST-as-GET if there is no payload.
   */
  post(id: string, parameters: Members, payload?: Members): Promise<GrantedRequest>;
  changeKey(): Promise<GrantedRequest>;
}
/** Base URL of the mount. */
const mount = "http://ca.example.com/v1/pki";

const encoded = (value: unknown): string => toBase64Url(utf8(JSON.stringify(value)));
interface Key {
  readonly jwk: Members;
  sign(text: string): Promise<string>;
}
async function newKey(): Promise<Key> {
  const kind = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(kind, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const scheme = { name: "ECDSA", hash: "SHA-256" };
  return {
    jwk: { crv, kty, x, y },
    sign: async (text) =>
      toBase64Url(new Uint8Array(await crypto.subtle.sign(scheme, pair.privateKey, utf8(text)))),
  };
}
/** Returns a JWS in Flattened JSON Serialization (RFC 7515 section 7.2.2). */
async function jwsOf(key: Key, header: Members, payload: string) {
  const head = encoded({ alg: "ES256", ...header });
  return { protected: head, payload, signature: await key.sign(`${head}.${payload}`) };
}

/** Returns an ACME client (RFC 8555) of the default directory of the mount `pki`. */
export async function acmeClient(send: Send): Promise<AcmeClient> {
  const key = await newKey();
  const open = { token: "" };
  let kid = "";
  const urlOf = (id: string, parameters: Members): string => {
    const { path } = patternFor(findEndpoint(id).endpoint, parameters);
    return mount + path.replace(/:(\w+)/g, (_, name: string) => String(parameters[name]));
  };
  const signed = async (
    id: string,
    parameters: Members,
    payload: string,
  ): Promise<GrantedRequest> => {
    const nonce = (await send("acmeNewNonce", {}, open)).header("replay-nonce");
    const who = kid === "" ? { jwk: key.jwk } : { kid };
    const jws = await jwsOf(key, { ...who, nonce, url: urlOf(id, parameters) }, payload);
    return send(id, { ...parameters, jws: utf8(JSON.stringify(jws)) }, open);
  };
  return {
    async register(payload) {
      const account = await signed("acmeNewAccount", {}, encoded(payload));
      kid = account.header("location");
      return account;
    },
    post: (id, parameters, payload) =>
      signed(id, parameters, payload === undefined ? "" : encoded(payload)),
    async changeKey() {
      const next = await newKey();
      const header = { jwk: next.jwk, url: urlOf("acmeKeyChange", {}) };
      const inner = await jwsOf(next, header, encoded({ account: kid, oldKey: key.jwk }));
      return signed("acmeKeyChange", {}, encoded(inner));
    },
  };
}
