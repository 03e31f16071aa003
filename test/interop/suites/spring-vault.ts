import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { startServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { surroundings } from "../platform/client.ts";
import { springVaultByDesign } from "./by-design.ts";
import { outputOf, type Suite, type SuiteRun, type TestResult } from "./suite.ts";

/** Patterns of the classes with tests of what this server offers. */
const classes = [
  "VaultPkiTemplateIntegrationTests",
  "CertificateContainerIntegrationTests",
  "ManagedCertificateIntegrationTests",
  "VaultTokenTemplateIntegrationTests",
  "VaultWrappingTemplateIntegrationTests",
  "*VaultSysTemplateIntegrationTests",
  "AppRoleAuthentication*IntegrationTests",
  "ClientCertificateAuthentication*IntegrationTests",
  "CubbyholeAuthentication*IntegrationTests",
  "JwtAuthenticationIntegrationTest",
  "KubernetesAuthentication*IntegrationTests",
  "TokenAuthentication*IntegrationTests",
  "UsernamePasswordAuthenticationIntegrationTests",
  "*LifecycleAwareSessionManagerIntegrationTests",
  "org.springframework.vault.client.*IntegrationTests",
];

const endpoint =
  "spring-vault-core/src/main/java/org/springframework/vault/client/VaultEndpoint.java";
const port = "private int port = 8200;";
const givenPort = 'private int port = Integer.getInteger("vault.port", 8200);';

const copyOf = ({ scratch }: SuiteRun): string => join(scratch, "checkout");

/** Copies the checkout and changes the copy so that a system property sets the server's port. */
function copySources(at: SuiteRun): void {
  const built = [".git", "target", "work"];
  const filter = (path: string): boolean => !built.includes(basename(path));
  cpSync(at.checkout, copyOf(at), { recursive: true, filter });
  // the extension reports builds to a server of that project
  rmSync(join(copyOf(at), ".mvn/extensions.xml"), { force: true });
  const path = join(copyOf(at), endpoint);
  const source = readFileSync(path, "utf8");
  if (!source.includes(port)) throw new Error(`${endpoint}: expected the line "${port}"`);
  writeFileSync(path, source.replace(port, givenPort));
}

const maven = (words: readonly string[]): readonly string[] => [
  "--batch-mode",
  "--no-transfer-progress",
  "--projects=spring-vault-core",
  // the daemon would outlive the run
  "-Dkotlin.compiler.daemon=false",
  // The version in the checkout is not in Maven Central. No test logs in to Google Cloud.
  "-Dgoogle-cloud-iamcredentials.version=2.88.0",
  ...words,
];

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
  "#10": "\n",
};
const unescape = (text: string): string =>
  text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);

/** Returns a result for each test of a JUnit XML report, named by class and method. */
function junitResults(report: string): readonly TestResult[] {
  const cases = report.matchAll(/<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g);
  return [...cases].map(([, attributes = "", content = ""]) => {
    const attribute = (name: string): string =>
      unescape(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");
    const parts = [attribute("classname").split(".").at(-1), attribute("name")];
    const name = parts.filter(Boolean).join(".");
    const message = /<(?:failure|error)\b([^]*)<\/(?:failure|error)>/.exec(content)?.[1];
    if (message !== undefined) return { name, outcome: "failed", output: unescape(message) };
    const skipped = /<skipped\b/.test(content);
    return { name, outcome: skipped ? "skipped" : "passed", output: "" };
  });
}

/** The integration tests of Spring Vault, all with one server. */
export const springVault: Suite = {
  name: "spring-vault",
  landmark: "spring-vault-core/pom.xml",
  byDesign: springVaultByDesign,
  async prepare(at) {
    for (const program of ["mvn", "javac", "keytool", "openssl"])
      if (!isInstalled(program)) throw new Error(`${program} is not installed`);
    copySources(at);
    const cwd = copyOf(at);
    const env = surroundings;
    await run("bash", ["src/test/bash/create_certificates.sh"], { cwd, env });
    await run("nice", ["mvn", ...maven(["test-compile"])], { cwd, env, within: 3600 });
  },
  async run(at) {
    const cwd = copyOf(at);
    const server = await startServer({
      env: {
        LOG: "json",
        CLIENT_CERTIFICATES: "optional",
        TLS_CERT: join(cwd, "work/ca/certs/localhost.cert.pem"),
        TLS_KEY: join(cwd, "work/ca/private/localhost.decrypted.key.pem"),
      },
    });
    const settings = [
      `-Dtest=${classes.join(",")}`,
      `-Dvault.port=${new URL(server.url).port}`,
      `-Dvault.token=${server.token}`,
    ];
    const output = await outputOf("mvn", maven([...settings, "surefire:test"]), {
      cwd,
    }).finally(() => server.stop());
    const reports = join(cwd, "spring-vault-core/target/surefire-reports");
    if (!existsSync(reports)) throw new Error(output);
    return readdirSync(reports)
      .filter((file) => file.endsWith(".xml"))
      .flatMap((file) => junitResults(readFileSync(join(reports, file), "utf8")))
      .filter(({ name }) => at.filter.test(name));
  },
};
