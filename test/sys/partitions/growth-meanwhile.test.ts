import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { fromHex, toHex } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { encodeCertId, encodeOcspRequest } from "../../../src/x509/ocsp-request.ts";
import { signedAnswers } from "../../../src/x509/ocsp-response.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { fresh } from "../backup/kept.ts";

// A step moves the rows of at most 100 certificates, so that a larger growth pauses between two
// steps with certificates in their old and in their new partitions.

const plain = (serial: string): string => serial.replaceAll(":", "");

/** Creates an authority whose mount `big` has 130 certificates of each role, `web` and `mail`. */
async function withMany() {
  const a = authority({ stores: memoryStore() });
  await a.sys.createMount({ path: "big", type: "pki" });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  const serials: Record<"web" | "mail", string[]> = { web: [], mail: [] };
  for (const role of ["web", "mail"] as const) {
    await big.writeRole({ name: role, key_type: "ed25519", allow_any_name: true, ttl: "24h" });
    for (let n = 0; n < 130; n++)
      serials[role].push((await big.issue({ role, common_name: `n${n}.test` })).serial_number);
  }
  const { uuid } = await a.sys.readMount({ path: "big" });
  return { ...a, big, serials, uuid };
}
type Many = Awaited<ReturnType<typeof withMany>>;

/** Runs a step of the growth. */
async function step({ ca, clock }: Authority): Promise<void> {
  clock.now += 20;
  await ca.tick();
}
const isGrowing = async ({ ca }: Authority): Promise<boolean> =>
  (await ca.sys.readPartitions({ path: "big" })).growth !== undefined;
async function finish(a: Authority): Promise<void> {
  for (let n = 0; n < 100 && (await isGrowing(a)); n++) await step(a);
  expect(await isGrowing(a)).toBe(false);
}
/** Returns how many of the certificates are not yet, and already are, in their new partitions. */
async function places({ stores, uuid }: Many, count: number): Promise<readonly number[]> {
  const there = Array.from(
    { length: count },
    async (_, at) =>
      (await stores(at === 0 ? uuid : `${uuid}.${at}`).list("cert/", { values: false })).length,
  );
  const [home = 0, ...added] = await Promise.all(there);
  return [home, added.reduce((sum, one) => sum + one, 0)];
}
async function onCrl(a: Authority): Promise<readonly string[]> {
  const crl = parseCrl((await a.call("GET", "big/crl")).bytes);
  return [...eachRevoked(crl)].map(({ serial }) => toHex(serial)).toSorted();
}
/** Returns whether OCSP reports each of the certificates as revoked. */
async function ocsp(a: Many, serials: readonly string[]): Promise<readonly boolean[]> {
  const { certificate } = await a.big.readIssuer({ issuer_ref: "default" });
  const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  return Promise.all(
    serials.map(async (serial) => {
      const body = encodeOcspRequest([await encodeCertId("SHA-1", issuer, fromHex(plain(serial)))]);
      const header = { "content-type": "application/ocsp-request" };
      const { bytes } = await a.call("POST", "big/ocsp", body, { token: "", header });
      const status = signedAnswers(bytes).answers[0]?.status;
      expect(status).toBeDefined();
      return status !== "good";
    }),
  );
}

describe("a mount whose certificates are being moved to more partitions", () => {
  it("has each revocation on its CRL and in OCSP after every step, whether or not the certificate was moved", async () => {
    const a = await withMany();
    const { web, mail } = a.serials;
    const revoked: string[] = [];
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    let mixed = 0;
    for (let n = 0; await isGrowing(a); n++) {
      const [home = 0, added = 0] = await places(a, 4);
      if (home > 100 && added > 0) mixed += 1;
      const now = [web[n] ?? "", mail[n] ?? "", web[129 - n] ?? ""];
      for (const serial_number of now)
        expect((await a.call("POST", "big/revoke", { serial_number })).status).toBe(200);
      revoked.push(...now);
      expect(await onCrl(a)).toEqual(revoked.map(plain).toSorted());
      const good = web.slice(60, 64);
      expect(await ocsp(a, [...now, ...good])).toEqual([
        true,
        true,
        true,
        ...good.map(() => false),
      ]);
      await step(a);
    }
    expect(mixed).toBeGreaterThan(0);
    a.clock.advance(2);
    await a.big.rotateCrl();
    expect(await onCrl(a)).toEqual(revoked.map(plain).toSorted());
    expect(await ocsp(a, revoked)).toEqual(revoked.map(() => true));
    for (const serial of revoked)
      expect((await a.big.readCert({ serial })).revocation_time).toBeGreaterThan(0);
  });

  it("revokes all results of a search, and serial numbers, each once", async () => {
    const a = await withMany();
    const { web, mail } = a.serials;
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    await step(a);
    const [home = 0, added = 0] = await places(a, 4);
    expect([home > 100, added > 0]).toEqual([true, true]);
    const one = await a.big.revokeFound({ serial_numbers: mail.slice(0, 50) });
    expect(one).toMatchObject({ revoked: 50, already_revoked: 0, left: 0 });
    let count = 0;
    for (let cursor = "", n = 0; n < 20; n++) {
      const done = await a.big.revokeFound({ role: "web", cursor });
      count += done.revoked;
      expect(done.already_revoked).toBe(0);
      cursor = done.cursor;
      if (cursor === "") break;
      await step(a);
    }
    expect(count).toBe(web.length);
    expect(await isGrowing(a)).toBe(true);
    const revoked = [...web, ...mail.slice(0, 50)].map(plain).toSorted();
    expect(await onCrl(a)).toEqual(revoked);
    await finish(a);
    expect(((await a.big.listRevoked({})).keys ?? []).map(plain).toSorted()).toEqual(revoked);
    expect(await a.big.revokeFound({ role: "web" })).toMatchObject({
      revoked: 0,
      already_revoked: web.length,
    });
  });

  it.each([
    ["four partitions", {}, 4],
    ["sixteen partitions", { partitions: 16 }, 16],
    ["one partition", { partitions: 1 }, 1],
  ])(
    "is backed up with all its rows, and restored with %s, where no rows are being moved",
    async (_, options, count) => {
      const a = await withMany();
      const { web, mail } = a.serials;
      for (const serial_number of mail.slice(0, 5)) await a.big.revoke({ serial_number });
      await a.ca.sys.growPartitions({ path: "big", count: 4 });
      await step(a);
      // rows are moved between the parts of the backup
      const parts: Uint8Array[] = [];
      for await (const part of a.ca.backup("big", { partBytes: 20_000 })) {
        parts.push(part);
        await step(a);
      }
      expect(parts.length).toBeGreaterThan(3);
      const b = fresh({ clock: a.clock });
      await b.ca.restore("big", parts, options);
      const { growth, partitions } = await b.ca.sys.readPartitions({ path: "big" });
      expect([growth, partitions.length]).toEqual([undefined, count]);
      const restored = { ...a, ...b, big: b.ca.mount("big") };
      const [home = 0, added = 0] = await places(restored, count);
      expect([home + added, added > 0]).toEqual([web.length + mail.length + 1, count > 1]);
      expect((await restored.big.listRevoked({})).keys).toHaveLength(5);
      for (const serial of [...web, ...mail])
        expect(await restored.big.readCert({ serial })).toEqual(await a.big.readCert({ serial }));
      await restored.big.revoke({ serial_number: web[0] ?? "" });
      expect(await onCrl(b)).toEqual([web[0] ?? "", ...mail.slice(0, 5)].map(plain).toSorted());
      // the restored mount can grow, or its jobs leave it unchanged
      expect((await b.call("DELETE", "sys/mounts/big/partitions")).status).toBe(409);
      if (count < 16) await b.ca.sys.growPartitions({ path: "big", count: 16 });
      await finish(b);
      expect((await b.call("LIST", "big/certs")).data["keys"]).toHaveLength(261);
    },
  );

  it("is deleted with all partitions, and its job ends", async () => {
    const a = await withMany();
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    await step(a);
    await a.sys.deleteMount({ path: "big" });
    for (let n = 0; n < 5; n++) await step(a);
    const names = Array.from({ length: 4 }, (_, at) => (at === 0 ? a.uuid : `${a.uuid}.${at}`));
    const keys = await Promise.all(names.map((name) => a.stores(name).list("")));
    expect(keys.flat().flatMap(([key]) => (key === "epoch" ? [] : [key]))).toEqual([]);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
