import { deleteDB, openDB } from "idb";
import { expect, it } from "vitest";
import { createCa } from "../../src/index.ts";
import { indexedDbKey, indexedDbStore } from "../../src/store/indexeddb.ts";

it("the sealing key of a browser is the same for concurrent callers, persists and cannot be exported", async () => {
  const name = `key-${Date.now()}`;
  const keys = await Promise.all(Array.from({ length: 5 }, () => indexedDbKey(name)));
  const iv = new Uint8Array(12);
  const texts = await Promise.all(
    [...keys, await indexedDbKey(name)].map((key) =>
      crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new Uint8Array(4)),
    ),
  );
  expect(new Set(texts.map((text) => new Uint8Array(text).join())).size).toBe(1);
  await expect(
    crypto.subtle.exportKey("raw", keys[0] ?? (await indexedDbKey(name))),
  ).rejects.toThrow();
  const other = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv },
    await indexedDbKey(`${name}-other`),
    new Uint8Array(4),
  );
  expect(texts.map((text) => new Uint8Array(text).join())).not.toContain(
    new Uint8Array(other).join(),
  );
});

it("a CA that is opened again over IndexedDB issues with its stored keys", async () => {
  const name = `again-${Date.now()}`;
  const open = async () =>
    createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });
  const first = await open();
  await first.pki.generateRoot({ common_name: "Root", key_type: "ec" });
  await first.pki.writeRole({ name: "web", allow_any_name: true, key_type: "ec" });
  const second = await open();
  expect(
    (await second.pki.issue({ role: "web", common_name: "a.test", ttl: 60 })).certificate,
  ).toContain("BEGIN CERTIFICATE");
});

it("an invalid stored sealing key is neither used nor replaced", async () => {
  const name = `lost-${Date.now()}`;
  await indexedDbKey(`${name}-first`);
  const database = await openDB("sealwright-keys");
  await database.put("keys", "no key", name);
  await expect(indexedDbKey(name)).rejects.toMatchObject({ code: "storage" });
  expect(await database.get("keys", name)).toBe("no key");
  database.close();
});

it("an engine whose databases are deleted while it is open rejects every call; a new one starts with a new key", async () => {
  const name = `deleted-${Date.now()}`;
  const open = async () =>
    createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });
  const issued = async (ca: Awaited<ReturnType<typeof open>>) => {
    await ca.pki.generateRoot({ common_name: "Root", key_type: "ec" });
    await ca.pki.writeRole({ name: "web", allow_any_name: true, key_type: "ec" });
    return (await ca.pki.issue({ role: "web", common_name: "a.test", ttl: 60 })).certificate;
  };
  const first = await open();
  expect(await issued(first)).toContain("BEGIN CERTIFICATE");
  // as a browser does when it clears the data of a site: the stores and the key
  const own = (await indexedDB.databases()).filter((each) => each.name?.includes(name));
  expect(own.length).toBeGreaterThan(1);
  for (const each of own) await deleteDB(each.name ?? "");
  const keys = await openDB("sealwright-keys");
  await keys.delete("keys", name);
  keys.close();
  const refusal = {
    code: "storage",
    message: expect.stringContaining("was deleted while in use: reload the page"),
  };
  await expect
    .poll(() =>
      issued(first).then(
        () => "",
        ({ code }) => code,
      ),
    )
    .toBe("storage");
  for (let times = 0; times < 2; times += 1) {
    await expect(first.sys.listMounts({})).rejects.toMatchObject(refusal);
    await expect(issued(first)).rejects.toMatchObject(refusal);
  }
  const second = await open();
  expect(await issued(second)).toContain("BEGIN CERTIFICATE");
});
