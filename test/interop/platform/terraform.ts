import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningServer } from "../../support/server.ts";
import { isInstalled, run } from "../acme/command.ts";
import { asking } from "./asking.ts";
import type { Client } from "./client.ts";
import { startServices, type Services } from "./services.ts";

const provider = process.env["PROVIDER"] ?? "";
const terraform = (): string | undefined => ["tofu", "terraform"].find(isInstalled);

function prepare(directory: string): string {
  cpSync(join(import.meta.dirname, "terraform"), directory, { recursive: true });
  const config = join(directory, "terraform.rc");
  writeFileSync(
    config,
    `provider_installation {\n  dev_overrides {\n    "hashicorp/vault" = ${JSON.stringify(provider)}\n  }\n  direct {}\n}\n`,
  );
  return config;
}
async function keys(directory: string): Promise<void> {
  const at = { cwd: directory };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await run(
    "openssl",
    ["req", ...key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=c.tf.test"],
    at,
  );
  await run("openssl", ["ec", "-in", "leaf.key", "-pubout", "-out", "jwt.pem"], at);
}

interface Surroundings {
  readonly server: RunningServer;
  readonly services: Services;
}
async function applied(
  { server, services }: Surroundings,
  directory: string,
  program: string,
): Promise<void> {
  const config = prepare(directory);
  await keys(directory);
  const env = {
    TF_VAR_signing_url: services.env.SIGNING_URL,
    TF_VAR_signing_token: services.env.SIGNING_TOKEN,
    TF_VAR_services_ca: services.env.SERVICES_CA,
    TF_CLI_CONFIG_FILE: config,
    VAULT_ADDR: server.url,
    VAULT_TOKEN: server.token,
    TF_IN_AUTOMATION: "1",
  };
  const call = (...args: readonly string[]) =>
    run(program, args, { cwd: directory, env, within: 300 });
  await call("apply", "-auto-approve", "-no-color");
  const unchanged = async (...args: readonly string[]): Promise<void> => {
    const plan = await call("plan", "-no-color", ...args);
    if (!plan.includes("No changes.")) throw new Error(`the second plan is not empty:\n${plan}`);
  };
  await unchanged();
  await call("apply", "-auto-approve", "-no-color", "-var", "ttl=1800");
  await unchanged("-var", "ttl=1800");
  const role = await asking(server)("GET", "tf-leaf/roles/web");
  const est = await asking(server)("GET", "tf-leaf/config/est");
  const changed = role.data?.["ttl"] === 1800;
  if (!changed || JSON.stringify(est.data?.["label_to_path_policy"]).includes("verbatim"))
    throw new Error("the second apply changed nothing");
  for (const [resource, id] of imported) {
    await call("state", "rm", resource);
    await call("import", "-no-color", "-var", "ttl=1800", resource, id);
  }
  await call("plan", "-no-color", "-var", "ttl=1800");
  await call("destroy", "-auto-approve", "-no-color");
  const { data } = await asking(server)("GET", "sys/mounts");
  if (data && "tf-leaf/" in data) throw new Error("the mount was not destroyed");
}
const imported = [
  ["vault_mount.leaf", "tf-leaf"],
  ["vault_pki_secret_backend_role.web", "tf-leaf/roles/web"],
  ["vault_pki_secret_backend_issuer.leaf", "tf-leaf/issuer/leaf"],
  ["vault_pki_secret_backend_config_acme.leaf", "tf-leaf/config/acme"],
  ["vault_pki_secret_backend_config_est.leaf", "tf-leaf/config/est"],
  ["vault_pki_secret_backend_config_cluster.leaf", "tf-leaf/config/cluster"],
  ["vault_pki_secret_backend_config_auto_tidy.leaf", "tf-leaf/config/auto-tidy"],
  ["vault_pki_secret_backend_config_urls.root", "tf-root/config/urls"],
  ["vault_policy.service", "tf-service"],
  ["vault_token_auth_backend_role.service", "auth/token/roles/tf-service"],
  ["vault_approle_auth_backend_role.service", "auth/tf-approle/role/service"],
  ["vault_auth_backend.userpass", "tf-userpass"],
] as const;

/** The provider, with all of its PKI resources except those of SCEP and CMP. */
export const terraformProvider: Client = {
  name: "terraform",
  async install() {
    if (!existsSync(join(provider, "terraform-provider-vault")))
      return "PROVIDER names no directory with terraform-provider-vault";
    return terraform() === undefined ? "neither tofu nor terraform is installed" : undefined;
  },
  async work(server, directory) {
    const program = terraform() ?? "tofu";
    const services = await startServices();
    await applied({ server, services }, directory, program).finally(services.close);
    return (await run(program, ["version"], { cwd: directory })).split("\n")[0] ?? "";
  },
};
