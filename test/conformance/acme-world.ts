import { toBase64Url, utf8 } from "../../src/base/bytes.ts";
import type { AuthzRow } from "../../src/acme/rows/records.ts";
import type { Store, Stores } from "../../src/engine/ports.ts";
import { algorithmIdentifier, defaultScheme, parsePublicKey } from "../../src/x509/public-key.ts";
import { assembleSigned } from "../../src/x509/certificate.ts";
import { encodeCsrInfo } from "../../src/x509/csr.ts";
import { encodeName } from "../../src/x509/name.ts";
import { noNames, subjectAltName } from "../../src/x509/san.ts";
import { ecdsaToDer } from "../../src/algorithms/nist-curves.ts";
import { authority, clockAt, type Authority, type Clock } from "../support/authority.ts";
import { breakable } from "./breakable.ts";

/** Base URL. This file runs without Node and uses WebCrypto only. */

const base = "http://ca.test/v1/pki";
const p256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const signing = { name: "ECDSA", hash: "SHA-256" } as const;

/** The commit of an act that fails, and whether it is applied nevertheless. */
export interface Lost {
  readonly at: number;
  readonly isDone: boolean;
}
/** An order in the reference model. */
export interface ModelOrder {
  readonly url: string;
  readonly id: string;
  readonly holder: Holder;
  readonly names: readonly string[];
  readonly expires: number;
  readonly proofs: { readonly url: string; status: string; expires: number }[];
  /** True if the order was ready during some call that tried to finalize it. */
  wasReady: boolean;
  isDone: boolean;
  isRevoked: boolean;
}
/** Two engines over the stores of one authority, and the expected state. */
export interface AcmeWorld {
  readonly clock: Clock;
  readonly engines: readonly Authority[];
  readonly store: Store;
  readonly holders: readonly Holder[];
  readonly orders: ModelOrder[];
  readonly csrKey: Pair;
  isNarrow: boolean;
  fault: (Lost & { count: number; fired: boolean }) | undefined;
}
interface Pair {
  readonly key: CryptoKey;
  readonly spki: Uint8Array;
}
/** An account. */
export interface Holder {
  readonly key: CryptoKey;
  readonly jwk: Readonly<Record<string, unknown>>;
  kid: string;
}

async function pairOf(): Promise<Pair & { readonly jwk: Holder["jwk"] }> {
  // this algorithm always generates a key pair
  const pair = await crypto.subtle.generateKey(p256, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  return { key: pair.privateKey, spki, jwk: { crv, kty, x, y } };
}
const sign = async (key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign(signing, key, data));

/** A reply: its status, problem type, Location and JSON members. */
export interface Told {
  readonly status: number;
  readonly problem: string;
  readonly location: string;
  readonly json: Readonly<Record<string, unknown>>;
}
/** Sends a signed request; `undefined`: POST-as-GET. */
export async function post(
  engine: Authority,
  holder: Holder,
  url: string,
  payload?: unknown,
): Promise<Told> {
  const fresh = await engine.call("GET", "pki/acme/new-nonce", undefined, { token: "" });
  const nonce = fresh.headers.get("replay-nonce");
  const who = holder.kid === "" ? { jwk: holder.jwk } : { kid: holder.kid };
  const encoded = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));
  const head = encoded({ alg: "ES256", nonce, url, ...who });
  const body = payload === undefined ? "" : encoded(payload);
  const signature = toBase64Url(await sign(holder.key, utf8(`${head}.${body}`)));
  const reply = await engine.ca.fetch(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/jose+json" },
      body: JSON.stringify({ protected: head, payload: body, signature }),
    }),
  );
  const text = await reply.text();
  const json = (text.startsWith("{") ? JSON.parse(text) : {}) as Told["json"];
  return {
    status: reply.status,
    problem: reply.status < 400 ? "" : String(json["type"]).replace(/.*:/, ""),
    location: reply.headers.get("location") ?? "",
    json,
  };
}

/** Reports whether a name is an IP address. */
export const isAddress = (name: string): boolean => /^[\d.]+$/.test(name);
/** Creates a CSR for names. */
export async function csrFor({ csrKey }: AcmeWorld, names: readonly string[]): Promise<string> {
  const san = subjectAltName(
    {
      ...noNames,
      dns: names.filter((name) => !isAddress(name)),
      ip: names.filter(isAddress),
    },
    false,
  );
  const info = encodeCsrInfo({
    subject: encodeName([]),
    spki: csrKey.spki,
    extensions: san ? [san] : [],
  });
  const scheme = defaultScheme(parsePublicKey(csrKey.spki));
  const signature = ecdsaToDer(await sign(csrKey.key, info));
  return toBase64Url(assembleSigned(info, algorithmIdentifier(scheme), signature));
}

/** Sets the validation result of an authorization. */
export async function setProof(world: AcmeWorld, url: string, status: "valid" | "invalid") {
  const key = `authz/${url.slice(url.lastIndexOf("/") + 1)}`;
  const [row] = await world.store.get([key]);
  const value = row?.value as AuthzRow;
  const expires =
    status === "valid" ? Math.floor(world.clock.now / 1000) + 15 * 86_400 : value.expires;
  await world.store.commit({
    expect: [[key, row?.rev ?? null]],
    put: [[key, { ...value, status, expires }, { acme_end: expires }]],
  });
  return expires;
}

/** Creates an authority with ACME, two accounts and no orders. */
export async function beginAcme(stores: Stores): Promise<AcmeWorld> {
  const clock = clockAt();
  const broken: Pick<AcmeWorld, "fault"> = { fault: undefined };
  const engines = [1, 2].map((seed) =>
    authority({ stores: breakable(broken, stores), clock, seed }),
  );
  const [engine] = engines;
  if (!engine) throw new Error("a world has engines");
  await engine.root();
  await engine.role("narrow", {
    allow_any_name: false,
    allowed_domains: ["a.test"],
    allow_bare_domains: true,
    allow_subdomains: true,
  });
  await engine.call("POST", "pki/config/cluster", { path: base });
  await engine.call("POST", "pki/config/acme", { enabled: true });
  const uuid = String((await engine.call("GET", "sys/mounts/pki")).data["uuid"]);
  const holders = await Promise.all([1, 2].map(async () => ({ ...(await pairOf()), kid: "" })));
  for (const holder of holders)
    holder.kid = (await post(engine, holder, `${base}/acme/new-account`, {})).location;
  const world = { clock, engines, store: stores(uuid), holders, orders: [], isNarrow: false };
  // one shared object, so that the stores see the fault that the world sets
  return Object.assign(broken, { ...world, csrKey: await pairOf() });
}
/** Returns the URL of an ACME path. */
export const at = (suffix: string): string => `${base}/acme${suffix}`;
