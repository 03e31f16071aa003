import { fromUtf8, toBase64Url, utf8 } from "../../src/base/bytes.ts";
import { memoryStore } from "../../src/index.ts";
import type { Stores } from "../../src/engine/ports.ts";
import { authority, type Authority, type AuthorityOptions } from "../support/authority.ts";

type Json = Readonly<Record<string, unknown>>;
/** A key of an ACME client. */
export interface ClientKey {
  readonly jwk: JsonWebKey;
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}
/** An ACME response: a JSON document or a problem. */
export interface AcmeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
  /** The problem type without the common prefix. */
  readonly problem: string | undefined;
}
/** The deviations of a request. */
export interface Deviation {
  /** URL of the account that signs; otherwise the key signs with `jwk`. */
  readonly kid?: string | undefined;
  /** Members of the protected header that replace the valid ones. */
  readonly header?: Json;
  /** The client's address. */
  readonly address?: string;
}
/** A directory of the mount `pki` as clients use it. */
export interface ClientDirectory {
  readonly prefix: string;
  url(suffix: string): string;
  /** Signs and sends; a payload of undefined is POST-as-GET. */
  post(
    suffix: string,
    key: ClientKey,
    payload: unknown,
    deviation?: Deviation,
  ): Promise<AcmeAnswer>;
}

const base = "http://ca.test/v1/pki";
/** Generates a key for ES256. */
export async function clientKey(): Promise<ClientKey> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const {
    kty = "",
    crv = "",
    x = "",
    y = "",
  } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return {
    jwk: { kty, crv, x, y },
    sign: async (data) =>
      new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, data)),
  };
}

/** Returns a flattened JWS. `payload`: undefined for none, anything else as JSON. */
export async function jws(
  header: Json,
  payload: unknown,
  sign: (data: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>,
): Promise<Json> {
  const text = payload === undefined ? "" : JSON.stringify(payload);
  const [head, body] = [JSON.stringify(header), text].map((part) => toBase64Url(utf8(part)));
  const signature = toBase64Url(await sign(utf8(`${head}.${body}`)));
  return { protected: head, payload: body, signature };
}
/** An external account binding key as returned by new-eab. */
export interface Eab {
  readonly id: string;
  readonly key: string;
}
/** Returns the external account binding of a registration. */
export async function binding(
  { id, key }: Eab,
  payload: unknown,
  header: Json,
  hash = "SHA-256",
): Promise<Json> {
  const algorithm = { name: "HMAC", hash };
  const secret = Buffer.from(key, "base64url");
  const mac = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return jws(
    { alg: "HS256", kid: id, ...header },
    payload,
    async (data) => new Uint8Array(await crypto.subtle.sign("HMAC", mac, data)),
  );
}

/** Returns a directory of an authority. */
export function directory({ ca }: Pick<Authority, "ca">, prefix = "acme"): ClientDirectory {
  const url = (suffix: string) => `${base}/${prefix}${suffix}`;
  const nonce = async () => {
    const answer = await ca.fetch(new Request(url("/new-nonce"), { method: "HEAD" }));
    return answer.headers.get("replay-nonce") ?? "";
  };
  return {
    prefix,
    url,
    post: async (suffix, key, payload, { kid, header, address } = {}) => {
      const head = {
        alg: "ES256",
        nonce: await nonce(),
        url: url(suffix),
        ...(kid === undefined ? { jwk: key.jwk } : { kid }),
        ...header,
      };
      const request = new Request(url(suffix), {
        method: "POST",
        headers: { "content-type": "application/jose+json" },
        body: JSON.stringify(await jws(head, payload, key.sign)),
      });
      return answerOf(await ca.fetch(request, address === undefined ? {} : { peer: { address } }));
    },
  };
}
async function answerOf(response: Response): Promise<AcmeAnswer> {
  const text = fromUtf8(new Uint8Array(await response.arrayBuffer()));
  // ACME documents are objects
  const json = (text === "" ? {} : JSON.parse(text)) as Json;
  const { type } = json;
  return {
    status: response.status,
    headers: response.headers,
    json,
    problem: typeof type === "string" ? type.replace("urn:ietf:params:acme:error:", "") : undefined,
  };
}

/**
 * Returns memory stores that yield to the event loop before each operation, like every remote
 * store.
 */
export function distantStore(): Stores {
  const inner = memoryStore();
  const distant = async <T>(act: () => Promise<T>): Promise<T> => {
    await turn();
    return act();
  };
  return (name) => {
    const store = inner(name);
    return {
      get: (keys) => distant(() => store.get(keys)),
      list: (prefix, page) => distant(() => store.list(prefix, page)),
      commit: (batch) => distant(() => store.commit(batch)),
    };
  };
}
/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Options of a test authority with ACME. */
export interface Registering extends AuthorityOptions {
  readonly eab_policy?: string;
}
/** Creates an authority whose mount `pki` has ACME enabled. */
export async function registering({ eab_policy = "not-required", ...options }: Registering = {}) {
  const a = authority(options);
  await a.root();
  await a.role("web");
  await a.call("POST", "pki/config/cluster", { path: base, aia_path: base });
  await a.call("POST", "pki/config/acme", { enabled: true, eab_policy });
  return { a, acme: directory(a), key: await clientKey() };
}
/** Creates an external account binding key in a directory. */
export async function newEab(a: Authority, prefix = "acme"): Promise<Eab> {
  const { data } = await a.call("POST", `pki/${prefix}/new-eab`, {});
  const { id, key } = data;
  return { id: String(id), key: String(key) };
}
/** Returns the account URL in a response. */
export const accountUrl = ({ headers }: AcmeAnswer): string => headers.get("location") ?? "";
