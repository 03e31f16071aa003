import { describe, expect, it } from "vitest";
import { memoryStoreOf } from "../../src/store/memory.ts";
import { memoryStore, type Store, type Stores } from "../../src/index.ts";
import { authority, type Authority } from "../support/authority.ts";

/**
 * Returns stores of which one can be lost while in use, as if its file were replaced by an empty
 * one.
 */
function losable(): { readonly stores: Stores; lose(name: string): void } {
  const held = new Map<string, Store>();
  const whole = memoryStore();
  const now = (name: string): Store => held.get(name) ?? whole(name);
  return {
    stores: (name) => ({
      get: (keys) => now(name).get(keys),
      list: (prefix, page) => now(name).list(prefix, page),
      commit: (batch) => now(name).commit(batch),
    }),
    lose: (name) => void held.set(name, memoryStoreOf()),
  };
}
const uuidOf = async (a: Authority, path: string): Promise<string> =>
  ((await a.call("GET", `sys/mounts/${path}`)).data as { readonly uuid: string }).uuid;
const refused =
  "the storage of the mount pki/ is empty: restore it from a backup, or delete the mount";

describe("a mount whose store lost its rows", () => {
  it("returns 503 with the reason for every call and stores nothing, while other mounts continue", async () => {
    const { stores, lose } = losable();
    const a = authority({ stores });
    await a.role("web");
    await a.call("POST", "sys/mounts/other", { type: "pki" });
    const uuid = await uuidOf(a, "pki");
    lose(uuid);
    a.clock.advance(2);
    const b = authority({ stores, clock: a.clock, seed: 2 });
    for (const one of [a, b]) {
      for (const [method, path, body] of [
        ["POST", "pki/root/generate/internal", { common_name: "New Root", key_type: "ec" }],
        ["POST", "pki/roles/web", { allow_any_name: true }],
        ["POST", "pki/config/urls", { ocsp_servers: "http://ocsp.test" }],
        ["GET", "pki/roles/web", undefined],
        ["GET", "pki/config/crl", undefined],
      ] as const) {
        const answer = await one.call(method, path, body);
        expect([path, answer.status, answer.errors]).toEqual([path, 503, [refused]]);
      }
      expect((await one.call("GET", "other/config/urls")).status).toBe(200);
    }
    expect(await stores(uuid).list("")).toEqual([]);
  });

  it("does not issue or reject anything based on cached reads", async () => {
    for (const role of ["stored", "free", "none"]) {
      const { stores, lose } = losable();
      const a = authority({ stores });
      await a.root();
      await a.role("stored");
      await a.role("free", { no_store: true });
      const issue = () => a.call("POST", `pki/issue/${role}`, { common_name: "a.test", ttl: "1h" });
      expect((await issue()).status).toBe(role === "none" ? 400 : 200);
      const uuid = await uuidOf(a, "pki");
      lose(uuid);
      const answer = await issue();
      expect([role, answer.status, answer.errors]).toEqual([role, 503, [refused]]);
      expect(await stores(uuid).list("")).toEqual([]);
    }
  });

  it("can be deleted, and its path used again", async () => {
    const { stores, lose } = losable();
    const a = authority({ stores });
    await a.root();
    lose(await uuidOf(a, "pki"));
    const b = authority({ stores, clock: a.clock, seed: 2 });
    expect((await b.call("DELETE", "sys/mounts/pki")).status).toBe(204);
    expect((await b.call("GET", "pki/config/urls")).status).toBe(404);
    expect((await b.call("POST", "sys/mounts/pki", { type: "pki" })).status).toBe(204);
    await b.root();
  });
});
