import { toHex } from "../../../src/base/bytes.ts";
import { mergeBatches } from "../../../src/engine/merge-batches.ts";
import { pagesFor } from "../../../src/pki/crl/page-series.ts";
import type { RevokedRow } from "../../../src/pki/rows/records.ts";
import { revokedIndex } from "../../../src/pki/revoke/revocation.ts";
import type { Batch, Store } from "../../../src/index.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";

/** An authority with a root, the role `web` for certificates of an hour, and its mount's store. */
export interface Tidying {
  readonly a: Authority;
  readonly store: Store;
  readonly uuid: string;
  /** Issues certificates and returns their serial numbers. */
  issue(count?: number, ttl?: string): Promise<string[]>;
  revoke(serials: readonly string[]): Promise<void>;
  /** Returns the keys below a prefix. */
  keys(prefix: string): Promise<readonly string[]>;
  status(): Promise<Readonly<Record<string, unknown>>>;
  /** Runs jobs until no tidy run is active. Returns its status. */
  finish(): Promise<Readonly<Record<string, unknown>>>;
  /** Starts a run with these fields and finishes it. */
  tidy(body: object): Promise<Readonly<Record<string, unknown>>>;
}
export const hour = 3600;

export async function tidying(options: AuthorityOptions = {}): Promise<Tidying> {
  const a = authority(options);
  await a.root();
  await a.role("web", { max_ttl: "40000h" });
  return over(a);
}
/** Returns the same for an existing authority. */
export async function over(a: Authority): Promise<Tidying> {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const store = a.stores(uuid);
  const status = async () => (await a.call("GET", "pki/tidy-status")).data;
  const finish = async () => {
    for (let looks = 0; looks < 200; looks++) {
      await a.ca.tick();
      const now = await status();
      if (now["state"] !== "Running" && now["state"] !== "Cancelling") {
        // a run that ended in the background may have planned CRLs since this tick began
        await a.ca.tick();
        return now;
      }
      a.clock.now += 1;
    }
    throw new Error("tidy does not come to an end");
  };
  return {
    a,
    store,
    uuid,
    status,
    finish,
    issue: async (count = 1, ttl = "1h") => {
      const serials: string[] = [];
      for (let i = 0; i < count; i++)
        serials.push(
          (await a.pki.issue({ role: "web", common_name: `h${i}.test`, ttl })).serial_number,
        );
      return serials;
    },
    revoke: async (serials) => {
      for (const serial_number of serials) await a.pki.revoke({ serial_number });
    },
    keys: async (prefix) => (await store.list(prefix, { values: false })).map(([key]) => key),
    tidy: async (body) => {
      const begun = await a.call("POST", "pki/tidy", body);
      if (begun.status !== 202) throw new Error(begun.text);
      return finish();
    },
  };
}
/** Returns the key of a serial number below a prefix. */
export const keyOf = (prefix: string, serial: string): string =>
  prefix + serial.replaceAll(":", "");
/** Returns the value of a row. Throws if there is none. */
export async function valueOf<T extends object>(store: Store, key: string): Promise<T> {
  const [row] = await store.get([key]);
  if (!row) throw new Error(`no row ${key}`);
  // the caller knows the type of this key's row
  return row.value as T;
}
/**
 * Rewrites a revocation row in the form of an earlier version, without the expiry of its
 * certificate.
 */
export async function ageRevocation(store: Store, serial: string): Promise<object> {
  const key = keyOf("revoked/", serial);
  const { not_after: _, ...old } = await valueOf<Record<string, unknown>>(store, key);
  await store.commit({ put: [[key, old]] });
  return old;
}
/**
 * Adds revocations like the first one: entries with other serial numbers, with rows, but without
 * certificates.
 */
export async function revokeLike(store: Store, serial: string, count: number): Promise<void> {
  const row = await valueOf<RevokedRow>(store, keyOf("revoked/", serial));
  const [first = ""] = (await store.list("crlpage/", { values: false })).map(([key]) => key);
  const entry = await valueOf<Uint8Array>(store, first);
  const like = (n: number): Uint8Array => {
    // an entry is a sequence of two octets' header, and so is its serial number
    const one = entry.slice(0, 2 + (entry[1] ?? 0));
    one.set([0x01, n >> 8, n & 255], 4);
    return one;
  };
  const group = first.split("/")[1] ?? "";
  for (let from = 0; from < count; from += 100) {
    const batches = new Map<unknown, Batch>();
    for (let n = from; n < Math.min(from + 100, count); n++) {
      const one = like(n);
      const own = one.slice(4, 4 + (one[3] ?? 0));
      const key = `revoked/${toHex(own)}`;
      const place = store.placement?.placeOf(key);
      const added: Batch = {
        put: [[key, row, revokedIndex(row, row.not_after ?? 0)]],
        append: [[pagesFor(store, group, own), one]],
      };
      batches.set(place, mergeBatches(batches.get(place) ?? {}, added));
    }
    for (const batch of batches.values()) await store.commit(batch);
  }
}
