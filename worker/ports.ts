import { acmeSettingsOf, type AcmeEnv } from "./acme.ts";
import type { Assets, KvNamespace, MountNamespace } from "./bindings.ts";
import { clock } from "./clock.ts";
import {
  createCa,
  type Ca,
  type Identity,
  type LogEvent,
  type Publish,
  type Service,
  type Store,
  type Stores,
  type VarsSettings,
  type VaultOptions,
} from "../src/index.ts";
import { varsApi } from "../src/vars/index.ts";
import { fromBase64, utf8 } from "../src/base/bytes.ts";
import { dial } from "./dial.ts";
import { resolverOf, type DnsEnv } from "./resolve.ts";
import { vaultOf } from "./vault.ts";
import { remoteOnce, remoteStore } from "./store.ts";

/** What a deployment binds to the Worker. */
export interface Env extends AcmeEnv, DnsEnv {
  /** Objects of class `MountObject`, each a store. */
  readonly MOUNT: MountNamespace;
  /** Published CRLs. */
  readonly PUBLISHED: KvNamespace;
  /** The page below `/demo/`; absent where it is not deployed. */
  readonly ASSETS?: Assets;
  /** Secret: the token that may do everything. */
  readonly SERVICE_ROOT_TOKEN: string;
  /** Secret: base64 of the 32 bytes under which CA keys are sealed. */
  readonly SEALING_KEY: string;
  /** Secret: the sealing key before, for as long as rows are sealed under it. */
  readonly SEALING_KEY_PREVIOUS?: string;
  /** The deployment's own address. */
  readonly PUBLIC_URL?: string;
  /** `true`: leaves may break the constraints of their issuer's chain. */
  readonly DISABLE_PKI_CONSTRAINTS_VERIFICATION?: string;
  /** Origins, separated by commas, that browsers may call from. */
  readonly ALLOWED_ORIGINS?: string;
  /** Secret: the token of the first user of the variables API; without it that user has none. */
  readonly VARS_TOKEN?: string;
  /** `false`: `/api/v2/vars` takes what old clients leave out. */
  readonly VARS_STRICT?: string;
  /** Requests a second and principal of the variables API; 30 unless said, 0 for no limit. */
  readonly VARS_RATE_LIMIT?: string;
  /** `iac` or `terraform`: one spelling in all answers; else as it was written. */
  readonly VARS_CATEGORY_SPELLING?: string;
  /** `json`: one line a request on the console. */
  readonly LOG?: string;
  /** `false`: no events of what changed or was refused are stored. */
  readonly AUDIT?: string;
}

/** A deployment without its secrets answers nothing: the message names what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}

/** The authority in a stateless isolate: it computes here and commits in the objects. */
export function workerCa(env: Env): Ca {
  const object = (name: string) => {
    const id = env.MOUNT.idFromName(name);
    return () => env.MOUNT.get(id);
  };
  return createCa({
    ...sharedPorts(env),
    stores: (name) => remoteStore(object(name), name),
    once: (store, kind, id) => remoteOnce(object(store), store, kind, id),
  });
}
/** The authority inside one object, over that object's own rows: it runs jobs. */
export function objectCa(env: Env, own: string, store: Store): Ca {
  const stores: Stores = (name) =>
    name === own ? store : remoteStore(() => env.MOUNT.get(env.MOUNT.idFromName(name)), name);
  return createCa({ ...sharedPorts(env), stores });
}

function sharedPorts(env: Env) {
  return {
    apis: [varsApi],
    vault: vaultOf(() => keysOf(env)),
    authenticate: rootToken(env.SERVICE_ROOT_TOKEN),
    now: () => clock.now(),
    publish: published(env.PUBLISHED),
    dial,
    resolve: resolverOf(env),
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    services: (name: string) => serviceOf(env, name),
    acme: acmeSettingsOf(env, (text) => new NotConfigured(text)),
    vars: varsSettings(env),
    ...(env.PUBLIC_URL ? { publicUrl: env.PUBLIC_URL } : {}),
    ...(env.DISABLE_PKI_CONSTRAINTS_VERIFICATION === "true" ? { chainChecks: false } : {}),
    ...(env.AUDIT === "false" ? { audit: false } : {}),
    ...(env.LOG === "json" ? { log: printEvent } : {}),
  };
}

/** Bindings of our own: none is a service that mounts may name. */
const ownBindings: readonly string[] = ["MOUNT", "PUBLISHED", "ASSETS"];
/** The service binding of a name: what has a function `fetch`, and no secret or store has one. */
function serviceOf(env: Env, name: string): Service | undefined {
  if (ownBindings.includes(name) || !Object.hasOwn(env, name)) return undefined;
  // a deployment binds under whatever names it likes, which Env does not list
  const bound = (env as unknown as Readonly<Record<string, unknown>>)[name];
  if (typeof bound !== "object" || bound === null || !("fetch" in bound)) return undefined;
  // stubs of the platform have no own members: its function is called on it
  return typeof bound.fetch === "function" ? (bound as Service) : undefined;
}

/** The sealing keys, or what is missing of them. */
function keysOf({ SEALING_KEY, SEALING_KEY_PREVIOUS: before }: Env): VaultOptions | string {
  const unfit = (name: string) =>
    `the server is sealed: the secret ${name} must be the base64 of 32 bytes`;
  const key = keyBytes(SEALING_KEY);
  if (!key) return unfit("SEALING_KEY");
  if (!before) return { key };
  const previous = keyBytes(before);
  return previous ? { key, previous } : unfit("SEALING_KEY_PREVIOUS");
}
function keyBytes(text: string | undefined): Uint8Array | undefined {
  const bytes = text === undefined ? undefined : fromBase64(text.trim());
  return bytes?.length === 32 ? bytes : undefined;
}

/** Compares digests, so that the time tells nothing of the token. */
function rootToken(token: string | undefined): (given: string) => Promise<Identity | undefined> {
  if (token === undefined || token.length < 16)
    throw new NotConfigured("the secret SERVICE_ROOT_TOKEN must have at least 16 characters");
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
  const root: Identity = { id: "root", policies: ["root"], can: () => true };
  // found by the hash of the whole text, so that here too the time tells nothing of where a wrong
  // one differs
  const proven = new Set<string>();
  return async (given) => {
    if (proven.has(given)) return root;
    const [one, other] = await Promise.all([digest(token), digest(given)]);
    let difference = 0;
    for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0);
    if (difference !== 0) return undefined;
    proven.add(given);
    return root;
  };
}

/** What the documents of the variables API say of a hosted service: 30 requests a second. */
const varsRateLimit = 30;
function varsSettings({
  VARS_TOKEN: token,
  VARS_STRICT,
  VARS_RATE_LIMIT,
  VARS_CATEGORY_SPELLING,
}: Env): VarsSettings {
  if (token && token.length < 16)
    throw new NotConfigured("the secret VARS_TOKEN must have at least 16 characters");
  const rateLimit = VARS_RATE_LIMIT ? Number(VARS_RATE_LIMIT) : varsRateLimit;
  if (!Number.isInteger(rateLimit) || rateLimit < 0)
    throw new NotConfigured(
      "VARS_RATE_LIMIT must be a whole number of requests a second, 0 for no limit",
    );
  const categorySpelling =
    VARS_CATEGORY_SPELLING === "iac" || VARS_CATEGORY_SPELLING === "terraform"
      ? VARS_CATEGORY_SPELLING
      : "echo";
  return {
    ...(token ? { token } : {}),
    strict: VARS_STRICT !== "false",
    rateLimit,
    categorySpelling,
  };
}

/** The least time that KV keeps a value, seconds. */
const leastExpiry = 60;
function published(kv: KvNamespace): Publish {
  return {
    put: (key, bytes, expires) =>
      kv.put(key, bytes, {
        expiration: Math.max(expires, Math.ceil(Date.now() / 1000) + leastExpiry),
      }),
    get: async (key) => {
      const bytes = await kv.get(key, "arrayBuffer");
      return bytes ? new Uint8Array(bytes) : undefined;
    },
    delete: (key) => kv.delete(key),
  };
}

function printEvent({ cause, ...event }: LogEvent): void {
  const defect =
    cause === undefined
      ? {}
      : { cause: cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause) };
  // the platform's log is the console
  console.log(JSON.stringify({ ...event, ...defect }));
}
