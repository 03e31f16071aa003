import { expect, it } from "vitest";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/index.ts";
import { NewerFormatError } from "../../../src/base/newer-format.ts";
import type { Authority } from "../../support/authority.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import { ending, fresh, gathered, inParts, issued, storedOf, used, uuidOf } from "./kept.ts";

const numberOf = async (a: Authority): Promise<number> => {
  const { bytes } = await a.call("GET", "pki/crl");
  const { value } = parseCrl(bytes).extensions.find(
    ({ oid }) => oid === extensionOid.crlNumber,
  ) ?? {
    value: new Uint8Array(),
  };
  return readCrlNumber(value);
};

it("security row 83: a restored mount has the data of the backup, issues, revokes, and numbers its CRLs after all earlier ones", async () => {
  const a = await used();
  const [kept, gone] = [await issued(a, "kept.test"), await issued(a, "gone.test")];
  await a.pki.revoke({ serial_number: gone });
  const parts = await inParts(a);
  expect(parts.length).toBeGreaterThan(2);
  // changes after the backup are not in it
  const later = await issued(a, "later.test");
  const b = fresh();
  b.clock.advance(3600);
  await b.ca.restore("pki", parts);
  expect(b.wakes.length).toBeGreaterThan(0);
  const list = (await b.call("GET", "pki/crl")).bytes;
  expect(list).toEqual((await a.call("GET", "pki/crl")).bytes);
  for (const serial of [kept, gone])
    expect(await b.pki.readCert({ serial })).toEqual(await a.pki.readCert({ serial }));
  expect(await b.pki.readRole({ name: "web" })).toEqual(await a.pki.readRole({ name: "web" }));
  expect((await b.call("GET", `pki/cert/${later}`)).status).toBe(404);
  expect(await uuidOf(b)).toBe(await uuidOf(a));
  await b.ca.tick();
  b.clock.advance(1);
  expect(await numberOf(b)).toBeGreaterThan(2 ** 20);
  const more = await issued(b, "more.test");
  await b.pki.revoke({ serial_number: more });
  b.clock.advance(1);
  const entries = [...eachRevoked(parseCrl((await b.call("GET", "pki/crl")).bytes))];
  expect(entries.length).toBe(2);
});

it("security row 83: a restored mount reuses no number of its audit log", async () => {
  const a = await used();
  const uuid = await uuidOf(a);
  const parts = await gathered(a.ca.backup("pki"));
  const numbers = async (of: Authority) => of.stores(uuid).list("logged/");
  const before = await numbers(a);
  const b = fresh();
  // a deployment that was restored there before has used higher numbers
  const [held] = before;
  if (!held) throw new TypeError("the log has given no number");
  const [first, { value: last }] = held;
  const given = Number(last) + 2 ** 30;
  await b.stores(uuid).commit({ put: [[first, given]] });
  await b.ca.restore("pki", parts);
  const after = new Map((await numbers(b)).map(([key, { value }]) => [key, Number(value)]));
  expect(after.get(first)).toBeGreaterThanOrEqual(given);
  const c = fresh();
  await c.ca.restore("pki", parts);
  for (const [key, { value }] of await numbers(c)) {
    // the log of events may be new
    const old = before.find(([other]) => other === key)?.[1].value ?? 0;
    expect(Number(value)).toBeGreaterThanOrEqual(Number(old) + 2 ** 20);
  }
});

it("a mount is restored at another path, and in a deployment that has deleted it", async () => {
  const a = await used();
  const serial = await issued(a);
  const parts = await gathered(a.ca.backup("pki"));
  expect(await ending(a.ca.restore("other", parts))).toEqual([
    "already_exists",
    "the mount of this backup exists at pki/: restore it on another server, or delete the mount first",
  ]);
  await a.sys.deleteMount({ path: "pki" });
  await a.ca.restore("other/ca", parts);
  const mount = a.ca.mount("other/ca");
  expect((await mount.readCert({ serial })).certificate).toContain("BEGIN");
  await mount.issue({ role: "web", common_name: "b.test", ttl: "1h" });
  expect((await a.call("GET", `pki/cert/${serial}`)).status).toBe(404);
});

it.each([
  [
    "altered",
    (part: Uint8Array) => part.map((byte, i) => (i === 2000 ? byte ^ 1 : byte)),
    /altered/,
  ],
  ["without its end", (part: Uint8Array) => part.subarray(0, -40), /end is missing/],
  ["empty", () => new Uint8Array(), /end of the backup is missing/],
  ["text", () => new TextEncoder().encode('{"rows":[]}\n{"mac":"AAAA"}\n'), /first line/],
])("a backup that is %s is rejected, and nothing is stored", async (_, broken, why) => {
  const a = await used();
  const [part = new Uint8Array()] = await gathered(a.ca.backup("pki"));
  const [uuid, b] = [await uuidOf(a), fresh()];
  await b.sys.listMounts({});
  const before = await storedOf(b, uuid);
  const [code, text] = await ending(b.ca.restore("pki", [broken(part)]));
  expect([code, why.test(text)]).toEqual(["malformed", true]);
  expect(await storedOf(b, uuid)).toEqual(before);
});

it("a backup is rejected under another sealing key, and nothing is stored", async () => {
  const a = await used();
  const [uuid, parts] = [await uuidOf(a), await inParts(a)];
  const b = fresh({ sealingKey: new Uint8Array(32).fill(8) });
  await b.sys.listMounts({});
  const before = await storedOf(b, uuid);
  expect((await ending(b.ca.restore("pki", parts)))[1]).toMatch(/^wrong sealing key/);
  expect(await storedOf(b, uuid)).toEqual(before);
});

it("a missing part, a part of another backup and a part out of order are rejected, and the restore can continue", async () => {
  const a = await used();
  const parts = await inParts(a);
  const others = await inParts(a);
  const b = fresh();
  const send = (part: Uint8Array | undefined) =>
    b.call("POST", "sys/storage/snapshot/pki", part ?? new Uint8Array());
  const told = async (part: Uint8Array | undefined) => {
    const { status, errors } = await send(part);
    return [status, errors[0]];
  };
  expect(await told(parts[1])).toEqual([
    400,
    "no restore of this backup into pki/ is in progress: send its first part",
  ]);
  expect((await send(parts[0])).data).toMatchObject({ part: 1, last: false });
  expect(await told(parts[2])).toEqual([400, "part 2 is expected, not part 3"]);
  expect(await told(others[1])).toEqual([
    400,
    "the part does not belong to the same backup as the parts before it",
  ]);
  // a reply may be lost, so a part can be sent again
  await send(parts[1]);
  expect((await send(parts[1])).status).toBe(200);
  for (const part of parts.slice(2)) expect((await send(part)).status).toBe(200);
  expect((await send(parts.at(-1))).status).toBe(400);
  await issued(b);
});

it("a mount whose restore was interrupted rejects every call until the restore is restarted or the mount deleted", async () => {
  const a = await used();
  const serial = await issued(a);
  const parts = await inParts(a);
  const b = fresh();
  await ending(b.ca.restore("pki", parts.slice(0, -1)));
  for (const [method, path] of [
    ["GET", `pki/cert/${serial}`],
    ["GET", "pki/ca/pem"],
    ["POST", "pki/issue/web"],
    ["GET", "sys/storage/snapshot/pki"],
  ] as const) {
    const { status, errors } = await b.call(method, path);
    expect([status, String(errors[0]).slice(0, 34)]).toEqual([
      503,
      "the mount pki/ is being restored: ",
    ]);
  }
  await b.ca.tick();
  const { json } = await b.call("GET", "sys/health");
  expect(json["degraded"]).toEqual([
    {
      mount: "pki/",
      reason:
        "restore of the mount was not completed: send the remaining parts, or delete the mount",
    },
  ]);
  await b.ca.restore("pki", parts);
  expect((await b.pki.readCert({ serial })).certificate).toContain("BEGIN");
  const c = fresh();
  await ending(c.ca.restore("pki", parts.slice(0, 1)));
  await c.sys.deleteMount({ path: "pki" });
  await c.ca.restore("pki", parts);
  await issued(c);
});

it("a restore whose first part failed to be stored must be started again", async () => {
  const a = await used();
  const [parts, plain] = [await inParts(a), memoryStore()];
  let isFull = false;
  const stores = (name: string): Store => {
    const store = plain(name);
    return {
      ...store,
      commit: (batch) =>
        isFull && batch.clear ? Promise.reject(new Error("disk full")) : store.commit(batch),
    };
  };
  const b = fresh({ stores });
  const send = (part: Uint8Array | undefined) =>
    b.call("POST", "sys/storage/snapshot/pki", part ?? new Uint8Array());
  await b.sys.deleteMount({ path: "pki" });
  isFull = true;
  expect((await send(parts[0])).status).toBe(500);
  isFull = false;
  const { status, errors } = await send(parts[1]);
  expect([status, errors]).toEqual([
    400,
    ["the restore must be started again: send the first part"],
  ]);
  for (const part of parts) expect((await send(part)).status).toBe(200);
  await issued(b);
});

it("a dry run checks all parts in their order, and stores nothing", async () => {
  const a = await used();
  const parts = await inParts(a);
  const before = await storedOf(a, await uuidOf(a));
  const check = (part: Uint8Array | undefined, receipt = "") =>
    a.call("POST", `sys/storage/snapshot-check?receipt=${receipt}`, part ?? new Uint8Array());
  const first = await check(parts[0]);
  expect(first.data).toMatchObject({ part: 1, complete: false });
  expect((await check(parts[2], String(first.data["receipt"]))).status).toBe(400);
  expect((await check(parts[1])).errors).toEqual([
    "part 2 requires the receipt of part 1: check the parts in order",
  ]);
  let answer = first;
  for (const part of parts.slice(1)) answer = await check(part, String(answer.data["receipt"]));
  expect(answer.data["complete"]).toBe(true);
  await a.ca.restore("pki", parts, { dryRun: true });
  expect((await ending(a.ca.restore("pki", parts.slice(0, -1), { dryRun: true })))[0]).toBe(
    "malformed",
  );
  expect(await storedOf(a, await uuidOf(a))).toEqual(before);
});

it("a restore that is replaced by another one gets an error, and the other continues", async () => {
  const a = await used();
  const [parts, uuid] = [await inParts(a), await uuidOf(a)];
  const plain = memoryStore();
  const send = (part: Uint8Array | undefined) =>
    b.call("POST", "sys/storage/snapshot/pki", part ?? new Uint8Array());
  let meanwhile: (() => Promise<unknown>) | undefined;
  const stores = (name: string): Store => {
    const store = plain(name);
    if (name !== uuid) return store;
    return {
      ...store,
      commit: async (batch) => {
        // after the restore has begun, before its rows exist
        const now = batch.clear ? undefined : meanwhile;
        if (now) meanwhile = undefined;
        await now?.();
        return store.commit(batch);
      },
    };
  };
  const b = fresh({ stores });
  await b.sys.deleteMount({ path: "pki" });
  meanwhile = async () => expect((await send(parts[0])).status).toBe(200);
  const first = await send(parts[0]);
  expect([first.status, first.errors]).toEqual([
    409,
    ["the restore was restarted or deleted concurrently"],
  ]);
  for (const part of parts.slice(1)) expect((await send(part)).status).toBe(200);
  await issued(b);
});

it("rows of a later version cannot be backed up", async () => {
  const a = await used();
  const store = a.stores(await uuidOf(a));
  await store.commit({ put: [["format", { number: 99, version: "9.0.0" }]] });
  const again = fresh({ stores: a.stores });
  await expect(gathered(again.ca.backup("pki"))).rejects.toBeInstanceOf(NewerFormatError);
});

it("a backup requires sudo, and one of a missing mount is rejected", async () => {
  const a = await used();
  expect(
    (await a.call("GET", "sys/storage/snapshot/pki", undefined, { token: "operator" })).status,
  ).toBe(403);
  // backUp, restore and checkBackup are rejected alike
  for (const path of ["sys/storage/snapshot/pki", "sys/storage/snapshot-check"])
    expect((await a.call("POST", path, "{}", { token: "operator" })).status).toBe(403);
  expect((await a.call("GET", "sys/storage/snapshot/none")).errors).toEqual([
    "No secret engine mount at none/",
  ]);
  const request = new Request("http://ca.test/v1/sys/storage/snapshot/pki/", {
    headers: { "x-service-token": "root" },
  });
  const response = await a.ca.fetch(request);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/x-ndjson",
  ]);
  await fresh().ca.restore("pki", [new Uint8Array(await response.arrayBuffer())]);
});
