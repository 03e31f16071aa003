import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../support/server.ts";
import { noteEvents } from "./api.ts";
import { directoryWith, openssl } from "./openssl.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { LOG: "json", SEALWRIGHT_TEST_CLOCK: "1" } });
});
afterAll(() => server.stop());
noteEvents(() => server);

const directory = directoryWith();
const save = (name: string, ...texts: string[]): void =>
  writeFileSync(join(directory, name), `${texts.join("\n")}\n`);

/** Runs curl in the directory and tells the body. */
function curl(...args: string[]): string {
  return execFileSync("curl", ["-sS", "--max-time", "60", ...args], {
    cwd: directory,
    encoding: "utf8",
  });
}
type Data = Record<string, string> & {
  readonly keys: string[];
  readonly ca_chain: string[];
  readonly imported_issuers: string[];
};
function call(path: string, ...args: string[]): Data {
  const answer = curl(
    "-H",
    `X-Service-Token: ${server.token}`,
    ...args,
    `${server.url}/v1/pki/${path}`,
  );
  const { data, errors } = JSON.parse(answer) as { data: Data; errors?: string[] };
  expect(errors, path).toBeUndefined();
  return data;
}
const post = (path: string, body: unknown): Data => call(path, "-d", JSON.stringify(body));
const field = (data: Data, name: string): string => {
  expect(data[name], name).toBeTypeOf("string");
  return data[name] ?? "";
};

describe("with curl alone a newcomer", () => {
  const serials: string[] = [];

  it("runs the commands that the launcher prints, as they stand, and gets a certificate", () => {
    const commands = server
      .output()
      .split("\n")
      .filter((line) => /^ {2}(?:TOKEN=|curl )/.test(line));
    expect(commands).toHaveLength(4);
    const [token = "", ...calls] = commands;
    const answers = calls.map((command, at) => {
      // nobody types them within one second: the leaf must not outlive the root by the time in
      // between
      curl(
        "-X",
        "PUT",
        "-d",
        JSON.stringify({ now: Date.now() + (at - calls.length + 1) * 3_600_000 }),
        `${server.url}/test/clock`,
      );
      return execFileSync("sh", ["-ec", `${token}\n${command}`], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    });
    const [root, role, leaf] = answers.map((line) => (JSON.parse(line) as { data: Data }).data);
    expect(role?.["allowed_domains"]).toEqual(["example.com"]);
    save("first-root.pem", root?.["certificate"] ?? "");
    save("first-leaf.pem", leaf?.["certificate"] ?? "");
    expect(
      openssl(directory, "verify", "-x509_strict", "-CAfile", "first-root.pem", "first-leaf.pem"),
    ).toEqual({ code: 0, output: "first-leaf.pem: OK\n" });
  });

  it("finds the first user and organization of the variables API under the names that the launcher prints", () => {
    const [, user, organization] =
      /^ {2}vars user {3}(\S+), in the organization (\S+)$/m.exec(server.output()) ?? [];
    const [, path = ""] = /^ {2}vars token {2}in (\S+)$/m.exec(server.output()) ?? [];
    const token = readFileSync(path, "utf8").trim();
    const ask = (path: string) =>
      JSON.parse(
        curl("-H", `Authorization: Bearer ${token}`, `${server.url}/api/v2/${path}`),
      ) as unknown;
    expect(ask("account/details")).toMatchObject({ data: { attributes: { username: user } } });
    expect(ask("organizations")).toMatchObject({ data: [{ id: organization }] });
  });

  it("makes an intermediate below the root and issues through it a leaf that openssl accepts", () => {
    save(
      "root.pem",
      field(
        post("root/generate/internal", {
          common_name: "Corp Root",
          issuer_name: "corp",
          key_type: "ec",
          key_bits: 384,
          ttl: "87600h",
        }),
        "certificate",
      ),
    );
    const csr = field(
      post("intermediate/generate/internal", { common_name: "Corp Issuing CA", key_type: "ec" }),
      "csr",
    );
    const signed = post("issuer/corp/sign-intermediate", {
      csr,
      common_name: "Corp Issuing CA",
      ttl: "43800h",
      format: "pem_bundle",
    });
    save("int.pem", field(signed, "certificate"));
    const [id = ""] = post("intermediate/set-signed", {
      certificate: field(signed, "certificate"),
    }).imported_issuers;
    expect(post("config/issuers", { default: id })["default"]).toBe(id);
    post("roles/server", {
      allowed_domains: "corp.example",
      allow_subdomains: true,
      key_type: "ec",
      max_ttl: "720h",
    });
    const leaf = post("issue/server", {
      common_name: "www.corp.example",
      alt_names: "api.corp.example",
      ip_sans: "192.0.2.1",
    });
    save("leaf.pem", field(leaf, "certificate"));
    save("leaf.key", field(leaf, "private_key"));
    save("chain.pem", ...leaf.ca_chain);
    serials.push(field(leaf, "serial_number"));
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

  it("has a CSR of openssl signed, in the other dialect and with PUT", () => {
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
    post("roles/any", {
      allowed_domains: "corp.example",
      allow_subdomains: true,
      key_type: "any",
      max_ttl: "720h",
    });
    const body = JSON.stringify({
      csr: readFileSync(join(directory, "csr.pem"), "utf8"),
      ttl: "9999h",
    });
    const refused = JSON.parse(
      curl("-H", `X-Service-Token: ${server.token}`, "-d", body, `${server.url}/v1/pki/sign/any`),
    ) as { errors?: string[] };
    expect(refused.errors?.[0]).toContain("longer than permitted maxTTL");
    const answer = curl(
      "-X",
      "PUT",
      "-H",
      `X-Vault-Token: ${server.token}`,
      "-d",
      body,
      `${server.url}/v1/pki/sign/any`,
    );
    const { data } = JSON.parse(answer) as { data: Data };
    expect(data["expiration"]).toBeTypeOf("number");
    save("csr-leaf.pem", data["certificate"] ?? "");
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

  it("lists with the verb LIST, with a query and with the override header, and without its token in none of these ways", () => {
    const override = "X-HTTP-Method-Override: LIST";
    // where list=false stands, something else must say that a list is wanted
    const ways = [
      ["certs", "-X", "LIST"],
      ["certs?list=false", "-X", "LIST"],
      ["certs?list=true"],
      ["certs?list=false", "-H", override],
    ] as const;
    for (const [path, ...args] of ways) {
      const { keys } = call(path, ...args);
      expect([path, args, keys.includes(serials[0] ?? "")]).toEqual([path, args, true]);
      const denied = JSON.parse(curl(...args, `${server.url}/v1/pki/${path}`)) as unknown;
      expect([path, args, denied]).toEqual([
        path,
        args,
        { errors: ["1 error occurred:\n\t* permission denied\n\n"] },
      ]);
    }
    expect(
      curl(
        "-o",
        "none",
        "-w",
        "%{http_code}",
        "-H",
        `X-Service-Token: ${server.token}`,
        `${server.url}/v1/pki/certs?list=false`,
      ),
    ).toBe("405");
    expect(call("roles", "-X", "LIST").keys).toEqual(["any", "server", "web"]);
  });

  it("revokes the leaf, and openssl then refuses it", () => {
    const crl = (name: string): void =>
      writeFileSync(join(directory, name), curl(`${server.url}/v1/pki/crl/pem`));
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
    crl("before.crl");
    expect(verify("before.crl").output).toBe("leaf.pem: OK\n");
    expect(post("revoke", { serial_number: serials[0] })["state"]).toBe("revoked");
    crl("after.crl");
    expect(verify("after.crl").code).not.toBe(0);
    expect(verify("after.crl").output).toContain("certificate revoked");
    expect(call("certs/revoked", "-X", "LIST").keys).toEqual(serials);
  });
});
