import { X509Certificate } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { found, renewed, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

/** Returns acme.sh with its own home directory and default settings. */
function acmeShOf(world: World, name: string, prefix: string) {
  const home = world.scratch(`acme.sh-${name}`);
  const trust = ["--ca-bundle", world.trusted];
  const common = ["--home", home, "--server", world.directory(prefix), ...trust];
  return {
    home,
    chain: (domain: string) => found(join(home, `${domain}_ecc`), "fullchain.cer"),
    settings: (domain: string) => found(join(home, `${domain}_ecc`), `${domain}.conf`),
    run: (...args: string[]) =>
      world.serving(() =>
        run("acme.sh", [...args, ...common], { cwd: home, env: { LE_WORKING_DIR: home } }),
      ),
  };
}

/** Throws if acme.sh plans the renewal for a time after the certificate expires. */
function renewsInTime(chain: string, settings: string): void {
  const [, planned = ""] = /^Le_NextRenewTime='(\d+)'$/m.exec(settings) ?? [];
  const { validTo } = new X509Certificate(chain);
  if (!(Number(planned) * 1000 < Date.parse(validTo)))
    throw new Error(`the renewal is planned for ${planned}, the certificate expires ${validTo}`);
}

export const acmeSh: Client = {
  program: "acme.sh",
  steps: (world) => {
    const client = acmeShOf(world, "plain", "acme");
    const domain = "acmesh.acme.test";
    const webroot = ["--webroot", world.webroot];
    return [
      [
        "issue (http-01)",
        async () => {
          await client.run("--register-account");
          await client.run("--issue", ...webroot, "-d", domain);
          world.verify(client.chain(domain), [domain]);
          renewsInTime(client.chain(domain), client.settings(domain));
        },
      ],
      [
        "renew",
        async () => {
          const before = client.chain(domain);
          await client.run("--renew", "--force", "-d", domain);
          renewed(before, client.chain(domain));
        },
      ],
      [
        "revoke",
        async () => {
          const chain = client.chain(domain);
          await client.run("--revoke", "-d", domain);
          await world.revoked(chain);
        },
      ],
      ["wildcard (dns-01)", () => wildcard(world)],
      ["external account binding", () => bound(world, webroot)],
    ];
  },
};

async function wildcard(world: World): Promise<void> {
  const client = acmeShOf(world, "wildcard", "roles/web/acme");
  const hooks = join(client.home, "dnsapi");
  mkdirSync(hooks, { recursive: true });
  writeFileSync(
    join(hooks, "dns_world.sh"),
    `#!/usr/bin/env sh\ndns_world_add() { ${world.txtScript} add "$1" "$2"; }\ndns_world_rm() { ${world.txtScript} clear "$1" "$2"; }\n`,
  );
  const names = ["*.acmesh-wild.acme.test", "acmesh-wild.acme.test"];
  await client.run("--register-account");
  await client.run(
    "--issue",
    "--dns",
    "dns_world",
    "--dnssleep",
    "1",
    ...names.toReversed().flatMap((name) => ["-d", name]),
  );
  world.verify(client.chain("acmesh-wild.acme.test"), names);
}

async function bound(world: World, webroot: readonly string[]): Promise<void> {
  const { id, key } = await world.binding();
  const client = acmeShOf(world, "bound", "acme");
  const domain = "acmesh-bound.acme.test";
  await world.call("POST", "config/acme", { eab_policy: "always-required" });
  try {
    await client.run("--register-account", "--eab-kid", id, "--eab-hmac-key", key);
    await client.run("--issue", ...webroot, "-d", domain);
  } finally {
    await world.call("POST", "config/acme", { eab_policy: "not-required" });
  }
  world.verify(client.chain(domain), [domain]);
}
