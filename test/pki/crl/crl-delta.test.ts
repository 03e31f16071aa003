import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { eachRevoked, parseCrl, type Crl } from "../../../src/x509/crl.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import {
  authority,
  start,
  warningsOf,
  type Authority,
  type AuthorityOptions,
} from "../../support/authority.ts";
import { failing } from "./failing-commits.ts";

const [minute, hour] = [60, 3600];
const deltas = { auto_rebuild: true, enable_delta: true };

async function ready(options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await a.role("web");
  await a.pki.writeCrlConfig(deltas);
  return a;
}
async function revoked(a: Authority, ttl = "9000h"): Promise<string> {
  const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test", ttl });
  await a.pki.revoke({ serial_number });
  return serial_number.replaceAll(":", "");
}
const numbered = (crl: Crl, oid: string): number | undefined => {
  const found = crl.extensions.find((extension) => extension.oid === oid);
  return found && readCrlNumber(found.value);
};
interface List {
  readonly crl: Crl;
  readonly number: number | undefined;
  readonly base: number | undefined;
  readonly serials: readonly string[];
}
async function list(a: Authority, path: "crl" | "crl/delta"): Promise<List> {
  const { status, bytes } = await a.call("GET", `pki/${path}`);
  expect([path, status]).toEqual([path, 200]);
  const crl = parseCrl(bytes);
  return {
    crl,
    number: numbered(crl, extensionOid.crlNumber),
    base: numbered(crl, extensionOid.deltaCrlIndicator),
    serials: [...eachRevoked(crl)].map(({ serial }) => toHex(serial)).sort(),
  };
}
/** Reads both CRLs a second later, when nothing that was read before counts as current. */
const both = async (a: Authority) => {
  a.clock.advance(1);
  return { full: await list(a, "crl"), delta: await list(a, "crl/delta") };
};
const told = async (a: Authority): Promise<unknown> => {
  a.clock.advance(1);
  return (await a.call("GET", "sys/health", undefined, { token: "" })).json["warnings"];
};

describe("a delta CRL", () => {
  it("B 1.8 rule 7, B 1.8 rule 9: has authority key identifier, CRL number and a critical delta indicator, and expires after the configured expiry", async () => {
    const a = await ready();
    await a.pki.writeUrls({ delta_crl_distribution_points: "http://ca.test/crl/delta" });
    await a.pki.rotateCrl({});
    const { full, delta } = await both(a);
    const shape = ({ crl }: List) => crl.extensions.map(({ oid, critical }) => [oid, critical]);
    expect(shape(full)).toEqual([
      [extensionOid.authorityKeyIdentifier, false],
      [extensionOid.crlNumber, false],
      [extensionOid.freshestCrl, false],
    ]);
    expect(shape(delta)).toEqual([
      [extensionOid.authorityKeyIdentifier, false],
      [extensionOid.crlNumber, false],
      [extensionOid.deltaCrlIndicator, true],
    ]);
    expect(delta.base).toBe(full.number);
    expect([delta.crl.thisUpdate, delta.crl.nextUpdate]).toEqual([
      start / 1000,
      start / 1000 + 72 * hour,
    ]);
  });

  it("B 1.8 rule 8, B 1.8 rule 10: is empty with each complete CRL, and then contains later revocations", async () => {
    const a = await ready();
    const first = await both(a);
    expect([first.full.number, first.delta.number, first.delta.base]).toEqual([2, 3, 2]);
    expect(first.delta.serials).toEqual([]);
    const one = await revoked(a);
    await a.pki.rotateDeltaCrl({});
    const second = await both(a);
    expect([second.full.number, second.full.serials]).toEqual([2, []]);
    expect([second.delta.number, second.delta.base, second.delta.serials]).toEqual([4, 2, [one]]);
    await a.pki.rotateCrl({});
    const third = await both(a);
    expect([third.full.number, third.full.serials]).toEqual([5, [one]]);
    expect([third.delta.number, third.delta.base, third.delta.serials]).toEqual([6, 5, []]);
  });

  it("B 1.8 rule 11: is built by a job at most once in each interval, and only after revocations", async () => {
    const a = await ready();
    const before = (await both(a)).delta.number;
    const gone: string[] = [];
    let builds = 0;
    for (let i = 0; i < 12; i++) {
      if (i < 6) gone.push(await revoked(a), await revoked(a));
      a.clock.advance(5 * minute);
      await a.ca.tick();
      const { number = 0, serials } = (await both(a)).delta;
      const built = number - (before ?? 0) - builds;
      builds += built;
      expect(built).toBeLessThanOrEqual(1);
      const due = gone.slice(0, Math.max(0, i - 2) * 2);
      expect(serials).toEqual(expect.arrayContaining(due));
    }
    expect((await both(a)).delta.serials).toEqual(gone.sort());
    // half an hour of revocations, and half an hour without
    expect(builds).toBeLessThanOrEqual(3);
  });

  it("is built by reads after the interval if jobs do not run, and not rebuilt without new revocations", async () => {
    const a = await ready();
    const serial = await revoked(a);
    expect((await both(a)).delta.serials).toEqual([]);
    a.clock.advance(15 * minute);
    const { delta } = await both(a);
    expect(delta.serials).toEqual([serial]);
    a.clock.advance(hour);
    expect((await both(a)).delta.number).toBe(delta.number);
  });

  it("is built by the next tick if a shorter interval was set and has passed", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ delta_rebuild_interval: "10h" });
    const serial = await revoked(a);
    await a.pki.writeCrlConfig({ delta_rebuild_interval: "1m" });
    a.clock.advance(minute);
    await a.ca.tick();
    expect((await list(a, "crl/delta")).serials).toEqual([serial]);
  });

  it("B 1.8 rule 12: is empty, with the number of the complete CRL, while CRLs or deltas are disabled, and numbers continue afterwards", async () => {
    const a = await ready();
    await revoked(a);
    await a.pki.rotateDeltaCrl({});
    const last = (await both(a)).delta.number ?? 0;
    for (const off of [{ disable: true }, { enable_delta: false }]) {
      await a.pki.writeCrlConfig(off);
      for (let i = 0; i < 2; i++) {
        const { full, delta } = await both(a);
        expect([delta.number, delta.base, delta.serials]).toEqual([full.number, full.number, []]);
        await a.pki.rotateDeltaCrl({});
      }
      await a.pki.writeCrlConfig({ ...deltas, disable: false });
      const { full, delta } = await both(a);
      expect(full.number).toBeGreaterThan(last);
      expect([delta.base, delta.serials.length, full.serials.length]).toEqual([full.number, 0, 1]);
      expect(delta.number).toBeGreaterThan(full.number ?? 0);
    }
  });

  it("is never based on a CRL that was empty because CRLs were disabled", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    const serial = await revoked(a);
    await a.pki.rotateCrl({});
    await a.pki.writeCrlConfig({ disable: true });
    fail.on = true;
    await a.pki.writeCrlConfig({ disable: false });
    fail.on = false;
    await a.pki.rotateDeltaCrl({});
    const { full, delta } = await both(a);
    expect([full.serials, delta.base]).toEqual([[serial], full.number]);
  });

  it("B 1.10 crl/rotate-delta: is built on request by a reader, or causes a warning if deltas are disabled", async () => {
    const a = await ready();
    const before = (await both(a)).delta.number ?? 0;
    const asked = await a.call("GET", "pki/crl/rotate-delta", undefined, { token: "reader" });
    expect([asked.status, asked.data, asked.json["warnings"]]).toEqual([
      200,
      { success: true },
      "",
    ]);
    expect((await both(a)).delta.number).toBe(before + 1);
    await a.pki.writeCrlConfig({ enable_delta: false });
    expect(warningsOf(await a.pki.rotateDeltaCrl({}))).toEqual([
      "requested rebuild of delta CRL when delta CRL is not enabled; this is a no-op",
    ]);
    expect((await a.call("GET", "pki/crl/rotate-delta", undefined, { token: "" })).status).toBe(
      403,
    );
  });

  it("B 1.2 other issuers' lists: never contains an issuer, which is on the complete CRL instead", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    const between = await a.intermediate();
    const serial = await revoked(a);
    fail.on = true;
    await a.pki.revokeIssuer({ issuer_ref: between.id });
    fail.on = false;
    await a.pki.rotateDeltaCrl({});
    expect((await both(a)).delta.serials).toEqual([serial]);
    a.clock.advance(minute);
    await a.ca.tick();
    const { full, delta } = await both(a);
    expect([full.serials.length, delta.serials]).toEqual([2, []]);
  });
});

describe("a delta CRL close to its expiry", () => {
  it("is re-signed with its complete CRL, by jobs and by reads", async () => {
    for (const ticks of [true, false]) {
      const a = await ready();
      const serial = await revoked(a);
      for (let at = 0; at < 10 * 24 * hour; at += 7 * hour) {
        a.clock.advance(7 * hour);
        if (ticks) await a.ca.tick();
        const { full, delta } = await both(a);
        for (const { crl } of [full, delta])
          expect((crl.nextUpdate ?? 0) * 1000).toBeGreaterThan(a.clock.now);
        expect([...full.serials, ...delta.serials]).toEqual([serial]);
        expect(delta.base).toBe(full.number);
      }
    }
  });

  it("is re-signed if it expires before its complete CRL, even without new revocations", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ expiry: "4h", auto_rebuild_grace_period: "1h" });
    await a.pki.rotateDeltaCrl({});
    for (let at = 0; at < 12; at++) {
      a.clock.advance(hour);
      await a.ca.tick();
      const { crl } = (await both(a)).delta;
      expect((crl.nextUpdate ?? 0) * 1000).toBeGreaterThan(a.clock.now);
    }
    expect((await both(a)).full.number).toBe(2);
    const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const jobs = (await a.stores(uuid).list("job/")).map(([key]) => key.split("/")[2]);
    expect(jobs.filter((kind) => kind?.startsWith("crl-delta"))).toEqual(["crl-delta-renewal"]);
  });

  it("is re-signed if it is dated ahead of the clock", async () => {
    const a = await ready();
    a.clock.advance(1000 * hour);
    await a.pki.rotateCrl({});
    const ahead = (await both(a)).delta.number ?? 0;
    a.clock.advance(-1000 * hour);
    const { full, delta } = await both(a);
    for (const { crl } of [full, delta])
      expect(crl.thisUpdate * 1000).toBeLessThanOrEqual(a.clock.now);
    expect([delta.base, full.number]).toEqual([full.number, ahead + 1]);
  });

  it("is reported by sys/health if it cannot be built, and built by the job as soon as possible", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    const serial = await revoked(a);
    fail.on = true;
    a.clock.advance(15 * minute);
    await a.ca.tick();
    expect(await told(a)).toEqual([
      "A delta CRL could not be built; the previous delta CRL is still served.",
    ]);
    expect((await list(a, "crl/delta")).serials).toEqual([]);
    fail.on = false;
    a.clock.advance(minute);
    await a.ca.tick();
    expect((await both(a)).delta.serials).toEqual([serial]);
    expect(await told(a)).toBeUndefined();
  });

  it("is no longer reported by sys/health if it was stored although the reply was lost", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    const serial = await revoked(a);
    fail.on = "reply";
    a.clock.advance(15 * minute);
    await a.ca.tick();
    fail.on = false;
    a.clock.advance(minute);
    await a.ca.tick();
    expect((await both(a)).delta.serials).toEqual([serial]);
    expect(await told(a)).toBeUndefined();
  });

  it("B 1.8 rule 15: continues after the complete CRL has reached its limit, and stays unchanged at its own limit", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ max_crl_entries: 2 });
    const gone = [await revoked(a), await revoked(a)];
    await a.pki.rotateCrl({});
    gone.push(await revoked(a));
    expect(warningsOf(await a.pki.rotateCrl({}))).toHaveLength(1);
    await a.pki.rotateDeltaCrl({});
    const { full, delta } = await both(a);
    expect([...full.serials, ...delta.serials].sort()).toEqual(gone.sort());
    await revoked(a);
    await revoked(a);
    expect(warningsOf(await a.pki.rotateDeltaCrl({}))).toEqual([
      "Warning 1 during CRL rebuild: delta CRL would contain 3 entries, more than max_crl_entries (2)",
    ]);
    expect((await both(a)).delta.number).toBe(delta.number);
  });
});

describe("a delta CRL while deltas are disabled", () => {
  const builds = (a: Authority): Promise<number> =>
    a.call("GET", "sys/mounts/pki").then(async ({ data }) => {
      const store = a.stores(String(data["uuid"]));
      const rows = await store.list("crlstate/", { values: false });
      return rows.filter(([key]) => key.endsWith(".delta")).length;
    });

  it("has the number and dates of its complete CRL, and is signed on the first read", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    expect(await builds(a)).toBe(0);
    for (let i = 0; i < 3; i++) {
      const { full, delta } = await both(a);
      expect([delta.number, delta.base, delta.serials]).toEqual([full.number, full.number, []]);
      expect([delta.crl.thisUpdate, delta.crl.nextUpdate]).toEqual([
        full.crl.thisUpdate,
        full.crl.nextUpdate,
      ]);
      a.clock.advance(10);
      const again = await both(a);
      expect(again.delta.crl.der).toEqual(delta.crl.der);
      await revoked(a);
      expect(await builds(a)).toBe(0);
    }
  });

  it("is signed once per complete CRL, for any number of readers and two engines", async () => {
    const stores = memoryStore();
    const [a, b] = [authority({ stores }), authority({ stores, seed: 2 })];
    await a.root();
    const reads = [a, b, a, b].map((one) => list(one, "crl/delta"));
    const all = new Set((await Promise.all(reads)).map(({ crl }) => toHex(crl.der)));
    expect(all.size).toBe(1);
  });

  it("is returned as PEM on the issuer's path, and is not named by the complete CRL", async () => {
    const a = authority();
    await a.root();
    expect((await a.pki.readIssuerDeltaCrl({ issuer_ref: "root" })).crl).toMatch(
      /^-----BEGIN X509 CRL-----/,
    );
    await a.pki.writeCluster({ path: "http://ca.test/v1/pki" });
    await a.pki.fillUrls({});
    await a.pki.rotateCrl({});
    const { full } = await both(a);
    expect(full.crl.extensions.some(({ oid }) => oid === extensionOid.freshestCrl)).toBe(false);
  });

  it("is signed again only after a pause if signing fails, without a warning in sys/health", async () => {
    const { stores, fail } = failing();
    const a = authority({ stores });
    await a.root();
    await both(a);
    await a.pki.rotateCrl({});
    fail.on = true;
    for (let i = 0; i < 3; i++) {
      a.clock.advance(2);
      expect((await a.call("GET", "pki/crl/delta")).status).toBe(204);
    }
    expect(fail.count).toBe(1);
    expect(await told(a)).toBeUndefined();
    fail.on = false;
    a.clock.advance(minute);
    const { full, delta } = await both(a);
    expect(delta.base).toBe(full.number);
  });
});
