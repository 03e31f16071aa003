import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { terraformProviderByDesign } from "./by-design.ts";
import { outputOf, type Suite, type SuiteRun, type TestResult } from "./suite.ts";

/** Tests of what this server offers: PKI, logins, identity, mounts, policies and tokens. */
const offered = new RegExp(
  `^Test(${[
    "(Acc)?(DataSource)?P[kK][iI]Secret.*",
    "(Acc)?(AppRole|Cert|JWT|Kubernetes)AuthBackend.*",
    "(AccAuthBackend.*|AuthBackendMigrateState|DataSourceAuthBackends?)",
    "(AccIdentityEntity|AccIdentityGroup|DataSourceIdentityEntity|DataSourceIdentityGroup).*",
    "(ReadEntity|IsEntityNotFoundError)",
    "(ResourceMount|ResourceMount_.*|AccMount_importBasic|ResourceGenericEndpoint)",
    "(ResourcePolicy.*|DataSourcePolicyDocument|QuotaRateLimit.*)",
    "(ResourceToken_.*|AccTokenAuthBackendRole.*|AccTokenName|AccChildToken|AccProviderToken)",
    "TokenReadProviderConfigureWithHeaders",
  ].join("|")})$`,
);
/** Packages with such tests. */
const packages = ["vault"];

// The module for OCI logins is not available from any proxy, and no selected test needs it.
const oci = "github.com/hashicorp/vault-plugin-auth-oci";
const ociStub = `package ociauth

import (
	"errors"
	"net/http"
)

var errStub = errors.New("OCI is not available")

func GetSignedInstanceRequestHeaders(string, string) (http.Header, error) { return nil, errStub }

func GetSignedAPIRequestHeaders(string, string) (http.Header, error) { return nil, errStub }
`;

const binary = ({ scratch }: SuiteRun, directory: string): string =>
  join(scratch, `${directory.replaceAll("/", "-")}.test`);

/** Writes a module file that replaces the module for OCI logins with a stub, and returns its path. */
function moduleFile({ checkout, scratch }: SuiteRun): string {
  const stub = join(scratch, "oci-stub");
  mkdirSync(stub);
  writeFileSync(join(stub, "go.mod"), `module ${oci}\n\ngo 1.21\n`);
  writeFileSync(join(stub, "stub.go"), ociStub);
  const path = join(scratch, "provider.mod");
  const own = readFileSync(join(checkout, "go.mod"), "utf8");
  writeFileSync(path, `${own}\nreplace ${oci} => ${stub}\n`);
  copyFileSync(join(checkout, "go.sum"), join(scratch, "provider.sum"));
  return path;
}

const terraform = (): string | undefined => ["tofu", "terraform"].find(isInstalled);

/** Returns a result for each test from the output of the test program. */
export function goResults(names: readonly string[], output: string): readonly TestResult[] {
  const outcomes = { PASS: "passed", SKIP: "skipped", FAIL: "failed" } as const;
  const found = new Map<string, TestResult["outcome"]>();
  const messages = new Map<string, string>();
  let current = "";
  for (const line of output.split("\n")) {
    const told = /^=== (?:RUN|CONT|NAME) +([^/\s]+)/.exec(line)?.[1];
    if (told !== undefined) current = told;
    const [, word, name = ""] = /^--- (PASS|SKIP|FAIL): (\S+)/.exec(line) ?? [];
    if (word === "PASS" || word === "SKIP" || word === "FAIL") found.set(name, outcomes[word]);
    else if (told === undefined) messages.set(current, `${messages.get(current) ?? ""}${line}\n`);
  }
  return names.map((name) => {
    const outcome = found.get(name) ?? "failed";
    return { name, outcome, output: outcome === "failed" ? (messages.get(name) ?? output) : "" };
  });
}

async function testPackage(at: SuiteRun, directory: string): Promise<readonly TestResult[]> {
  const cwd = join(at.checkout, directory);
  const program = binary(at, directory);
  const listed = (await run(program, ["-test.list", "."], { cwd, env: surroundings })).split("\n");
  const names = listed.filter((name) => offered.test(name) && at.filter.test(name));
  if (names.length === 0) return [];
  const server = await startServer({ env: { LOG: "json" } });
  // one at a time: two tests of EST make their mount the default, and there is only one default
  const args = ["-test.v", "-test.parallel", "1", "-test.timeout", "3h"];
  const output = await outputOf(program, [...args, "-test.run", `^(${names.join("|")})$`], {
    cwd,
    env: {
      CHECKPOINT_DISABLE: "1",
      TF_ACC: "1",
      // also runs the tests of EST, metadata and automatic tidying, which the open edition lacks
      TF_ACC_ENTERPRISE: "1",
      TF_ACC_TERRAFORM_PATH: (await run("which", [terraform() ?? ""])).trim(),
      VAULT_ADDR: server.url,
      VAULT_TOKEN: server.token,
    },
  }).finally(() => server.stop());
  return goResults(names, output);
}

/** The acceptance tests of the Terraform provider. */
export const terraformProvider: Suite = {
  name: "terraform-provider",
  landmark: "vault/resource_pki_secret_backend_cert.go",
  byDesign: terraformProviderByDesign,
  async prepare(at) {
    if (!isInstalled("go")) throw new Error("go is not installed");
    if (terraform() === undefined) throw new Error("neither tofu nor terraform is installed");
    const modules = moduleFile(at);
    for (const directory of packages) {
      const args = ["go", "test", "-c", "-modfile", modules, "-o", binary(at, directory)];
      await run("nice", [...args, `./${directory}`], {
        cwd: at.checkout,
        env: surroundings,
        within: 3600,
      });
    }
  },
  async run(at) {
    const results: TestResult[] = [];
    for (const directory of packages) results.push(...(await testPackage(at, directory)));
    return results;
  },
};
