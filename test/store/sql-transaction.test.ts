import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { mountIndexes } from "../../src/base/mount-indexes.ts";
import { lastNumberKey, logKey } from "../../src/base/row-keys.ts";
import { sqlIn } from "../../src/node/sqlite-file.ts";
import { groupCommit } from "../../src/store/sql/group.ts";
import { rowsIn } from "../../src/store/sql/rows.ts";
import type { Database } from "../../src/store/sql/sql.ts";
import { storeOf } from "../../src/store/sql/store.ts";

const prefix = "log/";
const job = "job/000000000001000/kind/id";
const jobRow = [job, { kind: "kind", id: "id" }] as const;

describe("batches of one transaction of an SQL store", () => {
  let store: ReturnType<typeof storeOf>;
  let written: unknown[];
  let altered: string[];
  beforeEach(async () => {
    const memory = new DatabaseSync(":memory:");
    const sql = sqlIn(memory);
    const database: Database = {
      sql: {
        exec(query, ...bindings) {
          if (query.startsWith("INSERT INTO rows")) written.push(bindings[0]);
          if (/^(?:ALTER|CREATE INDEX)/.test(query)) altered.push(query);
          return sql.exec(query, ...bindings);
        },
      },
      transactionSync(run) {
        memory.exec("BEGIN");
        const result = run();
        memory.exec("COMMIT");
        return result;
      },
      sync: async () => undefined,
    };
    const rows = rowsIn(database);
    store = storeOf({
      get: async (keys) => rows.get(keys),
      list: async (of, page) => rows.list(of, page),
      commit: groupCommit(database, rows),
    });
    [written, altered] = [[], []];
    await store.commit({ put: [["other", 1]] });
    written = [];
  });
  const entries = async () =>
    (await store.list(prefix)).map(([key, { value }]) => [Number(key.slice(prefix.length)), value]);

  it("write the last number of a log only once, like a job row that all of them put", async () => {
    const batch = (n: number) => ({ put: [jobRow], log: [[prefix, n]] }) as const;
    await Promise.all([1, 2, 3].map((n) => store.commit(batch(n))));
    const entry = (n: number) => logKey(prefix, n);
    expect(written).toEqual([job, entry(1), entry(2), entry(3), lastNumberKey(prefix)]);
    written = [];
    await store.commit(batch(4));
    expect(written).toEqual([job, entry(4), lastNumberKey(prefix)]);
    const [last] = await store.get([lastNumberKey(prefix)]);
    expect(last?.value).toBe(4);
  });

  it("create all indexes of a mount together with the first", async () => {
    await store.commit({ put: [["cert/1", 1, { not_after: 5, name: "a" }]] });
    expect(altered).toHaveLength(2 * Object.keys(mountIndexes).length);
    altered = [];
    const index = { revoked_end: 5, shard: "s", issuer: "i" };
    await store.commit({ put: [["revoked/1", 1, index]] });
    expect(altered).toEqual([]);
    for (const name of ["not_after", "shard"])
      expect(await store.list("", { by: { name } })).toHaveLength(1);
  });

  it("create an index that no mount has with its first row", async () => {
    await store.commit({ put: [["a", 1, { of_test: 5 }]] });
    await store.commit({ put: [["b", 1, { not_after: 5, of_test: 6 }]] });
    expect(altered).toHaveLength(4);
    expect(await store.list("", { by: { name: "of_test" } })).toHaveLength(2);
  });

  const joining = (...bytes: readonly number[]) =>
    bytes.map((byte) => [prefix, Uint8Array.of(byte), undefined, true] as const);

  it("write entries that may share a row as one row, under the number of the last", async () => {
    await Promise.all([
      store.commit({ log: joining(1) }),
      store.commit({ expect: [["none", 1]], log: joining(9) }),
      store.commit({ log: joining(2, 3) }),
    ]);
    expect(written).toEqual([logKey(prefix, 3), lastNumberKey(prefix)]);
    await store.commit({ log: joining(4) });
    expect(await entries()).toEqual([
      [3, [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]],
      [4, Uint8Array.of(4)],
    ]);
  });

  it("start another row for entries after 64 KiB of them", async () => {
    const large = new Uint8Array(65_536).fill(7);
    const entry = [prefix, large, undefined, true] as const;
    await Promise.all([
      store.commit({ log: joining(1) }),
      store.commit({ log: [entry] }),
      store.commit({ log: joining(3, 4) }),
    ]);
    expect(await entries()).toEqual([
      [2, [Uint8Array.of(1), large]],
      [4, [Uint8Array.of(3), Uint8Array.of(4)]],
    ]);
  });

  it("can read, replace and delete shared log entries of other batches", async () => {
    const done = await Promise.all([
      store.commit({ log: joining(1), read: [logKey(prefix, 1)] }),
      store.commit({ log: joining(2) }),
      store.commit({ del: [logKey(prefix, 2)], log: joining(3) }),
      store.commit({ put: [[logKey(prefix, 3), "replaced"]] }),
      store.commit({ log: joining(4) }),
      store.commit({ put: [[lastNumberKey(prefix), 10]], log: joining(11) }),
      store.commit({ expect: [[logKey(prefix, 4), null]], log: joining(12) }),
    ]);
    expect(done[0]?.rows?.[0]?.value).toEqual(Uint8Array.of(1));
    expect(done[6]).toBeUndefined();
    expect(await entries()).toEqual([
      [1, Uint8Array.of(1)],
      [3, "replaced"],
      [4, Uint8Array.of(4)],
      [11, Uint8Array.of(11)],
    ]);
  });

  it("drop shared log entries before a batch that clears the store", async () => {
    await Promise.all([
      store.commit({ log: joining(1) }),
      store.commit({ clear: true, log: joining(2) }),
    ]);
    expect(await entries()).toEqual([[1, Uint8Array.of(2)]]);
  });

  it("can read and replace the last number of a log between entries of other batches", async () => {
    const number = lastNumberKey(prefix);
    const done = await Promise.all([
      store.commit({ log: [[prefix, "a"]] }),
      store.commit({ log: [[prefix, "b"]], read: [number] }),
      store.commit({ put: [[number, 10]], log: [[prefix, "c"]] }),
      store.commit({ expect: [[number, null]], log: [[prefix, "no"]] }),
      store.commit({ log: [[prefix, "d"]] }),
      store.commit({ del: [number], read: [number] }),
      store.commit({ log: [[`${prefix}x/`, "e"]] }),
    ]);
    expect(done[1]?.rows?.[0]?.value).toBe(2);
    expect(done[3]).toBeUndefined();
    expect(done[5]?.rows).toEqual([undefined]);
    const found = await entries();
    expect(found.filter(([, value]) => value !== "e")).toEqual([
      [1, "a"],
      [2, "b"],
      [11, "c"],
      [12, "d"],
    ]);
  });

  it("number log entries from one again after a batch that clears the store", async () => {
    await Promise.all([
      store.commit({ log: [[prefix, "a"]] }),
      store.commit({ clear: true, log: [[prefix, "b"]] }),
      store.commit({ log: [[prefix, "c"]] }),
    ]);
    expect(await entries()).toEqual([
      [1, "b"],
      [2, "c"],
    ]);
  });

  it("store a job that one batch deletes and the next one puts again", async () => {
    await Promise.all([
      store.commit({ put: [jobRow] }),
      store.commit({ del: [job] }),
      store.commit({ put: [jobRow] }),
    ]);
    expect(await store.get([job])).toEqual([{ value: jobRow[1], rev: expect.any(Number) }]);
  });

  it("give a job that is put again a new revision, so that an earlier run does not delete it", async () => {
    await store.commit({ put: [jobRow] });
    const [before] = await store.get([job]);
    const read = { put: [jobRow], read: [job] } as const;
    const [again, ended, third] = await Promise.all([
      store.commit(read),
      store.commit({ expect: [[job, before?.rev ?? null]], del: [job] }),
      store.commit(read),
    ]);
    expect(ended).toBeUndefined();
    expect(third?.rows?.[0]?.rev).toBeGreaterThan(again?.rows?.[0]?.rev ?? Infinity);
  });

  it("write the later of two different rows of one job", async () => {
    await Promise.all([
      store.commit({ put: [jobRow] }),
      store.commit({ put: [[job, { kind: "kind", id: "id", failed: 1 }]] }),
    ]);
    expect((await store.get([job]))[0]?.value).toEqual({ kind: "kind", id: "id", failed: 1 });
  });
});
