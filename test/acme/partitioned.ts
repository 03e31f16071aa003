import type { Batch, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { slotOfId } from "../../src/base/ids.ts";
import type { AuthorityOptions } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import {
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
