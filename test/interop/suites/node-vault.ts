import { cpSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { root } from "../../../server/build/build-page.ts";
import { startServer } from "../../support/server.ts";
import { run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { nodeVaultByDesign } from "./by-design.ts";
import { outputOf, type Suite, type SuiteRun, type TestResult } from "./suite.ts";

/** The report of mocha. */
interface Report {
  readonly tests: readonly {
    readonly fullTitle: string;
    readonly err: { readonly message?: string };
  }[];
  readonly pending: readonly { readonly fullTitle: string }[];
}

// The Node of the machine: the option parser of the tests does not load in the newest versions.
const path = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((directory) => !directory.startsWith(join(root, "node_modules")))
  .join(delimiter);
const copyOf = ({ scratch }: SuiteRun): string => join(scratch, "checkout");

function resultsOf({ tests, pending }: Report): readonly TestResult[] {
  const skipped = new Set(pending.map(({ fullTitle }) => fullTitle));
  return tests.map(({ fullTitle: name, err }) => ({
    name,
    outcome: skipped.has(name) ? "skipped" : err.message === undefined ? "passed" : "failed",
    output: err.message ?? "",
  }));
}

/** The integration tests of node-vault, the client for Node. */
export const nodeVault: Suite = {
  name: "node-vault",
  landmark: "src/commands.js",
  byDesign: nodeVaultByDesign,
  async prepare(at) {
    cpSync(at.checkout, copyOf(at), {
      recursive: true,
      filter: (path) => ![".git", "node_modules"].includes(basename(path)),
    });
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", args, { cwd: copyOf(at), env: { ...surroundings, PATH: path }, within: 300 });
  },
  async run(at) {
    const server = await startServer({ env: { LOG: "json" } });
    const args = ["--reporter", "json", "--grep", at.filter.source, "test/integration.js"];
    const output = await outputOf("node", ["node_modules/mocha/bin/mocha.js", ...args], {
      cwd: copyOf(at),
      env: { PATH: path, VAULT_ADDR: server.url, VAULT_TOKEN: server.token },
    }).finally(() => server.stop());
    const begin = output.indexOf("{\n");
    if (begin < 0) throw new Error(output);
    const report: Report = JSON.parse(output.slice(begin, output.lastIndexOf("}") + 1));
    return resultsOf(report);
  },
};
