import type { AccountIdentity } from "./account-records.ts";
import { fromBase64Url, toBase64Url, utf8 } from "../../../src/base/bytes.ts";
import { toText } from "../../lib/to-text.ts";

type Json = Readonly<Record<string, unknown>>;

/** A request and its response, for display. */
export interface Exchange {
  readonly verb: "GET" | "HEAD" | "POST";
  readonly url: string;
  /** The protected header of a signed request. */
  readonly header?: Json;
  /** The payload: an object, or an empty string for POST-as-GET. */
  readonly payload?: Json | "";
  readonly status: number;
  /** The response headers that matter in ACME. */
  readonly answered: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** An ACME error, usually from a problem document. */
class AcmeRefusal extends Error {
  override readonly name = "AcmeRefusal";
  /** Error type, such as `badCSR`; empty if the response is not a problem document. */
  readonly type: string;
  readonly status: number;
  constructor(status: number, { type, detail }: { type: string; detail: string }) {
    super(detail || `The server replied with status ${status}.`);
    this.type = type;
    this.status = status;
  }
}

/** The members of a directory that the client uses (RFC 8555 section 7.1.1). */
interface DirectoryObject {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly revokeCert: string;
  readonly meta?: {
    readonly externalAccountRequired?: boolean;
    /** Prefix of hashed accounts in records for dns-persist-01. */
    readonly accountHashPrefix?: string;
  };
}
export interface OrderObject {
  readonly status: string;
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate?: string;
}
export interface ChallengeObject {
  readonly type: string;
  readonly url: string;
  readonly status: string;
  /** The token; absent in challenges of the type dns-persist-01. */
  readonly token?: string;
  /** The CA's domain names for dns-persist-01 records. */
  readonly issuerDomainNames?: readonly string[];
  readonly error?: { readonly type: string; readonly detail: string };
}
export interface AuthorizationObject {
  readonly identifier: { readonly type: string; readonly value: string };
  readonly status: string;
  readonly wildcard?: boolean;
  readonly challenges: readonly ChallengeObject[];
}

/** A response, with its body if it is JSON. */
interface AcmeResponse<T> {
  readonly body: T;
  readonly text: string;
  readonly location: string;
  /** Time in ms to wait before polling again. */
  readonly wait: number;
}

/** An external account binding key. */
interface Binding {
  readonly id: string;
  /** The MAC key in base64url. */
  readonly key: string;
}

/** An ACME client (RFC 8555) with a non-extractable account key. */
export interface AcmeClient {
  /** Reads the directory. */
  directory(): Promise<DirectoryObject>;
  /** Creates the account, bound to an external account if `binding` is given. */
  register(binding?: Binding): Promise<void>;
  order(names: readonly Identifier[]): Promise<{ order: OrderObject; url: string }>;
  /** Reads an object by its URL (POST-as-GET). `wait` is the time in ms before the next poll. */
  read<T>(url: string): Promise<{ body: T; wait: number }>;
  text(url: string): Promise<string>;
  /** Informs the server that it can validate a challenge. */
  respond(url: string): Promise<void>;
  finalize(url: string, csr: string): Promise<OrderObject>;
  /** Revokes a certificate (DER). Signs the request with the account key. */
  revoke(certificate: Uint8Array): Promise<void>;
  /** Returns the key authorization for the token of a challenge. */
  keyAuthorization(token: string): string;
  /** Returns the created account. */
  account(): AccountIdentity;
}

interface Identifier {
  readonly type: string;
  readonly value: string;
}

const curve = { name: "ECDSA", namedCurve: "P-256" } as const;
const encoded = (value: object): string => toBase64Url(utf8(JSON.stringify(value)));

/** The response headers to show. */
const shownHeaders = ["Location", "Link", "Replay-Nonce", "Retry-After", "Content-Type"];

/**
 * Returns a client for the directory at `url`. Calls `report` with every request and its response.
 */
export async function acmeClient(
  url: string,
  report: (exchange: Exchange) => void,
  signal: AbortSignal,
): Promise<AcmeClient> {
  const pair = await crypto.subtle.generateKey(curve, false, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  // The members are in the order that RFC 7638 requires for the thumbprint.
  const jwk = { crv, kty, x, y };
  const thumbprint = toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(JSON.stringify(jwk)))),
  );
  const wire = transport({ jwk, sign: (text) => signed(pair.privateKey, text) }, report, signal);
  let cached: DirectoryObject | undefined;
  let accountUrl = "";
  const directory = async (): Promise<DirectoryObject> =>
    (cached ??= await wire.begin<DirectoryObject>(url));
  return {
    directory,
    async register(binding) {
      const { newAccount } = await directory();
      const externalAccountBinding = binding && (await bound(binding, jwk, newAccount));
      const { location } = await wire.post(newAccount, {
        termsOfServiceAgreed: true,
        ...(externalAccountBinding && { externalAccountBinding }),
      });
      accountUrl = location;
      wire.account(location);
    },
    async order(identifiers) {
      const { body, location } = await wire.post<OrderObject>((await directory()).newOrder, {
        identifiers,
      });
      return { order: body, url: location };
    },
    read: (at) => wire.post(at, ""),
    text: async (at) => (await wire.post(at, "")).text,
    respond: async (at) => void (await wire.post(at, {})),
    finalize: async (at, csr) => (await wire.post<OrderObject>(at, { csr })).body,
    revoke: async (certificate) =>
      void (await wire.post((await directory()).revokeCert, {
        certificate: toBase64Url(certificate),
      })),
    keyAuthorization: (token) => `${token}.${thumbprint}`,
    account: () => ({ url: accountUrl, thumbprint }),
  };
}

async function signed(key: CryptoKey, text: string): Promise<string> {
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, utf8(text));
  return toBase64Url(new Uint8Array(signature));
}

/** Returns the external account binding for the account key (RFC 8555 section 7.3.4). */
async function bound({ id, key }: Binding, jwk: object, url: string): Promise<Json> {
  const secret = await crypto.subtle.importKey(
    "raw",
    fromBase64Url(key) ?? new Uint8Array(),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const header = encoded({ alg: "HS256", kid: id, url });
  const payload = encoded(jwk);
  const mac = await crypto.subtle.sign("HMAC", secret, utf8(`${header}.${payload}`));
  return { protected: header, payload, signature: toBase64Url(new Uint8Array(mac)) };
}

interface Key {
  readonly jwk: object;
  sign(text: string): Promise<string>;
}
interface Wire {
  /** Reads the directory. */
  begin<T extends { newNonce: string }>(url: string): Promise<T>;
  /** Sends a signed request, and retries it once after a badNonce error. */
  post<T>(url: string, payload: Json | ""): Promise<AcmeResponse<T>>;
  /** Sets the account URL. It identifies the key in later requests. */
  account(url: string): void;
}

/** Returns a transport that handles nonces, signs requests and reports each exchange. */
function transport(key: Key, report: (exchange: Exchange) => void, signal: AbortSignal): Wire {
  let [nonce, newNonce, kid] = ["", "", ""];
  const send = async (url: string, init: RequestInit, about: About): Promise<ExchangeResult> => {
    const result = await exchange(url, { ...init, signal }, about, report);
    nonce = result.response.headers.get("Replay-Nonce") ?? nonce;
    return result;
  };
  const post = async <T>(
    url: string,
    payload: Json | "",
    again = true,
  ): Promise<AcmeResponse<T>> => {
    if (nonce === "") await send(newNonce, {}, { verb: "HEAD" });
    const header = { alg: "ES256", ...(kid ? { kid } : { jwk: key.jwk }), nonce, url };
    nonce = "";
    const [head, body] = [encoded(header), payload === "" ? "" : encoded(payload)];
    const signature = await key.sign(`${head}.${body}`);
    const { response, text } = await send(
      url,
      {
        headers: { "Content-Type": "application/jose+json" },
        body: JSON.stringify({ protected: head, payload: body, signature }),
      },
      { verb: "POST", header, payload },
    );
    if (response.ok) return answerOf<T>(response, text);
    const why = refusalOf(response, text);
    if (why.type === "badNonce" && again) return post(url, payload, false);
    throw why;
  };
  return {
    async begin<T extends { newNonce: string }>(url: string) {
      const { response, text } = await send(url, {}, { verb: "GET" });
      if (!response.ok) throw refusalOf(response, text);
      const { body } = answerOf<T>(response, text);
      ({ newNonce } = body);
      return body;
    },
    post: (url, payload) => post(url, payload),
    account: (url) => void (kid = url),
  };
}

type About = Pick<Exchange, "verb" | "header" | "payload">;
interface ExchangeResult {
  readonly response: Response;
  readonly text: string;
}

/** Sends a request, and reports the request with its response. */
async function exchange(
  url: string,
  init: RequestInit,
  about: About,
  report: (exchange: Exchange) => void,
): Promise<ExchangeResult> {
  const response = await fetch(url, {
    ...init,
    method: about.verb,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  });
  const text = await response.text();
  const answered = shownHeaders.flatMap((name): (readonly [string, string])[] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  report({ ...about, url, status: response.status, answered, body: text });
  return { response, text };
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Converts a response. The body of a certificate download is not JSON, so the text is returned too.
 */
const answerOf = <T>({ headers }: Response, text: string): AcmeResponse<T> => ({
  // The protocol defines the type; each member is checked where it is used.
  body: json(text) as T,
  text,
  location: headers.get("Location") ?? "",
  wait: Math.min(30, Math.max(1, Number(headers.get("Retry-After")) || 1)) * 1000,
});

function refusalOf({ status }: Response, text: string): AcmeRefusal {
  const { type, detail, errors } = (json(text) ?? {}) as Json;
  // If ACME is disabled, its paths do not exist, so the error is not a problem document.
  const off = Array.isArray(errors) && status === 404 ? "ACME is disabled in this mount." : "";
  return new AcmeRefusal(status, {
    type: toText(type).replace(/^urn:ietf:params:acme:error:/, ""),
    detail: typeof detail === "string" ? detail : off,
  });
}

/**
 * Returns the SHA-256 of a key authorization in base64url, which dns-01 expects in a TXT record
 * (RFC 8555 section 8.4).
 */
export const digestOf = async (keyAuthorization: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(keyAuthorization))));
