import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { authority, type Authority } from "../../support/authority.ts";

const defaults = {
  expiry: "72h",
  disable: false,
  ocsp_disable: false,
  ocsp_expiry: "12h",
  auto_rebuild: false,
  auto_rebuild_grace_period: "12h",
  enable_delta: false,
  delta_rebuild_interval: "15m",
  allow_expired_cert_revocation: false,
  cross_cluster_revocation: false,
  unified_crl: false,
  unified_crl_on_existing_paths: false,
  max_crl_entries: -1,
  shards: 0,
};
const tuned = {
  expiry: "24h",
  ocsp_disable: true,
  ocsp_expiry: "0",
  auto_rebuild: true,
  auto_rebuild_grace_period: "90m",
  enable_delta: true,
  delta_rebuild_interval: "600",
  cross_cluster_revocation: true,
  unified_crl: true,
  unified_crl_on_existing_paths: true,
};

describe("B 1.9 expiry, B 1.9 disable, B 1.9 ocsp_disable, B 1.9 ocsp_expiry, B 1.9 auto_rebuild, B 1.9 auto_rebuild_grace_period, B 1.9 enable_delta, B 1.9 delta_rebuild_interval, B 1.9 allow_expired_cert_revocation, B 1.9 cross_cluster_revocation, B 1.9 unified_crl, B 1.9 unified_crl_on_existing_paths, B 1.9 max_crl_entries, B 1.9 GET and POST: the CRL settings", () => {
  it("have their defaults if they were never written", async () => {
    expect(await authority().pki.readCrlConfig({})).toEqual(defaults);
  });

  it("stay unchanged if omitted, keep the text of durations, and are all returned", async () => {
    const { pki } = authority();
    expect(await pki.writeCrlConfig(tuned)).toEqual({ ...defaults, ...tuned });
    expect(await pki.writeCrlConfig({ expiry: "100h", max_crl_entries: "5" })).toEqual({
      ...defaults,
      ...tuned,
      expiry: "100h",
      max_crl_entries: 5,
    });
    expect(await pki.readCrlConfig({})).toMatchObject({ ...tuned, expiry: "100h" });
  });
});

describe("B 1.9 undecodable, B 1.9 ocsp_expiry below 0, B 1.9 grace not below expiry, B 1.9 interval not below expiry, B 1.9 delta without auto, B 1.9 cross-cluster without auto, B 1.9 existing paths without unified, B 1.9 unified without auto: invalid CRL settings", () => {
  const queue = /^Global, cross-cluster revocation queue cannot be enabled when auto rebuilding/;
  const delta =
    "Delta CRLs cannot be enabled when auto rebuilding is disabled as the complete CRL is always regenerated!";
  const unified = /^unified_crl=true requires auto_rebuild=true/;
  it.each<[object, string | RegExp]>([
    [{ expiry: "soon" }, /^given expiry could not be decoded: /],
    [{ expiry: "-1h" }, /^given expiry could not be decoded: /],
    [{ expiry: "300y" }, /^given expiry could not be decoded: /],
    [{ expiry: "0" }, /^the given expiry is invalid: a CRL must be valid for at least a second/],
    [
      { expiry: "999ms" },
      /^the given expiry is invalid: a CRL must be valid for at least a second/,
    ],
    [{ ocsp_expiry: "x" }, /^given ocsp_expiry could not be decoded: /],
    [{ ocsp_expiry: "9999999h" }, /^given ocsp_expiry could not be decoded: /],
    [{ ocsp_expiry: "-90m" }, "ocsp_expiry must be greater than or equal to 0 got: -1h30m0s"],
    [{ ocsp_expiry: -5 }, "ocsp_expiry must be greater than or equal to 0 got: -5s"],
    [{ auto_rebuild_grace_period: "x" }, /^given auto_rebuild_grace_period could not be decoded: /],
    [{ auto_rebuild_grace_period: "-1" }, /^given auto_rebuild_grace_period could not be decoded/],
    [{ delta_rebuild_interval: "x" }, /^given delta_rebuild_interval could not be decoded: /],
    [{ delta_rebuild_interval: "-1s" }, /^given delta_rebuild_interval could not be decoded: /],
    [
      { auto_rebuild: true, expiry: "1h", auto_rebuild_grace_period: "60m" },
      "CRL auto-rebuilding grace period (1h0m0s) must be strictly shorter than CRL expiry (1h0m0s) value when auto-rebuilding of CRLs is enabled",
    ],
    [
      { auto_rebuild: true, enable_delta: true, delta_rebuild_interval: "72h" },
      "CRL delta rebuild window (72h0m0s) must be strictly shorter than CRL expiry (72h0m0s) value when delta CRLs are enabled",
    ],
    [{ enable_delta: true }, delta],
    [{ cross_cluster_revocation: true }, queue],
    [{ unified_crl: true }, unified],
    [{ unified_crl: true, unified_crl_on_existing_paths: true }, unified],
    [
      { unified_crl_on_existing_paths: true },
      "unified_crl_on_existing_paths cannot be enabled if unified_crl is disabled",
    ],
    [{ max_crl_entries: -2 }, "max_crl_entries must be -1 or more, got -2"],
    [
      { disable: "perhaps" },
      /^Field validation failed: error converting input for field "disable"/,
    ],
  ])("are refused, and nothing changes: %j", async (body, text) => {
    await refused(authority(), body, text);
  });

  it.each<[object, string | RegExp]>([
    [{ auto_rebuild: false }, delta],
    [{ auto_rebuild: false, enable_delta: false }, queue],
    [{ auto_rebuild: false, enable_delta: false, cross_cluster_revocation: false }, unified],
    [{ unified_crl: false }, /^unified_crl_on_existing_paths cannot be enabled if/],
    [{ expiry: "10m" }, /^CRL auto-rebuilding grace period \(1h30m0s\) must be strictly shorter/],
    [
      { expiry: "10m", auto_rebuild_grace_period: "1m" },
      "CRL delta rebuild window (10m0s) must be strictly shorter than CRL expiry (10m0s) value when delta CRLs are enabled",
    ],
  ])("are rejected if they contradict the stored ones: %j", async (body, text) => {
    const a = authority();
    await a.pki.writeCrlConfig(tuned);
    await refused(a, body, text);
  });

  it("B 1.9 local-only mounts: reject cross-cluster settings on a local mount", async () => {
    const a = authority();
    await a.call("POST", "sys/mounts/near", { type: "pki", local: true });
    const write = (body: object) => a.call("POST", "near/config/crl", body);
    expect((await write({ auto_rebuild: true, cross_cluster_revocation: true })).errors).toEqual([
      "Global, cross-cluster revocation queue cannot be enabled on local mounts.",
    ]);
    expect((await write({ auto_rebuild: true, unified_crl: true })).errors).toEqual([
      "unified_crl cannot be enabled on local mounts.",
    ]);
    expect((await a.call("GET", "near/config/crl")).data).toEqual(defaults);
    expect((await write({ auto_rebuild: true, enable_delta: true })).status).toBe(200);
  });

  async function refused(a: Authority, body: object, text: string | RegExp): Promise<void> {
    const before = await a.pki.readCrlConfig({});
    const answer = await a.call("POST", "pki/config/crl", body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
    expect(await a.pki.readCrlConfig({})).toEqual(before);
  }
});

describe("B 1.9 rebuild: a change of the CRL settings", () => {
  /** Creates an authority with a revocation that no CRL contains yet. */
  async function waiting(): Promise<{ readonly a: Authority; readonly serial: string }> {
    const a = authority();
    await a.root();
    await a.role("web");
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    await a.pki.revoke({ serial_number });
    return { a, serial: serial_number.replaceAll(":", "") };
  }
  const listed = async (a: Authority): Promise<readonly string[]> => {
    const { entries } = parseCrl((await a.call("GET", "pki/crl")).bytes);
    return [...eachRevoked({ entries })].map(({ serial }) => toHex(serial));
  };

  it.each<object>([
    { auto_rebuild: false },
    { enable_delta: true },
    { unified_crl: true },
    { unified_crl: true, unified_crl_on_existing_paths: true },
  ])("builds the CRLs at once for %j", async (body) => {
    const { a, serial } = await waiting();
    await a.pki.writeCrlConfig(body);
    expect(await listed(a)).toEqual([serial]);
  });

  it.each<object>([
    { expiry: "96h" },
    { auto_rebuild: true },
    { ocsp_disable: true, ocsp_expiry: "1h" },
    { auto_rebuild_grace_period: "1h", delta_rebuild_interval: "1h" },
    { cross_cluster_revocation: true },
    { max_crl_entries: 5, allow_expired_cert_revocation: true },
  ])("leaves the CRLs unchanged for %j", async (body) => {
    const { a } = await waiting();
    await a.pki.writeCrlConfig(body);
    expect(await listed(a)).toEqual([]);
  });

  it("builds the CRLs from the revocations when CRLs are enabled again", async () => {
    const { a, serial } = await waiting();
    await a.pki.writeCrlConfig({ disable: true });
    expect(await listed(a)).toEqual([]);
    await a.pki.writeCrlConfig({ disable: false });
    expect(await listed(a)).toEqual([serial]);
  });
});
