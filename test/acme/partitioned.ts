import { CaError } from "../../src/base/errors.ts";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import type { Batch, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { slotOfId } from "../../src/base/slot-ids.ts";
import type { Authority, AuthorityOptions } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import {
  type AcmeKey,
  acmeAuthority,
  type AcmeAuthority,
  type AcmeClient,
  type AcmeReply,
  binding,
} from "./client.ts";

/** A call of the store of a partition. */
export interface PartitionCall {
  readonly partition: number;
  readonly what: "get" | "list" | "commit";
  readonly batch?: Batch;
}
/** An authority whose mounts have several partitions, and the calls of their stores. */
export interface PartitionedAuthority extends AcmeAuthority {
  readonly calls: PartitionCall[];
  /** Called before each commit; throws to prevent it. Tests replace it. */
  hooks: {
    before(call: PartitionCall): Promise<void> | void;
    after(call: PartitionCall): Promise<void> | void;
  };
  /** Returns the stores of the partitions. */
  partitions(): Promise<readonly Store[]>;
  /** Returns a registered client whose account is in a partition. */
  registeredIn(partition: number, options?: { readonly at?: string }): Promise<AcmeClient>;
}

/** Returns the last segment of a URL. */
export const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);
/** Returns the number of the partition of an account, an order or an authorization. */
export const partitionOf = (url: string, count: number): number =>
  (slotOfId(idOf(url)) ?? 0) % count;

/** Creates an authority whose mounts have `count` partitions, and records calls of the mount `pki`. */
export async function partitionedAuthority(
  count: number,
  options: AuthorityOptions & { readonly config?: Readonly<Record<string, unknown>> } = {},
): Promise<PartitionedAuthority> {
  const calls: PartitionCall[] = [];
  const hooks: PartitionedAuthority["hooks"] = {
    before: () => undefined,
    after: () => undefined,
  };
  const memory = memoryStore();
  const opened = new Map<string, Store>();
  const open = (name: string): Store => {
    const inner = memory(name);
    if (!/^[\da-f]{8}-/.test(name)) return inner;
    const partition = Number(name.split(".")[1] ?? 0);
    const store: Store = opened.get(name) ?? {
      ...inner,
      get: (...sent) => {
        calls.push({ partition, what: "get" });
        return inner.get(...sent);
      },
      list: (...sent) => {
        calls.push({ partition, what: "list" });
        return inner.list(...sent);
      },
      async commit(batch) {
        const call = { partition, what: "commit", batch } as const;
        calls.push(call);
        await hooks.before(call);
        const done = await inner.commit(batch);
        await hooks.after(call);
        return done;
      },
    };
    opened.set(name, store);
    return store;
  };
  const watched: Stores = Object.assign(open, { durable: false as const });
  const { stores, partitionsOf } = partitionedStores(count, watched);
  const a = await acmeAuthority({ ...options, stores });
  return {
    ...a,
    calls,
    hooks,
    partitions: async () => partitionsOf(await a.uuid()),
    async registeredIn(partition, of) {
      for (;;) {
        const client = await a.registered(of);
        if (partitionOf(client.kid, count) === partition) return client;
      }
    },
  };
}

/** A binding key as returned by new-eab. */
export interface Eab {
  readonly id: string;
  readonly key: string;
}
/** Registers an account with a binding. */
export async function registerWith(client: AcmeClient, { id, key }: Eab): Promise<AcmeReply> {
  const url = await client.url("newAccount");
  const externalAccountBinding = binding(client.key, { kid: id, mac: key, url });
  return client.register({ externalAccountBinding });
}

/** Reads an account, even if the client's nonce has expired. */
export const read = async (client: AcmeClient) => {
  const reply = await client.post(client.kid);
  return reply.problem === "badNonce" ? client.post(client.kid) : reply;
};
/** Returns the error of a killed process. */
export const lost = (): CaError => new CaError("storage", "the process was killed");
/** Reports whether the batch of a call puts a row with a prefix. */
export const puts = ({ batch }: PartitionCall, prefix: string): boolean =>
  batch?.put?.some(([key]) => key.startsWith(prefix)) === true;
/** Runs the jobs that settle interrupted requests. */
export async function runJobs(a: PartitionedAuthority): Promise<void> {
  a.clock.advance(61);
  await a.ca.tick();
}
/** Runs a step of the growth of the mount `pki`. Returns false after the last step. */
export async function growthStep({ ca, clock }: Authority): Promise<boolean> {
  clock.now += 20;
  await ca.tick();
  return (await ca.sys.readPartitions({ path: "pki" })).growth !== undefined;
}
/** Returns the keys below a prefix in each partition. */
export const keysIn = async (a: PartitionedAuthority, prefix: string) =>
  Promise.all(
    (await a.partitions()).map(async (store) =>
      (await store.list(prefix, { values: false })).map(([key]) => key.slice(prefix.length)),
    ),
  );
/** Returns the sum of numbers. */
export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((all, one) => all + one, 0);

/** Creates an external account binding. */
export const newEab = async (a: PartitionedAuthority, limits = {}): Promise<Eab> => {
  const { data } = await a.call("POST", "pki/acme/new-eab", limits);
  return data as unknown as Eab;
};
/** Returns the IDs of the accounts that are stored as not registered. */
export async function registeringIn(a: PartitionedAuthority): Promise<readonly string[]> {
  const rows = await Promise.all(
    (await a.partitions()).map((store) => store.list(acmeBelow.accounts)),
  );
  return rows
    .flat()
    .filter(([, { value }]) => (value as { readonly registering?: boolean }).registering)
    .map(([key]) => idOf(key));
}
/** Returns the accounts in the mount, and the number of unused bindings. */
export async function stateOf(a: PartitionedAuthority) {
  const accounts = (await keysIn(a, acmeBelow.accounts)).flat();
  const registering = await registeringIn(a);
  const [thumbs, eabs, intents] = await Promise.all(
    [acmeBelow.thumbs, acmeBelow.eabs, acmeBelow.registrations].map(async (prefix) =>
      sum((await keysIn(a, prefix)).map(({ length }) => length)),
    ),
  );
  return { accounts: accounts.length, registering: registering.length, thumbs, eabs, intents };
}

/** Returns the JWS of a key change, and its URL. */
async function keyChangeOf(client: AcmeClient, next: AcmeKey) {
  const url = await client.url("keyChange");
  const payload = { account: client.kid, oldKey: client.key.jwk };
  return { url, inner: client.jws({ alg: next.alg, jwk: next.jwk, url }, payload, next) };
}
/** Changes the key of an account. */
export const changeKey = async (client: AcmeClient, next: AcmeKey) => {
  const { url, inner } = await keyChangeOf(client, next);
  return client.post(url, inner);
};
/** Returns a client of the same account with another key. */
export function withKey(a: PartitionedAuthority, { kid }: AcmeClient, key: AcmeKey): AcmeClient {
  const client = a.client({ key });
  client.kid = kid;
  return client;
}
