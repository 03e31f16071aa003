import { describe, expect, it } from "vitest";
import { rfc3339 } from "../../../src/base/duration.ts";
import { serialText } from "../../../src/base/ids.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { authority, warningsOf } from "../../support/authority.ts";
import { readCertificate } from "../reading.ts";

describe("issuers", () => {
  it("are listed for anyone, sorted by ID, and readable only with a token", async () => {
    const a = authority();
    expect((await a.pki.listIssuers({})).keys).toEqual([]);
    expect((await a.call("LIST", "pki/issuers", undefined, { token: "" })).text).toBe(
      '{"errors":[]}\n',
    );
    const one = await a.root();
    const two = await a.root({ issuer_name: "two" });
    const listed = await a.call("GET", "pki/issuers?list=true", undefined, { token: "nobody" });
    expect(listed.status).toBe(200);
    expect(listed.data["keys"]).toEqual([one.issuer_id, two.issuer_id].sort());
    expect((await a.call("GET", "pki/issuer/default", undefined, { token: "" })).status).toBe(403);
  });

  it("are found by ID, by name, and by the reference `default` in any case", async () => {
    const a = authority();
    const root = await a.root();
    for (const ref of [root.issuer_id, root.issuer_id.toUpperCase(), "root", "default", "DEFAULT"])
      expect((await a.pki.readIssuer({ issuer_ref: ref })).issuer_id).toBe(root.issuer_id);
    expect((await a.call("GET", "pki/issuer/root")).data).toEqual({
      issuer_id: root.issuer_id,
      issuer_name: "root",
      key_id: root.key_id,
      certificate: `${root.certificate}\n`,
      ca_chain: [`${root.certificate}\n`],
      not_before: "2030-01-02T03:03:35Z",
      not_after: "2039-02-17T11:04:05Z",
      manual_chain: null,
      leaf_not_after_behavior: "err",
      usage: "crl-signing,issuing-certificates,ocsp-signing,read-only",
      revocation_signature_algorithm: "ECDSAWithSHA256",
      revoked: false,
      issuing_certificates: [],
      crl_distribution_points: [],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
      enable_aia_url_templating: false,
      disable_critical_extension_checks: false,
      disable_path_length_checks: false,
      disable_name_checks: false,
      disable_name_constraint_checks: false,
      ocsp_unknown_serials: false,
    });
  });

  it("include the validity of their certificates in listings, so that monitors need not parse PEM", async () => {
    const a = authority();
    const root = await a.root({ ttl: "8760h" });
    const { notBefore, notAfter } = readCertificate(root.certificate);
    const validity = {
      not_before: rfc3339(notBefore),
      not_after: rfc3339(notAfter),
    };
    expect((await a.pki.listIssuers({})).key_info[root.issuer_id]).toMatchObject(validity);
    expect(await a.pki.patchIssuer({ issuer_ref: "root", usage: ["read-only"] })).toMatchObject(
      validity,
    );
  });

  it("have their certificates and CRLs in a detailed list for anyone, and the members of a read for those who may read them", async () => {
    const a = authority();
    const { issuer_id: one } = await a.root({ issuer_name: "one" });
    const { issuer_id: two } = await a.root({ issuer_name: "two" });
    const listed = async (options: object): Promise<Readonly<Record<string, object>>> => {
      const path = "pki/issuers?list=true&detailed=true";
      const { data } = await a.call("GET", path, undefined, options);
      return data["key_info"] as Readonly<Record<string, object>>;
    };
    const plain = (await a.pki.listIssuers({})).key_info;
    const details = async (id: string) => {
      const { ca_chain: _, ...read } = (await a.call("GET", `pki/issuer/${id}`)).data;
      const [crl] = (await a.pki.listIssuers({ detailed: true })).key_info[id]?.crls ?? [];
      const { certificate } = read;
      return { open: { ...plain[id], certificate, crls: [crl] }, whole: { ...read, crls: [crl] } };
    };
    const [first, second] = [await details(one), await details(two)];
    expect(await listed({ token: "" })).toEqual({ [one]: first.open, [two]: second.open });
    expect(await listed({ token: "nobody" })).toEqual({ [one]: first.open, [two]: second.open });
    const whole = { ...second.open, ...second.whole };
    expect(await listed({})).toEqual({ [one]: { ...first.open, ...first.whole }, [two]: whole });
    // a rule on an ID applies to its spelling in capital letters
    const policy = `path "pki/issuer/+" { capabilities = ["read"] }
      path "pki/issuer/${one.toUpperCase()}" { capabilities = ["deny"] }`;
    await a.call("POST", "sys/policies/acl/two", { policy });
    const { json } = await a.call("POST", "auth/token/create", { policies: ["two"] });
    const { client_token: token } = (json as { auth: { client_token: string } }).auth;
    expect((await a.call("GET", `pki/issuer/${one}`, undefined, { token })).status).toBe(403);
    expect(await listed({ token })).toEqual({ [one]: first.open, [two]: whole });
  });

  it("have the state of their current CRL and delta CRL in a detailed list", async () => {
    const a = authority();
    const { issuer_id: id } = await a.root();
    await a.role("web");
    const crls = async () => (await a.pki.listIssuers({ detailed: true })).key_info[id]?.crls;
    const state = async (path: string) => {
      const der = (await a.call("GET", path)).bytes;
      const { thisUpdate, nextUpdate = 0 } = parseCrl(der);
      return {
        entries: [...eachRevoked(parseCrl(der))].length,
        size: der.length,
        this_update: thisUpdate,
        next_update: nextUpdate,
      };
    };
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    await a.pki.revoke({ serial_number });
    const complete = { delta: false, number: 2, ...(await state("pki/crl")) };
    expect(complete.entries).toBe(1);
    expect(await crls()).toEqual([complete]);
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    await a.pki.rotateDeltaCrl({});
    const delta = { delta: true, ...(await state("pki/crl/delta")) };
    expect(await crls()).toMatchObject([{ delta: false }, delta]);
  });

  it("have no CRL in a detailed list while only the CRLs of their shards are active", async () => {
    const a = authority();
    await a.pki.writeUrls({ crl_distribution_points: ["http://ca.test/v1/pki/crl"] });
    await a.pki.writeCrlConfig({ shards: 2 });
    const { issuer_id: id } = await a.root();
    expect((await a.call("GET", "pki/crl")).bytes).toHaveLength(0);
    expect((await a.pki.listIssuers({ detailed: true })).key_info[id]?.crls).toEqual([]);
  });

  it("return 404 for an unknown reference in the documented dialect, and 500 with the same text in the others", async () => {
    const a = authority();
    await a.root();
    for (const path of ["", "/json", "/pem", "/der", "/crl", "/crl/der", "/crl/pem"]) {
      const documented = await a.call("GET", `pki/issuer/Root${path}`);
      const compat = await a.call("GET", `pki/issuer/Root${path}`, undefined, { compat: true });
      expect([documented.status, documented.errors]).toEqual([
        404,
        ["unable to find PKI issuer for reference: Root"],
      ]);
      expect([compat.status, compat.errors]).toEqual([500, documented.errors]);
      if (path !== "")
        expect(
          (await a.call("GET", `pki/issuer/Root${path}`, undefined, { token: "" })).status,
        ).toBe(404);
    }
    expect((await authority().call("GET", "pki/issuer/default/json")).errors).toEqual([
      "no default issuer currently configured",
    ]);
  });

  it("are not found by other spellings of their names", async () => {
    const a = authority();
    await a.root();
    for (const ref of ["root.", "-root", "ro%20ot", "%2e%2e"])
      expect((await a.call("GET", `pki/issuer/${ref}`)).status).toBeGreaterThanOrEqual(400);
    expect((await a.call("GET", "pki/issuer/ROOT")).status).toBe(404);
  });
});

describe("the default issuer", () => {
  it("is set by ID or name, with a warning if it has no key", async () => {
    const a = authority();
    const root = await a.root();
    const two = await a.root({ issuer_name: "two" });
    expect(await a.pki.writeIssuersConfig({ default: "two" })).toEqual({
      default: two.issuer_id,
      default_follows_latest_issuer: false,
    });
    expect((await a.pki.readIssuersConfig({})).default).toBe(two.issuer_id);
    expect(
      readCertificate((await a.pki.readIssuer({ issuer_ref: "default" })).certificate).serial,
    ).toEqual(readCertificate(two.certificate).serial);
    const foreign = authority({ seed: 5 });
    const { certificate } = await foreign.root({ common_name: "Foreign" });
    const [id = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
    const chosen = await a.pki.writeIssuersConfig({ default: id });
    expect(warningsOf(chosen)[0]).toContain(
      "This selected default issuer has no key associated with it.",
    );
    expect(
      await a.pki.writeIssuersConfig({
        default: root.issuer_id,
        default_follows_latest_issuer: true,
      }),
    ).toEqual({
      default: root.issuer_id,
      default_follows_latest_issuer: true,
    });
  });
  it("listings mark revoked issuers, and issuers whose every path contains a revoked CA", async () => {
    const a = authority();
    const [one, two] = [await a.root(), await a.root({ issuer_name: "two" })];
    const middle = await a.intermediate({ max_path_length: 1 });
    const low = await a.intermediate({ issuer_ref: middle.id });
    const states = async () => {
      const { key_info } = await a.pki.listIssuers({});
      return [one.issuer_id, two.issuer_id, middle.id, low.id].map((id) => [
        key_info[id]?.revoked,
        key_info[id]?.issuer_revoked,
      ]);
    };
    const [fine, revoked, below] = [
      [false, false],
      [true, false],
      [false, true],
    ];
    expect(await states()).toEqual([fine, fine, fine, fine]);
    await a.pki.revokeIssuer({ issuer_ref: one.issuer_id });
    expect(await states()).toEqual([revoked, fine, below, below]);
    // another root also signs the intermediate: one valid path remains
    const { certificate } = await a.pki.signIntermediate({
      csr: middle.csr,
      issuer_ref: "two",
      use_csr_values: true,
      max_path_length: 1,
    });
    await a.pki.importCertificates({ pem_bundle: certificate });
    expect(await states()).toEqual([revoked, fine, below, fine]);
  });
  it("takes over the CRL of deleted issuers immediately, and the CRLs of both have a new date", async () => {
    const a = authority();
    for (const issuer_name of ["old", "next", "gone"]) await a.root({ issuer_name });
    await a.role("web", { issuer_ref: "gone" });
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    await a.pki.revoke({ serial_number });
    await a.pki.deleteIssuer({ issuer_ref: "gone" });
    const list = async (name: string) => {
      const answer = await a.call("GET", `pki/issuer/${name}/crl/der`);
      const serials = [...eachRevoked(parseCrl(answer.bytes))].map(({ serial }) =>
        serialText(serial),
      );
      return { serials, modified: answer.headers.get("last-modified") };
    };
    const before = await list("next");
    expect([(await list("old")).serials, before.serials]).toEqual([[serial_number], []]);
    a.clock.advance(60);
    await a.pki.writeIssuersConfig({ default: "next" });
    a.clock.advance(2);
    const [old, next] = [await list("old"), await list("next")];
    expect([old.serials, next.serials]).toEqual([[], [serial_number]]);
    const bumped = new Date(Date.parse(before.modified ?? "") + 60_000).toUTCString();
    expect([old.modified, next.modified]).toEqual([bumped, bumped]);
    a.clock.advance(60);
    await a.pki.writeIssuersConfig({ default: "next", default_follows_latest_issuer: true });
    a.clock.advance(2);
    expect((await list("next")).modified).toBe(bumped);
    // default_follows_latest_issuer moves the CRL too
    await a.root({ issuer_name: "latest" });
    await a.ca.tick();
    a.clock.advance(2);
    expect([(await list("next")).serials, (await list("latest")).serials]).toEqual([
      [],
      [serial_number],
    ]);
  });
  it.each([
    [{}, "Invalid issuer specification; must be non-empty and can't be 'default'."],
    [
      { default: "Default" },
      "Invalid issuer specification; must be non-empty and can't be 'default'.",
    ],
    [
      { default: "nobody" },
      "Error resolving issuer reference: unable to find PKI issuer for reference: nobody",
    ],
  ])("is not changed by %j", async (body, text) => {
    const a = authority();
    const root = await a.root();
    const answer = await a.call("POST", "pki/config/issuers", body);
    expect([answer.status, answer.errors]).toEqual([400, [text]]);
    expect((await a.pki.readIssuersConfig({})).default).toBe(root.issuer_id);
  });
});
