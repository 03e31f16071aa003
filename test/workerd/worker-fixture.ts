import { env } from "cloudflare:workers";
import type { DurableObjectStub } from "@cloudflare/workers-types";
import { sealwrightWorker } from "../../worker/authority.ts";
import type { KvNamespace } from "../../worker/bindings.ts";
import worker, { type Env } from "../../worker/index.ts";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import type { Store } from "../../src/engine/ports.ts";

export const token = "token-of-these-tests";
/** The secrets of the deployment under test. */
export const secrets = {
  SERVICE_ROOT_TOKEN: token,
  SEALING_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
};
/** The bindings; objects created later use what is assigned here. */
export const bound: Env = Object.assign(env as Env, secrets);

/** Calls the Worker with its bindings, or with others. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{
  status: number;
  text: string;
  bytes: Uint8Array;
  data: Record<string, string> & { keys: string[] };
  warnings: string;
  headers: Headers;
}>;
export function apiOf(environment: Env, { fetch }: Pick<typeof worker, "fetch"> = worker): Api {
  return async (method, path, body) => {
    const request = new Request(`https://ca.test${path}`, {
      method,
      headers: { "X-Service-Token": token },
      ...(body === undefined
        ? {}
        : { body: body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body) }),
    });
    const answer = await fetch(request, environment);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const json = answer.headers.get("content-type")?.startsWith("application/json")
      ? JSON.parse(text)
      : {};
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      bytes,
      data: json.data,
      warnings: json.warnings,
    };
  };
}
/** Returns the API of another isolate, which has its own cache. */
export const isolate = (environment: Env = bound): Api =>
  apiOf(environment, sealwrightWorker<Env>({ published: "PUBLISHED" }));

let mounts = 0;
/** A mount with a root and the role `web`, and its internals. */
export interface Mount {
  readonly path: string;
  readonly uuid: string;
  readonly api: Api;
  /** Returns a new stub of its object: a stub that has seen a crash stays broken. */
  stub(): DurableObjectStub;
  readonly store: Store;
}
/** Creates a mount. `config` and `role`: further settings of the mount and its role. */
export async function newMount({
  config = {},
  role = {},
}: { readonly config?: object; readonly role?: object } = {}): Promise<Mount> {
  const path = `m${(mounts += 1)}`;
  const api = apiOf(bound);
  await api("POST", `/v1/sys/mounts/${path}`, {
    type: "pki",
    config: { max_lease_ttl: "87600h", ...config },
  });
  await api("POST", `/v1/${path}/root/generate/internal`, {
    common_name: "Root",
    key_type: "ec",
    ttl: "80000h",
  });
  await api("POST", `/v1/${path}/roles/web`, {
    allow_any_name: true,
    key_type: "ec",
    ttl: "9000h",
    max_ttl: "9000h",
    ...role,
  });
  const uuid = (await api("GET", `/v1/sys/mounts/${path}`)).data["uuid"] ?? "";
  const object = () => bound.MOUNT.get(bound.MOUNT.idFromName(uuid));
  return {
    path,
    uuid,
    api,
    stub: () => object() as RemoteStore & DurableObjectStub,
    store: remoteStore(object, uuid),
  };
}

/** Returns the same deployment, but with objects that cannot be told to run jobs. */
export const withoutOnce = (): Env => ({
  ...bound,
  MOUNT: {
    idFromName: (name) => bound.MOUNT.idFromName(name),
    get: (id) => {
      const remote = bound.MOUNT.get(id);
      return {
        get: (keys) => remote.get(keys),
        list: (prefix, page) => remote.list(prefix, page),
        commit: (name, batch) => remote.commit(name, batch),
        once: () => Promise.reject(new Error("unreachable")),
      };
    },
  },
});

/** Returns an in-memory KV namespace that records keys written with different bytes. */
export function memoryKv(): KvNamespace & {
  readonly held: Map<string, Uint8Array>;
  readonly rewritten: string[];
  failing: boolean;
} {
  const held = new Map<string, Uint8Array>();
  const rewritten: string[] = [];
  const kv = {
    held,
    rewritten,
    failing: false,
    async put(key: string, value: Uint8Array) {
      if (kv.failing) throw new Error("the network is down");
      const before = held.get(key);
      if (before && before.join() !== value.join()) rewritten.push(key);
      held.set(key, value.slice());
    },
    async get(key: string) {
      if (kv.failing) throw new Error("the network is down");
      return held.get(key)?.slice().buffer ?? null;
    },
    async delete(key: string) {
      if (kv.failing) throw new Error("the network is down");
      held.delete(key);
    },
  };
  return kv;
}
