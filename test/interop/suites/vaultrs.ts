import { copyFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startServer, type RunningServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { vaultrsByDesign } from "./by-design.ts";
import { outputOf, type Suite, type SuiteRun, type TestResult } from "./suite.ts";

/** The modules with tests of what this server offers. */
const modules = [
  "approle",
  "cert",
  "cubbyhole",
  "identity",
  "kubernetes",
  "oidc",
  "pki",
  "sys",
  "token",
  "userpass",
];

// The manifest of the suite requires clients of cloud providers and of a container engine.
const manifest = `[package]
name = "vaultrs-tests"
version = "0.0.0"
publish = false
edition.workspace = true

[dev-dependencies]
tokio = { workspace = true, features = ["macros", "rt"] }
tracing = { workspace = true }
vaultrs = { path = "../vaultrs" }
`;

const copyOf = ({ scratch }: SuiteRun): string => join(scratch, "checkout");
const testsOf = (at: SuiteRun): string => join(copyOf(at), "vaultrs-tests");

/** Copies the checkout and replaces the containers of its tests with a running server. */
function copySources(at: SuiteRun): void {
  const built = [".git", "target"];
  const filter = (path: string): boolean => !built.includes(basename(path));
  cpSync(at.checkout, copyOf(at), { recursive: true, filter });
  writeFileSync(join(testsOf(at), "Cargo.toml"), manifest);
  const sources = join(testsOf(at), "tests/api_tests");
  rmSync(join(sources, "common"), { recursive: true });
  copyFileSync(join(import.meta.dirname, "vaultrs_common.rs"), join(sources, "common.rs"));
  const declared = ["common", ...modules].map((name) => `mod ${name};\n`);
  writeFileSync(join(sources, "main.rs"), declared.join(""));
}

const cargo = (at: SuiteRun, words: readonly string[]): readonly string[] => [
  "test",
  "--package=vaultrs-tests",
  "--test=api_tests",
  `--target-dir=${join(at.scratch, "target")}`,
  ...words,
];

/** Creates a root token for a test that revokes its token; the deployment's own cannot be revoked. */
async function rootToken({ url, token }: RunningServer): Promise<string> {
  const reply = await fetch(`${url}/v1/auth/token/create`, {
    method: "POST",
    headers: { "X-Vault-Token": token },
    body: JSON.stringify({ policies: ["root"] }),
  });
  const { auth } = (await reply.json()) as { auth: { client_token: string } };
  return auth.client_token;
}

async function runTest(at: SuiteRun, name: string): Promise<TestResult> {
  const server = await startServer({ env: { LOG: "json" } });
  try {
    const output = await outputOf("cargo", cargo(at, ["--", "--exact", name]), {
      cwd: testsOf(at),
      env: { RUST_BACKTRACE: "0", SUITE_URL: server.url, SUITE_TOKEN: await rootToken(server) },
    });
    const passed = output.includes(`test ${name} ... ok\n`);
    return { name, outcome: passed ? "passed" : "failed", output: passed ? "" : output };
  } finally {
    await server.stop();
  }
}

/** The tests of vaultrs, the client for Rust; each has its own server. */
export const vaultrs: Suite = {
  name: "vaultrs",
  landmark: "vaultrs/src/lib.rs",
  byDesign: vaultrsByDesign,
  async prepare(at) {
    if (!isInstalled("cargo")) throw new Error("cargo is not installed");
    copySources(at);
    await run("nice", ["cargo", ...cargo(at, ["--no-run"])], {
      cwd: copyOf(at),
      env: surroundings,
      within: 3600,
    });
  },
  async run(at) {
    const listed = await outputOf("cargo", cargo(at, ["--", "--list"]), { cwd: testsOf(at) });
    const names = [...listed.matchAll(/^(\S+): test$/gm)].map(([, name = ""]) => name);
    if (names.length === 0) throw new Error(listed);
    const results: TestResult[] = [];
    for (const name of names.filter((each) => at.filter.test(each)))
      results.push(await runTest(at, name));
    return results;
  },
};
