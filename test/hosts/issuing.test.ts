import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf, noteEvents, type Answer, type Api } from "../http/api.ts";
import { directoryWith, openssl } from "../http/openssl.ts";
import { hosts, type RunningHost } from "./hosts.ts";

/** Returns the data of a successful response. */
function dataOf({ status, text, data }: Answer): Answer["data"] {
  expect(status, text).toBe(200);
  return data;
}

describe.each(hosts)("the authority of $host", ({ start }) => {
  let server: RunningHost;
  let api: Api;
  beforeAll(async () => {
    server = await start({ workers: 2, env: { LOG: "json" } });
    api = apiOf(server);
  });
  afterAll(() => server.stop());
  noteEvents(() => server);

  const directory = directoryWith();
  const save = (name: string, ...texts: readonly (string | undefined)[]): void =>
    writeFileSync(join(directory, name), `${texts.join("\n")}\n`);
  const post = async (path: string, body: unknown) =>
    dataOf(await api("POST", `pki/${path}`, body));
  const field = (data: Answer["data"], name: string): string => {
    expect(data[name], name).toBeTypeOf("string");
    return data[name] ?? "";
  };
  let serial = "";

  it("issues a leaf through an intermediate that openssl verifies against the root", async () => {
    const root = await post("root/generate/internal", {
      common_name: "Corp Root",
      issuer_name: "corp",
      key_type: "ec",
      key_bits: 384,
      ttl: "87600h",
    });
    save("root.pem", field(root, "certificate"));
    const request = { common_name: "Corp Issuing CA", key_type: "ec" };
    const signed = await post("issuer/corp/sign-intermediate", {
      csr: field(await post("intermediate/generate/internal", request), "csr"),
      common_name: "Corp Issuing CA",
      ttl: "43800h",
      format: "pem_bundle",
    });
    save("int.pem", field(signed, "certificate"));
    const imported = await post("intermediate/set-signed", {
      certificate: field(signed, "certificate"),
    });
    const [id = ""] = imported.imported_issuers;
    expect((await post("config/issuers", { default: id }))["default"]).toBe(id);
    await post("roles/server", {
      allowed_domains: "corp.example",
      allow_subdomains: true,
      key_type: "ec",
      max_ttl: "720h",
    });
    const leaf = await post("issue/server", {
      common_name: "www.corp.example",
      alt_names: "api.corp.example",
      ip_sans: "192.0.2.1",
    });
    save("leaf.pem", field(leaf, "certificate"));
    save("leaf.key", field(leaf, "private_key"));
    save("chain.pem", ...leaf.ca_chain);
    serial = field(leaf, "serial_number");
    const verified = openssl(
      directory,
      "verify",
      "-x509_strict",
      "-purpose",
      "sslserver",
      "-verify_hostname",
      "api.corp.example",
      "-CAfile",
      "root.pem",
      "-untrusted",
      "int.pem",
      "leaf.pem",
    );
    expect(verified).toEqual({ code: 0, output: "leaf.pem: OK\n" });
    expect(openssl(directory, "pkey", "-in", "leaf.key", "-pubout").output).toBe(
      openssl(directory, "x509", "-in", "leaf.pem", "-noout", "-pubkey").output,
    );
  });

  it("signs a CSR made by openssl, in the compat dialect and with PUT", async () => {
    const made = openssl(
      directory,
      "req",
      "-new",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "csr.key",
      "-subj",
      "/CN=mail.corp.example",
      "-addext",
      "subjectAltName=DNS:imap.corp.example",
      "-out",
      "csr.pem",
    );
    expect(made.code, made.output).toBe(0);
    await post("roles/any", {
      allowed_domains: "corp.example",
      allow_subdomains: true,
      key_type: "any",
      max_ttl: "720h",
    });
    const body = { csr: readFileSync(join(directory, "csr.pem"), "utf8"), ttl: "9999h" };
    const refused = await api("POST", "pki/sign/any", body);
    expect(refused.text).toContain("longer than permitted maxTTL");
    const data = dataOf(await api("PUT", "pki/sign/any", body, { token: "X-Vault-Token" }));
    expect(data["expiration"]).toBeTypeOf("number");
    save("csr-leaf.pem", field(data, "certificate"));
    expect(
      openssl(
        directory,
        "verify",
        "-x509_strict",
        "-CAfile",
        "root.pem",
        "-untrusted",
        "int.pem",
        "csr-leaf.pem",
      ).output,
    ).toBe("csr-leaf.pem: OK\n");
    expect(openssl(directory, "x509", "-in", "csr-leaf.pem", "-noout", "-pubkey").output).toBe(
      openssl(directory, "pkey", "-in", "csr.key", "-pubout").output,
    );
    expect(
      openssl(directory, "x509", "-in", "csr-leaf.pem", "-noout", "-ext", "subjectAltName").output,
    ).toContain("DNS:imap.corp.example, DNS:mail.corp.example");
  });

  it("revokes the leaf, which openssl then rejects with the new CRL", async () => {
    const crl = async (name: string): Promise<void> =>
      save(name, (await api("GET", "pki/crl/pem", undefined, { token: "none" })).text);
    const verify = (name: string) =>
      openssl(
        directory,
        "verify",
        "-x509_strict",
        "-crl_check",
        "-CRLfile",
        name,
        "-CAfile",
        "root.pem",
        "-untrusted",
        "int.pem",
        "leaf.pem",
      );
    await crl("before.crl");
    expect(verify("before.crl").output).toBe("leaf.pem: OK\n");
    expect((await post("revoke", { serial_number: serial }))["state"]).toBe("revoked");
    await crl("after.crl");
    expect(verify("after.crl").code).not.toBe(0);
    expect(verify("after.crl").output).toContain("certificate revoked");
    expect(dataOf(await api("GET", "pki/certs/revoked?list=true")).keys).toEqual([serial]);
  });
});
