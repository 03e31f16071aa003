import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { algorithmIdentifier } from "../../src/x509/algorithm.ts";
import { assemble } from "../../src/x509/certificate.ts";
import { basicConstraints, keyUsage } from "../../src/x509/extension.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";
import { bytesOf, readCertificate, request, sanOf, type Read } from "./reading.ts";

const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
/** The certificate that a dry run shows, with a signature that says nothing. */
const shownOf = ({ data }: Answer): Read =>
  readCertificate(assemble(bytesOf(data["tbs_certificate"]), algorithmIdentifier({ name: "ECDSA", hash: "SHA-256" }), new Uint8Array(8)));
/** What two certificates must have alike: all but serial number, key and key identifier. */
const alike = ({ issuer, subject, notBefore, notAfter, extensions, tbs }: Read, withKey: boolean) => ({
  issuer,
  subject,
  notBefore,
  notAfter,
  extensions: extensions.filter((one) => withKey || one.oid !== extensionOid.subjectKeyIdentifier),
  ...(withKey ? { length: tbs.length } : {}),
});
async function everyRow(a: Authority): Promise<string> {
  const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<Record<string, { readonly uuid: string }>>;
  return JSON.stringify((await a.stores(mounts["pki/"]?.uuid ?? "").list("")).map(([key, { value }]) => [key, value]));
}

/** The first value most of the time, so that many requests are granted. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6 * others.length, arbitrary: fc.constant(usual) }, ...others.map((other) => fc.constant(other)));

describe("a dry run", () => {
  it("comes to the same as the real call, whatever the role and the request", async () => {
    const a = authority();
    await a.root({ ttl: "2000h" });
    const limited = await a.intermediate({ permitted_dns_domains: "a.test", ttl: "1000h" });
    const csrs = await Promise.all([
      request({ cn: "www.a.test" }),
      request({ cn: "b.test", extensions: [sanOf({ dns: ["b.test", "*.a.test"], ip: ["192.0.2.1"], uri: ["https://a.test/"] })] }),
      request({ extensions: [sanOf({ email: ["u@a.test"] })] }),
      request({ cn: "www.a.test", extensions: [basicConstraints(true)] }),
      request({ cn: "www.a.test", extensions: [basicConstraints(false), keyUsage(["DigitalSignature"])] }),
      Promise.resolve(""),
      Promise.resolve("nothing"),
    ]);
    const rules = fc.record({
      allow_any_name: mostly(true, false),
      allowed_domains: mostly(["a.test"], ["*.a.test"], []),
      allow_subdomains: mostly(true, false),
      allow_glob_domains: fc.boolean(),
      allow_wildcard_certificates: mostly(true, false),
      allow_ip_sans: mostly(true, false),
      allowed_uri_sans: mostly(["https://*"], []),
      allowed_other_sans: mostly(["*"], []),
      allowed_user_ids: mostly(["u*"], []),
      allowed_serial_numbers: mostly(["*"], []),
      require_cn: mostly(false, true),
      use_csr_common_name: fc.boolean(),
      use_csr_sans: fc.boolean(),
      key_type: mostly("ec", "ed25519", "any"),
      no_store_metadata: fc.boolean(),
      max_ttl: mostly(0, 3600),
      not_after: mostly("", "2030-01-03T00:00:00Z"),
      issuer_ref: mostly("root", limited.id, limited.id, "gone"),
      basic_constraints_valid_for_non_ca: fc.boolean(),
    });
    const asked = fc.record(
      {
        common_name: mostly("www.a.test", "b.test", "*.a.test", "a.test", "", "Some Body", "-.test"),
        alt_names: mostly("", "x.a.test", "b.test,u@a.test", "a_b"),
        ip_sans: mostly("", "192.0.2.1", "nonsense"),
        uri_sans: mostly("", "https://a.test/", "x"),
        other_sans: mostly("", "1.2.3;UTF8:x", "broken"),
        user_ids: mostly("", "u1", "x"),
        serial_number: mostly("", "7"),
        ttl: mostly<number | string>(60, "3h", "5000h"),
        not_after: mostly("2030-02-01T00:00:00Z", "2029-01-01T00:00:00Z"),
        format: mostly("pem", "der", "jks"),
        private_key_format: mostly("der", "jwk"),
        cert_metadata: mostly("", "AAAA", "?"),
        exclude_cn_from_sans: fc.boolean(),
        key_usage: mostly(["DigitalSignature"], []),
      },
      { requiredKeys: ["common_name"] },
    );
    const seen = { issued: 0, refused: 0 };
    const property = fc.asyncProperty(
      rules,
      asked,
      fc.constantFrom("issue", "sign", "sign-verbatim"),
      mostly(csrs[0] ?? "", ...csrs),
      fc.boolean(),
      async (role, body, call, csr, compat) => {
        // a role is stored as it is; the issuer may be gone by the time it is used
        const written = await a.call("POST", "pki/roles/r", { ...role, ...(role.issuer_ref === "gone" ? { issuer_ref: "default" } : {}) });
        expect(written.status).toBeLessThan(300);
        const at = role.issuer_ref === "gone" ? "issuer/gone/" : "";
        const sent = call === "issue" ? body : { ...body, csr };
        const said = await a.call("POST", `pki/${at}explain/${call}/r`, sent, { compat });
        const real = await a.call("POST", `pki/${at}${call}/r`, sent, { compat });
        expect([said.status, said.data["would_issue"], said.data["refusal"]]).toEqual([200, real.status === 200, real.errors[0]]);
        seen[real.status === 200 ? "issued" : "refused"]++;
        if (real.status !== 200) return;
        const certificate = readCertificate(body.format === "der" ? bytesOf(real.data["certificate"]) : real.data["certificate"]);
        expect(alike(shownOf(said), call !== "issue")).toEqual(alike(certificate, call !== "issue"));
        const warnings = compat ? strings(real.json["warnings"]) : String(real.json["warnings"]).split("\n").filter(Boolean);
        const ignored = /^Endpoint (ignored|replaced)/;
        expect(strings(said.data["warnings"]).filter((one) => !ignored.test(one))).toEqual(warnings.filter((one) => !ignored.test(one)));
      },
    );
    await fc.assert(property, { seed: 11, numRuns: 250 });
    const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
    process.stdout.write(`seed ${seed}\n`);
    await fc.assert(property, { seed, numRuns: 60 });
    expect(Math.min(seen.issued, seen.refused)).toBeGreaterThan(15);
  }, 60_000);

  it("names every rule with its input and its verdict, and the first that says no", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { allow_any_name: false, allowed_domains: ["a.test"], allow_subdomains: true, allow_ip_sans: false });
    const said = await a.pki.explainIssue({ role: "web", common_name: "www.a.test", alt_names: "b.test", ip_sans: "192.0.2.1", ttl: 60 });
    expect(said.would_issue).toBe(false);
    expect(said.refusal).toBe("subject alternate name b.test not allowed by this role");
    const rules = said.rules as readonly { readonly rule: string; readonly input: string; readonly allowed: boolean; readonly reason?: string }[];
    for (const one of rules)
      expect([typeof one.rule, typeof one.input, one.allowed, one.reason === undefined]).toEqual(["string", "string", one.allowed, one.allowed]);
    const verdicts = rules.map(({ input, allowed }) => `${input} ${allowed}`);
    for (const verdict of ["www.a.test true", "b.test false", "192.0.2.1 false"]) expect(verdicts).toContain(verdict);
    expect(rules.find((one) => one.input === "192.0.2.1")).toMatchObject({ rule: "allow_ip_sans", allowed: false });
  });

  it("tells in the same way about sign and sign-verbatim, below an issuer of the path too", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { key_type: "rsa" });
    const csr = await request({ cn: "a.test" });
    expect(await a.pki.explainSign({ role: "web", csr, ttl: 60 })).toMatchObject({ would_issue: false, refusal: "role requires keys of type rsa" });
    expect(await a.pki.explainVerbatim({ csr, ttl: 60 })).toMatchObject({ would_issue: true });
    const ca = await request({ cn: "a.test", extensions: [basicConstraints(true)] });
    expect((await a.call("POST", "pki/issuer/root/explain/sign-verbatim", { csr: ca, ttl: 60 })).data).toMatchObject({
      would_issue: false,
      refusal: expect.stringContaining("asks for a CA"),
    });
    expect((await a.call("POST", "pki/issuer/root/explain/sign-verbatim/web", { csr, ttl: 60 })).data).toMatchObject({ would_issue: true });
    for (const path of ["issue/none", "sign/none", "sign-verbatim/none"])
      expect(await a.call("POST", `pki/explain/${path}`, { csr })).toMatchObject({ status: 400, errors: ["unknown role: none"] });
  });

  it("stores nothing: no certificate, no metadata, no serial number", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const csr = await request({ cn: "a.test" });
    const before = await everyRow(a);
    for (const path of ["issue/web", "sign/web", "sign-verbatim", "sign-verbatim/web"])
      expect((await a.call("POST", `pki/explain/${path}`, { common_name: "a.test", csr, ttl: 60, cert_metadata: "AAAA" })).data["would_issue"]).toBe(true);
    expect(await everyRow(a)).toBe(before);
  });

  it("needs the capability of the real path, and no other gives it", async () => {
    const may = (path: string) => authority({ authenticate: async (id) => ({ id, can: (_, asked) => id === "root" || asked === path }) });
    const csr = await request({ cn: "a.test" });
    for (const [call, id] of [
      ["issue", "explainIssue"],
      ["sign", "explainSign"],
      ["sign-verbatim", "explainVerbatim"],
    ] as const)
      for (const [granted, status] of [
        [`pki/${call}/web`, 200],
        [`pki/explain/${call}/web`, 403],
        ["pki/issue/other", 403],
      ] as const) {
        const a = may(granted);
        await a.root();
        await a.role("web");
        const answer = await a.call("POST", `pki/explain/${call}/web`, { common_name: "a.test", csr, ttl: 60 }, { token: "limited" });
        expect([id, granted, answer.status]).toEqual([id, granted, status]);
      }
  });
});
