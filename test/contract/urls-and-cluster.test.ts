import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../support/authority.ts";
import { derOf, shown } from "../pki/reading.ts";

const lists = [
  "issuing_certificates",
  "crl_distribution_points",
  "delta_crl_distribution_points",
  "ocsp_servers",
] as const;
const none = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
  enable_templating: false,
};
const write = (a: Authority, path: string, body: object) => a.call("POST", `pki/${path}`, body);
async function issued(a: Authority) {
  const { certificate } = await a.pki.issue({ role: "web", common_name: "a.test" });
  return shown(derOf(certificate));
}
async function withRole(): Promise<Authority & { readonly id: string }> {
  const a = authority();
  const { issuer_id } = await a.root();
  await a.role("web", { ttl: "1h" });
  return { ...a, id: issuer_id };
}

describe("config/urls", () => {
  it("B 4.1 issuing_certificates, B 4.1 crl_distribution_points, B 4.1 delta_crl_distribution_points, B 4.1 ocsp_servers: are lists, as an array or comma-separated text, and empty by default", async () => {
    for (const list of lists) {
      const a = authority();
      expect((await a.call("GET", "pki/config/urls")).data).toEqual(none);
      const urls = ["http://a.test/1", "https://b.test/2"];
      for (const given of [urls, urls.join(","), urls.join(" , ")])
        expect((await write(a, "config/urls", { [list]: given })).data).toEqual({
          ...none,
          [list]: urls,
        });
    }
  });

  it("B 4.1 GET and POST: return 200 with all fields; absent fields stay unchanged, and an empty text clears a list", async () => {
    const a = authority();
    const all = Object.fromEntries(lists.map((list) => [list, `http://a.test/${list}`]));
    expect((await write(a, "config/urls", all)).status).toBe(200);
    for (const list of lists) {
      const { status, data } = await write(a, "config/urls", { [list]: "" });
      expect([status, data[list]]).toEqual([200, []]);
      expect(Object.keys(data).toSorted()).toEqual([...lists, "enable_templating"].toSorted());
      expect((await a.call("GET", "pki/config/urls")).data).toEqual(data);
    }
    expect((await a.call("PUT", "pki/config/urls", all)).data).toMatchObject({
      ocsp_servers: ["http://a.test/ocsp_servers"],
    });
  });

  it("B 4.1 invalid URL: a URL without scheme or host, or with a placeholder while templating is off, is rejected, and nothing is stored", async () => {
    const a = authority();
    for (const list of lists)
      for (const url of ["a.test/x", "/x", "http://", "urn:x", "{{cluster_path}}/x"]) {
        const { status, errors } = await write(a, "config/urls", {
          [list]: ["http://good.test/", url],
        });
        expect([status, errors]).toEqual([
          400,
          [`invalid URL found in Authority Information Access (AIA) parameter ${list}: ${url}`],
        ]);
      }
    expect(await a.pki.readUrls({})).toEqual(none);
  });
});

describe("config/cluster", () => {
  it("B 4.2 path, B 4.2 aia_path, B 4.2 GET and POST: are empty by default, absent fields stay unchanged, and both methods return 200", async () => {
    const a = authority();
    expect((await a.call("GET", "pki/config/cluster")).data).toEqual({ path: "", aia_path: "" });
    const path = "https://ca.test/v1/pki";
    const { status, data } = await write(a, "config/cluster", { path });
    expect([status, data]).toEqual([200, { path, aia_path: "" }]);
    const aia_path = "http://ca.test/v1/pki";
    expect((await write(a, "config/cluster", { aia_path })).data).toEqual({ path, aia_path });
    expect((await write(a, "config/cluster", {})).data).toEqual({ path, aia_path });
  });

  it("B 4.2 non-URL: is rejected, as is an empty text, so that neither can be cleared", async () => {
    const a = authority();
    const path = "https://ca.test/v1/pki";
    await a.pki.writeCluster({ path, aia_path: path });
    for (const bad of ["", "ca.test", "/v1/pki", "http://"]) {
      const refused = async (field: string) => {
        const { status, errors } = await write(a, "config/cluster", { [field]: bad });
        return [status, errors];
      };
      expect(await refused("path")).toEqual([
        400,
        [`invalid, non-URL path given to cluster: ${bad}`],
      ]);
      expect(await refused("aia_path")).toEqual([
        400,
        [`invalid, non-URL aia_path given to cluster: ${bad}`],
      ]);
    }
    expect(await a.pki.readCluster({})).toEqual({ path, aia_path: path });
  });
});

describe("placeholders in URLs", () => {
  it("B 4.3 issuer_id, B 4.3 cluster_path, B 4.3 cluster_aia_path: are replaced by their current values when a certificate is issued", async () => {
    const a = await withRole();
    await a.pki.writeUrls({
      enable_templating: true,
      issuing_certificates: "{{cluster_aia_path}}/issuer/{{issuer_id}}/der",
      crl_distribution_points: "{{cluster_path}}/issuer/{{issuer_id}}/crl/der",
    });
    for (const host of ["one.test", "two.test"]) {
      await a.pki.writeCluster({ path: `https://${host}/v1/p`, aia_path: `http://${host}/v1/a` });
      const certificate = await issued(a);
      expect(certificate).toContain(`http://${host}/v1/a/issuer/${a.id}/der`);
      expect(certificate).toContain(`https://${host}/v1/p/issuer/${a.id}/crl/der`);
    }
  });

  it("B 4.2 path, B 4.3 cluster_path: are joined with one slash if the value ends in one", async () => {
    const a = await withRole();
    await a.pki.writeUrls({
      enable_templating: true,
      crl_distribution_points: "{{cluster_path}}/crl",
      ocsp_servers: "{{cluster_aia_path}}ocsp",
    });
    await a.pki.writeCluster({ path: "https://one.test/v1/p/", aia_path: "http://one.test/a/" });
    const certificate = await issued(a);
    expect(certificate).toContain("https://one.test/v1/p/crl");
    expect(certificate).toContain("http://one.test/a/ocsp");
  });

  it("B 4.3 per-issuer URLs: replace all URLs of the mount, except if only delta CRL URLs are set", async () => {
    const a = await withRole();
    await a.pki.writeUrls({
      issuing_certificates: "http://mount.test/ca",
      ocsp_servers: "http://mount.test/ocsp",
    });
    const patch = (body: object) =>
      a.call("PATCH", "pki/issuer/root", JSON.stringify(body), {
        header: { "content-type": "application/merge-patch+json" },
      });
    expect((await patch({ delta_crl_distribution_points: "http://own.test/delta" })).status).toBe(
      200,
    );
    expect(await issued(a)).toContain("http://mount.test/ocsp");
    expect((await patch({ crl_distribution_points: "http://own.test/crl" })).status).toBe(200);
    const own = await issued(a);
    expect(own).toContain("http://own.test/crl");
    expect(own).not.toContain("mount.test");
  });
});
