import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { found, renewed, type Client } from "./client.ts";
import type { World } from "./world.ts";

interface Site {
  readonly prefix?: string;
  readonly challenge: "http" | "tls";
  readonly binding?: { readonly id: string; readonly key: string };
}

/** Runs Caddy for one site during the callback. */
async function withCaddy(
  world: World,
  name: string,
  site: Site,
  work: (chain: () => string) => Promise<void>,
): Promise<void> {
  const home = world.scratch(`caddy-${name}`);
  const file = join(home, "Caddyfile");
  const other = site.challenge === "http" ? "disable_tlsalpn_challenge" : "disable_http_challenge";
  const { id, key } = site.binding ?? {};
  const eab = id === undefined ? "" : `eab ${id} ${key}`;
  writeFileSync(
    file,
    `{
  admin off
  http_port ${world.httpPort}
  https_port ${world.tlsPort}
  storage file_system ${home}
  renew_interval 2s
}
${name}.acme.test {
  tls {
    issuer acme {
      dir ${world.directory(site.prefix)}
      trusted_roots ${world.trusted}
      email caddy@acme.test
      ${other}
      ${eab}
    }
  }
  respond ok
}
`,
  );
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const chain = (): string => {
    try {
      return found(home, `${name}.acme.test.crt`);
    } catch {
      return "";
    }
  };
  try {
    await until(() => chain() !== "", 60);
    await work(chain);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : ""}\n${output}`, { cause: error });
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Waits until a condition that another process fulfils is true. */
async function until(is: () => boolean, seconds: number): Promise<void> {
  for (let left = seconds * 10; !is(); left--) {
    if (left <= 0) throw new Error(`the condition was not fulfilled within ${seconds} s`);
    await pause(100);
  }
}

export const caddy: Client = {
  program: "caddy",
  steps: (world) => [
    [
      "issue (http-01)",
      () =>
        withCaddy(world, "caddy", { challenge: "http" }, async (chain) =>
          world.verify(chain(), ["caddy.acme.test"]),
        ),
    ],
    [
      "tls-alpn-01",
      () =>
        withCaddy(
          world,
          "caddy-alpn",
          { challenge: "tls", prefix: "roles/web/acme" },
          async (chain) => world.verify(chain(), ["caddy-alpn.acme.test"]),
        ),
    ],
    [
      "renew (certificates valid for a minute)",
      () =>
        withCaddy(
          world,
          "caddy-short",
          { challenge: "http", prefix: "roles/short/acme" },
          async (chain) => {
            const before = chain();
            await until(() => chain() !== before && chain() !== "", 100);
            renewed(before, chain());
            world.verify(chain(), ["caddy-short.acme.test"]);
          },
        ),
    ],
    ["revoke", async () => "Caddy has no command for this"],
    ["wildcard (dns-01)", async () => "requires a module that Debian's package lacks"],
    [
      "external account binding",
      async () => {
        await world.call("POST", "config/acme", { eab_policy: "always-required" });
        try {
          const binding = await world.binding();
          await withCaddy(world, "caddy-bound", { challenge: "http", binding }, async (chain) =>
            world.verify(chain(), ["caddy-bound.acme.test"]),
          );
        } finally {
          await world.call("POST", "config/acme", { eab_policy: "not-required" });
        }
      },
    ],
  ],
};
