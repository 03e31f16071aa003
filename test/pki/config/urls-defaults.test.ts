import { describe, expect, it } from "vitest";
import { authority, refusal, warningsOf, type Authority } from "../../support/authority.ts";
import { verified } from "../reading.ts";

const path = "https://ca.test/v1/pki";
/** Sends a GET to a URL in a certificate. */
const fetched = (a: Authority, url: string) =>
  a.call("GET", url.replace(/^https?:\/\/ca\.test\/v1\//, ""), undefined, { token: "" });

describe("POST config/urls/defaults", () => {
  it("sets URLs that lead to the issuer's certificate and to the CRL that revokes a certificate", async () => {
    const a = authority();
    const root = await a.root();
    await a.pki.writeCluster({ path });
    const filled = await a.pki.fillUrls({});
    expect(filled).toEqual({
      issuing_certificates: ["{{cluster_path}}/issuer/{{issuer_id}}/der"],
      crl_distribution_points: ["{{cluster_path}}/issuer/{{issuer_id}}/crl/der"],
      delta_crl_distribution_points: [],
      ocsp_servers: ["{{cluster_path}}/ocsp"],
      enable_templating: true,
    });
    expect(warningsOf(filled)).toEqual([]);
    expect(await a.pki.readUrls({})).toEqual(filled);
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    const fill = (url = "") =>
      url.replace("{{cluster_path}}", path).replace("{{issuer_id}}", root.issuer_id);
    const ca = await fetched(a, fill(filled.issuing_certificates[0]));
    expect(ca.bytes).toEqual((await a.call("GET", "pki/ca")).bytes);
    await a.pki.revoke({ serial_number: leaf.serial_number });
    const list = await fetched(a, fill(filled.crl_distribution_points[0]));
    expect(list.headers.get("content-type")).toBe("application/pkix-crl");
    const pem = (await a.call("GET", "pki/crl/pem")).text;
    expect(list.bytes).toEqual((await a.call("GET", "pki/crl")).bytes);
    expect(() =>
      verified(leaf.certificate, { root: root.certificate, crls: [pem], at: a.clock.now }),
    ).toThrow(/certificate revoked/);
  });

  it("prefers aia_path, includes deltas and OCSP if enabled, and warns of replaced URLs", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCluster({ path, aia_path: "http://ca.test/v1/pki/" });
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true, ocsp_disable: true });
    await a.pki.writeUrls({
      ocsp_servers: "http://old.test/",
      crl_distribution_points: "http://old.test/crl",
    });
    const filled = await a.pki.fillUrls({});
    expect(filled).toEqual({
      issuing_certificates: ["{{cluster_aia_path}}issuer/{{issuer_id}}/der"],
      crl_distribution_points: ["{{cluster_aia_path}}issuer/{{issuer_id}}/crl/der"],
      delta_crl_distribution_points: ["{{cluster_aia_path}}issuer/{{issuer_id}}/crl/delta/der"],
      ocsp_servers: [],
      enable_templating: true,
      warnings: [
        "the previous URLs of these fields were replaced: crl_distribution_points, ocsp_servers",
      ],
    });
    expect(warningsOf(await a.pki.fillUrls({}))).toEqual([]);
  });

  it("is rejected with the missing call if the cluster has no path, and changes nothing", async () => {
    const a = authority();
    await a.pki.writeUrls({ ocsp_servers: "http://old.test/" });
    const before = await a.pki.readUrls({});
    expect(await refusal(a.pki.fillUrls({}))).toEqual([
      400,
      '/config/cluster has no path, which the URLs must begin with: set it with POST /config/cluster {"path": "https://…/v1/<mount>"}',
    ]);
    expect(await a.pki.readUrls({})).toEqual(before);
    expect((await a.call("POST", "pki/config/urls/defaults", {}, { token: "reader" })).status).toBe(
      403,
    );
  });
});
