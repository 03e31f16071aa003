import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { layouts } from "../../server/data/served-version.ts";
import { chromiumLaunch } from "../support/chromium.ts";
import { install, type Installed } from "../support/installed.ts";
import { nodes, placesOfMachine } from "../support/nodes.ts";
import { allExited, surroundings } from "../support/server.ts";
import { root } from "../support/syntax.ts";

let user: Installed;
beforeAll(async () => {
  user = await install();
  if (user.by === "links") process.stdout.write("npm had nothing at hand: installed by links\n");
});
afterAll(() => user.remove());

/** Returns an environment whose first `node` on the PATH is this one. */
function withNode(node: string): Record<string, string> {
  const place = mkdtempSync(join(user.folder, "path-"));
  symlinkSync(node, join(place, "node"));
  return {
    ...surroundings,
    PATH: [place, ...placesOfMachine()].join(delimiter),
    HOME: user.folder,
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
    npm_config_offline: "true",
  };
}
type Env = Record<string, string>;
type Ended = readonly [status: number | null, stdout: string, stderr: string];

/** Runs the installed command. */
function sealwright(env: Env, ...words: readonly string[]): Ended {
  const program = join(user.folder, "node_modules/.bin/sealwright");
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: user.folder,
    env,
    encoding: "utf8",
  });
  return [status, stdout, stderr];
}

interface Serving {
  readonly url: string;
  /** The commands in the banner. */
  readonly commands: readonly string[];
  readonly output: () => string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}
const running = new Set<ChildProcess>();
afterEach(() => running.forEach((child) => child.kill("SIGKILL")));

async function serve(env: Env, dataDir: string, ...words: readonly string[]): Promise<Serving> {
  const args = ["sealwright", "serve", "--port", "0", "--data-dir", dataDir, ...words];
  const child = spawn("npx", args, { cwd: user.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let text = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      const [, found] = /^Sealwright serves (\S+)$[^]*privkey\.pem$/m.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", take);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
  const launcher = (readFileSync(join(dataDir, "lock"), "utf8").split("\n")[0] ?? "").trim();
  return {
    url,
    commands: text.split("\n").filter((line) => /^ {2}(?:TOKEN=|curl )/.test(line)),
    output: () => text,
    async end(signal) {
      process.kill(Number(launcher.split(" ")[0]), signal);
      const code = await ended;
      await allExited([launcher]);
      running.delete(child);
      return code;
    },
  };
}

type Reply = { readonly data: Readonly<Record<string, string>> };
const sh = (script: string): Reply => {
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", script], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as Reply;
};
async function read(url: string, path: string): Promise<Response> {
  return fetch(`${url}/v1/pki/${path}`);
}

/** Reports whether a Node has node:sqlite, which older ones lack. */
const able = (path: string): boolean =>
  spawnSync(path, ["-e", "process.exit(process.getBuiltinModule?.('node:sqlite') ? 0 : 1)"])
    .status === 0;

it.for(nodes().filter(([, path]) => !able(path)))(
  "the package run by %s reports that this Node is too old, and what to do",
  ([, node]) => {
    const told =
      /^sealwright needs Node 22\.13 or newer; this is v[0-9.]+\. Run "npm install node@22" [^\n]+\.\n$/;
    for (const word of ["serve", "version", "backup"])
      expect(sealwright(withNode(node), word)).toEqual([1, "", expect.stringMatching(told)]);
  },
);

describe.each(nodes().filter(([, path]) => able(path)))(
  "the package installed in an empty folder, run by %s:",
  (_, node) => {
    it("npx sealwright serves, issues with the commands of its banner, and loses nothing in a kill", async () => {
      const env = withNode(node);
      const dataDir = join(mkdtempSync(join(user.folder, "data-")), "data");
      const first = await serve(env, dataDir);
      const [token = "", ...calls] = first.commands;
      expect(calls).toHaveLength(3);
      const [made, , leaf] = calls.map((call) => sh(`${token}\n${call}`).data);
      expect(leaf?.["certificate"]).toContain("BEGIN CERTIFICATE");
      // the commands for people use the issuer that these calls have created
      const steps = first.output().match(/^ {2}npx sealwright (?:init|issue) .*$/gm) ?? [];
      expect(steps).toHaveLength(2);
      const { stdout } = spawnSync("sh", ["-ec", steps.join("\n")], {
        cwd: user.folder,
        env,
        encoding: "utf8",
      });
      expect(stdout).toContain("Using the existing issuer of the mount pki/: Example Root");
      expect(stdout).toMatch(/^Issued localhost until /m);
      await first.end("SIGKILL");

      const again = await serve(env, dataDir);
      const kept = await (await read(again.url, `cert/${leaf?.["serial_number"]}`)).json();
      expect(kept).toMatchObject({ data: { certificate: leaf?.["certificate"] } });
      expect((await (await read(again.url, "ca/pem")).text()).trim()).toBe(
        made?.["certificate"]?.trim(),
      );
      // requests that create another root are only for the first start
      expect(again.commands).toEqual([]);
      const secret = readFileSync(join(dataDir, "root-token"), "utf8").trim();
      expect(again.output()).not.toContain(secret);
      const issue = calls.at(-1)?.replaceAll(first.url, again.url);
      expect(sh(`${token}\n${issue}`).data["issuing_ca"]?.trim()).toBe(
        made?.["certificate"]?.trim(),
      );
      // for each version of Node as client and as server
      for (const [, other] of nodes().filter(([, path]) => able(path))) {
        const [status, , said] = sealwright(withNode(other), "serve", "--data-dir", dataDir);
        expect([status, said]).toEqual([
          1,
          expect.stringMatching(/^\S+ is already served by another server[^\n]*\.\n$/),
        ]);
      }
      expect(await again.end("SIGTERM")).toBe(0);
      expect(readdirSync(dataDir)).not.toContain("socket");
    });

    it("sealwright prints its version, help and usage errors", () => {
      const env = withNode(node);
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      expect(sealwright(env, "version")).toEqual([
        0,
        `sealwright ${version} (data: SQLite ${layouts.sqlite}, PostgreSQL ${layouts.postgresql})\n`,
        "",
      ]);
      expect(sealwright(env, "help", "serve")[1]).toContain("--port (PORT)");
      expect(sealwright(env, "srve")).toEqual([
        2,
        "",
        'Unknown command "srve". Run `sealwright help` for a list of commands.\n',
      ]);
    });

    it("sealwright backup saves mounts for their owner only, and restore restores them", async () => {
      const env = withNode(node);
      const dataDir = join(mkdtempSync(join(user.folder, "data-")), "data");
      const server = await serve(env, dataDir);
      const secret = readFileSync(join(dataDir, "root-token"), "utf8").trim();
      const well = sealwright(env, "health", "--data-dir", dataDir);
      expect(well).toEqual([0, `The server at ${server.url} is healthy.\n`, ""]);
      const [code, document] = sealwright(env, "health", "--json", "--data-dir", dataDir);
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      const data = { database: "sqlite", layout: layouts.sqlite };
      expect([code, JSON.parse(document)]).toMatchObject([
        0,
        { healthy: true, status: 200, versions: { command: version, server: version, data } },
      ]);
      const ways = [
        ["--data-dir", dataDir],
        ["--address", server.url, "--token-file", join(dataDir, "root-token")],
        ["--address", `${server.url}/`, "--mount", "pki/"],
      ];
      for (const [i, way] of ways.entries()) {
        const to = join(dataDir, "..", `backups-${i}`);
        const withToken = i === 2 ? { ...env, SERVICE_ROOT_TOKEN: secret } : env;
        const [status, said, complaints] = sealwright(
          withToken,
          "backup",
          "--backup-dir",
          to,
          ...way,
        );
        expect([status, complaints]).toEqual([0, ""]);
        const [file = ""] = readdirSync(to);
        expect(file).toMatch(/^pki-\d{4}-\d\d-\d\dT\d{6}Z\.ndjson$/);
        expect(said).toMatch(new RegExp(`^Saved pki/ to ${join(to, file)} \\(\\d+ bytes\\)\\.\n$`));
        expect(said).not.toContain(secret);
        expect(statSync(join(to, file)).mode & 0o777).toBe(0o600);
        expect(readFileSync(join(to, file), "utf8")).toContain('"sealwright_backup":1');
      }
      const file = join(
        dataDir,
        "..",
        "backups-0",
        readdirSync(join(dataDir, "..", "backups-0"))[0] ?? "",
      );
      const restoring = (...words: readonly string[]) =>
        sealwright(env, "restore", "--data-dir", dataDir, "--file", file, ...words);
      expect(restoring("--dry-run", "true")).toEqual([
        0,
        `${file} is a complete backup that this server can restore; nothing was stored.\n`,
        "",
      ]);
      expect(restoring("--mount", "pki")).toEqual([
        4,
        "",
        expect.stringMatching(
          /Cannot restore [^\n]+ as pki\/: the server returned status 400: [^\n]+\.\n$/,
        ),
      ]);
      const gone = await fetch(`${server.url}/v1/sys/mounts/pki`, {
        method: "DELETE",
        headers: { "x-service-token": secret },
      });
      expect(gone.status).toBe(204);
      const torn = `${file}.torn`;
      writeFileSync(torn, readFileSync(file, "utf8").replace('"type":"pki"', '"type":"pkj"'));
      expect(
        sealwright(env, "restore", "--data-dir", dataDir, "--file", torn, "--mount", "pki"),
      ).toEqual([
        4,
        "",
        expect.stringMatching(
          /^Cannot restore [^\n]+: the server returned status 400: [^\n]+\. Nothing was stored\.\n$/,
        ),
      ]);
      expect(restoring("--mount", "pki/")).toEqual([0, `Restored pki/ from ${file}.\n`, ""]);
      expect((await read(server.url, "crl")).status).toBeLessThan(300);
      const none = sealwright(env, "backup", "--data-dir", dataDir, "--mount", "none");
      expect(none).toEqual([
        4,
        "",
        expect.stringMatching(
          /^Cannot back up the mount none\/: the server returned status 4\d\d: [^\n]+\.\n$/,
        ),
      ]);
      const refused = { ...env, SERVICE_ROOT_TOKEN: "s.wrong-and-long-enough" };
      expect(sealwright(refused, "backup", "--address", server.url)).toEqual([
        4,
        "",
        "Cannot list the mounts: the server returned status 403: permission denied, invalid token.\n",
      ]);
      await server.end("SIGKILL");
      // files left behind by a kill do not count
      expect(existsSync(join(dataDir, "socket"))).toBe(true);
      const [status, , said] = sealwright(env, "backup", "--data-dir", dataDir);
      expect([status, said]).toEqual([
        3,
        expect.stringMatching(/^No server is running for [^\n]*\.\n$/),
      ]);
      expect(sealwright(env, "health", "--data-dir", dataDir)[0]).toBe(3);
    });
  },
);

it("the address of the console in the banner opens it, and it accepts the root token", async () => {
  const env = withNode(process.execPath);
  const dataDir = join(mkdtempSync(join(user.folder, "data-")), "data");
  const server = await serve(env, dataDir);
  const [, page = ""] = /^ {2}console +(\S+)$/m.exec(server.output()) ?? [];
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const shown = await browser.newPage();
    await shown.goto(page);
    const name = new URL(server.url).host;
    await shown.getByRole("heading", { level: 1, name: `Sign in to ${name}` }).waitFor();
    const token = readFileSync(join(dataDir, "root-token"), "utf8").trim();
    await shown.getByLabel("Token", { exact: true }).fill(token);
    await shown.getByRole("button", { name: "Sign in", exact: true }).click();
    await shown.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await shown.getByRole("button", { name: `${name} mount pki` }).waitFor();
  } finally {
    await browser.close();
    await server.end("SIGTERM");
  }
});
