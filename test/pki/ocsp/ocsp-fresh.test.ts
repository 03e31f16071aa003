import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import { memoryStore } from "../../../src/index.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { authority, clockAt, start, type Authority } from "../../support/authority.ts";
import { certificateIn, failureOf, getPath, requestFor, send, statusOf } from "./asking.ts";

/** Creates two engines over one store, and a certificate in the caches of both. */
async function twoEngines(crl: object = {}) {
  const [stores, clock] = [memoryStore(), clockAt()];
  const a = authority({ stores, clock });
  const { certificate: issuer } = await a.root();
  await a.role("web");
  await a.pki.writeCrlConfig(crl);
  const { serial_number: serial } = await a.pki.issue({ role: "web", common_name: "a.test" });
  const b = authority({ stores, clock, seed: 2 });
  return { a, b, clock, wanted: { issuer, serial } };
}
const revokedNow = (seconds: number) => ({ revokedAt: start / 1000 + seconds, reason: 0 });

const ask = (a: Authority, path: string, header: Record<string, string> = {}) =>
  a.call("GET", path, undefined, { token: "", header });

describe("an OCSP response", () => {
  it.each([
    ["lists built at once", {}],
    ["lists built later", { auto_rebuild: true }],
    ["no lists", { disable: true }],
  ])(
    "security row 70: shows a revocation at once in the engine that made it, and within a second in another, with %s",
    async (_, crl) => {
      const { a, b, clock, wanted } = await twoEngines(crl);
      for (const engine of [a, b]) expect(await statusOf(engine, wanted)).toBe("good");
      clock.now += 999;
      for (const engine of [a, b]) expect(await statusOf(engine, wanted)).toBe("good");
      await a.pki.revoke({ serial_number: wanted.serial });
      expect(await statusOf(a, wanted)).toMatchObject({ reason: 0 });
      clock.now += 1;
      expect(await statusOf(b, wanted)).toEqual(revokedNow(0));
      expect(await statusOf(a, wanted)).toEqual(revokedNow(0));
    },
  );

  it("security row 70: is at most a second old, whatever the age of its sources", async () => {
    const { a, b, clock, wanted } = await twoEngines({ auto_rebuild: true });
    await statusOf(b, wanted);
    clock.now += 900;
    // this engine read its configuration 900 ms ago
    const other = await a.pki.issue({ role: "web", common_name: "b.test" });
    await statusOf(b, { ...wanted, serial: other.serial_number });
    await a.pki.revoke({ serial_number: other.serial_number });
    await a.pki.writeCrlConfig({ ocsp_disable: true });
    clock.now += 100;
    const answer = await send(b, await requestFor({ ...wanted, serial: other.serial_number }));
    expect(failureOf(answer)).toEqual([401, "unauthorized"]);
  });

  it("security row 70: shows the revocation of an intermediate immediately, and by GET too", async () => {
    const { a, b, clock, wanted } = await twoEngines({ auto_rebuild: true });
    const { id, certificate } = await a.intermediate();
    const serial = Buffer.from(certificateIn(certificate).serial).toString("hex");
    const below = { issuer: wanted.issuer, serial };
    const path = getPath(await requestFor(below));
    for (const engine of [a, b]) expect(await statusOf(engine, below)).toBe("good");
    const before = await a.call("GET", path);
    await a.pki.revokeIssuer({ issuer_ref: id });
    expect(await statusOf(a, below)).toEqual(revokedNow(0));
    expect((await a.call("GET", path)).bytes).not.toEqual(before.bytes);
    clock.now += 1000;
    expect(await statusOf(b, below)).toEqual(revokedNow(0));
  });

  it("is reused for five seconds if there is no nonce and nothing changes", async () => {
    const { a, b, clock, wanted } = await twoEngines();
    const request = await requestFor(wanted);
    const first = await send(a, request);
    expect((await send(a, request)).bytes).toEqual(first.bytes);
    expect((await a.call("GET", getPath(request))).bytes).toEqual(first.bytes);
    clock.now += 4000;
    expect((await send(a, request)).bytes).toEqual(first.bytes);
    clock.now += 1000;
    const second = await send(a, request);
    expect(second.bytes).not.toEqual(first.bytes);
    const other = await a.pki.issue({ role: "web", common_name: "b.test" });
    await b.pki.revoke({ serial_number: other.serial_number });
    clock.now += 1000;
    const third = await send(a, request);
    expect(third.bytes).not.toEqual(second.bytes);
    await b.pki.writeCrlConfig({ ocsp_expiry: "1h" });
    clock.now += 1000;
    const fourth = await send(a, request);
    expect(fourth.bytes).not.toEqual(third.bytes);
    clock.now -= 60_000;
    expect((await send(a, request)).bytes).not.toEqual(fourth.bytes);
    const nonced = await requestFor(wanted, Uint8Array.of(1));
    expect((await send(a, nonced)).bytes).not.toEqual((await send(a, nonced)).bytes);
  });

  it("does not read the store while it is cached", async () => {
    const memory = memoryStore();
    let asked = 0;
    const counting = (store: Store): Store => ({
      ...store,
      get: (keys) => (asked++, store.get(keys)),
      list: (...how) => (asked++, store.list(...how)),
      commit: (batch) => store.commit(batch),
    });
    const a = authority({ stores: (name) => counting(memory(name)) });
    const { certificate: issuer } = await a.root();
    await a.role("web");
    const { serial_number: serial } = await a.pki.issue({ role: "web", common_name: "a.test" });
    const request = await requestFor({ issuer, serial });
    await send(a, request);
    asked = 0;
    for (let n = 0; n < 10; n++) await send(a, request);
    expect(asked).toBe(0);
  });
});

describe("GET ocsp", () => {
  it("returns an entity tag and a date, and supports conditional requests by both", async () => {
    const { a, clock, wanted } = await twoEngines();
    const path = getPath(await requestFor(wanted));
    const first = await ask(a, path);
    const etag = first.headers.get("etag") ?? "";
    const modified = first.headers.get("last-modified") ?? "";
    expect(modified).toBe(new Date(start).toUTCString());
    expect(etag).toMatch(/^"[0-9a-f]{40}"$/);
    const later = new Date(start + 1000).toUTCString();
    for (const header of [{ "if-none-match": etag }, { "if-modified-since": later }] as const) {
      const again = await ask(a, path, header);
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe("max-age=0, must-revalidate");
    }
    clock.now += 1000;
    await a.pki.revoke({ serial_number: wanted.serial });
    for (const header of [{ "if-none-match": etag }, { "if-modified-since": modified }] as const)
      expect((await ask(a, path, header)).status).toBe(200);
  });

  it("returns 200 for the date of a response that a revocation in the same second has replaced", async () => {
    const { a, clock, wanted } = await twoEngines();
    const path = getPath(await requestFor(wanted));
    const modified = (await ask(a, path)).headers.get("last-modified") ?? "";
    await a.pki.revoke({ serial_number: wanted.serial });
    clock.now += 500;
    for (const ahead of [0, 2000]) {
      clock.now += ahead;
      const answer = await ask(a, path, { "if-modified-since": modified });
      expect([answer.status, answer.headers.get("last-modified")]).toEqual([200, modified]);
    }
  });

  it("returns only headers for HEAD", async () => {
    const { a, wanted } = await twoEngines();
    const path = getPath(await requestFor(wanted));
    const head = await a.call("HEAD", path, undefined, { token: "" });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get("content-type")).toBe("application/ocsp-response");
  });

  it("allows a cross-origin request if the deployment names the origin", async () => {
    const { a, wanted } = await twoEngines();
    const url = `http://ca.test/v1/${getPath(await requestFor(wanted))}`;
    const headers = { origin: "https://page.test" };
    const answer = await a.ca.fetch(new Request(url, { headers }), {
      allowedOrigins: ["https://page.test"],
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://page.test");
  });
});

describe("an OCSP request", () => {
  it("security row 94: writes no row and schedules no job", async () => {
    const memory = memoryStore();
    const committed: unknown[] = [];
    const watching = (store: Store): Store => ({
      ...store,
      commit: (batch) => (committed.push(batch), store.commit(batch)),
    });
    const a = authority({ stores: (name) => watching(memory(name)) });
    const { certificate: issuer } = await a.root();
    const [commits, wakes] = [committed.length, a.wakes.length];
    for (const serial of ["01", "02"]) {
      await statusOf(a, { issuer, serial });
      await ask(a, getPath(await requestFor({ issuer, serial })));
      await send(a, "hello");
    }
    expect([committed.length, a.wakes.length]).toEqual([commits, wakes]);
  });

  it("B 2 internalError: gets internalError while the storage fails, and a response again afterwards", async () => {
    const memory = memoryStore();
    let broken = false;
    const failing = (store: Store): Store => ({
      ...store,
      list: (...how) => store.list(...how),
      commit: (batch) => store.commit(batch),
      get: async (keys) => {
        if (broken) throw new CaError("storage", "the storage is unreachable");
        return store.get(keys);
      },
    });
    const a = authority({ stores: (name) => failing(memory(name)) });
    const { certificate: issuer } = await a.root();
    const request = await requestFor({ issuer, serial: "01" });
    await send(a, await requestFor({ issuer, serial: "02" }));
    broken = true;
    expect(failureOf(await send(a, request))).toEqual([500, "internalError"]);
    broken = false;
    expect((await send(a, request)).status).toBe(200);
  });
});
