import { describe, expect, it } from "vitest";
import { memoryStore, type Store } from "../../../src/index.ts";
import type { RevokedRow } from "../../../src/pki/rows/records.ts";
import { ageRevocation, hour, keyOf, tidying } from "./tidying.ts";

describe("tidying issuers", () => {
  it("B 3.1 tidy_expired_issuers, B 3.1 issuer_safety_buffer, B 3.1 expired issuers: removes expired issuers except the default, rebuilds CRLs, and keeps their keys", async () => {
    const { a, tidy } = await tidying();
    const short = await a.root({ common_name: "Short", issuer_name: "short", ttl: "10h" });
    const below = await a.intermediate({ issuer_ref: "short", ttl: "5h" });
    const keys = (await a.call("LIST", "pki/keys")).data["keys"];
    a.clock.advance(10 * hour + 8760 * hour - 60);
    await tidy({ tidy_expired_issuers: true });
    expect((await a.call("LIST", "pki/issuers")).data["keys"]).not.toContain(below.id);
    expect((await a.call("LIST", "pki/issuers")).data["keys"]).toContain(short.issuer_id);
    const before = (await a.pki.readIssuerCrl({ issuer_ref: "root" })).crl;
    a.clock.advance(120);
    await tidy({ tidy_expired_issuers: true });
    expect((await a.call("GET", "pki/issuer/short")).status).toBe(404);
    expect((await a.call("LIST", "pki/keys")).data["keys"]).toEqual(keys);
    expect((await a.pki.readIssuerCrl({ issuer_ref: "root" })).crl).not.toBe(before);
    expect(a.events).toContainEqual(
      expect.objectContaining({
        endpoint: "job tidy",
        fields: { removed_issuer: short.issuer_id, issuer_name: "short" },
      }),
    );
    a.clock.advance(100_000 * hour);
    await tidy({ tidy_expired_issuers: true, issuer_safety_buffer: 1 });
    expect((await a.call("GET", "pki/issuer/default")).data["issuer_name"]).toBe("root");
  });

  it("keeps an issuer that has just become the default", async () => {
    const { a, tidy } = await tidying();
    await a.root({ common_name: "Short", issuer_name: "short", ttl: "10h" });
    a.clock.advance(9000 * hour);
    await a.pki.writeIssuersConfig({ default: "short" });
    await tidy({ tidy_expired_issuers: true });
    expect((await a.call("GET", "pki/issuer/short")).status).toBe(200);
  });
});

describe("tidying the issuers of revocations", () => {
  it("B 3.1 tidy_revoked_cert_issuer_associations, B 3.1 issuer associations: finds another issuer with the same key and subject, and counts missing ones", async () => {
    const { a, issue, revoke, store, tidy } = await tidying();
    const first = (await a.call("GET", "pki/issuer/root")).data;
    const [serial = "", other = ""] = await issue(2);
    await revoke([serial, other]);
    const key = keyOf("revoked/", serial);
    const held = async () => (await store.get([key]))[0]?.value as RevokedRow;
    const { issuer, ...rest } = await held();
    expect(issuer).toBe(first["issuer_id"]);
    // the same certificate again, with another id
    await a.pki.deleteIssuer({ issuer_ref: "root" });
    expect(await tidy({ tidy_revoked_cert_issuer_associations: true })).toMatchObject({
      missing_issuer_cert_count: 2,
    });
    expect((await held()).issuer).toBe("");
    const { imported_issuers } = await a.pki.importBundle({
      pem_bundle: String(first["certificate"]),
    });
    const anew = imported_issuers?.[0];
    expect(await tidy({ tidy_revoked_cert_issuer_associations: true })).toMatchObject({
      missing_issuer_cert_count: 2,
    });
    expect(await held()).toEqual({ ...rest, issuer: anew });
    expect((await a.pki.readCert({ serial })).issuer_id).toBe(anew);
    expect(await tidy({ tidy_revoked_cert_issuer_associations: true })).toMatchObject({
      missing_issuer_cert_count: 0,
    });
    // rows indexed by expiry are still found
    const listed = await store.list("revoked/", { by: { name: "revoked_end" }, values: false });
    expect(listed.map(([name]) => name)).toContain(key);
  });
});

describe("tidying invalid certificates", () => {
  it("B 3.1 tidy_invalid_certs: removes damaged certificates, which no other operation does, and keeps revocations", async () => {
    const { a, issue, revoke, store, keys, tidy } = await tidying();
    const serials = await issue(8, "9000h");
    const [altered = "", cut = "", revoked = "", old = ""] = serials;
    await revoke([revoked, old]);
    for (const serial of [altered, cut, revoked, old]) {
      const [row] = await store.get([keyOf("cert/", serial)]);
      const value = row?.value as { readonly der: Uint8Array };
      const der = serial === altered ? value.der.map((byte) => byte ^ 1) : value.der.subarray(9);
      await store.commit({ put: [[keyOf("cert/", serial), { ...value, der }]] });
    }
    await ageRevocation(store, old);
    expect(await tidy({ tidy_cert_store: true })).toMatchObject({ cert_store_deleted_count: 0 });
    expect(await tidy({ tidy_invalid_certs: true, page_size: 5 })).toMatchObject({
      cert_store_deleted_count: 3,
    });
    const left = await keys("cert/");
    for (const serial of [altered, cut, revoked])
      expect(left).not.toContain(keyOf("cert/", serial));
    expect(left).toContain(keyOf("cert/", old));
    expect(await keys("revoked/")).toHaveLength(2);
    expect((await a.pki.listRevoked({})).keys).toContain(revoked);
    expect(await tidy({ tidy_invalid_certs: true })).toMatchObject({ cert_store_deleted_count: 0 });
  });

  it("B 3.1 tidy_invalid_certs: keeps certificates that the storage temporarily failed to return", async () => {
    const inner = memoryStore();
    let failing = false;
    const stores = (name: string): Store => ({
      ...inner(name),
      list: (prefix, page) => inner(name).list(prefix, page),
      commit: (batch) => inner(name).commit(batch),
      get: async (names) => {
        if (failing && names.some((key) => key.startsWith("cert/"))) throw new Error("disk");
        if (names.some((key) => key.startsWith("revoked/"))) failing = false;
        return inner(name).get(names);
      },
    });
    const { issue, keys, tidy, a, finish } = await tidying({ stores });
    await issue(3);
    const before = await keys("cert/");
    expect((await a.call("POST", "pki/tidy", { tidy_invalid_certs: true })).status).toBe(202);
    failing = true;
    expect(await finish()).toMatchObject({ state: "Finished", cert_store_deleted_count: 0 });
    expect(await keys("cert/")).toEqual(before);
    expect(failing).toBe(false);
    expect(await tidy({ tidy_invalid_certs: true })).toMatchObject({ cert_store_deleted_count: 0 });
  });
});

describe("tidying metadata", () => {
  it("B 3.1 tidy_cert_metadata: removes the metadata of expired certificates", async () => {
    const { a, keys, tidy } = await tidying();
    for (const ttl of ["1h", "2h", "900h"])
      await a.pki.issue({
        role: "web",
        common_name: "m.test",
        ttl,
        metadata: btoa(ttl),
      });
    expect(await keys("metadata/")).toHaveLength(3);
    a.clock.advance(75 * hour);
    expect(await tidy({ tidy_cert_metadata: true, page_size: 5 })).toMatchObject({
      cert_metadata_deleted_count: 2,
      cert_store_deleted_count: 0,
    });
    expect(await keys("metadata/")).toHaveLength(1);
  });
});

describe("tidy operations without rows", () => {
  it("B 3.1 tidy_acme, B 3.1 tidy_move_legacy_ca_bundle, B 3.1 tidy_cross_cluster_revoked_certs, B 3.1 tidy_cmpv2_nonce_store: are accepted and count 0", async () => {
    const { a, issue, revoke, keys, tidy } = await tidying();
    await revoke(await issue());
    a.clock.advance(100 * hour);
    const rows = async () => [await keys("cert/"), await keys("revoked/"), await keys("issuer/")];
    const before = await rows();
    expect(
      await tidy({
        tidy_acme: true,
        tidy_move_legacy_ca_bundle: true,
        tidy_cross_cluster_revoked_certs: true,
        tidy_cmpv2_nonce_store: true,
      }),
    ).toMatchObject({
      state: "Finished",
      tidy_acme: true,
      total_acme_account_count: 0,
      acme_orders_deleted_count: 0,
      cross_revoked_cert_deleted_count: 0,
      cmpv2_nonce_deleted_count: 0,
    });
    expect(await rows()).toEqual(before);
  });
});
