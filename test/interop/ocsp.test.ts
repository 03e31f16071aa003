import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf, noteEvents, type Api } from "../http/api.ts";
import { directoryWith, openssl } from "../http/openssl.ts";
import { itWith } from "../support/programs.ts";
import { startServer, type RunningServer } from "../support/server.ts";

const kinds = [
  ["rsa", { key_type: "rsa", key_bits: 2048 }],
  ["p256", { key_type: "ec", key_bits: 256 }],
  ["p384", { key_type: "ec", key_bits: 384 }],
  ["ed25519", { key_type: "ed25519" }],
] as const;
type Kind = (typeof kinds)[number][0];
const names = kinds.map(([name]) => name);

let server: RunningServer;
let api: Api;
let address: string;
const directory = directoryWith();
const certificates = new Map<string, string>();
/** Serial numbers by file name. */
const serials = new Map<string, string>();

async function done(method: string, path: string, body?: unknown) {
  const answer = await api(method, `pki/${path}`, body);
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.data;
}
function keep(name: string, pem: string, serial = ""): void {
  certificates.set(name, pem);
  serials.set(name, serial);
  writeFileSync(join(directory, `${name}.pem`), `${pem}\n`);
}
const pemOf = (name: string): string => certificates.get(name) ?? "";

beforeAll(async () => {
  server = await startServer({ env: { LOG: "json" } });
  api = apiOf(server);
  address = `${server.url}/v1/pki/ocsp`;
  for (const [name, key] of kinds) {
    const root = await done("POST", "root/generate/internal", {
      ...key,
      common_name: `Root ${name}`,
      issuer_name: name,
      ttl: "87600h",
    });
    keep(`${name}-ca`, root["certificate"] ?? "");
    await done("POST", `roles/${name}`, { issuer_ref: name, key_type: "ec", allow_any_name: true });
    for (const leaf of ["good", "bad"]) {
      const made = await done("POST", `issue/${name}`, { common_name: `${leaf}.test`, ttl: "24h" });
      keep(`${name}-${leaf}`, made["certificate"] ?? "", made["serial_number"]);
    }
    await done("POST", "revoke", {
      serial_number: serials.get(`${name}-bad`),
      reason: "keyCompromise",
    });
  }
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});
noteEvents(() => server);

function hostAndPath(url: string): readonly string[] {
  const { host, pathname } = new URL(url);
  return [host, pathname];
}

/** Runs openssl with arguments that contain no spaces. */
const openssled = (line: string) => openssl(directory, ...line.split(" "));

/** Runs `openssl ocsp` for certificates of one issuer and returns its output; only the CA is trusted. */
function asked(kind: Kind, options: string): string {
  const { code, output } = openssled(
    `ocsp -CAfile ${kind}-ca.pem -issuer ${kind}-ca.pem ${options}`,
  );
  expect(output).toMatch(/Response verify OK/);
  expect([code, output.includes("WARNING"), output.includes("Nonce Verify error")]).toEqual([
    0,
    false,
    false,
  ]);
  return output;
}
const both = (kind: Kind): string => `-sha1 -cert ${kind}-good.pem -sha256 -cert ${kind}-bad.pem`;
/** Asserts the status of both certificates in one response. */
function agreed(output: string, kind: Kind): void {
  expect(output).toMatch(new RegExp(`^${kind}-good\\.pem: good$`, "m"));
  expect(output).toMatch(
    new RegExp(
      `^${kind}-bad\\.pem: revoked\\n[^]*Reason: keyCompromise\\n\\s*Revocation Time: `,
      "m",
    ),
  );
}

/** Tests OCSP clients with responses signed by the issuer or by a delegated responder. */
function readersAgree(by: "issuer" | "responder"): void {
  it.each(names)(
    "are accepted by openssl over POST for a key of type %s, with and without nonce, for two certificates at once",
    (kind) => {
      for (const nonce of ["-nonce", "-no_nonce"])
        agreed(asked(kind, `-url ${address} ${nonce} ${both(kind)}`), kind);
      const said = asked(kind, `-url ${address} -sha256 -cert ${kind}-good.pem -text`);
      expect(said.includes("OCSP No Check")).toBe(by === "responder");
      expect(said).toMatch(
        by === "issuer" ? /Responder Id: .*CN *= *Root/ : /Responder Id: [0-9A-F]{40}\n/,
      );
    },
  );

  it.each(names)("are accepted by openssl over GET for a key of type %s", async (kind) => {
    const request = join(directory, "request.der");
    const made = `ocsp -issuer ${kind}-ca.pem -no_nonce -reqout ${request} ${both(kind)}`;
    expect(openssled(made).code).toBe(0);
    const base64 = readFileSync(request).toString("base64");
    for (const path of [encodeURIComponent(base64), base64]) {
      const answer = await fetch(`${address}/${path}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        "application/ocsp-response",
      ]);
      writeFileSync(join(directory, "answer.der"), new Uint8Array(await answer.arrayBuffer()));
      agreed(asked(kind, `-respin answer.der -no_nonce ${both(kind)}`), kind);
    }
  });

  itWith("ocsptool", "--version")(
    "are accepted by ocsptool of GnuTLS, with and without nonce",
    () => {
      for (const kind of names)
        for (const [leaf, status] of [
          ["good", "good"],
          ["bad", "revoked"],
        ])
          for (const nonce of ["--nonce", "--no-nonce"]) {
            const files = `--load-issuer=${kind}-ca.pem --load-cert=${kind}-${leaf}.pem`;
            const trust = `--load-trust=${kind}-ca.pem`;
            const {
              status: code,
              stdout,
              stderr,
            } = spawnSync("ocsptool", `--ask=${address} ${files} ${trust} ${nonce}`.split(" "), {
              cwd: directory,
              encoding: "utf8",
            });
            const said = `${stdout}${stderr}`;
            expect([kind, leaf, nonce, /Certificate Status: (\w+)/.exec(said)?.[1]]).toEqual([
              kind,
              leaf,
              nonce,
              status,
            ]);
            expect(said).toMatch(/Verifying OCSP Response: Success/);
            expect(code).toBe(0);
          }
    },
  );

  itWith("go", "version")("are accepted by a program with Go's standard library", () => {
    const pairs = names.flatMap((kind) => {
      const ca = pemOf(`${kind}-ca`);
      return [pemOf(`${kind}-good`), ca, pemOf(`${kind}-bad`), ca];
    });
    const { stdout, stderr, status } = spawnSync(
      "go",
      ["run", join(import.meta.dirname, "ocsp.go"), ...hostAndPath(address)],
      {
        input: pairs.map((pem) => `${pem}\n`).join(""),
        encoding: "utf8",
        env: {
          ...process.env,
          GO111MODULE: "off",
          GOTOOLCHAIN: "local",
          GOFLAGS: "",
          CGO_ENABLED: "0",
        },
      },
    );
    expect([status, stderr]).toEqual([0, ""]);
    const of = (text: string) => Array.from({ length: 4 }, () => `${text} ${by}`);
    expect(stdout.trim().split("\n")).toEqual(
      names.flatMap(() => [...of("good"), ...of("revoked 1")]),
    );
  });
}

describe("OCSP responses signed by issuers", () => readersAgree("issuer"));

describe("OCSP responses signed by delegated responders", () => {
  beforeAll(async () => {
    for (const kind of names) await done("POST", `issuer/${kind}/ocsp-responder`, {});
  });

  readersAgree("responder");
});

describe("a revoked intermediate", () => {
  it("security row 68: is revoked in its issuer's CRL and OCSP responses, as read by openssl", async () => {
    const { csr } = await done("POST", "intermediate/generate/internal", {
      common_name: "Between",
      key_type: "ec",
    });
    const signed = await done("POST", "issuer/p256/sign-intermediate", { csr, ttl: "48h" });
    const taken = await done("POST", "intermediate/set-signed", {
      certificate: signed["certificate"],
    });
    const [id = ""] = taken.imported_issuers ?? [];
    keep("between", signed["certificate"] ?? "");
    await done("POST", "roles/below", { issuer_ref: id, key_type: "ec", allow_any_name: true });
    const leaf = await done("POST", "issue/below", { common_name: "leaf.test", ttl: "24h" });
    keep("below", leaf["certificate"] ?? "");
    const lists = async () => {
      const read = async (ref: string) => (await api("GET", `pki/issuer/${ref}/crl/pem`)).text;
      writeFileSync(join(directory, "lists.pem"), `${await read("p256")}\n${await read(id)}\n`);
    };
    const verified = () =>
      openssled(
        "verify -crl_check_all -CAfile p256-ca.pem -CRLfile lists.pem -untrusted between.pem below.pem",
      );
    const status = () => asked("p256", `-url ${address} -cert between.pem`);
    await lists();
    expect(verified()).toMatchObject({ code: 0 });
    expect(status()).toMatch(/^between\.pem: good$/m);
    await done("POST", `issuer/${id}/revoke`, {});
    await lists();
    expect(verified().output).toMatch(/error 23 at 1 depth lookup: certificate revoked/);
    expect(status()).toMatch(/^between\.pem: revoked$/m);
    // it still signs OCSP responses for the certificates it issued, with its own key
    const own = openssled(
      `ocsp -CAfile p256-ca.pem -issuer between.pem -url ${address} -cert below.pem -verify_other between.pem -partial_chain`,
    );
    expect(own.output).toMatch(/^below\.pem: good$/m);
  });
});
