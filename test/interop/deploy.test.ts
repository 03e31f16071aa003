import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../http/api.ts";
import { builtServer } from "../support/built.ts";
import { install, type Installed } from "../support/installed.ts";
import { freePort } from "../support/ports.ts";
import { itWith, needs } from "../support/programs.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { root } from "../support/syntax.ts";

const text = (path: string): string => readFileSync(join(root, path), "utf8");
let ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.toReversed()) await end();
  ending = [];
});
const begun = async (env: Record<string, string> = {}): Promise<RunningServer> => {
  const server = await startServer({ env });
  ending.push(() => server.stop());
  return server;
};
interface Done {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
const run = (command: string, args: readonly string[], options: object = {}): Done =>
  spawnSync(command, args, { encoding: "utf8", ...options });

describe("deploy/Dockerfile", () => {
  let user: Installed;
  beforeAll(async () => void (user = await install()));
  afterAll(() => user.remove());

  const file = text("deploy/Dockerfile");
  const words = (statement: string): readonly string[] =>
    JSON.parse(new RegExp(`^${statement} .*?(\\[.*\\])$`, "m").exec(file)?.[1] ?? "null");

  itWith("bwrap", "--version")(
    "describes a server that runs healthy on a read-only root without privileges",
    async () => {
      const [, uid = ""] = /^USER (\d+):\1$/m.exec(file) ?? [];
      const data = temporaryDirectory();
      chownSync(data, Number(uid), Number(uid));
      const port = await freePort();
      const found = run("sh", ["-c", "command -v node"], { env: machine() }).stdout.trim();
      const node = dirname(realpathSync(found));
      const box = boxed({ folder: user.folder, node, data, uid, port });
      const inside = (...command: readonly string[]): readonly string[] => [...box, ...command];
      const [program = "", ...args] = inside(...words("ENTRYPOINT"), ...words("CMD"));
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
      ending.push(() => child.kill("SIGKILL"));
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (bytes: Buffer) => (said += bytes.toString("utf8")));
      await expect.poll(() => said).toContain("issue/web");
      const [health = "", ...rest] = inside(...words("HEALTHCHECK"));
      expect(run(health, rest)).toMatchObject({ status: 0, stderr: "" });
      const [touch = "", ...there] = inside("touch", "/opt/new");
      expect(run(touch, there).stderr).toContain("Read-only file system");
      expect((await fetch(`http://127.0.0.1:${port}/v1/sys/health`)).status).toBe(200);
    },
  );
});

/** Returns the environment without the additions of the tests. */
const machine = (): Record<string, string> => ({
  PATH: (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => !place.includes("node_modules"))
    .join(delimiter),
});

/** Simulates the image that deploy/Dockerfile builds, from the package and Node, without a daemon. */
function boxed({ folder, node, data, uid, port }: Box): readonly string[] {
  const system = ["/usr", "/lib", "/lib64", "/bin", "/etc"].filter((path) => existsSync(path));
  const packages = join(folder, "node_modules");
  // an installation with links refers to the packages of this checkout
  const linked = join(root, "node_modules");
  return [
    "bwrap --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --new-session",
    ...system.map((path) => `--ro-bind ${path} ${path}`),
    `--dir /opt --ro-bind ${node} /opt/node --ro-bind ${packages} /opt/node_modules`,
    `--ro-bind ${linked} ${linked}`,
    `--bind ${data} /data --perms 1777 --tmpfs /tmp --proc /proc --dev /dev --remount-ro / --chdir /data`,
    "--clearenv --setenv PATH /opt/node_modules/.bin:/opt/node:/usr/bin:/bin",
    `--setenv HOST 0.0.0.0 --setenv DATA_DIR /data --setenv PORT ${port}`,
    `setpriv --reuid=${uid} --regid=${uid} --clear-groups --no-new-privs`,
    "--bounding-set=-all --inh-caps=-all",
  ].flatMap((line) => line.split(" "));
}
interface Box {
  readonly folder: string;
  readonly node: string;
  readonly data: string;
  readonly uid: string;
  readonly port: number;
}

itWith("systemd-analyze", "--version")(
  "systemd accepts deploy/sealwright.service without warnings and rates its exposure as low",
  () => {
    const unit = join(temporaryDirectory(), "sealwright.service");
    // the program that it starts is not installed here
    writeFileSync(
      unit,
      text("deploy/sealwright.service").replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"),
    );
    expect(run("systemd-analyze", ["verify", unit])).toMatchObject({ status: 0, stderr: "" });
    const rated = run("systemd-analyze", ["security", "--offline=true", "--threshold=15", unit]);
    expect([rated.status, rated.stdout]).toEqual([0, expect.stringContaining("OK")]);
  },
);

it("the terraform example creates an authority, plans no changes after that, and destroys it", async (context) => {
  const program = ["tofu", "terraform"].find((one) => run(one, ["version"]).status === 0);
  context.skip(program === undefined, "neither tofu nor terraform is in PATH");
  const provider = process.env["PROVIDER"] ?? "";
  const built = existsSync(join(provider, "terraform-provider-vault"));
  context.skip(!built, "PROVIDER names no folder with terraform-provider-vault");
  needs(context, "openssl", "version");
  const server = await begun();
  const directory = temporaryDirectory();
  cpSync(join(root, "examples/terraform/main.tf"), join(directory, "main.tf"));
  const config = join(directory, "rc");
  writeFileSync(
    config,
    `provider_installation {\n  dev_overrides {\n    "hashicorp/vault" = ${JSON.stringify(provider)}\n  }\n  direct {}\n}\n`,
  );
  const env = {
    ...process.env,
    TF_CLI_CONFIG_FILE: config,
    TF_IN_AUTOMATION: "1",
    VAULT_ADDR: server.url,
    VAULT_TOKEN: server.token,
  };
  const call = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(program ?? "", args, { cwd: directory, env });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };
  const url = ["-var", `url=${server.url}`];
  call("apply", "-auto-approve", "-no-color", ...url);
  expect(call("plan", "-no-color", ...url)).toContain("No changes.");
  for (const name of ["root", "chain"])
    writeFileSync(join(directory, `${name}.pem`), call("output", "-raw", name));
  const verified = run(
    "openssl",
    ["verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "chain.pem", "chain.pem"],
    { cwd: directory },
  );
  expect(verified.stdout).toBe("chain.pem: OK\n");
  call("destroy", "-auto-approve", "-no-color", ...url);
  expect((await apiOf(server)("GET", "corp/ca/pem")).status).toBe(404);
});

itWith("curl", "--version")(
  "the restore commands of docs/backups.md restore a mount from its backup",
  async () => {
    const server = await begun();
    const api = apiOf(server);
    await api("POST", "pki/root/generate/internal", { common_name: "R", key_type: "ec" });
    await api("POST", "pki/roles/web", { allow_any_name: true, key_type: "ec" });
    const leaf = await api("POST", "pki/issue/web", { common_name: "a.test", ttl: "1h" });
    const directory = temporaryDirectory();
    const program = await builtServer();
    const to = ["--data-dir", server.dataDir, "--backup-dir", join(directory, "backups")];
    const saved = run(process.execPath, [program, "backup", ...to]);
    expect(saved).toMatchObject({ status: 0, stderr: "" });
    const [, file = ""] = /(backups\/pki-\S+\.ndjson)/.exec(saved.stdout) ?? [];
    const [, steps = ""] =
      /```sh\n(npx sealwright restore --file [^]*?)```/.exec(text("docs/backups.md")) ?? [];
    const own = `'${process.execPath}' '${program}' restore --data-dir '${server.dataDir}'`;
    const told = steps.replaceAll("npx sealwright restore", own);
    const env = { ...process.env, TOKEN: server.token, URL: server.url, FILE: file };
    const restored = run("sh", ["-ec", told], { cwd: directory, env });
    expect([restored.status, restored.stderr]).toEqual([0, ""]);
    expect(restored.stdout).toContain("Restored pki/");
    const serial = leaf.data["serial_number"] ?? "";
    expect((await api("GET", `pki/cert/${serial}`)).data["certificate"]).toBe(
      leaf.data["certificate"],
    );
    const more = await api("POST", "pki/issue/web", { common_name: "b.test", ttl: "1h" });
    expect(more.status).toBe(200);
  },
);
