import { expect, it } from "vitest";
import type { Stores } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/index.ts";
import { fresh, issued, used, uuidOf } from "./kept.ts";
import { seeded } from "../../support/authority.ts";

/** Returns stores that run `between` after each part of an export. */
function interrupted(inner: Stores, between: () => Promise<void>): Stores {
  return (name) => {
    const store = inner(name);
    return {
      ...store,
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      commit: (batch) => store.commit(batch),
      async *export() {
        for await (const part of store.export?.(3) ?? []) {
          yield part;
          await between();
        }
      },
    };
  };
}

it("a backup has the state of one moment, whatever is issued, revoked and configured while it is made", async () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const random = seeded(seed);
  const any = (below: number): number => ((random(1)[0] ?? 0) * below) >> 8;
  const acts: (() => Promise<unknown>)[] = [];
  const stores = interrupted(memoryStore(), async () => void (await acts[any(acts.length)]?.()));
  const a = await used({ stores, seed });
  const serials: string[] = [];
  for (let i = 0; i < 12; i++) serials.push(await issued(a, `n${i}.test`));
  let count = 0;
  const uuid = await uuidOf(a);
  const rowsOf = async () =>
    new Map((await stores(uuid).list("")).map(([key, { value }]) => [key, value]));
  acts.push(
    async () => serials.push(await issued(a, `more${count++}.test`)),
    async () => a.pki.revoke({ serial_number: serials[any(serials.length)] ?? "" }),
    async () => a.role(`role${count++}`),
    async () => a.pki.deleteRole({ name: `role${any(count + 1)}` }),
  );
  const moment = await rowsOf();
  const b = fresh();
  await b.ca.restore("pki", a.ca.backup("pki", { partBytes: 2000 }));
  const restored = new Map((await b.stores(uuid).list("")).map(([key, { value }]) => [key, value]));
  const below = (rows: ReadonlyMap<string, unknown>) =>
    [...rows].filter(([key]) =>
      /^(cert|revoked|role|key|issuer|crlpage|config\/(?!nonces))/.test(key),
    );
  expect(below(restored), `SEED=${seed}`).toEqual(below(moment));
  expect(await rowsOf()).not.toEqual(moment);
});
