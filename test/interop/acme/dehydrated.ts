import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { found, renewed, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

/** Returns dehydrated with its own configuration, plus the given lines. */
function dehydratedOf(world: World, name: string, prefix: string, lines: readonly string[] = []) {
  const home = world.scratch(`dehydrated-${name}`);
  const config = join(home, "config");
  writeFileSync(
    config,
    [
      `BASEDIR=${home}`,
      `CA=${world.directory(prefix)}`,
      `CURL_OPTS="--cacert ${world.trusted}"`,
      `WELLKNOWN=${join(world.webroot, ".well-known/acme-challenge")}`,
      "CONTACT_EMAIL=dehydrated@acme.test",
      "KEY_ALGO=secp384r1",
      ...lines,
    ].join("\n"),
  );
  return {
    home,
    chain: (alias: string) => found(join(home, "certs", alias), "fullchain.pem"),
    run: (...args: string[]) =>
      world.serving(() => run("dehydrated", ["--config", config, ...args], { cwd: home })),
  };
}

export const dehydrated: Client = {
  program: "dehydrated",
  steps: (world) => {
    const client = dehydratedOf(world, "plain", "acme");
    const domain = "dehydrated.acme.test";
    return [
      [
        "issue (http-01)",
        async () => {
          await client.run("--register", "--accept-terms");
          await client.run("--cron", "--domain", domain);
          world.verify(client.chain(domain), [domain]);
        },
      ],
      [
        "do not renew a new certificate",
        async () => {
          const before = client.chain(domain);
          await client.run("--cron", "--domain", domain);
          if (client.chain(domain) !== before) throw new Error("the certificate was renewed");
        },
      ],
      [
        "renew",
        async () => {
          const before = client.chain(domain);
          await client.run("--cron", "--force", "--domain", domain);
          renewed(before, client.chain(domain));
        },
      ],
      [
        "revoke",
        async () => {
          const chain = client.chain(domain);
          await client.run("--revoke", join(client.home, "certs", domain, "cert.pem"));
          await world.revoked(chain);
        },
      ],
      ["deactivate the account", async () => void (await client.run("--account"))],
      ["wildcard (dns-01)", () => wildcard(world)],
      ["external account binding", () => bound(world)],
    ];
  },
};

async function wildcard(world: World): Promise<void> {
  const hook = join(world.scratch("dehydrated-hook"), "hook.sh");
  writeFileSync(
    hook,
    `#!/bin/sh\ncase "$1" in\ndeploy_challenge) ${world.txtScript} add "_acme-challenge.$2" "$4";;\nclean_challenge) ${world.txtScript} clear "_acme-challenge.$2" "$4";;\nesac\n`,
    { mode: 0o755 },
  );
  const lines = ["CHALLENGETYPE=dns-01", `HOOK=${hook}`];
  const client = dehydratedOf(world, "wildcard", "roles/web/acme", lines);
  const names = ["*.dehydrated-wild.acme.test", "dehydrated-wild.acme.test"];
  await client.run("--register", "--accept-terms");
  await client.run("--cron", "--domain", names.join(" "), "--alias", "wild");
  world.verify(client.chain("wild"), names);
}

async function bound(world: World): Promise<void> {
  const { id, key } = await world.binding();
  const client = dehydratedOf(world, "bound", "acme", [`EAB_KID=${id}`, `EAB_HMAC_KEY=${key}`]);
  await world.call("POST", "config/acme", { eab_policy: "always-required" });
  try {
    await client.run("--register", "--accept-terms");
    await client.run("--cron", "--domain", "dehydrated-bound.acme.test");
  } finally {
    await world.call("POST", "config/acme", { eab_policy: "not-required" });
  }
  world.verify(client.chain("dehydrated-bound.acme.test"), ["dehydrated-bound.acme.test"]);
}
