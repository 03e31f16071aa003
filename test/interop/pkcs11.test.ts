import { spawnSync } from "node:child_process";
import { constants, generateKeyPairSync, verify } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tokenKeys } from "../../examples/signing-service/pkcs11.ts";
import { needs } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-pkcs11-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const data = Buffer.from("to be signed");

/** Paths where Debian and Fedora install the module of SoftHSM. */
const modules = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so"];

/** Creates a SoftHSM token with one key of each kind, in a folder of the test. */
function softToken(kinds: Readonly<Record<string, string>>): Parameters<typeof tokenKeys>[0] {
  const configuration = join(folder, "softhsm2.conf");
  writeFileSync(configuration, `directories.tokendir = ${folder}\n`);
  process.env["SOFTHSM2_CONF"] = configuration;
  const module = modules.find((path) => existsSync(path)) ?? "";
  const done = (program: string, ...words: readonly string[]): void => {
    const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  };
  done(
    "softhsm2-util",
    "--init-token",
    "--free",
    "--label",
    "ca",
    "--so-pin",
    "1234",
    "--pin",
    "1234",
  );
  const login = ["--module", module, "--token-label", "ca", "--login", "--pin", "1234"];
  for (const [i, [label, type]] of Object.entries(kinds).entries())
    done(
      "pkcs11-tool",
      ...login,
      "--keypairgen",
      "--key-type",
      type,
      "--label",
      label,
      "--id",
      `0${i}`,
    );
  return { module, label: "ca", pin: "1234" };
}

describe("keys of a PKCS#11 token", () => {
  it("sign with ECDSA, RSA and RSA-PSS on a SoftHSM token", async (context) => {
    needs(context, "softhsm2-util", "--version");
    // pkcs11-tool exits with 1 after printing its help
    const { error } = spawnSync("pkcs11-tool", ["--help"]);
    context.skip(error !== undefined, "pkcs11-tool is not installed");
    const token = softToken({
      p256: "EC:prime256v1",
      p384: "EC:secp384r1",
      p521: "EC:secp521r1",
      rsa: "rsa:2048",
    });
    const keys = await tokenKeys(token, ["p256", "p384", "p521", "rsa"]);
    const signed = async (label: string, hash: string, pss?: true): Promise<boolean> => {
      const key = keys.get(label);
      if (!key) throw new Error("the token has no such key");
      const signature = await key.sign(data, { hash, ...(pss ? { pss } : {}) });
      const padding = pss
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : {};
      return verify(hash, data, { key: key.publicKey, ...padding }, signature);
    };
    const all = await Promise.all([
      signed("p256", "sha256"),
      signed("p384", "sha384"),
      signed("p521", "sha512"),
      signed("rsa", "sha256"),
      signed("rsa", "sha512", true),
    ]);
    expect(all).toEqual([true, true, true, true, true]);
  });

  it("receive the PIN in the environment, sign one at a time, and report the tool's error", async () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const der = publicKey.export({ type: "spki", format: "der" }).toString("base64");
    const [tool, lock] = [join(folder, "tool.mjs"), join(folder, "lock")];
    writeFileSync(
      tool,
      `#!${process.execPath}
import { existsSync, rmSync, writeFileSync } from "node:fs";
const words = process.argv.slice(2).join(" ");
if (words.includes("the PIN") || process.env.PKCS11_PIN !== "the PIN") throw new Error("PIN");
if (words.includes("--read-object")) process.stdout.write(Buffer.from("${der}", "base64"));
else if (words.includes("--list-objects")) console.log("Public Key Object; RSA 2048 bits\\n  label:      root\\n  ID:         01");
else if (words.includes("SHA384")) {
  process.stderr.write("CKR_DEVICE_ERROR\\n");
  process.exitCode = 1;
} else {
  if (existsSync("${lock}")) throw new Error("two at once");
  writeFileSync("${lock}", "");
  for await (const part of process.stdin) process.stdout.write(part);
  rmSync("${lock}");
}
`,
    );
    chmodSync(tool, 0o755);
    const keys = await tokenKeys({ module: "m.so", label: "ca", pin: "the PIN", tool }, ["root"]);
    const key = keys.get("root");
    const scheme = { hash: "sha256" };
    const results = await Promise.allSettled([
      key?.sign(Buffer.from("one"), scheme),
      key?.sign(Buffer.from("two"), { hash: "sha384" }),
      key?.sign(Buffer.from("three"), scheme),
    ]);
    expect(
      results.map((one) => (one.status === "fulfilled" ? String(one.value) : one.reason.message)),
    ).toEqual(["one", `${tool}: CKR_DEVICE_ERROR`, "three"]);
  });
});
