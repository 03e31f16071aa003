import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { certEntry, storedPki } from "../../../src/pki/rows/records.ts";
import type { Batch } from "../../../src/engine/ports.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { authority, refusal, start, warningsOf, type Authority } from "../../support/authority.ts";
import { derOf } from "../reading.ts";
import { storedCrl } from "../../../src/pki/rows/crl-records.ts";
import { commitRows } from "../../support/commit-rows.ts";

const plain = (serial: string) => serial.replaceAll(":", "");
async function listed(a: Authority) {
  const list = parseCrl((await a.call("GET", "pki/crl")).bytes);
  return [...eachRevoked(list)].map(({ serial, reason }) => [toHex(serial), reason]);
}
async function withLeaves(options: Parameters<typeof authority>[0] = {}) {
  const a = authority(options);
  await a.root();
  await a.role("web");
  await a.role("mail");
  const serials: string[] = [];
  for (const [role, name, ttl] of [
    ["web", "a.test", "100h"],
    ["web", "b.test", "100h"],
    ["mail", "c.test", "100h"],
    ["web", "short.test", "1h"],
  ])
    serials.push((await a.pki.issue({ role: role ?? "", common_name: name, ttl })).serial_number);
  return { a, serials };
}
/**
 * Stores the rows of `count` certificates of the role `many` that differ only in their serial
 * numbers.
 */
async function withMany(a: Authority, count: number) {
  await a.role("many", { no_store: true });
  const { certificate } = await a.pki.issue({ role: "many", common_name: "m.test", ttl: "100h" });
  const der = new Uint8Array(derOf(certificate));
  const { notBefore, notAfter } = parseCertificate(der);
  const { issuer_id: issuer } = await a.pki.readIssuer({ issuer_ref: "root" });
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const [row] = await store.get([`issuer/${issuer}`]);
  const crl_set = storedPki.issuer(row?.value).crl_set;
  for (let from = 0; from < count; from += 1000)
    await commitRows(store, {
      put: Array.from({ length: Math.min(1000, count - from) }, (_, i) => {
        const serial = Uint8Array.of(
          1,
          ...[24, 16, 8, 0].map((bits) => ((from + i) >> bits) & 255),
        );
        return certEntry(
          serial,
          { der, issuer, crl_set, role: "many" },
          { notBefore, notAfter, name: "m" },
        );
      }),
    });
}

describe("POST certs/revoke", () => {
  it("revokes all matches with the reason, builds the CRL once, and returns their number and the first ones", async () => {
    const { a, serials } = await withLeaves();
    const [one = "", two = ""] = serials;
    const number = async () => {
      const { uuid } = await a.sys.readMount({ path: "pki" });
      const [row] = await a.stores(uuid).list("crlstate/");
      return storedCrl.crl(row?.[1].value).number;
    };
    const before = await number();
    const done = await a.pki.revokeFound({
      role: "web",
      not_after_from: start / 1000 + 7200,
      reason: "superseded",
    });
    expect(done).toEqual({
      dry_run: false,
      revoked: 2,
      keys: expect.arrayContaining([one, two]) as unknown,
      already_revoked: 0,
      expired: 0,
      issuers: 0,
      responders: 0,
      left: 0,
      cursor: "",
    });
    expect((await listed(a)).toSorted()).toEqual(
      [one, two].map((serial) => [plain(serial), 4]).toSorted(),
    );
    expect(await number()).toBe(before + 1);
    expect((await a.pki.readCert({ serial: one })).revocation_time).toBe(start / 1000);
  });

  it("revokes certificates by serial number, builds the CRL once, and returns unknown numbers", async () => {
    const { a, serials } = await withLeaves();
    const [one = "", two = "", three = "", short = ""] = serials;
    const { serial_number: own } = await a.pki
      .readIssuer({ issuer_ref: "root" })
      .then(
        async ({ issuer_id: id }) =>
          (await a.pki.listIssuers({})).key_info[id] ?? { serial_number: "" },
      );
    await a.pki.revoke({ serial_number: two });
    a.clock.advance(7200);
    const number = async () => {
      const { uuid } = await a.sys.readMount({ path: "pki" });
      const [row] = await a.stores(uuid).list("crlstate/");
      return storedCrl.crl(row?.[1].value).number;
    };
    const before = await number();
    const named = [one, plain(three).toUpperCase(), two, one, short, own, "01:02", "no serial"];
    const counts = {
      revoked: 2,
      already_revoked: 1,
      expired: 1,
      issuers: 1,
      responders: 0,
      left: 0,
      cursor: "",
      unknown: ["01:02", "no serial"],
    };
    expect(await a.pki.revokeFound({ serial_numbers: named, dry_run: true })).toMatchObject(counts);
    expect(await number()).toBe(before);
    const done = await a.pki.revokeFound({ serial_numbers: named, reason: "superseded" });
    expect(done).toMatchObject({ ...counts, dry_run: false });
    expect(done.keys.toSorted()).toEqual([one, three].toSorted());
    expect(await number()).toBe(before + 1);
    expect((await listed(a)).filter(([, reason]) => reason === 4)).toHaveLength(2);
  });

  it("reports a certificate that was altered in storage, and revokes the others", async () => {
    const { a, serials } = await withLeaves();
    const [one = "", two = ""] = serials;
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const store = a.stores(uuid);
    const key = `cert/${plain(one)}`;
    const [row] = await store.get([key]);
    const cert = storedPki.cert(row?.value);
    const der = Uint8Array.from(cert.der, (byte, at) => (at === 40 ? byte ^ 1 : byte));
    await store.commit({ put: [[key, { ...(row?.value as object), der }]] });
    const { warnings, revoked } = await a.pki.revokeFound({ serial_numbers: [one, two] });
    expect(revoked).toBe(1);
    expect(warnings?.[0]).toContain(`${one} was altered in storage`);
  });

  it("changes nothing in a dry run, and returns its result", async () => {
    const { a, serials } = await withLeaves();
    await a.pki.revoke({ serial_number: serials[0] ?? "" });
    a.clock.advance(7200);
    const before = [await listed(a), (await a.pki.listRevoked({})).keys];
    for (const asked of [{ all: true }, { issuer: "root" }])
      expect(await a.pki.revokeFound({ ...asked, dry_run: true })).toMatchObject({
        dry_run: true,
        revoked: 2,
        keys: expect.arrayContaining([serials[1], serials[2]]) as unknown,
        already_revoked: 1,
        expired: 1,
        issuers: 1,
        left: 0,
      });
    expect([await listed(a), (await a.pki.listRevoked({})).keys]).toEqual(before);
  });

  it("skips and counts revoked and expired certificates and issuers, and revokes expired ones if the mount allows it", async () => {
    const { a, serials } = await withLeaves();
    await a.pki.revoke({ serial_number: serials[0] ?? "" });
    a.clock.advance(7200);
    expect(await a.pki.revokeFound({ all: true })).toMatchObject({
      revoked: 2,
      already_revoked: 1,
      expired: 1,
      issuers: 1,
    });
    expect(await listed(a)).toHaveLength(3);
    await a.pki.writeCrlConfig({ allow_expired_cert_revocation: true });
    expect(await a.pki.revokeFound({ all: true })).toMatchObject({
      revoked: 1,
      already_revoked: 3,
      expired: 0,
    });
    const { revoked } = await a.pki.readIssuer({ issuer_ref: "root" });
    expect(revoked).toBe(false);
  });

  it("skips the certificate of the current OCSP responder, and revokes that of a former one", async () => {
    const { a } = await withLeaves();
    const before = await a.pki.makeResponder({ issuer_ref: "root" });
    const now = await a.pki.makeResponder({ issuer_ref: "root" });
    const dry = await a.pki.revokeFound({ issuer: "root", dry_run: true });
    const done = await a.pki.revokeFound({ issuer: "root" });
    for (const said of [dry, done]) {
      expect(said).toMatchObject({ revoked: 5, issuers: 1, responders: 1 });
      expect(said.keys).toContain(before.serial_number);
      expect(said.keys).not.toContain(now.serial_number);
    }
    expect(await a.pki.readResponder({ issuer_ref: "root" })).toMatchObject({ active: true });
  });

  it("rejects no filter, `all` with a filter, and unknown fields or values, and revokes nothing", async () => {
    const { a } = await withLeaves();
    const none =
      "no filter was sent: send name, issuer, role, san, source, acme_account, fingerprint, not_after_from, not_after_to, not_before_from or not_before_to, or all to revoke every certificate";
    for (const [body, text] of [
      [{}, none],
      [{ role: "", san: "", name: "", issuer: "" }, none],
      [{ state: "valid" }, none],
      [{ all: false, dry_run: true }, none],
      [{ all: true, role: "web" }, "'all' cannot be combined with a filter: send one or the other"],
      [
        { serial_numbers: ["01"], role: "web" },
        "serial_numbers cannot be combined with a filter: send either serial numbers or a search",
      ],
      [
        { serial_numbers: ["01"], cursor: "x" },
        "serial_numbers cannot be combined with a filter: send either serial numbers or a search",
      ],
      [
        { serial_numbers: Array.from({ length: 1001 }, (_, i) => String(i)) },
        "serial_numbers contains more than 1000 serial numbers",
      ],
      [{ role: "web", isuer: "x" }, /^unknown fields: isuer/],
      [{ role: "web", state: "new" }, /^unknown state new/],
      [{ role: "web", reason: "boredom" }, /^unknown revocation reason boredom/],
      [
        { role: "web", cursor: "x" },
        "invalid cursor: send the cursor of the previous page unchanged, with the same filters and order",
      ],
      [{ role: "web", not_after_to: "soon" }, /^Field validation failed/],
    ] as const) {
      const { status, errors } = await a.call("POST", "pki/certs/revoke", body);
      expect([status, errors]).toEqual([
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
    }
    // in this dialect, other endpoints only warn about unknown fields
    const compat = await a.call(
      "POST",
      "pki/certs/revoke",
      { role: "web", isuer: "x" },
      { compat: true },
    );
    expect([compat.status, compat.errors[0]]).toEqual([
      400,
      expect.stringMatching(/^unknown field isuer: .* could revoke too many certificates$/),
    ]);
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
    for (const token of ["", "reader"])
      expect((await a.call("POST", "pki/certs/revoke", { role: "web" }, { token })).status).toBe(
        403,
      );
  });

  it("revokes certificates of a deleted role or issuer, and none for unknown names", async () => {
    const { a } = await withLeaves();
    await a.pki.deleteRole({ name: "mail" });
    expect((await a.pki.revokeFound({ role: "mail" })).revoked).toBe(1);
    expect((await a.pki.revokeFound({ role: "nobody" })).revoked).toBe(0);
    expect((await a.pki.revokeFound({ issuer: "nobody" })).revoked).toBe(0);
  });

  it("follows the schedule of auto_rebuild, and warns if a CRL cannot be updated", async () => {
    const { a } = await withLeaves();
    await a.pki.writeCrlConfig({ auto_rebuild: true, max_crl_entries: 1 });
    expect(warningsOf(await a.pki.revokeFound({ role: "web" }))).toEqual([]);
    expect(await listed(a)).toEqual([]);
    await a.pki.rotateCrl();
    expect(warningsOf(await a.pki.revokeFound({ role: "mail" }))).toEqual([
      "A CRL is no longer updated, because it would have more entries than max_crl_entries allows.",
    ]);
    await a.pki.writeCrlConfig({ auto_rebuild: false, max_crl_entries: -1 });
    await a.pki.rotateCrl();
    expect(await listed(a)).toHaveLength(4);
  });
});

describe("revoking many certificates", () => {
  it("handles 10,000 per call and continues by cursor, until each is on the CRL once", async () => {
    const { a } = await withLeaves();
    await withMany(a, 10_500);
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const dry = await a.pki.revokeFound({ role: "many", dry_run: true });
    const first = await a.pki.revokeFound({ role: "many" });
    for (const told of [dry, first])
      expect(told).toMatchObject({
        revoked: 10_000,
        left: 500,
        warnings: [
          "500 more certificates remain to be revoked: send another request with the cursor to continue",
        ],
      });
    expect(first.keys).toHaveLength(100);
    const second = await a.pki.revokeFound({ role: "many", cursor: first.cursor });
    expect(second).toMatchObject({ revoked: 500, already_revoked: 0, left: 0, cursor: "" });
    // a call without the cursor finds the others as well
    expect(await a.pki.revokeFound({ role: "many" })).toMatchObject({
      revoked: 0,
      already_revoked: 10_500,
    });
    await a.pki.rotateCrl();
    const serials = (await listed(a)).map(([serial]) => serial);
    expect([serials.length, new Set(serials).size]).toEqual([10_500, 10_500]);
  });

  it("yields to the event loop between two batches of a hundred", async () => {
    const { a } = await withLeaves();
    await withMany(a, 2000);
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    let turns = 0;
    const count = setInterval(() => turns++);
    expect((await a.pki.revokeFound({ role: "many" })).revoked).toBe(2000);
    clearInterval(count);
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it("leaves each certificate revoked or untouched if interrupted, and a job builds the CRL", async () => {
    const inner = memoryStore();
    let left = Infinity;
    const stores: typeof inner = (name) => {
      const store = inner(name);
      return {
        ...store,
        commit: async (batch: Batch) => {
          if (batch.append && left-- <= 0) throw new Error("the power went");
          return store.commit(batch);
        },
      };
    };
    const { a } = await withLeaves({ stores });
    await withMany(a, 1000);
    left = 5;
    expect((await refusal(a.pki.revokeFound({ role: "many" })))[0]).toBe(500);
    left = Infinity;
    const after = authority({ stores: inner, seed: 9, clock: a.clock });
    expect((await after.pki.listRevoked({})).keys).toHaveLength(500);
    after.clock.advance(60);
    await after.ca.tick();
    expect(await listed(after)).toHaveLength(500);
    expect(await after.pki.revokeFound({ role: "many" })).toMatchObject({
      revoked: 500,
      already_revoked: 500,
    });
    expect(await listed(after)).toHaveLength(1000);
  });

  it("revokes each certificate once if several calls revoke the same ones", async () => {
    const { a } = await withLeaves();
    await withMany(a, 1000);
    const done = await Promise.all([1, 2, 3].map(() => a.pki.revokeFound({ role: "many" })));
    expect(done.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(1000);
    expect(await listed(a)).toHaveLength(1000);
  });
});
