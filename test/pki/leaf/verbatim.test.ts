import { describe, expect, it } from "vitest";
import { crafted } from "../crafted.ts";
import { keyOf, readCertificate, request, sanOf } from "../reading.ts";
import { findExtension } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { extKeyUsage, readExtKeyUsage } from "../../../src/x509/usage.ts";
import { authority, start, type Answer, type Authority } from "../../support/authority.ts";

const now = start / 1000;
const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
async function withRoot(): Promise<Authority> {
  const a = authority();
  await a.root();
  return a;
}
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "rsa", allow_localhost: false, ...role });
const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0] = { cn: "a.test" },
  body: object = {},
  sent: object = {},
  path = "pki/sign-verbatim",
): Promise<Answer> => a.call("POST", path, { csr: await request(csr), ...body }, sent);
const ofRole = (a: Authority, body: object = {}, sent: object = {}) =>
  sign(a, undefined, body, sent, "pki/sign-verbatim/web");
const certificate = (answer: Answer) => {
  expect(answer.errors).toEqual([]);
  return readCertificate(answer.data["certificate"]);
};

describe("a CSR with a long name", () => {
  const dns =
    "the DNS name %s is too long: a name may have at most 253 octets, and each label at most 63";
  const mail = "the email address %s is too long: an address may have at most 254 octets";
  const long = {
    label: `${"a".repeat(64)}.test`,
    name: `${"abcdef.".repeat(36)}bc`,
    address: `u@${"a".repeat(253)}`,
  };
  it.each([
    ["a label", { dns: ["a.test", long.label] }, dns.replace("%s", long.label)],
    ["a DNS name", { dns: [long.name] }, dns.replace("%s", long.name)],
    ["a mail address", { email: ["u@a.test", long.address] }, mail.replace("%s", long.address)],
  ])("is rejected beyond the limit, for leaves and for CAs: %s", async (_, names, refusal) => {
    const a = await withRoot();
    await write(a, {
      allow_any_name: true,
      enforce_hostnames: false,
      cn_validations: ["disabled"],
      require_cn: false,
      key_type: "any",
    });
    const csr = await request({ cn: "a.test", extensions: [sanOf(names)] });
    for (const sent of [{}, { compat: true }]) {
      for (const [path, body] of [
        ["sign-verbatim", {}],
        ["sign-verbatim/web", {}],
        ["issuer/root/sign-verbatim", {}],
        ["root/sign-intermediate", { use_csr_values: true }],
      ] as const) {
        const answer = await a.call("POST", `pki/${path}`, { csr, ...body }, sent);
        expect([path, answer.status, outcome(answer)]).toEqual([path, 400, refusal]);
        expect(a.events.at(-1)?.refusal).toBe("name_not_allowed");
      }
      expect((await a.call("POST", "pki/sign/web", { csr }, sent)).status).toBe(400);
    }
    const own = await crafted({ subject: "Twin", extensions: [sanOf(names)] });
    for (const form of ["root", "issuer/default"])
      expect(
        outcome(await a.call("POST", `pki/${form}/sign-self-issued`, { certificate: own })),
      ).toBe(refusal);
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
  });

  it("is signed with names of the maximum length", async () => {
    const a = await withRoot();
    const names = {
      dns: [`${"a".repeat(63)}.test`, `${"abcdef.".repeat(36)}b.`],
      email: [`u@${"a".repeat(252)}`],
    };
    expect(
      certificate(await sign(a, { cn: "a.test", extensions: [sanOf(names)] })).names,
    ).toMatchObject(names);
  });
});

describe("sign-verbatim", () => {
  it("uses only the lifetime, issuer, lease and storage settings of its role", async () => {
    const a = await withRoot();
    await a.root({ issuer_name: "two", common_name: "Second" });
    await write(a, {
      ttl: "2h",
      max_ttl: "3h",
      not_before_duration: 90,
      issuer_ref: "two",
      server_flag: true,
      basic_constraints_valid_for_non_ca: true,
      not_after: "2031-01-01T00:00:00Z",
    });
    const leaf = certificate(await ofRole(a));
    expect(leaf).toMatchObject({
      notBefore: now - 90,
      notAfter: now + 7200,
      purposes: [],
      text: { issuer: "CN=Second" },
    });
    expect(outcome(await ofRole(a, { ttl: "4h" }))).toBe(
      'cannot satisfy request, as TTL "4h0m0s" is longer than permitted maxTTL "3h0m0s"',
    );
    expect(certificate(await ofRole(a, { ttl: "4h" }, { compat: true })).notAfter).toBe(
      now + 3 * 3600,
    );
    expect(outcome(await ofRole(a, { not_after: "2031-01-01T00:00:00Z" }))).toContain(
      "is later than permitted by maxTTL",
    );
  });

  it("returns a lease of its own path if a role generates leases, and none without a role", async () => {
    const a = await withRoot();
    await write(a, { generate_lease: true });
    const leased = await ofRole(a, { ttl: 60 });
    expect(leased.json).toMatchObject({
      lease_id: expect.stringMatching(
        /^pki\/sign-verbatim\/web\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      ) as string,
      lease_duration: 60,
      renewable: false,
    });
    expect((await sign(a)).json).toMatchObject({ lease_id: "", lease_duration: 0 });
    await write(a, { generate_lease: true, no_store: true });
    expect((await ofRole(a)).json).toMatchObject({ lease_id: "", lease_duration: 0 });
    expect(
      (await a.call("GET", `pki/cert/${String((await ofRole(a)).data["serial_number"])}`)).status,
    ).toBe(404);
  });

  it("returns the expiration in the compat dialect only", async () => {
    const a = await withRoot();
    expect((await sign(a, undefined, { ttl: 60 })).data).not.toHaveProperty("expiration");
    expect((await sign(a, undefined, { ttl: 60 }, { compat: true })).data["expiration"]).toBe(
      now + 60,
    );
  });

  it("stores metadata with the name of the role, or with an empty name without one", async () => {
    const a = await withRoot();
    await write(a, {});
    for (const [answer, role] of [
      [await sign(a, undefined, { metadata: "aGk=" }), ""],
      [await ofRole(a, { cert_metadata: "aGk=" }), "web"],
    ] as const)
      expect(
        (await a.call("GET", `pki/cert-metadata/${String(answer.data["serial_number"])}`)).data,
      ).toMatchObject({ role, cert_metadata: "aGk=" });
    await write(a, { no_store_metadata: true });
    expect((await ofRole(a, { metadata: "aGk=" })).status).toBe(400);
  });

  it("backdates by 30 seconds by default, and not at all if not_before_duration is 0", async () => {
    const a = await withRoot();
    expect(certificate(await sign(a)).notBefore).toBe(now - 30);
    await write(a, { not_before_duration: 0 });
    expect(certificate(await ofRole(a)).notBefore).toBe(now);
  });

  it("accepts keys of every type, and ignores enforce_leaf_not_after_behavior without a warning", async () => {
    const a = await withRoot();
    await write(a, { key_type: "ec", key_bits: 521 });
    for (const kind of ["P-256", "RSA", "Ed25519"] as const)
      expect(
        (
          await sign(
            a,
            { cn: "a.test", key: await keyOf(kind) },
            { key_usage: "DigitalSignature" },
            {},
            "pki/sign-verbatim/web",
          )
        ).status,
      ).toBe(200);
    const answer = await sign(a, undefined, {
      enforce_leaf_not_after_behavior: true,
      not_after: "2031-01-01T00:00:00Z",
    });
    expect([answer.json["warnings"], certificate(answer).notAfter]).toEqual([
      "",
      Date.UTC(2031, 0, 1) / 1000,
    ]);
    expect(outcome(await sign(a, undefined, { not_after: "9999-12-31T23:59:59Z" }))).toMatch(
      /beyond the expiration of the CA certificate/,
    );
  });

  it("rejects invalid times, and both ttl and not_after", async () => {
    const a = await withRoot();
    for (const body of [{ not_after: "soon" }, { not_before: "soon" }]) {
      expect(outcome(await sign(a, undefined, body))).toBe(
        'cannot parse "soon" as an RFC 3339 time such as 2030-01-02T03:04:05Z',
      );
      expect(a.events.at(-1)?.refusal).toBe("invalid_field");
    }
    expect(
      outcome(await sign(a, undefined, { ttl: 5, not_after: "2031-01-01T00:00:00Z" })),
    ).toMatch(/^Either ttl or not_after/);
  });
});

describe("a CSR that requests OCSP signing", () => {
  const [client, signing] = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.9"];
  const asked = { cn: "a.test", extensions: [extKeyUsage([signing, client])] };
  const purposesOf = (answer: Answer) => {
    const found = findExtension(certificate(answer), extensionOid.extKeyUsage);
    return found ? readExtKeyUsage(found.value) : undefined;
  };

  it("gets that purpose only if the request or its role names it, and a warning otherwise", async () => {
    const a = await withRoot();
    await write(a, { ext_key_usage: ["OCSPSigning"] });
    const bare = await sign(a, asked);
    expect([purposesOf(bare), bare.json["warnings"]]).toEqual([
      [client],
      expect.stringContaining("the CSR requests the extended key usage OCSPSigning, which"),
    ]);
    expect(purposesOf(await sign(a, { cn: "a.test", extensions: [extKeyUsage([signing])] }))).toBe(
      undefined,
    );
    for (const [body, path] of [
      [{ ext_key_usage: ["OCSPSigning"] }, "pki/sign-verbatim"],
      [{ ext_key_usage_oids: [signing] }, "pki/issuer/root/sign-verbatim"],
      [{}, "pki/sign-verbatim/web"],
    ] as const)
      expect(purposesOf(await sign(a, asked, body, {}, path))).toEqual([signing, client]);
  });
});
