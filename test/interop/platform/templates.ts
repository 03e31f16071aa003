import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../acme/command.ts";
import { attempt, surroundings, type Client } from "./client.ts";
import { asking } from "./asking.ts";

const program = "github.com/hashicorp/consul-template@v0.41.1";
const template = `{{ with pkiCert "pki/issue/web" "common_name=agent.test" "ttl=12s" }}{{ .Cert }}{{ end }}`;
const lines = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** Waits until the content of a file changes, which takes seconds because the certificate is short-lived. */
async function changed(file: string, before: string): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    const text = lines(file);
    if (text !== "" && text !== before) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${file} did not change: ${before === "" ? "no certificate" : "no renewal"}`);
}

/** The template loop of the agent: it issues, renews its token, and issues again. */
export const templates: Client = {
  name: "templates",
  install: (directory) =>
    attempt(
      run("go", ["install", program], {
        env: { ...surroundings, GOBIN: directory, CGO_ENABLED: "0" },
        within: 400,
      }),
    ),
  async work(server, directory) {
    const ask = asking(server);
    await ask("POST", "pki/root/generate/internal", { common_name: "Agent", key_type: "ec" });
    await ask("POST", "pki/roles/web", {
      allowed_domains: "agent.test",
      allow_bare_domains: true,
      key_type: "ec",
      not_before_duration: "1s",
    });
    const policy = 'path "pki/issue/web" { capabilities = ["update"] }';
    await ask("POST", "sys/policies/acl/agent", { policy });
    const made = await ask("POST", "auth/token/create", { policies: ["agent"], period: "10s" });
    const [source, target] = [join(directory, "cert.tpl"), join(directory, "cert.pem")];
    writeFileSync(source, template);
    const child = spawn(join(directory, "consul-template"), ["-template", `${source}:${target}`], {
      env: { VAULT_ADDR: server.url, VAULT_TOKEN: String(made.auth?.["client_token"]) },
    });
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    try {
      const first = await changed(target, "");
      await changed(target, first);
    } catch (error) {
      throw new Error(output, { cause: error });
    } finally {
      child.kill();
    }
    return program;
  },
};
