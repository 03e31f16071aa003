import { describe, expect, it } from "vitest";
import {
  authority,
  start,
  warningsOf,
  type Authority,
  type AuthorityOptions,
} from "../../support/authority.ts";
import { equalBytes, toHex } from "../../../src/base/bytes.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { assembleSigned, encodeTbsCertificate } from "../../../src/x509/certificate.ts";
import { parseCsr } from "../../../src/x509/csr.ts";
import { encodeName } from "../../../src/x509/name.ts";
import {
  algorithmIdentifier,
  algorithmName,
  verifySignature,
} from "../../../src/x509/public-key.ts";
import {
  subjectKeyIdentifier,
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../../src/x509/key-identifiers.ts";
import { eachRevoked, parseCrl, type Crl } from "../../../src/x509/crl.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../../src/x509/usage.ts";
import { readCrlDistributionPoints } from "../../../src/x509/distribution-points.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { commonName, defined, openssl, withFiles } from "../../x509/fixture.ts";
import { derOf, keyOf, readCertificate, valueOf } from "../reading.ts";
import { failing } from "./failing-commits.ts";

const now = start / 1000;
const crlOf = async (a: Authority, path = "pki/crl"): Promise<Crl> =>
  parseCrl((await a.call("GET", path)).bytes);
const numberOf = (crl: Crl): number =>
  readCrlNumber(
    crl.extensions.find((extension) => extension.oid === extensionOid.crlNumber)?.value ??
      new Uint8Array(0),
  );
const serials = (crl: Crl): readonly string[] =>
  [...eachRevoked(crl)].map((entry) => toHex(entry.serial)).sort();
async function ready(options: AuthorityOptions = {}, root: object = {}): Promise<Authority> {
  const a = authority(options);
  await a.root(root);
  await a.role("web");
  return a;
}
const issued = async (a: Authority): Promise<string> =>
  (await a.pki.issue({ role: "web", common_name: "a.test", ttl: "1000h" })).serial_number;
async function revoked(a: Authority): Promise<{ serial: string; reply: object }> {
  const serial_number = await issued(a);
  return {
    serial: serial_number.replaceAll(":", ""),
    reply: await a.pki.revoke({ serial_number }),
  };
}
const nameOf = async (a: Authority): Promise<string> =>
  ((await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string }).uuid;
/** Returns the kinds of the scheduled jobs. */
const jobs = async (a: Authority): Promise<readonly string[]> =>
  (await a.stores(await nameOf(a)).list("job/")).map(([key]) => key.split("/")[2] ?? "");

describe("a CRL", () => {
  it("B 1.8 rule 6: exists, empty, as soon as there is a CA, and identifies its issuer by name and key", async () => {
    const a = authority();
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    const root = await a.root();
    const crl = await crlOf(a);
    const read = readCertificate(root.certificate);
    expect([crl.issuer, crl.thisUpdate, crl.nextUpdate, crl.entries.length]).toEqual([
      read.subject,
      now,
      now + 72 * 3600,
      0,
    ]);
    expect(crl.extensions.map((extension) => [extension.oid, extension.critical])).toEqual([
      [extensionOid.authorityKeyIdentifier, false],
      [extensionOid.crlNumber, false],
    ]);
    expect(readAuthorityKeyIdentifier(crl.extensions[0]?.value ?? new Uint8Array(0))).toEqual(
      readSubjectKeyIdentifier(valueOf(read, extensionOid.subjectKeyIdentifier)),
    );
    expect(await verifySignature(read.spki, crl.algorithm, crl.tbs, crl.signature)).toBe(true);
    expect(numberOf(crl)).toBe(1);
  });

  it("is verified by openssl, and grows with each revocation", async () => {
    for (const root of [
      { key_type: "ec", key_bits: 384 },
      { key_type: "ed25519" },
      { key_type: "rsa", signature_bits: 512 },
      { key_type: "rsa", use_pss: true },
    ]) {
      const a = authority();
      const { certificate } = await a.root(root);
      await a.role("web");
      const gone = [(await revoked(a)).serial, (await revoked(a)).serial];
      const pem = (await a.call("GET", "pki/crl/pem")).text;
      const printed = withFiles({ "crl.pem": `${pem}\n`, "ca.pem": `${certificate}\n` }, (path) =>
        openssl([
          "crl",
          "-in",
          path("crl.pem"),
          "-CAfile",
          path("ca.pem"),
          "-noout",
          "-text",
          "-verify",
        ]),
      );
      for (const serial of gone) expect(printed.toLowerCase()).toContain(serial);
      const crl = await crlOf(a);
      expect([numberOf(crl), serials(crl), algorithmName(crl.algorithm)]).toEqual([
        3,
        gone.toSorted(),
        (await a.pki.readIssuer({ issuer_ref: "root" })).revocation_signature_algorithm,
      ]);
    }
  });

  it("is available on every path and in every encoding, also conditionally", async () => {
    const a = await ready();
    await revoked(a);
    const der = await a.call("GET", "pki/crl", undefined, { token: "" });
    expect([
      der.headers.get("content-type"),
      der.headers.get("cache-control"),
      der.headers.get("last-modified"),
    ]).toEqual(["application/pkix-crl", "public, max-age=60", new Date(start).toUTCString()]);
    expect((await a.call("GET", "pki/issuer/root/crl/der")).bytes).toEqual(der.bytes);
    const pem = await a.call("GET", "pki/crl/pem");
    expect([
      pem.headers.get("content-type"),
      pem.text.startsWith("-----BEGIN X509 CRL-----"),
      pem.text.endsWith("-----END X509 CRL-----"),
    ]).toEqual(["application/x-pem-file", true, true]);
    expect((await a.call("GET", "pki/issuer/root/crl/pem")).text).toBe(pem.text);
    expect((await a.call("GET", "pki/issuer/root/crl")).data).toEqual({ crl: `${pem.text}\n` });
    const etag = der.headers.get("etag") ?? "";
    // built twice in this second, so the date alone does not identify the CRL
    for (const header of [
      { "if-none-match": etag },
      { "if-modified-since": new Date(start + 1000).toUTCString() },
    ]) {
      const same = await a.call("GET", "pki/crl", undefined, { header });
      expect([same.status, same.text]).toEqual([304, ""]);
    }
    expect(
      (await a.call("GET", "pki/crl", undefined, { header: { "if-modified-since": "whenever" } }))
        .status,
    ).toBe(200);
    expect(
      (
        await a.call("GET", "pki/crl", undefined, {
          header: { "if-modified-since": new Date(start - 1000).toUTCString() },
        })
      ).status,
    ).toBe(200);
    expect(await a.pki.readIssuerCrlDer({ issuer_ref: "root" })).toEqual(der.bytes);
    expect(await a.pki.readIssuerCrlPem({ issuer_ref: "root" })).toContain("BEGIN X509 CRL");
    expect(await a.pki.readCrl({})).toEqual(der.bytes);
  });

  it("does not exist for an issuer without a key", async () => {
    const a = await ready();
    const { certificate } = await authority({ seed: 9 }).root({ common_name: "Foreign" });
    const [id = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
    expect((await a.call("GET", `pki/issuer/${id}/crl`)).data).toEqual({ crl: "" });
    for (const path of ["crl/der", "crl/pem"])
      expect((await a.call("GET", `pki/issuer/${id}/${path}`)).status).toBe(204);
  });

  it("B 1.8 rule 1: is shared by issuers with the same key and subject, and by no others", async () => {
    const a = await ready();
    const two = await a.intermediate({}, {});
    await a.role("low", { issuer_ref: two.id });
    const again = await a.pki.setSigned({
      certificate: (await a.pki.signIntermediate({ csr: two.csr, common_name: "Intermediate CA" }))
        .certificate,
    });
    const { serial_number } = await a.pki.issue({ role: "low", common_name: "b.test" });
    await a.pki.revoke({ serial_number });
    expect(serials(await crlOf(a))).toEqual([]);
    const paths = [two.id, again.imported_issuers?.[0] ?? ""].map(
      (id) => `pki/issuer/${id}/crl/der`,
    );
    const [one, other] = [await crlOf(a, paths[0]), await crlOf(a, paths[1])];
    expect(equalBytes(one.der, other.der)).toBe(true);
    expect(serials(one)).toEqual([serial_number.replaceAll(":", "")]);
  });

  it("is published in pieces under its number, and served from the rows if the publication is lost", async () => {
    const a = await ready();
    await revoked(a);
    const key = [...a.published.keys()].at(-1) ?? "";
    expect(key).toMatch(/^[0-9a-f-]{36}\/crl\/[0-9a-f]{16}\/0000000002\/00000$/);
    const { bytes } = await a.call("GET", "pki/crl");
    expect(a.published.get(key)).toEqual(bytes);
    a.published.clear();
    a.clock.advance(5);
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(bytes);
  });

  it("is rebuilt by rotation with the next number, and only the last two numbers are kept", async () => {
    const a = await ready();
    for (let i = 0; i < 3; i++)
      expect((await a.call("GET", "pki/crl/rotate")).data).toEqual({ success: true });
    expect(numberOf(await crlOf(a))).toBe(4);
    const rows = await a.stores(await nameOf(a)).list("crl/");
    expect(rows.map(([key]) => key.split("/")[2])).toEqual(["0000000003", "0000000004"]);
  });

  it("combines many concurrent revocations into few builds", async () => {
    const a = await ready();
    const list = await Promise.all(Array.from({ length: 20 }, () => issued(a)));
    const before = numberOf(await crlOf(a));
    const replies = await Promise.all(list.map((serial_number) => a.pki.revoke({ serial_number })));
    expect(
      replies.every((reply) => reply.state === "revoked" && warningsOf(reply).length === 0),
    ).toBe(true);
    const crl = await crlOf(a);
    expect(serials(crl)).toHaveLength(20);
    expect(numberOf(crl) - before).toBeLessThanOrEqual(4);
    expect(await jobs(a)).toEqual(["crl-renewal"]);
  });
});

describe("disabled CRLs", () => {
  it("B 1.8 rule 12, B 1.9 disable: one empty CRL is built, and no other until they are enabled, with all entries", async () => {
    const a = await ready();
    const first = await revoked(a);
    await a.pki.writeCrlConfig({ disable: true });
    const empty = await crlOf(a);
    expect([serials(empty), numberOf(empty)]).toEqual([[], 3]);
    const second = await revoked(a);
    expect(warningsOf(second.reply)).toEqual([]);
    await a.call("GET", "pki/crl/rotate");
    expect((await crlOf(a)).der).toEqual(empty.der);
    expect((await a.pki.listRevoked({})).keys).toHaveLength(2);
    await a.pki.writeCrlConfig({ disable: false });
    expect(serials(await crlOf(a))).toEqual([first.serial, second.serial].sort());
  });
});

describe("auto_rebuild", () => {
  it("delays a CRL until its schedule, when a job builds it and schedules the next", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({
      auto_rebuild: true,
      expiry: "10h",
      auto_rebuild_grace_period: "1h",
    });
    await a.pki.rotateCrl({});
    const { serial } = await revoked(a);
    expect(serials(await crlOf(a))).toEqual([]);
    a.clock.advance(9 * 3600 - 1);
    expect(await a.ca.tick()).toBe(start + 9 * 3600 * 1000);
    expect(serials(await crlOf(a))).toEqual([]);
    a.clock.advance(1);
    expect(await a.ca.tick()).toBe(start + 18 * 3600 * 1000);
    const crl = await crlOf(a);
    expect([serials(crl), crl.nextUpdate]).toEqual([[serial], now + 19 * 3600]);
    expect(a.wakes.at(-1)).toBe(start + 18 * 3600 * 1000);
  });

  it("still builds a CRL if the grace period was shortened meanwhile", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({
      auto_rebuild: true,
      expiry: "10h",
      auto_rebuild_grace_period: "5h",
    });
    await a.pki.rotateCrl({});
    await a.pki.writeCrlConfig({ auto_rebuild_grace_period: "1h" });
    const before = numberOf(await crlOf(a));
    a.clock.advance(5 * 3600);
    expect(await a.ca.tick()).toBe(start + 9 * 3600 * 1000);
    expect(numberOf(await crlOf(a))).toBe(before);
    a.clock.advance(4 * 3600);
    await a.ca.tick();
    expect(numberOf(await crlOf(a))).toBe(before + 1);
  });

  it("schedules a CRL when enabled, builds it when disabled, and reschedules it when the grace period gets longer", async () => {
    const a = await ready();
    const number = async () => numberOf(await crlOf(a));
    const first = await number();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    expect([await number(), a.wakes.at(-1)]).toEqual([first, start + 60 * 3600 * 1000]);
    await a.pki.writeCrlConfig({ auto_rebuild_grace_period: "20h" });
    a.clock.advance(52 * 3600 - 1);
    expect(await a.ca.tick()).toBe(start + 52 * 3600 * 1000);
    expect(await number()).toBe(first);
    a.clock.advance(1);
    await a.ca.tick();
    expect(await number()).toBe(first + 1);
    const { serial } = await revoked(a);
    expect(serials(await crlOf(a))).toEqual([]);
    await a.pki.writeCrlConfig({ auto_rebuild: false });
    expect([await number(), serials(await crlOf(a))]).toEqual([first + 2, [serial]]);
    // the CRL is close to its expiry already
    a.clock.advance(71 * 3600);
    await a.pki.writeCrlConfig({ auto_rebuild: true, auto_rebuild_grace_period: "2h" });
    await a.ca.tick();
    expect(await number()).toBe(first + 3);
  });

  it("names the delta CRL URLs of the issuer's settings in the CRL", async () => {
    const a = await ready();
    const points = async () => {
      await a.pki.rotateCrl({});
      const { extensions } = await crlOf(a);
      const found = extensions.find(({ oid }) => oid === extensionOid.freshestCrl);
      return found && [found.critical, ...readCrlDistributionPoints(found.value)];
    };
    expect(await points()).toBeUndefined();
    await a.pki.writeUrls({ delta_crl_distribution_points: "http://d.test/delta" });
    expect(await points()).toEqual([false, "http://d.test/delta"]);
    await a.pki.writeUrls({
      enable_templating: true,
      delta_crl_distribution_points: "{{cluster_path}}/delta",
    });
    expect(await points()).toBeUndefined();
    await a.pki.writeCluster({ path: "https://ca.test/v1/pki" });
    expect(await points()).toEqual([false, "https://ca.test/v1/pki/delta"]);
  });

  it("has one job for the next CRL after a rotation", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    for (let i = 0; i < 3; i++) {
      a.clock.advance(10);
      await a.pki.rotateCrl({});
    }
    expect(await jobs(a)).toEqual(["crl-renewal"]);
  });
});

describe("a failed CRL build", () => {
  it("keeps the previous CRL if it is too long, and every revocation succeeds with a warning", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ max_crl_entries: 1 });
    const first = await revoked(a);
    const second = await revoked(a);
    expect(warningsOf(second.reply)).toEqual([
      "Warning 1 during CRL rebuild: CRL would contain 2 entries, more than max_crl_entries (1)",
    ]);
    expect(serials(await crlOf(a))).toEqual([first.serial]);
    expect((await a.pki.listRevoked({})).keys).toHaveLength(2);
    const rotated = await a.call("GET", "pki/crl/rotate", undefined, { compat: true });
    expect(rotated.json["warnings"]).toEqual([
      "Warning 1 during CRL rebuild: CRL would contain 2 entries, more than max_crl_entries (1)",
    ]);
    await a.pki.writeCrlConfig({ max_crl_entries: 2 });
    a.clock.advance(60);
    await a.ca.tick();
    expect(serials(await crlOf(a))).toEqual([first.serial, second.serial].sort());
  });

  it("is reported by sys/health to anyone, until it succeeds or the mount is deleted", async () => {
    const a = await ready();
    const warnings = async () => {
      a.clock.advance(1);
      return (await a.call("GET", "sys/health", undefined, { token: "" })).json["warnings"];
    };
    const told = [
      "A CRL is no longer updated, because it would have more entries than max_crl_entries allows.",
    ];
    expect(await warnings()).toBeUndefined();
    await a.pki.writeCrlConfig({ max_crl_entries: 0 });
    await revoked(a);
    expect(await warnings()).toEqual(told);
    await revoked(a);
    expect(await warnings()).toEqual(told);
    await a.pki.writeCrlConfig({ max_crl_entries: 2 });
    await a.pki.rotateCrl({});
    expect(await warnings()).toBeUndefined();
    await revoked(a);
    expect(await warnings()).toEqual(told);
    await a.sys.deleteMount({ path: "pki" });
    expect(await warnings()).toBeUndefined();
  });

  it("is reported by every revocation, even with auto_rebuild", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ max_crl_entries: 0, auto_rebuild: true });
    expect(warningsOf((await revoked(a)).reply)).toEqual([]);
    await a.call("GET", "pki/crl/rotate");
    const told =
      "A CRL is no longer updated, because it would have more entries than max_crl_entries allows.";
    for (let i = 0; i < 2; i++) expect(warningsOf((await revoked(a)).reply)).toEqual([told]);
    await a.pki.writeCrlConfig({ max_crl_entries: -1 });
    await a.pki.rotateCrl({});
    expect(warningsOf((await revoked(a)).reply)).toEqual([]);
  });

  it("is repeated as soon as the limit allows the CRL, even with auto_rebuild", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ max_crl_entries: 0, auto_rebuild: true });
    const { serial } = await revoked(a);
    await a.pki.rotateCrl({});
    expect(serials(await crlOf(a))).toEqual([]);
    await a.pki.writeCrlConfig({ max_crl_entries: 1 });
    expect(serials(await crlOf(a))).toEqual([serial]);
  });

  it("reveals no internal error", async () => {
    const a = await ready();
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const store = a.stores(uuid);
    const { list } = store;
    store.list = () => Promise.reject(new Error("inside: /path/of/a/file"));
    const reply = await a.pki.revoke({ serial_number });
    store.list = list;
    expect(warningsOf(reply)).toEqual(["Warning 1 during CRL rebuild: the CRL could not be built"]);
  });

  it("is logged if only the publication failed, and the CRL is served from the store", async () => {
    let broken = false;
    const kept = new Map<string, Uint8Array>();
    const put = async (key: string, bytes: Uint8Array): Promise<void> => {
      if (broken) throw new Error("the bucket is away");
      kept.set(key, bytes);
    };
    const a = await ready({ publish: { put, get: async (key) => kept.get(key) } });
    broken = true;
    const { serial, reply } = await revoked(a);
    expect(warningsOf(reply)).toEqual([]);
    expect(a.events.find((event) => event.endpoint === "publish crl")).toMatchObject({
      status: 500,
      cause: new Error("the bucket is away"),
    });
    expect(serials(await crlOf(a))).toEqual([serial]);
  });

  it("leaves the revocation in force with a warning, and a job builds the CRL later", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    fail.on = true;
    const { serial, reply } = await revoked(a);
    expect(warningsOf(reply)).toHaveLength(1);
    expect(a.wakes.at(-1)).toBe(start + 5000);
    expect(serials(await crlOf(a))).toEqual([]);
    a.clock.advance(10);
    expect(await a.ca.tick()).toBe(a.clock.now + 30_000);
    expect(a.events.at(-1)).toMatchObject({ endpoint: "job crl", status: 500 });
    fail.on = false;
    a.clock.advance(30);
    expect(await a.ca.tick()).toBe(a.clock.now + 60 * 3600 * 1000);
    a.clock.advance(2);
    expect(serials(await crlOf(a))).toEqual([serial]);
  });
});

describe("an issuer that may not sign CRLs", () => {
  it("B 1.8 rule 2: gets no CRL, and every revocation and rotation warns", async () => {
    const a = authority();
    const key = await keyOf("P-384");
    const { csr } = await a.pki.generateIntermediate({ common_name: "No lists", key_type: "ec" });
    const algorithm = algorithmIdentifier(key.scheme);
    const { subject, spki } = parseCsr(derOf(csr));
    const extensions = defined([
      basicConstraints(true),
      keyUsage(["CertSign"]),
      subjectKeyIdentifier(Uint8Array.of(1)),
    ]);
    const tbs = encodeTbsCertificate({
      serial: Uint8Array.of(9),
      algorithm,
      issuer: encodeName(commonName("Outside")),
      notBefore: now - 10,
      notAfter: now + 1e7,
      subject,
      spki,
      extensions,
    });
    const [id = ""] =
      (
        await a.pki.setSigned({
          certificate: encodePem(
            "CERTIFICATE",
            assembleSigned(tbs, algorithm, await key.sign(tbs)),
          ),
        })
      ).imported_issuers ?? [];
    await a.role("web");
    const text = `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${id}`;
    const { reply } = await revoked(a);
    expect(warningsOf(reply)).toEqual([text]);
    expect(warningsOf(await a.pki.rotateCrl({}))).toEqual([text]);
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
  });
});

describe("the job table", () => {
  it("contains only the next renewal after every successful build, even if a job runs twice", async () => {
    const a = await ready();
    const { serial } = await revoked(a);
    expect([await a.ca.tick(), await jobs(a)]).toEqual([start + 60 * 3600 * 1000, ["crl-renewal"]]);
    const name = await nameOf(a);
    const set = (await a.stores(name).list("crlstate/"))[0]?.[0].slice("crlstate/".length) ?? "";
    const before = numberOf(await crlOf(a));
    await Promise.all([a.ca.run(name, "crl", set), a.ca.run(name, "crl", set)]);
    expect(await jobs(a)).toEqual(["crl-renewal"]);
    a.clock.advance(1);
    const crl = await crlOf(a);
    expect([serials(crl), numberOf(crl) > before]).toEqual([[serial], true]);
    await expect(a.ca.run(name, "nothing", "x")).rejects.toThrow(TypeError);
  });
});
