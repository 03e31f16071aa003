import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../server/build/build-page.ts";
import { pinnedNode } from "../../support/server.ts";
import { run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { hvacByDesign } from "./by-design.ts";
import { outputOf, type Suite, type TestResult } from "./suite.ts";

const packages = [
  "pytest",
  "pyhcl",
  "requests",
  "packaging",
  "jwcrypto",
  "Authlib",
  "parameterized",
  "Flask",
  "Flask-SQLAlchemy",
  "Werkzeug",
];

/** The files with tests of what this server offers, below `tests/integration_tests`. */
const files = [
  "api/secrets_engines/test_pki.py",
  "api/auth_methods/test_token.py",
  "api/auth_methods/test_approle.py",
  "api/system_backend/test_wrapping.py",
  "api/system_backend/test_lease.py",
  "api/system_backend/test_policy.py",
  "api/system_backend/test_policies.py",
  "v1/test_approle.py",
  "api/auth_methods/test_cert.py",
  "api/auth_methods/test_jwt.py",
  "api/auth_methods/test_kubernetes.py",
  "api/secrets_engines/test_identity.py",
  "api/system_backend/test_auth.py",
  "api/system_backend/test_mount.py",
  "api/system_backend/test_health.py",
  "api/system_backend/test_leader.py",
  "api/system_backend/test_quota.py",
  "api/system_backend/test_seal.py",
  "v1/test_integration.py",
  "v1/test_system_backend.py",
];

/** The integration tests of hvac, the client for Python; each class has its own server. */
export const hvac: Suite = {
  name: "hvac",
  landmark: "tests/utils/hvac_integration_test_case.py",
  byDesign: hvacByDesign,
  async prepare({ scratch }) {
    const env = surroundings;
    await run("python3", ["-m", "venv", join(scratch, "venv")], { env, within: 300 });
    const args = ["install", "--quiet", ...packages];
    await run(join(scratch, "venv/bin/pip"), args, { env, within: 600 });
    // the tests read the expected version from its output
    mkdirSync(join(scratch, "bin"));
    writeFileSync(join(scratch, "bin/vault"), "#!/bin/sh\necho Vault v1.20.0\n", { mode: 0o755 });
  },
  async run({ checkout, scratch, filter }) {
    const lines = join(scratch, "results.jsonl");
    const present = files
      .map((file) => join("tests/integration_tests", file))
      .filter((file) => existsSync(join(checkout, file)));
    const args = ["-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"];
    const output = await outputOf(
      join(scratch, "venv/bin/python"),
      [...args, "-p", "hvac_plugin", ...present],
      {
        cwd: checkout,
        env: {
          PATH: `${join(scratch, "bin")}:${process.env["PATH"] ?? ""}`,
          PYTHONPATH: `${import.meta.dirname}:${checkout}`,
          PYTHONDONTWRITEBYTECODE: "1",
          SUITE_FILTER: filter.source,
          SUITE_RESULTS: lines,
          SUITE_SERVER: JSON.stringify([pinnedNode(), join(root, "server/cli/serve.ts")]),
        },
      },
    );
    if (!existsSync(lines)) throw new Error(output);
    return readFileSync(lines, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): TestResult => JSON.parse(line));
  },
};
