import { describe, expect, it } from "vitest";
import { authority, warningsOf } from "../../support/authority.ts";

describe("the URLs of a mount", () => {
  it("stay unchanged if omitted, and are cleared by an empty list", async () => {
    const a = authority();
    const none = {
      issuing_certificates: [],
      crl_distribution_points: [],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
      enable_templating: false,
    };
    expect(await a.pki.readUrls({})).toEqual(none);
    await a.pki.writeUrls({
      issuing_certificates: "http://a.test/ca,https://b.test/ca",
      ocsp_servers: ["http://a.test/ocsp"],
    });
    expect(
      await a.pki.writeUrls({ ocsp_servers: "", crl_distribution_points: "http://a.test/crl" }),
    ).toEqual({
      ...none,
      issuing_certificates: ["http://a.test/ca", "https://b.test/ca"],
      crl_distribution_points: ["http://a.test/crl"],
    });
  });
  it.each<[object, string]>([
    [
      { issuing_certificates: "a.test/ca" },
      "invalid URL found in Authority Information Access (AIA) parameter issuing_certificates: a.test/ca",
    ],
    ...[
      "http://a/\r\nb",
      "http://a/\u0000",
      "http://a/\tb",
      "http:/a",
      "http://ü/",
      "http://a/b c",
      "http:///x",
      "http://a/%zz",
    ].map((url): [object, string] => [
      { crl_distribution_points: [url] },
      `invalid URL found in Authority Information Access (AIA) parameter crl_distribution_points: ${url}`,
    ]),
    [
      { crl_distribution_points: "urn:x" },
      "invalid URL found in Authority Information Access (AIA) parameter crl_distribution_points: urn:x",
    ],
    [
      { ocsp_servers: "http://{{issuer_id}}/" },
      "invalid URL found in Authority Information Access (AIA) parameter ocsp_servers: http://{{issuer_id}}/",
    ],
    [
      { enable_templating: "maybe" },
      "Field validation failed: error converting input for field \"enable_templating\": cannot parse 'maybe' as bool",
    ],
  ])("are refused: %j", async (body, text) => {
    const answer = await authority().call("POST", "pki/config/urls", body);
    expect([answer.status, answer.errors]).toEqual([400, [text]]);
  });
  it("B 4.1 enable_templating, B 4.1 issuance may fail, B 4.3 missing value: with unset placeholders cause a warning, and issuance fails until they are set", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const written = await a.pki.writeUrls({
      enable_templating: true,
      crl_distribution_points: "{{cluster_path}}/crl",
    });
    expect(warningsOf(written)).toEqual([
      "issuance may fail: unable to template AIA URLs as we lack local cluster address information (path)",
    ]);
    const refused = await a.call("POST", "pki/issue/web", { common_name: "a.test" });
    expect([refused.status, refused.errors]).toEqual([
      400,
      ["unable to template AIA URLs as we lack local cluster address information (path)"],
    ]);
    await a.pki.writeCluster({ path: "https://ca.test/v1/pki" });
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
  });
});

describe("the cluster URLs", () => {
  it("stay unchanged if omitted", async () => {
    const { pki } = authority();
    expect(await pki.readCluster({})).toEqual({ path: "", aia_path: "" });
    await pki.writeCluster({ path: "https://ca.test/v1/pki" });
    expect(await pki.writeCluster({ aia_path: "http://ca.test/v1/pki" })).toEqual({
      path: "https://ca.test/v1/pki",
      aia_path: "http://ca.test/v1/pki",
    });
    expect(await pki.readCluster({})).toEqual({
      path: "https://ca.test/v1/pki",
      aia_path: "http://ca.test/v1/pki",
    });
  });
  it.each([
    [{ path: "no url" }, "invalid, non-URL path given to cluster: no url"],
    [{ path: "https://a/\r\nb" }, "invalid, non-URL path given to cluster: https://a/\r\nb"],
    [{ aia_path: "x" }, "invalid, non-URL aia_path given to cluster: x"],
    [{ path: [] }, /^Field validation failed/],
  ])("are rejected: %j", async (body, text) => {
    const answer = await authority().call("POST", "pki/config/cluster", body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
  });
});
