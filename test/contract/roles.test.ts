import { describe, expect, it } from "vitest";
import { algorithmName, parsePublicKey } from "../../src/x509/public-key.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { keyOf, rdn, readCertificate, request, sanOf, shown, valueOf } from "../pki/reading.ts";
import { commonName } from "../x509/fixture.ts";
import { authority, start, type Answer, type Authority } from "../support/authority.ts";

const now = start / 1000;
const patchType = { "content-type": "application/merge-patch+json" };
/** Creates an authority with a root and a role for EC keys with these fields. */
async function withRole(
  role: object = {},
  root: Parameters<Authority["root"]>[0] = {},
): Promise<Authority> {
  const a = authority();
  await a.root(root);
  await write(a, role);
  return a;
}
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "ec", allow_any_name: true, ...role });
const read = async (a: Authority): Promise<Answer["data"]> =>
  (await a.call("GET", "pki/roles/web", undefined, { compat: true })).data;
const issue = (a: Authority, body: object = {}, sent: object = {}): Promise<Answer> =>
  a.call("POST", "pki/issue/web", { common_name: "a.test", ...body }, sent);
const sign = (a: Authority, csr: string, body: object = {}): Promise<Answer> =>
  a.call("POST", "pki/sign/web", { csr, ...body });
const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
const certificate = (answer: Answer) => {
  expect(answer.errors).toEqual([]);
  return readCertificate(answer.data["certificate"]);
};

describe("role endpoints", () => {
  it("A 7.1 LIST roles: lists names in order; 404 if there are none", async () => {
    const a = authority();
    expect((await a.call("LIST", "pki/roles")).status).toBe(404);
    for (const name of ["b", "a", "C"]) await a.role(name);
    for (const [method, path] of [
      ["LIST", "pki/roles"],
      ["GET", "pki/roles?list=true"],
      ["GET", "pki/roles/?list=1"],
    ] as const)
      expect((await a.call(method, path)).data["keys"]).toEqual(["C", "a", "b"]);
  });

  it("A 7.1 GET roles/:name: returns the role; 404 without a message if there is none", async () => {
    const a = await withRole({ organization: "O" });
    expect((await a.call("GET", "pki/roles/web")).data).toMatchObject({
      organization: ["O"],
      key_bits: 256,
      allow_token_displayname: false,
    });
    expect((await a.call("GET", "pki/roles/web")).data).not.toHaveProperty("name");
    const none = await a.call("GET", "pki/roles/none");
    expect([none.status, none.json]).toEqual([404, { errors: [] }]);
  });

  it("A 7.1 POST/PUT roles/:name: returns the role as a read does, and overwrites every field", async () => {
    const a = await withRole();
    for (const method of ["POST", "PUT"]) {
      const full = await a.call(method, "pki/roles/web", {
        key_type: "ec",
        organization: "O",
        no_store: true,
      });
      expect([full.status, full.data]).toEqual([200, (await a.call("GET", "pki/roles/web")).data]);
      await a.call(method, "pki/roles/web", { backend: "pki" });
      expect(await read(a)).toMatchObject({ key_type: "rsa", organization: [], no_store: false });
    }
  });

  it("A 7.1 PATCH roles/:name: changes the given fields; null clears flags and lists but not durations; unknown roles are rejected with 400", async () => {
    const a = await withRole({
      organization: "O",
      ttl: 60,
      no_store: true,
      country: "DE",
      max_ttl: "2h",
    });
    const patch = (body: object, name = "web") =>
      a.call("PATCH", `pki/roles/${name}`, body, { header: patchType, compat: true });
    const changed = await patch({ ou: "U", no_store: null, country: null, ttl: null });
    expect([changed.status, changed.json["warnings"]]).toEqual([200, null]);
    expect(changed.data).toMatchObject({
      organization: ["O"],
      ou: ["U"],
      no_store: false,
      country: [],
      ttl: 60,
      max_ttl: 7200,
      key_type: "ec",
    });
    expect(await read(a)).toEqual(changed.data);
    expect(outcome(await patch({}, "none"))).toBe("Unable to fetch role entry to patch");
    expect((await patch({}, "none")).status).toBe(400);
    expect(outcome(await patch({ ttl: "3h" }))).toBe(
      '"ttl" value must be less than "max_ttl" value',
    );
    expect(outcome(await patch({ key_bits: 7 }))).toBe("unsupported bit length for EC key: 7");
    expect(outcome(await patch({ key_type: "rsa", key_bits: 1024 }))).toBe(
      "RSA keys < 2048 bits are unsafe and not supported: got 1024",
    );
    expect(outcome(await patch({ key_type: "rsa", key_bits: 2048, signature_bits: 160 }))).toBe(
      "unsupported hash signature algorithm: 160",
    );
    expect((await patch({ key_bits: 384 })).data["key_bits"]).toBe(384);
    expect((await patch({ issuer_ref: "later" })).json["warnings"]).toEqual([
      "Issuing Certificate was set to later but no issuer exists with that reference",
    ]);
    expect(
      (
        await a.call(
          "PATCH",
          "pki/roles/web",
          {},
          { header: { "content-type": "application/json" } },
        )
      ).status,
    ).toBe(415);
  });

  it("A 7.1 DELETE roles/:name: returns 204, even if there is none", async () => {
    const a = await withRole();
    for (const name of ["web", "web", "none"])
      expect([(await a.call("DELETE", `pki/roles/${name}`)).status]).toEqual([204]);
    expect(outcome(await issue(a))).toBe("unknown role: web");
  });
});

describe("role fields: issuer, lifetime, storage", () => {
  it("A 7.2 issuer_ref: is stored as given and resolved at use; an empty text means default", async () => {
    const a = await withRole();
    const written = await write(a, { issuer_ref: "later" });
    expect([written.json["warnings"], (await read(a))["issuer_ref"]]).toEqual([
      "Issuing Certificate was set to later but no issuer exists with that reference",
      "later",
    ]);
    expect(outcome(await issue(a))).toBe(
      "could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: later",
    );
    await a.root({ issuer_name: "later", common_name: "Later" });
    expect(certificate(await issue(a)).text.issuer).toContain("Later");
    expect((await write(a, { issuer_ref: "" })).data["issuer_ref"]).toBe("default");
    expect(certificate(await issue(a)).text.issuer).toContain("Root CA");
  });

  it("A 7.2 ttl: is returned in seconds or as a duration, by dialect, and applies if no lifetime is requested", async () => {
    const a = await withRole({ ttl: "90m" });
    expect([(await read(a))["ttl"], (await a.call("GET", "pki/roles/web")).data["ttl"]]).toEqual([
      5400,
      "90m",
    ]);
    expect(certificate(await issue(a)).notAfter).toBe(now + 5400);
    expect(certificate(await issue(a, { ttl: 60 })).notAfter).toBe(now + 60);
    expect(outcome(await write(a, { ttl: "2h", max_ttl: "1h" }))).toBe(
      '"ttl" value must be less than "max_ttl" value',
    );
    expect((await write(a, { ttl: "2h", max_ttl: "2h" })).status).toBe(200);
    expect((await write(a, { ttl: "2h", max_ttl: 0 })).status).toBe(200);
  });

  it("A 7.2 max_ttl: longer lifetimes are rejected in one dialect and capped in the other", async () => {
    const a = await withRole({ max_ttl: "1h" });
    expect(outcome(await issue(a, { ttl: 3601 }))).toBe(
      'cannot satisfy request, as TTL "1h0m1s" is longer than permitted maxTTL "1h0m0s"',
    );
    const capped = await issue(a, { ttl: 3601 }, { compat: true });
    expect([certificate(capped).notAfter, capped.json["warnings"]]).toEqual([
      now + 3600,
      ['TTL "1h0m1s" is longer than permitted maxTTL "1h0m0s", so maxTTL is being used'],
    ]);
    expect(certificate(await issue(a)).notAfter).toBe(now + 3600);
  });

  it("A 7.2 not_after: sets notAfter, is not validated when written, and excludes a requested ttl", async () => {
    const a = await withRole({ not_after: "2031-01-01T00:00:00Z", max_ttl: 60 });
    expect(certificate(await issue(a)).notAfter).toBe(Date.UTC(2031, 0, 1) / 1000);
    expect(outcome(await issue(a, { ttl: 5 }))).toBe(
      "Either ttl or not_after should be provided. Both should not be provided in the same request.",
    );
    expect((await write(a, { not_after: "soon" })).status).toBe(200);
    expect((await issue(a)).status).toBe(400);
  });

  it("A 7.2 not_before_duration: defaults to 30 seconds, and 0 means 0", async () => {
    const a = await withRole();
    expect([(await read(a))["not_before_duration"], certificate(await issue(a)).notBefore]).toEqual(
      [30, now - 30],
    );
    await write(a, { not_before_duration: "2m" });
    expect(certificate(await issue(a)).notBefore).toBe(now - 120);
    await write(a, { not_before_duration: 0 });
    expect(certificate(await issue(a)).notBefore).toBe(now);
  });

  it("A 7.2 not_before: a request can set an absolute notBefore, and the role can fix it", async () => {
    const a = await withRole();
    expect(certificate(await issue(a, { not_before: "2030-01-01T00:00:00Z" })).notBefore).toBe(
      Date.UTC(2030, 0, 1) / 1000,
    );
    expect((await issue(a, { not_before: "soon" })).status).toBe(400);
    expect(outcome(await issue(a, { not_before: "2033-01-01T00:00:00Z" }))).toMatch(
      /^notBefore 2033-01-01T00:00:00Z is later than notAfter /,
    );
    // the role's own not_before takes precedence, like its not_after
    const fixed = await write(a, {
      not_before: "2029-01-01T00:00:00Z",
      not_before_bound: "forbid",
    });
    expect([fixed.status, (await read(a))["not_before"]]).toEqual([200, "2029-01-01T00:00:00Z"]);
    for (const body of [{}, { not_before: "2030-01-01T00:00:00Z" }])
      expect(certificate(await issue(a, body)).notBefore).toBe(Date.UTC(2029, 0, 1) / 1000);
    expect([(await write(a, { not_before: "soon" })).status, (await issue(a)).status]).toEqual([
      200, 400,
    ]);
  });

  it("A 7.2 not_before_bound: accepts permit, duration and forbid", async () => {
    const a = await withRole({ not_before_bound: "duration", not_before_duration: 60 });
    const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString();
    expect(certificate(await issue(a, { not_before: at(-60) })).notBefore).toBe(now - 60);
    expect(outcome(await issue(a, { not_before: at(-61) }))).toBe(
      "cannot satisfy request, as not_before is earlier than 2030-01-02T03:03:05Z, the earliest time that the role allows",
    );
    await write(a, { not_before_bound: "forbid" });
    expect(outcome(await issue(a, { not_before: at(0) }))).toBe(
      "cannot satisfy request, as not_before is forbidden by the role",
    );
    expect((await issue(a)).status).toBe(200);
    expect(outcome(await write(a, { not_before_bound: "x" }))).toBe(
      "unknown value for field not_before_bound: x: use permit, duration or forbid",
    );
  });

  it("A 7.2 not_after_bound: accepts permit, ttl-limited, forbid and a time", async () => {
    const a = await withRole({ not_after_bound: "ttl-limited", max_ttl: 60 });
    const at = (seconds: number) => new Date((now + seconds) * 1000).toISOString();
    expect(certificate(await issue(a, { not_after: at(60) })).notAfter).toBe(now + 60);
    expect(outcome(await issue(a, { not_after: at(61) }, { compat: true }))).toBe(
      "cannot satisfy request, as not_after is later than 2030-01-02T03:05:05Z, the latest time that the role allows",
    );
    await write(a, { not_after_bound: "ttl-limited" });
    expect((await issue(a, { not_after: at(90 * 86_400) })).status).toBe(200);
    await write(a, { not_after_bound: "forbid" });
    expect(outcome(await issue(a, { not_after: at(60) }))).toBe(
      "cannot satisfy request, as not_after is forbidden by the role",
    );
    await write(a, { not_after_bound: at(60) });
    expect((await issue(a, { not_after: at(60) })).status).toBe(200);
    expect(outcome(await issue(a, { not_after: at(61) }))).toContain("not_after is later than");
    expect(outcome(await write(a, { not_after_bound: "x" }))).toBe(
      "unknown value for field not_after_bound: x: use permit, ttl-limited, forbid or a time",
    );
  });

  it("A 7.2 generate_lease: creates a lease, and is forced off by no_store", async () => {
    const a = await withRole({ generate_lease: true });
    expect((await issue(a, { ttl: 60 })).json).toMatchObject({
      lease_duration: 60,
      lease_id: expect.stringMatching(/^pki\/issue\/web\/[0-9a-f-]{36}$/) as string,
    });
    expect((await write(a, { generate_lease: true, no_store: true })).data["generate_lease"]).toBe(
      false,
    );
    expect((await issue(a)).json).toMatchObject({ lease_id: "", lease_duration: 0 });
  });

  it("A 7.2 no_store: the certificate is not stored, and generate_lease causes a warning", async () => {
    const a = await withRole({ no_store: true });
    expect(
      (await a.call("GET", `pki/cert/${String((await issue(a)).data["serial_number"])}`)).status,
    ).toBe(404);
    expect((await write(a, { generate_lease: true, no_store: true })).json["warnings"]).toBe(
      "mutually exclusive values no_store=true and generate_lease=true were both specified; no_store=true takes priority",
    );
    await write(a, {});
    expect(
      (await a.call("GET", `pki/cert/${String((await issue(a)).data["serial_number"])}`)).status,
    ).toBe(200);
  });

  it("A 7.2 no_store_metadata: rejects metadata, which is otherwise stored", async () => {
    const a = await withRole();
    const serial = String((await issue(a, { cert_metadata: "aGk=" })).data["serial_number"]);
    expect((await a.call("GET", `pki/cert-metadata/${serial}`)).data).toMatchObject({
      cert_metadata: "aGk=",
      role: "web",
    });
    await write(a, { no_store_metadata: true });
    expect(outcome(await issue(a, { metadata: "aGk=" }))).toBe(
      "metadata was sent, but the role does not store it (no_store_metadata)",
    );
    const plain = String((await issue(a, { metadata: "" })).data["serial_number"]);
    expect((await a.call("GET", `pki/cert-metadata/${plain}`)).status).toBe(404);
  });
});

describe("role fields: names", () => {
  /** Returns whether issue and sign allow an alternative name; both must agree. */
  const takes = async (a: Authority, name: string): Promise<boolean> => {
    const san = sanOf(name.includes("@") ? { email: [name] } : { dns: [name] });
    const answers = [
      await a.call("POST", "pki/issue/web", { alt_names: name }),
      await sign(a, await request({ extensions: [san] })),
    ];
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => answers[0]?.status));
    return answers[0]?.status === 200;
  };
  const named = (role: object) =>
    withRole({ allow_any_name: false, allow_localhost: false, require_cn: false, ...role });
  const all = async (a: Authority, ...names: readonly string[]): Promise<readonly boolean[]> =>
    Promise.all(names.map((name) => takes(a, name)));

  it("A 7.2 allow_localhost: true by default", async () => {
    expect(await takes(await named({}), "localhost")).toBe(false);
    const a = await withRole({ allow_any_name: false, require_cn: false });
    expect([
      (await read(a))["allow_localhost"],
      await takes(a, "localhost"),
      await takes(a, "localdomain"),
      await takes(a, "x.localhost"),
    ]).toEqual([true, true, true, false]);
  });
  it("A 7.2 allowed_domains: have no effect without a flag that refers to them", async () => {
    const a = await named({ allowed_domains: "corp.test, b.test" });
    expect([
      (await read(a))["allowed_domains"],
      await takes(a, "corp.test"),
      await takes(a, "x.corp.test"),
    ]).toEqual([["corp.test", "b.test"], false, false]);
  });
  it("A 7.2 allow_bare_domains: allows the domains themselves", async () => {
    expect(
      await all(
        await named({ allowed_domains: "corp.test,b.test", allow_bare_domains: true }),
        "corp.test",
        "b.test",
        "x.b.test",
      ),
    ).toEqual([true, true, false]);
  });
  it("A 7.2 allow_subdomains: allows names below the domains", async () => {
    expect(
      await all(
        await named({ allowed_domains: "corp.test", allow_subdomains: true }),
        "x.corp.test",
        "corp.test",
        "xcorp.test",
      ),
    ).toEqual([true, false, false]);
  });
  it("A 7.2 allow_glob_domains: allows matching names", async () => {
    expect(
      await all(
        await named({ allowed_domains: "x*.corp.test", allow_glob_domains: true }),
        "xy.corp.test",
        "y.corp.test",
      ),
    ).toEqual([true, false]);
  });
  it("A 7.2 allow_any_name: allows every host name", async () => {
    expect(await all(await named({ allow_any_name: true }), "x.y", "u@x.y", "*.x.y")).toEqual([
      true,
      true,
      true,
    ]);
    expect(await takes(await named({}), "x.y")).toBe(false);
  });
  it("A 7.2 allow_wildcard_certificates: true by default", async () => {
    expect(await all(await named({ allow_any_name: true }), "*.x.y")).toEqual([true]);
    expect(
      await all(
        await named({ allow_any_name: true, allow_wildcard_certificates: false }),
        "*.x.y",
        "x.y",
      ),
    ).toEqual([false, true]);
  });
  it("A 7.2 enforce_hostnames: true by default, and rejects common names that are no host names", async () => {
    const a = await withRole();
    expect(outcome(await issue(a, { common_name: "a_b" }))).toBe(
      "common name a_b not allowed by this role",
    );
    await write(a, { enforce_hostnames: false });
    expect(certificate(await issue(a, { common_name: "a_b" })).text.subject).toBe("CN=a_b");
  });
  it("A 7.2 allow_ip_sans: true by default, for body and CSR", async () => {
    const a = await withRole();
    const csr = await request({ cn: "a.test", extensions: [sanOf({ ip: ["192.0.2.1"] })] });
    expect([
      (await issue(a, { ip_sans: "192.0.2.1" })).status,
      (await sign(a, csr)).status,
    ]).toEqual([200, 200]);
    await write(a, { allow_ip_sans: false });
    expect(outcome(await issue(a, { ip_sans: "192.0.2.1" }))).toBe(
      "IP Subject Alternative Names are not allowed in this role, but was provided via the API",
    );
    expect(outcome(await sign(a, csr))).toBe(
      "IP Subject Alternative Names are not allowed in this role, but was provided via CSR",
    );
  });
  it("A 7.2 allowed_ip_sans_cidr: addresses of body and CSR must be in one of the ranges", async () => {
    const a = await withRole({ allowed_ip_sans_cidr: "192.0.2.0/25, 2001:db8::/64" });
    for (const [ip, fits] of [
      ["192.0.2.127", true],
      ["192.0.2.128", false],
      ["2001:db8::9", true],
      ["2001:db8:0:1::9", false],
    ] as const) {
      const wanted = fits ? 200 : `the IP address "${ip}" is not allowed in this role`;
      expect(outcome(await issue(a, { ip_sans: ip }))).toBe(wanted);
      expect(
        outcome(await sign(a, await request({ cn: "a.test", extensions: [sanOf({ ip: [ip] })] }))),
      ).toBe(wanted);
    }
    expect(outcome(await write(a, { allowed_ip_sans_cidr: "192.0.2.0/33" }))).toMatch(
      /^error parsing allowed_ip_sans_cidr: /,
    );
  });
  it("A 7.2 allowed_uri_sans: globs; an empty list allows none", async () => {
    const a = await withRole();
    const asked = { uri_sans: "spiffe://corp/a" };
    const csr = await request({ cn: "a.test", extensions: [sanOf({ uri: ["spiffe://corp/a"] })] });
    const both = async () => [outcome(await issue(a, asked)), outcome(await sign(a, csr))];
    const refused = (why: string) =>
      ["the API", "CSR"].map((via) => `URI Subject Alternative Names ${why.replace("VIA", via)}`);
    expect(await both()).toEqual(
      refused("are not allowed in this role, but were provided via VIA"),
    );
    await write(a, { allowed_uri_sans: "https://*" });
    expect(await both()).toEqual(
      refused("were provided via VIA which are not valid for this role"),
    );
    await write(a, { allowed_uri_sans: "https://*,spiffe://corp/*" });
    expect(await both()).toEqual([200, 200]);
  });
  it("A 7.2 allowed_other_sans: an OID with a glob, or a single *", async () => {
    const a = await withRole({ allowed_other_sans: "1.2.3;uTf-8:a*" });
    expect([
      (await issue(a, { other_sans: "1.2.3;UTF8:ab" })).status,
      outcome(await issue(a, { other_sans: "1.2.3;UTF8:b" })),
    ]).toEqual([200, "other SAN b not allowed for OID 1.2.3 by this role"]);
    for (const bad of ["x", "1.2.3;UTF8", "*,1.2.3;UTF8:*"])
      expect(outcome(await write(a, { allowed_other_sans: bad }))).toMatch(
        /^error parsing allowed_other_sans: /,
      );
    await write(a, { allowed_other_sans: "*" });
    expect((await issue(a, { other_sans: "1.9;UTF8:b" })).status).toBe(200);
  });
  it("A 7.2 allowed_serial_numbers: globs; an empty list allows none", async () => {
    const a = await withRole({ allowed_serial_numbers: "7,8*" });
    const asked = async (serial_number: string) => outcome(await issue(a, { serial_number }));
    expect([await asked("7"), await asked("81"), await asked("71")]).toEqual([
      200,
      200,
      "serial_number 71 not allowed by this role",
    ]);
    await write(a, {});
    expect(await asked("7")).toBe("serial_number 7 not allowed by this role");
  });
  it("A 7.2 allowed_user_ids: globs, or exact values in any case; an empty list allows none", async () => {
    const a = await withRole({ allowed_user_ids: "Ann,b*" });
    const asked = async (user_ids: string) => outcome(await issue(a, { user_ids }));
    expect([await asked("aNN"), await asked("bob,ann"), await asked("Bob")]).toEqual([
      200,
      200,
      "user_id Bob is not allowed by this role",
    ]);
    await write(a, {});
    expect(await asked("ann")).toBe("user_id ann is not allowed by this role");
  });
  it("A 7.2 use_csr_common_name: the CSR's common name has precedence; if false, only the body's is used", async () => {
    const a = await withRole();
    const csr = await request({ cn: "csr.test" });
    expect(certificate(await sign(a, csr, { common_name: "body.test" })).text.subject).toBe(
      "CN=csr.test",
    );
    expect(
      certificate(await sign(a, await request({}), { common_name: "body.test" })).text.subject,
    ).toBe("CN=body.test");
    await write(a, { use_csr_common_name: false });
    expect(certificate(await sign(a, csr, { common_name: "body.test" })).text.subject).toBe(
      "CN=body.test",
    );
  });
  it("A 7.2 use_csr_sans: the CSR's SANs of every type are used, or else the body's", async () => {
    const a = await withRole({ allowed_uri_sans: "*", allowed_other_sans: "*" });
    const names = {
      dns: ["d.test"],
      email: ["u@d.test"],
      ip: ["192.0.2.1"],
      uri: ["https://d.test"],
      other: [{ oid: "1.2.3", value: "x" }],
    };
    const csr = await request({ cn: "a.test", extensions: [sanOf(names)] });
    expect(certificate(await sign(a, csr, { alt_names: "e.test" })).names).toMatchObject({
      ...names,
      dns: ["d.test", "a.test"],
    });
    await write(a, { use_csr_sans: false });
    expect(certificate(await sign(a, csr, { alt_names: "e.test" })).names).toMatchObject({
      dns: ["a.test", "e.test"],
      email: [],
      ip: [],
      uri: [],
      other: [],
    });
  });
  it("A 7.2 require_cn: true by default, for body and CSR", async () => {
    const a = await withRole();
    const both = async () =>
      [
        await a.call("POST", "pki/issue/web", { alt_names: "a.test" }),
        await sign(a, await request({ extensions: [sanOf({ dns: ["a.test"] })] })),
      ].map(outcome);
    const text =
      'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false';
    expect(await both()).toEqual([text, text]);
    await write(a, { require_cn: false });
    expect(await both()).toEqual([200, 200]);
  });
  it("A 7.2 cn_validations: email and hostname by default; disabled skips validation; other values are rejected with 400", async () => {
    const a = await withRole();
    const both = async (cn: string) => [
      outcome(await issue(a, { common_name: cn })),
      outcome(await sign(a, await request({ cn }))),
    ];
    const refused = (cn: string) =>
      Array.from({ length: 2 }, () => `common name ${cn} not allowed by this role`);
    expect([
      await both("u@a.test"),
      await both("a.test"),
      (await read(a))["cn_validations"],
    ]).toEqual([
      [200, 200],
      [200, 200],
      ["email", "hostname"],
    ]);
    await write(a, { cn_validations: "EMAIL" });
    expect([
      await both("u@a.test"),
      await both("a.test"),
      (await read(a))["cn_validations"],
    ]).toEqual([[200, 200], refused("a.test"), ["email"]]);
    await write(a, { cn_validations: ["hostname"] });
    expect([await both("u@a.test"), await both("a.test")]).toEqual([
      refused("u@a.test"),
      [200, 200],
    ]);
    await write(a, { cn_validations: "disabled", allow_any_name: false });
    expect(await both("Some One")).toEqual([200, 200]);
    expect(outcome(await issue(a, { common_name: "a.test" }))).toBe(
      "subject alternate name a.test not allowed by this role",
    );
    expect((await write(a, { cn_validations: "" })).data["cn_validations"]).toEqual([
      "email",
      "hostname",
    ]);
    for (const bad of ["fax", "email,email", "disabled,email"])
      expect(outcome(await write(a, { cn_validations: bad }))).toBe(
        `cn_validations value incorrect: ${bad}: use email, hostname, both, or disabled alone`,
      );
  });
  it("A 7.2 serial_number_source: json-csr falls back to the CSR's serial number, json uses only the body's", async () => {
    const a = await withRole({ allowed_serial_numbers: "*" });
    const csr = await request({ subject: [...commonName("a.test"), rdn("serialNumber", "7")] });
    const subject = async (body: object) => certificate(await sign(a, csr, body)).text.subject;
    expect([
      (await read(a))["serial_number_source"],
      await subject({}),
      await subject({ serial_number: "8" }),
    ]).toEqual(["json-csr", "serialNumber=7,CN=a.test", "serialNumber=8,CN=a.test"]);
    await write(a, { allowed_serial_numbers: "*", serial_number_source: "json" });
    expect([await subject({}), await subject({ serial_number: "8" })]).toEqual([
      "CN=a.test",
      "serialNumber=8,CN=a.test",
    ]);
    expect((await write(a, { serial_number_source: "" })).data["serial_number_source"]).toBe(
      "json-csr",
    );
    expect(outcome(await write(a, { serial_number_source: "csr" }))).toBe(
      "unknown value for field serial_number_source: csr: use json-csr or json",
    );
  });
  it("A 7.2 allow_token_displayname: is always false and cannot be written", async () => {
    const a = await withRole();
    const written = await write(a, { allow_token_displayname: true });
    expect([written.data["allow_token_displayname"], written.json["warnings"]]).toEqual([
      false,
      "Endpoint ignored these unrecognized parameters: [allow_token_displayname]",
    ]);
  });
});

describe("role fields: keys, usages and subject", () => {
  const purpose = {
    server: "1.3.6.1.5.5.7.3.1",
    client: "1.3.6.1.5.5.7.3.2",
    code: "1.3.6.1.5.5.7.3.3",
    email: "1.3.6.1.5.5.7.3.4",
  };
  const none = { server_flag: false, client_flag: false };
  const purposes = async (role: object) =>
    certificate(await issue(await withRole({ ...none, ...role }))).purposes;

  it("A 7.2 server_flag: true by default", async () => {
    expect([
      await purposes({ server_flag: true }),
      certificate(await issue(await withRole())).purposes,
    ]).toEqual([[purpose.server], [purpose.server, purpose.client]]);
  });
  it("A 7.2 client_flag: true by default", async () => {
    expect([await purposes({ client_flag: true }), await purposes({})]).toEqual([
      [purpose.client],
      [],
    ]);
  });
  it("A 7.2 code_signing_flag: false by default; adds codeSigning", async () => {
    expect([await purposes({ code_signing_flag: true }), await purposes({})]).toEqual([
      [purpose.code],
      [],
    ]);
  });
  it("A 7.2 email_protection_flag: false by default; adds emailProtection", async () => {
    expect([await purposes({ email_protection_flag: true }), await purposes({})]).toEqual([
      [purpose.email],
      [],
    ]);
  });
  it("A 7.2 ext_key_usage: is added to the purposes of the flags", async () => {
    expect(
      await purposes({ ext_key_usage: "TimeStamping, codesigning, nonsense", client_flag: true }),
    ).toEqual([purpose.client, purpose.code, "1.3.6.1.5.5.7.3.8"]);
  });
  it("A 7.2 ext_key_usage_oids: are added last, and validated when written", async () => {
    expect(await purposes({ ext_key_usage_oids: "1.2.9,1.2.8", client_flag: true })).toEqual([
      purpose.client,
      "1.2.9",
      "1.2.8",
    ]);
    expect(outcome(await write(await withRole(), { ext_key_usage_oids: "1.x" }))).toBe(
      '"1.x" could not be parsed as a valid oid for an extended key usage',
    );
  });
  it("A 7.2 key_usage: three usages by default, in any case; an empty list omits the extension", async () => {
    const usage = async (role: object) => certificate(await issue(await withRole(role)));
    expect((await usage({})).usage).toEqual([
      "DigitalSignature",
      "KeyEncipherment",
      "KeyAgreement",
    ]);
    expect((await usage({ key_usage: "contentcommitment, nothing" })).usage).toEqual([
      "ContentCommitment",
    ]);
    for (const key_usage of ["", []])
      expect((await usage({ key_usage })).order).not.toContain(extensionOid.keyUsage);
  });
  it("A 7.2 key_type: rsa by default; any is for CSRs only", async () => {
    const a = await withRole({ key_type: "any" });
    expect(outcome(await issue(a))).toBe(
      'role key type "any" not allowed for issuing certificates, only signing',
    );
    for (const kind of ["P-256", "Ed25519", "RSA"] as const)
      expect((await sign(a, await request({ cn: "a.test", key: await keyOf(kind) }))).status).toBe(
        200,
      );
    expect(outcome(await write(a, { key_type: "dsa" }))).toMatch(
      /^unknown key type dsa: use rsa, ec, ed25519\b.* or any$/,
    );
    expect((await a.pki.writeRole({ name: "plain" })).key_type).toBe("rsa");
    await write(a, { key_type: "ed25519" });
    expect(outcome(await sign(a, await request({ cn: "a.test" })))).toBe(
      "role requires keys of type ed25519",
    );
    expect((await issue(a)).data["private_key_type"]).toBe("ed25519");
  });
  it("A 7.2 key_bits: 0 is returned as the default size; issue uses this size, and sign requires at least this size", async () => {
    const a = await withRole();
    const bits = async (role: object) => (await write(a, role)).data["key_bits"];
    expect([
      await bits({}),
      await bits({ key_type: "rsa" }),
      await bits({ key_type: "any", key_bits: 9 }),
      await bits({ key_type: "ed25519", key_bits: 9 }),
    ]).toEqual([256, 2048, 0, 0]);
    for (const size of [224, 256, 384, 521]) {
      await write(a, { key_bits: size });
      expect(parsePublicKey(certificate(await issue(a)).spki).bits).toBe(size);
    }
    await write(a, { key_bits: 384 });
    expect(outcome(await sign(a, await request({ cn: "a.test" })))).toBe(
      "role requires a minimum of a 384-bit key, but CSR's key is 256 bits",
    );
    expect((await sign(a, await request({ cn: "a.test", key: await keyOf("P-521") }))).status).toBe(
      200,
    );
  });
  it("A 7.2 signature_bits: 256 for rsa if 0, otherwise as given; applies to RSA issuers", async () => {
    const a = await withRole({}, { key_type: "rsa" });
    const bits = async (role: object) => (await write(a, role)).data["signature_bits"];
    expect([
      await bits({ key_type: "rsa" }),
      await bits({}),
      await bits({ signature_bits: 384 }),
    ]).toEqual([256, 0, 384]);
    expect(algorithmName(certificate(await issue(a)).algorithm)).toBe("SHA384WithRSA");
    expect(outcome(await write(a, { key_type: "rsa", signature_bits: 1 }))).toBe(
      "unsupported hash signature algorithm: 1",
    );
  });
  it("A 7.2 use_pss: RSA issuers sign with PSS, whatever the role's key type", async () => {
    const rsa = await withRole({ use_pss: true }, { key_type: "rsa" });
    expect(algorithmName(certificate(await issue(rsa)).algorithm)).toBe("SHA256WithRSAPSS");
    expect(
      algorithmName(certificate(await issue(await withRole({ use_pss: true }))).algorithm),
    ).toBe("ECDSAWithSHA256");
  });
  const subject = async (role: object) =>
    certificate(await issue(await withRole(role))).text.subject;
  it("A 7.2 ou: is in the subject", async () =>
    expect(await subject({ ou: "x, y" })).toBe("CN=a.test,OU=x+OU=y"));
  it("A 7.2 organization: is in the subject", async () =>
    expect(await subject({ organization: ["x, y", "x, y"] })).toBe("CN=a.test,O=x\\, y"));
  it("A 7.2 country: is in the subject", async () =>
    expect(await subject({ country: "DE" })).toBe("CN=a.test,C=DE"));
  it("A 7.2 locality: is in the subject", async () =>
    expect(await subject({ locality: "x" })).toBe("CN=a.test,L=x"));
  it("A 7.2 province: is in the subject", async () =>
    expect(await subject({ province: "x" })).toBe("CN=a.test,ST=x"));
  it("A 7.2 street_address: is in the subject", async () =>
    expect(await subject({ street_address: "x" })).toBe("CN=a.test,STREET=x"));
  it("A 7.2 postal_code: is in the subject", async () =>
    expect(await subject({ postal_code: 7 })).toBe("CN=a.test,postalCode=7"));
  it("A 7.2 policy_identifiers: are returned as a list of OIDs and objects, and are in the certificate", async () => {
    const a = await withRole({ policy_identifiers: "1.2.3,1.2.4" });
    expect((await read(a))["policy_identifiers"]).toEqual(["1.2.3", "1.2.4"]);
    expect(valueOf(certificate(await issue(a)), extensionOid.certificatePolicies)).toEqual(
      Uint8Array.of(0x30, 12, 0x30, 4, 6, 2, 0x2a, 3, 0x30, 4, 6, 2, 0x2a, 4),
    );
    await write(a, { policy_identifiers: '[{"oid":"1.2.3","cps":"https://a.test/cps"}]' });
    expect(shown(valueOf(certificate(await issue(a)), extensionOid.certificatePolicies))).toContain(
      "https://a.test/cps",
    );
  });
  it("A 7.2 basic_constraints_valid_for_non_ca: adds an empty, critical extension", async () => {
    const leaf = certificate(
      await issue(await withRole({ basic_constraints_valid_for_non_ca: true })),
    );
    expect([
      valueOf(leaf, extensionOid.basicConstraints),
      leaf.critical.includes(extensionOid.basicConstraints),
    ]).toEqual([Uint8Array.of(0x30, 0), true]);
    expect(certificate(await issue(await withRole())).order).not.toContain(
      extensionOid.basicConstraints,
    );
  });
});
