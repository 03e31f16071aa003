import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { snippets } from "../../../demo/routes/acme/client-commands.ts";
import { found, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

/** Returns the text that the console shows for a client, and the key of its binding. */
async function shownFor(client: string, world: World, name: string) {
  const { id, key } = await world.binding();
  const snippet = snippets.find((one) => one.client === client);
  const text = snippet?.text({ directory: world.directory(), name, eab: id }) ?? "";
  return { text, key };
}

/** Options for running a snippet: the name, extra arguments, environment variables and the program. */
interface Shown {
  readonly name: string;
  readonly more: (home: string) => readonly string[];
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  readonly program?: string;
}
/**
 * Runs a command as the console shows it. A wrapper of the same name adds the directories and ports
 * of this run.
 */
async function asShown(
  client: string,
  world: World,
  { name, more, env = () => ({}), program = client }: Shown,
): Promise<string> {
  const home = world.scratch(`shown-${client.replace(" ", "")}`);
  const { text, key } = await shownFor(client, world, name);
  const real = spawnSync("which", [program], { encoding: "utf8" }).stdout.trim();
  const command = client.split(" ")[0] ?? "";
  writeFileSync(join(home, command), `#!/bin/sh\nexec ${real} ${more(home).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  await run("sh", ["-c", text], {
    env: {
      PATH: `${home}:${process.env["PATH"] ?? ""}`,
      EAB_HMAC_KEY: key,
      REQUESTS_CA_BUNDLE: world.trusted,
      SSL_CERT_FILE: world.trusted,
      ...env(home),
    },
  });
  return home;
}

async function certbot(world: World): Promise<void> {
  const name = "shown-certbot.acme.test";
  const home = await asShown("certbot", world, {
    name,
    more: (at) => [
      `--http-01-port ${world.httpPort}`,
      ...["config", "work", "logs"].map((kind) => `--${kind}-dir ${join(at, kind)}`),
    ],
  });
  world.verify(found(join(home, "config/live"), "fullchain.pem"), [name]);
}

async function lego(world: World): Promise<void> {
  const name = "shown-lego.acme.test";
  const home = await asShown("lego 4", world, {
    name,
    program: "lego",
    more: (at) => [`--path ${at}`, `--http.port 127.0.0.1:${world.httpPort}`],
  });
  world.verify(found(join(home, "certificates"), `${name}.crt`), [name]);
}

async function lego5(world: World): Promise<void> {
  const name = "shown-lego5.acme.test";
  const home = await asShown("lego 5", world, {
    name,
    program: "lego5",
    more: () => [],
    env: (at) => ({ LEGO_PATH: at, LEGO_HTTP_ADDRESS: `127.0.0.1:${world.httpPort}` }),
  });
  world.verify(found(join(home, "certificates"), `${name}.crt`), [name]);
}

async function acmeSh(world: World): Promise<void> {
  const name = "shown-acmesh.acme.test";
  const home = await asShown("acme.sh", world, {
    name,
    more: (at) => [`--home ${at}`, `--ca-bundle ${world.trusted}`, `--httpport ${world.httpPort}`],
  });
  world.verify(found(join(home, `${name}_ecc`), "fullchain.cer"), [name]);
}

async function caddy(world: World): Promise<void> {
  const name = "shown-caddy.acme.test";
  const home = world.scratch("shown-caddy");
  const file = join(home, "Caddyfile");
  const { text, key } = await shownFor("Caddy", world, name);
  const ports = `  admin off\n  http_port ${world.httpPort}\n  https_port ${world.tlsPort}\n`;
  writeFileSync(file, `{\n${ports}  storage file_system ${home}\n${text.replace("{\n", "")}`);
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      EAB_HMAC_KEY: key,
      SSL_CERT_FILE: world.trusted,
    },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const chain = (): string | undefined => {
    try {
      return found(home, `${name}.crt`);
    } catch {
      return undefined;
    }
  };
  try {
    for (let left = 600; left > 0 && chain() === undefined; left--) await pause(100);
    world.verify(chain() ?? "", [name]);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Runs a text of the console while an external account binding is required. */
async function bound(world: World, work: (world: World) => Promise<void>): Promise<void> {
  await world.call("POST", "config/acme", { eab_policy: "always-required" });
  try {
    await work(world);
  } finally {
    await world.call("POST", "config/acme", { eab_policy: "not-required" });
  }
}

/** A client that runs a text of the console unchanged. */
const shown = (program: string, work: (world: World) => Promise<void>): Client => ({
  program,
  steps: (world) => [["as the console shows it", () => bound(world, work)]],
});

/** The texts of the console for the clients that are tested. */
export const shownTexts: readonly Client[] = [
  shown("certbot", certbot),
  shown("lego", lego),
  shown("lego5", lego5),
  shown("acme.sh", acmeSh),
  shown("caddy", caddy),
];
