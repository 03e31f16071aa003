import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { keytool, readsPbmac1 } from "../archive/entry.ts";
import { authority } from "../support/authority.ts";
import { installed, itWith, needs } from "../support/programs.ts";
import { temporaryDirectory } from "../support/server.ts";
import { run } from "./acme/command.ts";

const directory = temporaryDirectory();
const program = join(directory, "go-archives");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: join(import.meta.dirname, "go-archives"), env, encoding: "utf8" });

/** An archive that the server returned, in a file. */
interface Archive {
  readonly file: string;
  readonly password: string;
  /** A private key with its chain, or trusted certificates. */
  readonly what: "key" | "trust";
  readonly encoder: "modern2026" | "modern2023" | "jks";
  /** Type of the key. */
  readonly kind: string;
}
const archives: Archive[] = [];
const encoders = ["modern2026", "modern2023", "jks"] as const;
const kinds = ["ec", "rsa", "ed25519"] as const;

/** Why the modules are not available, if they are not. */
let missing = "";
beforeAll(async () => {
  const { pki, ...a } = authority();
  await a.root();
  const { id: issuer_ref } = await a.intermediate();
  const keep = (encoder: Archive["encoder"], kind: string, made: object, sent?: string) => {
    // replies of these formats have the archive, and its password if the server generated it
    const { certificate, pkcs12_password, jks_password } = made as Record<string, string>;
    const what = kind === "trusted" ? "trust" : "key";
    const file = join(directory, `${encoder}-${kind}-${archives.length}`);
    writeFileSync(file, Buffer.from(certificate ?? "", "base64"));
    const password = sent ?? pkcs12_password ?? jks_password ?? "";
    archives.push({ file, password, what, encoder, kind });
  };
  for (const encoder of encoders) {
    const format = encoder === "jks" ? "jks_bundle" : "pkcs12_bundle";
    const asked = { format, ...(encoder === "jks" ? {} : { pkcs12_encoder: encoder }) } as const;
    for (const kind of kinds) {
      await a.role("web", { issuer_ref, key_type: kind });
      const named = { role: "web", common_name: "www.example", ttl: "1h", ...asked };
      keep(encoder, kind, await pki.issue(named));
      const sent = "pässword 1";
      const own = encoder === "jks" ? { jks_password: sent } : { pkcs12_password: sent };
      if (kind === "ec" && encoder !== "jks")
        keep(encoder, kind, await pki.issue({ ...named, ...own }), sent);
    }
    const { csr } = await pki.generateIntermediate({ common_name: "Other", key_type: "ec" });
    const signed = { csr, common_name: "Other CA", ttl: "100h", issuer_ref, ...asked };
    keep(encoder, "trusted", await pki.signIntermediate(signed));
  }
  if (!installed("go", "version")) return;
  const fetched = go("mod", "download");
  if (fetched.status !== 0) {
    missing = `go-pkcs12 cannot be had: ${fetched.stderr.trim().slice(0, 200)}`;
    return;
  }
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
});

const chain = "www.example, Intermediate CA, Root CA";
const ofTrust = "Other CA, Intermediate CA, Root CA";
const those = (...encoders: readonly Archive["encoder"][]): readonly Archive[] =>
  archives.filter(({ encoder }) => encoders.includes(encoder));

describe("archives returned by issue and sign-intermediate", () => {
  it("are read by go-pkcs12: key, certificate and chain, or trusted certificates", async (context) => {
    needs(context, "go", "version");
    context.skip(missing !== "", missing);
    const all = those("modern2026", "modern2023");
    const args = all.map(({ file, password, what }) => `${file}:${password}:${what}`);
    const told = (await run(program, args)).trimEnd().split("\n");
    expect(told).toEqual(all.map(({ what }) => (what === "trust" ? ofTrust : chain)));
    const wrong = await run(
      program,
      all.map(({ file, what }) => `${file}:changeit:${what}`),
    );
    for (const line of wrong.trimEnd().split("\n")) expect(line).toMatch(/^refused: .*password/);
  });

  itWith("keytool", "-help")("are read by keytool, except those with PBMAC1", () => {
    for (const { file, password, what, encoder } of those("modern2023", "jks")) {
      // how other characters in arguments are encoded depends on the locale
      if (!/^[!-~]+$/.test(password)) continue;
      const type = encoder === "jks" ? "JKS" : "PKCS12";
      const args = ["-list", "-v", "-keystore", file, "-storetype", type, "-storepass", password];
      const printed = keytool(args);
      expect(printed).toContain(what === "key" ? "PrivateKeyEntry" : "trustedCertEntry");
      for (const name of (what === "key" ? chain : ofTrust).split(", "))
        expect(printed).toContain(`Owner: CN=${name}`);
    }
  });

  itWith("openssl", "version")("are read by openssl", () => {
    const version = execFileSync("openssl", ["version"], { encoding: "utf8" });
    const encoder = readsPbmac1(version) ? (["modern2026", "modern2023"] as const) : ["modern2023"];
    for (const { file, password, what } of those(...(encoder as readonly Archive["encoder"][]))) {
      const args = ["pkcs12", "-in", file, "-nodes", "-passin", `pass:${password}`];
      const printed = execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });
      expect(printed.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
      expect(printed.includes("BEGIN PRIVATE KEY")).toBe(what === "key");
    }
  });
});
