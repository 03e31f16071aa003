import { expect, it } from "vitest";
import { otherMountIn } from "../../../../demo/routes/overview/mount-of-url.ts";

it("a URL in certificates names another mount only if it is on this server and not below this mount", () => {
  const own = "https://ca.test/v1/lab2";
  const other = (url: string): string | undefined => otherMountIn(url, own);
  expect(other("https://ca.test/v1/lab/issuer/main/crl/der")).toBe("/v1/lab");
  expect(other("http://ca.test/v1/lab/ocsp")).toBe("/v1/lab");
  expect(other("https://ca.test/v1/infra/lab/")).toBe("/v1/infra/lab");
  expect(other("https://ca.test/v1/lab2/crl")).toBeUndefined();
  expect(other("https://ca.test/v1/lab2")).toBeUndefined();
  expect(other("https://ca.test/v1/lab22")).toBe("/v1/lab22");
  expect(other("https://ca.test:8443/v1/lab/crl")).toBeUndefined();
  expect(other("https://pki.test/v1/lab/crl")).toBeUndefined();
  expect(other("{{cluster_aia_path}}/issuer/{{issuer_id}}/der")).toBeUndefined();
  expect(otherMountIn("https://ca.test/proxy/v1/lab/crl", "https://ca.test/proxy/v1/lab2")).toBe(
    "/v1/lab",
  );
});
