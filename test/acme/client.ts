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

/**
 * An independent ACME client: imports nothing from the sources, and checks responses against
 * RFC 8555.
 */

type Members = Readonly<Record<string, unknown>>;
/** The deviations of a request. Each is applied before the parts that depend on it are signed. */
export interface Breaks {
  /** Returns the protected header to send. */
  header?(right: Members): Members;
  /** Returns the text of the protected header to send. */
  headerText?(right: string): string;
  /** Returns the payload part to send. */
  payload?(right: string): string;
  sign?(data: string, key: AcmeKey): Uint8Array;
  /** Returns the JWS to send, after signing. */
  jws?(right: Jws): unknown;
  /** Returns the body to send, last. */
  body?(right: string): string | Uint8Array;
  readonly contentType?: string | null;
  readonly nonce?: unknown;
  readonly method?: string;
  /** The URL to send to, instead of the signed one. */
  readonly to?: string;
}
/** A response. */
export interface AcmeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Members;
  /** Problem type without its prefix; "" for other responses. */
  readonly problem: string;
  readonly detail: string;
  readonly location: string;
  /** The only link, `<url>;rel="…"`. */
  readonly link: string;
}
const prefix = "urn:ietf:params:acme:error:";
/** Reports whether a document contains a null. */
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

/** Sends a request and returns the response. */
export type Fetch = (request: Request) => Promise<Response>;
/** A client of one directory with one key. */
export interface AcmeClient {
  readonly key: AcmeKey;
  /** URL of the account; "" before registration. */
  kid: string;
  /** The directory's document. */
  urls(): Promise<Members>;
  /** URL of a resource of the directory. */
  url(name: string): Promise<string>;
  /** Returns an unused nonce. */
  nonce(): Promise<string>;
  /** Signs and sends, with `kid` if there is an account. `undefined`: POST-as-GET. */
  post(url: string, payload?: unknown, breaks?: Breaks): Promise<AcmeReply>;
  /** Sends like `post`, but always signs with `jwk`. */
  postWithKey(url: string, payload?: unknown, breaks?: Breaks): Promise<AcmeReply>;
  /** Returns a JWS, by default signed with the client's key, such as the inner JWS of a key change. */
  jws(protectedHeader: Members, payload: unknown, key?: AcmeKey): Jws;
  /** Creates an account, or finds it. */
  register(payload?: Members, breaks?: Breaks): Promise<AcmeReply>;
  keyAuthorization(token: string): string;
}
/** Options of a client. */
export interface ClientOptions {
  readonly fetch: Fetch;
  /** URL of the directory. */
  readonly directory: string;
  readonly key?: AcmeKey;
}

/** Asserts the requirements on every ACME response (B 5.5, B 5.12, D 5). */
function holdToRules(reply: AcmeReply, seen: Set<string>): void {
  const nonce = reply.headers.get("replay-nonce") ?? "";
  expect(nonce, `no nonce on ${reply.status} ${reply.text}`).toMatch(/^[\w-]{22,}$/);
  expect(seen.has(nonce), "a nonce was given out twice").toBe(false);
  seen.add(nonce);
  // a mount that does not know its own URL has no link to its directory
  if (reply.detail.includes("config/cluster")) expect(reply.link).toBe("");
  else expect(reply.link).toMatch(/^<https?:\/\/[^<>,\s]+>;rel="(index|up)"$/);
  if (reply.status >= 400) expect(reply.problem, reply.text).not.toBe("");
}

/** Creates a client. Its requests are valid unless a test breaks them. */
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
    // a disabled directory responds like an unknown path
    if (reply.text.trim() !== '{"errors":[]}') holdToRules(reply, seen);
    fresh = reply.headers.get("replay-nonce") ?? undefined;
    return reply;
  }
  return client;
}
/** Returns a signed request with the deviations of a test. */
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
  // the bytes of tests have a buffer of their own
  const body = (breaks.body?.(text) ?? text) as BodyInit;
  return new Request(to, { method, headers, body });
}

/** Returns an external account binding (RFC 8555 section 7.3.4) for a key; `mac`: base64url. */
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

/** URL of the mount `pki` of a test authority. */
export const clusterPath = "http://ca.test/v1/pki";
/** An authority with ACME, and clients of it. */
export interface AcmeAuthority extends Authority {
  /** Returns a client with a new key; `at`: path of its directory. */
  client(options?: { readonly at?: string; readonly key?: AcmeKey }): AcmeClient;
  /** Returns the name of the mount's store. */
  uuid(): Promise<string>;
  /** Returns a client with an account. */
  registered(options?: { readonly at?: string; readonly key?: AcmeKey }): Promise<AcmeClient>;
}
/** Creates an authority with a root and ACME enabled. `config`: fields of `config/acme`. */
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
