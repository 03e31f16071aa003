import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { authority, type Authority, type AuthorityOptions } from "../support/authority.ts";
import {
  type AcmeKey,
  base64Url,
  hashes,
  json64,
  type Jws,
  jwsOf,
  newKey,
  payloadText,
} from "./key.ts";

export { type AcmeKey, type Jws, keyOf, newKey, sha256 } from "./key.ts";

/** An ACME client of our own that takes nothing from the sources and holds replies to RFC 8555. */

type Members = Readonly<Record<string, unknown>>;
/** What a test may break of one request. Each is done before what depends on it is signed. */
export interface Breaks {
  /** The protected header in the place of the right one. */
  header?(right: Members): Members;
  /** The text of the protected header. */
  headerText?(right: string): string;
  /** The payload part. */
  payload?(right: string): string;
  sign?(data: string, key: AcmeKey): Uint8Array;
  /** The JWS after it was signed. */
  jws?(right: Jws): unknown;
  /** The body after all. */
  body?(right: string): string | Uint8Array;
  readonly contentType?: string | null;
  readonly nonce?: unknown;
  readonly method?: string;
  /** Where it is sent, in the place of the URL that is signed. */
  readonly to?: string;
}
/** A reply. */
export interface AcmeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Members;
  /** Type of a problem without its prefix; "" where it is none. */
  readonly problem: string;
  readonly detail: string;
  readonly location: string;
  /** The one link, `<url>;rel="…"`. */
  readonly link: string;
}
const prefix = "urn:ietf:params:acme:error:";
/** Reports whether anything in a document is null. */
const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull));

async function replyOf(response: Response): Promise<AcmeReply> {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const isProblem = type === "application/problem+json";
  const parsed: unknown = /json/.test(type) && text !== "" ? JSON.parse(text) : {};
  const json = parsed as Members;
  if (isProblem) {
    expect(json["type"]).toMatch(new RegExp(`^${prefix}\\w+$`));
    expect(typeof json["detail"]).toBe("string");
  }
  expect(hasNull(json), text).toBe(false);
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    problem: isProblem ? String(json["type"]).slice(prefix.length) : "",
    detail: String(json["detail"] ?? ""),
    location: response.headers.get("location") ?? "",
    link: response.headers.get("link") ?? "",
  };
}

/** Sends requests somewhere. */
export type Fetch = (request: Request) => Promise<Response>;
/** A client of one directory with one key. */
export interface AcmeClient {
  readonly key: AcmeKey;
  /** URL of the account; "" before there is one. */
  kid: string;
  /** The directory's document. */
  urls(): Promise<Members>;
  /** URL of a resource of the directory. */
  url(name: string): Promise<string>;
  /** A nonce that was not used yet. */
  nonce(): Promise<string>;
  /** Signs and sends: with `kid` where there is an account. `undefined`: POST-as-GET. */
  post(url: string, payload?: unknown, breaks?: Breaks): Promise<AcmeReply>;
  /** The same signed with the key itself, as jwk. */
  postWithKey(url: string, payload?: unknown, breaks?: Breaks): Promise<AcmeReply>;
  /** A JWS of another key, or none of its own, such as the inner one of a key change. */
  jws(protectedHeader: Members, payload: unknown, key?: AcmeKey): Jws;
  /** Makes an account, or finds it. */
  register(payload?: Members, breaks?: Breaks): Promise<AcmeReply>;
  keyAuthorization(token: string): string;
}
/** What a client is made for. */
export interface ClientOptions {
  readonly fetch: Fetch;
  /** URL of the directory. */
  readonly directory: string;
  readonly key?: AcmeKey;
}

/** Holds a reply to what every reply of the protocol has (B 5.5, B 5.12, D 5). */
function holdToRules(reply: AcmeReply, seen: Set<string>): void {
  const nonce = reply.headers.get("replay-nonce") ?? "";
  expect(nonce, `no nonce on ${reply.status} ${reply.text}`).toMatch(/^[\w-]{22,}$/);
  expect(seen.has(nonce), "a nonce was given out twice").toBe(false);
  seen.add(nonce);
  expect(reply.link).toMatch(/^<https?:\/\/[^<>,\s]+>;rel="(index|up)"$/);
  if (reply.status >= 400) expect(reply.problem, reply.text).not.toBe("");
}

/** Makes a client. Its requests are right unless a test breaks them. */
export function acmeClient({ fetch, directory, key = newKey() }: ClientOptions): AcmeClient {
  const seen = new Set<string>();
  let known: Members | undefined;
  let fresh: string | undefined;
  const client: AcmeClient = {
    key,
    kid: "",
    urls: async () => (known ??= (await replyOf(await fetch(new Request(directory)))).json),
    url: async (name) => String((await client.urls())[name]),
    nonce: async () => {
      const held = fresh;
      fresh = undefined;
      if (held !== undefined) return held;
      const response = await fetch(new Request(await client.url("newNonce"), { method: "HEAD" }));
      return response.headers.get("replay-nonce") ?? "";
    },
    post: (url, payload, breaks) =>
      send(url, payload, client.kid === "" ? { jwk: key.jwk } : { kid: client.kid }, breaks),
    postWithKey: (url, payload, breaks) => send(url, payload, { jwk: key.jwk }, breaks),
    jws: (header, payload, by = key) => jwsOf(by, header, payload),
    register: async (payload = { termsOfServiceAgreed: true }, breaks = {}) => {
      const reply = await client.postWithKey(await client.url("newAccount"), payload, breaks);
      if (reply.status < 300) client.kid = reply.location;
      return reply;
    },
    keyAuthorization: (token) => `${token}.${key.thumbprint}`,
  };
  async function send(
    url: string,
    payload: unknown,
    named: Members,
    breaks: Breaks = {},
  ): Promise<AcmeReply> {
    const nonce = "nonce" in breaks ? breaks.nonce : await client.nonce();
    const jws = broken(key, { alg: key.alg, nonce, url, ...named }, payload, breaks);
    const response = await fetch(requestOf(url, JSON.stringify(jws), breaks));
    const reply = await replyOf(response);
    // a disabled directory answers like any path that is not there
    if (reply.text.trim() !== '{"errors":[]}') holdToRules(reply, seen);
    fresh = reply.headers.get("replay-nonce") ?? undefined;
    return reply;
  }
  return client;
}
/** A signed request, broken as a test wants it. */
function broken(key: AcmeKey, right: Members, payload: unknown, breaks: Breaks): unknown {
  const headerText = JSON.stringify(breaks.header?.(right) ?? right);
  const head = base64Url(breaks.headerText?.(headerText) ?? headerText);
  const body = breaks.payload?.(payloadText(payload)) ?? payloadText(payload);
  const data = `${head}.${body}`;
  const signature = base64Url(breaks.sign?.(data, key) ?? key.sign(data));
  const jws = { protected: head, payload: body, signature };
  return breaks.jws?.(jws) ?? jws;
}
function requestOf(url: string, text: string, breaks: Breaks): Request {
  const { contentType = "application/jose+json", method = "POST", to = url } = breaks;
  const headers = contentType === null ? {} : { "content-type": contentType };
  if (method === "GET" || method === "HEAD") return new Request(to, { method, headers });
  // bytes of a test are of a buffer of their own
  const body = (breaks.body?.(text) ?? text) as BodyInit;
  return new Request(to, { method, headers, body });
}

/** An external account binding (RFC 8555 section 7.3.4) for a key; `mac`: base64url. */
export function binding(
  key: AcmeKey,
  {
    kid,
    mac,
    url,
    alg = "HS256",
  }: Readonly<Record<"kid" | "mac" | "url", string>> & {
    readonly alg?: string;
  },
): Jws {
  const [head, body] = [json64({ alg, kid, url }), json64(key.jwk)];
  const hash = hashes[alg.slice(2)] ?? "sha256";
  const signature = createHmac(hash, Buffer.from(mac, "base64url"))
    .update(`${head}.${body}`)
    .digest("base64url");
  return { protected: head, payload: body, signature };
}

/** Where the mount `pki` of a test's authority is. */
export const clusterPath = "http://ca.test/v1/pki";
/** An authority that answers ACME, and clients of it. */
export interface AcmeAuthority extends Authority {
  /** A client with a key of its own; `at`: the prefix of its directory. */
  client(options?: { readonly at?: string; readonly key?: AcmeKey }): AcmeClient;
  /** Name of the mount's store. */
  uuid(): Promise<string>;
  /** One that has an account already. */
  registered(options?: { readonly at?: string; readonly key?: AcmeKey }): Promise<AcmeClient>;
}
/** An authority with a root and ACME enabled. `config`: of `config/acme`. */
export async function acmeAuthority({
  config = {},
  ...options
}: AuthorityOptions & { readonly config?: Members } = {}): Promise<AcmeAuthority> {
  const a = authority(options);
  await a.root();
  await a.call("POST", "pki/config/cluster", { path: clusterPath });
  await a.call("POST", "pki/config/acme", { enabled: true, ...config });
  const client: AcmeAuthority["client"] = ({ at = "acme", key } = {}) =>
    acmeClient({
      fetch: (request) => a.ca.fetch(request),
      directory: `${clusterPath}/${at}/directory`,
      ...(key ? { key } : {}),
    });
  return {
    ...a,
    client,
    uuid: async () => (await a.sys.listMounts())["pki/"]?.uuid ?? "",
    registered: async (of) => {
      const made = client(of);
      await made.register();
      return made;
    },
  };
}
