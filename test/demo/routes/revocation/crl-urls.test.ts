import { expect, it, vi } from "vitest";

// modules of the page read its location
vi.stubGlobal("location", { hash: "", search: "", href: "http://127.0.0.1/", origin: "" });
vi.stubGlobal("addEventListener", () => {});
vi.stubGlobal("history", { state: null, replaceState: () => {} });
vi.stubGlobal("document", { documentElement: { dataset: {} } });
vi.stubGlobal("sessionStorage", { getItem: () => null });
const { missingCrlUrls } = await import("../../../../demo/routes/revocation/crl-urls.ts");

type Issuer = Parameters<typeof missingCrlUrls>[2][number];
const none = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};
const issuer = (name: string, urls = {}): Issuer =>
  ({ issuer_id: `${name}-id`, issuer_name: name, ...none, ...urls }) as unknown as Issuer;
const crl = { crl_distribution_points: ["{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/der"] };

it("CRL shards require a CRL URL, which may be a template", () => {
  const lacking = [{ kind: "shards", isMount: true, issuers: [] }];
  expect(missingCrlUrls({ shards: 4 }, none, [issuer("one")])).toEqual(lacking);
  expect(missingCrlUrls({ shards: 4 }, none, [])).toEqual(lacking);
  expect(missingCrlUrls({ shards: 4 }, { crl_distribution_points: ["ldap://a/b"] }, [])).toEqual(
    lacking,
  );
  expect(missingCrlUrls({ shards: 4 }, crl, [issuer("one")])).toEqual([]);
  expect(missingCrlUrls({ shards: 0 }, none, [issuer("one")])).toEqual([]);
  expect(missingCrlUrls({ shards: 4, disable: true }, none, [issuer("one")])).toEqual([]);
});

it("an issuer with its own URLs does not use those of the mount", () => {
  const own = issuer("own", { ocsp_servers: ["http://a.test/ocsp"] });
  const other = issuer("other", { delta_crl_distribution_points: ["http://a.test/delta"] });
  expect(missingCrlUrls({ enable_delta: true }, none, [own, other])).toEqual([
    { kind: "delta", isMount: true, issuers: [{ id: "own-id", name: "own" }] },
  ]);
  const full = { ...crl, delta_crl_distribution_points: ["http://a.test/delta"] };
  expect(missingCrlUrls({ enable_delta: true }, full, [own, other])).toEqual([
    { kind: "delta", isMount: false, issuers: [{ id: "own-id", name: "own" }] },
  ]);
  expect(missingCrlUrls({ enable_delta: true }, none, [own])).toEqual([
    { kind: "delta", isMount: false, issuers: [{ id: "own-id", name: "own" }] },
  ]);
});
