import type { Assets, KvNamespace, MountNamespace } from "./bindings.ts";
import { clockOf, type ClockEnv } from "./clock.ts";
import { createCa, sealedVault, type Ca, type Identity, type LogEvent, type Publish, type Store, type Stores } from "../src/index.ts";
import { fromBase64, utf8 } from "../src/base/bytes.ts";
import { remoteOnce, remoteStore } from "./store.ts";

/** What a deployment binds to the Worker. */
export interface Env extends ClockEnv {
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
  /** Origins, separated by commas, that browsers may call from. */
  readonly ALLOWED_ORIGINS?: string;
  /** `json`: one line a request on the console. */
  readonly LOG?: string;
}

/** A deployment without its secrets answers nothing: the message names what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}

/** The authority in a stateless isolate: it computes here and commits in the objects. */
export function workerCa(env: Env): Ca {
  const object = (name: string) => () => env.MOUNT.get(env.MOUNT.idFromName(name));
  return createCa({
    ...sharedPorts(env),
    stores: (name) => remoteStore(object(name), name),
    once: (store, kind, id) => remoteOnce(object(store), store, kind, id),
  });
}
/** The authority inside one object, over that object's own rows: it runs jobs. */
export function objectCa(env: Env, own: string, store: Store): Ca {
  const stores: Stores = (name) => (name === own ? store : remoteStore(() => env.MOUNT.get(env.MOUNT.idFromName(name)), name));
  return createCa({ ...sharedPorts(env), stores });
}

function sharedPorts(env: Env) {
  const previous = env.SEALING_KEY_PREVIOUS ? { previous: keyBytes(env.SEALING_KEY_PREVIOUS, "SEALING_KEY_PREVIOUS") } : {};
  return {
    vault: sealedVault({ key: keyBytes(env.SEALING_KEY, "SEALING_KEY"), ...previous }),
    authenticate: rootToken(env.SERVICE_ROOT_TOKEN),
    now: clockOf(env),
    publish: published(env.PUBLISHED),
    ...(env.PUBLIC_URL ? { publicUrl: env.PUBLIC_URL.replace(/\/+$/, "") } : {}),
    ...(env.LOG === "json" ? { log: printEvent } : {}),
  };
}

function keyBytes(text: string | undefined, name: string): Uint8Array {
  const bytes = text === undefined ? undefined : fromBase64(text.trim());
  if (bytes?.length !== 32) throw new NotConfigured(`the secret ${name} must be the base64 of 32 bytes`);
  return bytes;
}

/** Compares digests, so that the time tells nothing of the token. */
function rootToken(token: string | undefined): (given: string) => Promise<Identity | undefined> {
  if (token === undefined || token.length < 16) throw new NotConfigured("the secret SERVICE_ROOT_TOKEN must have at least 16 characters");
  const digest = async (text: string) => new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
  const root: Identity = { id: "root", can: () => true };
  let expected: Promise<Uint8Array> | undefined;
  return async (given) => {
    expected ??= digest(token);
    const [one, other] = await Promise.all([expected, digest(given)]);
    let difference = 0;
    for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0);
    return difference === 0 ? root : undefined;
  };
}

/** The least time that KV keeps a value, seconds. */
const leastExpiry = 60;
function published(kv: KvNamespace): Publish {
  return {
    put: (key, bytes, expires) => kv.put(key, bytes, { expiration: Math.max(expires, Math.ceil(Date.now() / 1000) + leastExpiry) }),
    get: async (key) => {
      const bytes = await kv.get(key, "arrayBuffer");
      return bytes ? new Uint8Array(bytes) : undefined;
    },
  };
}

function printEvent({ cause, ...event }: LogEvent): void {
  const defect = cause === undefined ? {} : { cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
  // the platform's log is the console
  console.log(JSON.stringify({ ...event, ...defect }));
}
