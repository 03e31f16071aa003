import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { oid, sequence, utf8String } from "../../src/base/der.ts";
import { certificateNames, deviceNamesOf, findExtension } from "../../src/x509/certificate.ts";
import { encodeDeviceName } from "../../src/x509/device-name.ts";
import { nameText } from "../../src/x509/name.ts";
import { extensionOid, nameOid } from "../../src/x509/oid.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import {
  crlDistributionPoints,
  freshestCrl,
  authorityInfoAccess,
} from "../../src/x509/distribution-points.ts";
import { extKeyUsage, keyUsage, readExtKeyUsage } from "../../src/x509/usage.ts";
import { commonName } from "../x509/fixture.ts";
import { newKey } from "../net/tls-fixture.ts";
import { hashCheaply } from "../support/cheap-passwords.ts";
import {
  alice,
  ask,
  bodyOf,
  certificatesIn,
  csrOf,
  enrolled,
  enrolling,
  inLines,
  world,
  type World,
} from "./world.ts";

hashCheaply();

const enrollment = "/.well-known/est/simpleenroll";
const natives = [
  "/v1/pki/est",
  "/v1/pki/roles/web/est",
  "/.well-known/est",
  "/.well-known/est/dev",
] as const;
/** Returns the number of certificates in the mount, and of tokens and entities of logins. */
async function kept({ a }: World) {
  const certificates = await a.pki.listCerts({});
  const sys = a.stores("sys");
  const [tokens, entities] = [await sys.list("token/"), await sys.list("entity/")];
  return {
    certificates: certificates.keys.length,
    tokens: tokens.length,
    entities: entities.length,
  };
}

describe("the EST paths", () => {
  it.each(natives)(
    "%s return the chain, accept a CSR, and have no attributes by default",
    async (base) => {
      const w = await world();
      // the user's policy also names the paths of the mount
      await w.a.call("POST", "sys/policies/acl/device", {
        policy: enrolling("pki/roles/web/est/simpleenroll", "pki/est/simpleenroll"),
      });
      const [ca, ...more] = certificatesIn(await ask(w.a, `${base}/cacerts`));
      expect([nameText(ca?.subject ?? new Uint8Array(0)), more]).toEqual(["CN=Root CA", []]);
      const key = await newKey();
      const names = { dns: ["a.example", "device.example"], ip: ["192.0.2.1"] };
      const body = await bodyOf({ key, names });
      const [own, ...others] = certificatesIn(
        await ask(w.a, `${base}/simpleenroll`, { basic: alice, body }),
      );
      expect(others).toEqual([]);
      expect(own?.spki).toEqual(key.key.spki);
      expect(own && certificateNames(own)).toMatchObject({
        common: ["device.example"],
        dns: ["a.example", "device.example"],
      });
      const none = await ask(w.a, `${base}/csrattrs`);
      expect([none.status, none.text]).toEqual([204, ""]);
      expect((await kept(w)).certificates).toBe(2);
    },
  );

  it("answer HEAD without a body, and return 405 for other methods", async () => {
    const { a } = await world();
    const head = await ask(a, "/.well-known/est/cacerts", { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([
      200,
      "",
      "application/pkcs7-mime; smime-type=certs-only",
    ]);
    for (const path of natives) {
      expect((await ask(a, `${path}/cacerts`, { method: "POST", body: "" })).status).toBe(405);
      expect((await ask(a, `${path}/simpleenroll`)).status).toBe(405);
      expect((await ask(a, `${path}/simpleenroll`, { method: "DELETE" })).status).toBe(405);
    }
  });

  it("do not exist for unsupported operations, nor for SCEP and CMP", async () => {
    const { a } = await world();
    const beside = ["fullcmc", "serverkeygen", "crts", "", "CACERTS", "cacerts/x"];
    for (const operation of beside)
      for (const base of natives) {
        const path = `${base}/${operation}`;
        const answer = await ask(a, path, {
          method: operation === "" ? "GET" : "POST",
          body: operation === "" ? undefined : "",
        } as object);
        expect([path, answer.status]).toEqual([path, 404]);
      }
    for (const path of ["cmp", "roles/web/cmp", "scep", "scep/pkiclient.exe", "roles/web/scep"])
      for (const method of ["GET", "POST"])
        expect([path, (await a.call(method, `pki/${path}`)).status]).toEqual([path, 404]);
    for (const path of ["config/cmp", "config/scep"])
      expect((await a.call("GET", `pki/${path}`)).status).toBe(404);
    for (const path of [
      "/.well-known/est",
      "/.well-known/est/other/cacerts",
      "/.well-known/est/DEV/cacerts",
      "/.well-known/est/d%65v/cacerts",
      "/.well-known/estx/cacerts",
    ])
      expect([path, (await ask(a, path)).status]).toEqual([path, 404]);
  });

  it("do not exist while EST is disabled, which the mount reports on its own paths", async () => {
    const { a } = await world({ enabled: false });
    for (const base of natives)
      for (const operation of ["cacerts", "csrattrs", "simpleenroll", "simplereenroll"]) {
        const asking = operation.startsWith("simple") ? { basic: alice, body: await bodyOf() } : {};
        expect((await ask(a, `${base}/${operation}`, asking)).status).toBe(404);
      }
    expect(await a.stores("sys").list("entity/")).toEqual([]);
    expect((await ask(a, "/v1/pki/est/cacerts")).text).toBe("EST is not enabled in this mount\n");
    expect((await ask(a, "/v1/pki/roles/web/est/cacerts")).text).toBe(
      "EST is not enabled in this mount\n",
    );
  });

  it("require default_path_policy if they do not name a role", async () => {
    const { a } = await world({ default_mount: false, default_path_policy: "" });
    const answer = await ask(a, "/v1/pki/est/cacerts");
    expect([answer.status, answer.text]).toEqual([
      404,
      "this mount has no default_path_policy; use the path of a role, roles/<name>/est\n",
    ]);
    expect((await ask(a, "/.well-known/est/cacerts")).status).toBe(404);
    expect((await ask(a, "/.well-known/est/dev/cacerts")).status).toBe(200);
    expect((await ask(a, "/v1/pki/roles/web/est/cacerts")).status).toBe(200);
  });

  it("(estCaCertificates) return an error for an unknown role or a missing issuer", async () => {
    const { a } = await world();
    const stray = await ask(a, "/v1/pki/roles/other/est/cacerts");
    expect([stray.status, stray.text]).toEqual([400, "unknown role: other\n"]);
    await a.call("POST", "sys/mounts/empty", { type: "pki" });
    await a.call("POST", "empty/roles/web", { allow_any_name: true });
    await a.call("POST", "empty/config/est", { enabled: true });
    const none = await ask(a, "/v1/empty/roles/web/est/cacerts");
    expect([none.status, none.text]).toEqual([404, "no default issuer currently configured\n"]);
  });

  it("return the chain of an intermediate up to its root, which openssl parses as PKCS#7", async () => {
    const w = await world();
    const middle = await w.a.intermediate();
    await w.a.role("below", { issuer_ref: middle.id });
    const { text } = await ask(w.a, "/v1/pki/roles/below/est/cacerts");
    const printed = execFileSync("openssl", ["pkcs7", "-inform", "DER", "-print_certs", "-noout"], {
      input: Buffer.from(text, "base64"),
      encoding: "utf8",
    });
    expect(printed.match(/^subject=.*$/gm)).toEqual([
      "subject=CN = Intermediate CA",
      "subject=CN = Root CA",
    ]);
  });

  it("(estCsrAttributes) return the attributes of config/est in DER", async () => {
    const { a } = await world({
      csr_attributes: [
        "1.2.840.113549.1.9.7",
        "1.2.840.10045.2.1=1.3.132.0.34",
        "1.2.840.10045.4.3.3",
      ],
    });
    const answer = await ask(a, "/.well-known/est/csrattrs");
    expect([
      answer.status,
      answer.headers.get("content-type"),
      answer.headers.get("content-transfer-encoding"),
    ]).toEqual([200, "application/csrattrs", "base64"]);
    // as in the example of RFC 7030 section 4.5.2, without its extension attribute
    const parsed = execFileSync("openssl", ["asn1parse", "-inform", "DER"], {
      input: Buffer.from(answer.text, "base64"),
      encoding: "utf8",
    });
    expect([...parsed.matchAll(/OBJECT +:(\S+)/g)].map(([, name]) => name)).toEqual([
      "challengePassword",
      "id-ecPublicKey",
      "secp384r1",
      "ecdsa-with-SHA384",
    ]);
  });
});

describe("a certificate issued by EST", () => {
  it("has the extended key usages of the role, and no unknown extensions of the CSR", async () => {
    const w = await world();
    const extensions = [
      extKeyUsage(["1.3.6.1.5.5.7.3.3"]),
      { oid: "1.2.3.4", critical: false, value: utf8String("x") },
    ];
    const body = await bodyOf({ names: { dns: ["device.example"] }, extensions });
    const [own] = certificatesIn(await ask(w.a, enrollment, { basic: alice, body }));
    if (!own) throw new Error("no certificate");
    const purposes = findExtension(own, extensionOid.extKeyUsage);
    expect(purposes && readExtKeyUsage(purposes.value)).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(findExtension(own, "1.2.3.4")).toBeUndefined();
  });

  it("has the subject and names of the CSR with sign-verbatim", async () => {
    const w = await world({ label_to_path_policy: { any: "sign-verbatim" } });
    await w.a.call("POST", "sys/policies/acl/device", {
      policy: enrolling("pki/est/simpleenroll"),
    });
    const subject = [
      [{ oid: nameOid.organization, value: "Acme" }],
      [{ oid: nameOid.commonName, value: "device 7" }],
    ];
    const body = await bodyOf({ subject, names: { email: ["a@example.com"] } });
    const [own] = certificatesIn(
      await ask(w.a, "/.well-known/est/any/simpleenroll", { basic: alice, body }),
    );
    expect([own && nameText(own.subject), own && certificateNames(own).email]).toEqual([
      "CN=device 7,O=Acme",
      ["a@example.com"],
    ]);
  });

  it("cannot name a device with sign-verbatim in a mount with ACME device attestation", async () => {
    const w = await world({ label_to_path_policy: { any: "sign-verbatim" } });
    const { a } = w;
    await a.call("POST", "sys/policies/acl/device", {
      policy: enrolling("pki/sign-verbatim/est/simpleenroll", "pki/est/simpleenroll"),
    });
    const name = { type: "permanent-identifier", value: "C02XG0FDJG5J" } as const;
    const value = sequence(encodeDeviceName(name));
    const names = { oid: extensionOid.subjectAltName, critical: false, value };
    const enrol = async () =>
      ask(a, "/.well-known/est/any/simpleenroll", {
        basic: alice,
        body: await bodyOf({ extensions: [names] }),
      });
    const [own] = certificatesIn(await enrol());
    expect(own && deviceNamesOf(own)).toEqual([name]);
    const { certificate } = await a.pki.generateRoot({ common_name: "Maker", key_type: "ec" });
    const written = await a.call("POST", "pki/config/acme", {
      challenge_types: ["http-01", "device-attest-01"],
      attestation_tpm_roots: certificate,
    });
    expect(written.status, written.text).toBe(200);
    const answer = await enrol();
    expect([answer.status, answer.text.trim()]).toEqual([
      400,
      "the CSR contains a device name (otherName 1.3.6.1.5.5.7.8.3), but in this mount, device names must be attested through ACME (device-attest-01)",
    ]);
  });

  it("has no revocation or URL extensions of the CSR and does not sign OCSP responses, with sign-verbatim", async () => {
    const w = await world({ label_to_path_policy: { any: "sign-verbatim" } });
    await w.a.call("POST", "sys/policies/acl/device", {
      policy: enrolling("pki/est/simpleenroll"),
    });
    const [client, signing, any] = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.9", "2.5.29.37.0"];
    const absent = { oid: extensionOid.ocspNoCheck, critical: false, value: Uint8Array.of(5, 0) };
    const extensions = [
      extKeyUsage([signing, client, any]),
      crlDistributionPoints(["http://evil.test/crl"]),
      freshestCrl(["http://evil.test/delta"]),
      authorityInfoAccess(["http://evil.test/ocsp"], ["http://evil.test/ca"]),
      absent,
      { ...absent, oid: extensionOid.noRevAvail },
    ].filter((extension) => extension !== undefined);
    const body = await bodyOf({ names: { dns: ["device.example"] }, extensions });
    const [own] = certificatesIn(
      await ask(w.a, "/.well-known/est/any/simpleenroll", { basic: alice, body }),
    );
    if (!own) throw new Error("no certificate");
    const purposes = findExtension(own, extensionOid.extKeyUsage);
    expect(purposes && readExtKeyUsage(purposes.value)).toEqual([client]);
    for (const { oid: id } of extensions.slice(1)) expect(findExtension(own, id)).toBeUndefined();
  });

  it.each([
    ["a CA", [basicConstraints(true)]],
    ["the key usage of a CA", [keyUsage(["CertSign"])]],
  ])("never has %s, with a role or with sign-verbatim", async (_, extensions) => {
    const w = await world({ label_to_path_policy: { any: "sign-verbatim", dev: "role:web" } });
    await w.a.call("POST", "sys/policies/acl/device", {
      policy: enrolling("pki/est/simpleenroll", "pki/roles/web/est/simpleenroll"),
    });
    for (const label of ["any", "dev"]) {
      const body = await bodyOf({ extensions });
      const answer = await ask(w.a, `/.well-known/est/${label}/simpleenroll`, {
        basic: alice,
        body,
      });
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringMatching(/of a CA|a CA certificate/),
      ]);
    }
    expect((await kept(w)).certificates).toBe(1);
  });

  it("follows the rules of the role for names, keys and the common name", async () => {
    const w = await world();
    const refusals: [object, object, string][] = [
      [
        { allow_any_name: false, allowed_domains: "example.org", allow_subdomains: true },
        { names: { dns: ["a.example.org", "b.example"] }, name: "a.example.org" },
        "not allowed by this role",
      ],
      [{ key_type: "rsa" }, {}, "role requires keys of type rsa"],
      [{}, { subject: [] }, "the common_name field is required"],
      [{}, { names: { dns: ["evil\u0000.example"] } }, ""],
      [{ use_csr_sans: false }, { names: { dns: ["a.example"] } }, "use_csr_sans"],
      [{ use_csr_common_name: false, require_cn: false }, {}, "use_csr_common_name"],
      [
        { serial_number_source: "json" },
        {
          subject: [
            [{ oid: nameOid.commonName, value: "a.example" }],
            [{ oid: nameOid.serialNumber, value: "7" }],
          ],
        },
        "serial_number_source",
      ],
      ...[nameOid.commonName, nameOid.serialNumber].map((oid): [object, object, string] => [
        {},
        { subject: ["a.example", "b.example"].map((value) => [{ oid, value }]) },
        "several common names or serial numbers",
      ]),
      [{ issuer_ref: "gone" }, {}, "gone"],
    ];
    for (const [role, wanted, text] of refusals) {
      await w.a.call("POST", "pki/roles/web", { key_type: "ec", allow_any_name: true, ...role });
      const answer = await ask(w.a, enrollment, { basic: alice, body: await bodyOf(wanted) });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(text)]);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    }
    await w.a.call("DELETE", "pki/roles/web");
    const gone = await ask(w.a, enrollment, { basic: alice, body: await bodyOf() });
    expect([gone.status, gone.text]).toEqual([400, "unknown role: web\n"]);
    expect((await kept(w)).certificates).toBe(1);
  });

  it("may have a common name of more than 64 characters, for any API headers", async () => {
    const w = await world();
    const name = `${"x".repeat(40)}.${"y".repeat(40)}.example`;
    const body = await bodyOf({ name });
    const headers = { "x-service-token": "none" };
    for (const more of [{}, { headers }])
      expect((await ask(w.a, enrollment, { basic: alice, body, ...more })).status).toBe(200);
  });

  it("does not contain the challenge password of the CSR, which is not logged either", async () => {
    const w = await world();
    const body = await bodyOf({ challengePassword: "s3cret-canary" });
    const [own] = certificatesIn(await ask(w.a, enrollment, { basic: alice, body }));
    expect(Buffer.from(own?.der ?? []).includes("s3cret-canary")).toBe(false);
    expect(JSON.stringify(w.a.events)).not.toContain("s3cret-canary");
  });

  it("is logged and audited with the authenticated client and hashes of the audit_fields", async () => {
    const w = await world({
      audit_fields: ["common_name", "key_type", "key_bits", "csr", "ou", "use_pss"],
    });
    await enrolled(w);
    const event = w.a.events.findLast(({ endpoint }) => endpoint === "estEnroll");
    expect(event).toMatchObject({
      status: 200,
      mount: "pki",
      caller: "userpass-alice",
      fields: {
        common_name: expect.stringMatching(/^hmac-sha256:/),
        key_type: "ec",
        key_bits: 256,
        csr: expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/),
        serial: expect.anything(),
      },
    });
    expect(JSON.stringify(w.a.events)).not.toContain("device.example");
  });

  it("is logged with a hash of each field of the subject in the audit_fields", async () => {
    const oids = {
      ou: nameOid.organizationalUnit,
      organization: nameOid.organization,
      country: nameOid.country,
      locality: nameOid.locality,
      province: nameOid.province,
      street_address: nameOid.street,
      postal_code: nameOid.postalCode,
    };
    const names = Object.keys(oids);
    const { a } = await world({ audit_fields: names });
    const subject = Object.values(oids).map((oid) => [{ oid, value: "XY" }]);
    const body = await bodyOf({ subject: [...subject, ...commonName("device.example")] });
    await ask(a, enrollment, { basic: alice, body });
    const { fields } = a.events.findLast(({ endpoint }) => endpoint === "estEnroll") ?? {};
    const hash = expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/);
    expect(fields).toMatchObject(Object.fromEntries(names.map((name) => [name, hash])));
  });
});

describe("the body of an EST request", () => {
  it.each([
    ["base64 in lines", (der: Uint8Array) => inLines(der)],
    ["base64 in one line", (der: Uint8Array) => Buffer.from(der).toString("base64")],
    [
      "base64 with blanks around",
      (der: Uint8Array) => `\n ${Buffer.from(der).toString("base64")}\t\r\n`,
    ],
    [
      "PEM",
      (der: Uint8Array) =>
        `-----BEGIN CERTIFICATE REQUEST-----\n${inLines(der)}\n-----END CERTIFICATE REQUEST-----\n`,
    ],
    ["DER", (der: Uint8Array) => der],
  ])("may be %s", async (_, body) => {
    const { a } = await world();
    expect(
      certificatesIn(await ask(a, enrollment, { basic: alice, body: body(await csrOf()) })),
    ).toHaveLength(1);
  });

  it.each([
    ["nothing", ""],
    ["no base64", "%%%"],
    ["base64 of nothing", "===="],
    ["cut", "MIIB"],
    ["bytes that are no text", Uint8Array.of(0xff, 0xfe, 0)],
    ["other DER", Buffer.from(sequence(oid("1.2.3"))).toString("base64")],
    ["DER with a tail", "tail"],
    ["another PEM", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"],
    ["JSON", '{"csr":"x"}'],
    [
      "deeply nested",
      Buffer.from(Uint8Array.from({ length: 9000 }, () => 0x30)).toString("base64"),
    ],
  ])("that is %s is rejected, and nothing is stored", async (what, sent) => {
    const w = await world();
    const body = what === "DER with a tail" ? inLines(Uint8Array.of(...(await csrOf()), 0)) : sent;
    const answer = await ask(w.a, enrollment, { basic: alice, body });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      400,
      "text/plain; charset=utf-8",
    ]);
    expect((await kept(w)).certificates).toBe(1);
  });

  it("is rejected if the CSR is not signed by its key", async () => {
    const w = await world();
    const der = await csrOf();
    der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
    const answer = await ask(w.a, enrollment, { basic: alice, body: inLines(der) });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining("request signature invalid"),
    ]);
  });

  it("must have the type application/pkcs10 and at most 64 KiB", async () => {
    const { a } = await world();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json",
      "",
    ]) {
      const headers = { "content-type": type };
      const answer = await ask(a, enrollment, { basic: alice, body: await bodyOf(), headers });
      expect([answer.status, answer.text]).toEqual([
        415,
        "the Content-Type of an EST request must be application/pkcs10\n",
      ]);
    }
    const headers = { "content-type": "Application/PKCS10; charset=x" };
    expect((await ask(a, enrollment, { basic: alice, body: await bodyOf(), headers })).status).toBe(
      200,
    );
    const large = await ask(a, enrollment, { basic: alice, body: "A".repeat(65_537) });
    expect(large.status).toBe(413);
  });

  it("is not read before the client is authenticated", async () => {
    const w = await world();
    const answer = await ask(w.a, enrollment, { body: utf8("nonsense") });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="EST", charset="UTF-8"',
    ]);
  });
});
