import { describe, expect, it } from "vitest";
import { certificateNames, parseCertificate } from "../../src/x509/certificate.ts";
import { serialText } from "../../src/base/ids.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { keys } from "../../src/pki/rows/records.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { oid, sequence, set } from "../../src/base/der.ts";
import { encodeName } from "../../src/x509/name.ts";
import { nameOid } from "../../src/x509/oid.ts";
import { commonName } from "../x509/fixture.ts";
import { certificate } from "../net/tls-fixture.ts";
import { decodePem } from "../../src/base/pem.ts";
import { hashCheaply } from "../support/cheap-passwords.ts";
import {
  alice,
  ask,
  bodyOf,
  certificatesIn,
  enrolled,
  world,
  type Wanted,
  type World,
} from "./world.ts";

hashCheaply();

const path = "/.well-known/est/simplereenroll";
const names = { dns: ["device.example", "a.example"], ip: ["192.0.2.7"] };
const asked: Wanted = { names };

/** Returns the number of certificates in the mount. */
const count = async ({ a }: World): Promise<number> => (await a.pki.listCerts({})).keys.length;
/** Renews with a client certificate and HTTP Basic, and asserts that no certificate is issued. */
async function refusedFor(
  w: World,
  shown: readonly Uint8Array[],
  wanted: Wanted = asked,
): Promise<readonly [number, string]> {
  const before = await count(w);
  const answer = await ask(w.a, path, {
    tlsChain: shown,
    basic: alice,
    body: await bodyOf(wanted),
  });
  expect(await count(w)).toBe(before);
  return [answer.status, answer.text.trim()];
}
const cannot = (why: string) => [403, `the TLS client certificate cannot be renewed here: ${why}`];
const serialOf = (der: Uint8Array): string => serialText(parseCertificate(der).serial);

describe("security row 52: EST renewal (estReenroll)", () => {
  it("returns a new certificate for the same key or a new one", async () => {
    const w = await world();
    const { der, key } = await enrolled(w, asked);
    for (const wanted of [asked, { ...asked, key }]) {
      const answer = await ask(w.a, path, { tlsChain: [der], body: await bodyOf(wanted) });
      const [own] = certificatesIn(answer);
      expect(own && certificateNames(own)).toMatchObject({ common: ["device.example"] });
      expect(own && serialText(own.serial)).not.toBe(serialOf(der));
    }
    const { revocation_time } = await w.a.pki.readCert({ serial: serialOf(der) });
    expect(revocation_time).toBe(0);
  });

  it("uses the partition of the old certificate, whose revocation prevents renewal", async () => {
    const w = await world({}, { stores: partitionedStores(4).stores });
    const { placeOf } = placementOf(pkiPlacement, 4);
    const placeIn = (der: Uint8Array) => placeOf(keys.cert(parseCertificate(der).serial));
    const places = new Set<unknown>();
    for (let n = 0; n < 12; n++) {
      const { der } = await enrolled(w, asked);
      const body = await bodyOf(asked);
      const [own] = certificatesIn(await ask(w.a, path, { tlsChain: [der], body }));
      expect(own && placeIn(own.der)).toBe(placeIn(der));
      places.add(placeIn(der));
      await w.a.pki.revoke({ serial_number: serialOf(der) });
      const again = await ask(w.a, path, { tlsChain: [der], basic: alice, body });
      expect(again.status).toBe(403);
    }
    expect(places.size).toBeGreaterThan(1);
  });

  it("accepts a renewed certificate, on every path", async () => {
    const w = await world();
    let { der } = await enrolled(w, asked);
    await w.a.call("POST", "sys/policies/acl/device", {
      policy:
        'path "pki/+/+/est/simplereenroll" { capabilities = ["create", "update"] }\npath "pki/est/simplereenroll" { capabilities = ["create", "update"] }',
    });
    for (const base of [
      "/v1/pki/est",
      "/v1/pki/roles/web/est",
      "/.well-known/est",
      "/.well-known/est/dev",
    ]) {
      w.a.clock.advance(2);
      const answer = await ask(w.a, `${base}/simplereenroll`, {
        tlsChain: [der],
        body: await bodyOf(asked),
      });
      der = certificatesIn(answer)[0]?.der ?? der;
    }
    expect(await count(w)).toBe(6);
  });

  it("accepts the names in any order", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    const wanted = { names: { ...names, dns: [...names.dns].reverse() } };
    expect(
      certificatesIn(await ask(w.a, path, { tlsChain: [der], body: await bodyOf(wanted) })),
    ).toHaveLength(1);
  });

  it("accepts a CSR without names if the certificate has only that of its common name", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    const [own] = certificatesIn(await ask(w.a, path, { tlsChain: [der], body: await bodyOf({}) }));
    expect(own && certificateNames(own).dns).toEqual(["device.example"]);
    const [status] = await refusedFor(w, [der], { names: { dns: ["other.example"] } });
    expect(status).toBe(400);
  });

  it.each<[string, Wanted]>([
    ["the subject", { ...asked, name: "other.example" }],
    ["the subject", { ...asked, name: "DEVICE.example" }],
    [
      "the subject",
      {
        ...asked,
        subject: [
          [{ oid: nameOid.organization, value: "x" }],
          [{ oid: nameOid.commonName, value: "device.example" }],
        ],
      },
    ],
    ["the alternative names", { names: {} }],
    ["the alternative names", { names: { ...names, dns: [...names.dns, "b.example"] } }],
    ["the alternative names", { names: { dns: names.dns } }],
    ["the alternative names", { names: { ...names, ip: ["192.0.2.8"] } }],
    ["the alternative names", { names: { ...names, email: ["a@example.com"] } }],
  ])("rejects a CSR if %s differ from those of the certificate: %#", async (what, wanted) => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    const [status, text] = await refusedFor(w, [der], wanted);
    expect([status, text]).toEqual([400, expect.stringContaining(`${what} of the CSR`)]);
  });

  it("rejects a CSR that requests another subject (RFC 6402)", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    const changed = sequence(encodeName(commonName("other.example")));
    const attribute = sequence(oid("1.3.6.1.5.5.7.7.36"), set(changed));
    expect(await refusedFor(w, [der], { attribute })).toEqual([
      400,
      "the CSR requests a different subject (ChangeSubjectName), but renewal cannot change the subject; enroll instead",
    ]);
  });

  it("requires a client certificate, which is the one to renew", async () => {
    const w = await world();
    const told = "present the certificate to be renewed as the TLS client certificate\n";
    for (const tlsChain of [undefined, []]) {
      const shown = tlsChain ? { tlsChain } : {};
      const body = await bodyOf(asked);
      const signedIn = await ask(w.a, path, { ...shown, basic: alice, body });
      expect([signedIn.status, signedIn.text]).toEqual([403, told]);
      const nobody = await ask(w.a, path, { ...shown, body });
      expect([nobody.status, nobody.text, nobody.headers.has("www-authenticate")]).toEqual([
        401,
        "",
        true,
      ]);
    }
  });

  it("rejects a certificate of another CA with the same names and serial number", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    const { serial } = parseCertificate(der);
    const fake = await certificate({ name: "device.example", names, fields: { serial } });
    expect(await refusedFor(w, [fake.der])).toEqual(
      cannot("this mount did not issue it, or has not stored it"),
    );
  });

  it("rejects a certificate of another mount, and one that cannot be parsed", async () => {
    const w = await world();
    await w.a.call("POST", "sys/mounts/other", { type: "pki" });
    const other = w.a.ca.mount("other");
    await other.generateRoot({ common_name: "Root CA", key_type: "ec" });
    await other.writeRole({ name: "web", allow_any_name: true, key_type: "ec" });
    const { certificate: pem } = await other.issue({
      role: "web",
      common_name: "device.example",
      alt_names: "a.example",
      ip_sans: ["192.0.2.7"],
    });
    const [block] = decodePem(pem);
    expect(await refusedFor(w, block ? [block.der] : [])).toEqual(
      cannot("this mount did not issue it, or has not stored it"),
    );
    expect(await refusedFor(w, [Uint8Array.of(1, 2, 3)])).toEqual(cannot("it cannot be parsed"));
  });

  it("rejects a certificate that the mount has not stored", async () => {
    const w = await world();
    await w.a.role("web", { no_store: true });
    const { der } = await enrolled(w, asked);
    expect(await refusedFor(w, [der])).toEqual(
      cannot("this mount did not issue it, or has not stored it"),
    );
  });

  it("rejects a certificate whose issuer is no longer in the mount", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    await w.a.pki.deleteIssuer({ issuer_ref: "root" });
    expect(await refusedFor(w, [der])).toEqual(
      cannot("this mount did not issue it, or has not stored it"),
    );
  });

  it("rejects a revoked certificate, for both ways to authenticate", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    await w.a.pki.revoke({ serial_number: serialOf(der) });
    expect(await refusedFor(w, [der])).toEqual(cannot("it is revoked"));
    const byCertificate = await ask(w.a, path, { tlsChain: [der], body: await bodyOf(asked) });
    expect(byCertificate.status).toBe(401);
  });

  it("rejects a certificate that is revoked during its renewal", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    const { stores } = w.a;
    const { uuid } = ((await w.a.call("GET", "sys/mounts")).data["pki/"] ?? {}) as {
      readonly uuid: string;
    };
    const store = stores(uuid);
    const { commit } = store;
    let raced = false;
    // the revocation is committed between the verification of the certificate and the commit of the
    // new one
    store.commit = async (batch) => {
      if (!raced && batch.put?.some(([key]) => key.startsWith("cert/"))) {
        raced = true;
        await w.a.pki.revoke({ serial_number: serialOf(der) });
      }
      return commit.call(store, batch);
    };
    expect(await refusedFor(w, [der])).toEqual(cannot("it is revoked"));
    expect(raced).toBe(true);
  });

  it("rejects a certificate whose issuer is revoked", async () => {
    const w = await world();
    const middle = await w.a.intermediate();
    await w.a.role("web", { issuer_ref: middle.id });
    const { der } = await enrolled(w, asked);
    await w.a.call("POST", `pki/issuer/${middle.id}/revoke`);
    await w.a.role("web", { issuer_ref: "root" });
    expect(await refusedFor(w, [der])).toEqual(cannot("its issuer is revoked"));
  });

  it("rejects a certificate outside its validity", async () => {
    const w = await world();
    await w.a.role("web", { ttl: 3600, server_flag: false });
    const { der } = await enrolled(w, asked);
    w.a.clock.advance(3600);
    expect(
      (await ask(w.a, path, { tlsChain: [der], basic: alice, body: await bodyOf(asked) })).status,
    ).toBe(200);
    w.a.clock.advance(1);
    expect(await refusedFor(w, [der])).toEqual(cannot("it has expired"));
    w.a.clock.advance(-7200);
    expect(await refusedFor(w, [der])).toEqual(cannot("it is not valid yet"));
  });

  it("rejects a CA certificate", async () => {
    const w = await world();
    const middle = await w.a.intermediate({ common_name: "device.example" });
    const [block] = decodePem(middle.certificate);
    expect(await refusedFor(w, block ? [block.der] : [], {})).toEqual(
      cannot("it is a CA certificate"),
    );
  });

  it("rejects a CSR with names that the role no longer allows", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    await w.a.role("web", {
      allow_any_name: false,
      allowed_domains: ["device.example"],
      allow_bare_domains: true,
    });
    const [status, text] = await refusedFor(w, [der]);
    expect([status, text]).toEqual([400, expect.stringContaining("not allowed by this role")]);
  });

  it("requires a policy for renewal, and returns 404 while EST is disabled", async () => {
    const w = await world();
    const { der } = await enrolled(w, asked);
    await w.a.call("POST", "sys/policies/acl/device", {
      policy: 'path "pki/roles/web/est/simpleenroll" { capabilities = ["create", "update"] }',
    });
    w.a.clock.advance(2);
    expect((await refusedFor(w, [der]))[0]).toBe(403);
    await w.a.call("POST", "pki/config/est", { enabled: false });
    const off = await ask(w.a, "/v1/pki/est/simplereenroll", {
      tlsChain: [der],
      body: await bodyOf(asked),
    });
    expect(off.status).toBe(404);
  });
});
