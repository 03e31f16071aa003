import { describe, expect, it } from "vitest";
import { serialText } from "../../src/base/ids.ts";
import { findExtension } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { readCertificate, shown } from "../pki/reading.ts";
import { authority, refusal, start, warningsOf, type Authority } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
type Fields = Omit<Parameters<Authority["pki"]["patchIssuer"]>[0], "issuer_ref">;
async function ready() {
  const a = authority();
  const root = await a.root();
  await a.role("web");
  const set = (fields: Fields) => a.pki.patchIssuer({ issuer_ref: "root", ...fields });
  const issue = async (input: object = {}) =>
    a.call(
      "POST",
      "pki/issue/web",
      { common_name: "a.test", ttl: "1h", ...input },
      { compat: true },
    );
  return { ...a, certificate: root.certificate, id: root.issuer_id, set, issue };
}
/** Imports an issuer without its key. */
async function keyless(seed: number) {
  const { certificate } = await authority({ seed }).root({ common_name: `Keyless ${seed}` });
  const a = authority();
  return {
    ...a,
    id: (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers?.[0] ?? "",
    certificate,
  };
}

describe("the settings of an issuer", () => {
  it("A 3.1 GET/POST/PATCH/DELETE issuer/:ref, A 3.7 issuer_id, A 3.7 key_id, A 3.7 certificate, A 3.7 ca_chain, A 3.7 revoked: an issuer is read, written, patched and deleted", async () => {
    const { call, certificate, id } = await ready();
    const read = await call("GET", "pki/issuer/root");
    expect(read.data).toMatchObject({
      issuer_id: id,
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      certificate: `${certificate}\n`,
      ca_chain: [`${certificate}\n`],
      revoked: false,
    });
    const written = await call("POST", "pki/issuer/root", {
      issuer_name: "root",
      leaf_not_after_behavior: "permit",
    });
    expect([written.status, written.data["leaf_not_after_behavior"]]).toEqual([200, "permit"]);
    const patched = await call("PATCH", "pki/issuer/root", { usage: "read-only" }, patch);
    expect(patched.data).toMatchObject({ leaf_not_after_behavior: "permit", usage: "read-only" });
    expect((await call("POST", "pki/issuer/root", {})).data).toMatchObject({
      issuer_name: "",
      leaf_not_after_behavior: "err",
      usage: "crl-signing,issuing-certificates,ocsp-signing,read-only",
    });
    expect((await call("DELETE", `pki/issuer/${id}`)).status).toBe(200);
    for (const method of ["POST", "PATCH"])
      expect(
        (await call(method, `pki/issuer/${id}`, {}, method === "PATCH" ? patch : {})).status,
      ).toBe(400);
    const listed = await keyless(31);
    expect((await listed.call("GET", "pki/issuers?list=true")).data["key_info"]).toHaveProperty([
      listed.id,
    ]);
    const other = await keyless(32);
    expect((await other.pki.readIssuer({ issuer_ref: other.id })).key_id).toBe("");
  });

  it("A 3.7 issuer_name, A 3.7 item 5: is trimmed and unique; PATCH clears it with an empty text, POST by omitting it", async () => {
    const { call, pki, root, id } = { ...(await ready()) };
    await root({ issuer_name: "two" });
    const write = async (issuer_name: string) =>
      (await call("POST", `pki/issuer/${id}`, { issuer_name })).errors;
    expect(await write(" root ")).toEqual([]);
    expect(await write("")).toEqual(["expected non-empty issuer name"]);
    expect(await write("default")).toEqual([
      "reserved keyword 'default' can not be used as issuer name",
    ]);
    expect(await write("a b")).toEqual(["issuer name contained invalid characters"]);
    expect(await write("two")).toEqual(["issuer name already in use"]);
    expect((await call("PATCH", `pki/issuer/${id}`, { issuer_name: "two" }, patch)).errors).toEqual(
      ["issuer name already in use"],
    );
    expect((await pki.patchIssuer({ issuer_ref: id, usage: "read-only" })).issuer_name).toBe(
      "root",
    );
    expect((await pki.patchIssuer({ issuer_ref: id, issuer_name: "" })).issuer_name).toBe("");
    await pki.patchIssuer({ issuer_ref: id, issuer_name: "again" });
    expect((await pki.writeIssuer({ issuer_ref: id })).issuer_name).toBe("");
  });

  it("A 3.7 leaf_not_after_behavior, A 3.7 item 1: accepts four values, which decide about certificates that would outlive the issuer", async () => {
    const { set, issue, certificate } = await ready();
    const end = readCertificate(certificate).notAfter;
    const long = { ttl: "", not_after: "2059-01-01T00:00:00Z" };
    for (const word of ["err", "always_enforce_err"]) {
      await set({ leaf_not_after_behavior: word });
      expect((await issue(long)).errors).toEqual([
        expect.stringMatching(/^cannot satisfy request, as TTL would result in notAfter of /),
      ]);
    }
    await set({ leaf_not_after_behavior: "truncate" });
    expect((await issue(long)).data["expiration"]).toBe(end);
    await set({ leaf_not_after_behavior: "permit" });
    expect((await issue(long)).data["expiration"]).toBe(Date.UTC(2059, 0, 1) / 1000);
    expect(await refusal(set({ leaf_not_after_behavior: "warn" }))).toEqual([
      400,
      expect.stringMatching(
        /^Unknown value for field `leaf_not_after_behavior`. Possible values are /,
      ),
    ]);
  });

  it("A 3.7 manual_chain, A 3.7 item 6: is a list of references beginning with the issuer; an empty list restores the automatic chain", async () => {
    const a = await ready();
    const two = await a.root({ issuer_name: "two" });
    expect((await a.set({ manual_chain: `self, two, ${two.issuer_id}` })).manual_chain).toEqual([
      a.id,
      two.issuer_id,
      two.issuer_id,
    ]);
    expect((await a.pki.readIssuer({ issuer_ref: "root" })).ca_chain).toEqual(
      [a.certificate, two.certificate, two.certificate].map((pem) => `${pem}\n`),
    );
    expect(await refusal(a.set({ manual_chain: ["two", "self"] }))).toEqual([
      400,
      `expected first cert in chain to be a self-reference, but was: two/${two.issuer_id}`,
    ]);
    expect(await refusal(a.set({ manual_chain: ["self", "none"] }))).toEqual([
      400,
      "unable to find PKI issuer for reference: none",
    ]);
    for (const manual_chain of ["", []]) {
      await a.set({ manual_chain: "root,two" });
      const cleared = await a.set({ manual_chain });
      expect([cleared.manual_chain, cleared.ca_chain]).toEqual([null, [`${a.certificate}\n`]]);
    }
    await a.set({ manual_chain: "root,two" });
    expect((await a.pki.writeIssuer({ issuer_ref: "root" })).manual_chain).toBeNull();
  });

  it("A 3.7 usage, A 3.7 item 2: rejects unknown values, always includes read-only, and grants nothing that a revocation forbids", async () => {
    const { pki, set, id } = await ready();
    expect((await set({ usage: "issuing-certificates, issuing-certificates" })).usage).toBe(
      "issuing-certificates,read-only",
    );
    expect((await set({ usage: "" })).usage).toBe("read-only");
    expect(await refusal(set({ usage: "reading" }))).toEqual([
      400,
      expect.stringMatching(/^Unable to parse specified usages: \[reading\] - valid values are /),
    ]);
    await pki.revokeIssuer({ issuer_ref: id });
    expect(await refusal(set({ usage: "issuing-certificates" }))).toEqual([
      400,
      expect.stringContaining("This issuer was revoked"),
    ]);
    expect((await set({ usage: "crl-signing,ocsp-signing" })).usage).toBe(
      "crl-signing,ocsp-signing,read-only",
    );
  });

  it("A 3.7 revocation_signature_algorithm, A 3.7 item 3: accepts names in any case, but only algorithms of the issuer's key", async () => {
    const a = await ready();
    expect(
      (await a.set({ revocation_signature_algorithm: "ecdsawithsha256" }))
        .revocation_signature_algorithm,
    ).toBe("ECDSAWithSHA256");
    expect(
      (await a.set({ revocation_signature_algorithm: "" })).revocation_signature_algorithm,
    ).toBe("");
    expect(await refusal(a.set({ revocation_signature_algorithm: "MD5" }))).toEqual([
      400,
      expect.stringMatching(/^Unknown signature algorithm value: MD5/),
    ]);
    for (const compat of [false, true])
      expect(
        (
          await a.call(
            "PATCH",
            "pki/issuer/root",
            { revocation_signature_algorithm: "SHA256WithRSA" },
            { ...patch, compat },
          )
        ).status,
      ).toBe(400);
    await a.root({ issuer_name: "ed", key_type: "ed25519" });
    await a.root({ issuer_name: "rsa", key_type: "rsa" });
    const named = async (issuer_ref: string, revocation_signature_algorithm: string) =>
      (await a.pki.patchIssuer({ issuer_ref, revocation_signature_algorithm }))
        .revocation_signature_algorithm;
    for (const name of ["PureEd25519", "ed25519"]) expect(await named("ed", name)).toBe("Ed25519");
    for (const hash of [256, 384, 512])
      for (const kind of ["", "PSS"])
        expect(await named("rsa", `sha${hash}withrsa${kind}`)).toBe(`SHA${hash}WithRSA${kind}`);
  });

  it("A 3.7 issuing_certificates, A 3.7 crl_distribution_points, A 3.7 delta_crl_distribution_points, A 3.7 ocsp_servers, A 3.7 item 4: are in the issued certificates, and replace all URLs of the mount", async () => {
    const { set, issue, pki } = await ready();
    await pki.writeUrls({
      issuing_certificates: "http://mount.test/ca",
      ocsp_servers: "http://mount.test/ocsp",
    });
    const textOf = async () => {
      const read = readCertificate((await issue()).data["certificate"]);
      return [
        extensionOid.authorityInfoAccess,
        extensionOid.crlDistributionPoints,
        extensionOid.freshestCrl,
      ].map((oid) => shown(findExtension(read, oid)?.value ?? new Uint8Array(0)));
    };
    expect((await textOf())[0]).toContain("http://mount.test/ocsp");
    const read = await set({
      issuing_certificates: "http://own.test/ca",
      crl_distribution_points: ["http://own.test/crl"],
      delta_crl_distribution_points: "http://own.test/delta",
    });
    expect(read).toMatchObject({
      issuing_certificates: ["http://own.test/ca"],
      crl_distribution_points: ["http://own.test/crl"],
      delta_crl_distribution_points: ["http://own.test/delta"],
      ocsp_servers: [],
    });
    const [access = "", lists = "", delta = ""] = await textOf();
    expect([
      access.includes("own.test/ca"),
      access.includes("mount.test"),
      lists.includes("own.test/crl"),
      delta.includes("own.test/delta"),
    ]).toEqual([true, false, true, true]);
    for (const name of [
      "issuing_certificates",
      "crl_distribution_points",
      "delta_crl_distribution_points",
      "ocsp_servers",
    ] as const)
      for (const url of ["ca.test/x", "http://", "http://ca.test/{{issuer_id}}"])
        expect(await refusal(set({ [name]: url }))).toEqual([
          400,
          `invalid URL found in Authority Information Access (AIA) parameter ${name}: ${url}`,
        ]);
    expect((await pki.writeIssuer({ issuer_ref: "root" })).issuing_certificates).toEqual([]);
  });

  it("A 3.7 enable_aia_url_templating: fills in placeholders, warns if one has no value, and issuing then fails", async () => {
    const { set, issue, pki, id } = await ready();
    const own = await set({
      enable_aia_url_templating: true,
      issuing_certificates: "http://ca.test/{{issuer_id}}",
    });
    expect([own.enable_aia_url_templating, warningsOf(own)]).toEqual([true, []]);
    expect(
      shown(
        findExtension(
          readCertificate((await issue()).data["certificate"]),
          extensionOid.authorityInfoAccess,
        )?.value ?? new Uint8Array(0),
      ),
    ).toContain(id);
    expect(
      warningsOf(await set({ issuing_certificates: "{{cluster_aia_path}}/ca" })).join(),
    ).toMatch(/^issuance may fail: /);
    expect((await issue()).status).toBe(400);
    await pki.writeCluster({ aia_path: "http://aia.test" });
    expect((await issue()).status).toBe(200);
    for (const url of ["nowhere", "http://{{unknown}}.test/ca", "{{issuer_id}}/ca"]) {
      const answer = {
        text: `invalid URL found in Authority Information Access (AIA) parameter issuing_certificates: ${url.replace("{{issuer_id}}", id)}`,
      };
      expect(warningsOf(await set({ issuing_certificates: url }))).toEqual([
        `issuance may fail: ${answer.text}`,
      ]);
      expect(await issue()).toMatchObject({ status: 400, errors: [answer.text] });
    }
  });

  it("A 3.7 disable_critical_extension_checks, A 3.7 disable_path_length_checks, A 3.7 disable_name_checks, A 3.7 disable_name_constraint_checks: default to false, can be set one by one, and are cleared by a POST", async () => {
    const { set, pki } = await ready();
    const names = [
      "disable_critical_extension_checks",
      "disable_path_length_checks",
      "disable_name_checks",
      "disable_name_constraint_checks",
    ] as const;
    for (const name of names) {
      expect((await pki.readIssuer({ issuer_ref: "root" }))[name]).toBe(false);
      expect((await set({ [name]: true }))[name]).toBe(true);
    }
    const cleared = await pki.writeIssuer({ issuer_ref: "root" });
    expect(names.map((name) => cleared[name])).toEqual([false, false, false, false]);
    const a = authority();
    await a.root({ permitted_dns_domains: "a.test" });
    await a.role("web");
    const issue = async () =>
      (await a.call("POST", "pki/issue/web", { common_name: "b.test", ttl: "1h" })).status;
    expect(await issue()).toBe(400);
    await a.pki.patchIssuer({ issuer_ref: "root", disable_name_constraint_checks: true });
    expect(await issue()).toBe(200);
  });

  it("A 3.7 ocsp_unknown_serials: defaults to false, is kept by a PATCH of other fields and cleared by a POST", async () => {
    const { call, set, pki } = await ready();
    const shown = async () => (await pki.readIssuer({ issuer_ref: "root" })).ocsp_unknown_serials;
    expect(await shown()).toBe(false);
    expect((await set({ ocsp_unknown_serials: true })).ocsp_unknown_serials).toBe(true);
    await set({ usage: "read-only" });
    expect(await shown()).toBe(true);
    expect(
      (await call("PATCH", "pki/issuer/root", { ocsp_unknown_serials: "perhaps" }, patch)).status,
    ).toBe(400);
    expect(await shown()).toBe(true);
    await pki.writeIssuer({ issuer_ref: "root" });
    expect((await pki.readIssuer({ issuer_ref: "default" })).ocsp_unknown_serials).toBe(false);
  });

  it("A 3.7 revocation_signature_algorithm: a PSS algorithm, which OCSP cannot use, causes a warning on writes and reads", async () => {
    const a = authority();
    await a.root({ key_type: "rsa" });
    const pss = "SHA256WithRSAPSS";
    const warning = [expect.stringMatching(/PSS.*OCSP.*PKCS#1 v1\.5/)];
    expect(
      warningsOf(
        await a.pki.patchIssuer({ issuer_ref: "root", revocation_signature_algorithm: pss }),
      ),
    ).toEqual(warning);
    expect(warningsOf(await a.pki.readIssuer({ issuer_ref: "root" }))).toEqual(warning);
    expect(
      warningsOf(
        await a.pki.writeIssuer({
          issuer_ref: "root",
          issuer_name: "root",
          revocation_signature_algorithm: pss,
        }),
      ),
    ).toEqual(warning);
    await a.pki.patchIssuer({
      issuer_ref: "root",
      revocation_signature_algorithm: "SHA512WithRSA",
    });
    expect(warningsOf(await a.pki.readIssuer({ issuer_ref: "root" }))).toEqual([]);
  });

  it("A 3.7 item 7: renaming warns of roles that use the old name", async () => {
    const { pki, role, set } = await ready();
    await role("one", { issuer_ref: "root" });
    const few = await set({ issuer_name: "renamed" });
    expect(warningsOf(few)).toEqual(["1 roles reference root: one"]);
    for (let i = 0; i < 12; i++) await role(`many${i}`, { issuer_ref: "renamed" });
    expect(
      warningsOf(await pki.patchIssuer({ issuer_ref: "renamed", issuer_name: "root" })),
    ).toEqual(["The name renamed was in use by at least 10 roles"]);
  });

  it("A 3.7 item 8, A 3.8 item 3: renaming an issuer or changing the default invalidates caches; an invalid If-Modified-Since is ignored", async () => {
    const { call, clock, pki, root } = await ready();
    const since = async (path: string, date?: string) =>
      call(
        "GET",
        path,
        undefined,
        date === undefined ? {} : { header: { "if-modified-since": date } },
      );
    const first = (await since("pki/issuer/default/pem")).headers.get("last-modified") ?? "";
    expect(first).toBe(new Date(start).toUTCString());
    const held = await since("pki/issuer/default/der", first);
    expect([held.status, held.bytes.length, held.headers.get("last-modified")]).toEqual([
      304,
      0,
      first,
    ]);
    for (const path of ["pki/issuer/default/json", "pki/issuer/root/crl"]) {
      expect((await since(path)).headers.get("last-modified")).toBe(first);
      const json = await since(path, first);
      expect([path, json.status, json.text, json.headers.get("last-modified")]).toEqual([
        path,
        304,
        "",
        first,
      ]);
      for (const date of ["yesterday", new Date(start - 1000).toUTCString()])
        expect((await since(path, date)).status).toBe(200);
    }
    expect((await since("pki/issuer/default/pem", "yesterday")).status).toBe(200);
    clock.advance(60);
    await pki.patchIssuer({ issuer_ref: "root", issuer_name: "renamed" });
    expect((await since("pki/issuer/default/pem", first)).status).toBe(200);
    await root({ issuer_name: "two" });
    const now = (await since("pki/issuer/two/pem")).headers.get("last-modified") ?? "";
    clock.advance(60);
    await pki.writeIssuersConfig({ default: "two" });
    for (const form of ["pem", "json"])
      expect((await since(`pki/issuer/default/${form}`, now)).status).toBe(200);
  });
});

describe("the certificate of an issuer", () => {
  it("A 3.1 GET issuer/:ref/json, /pem, /der, A 3.8 item 1, A 3.8 item 2: is returned alone as PEM and DER, and with its chain as JSON", async () => {
    const a = await ready();
    const below = await a.intermediate();
    const json = await a.call("GET", `pki/issuer/${below.id}/json`, undefined, { token: "" });
    expect(json.data).toEqual({
      certificate: `${below.certificate}\n`,
      ca_chain: [below.certificate, a.certificate].map((pem) => `${pem}\n`),
      issuer_id: below.id,
      issuer_name: "",
    });
    const pem = await a.call("GET", `pki/issuer/${below.id}/pem`);
    expect([pem.headers.get("content-type"), pem.text]).toEqual([
      "application/pem-certificate-chain",
      below.certificate,
    ]);
    const der = await a.call("GET", `pki/issuer/${below.id}/der`);
    expect([der.headers.get("content-type"), readCertificate(der.bytes).text.subject]).toEqual([
      "application/pkix-cert",
      readCertificate(below.certificate).text.subject,
    ]);
  });
});

describe("deleting and revoking an issuer", () => {
  it("A 3.9 delete: deletes only the issuer, clears the default and warns of affected roles; repeating it succeeds", async () => {
    const a = await ready();
    const { pki, call } = a;
    await a.role("named", { issuer_ref: "root" });
    const [key] = (await pki.listKeys({})).keys;
    const below = await a.intermediate();
    const deleted = await call("DELETE", "pki/issuer/root", undefined, { compat: true });
    expect([deleted.status, deleted.json["data"]]).toEqual([200, null]);
    const warnings = String(deleted.json["warnings"]);
    for (const part of [
      "this was configured as the default issuer",
      "1 roles reference root: named",
      "1 roles reference default: web",
    ])
      expect(warnings).toContain(part);
    for (let i = 0; i < 12; i++) await a.role(`many${i}`, { issuer_ref: below.id });
    expect((await pki.readIssuersConfig({})).default).toBe("");
    expect((await pki.listKeys({})).keys).toContain(key);
    expect((await pki.readIssuer({ issuer_ref: below.id })).ca_chain).toEqual([
      `${below.certificate}\n`,
    ]);
    const many = await call("DELETE", `pki/issuer/${below.id}`, undefined, { compat: true });
    expect(String(many.json["warnings"])).toContain(
      `At least 10 roles reference ${below.id}: many0, many1, many10, many11, many2, many3, many4, many5, many6, many7`,
    );
    const again = await call("DELETE", "pki/issuer/root", undefined, { compat: true });
    expect([again.status, again.json["data"], again.json["warnings"]]).toEqual([200, null, null]);
    expect(
      (await pki.importCertificates({ pem_bundle: a.certificate })).imported_issuers,
    ).not.toEqual([a.id]);
  });

  it("B 1.2 effects, A 3.1 POST issuer/:ref/revoke, A 3.10 revoke, A 3.7 revocation_time: removes the issuing usage permanently, is recorded once, and adds it to the CRL of its parent", async () => {
    const a = await ready();
    const below = await a.intermediate();
    const before = (await a.call("GET", "pki/crl")).bytes.length;
    a.clock.advance(5);
    const revoked = await a.pki.revokeIssuer({ issuer_ref: below.id });
    const time = Math.floor(start / 1000) + 5;
    expect(revoked).toMatchObject({
      revoked: true,
      revocation_time: time,
      revocation_time_rfc3339: "2030-01-02T03:04:10Z",
      usage: "crl-signing,ocsp-signing,read-only",
    });
    a.clock.advance(5);
    expect((await a.call("GET", "pki/crl")).bytes.length).toBeGreaterThan(before);
    const serial = (await a.pki.listIssuers({})).key_info[below.id]?.serial_number ?? "";
    expect((await a.pki.readCert({ serial })).revocation_time).toBe(time);
    const again = await a.pki.revokeIssuer({ issuer_ref: below.id });
    expect([again.revocation_time, warningsOf(again)]).toEqual([time, []]);
    const own = warningsOf(await a.pki.revokeIssuer({ issuer_ref: "root" })).join();
    expect(own).toContain("self-signed");
    expect(own).toContain("lacks another parent issuer within the mount");
    expect(own).toContain("currently configured as the default issuer");
    expect((await a.call("GET", "pki/issuer/root")).data["revocation_time"]).toBe(time + 5);
    const alone = authority({ seed: 9 });
    const [id = ""] =
      (await alone.pki.importCertificates({ pem_bundle: below.certificate })).imported_issuers ??
      [];
    expect(warningsOf(await alone.pki.revokeIssuer({ issuer_ref: id })).join()).toContain(
      "lacks another parent issuer within the mount",
    );
    expect((await a.call("POST", "pki/issuer/none/revoke", {})).status).toBe(400);
  });

  it("A 3.10 revoke: a parent imported later, or whose key is imported later, lists the revoked issuer once", async () => {
    const away = authority({ seed: 41 });
    const parent = await away.pki.generateExportedRoot({
      common_name: "Parent",
      key_type: "ec",
      ttl: "80000h",
    });
    const below = await away.intermediate();
    const steps = {
      together: [`${parent.certificate}\n${parent.private_key ?? ""}`],
      "the key later": [parent.certificate, parent.private_key ?? ""],
      "the certificate later": [parent.private_key ?? "", parent.certificate],
    };
    for (const [name, bundles] of Object.entries(steps))
      for (const alone of ["importBundle", "importKey"] as const) {
        const a = authority({ seed: 42 });
        await a.root();
        const [id = ""] =
          (await a.pki.importBundle({ pem_bundle: below.certificate })).imported_issuers ?? [];
        a.clock.advance(5);
        const { revocation_time } = await a.pki.revokeIssuer({ issuer_ref: id });
        a.clock.advance(5);
        for (const pem_bundle of [...bundles, parent.certificate])
          await a.pki[pem_bundle === parent.private_key ? alone : "importBundle"]({ pem_bundle });
        const serial = (await a.pki.listIssuers({})).key_info[id]?.serial_number;
        const listed = async () => {
          const { keys } = await a.pki.listIssuers({});
          const rows = await Promise.all(
            keys.map((issuer_ref) => a.pki.readIssuer({ issuer_ref })),
          );
          const held =
            rows.find(({ certificate }) => certificate === `${parent.certificate}\n`)?.issuer_id ??
            "";
          const list = parseCrl((await a.call("GET", `pki/issuer/${held}/crl/der`)).bytes);
          return {
            held,
            entries: [...eachRevoked(list)].map((entry) => [
              serialText(entry.serial),
              entry.revokedAt,
            ]),
          };
        };
        const { held, entries } = await listed();
        expect([name, entries]).toEqual([name, [[serial, revocation_time]]]);
        await a.pki.deleteIssuer({ issuer_ref: held });
        await a.pki.importBundle({ pem_bundle: parent.certificate });
        a.clock.advance(2);
        expect((await listed()).entries).toEqual(entries);
      }
  });
});
