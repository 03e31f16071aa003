import { describe, expect, it } from "vitest";
import { pki } from "../../src/endpoints.ts";
import { authority } from "../support/authority.ts";

/** Returns method and path of the endpoints with an access level, sorted. */
const paths = (access: string): readonly string[] =>
  pki
    .filter((endpoint) => endpoint.access === access)
    .flatMap(({ at }) => [...at])
    .toSorted();
const lists = ["crl", "crl/delta", "unified-crl", "unified-crl/delta"];

describe("access to endpoints", () => {
  it("B 0.1 unauthenticated paths: exactly these endpoints are public", async () => {
    const open = [
      "/ca",
      "/ca/pem",
      "/ca_chain",
      ...lists.flatMap((list) => [`/${list}`, `/${list}/pem`]),
      "/cert/:serial",
      "/cert/:serial/raw",
      "/cert/:serial/raw/pem",
      ...["ca", "ca/raw", "ca/raw/pem", "ca_chain"].map((word) => `/cert/${word}`),
      ...["crl", "delta-crl", "unified-crl", "unified-delta-crl"].map((word) => `/cert/${word}`),
      "/ocsp/:request+",
      "/unified-ocsp/:request+",
      // extensions, which reject callers without a token unless the log is public
      "/log/checkpoint",
      "/log/tile/:tile+",
      ...["json", "pem", "der"].map((form) => `/issuer/:issuer_ref/${form}`),
      ...lists.flatMap((list) =>
        ["", "/der", "/pem"].map((form) => `/issuer/:issuer_ref/${list}${form}`),
      ),
    ].map((path) => `GET ${path}`);
    const others = ["LIST /issuers", "POST /ocsp", "POST /unified-ocsp"];
    // the CRLs of shards are extensions, each below the CRL that it is a part of
    const documented = paths("open").filter((path) => !path.endsWith("/shard/:shard"));
    expect(documented).toEqual([...open, ...others].toSorted());
    const { call, root } = authority();
    await root();
    for (const path of ["ca", "crl/pem", "cert/ca", "issuers?list=true", "issuer/root/crl/der"])
      expect((await call("GET", `pki/${path}`, undefined, { token: "" })).status).toBe(200);
  });

  it("B 0.1 authenticated paths: other reads and listings require a token", async () => {
    const { call, root } = authority();
    await root();
    for (const [method, path] of [
      ["LIST", "certs"],
      ["LIST", "certs/detailed"],
      ["LIST", "certs/revoked"],
      ["LIST", "certs/revocation-queue"],
      ["LIST", "certs/unified-revoked"],
      ["LIST", "cert-metadata"],
      ["GET", "cert-metadata/01"],
      ["POST", "batch/certs"],
      ["GET", "crl/rotate"],
      ["GET", "crl/rotate-delta"],
      ["GET", "tidy-status"],
      ["GET", "config/crl"],
      ["GET", "config/urls"],
      ["GET", "config/cluster"],
      ["GET", "config/issuers"],
      ["GET", "config/keys"],
      ["GET", "config/auto-tidy"],
      ["GET", "issuer/root"],
      ["LIST", "keys"],
    ] as const) {
      const body = method === "POST" ? {} : undefined;
      for (const token of ["", "stranger"]) {
        const { status, errors } = await call(method, `pki/${path}`, body, { token });
        expect([path, status, errors]).toEqual([
          path,
          403,
          [expect.stringContaining("permission denied")],
        ]);
      }
    }
  });

  it("B 0.1 sudo paths: exactly these endpoints require sudo in addition to the capability of the method", () => {
    expect(paths("sudo")).toEqual([
      "DELETE /root",
      "POST /issuer/:issuer_ref/sign-self-issued",
      "POST /root/sign-self-issued",
    ]);
    expect(paths("known")).toEqual([]);
  });
});

describe("PEM in JSON", () => {
  it("B 0 PEM trimmed: certificates, keys and CRLs end without a newline", async () => {
    const { pki: client, root, role } = authority();
    const { certificate, issuing_ca } = await root();
    await role("web");
    const leaf = await client.issue({ role: "web", common_name: "a.test" });
    const { serial_number: serial } = leaf;
    for (const pem of [
      certificate,
      issuing_ca,
      leaf.certificate,
      leaf.issuing_ca,
      leaf.private_key,
      ...(leaf.ca_chain ?? []),
      (await client.readCert({ serial })).certificate,
      (await client.readCaCert({})).certificate,
      (await client.readCertBatch({ serial_numbers: serial })).certificates[serial],
      (await client.readCrlCert({})).certificate,
    ])
      expect(pem).toMatch(/^-----BEGIN [^]+ [^]+-----$/);
  });
});
