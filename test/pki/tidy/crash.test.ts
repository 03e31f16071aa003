import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import type { Batch } from "../../../src/index.ts";
import { authority } from "../../support/authority.ts";
import { faultyStores, unreachable } from "../../support/faulty.ts";
import { hour, over, revokeLike, tidying } from "./tidying.ts";

/** Reports whether a batch is a step of tidy, which writes the row of the run. */
const isStep = (batch: Batch | undefined): boolean =>
  batch?.put?.some(([key]) => key === "tidy/run") === true;

describe("a tidy run", () => {
  it("continues after a crash at any commit, with CRL entries that agree with the rows each time", async () => {
    for (let stop = 1; stop <= 9; stop++) {
      const faulty = faultyStores();
      const t = await tidying({ stores: faulty.stores });
      const { a, issue, revoke, uuid } = t;
      const short = await issue(14);
      const long = await issue(4, "900h");
      await revoke([...short.slice(0, 8), ...long, ...short.slice(8, 12)]);
      a.clock.advance(100 * hour);
      await a.pki.tidy({ tidy_cert_store: true, tidy_revoked_certs: true, page_size: 5 });
      let steps = 0;
      // the host crashes: none of its writes arrives any more
      faulty.fault(uuid, (verb, batch) => {
        if (verb !== "commit") return undefined;
        if (isStep(batch)) steps++;
        return steps >= stop ? unreachable() : undefined;
      });
      await a.ca.tick();
      faulty.fault(uuid, undefined);
      const again = await over(authority({ stores: faulty.stores, clock: a.clock }));
      const entries = (await again.store.list("crlpage/")).flatMap(([, { value }]) =>
        [...eachRevoked({ entries: value as Uint8Array })].map(({ serial }) => toHex(serial)),
      );
      const rows = (await again.keys("revoked/")).map((key) => key.slice("revoked/".length));
      expect(entries.sort()).toEqual(rows.sort());
      a.clock.advance(700);
      const done = await again.finish();
      expect(done).toMatchObject({
        state: "Finished",
        // each once, in either order
        cert_store_deleted_count: 14,
        revoked_cert_deleted_count: 12,
      });
      await again.a.ca.tick();
      a.clock.advance(60);
      await again.a.ca.tick();
      const crl = parseCrl((await again.a.call("GET", "pki/crl")).bytes);
      expect([...eachRevoked(crl)].map(({ serial }) => toHex(serial)).sort()).toEqual(
        long.map((one) => one.replaceAll(":", "")).sort(),
      );
      expect((await again.keys("job/")).filter((key) => key.includes("/tidy/"))).toEqual([]);
    }
  });

  it("waits while the storage fails", async () => {
    const faulty = faultyStores();
    const t = await tidying({ stores: faulty.stores });
    const { a, issue, status, finish, uuid } = t;
    await issue(3);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true });
    faulty.fault(uuid, (verb) => (verb === "commit" ? unreachable() : undefined));
    await a.ca.tick();
    faulty.fault(uuid, undefined);
    expect(await status()).toMatchObject({ state: "Running", error: null });
    a.clock.advance(700);
    expect(await finish()).toMatchObject({ state: "Finished", cert_store_deleted_count: 3 });
  });

  it("ends with an error after any other failure, and the next run can start", async () => {
    const { a, store, finish } = await tidying();
    const { list } = store;
    store.list = (prefix, page) =>
      prefix === "cert/" ? Promise.reject(new TypeError("a defect")) : list(prefix, page);
    await a.pki.tidy({ tidy_cert_store: true });
    expect(await finish()).toMatchObject({
      state: "Error",
      error: "internal error",
      message: null,
    });
    expect(a.events.find(({ cause }) => cause instanceof TypeError)).toMatchObject({
      endpoint: "job tidy",
      status: 500,
    });
    store.list = list;
    await a.pki.tidy({ tidy_cert_store: true });
    expect(await finish()).toMatchObject({ state: "Finished", error: null });
  });

  it("is restarted by a call if its job was lost", async () => {
    const { a, issue, store, keys, finish } = await tidying();
    await issue(3);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_cert_store: true });
    await store.commit({ del: (await keys("job/")).filter((key) => key.includes("/tidy/")) });
    await a.ca.tick();
    expect((await a.call("POST", "pki/tidy", {})).status).toBe(200);
    expect(await finish()).toMatchObject({ state: "Finished", cert_store_deleted_count: 3 });
  });

  it("yields to other requests between two steps", async () => {
    const { a, issue, revoke, store, status } = await tidying();
    const [serial = ""] = await issue();
    await revoke([serial]);
    await revokeLike(store, serial, 3000);
    a.clock.advance(100 * hour);
    await a.pki.tidy({ tidy_revoked_certs: true });
    let isDone = false;
    const ticking = a.ca.tick().finally(() => (isDone = true));
    const seen = new Set<unknown>();
    while (!isDone) {
      seen.add((await status())["revoked_cert_deleted_count"]);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await ticking;
    expect(seen.size).toBeGreaterThan(3);
    expect(await status()).toMatchObject({ state: "Finished", revoked_cert_deleted_count: 3001 });
  });
});
