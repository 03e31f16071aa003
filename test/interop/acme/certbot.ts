import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refused, renewed, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

/** Returns the arguments that all calls of certbot share, with its own directory. */
function certbotOf(world: World, name: string, prefix: string) {
  const home = world.scratch(`certbot-${name}`);
  const places = ["config", "work", "logs"].flatMap((kind) => [`--${kind}-dir`, join(home, kind)]);
  return {
    home,
    live: (lineage: string) => join(home, "config/live", lineage),
    run: (...args: string[]) =>
      run("certbot", [...args, "--server", world.directory(prefix), ...places, "-n"], {
        env: { REQUESTS_CA_BUNDLE: world.trusted },
      }),
  };
}
const account = ["--agree-tos", "-m", "admin@acme.test", "--no-eff-email"];

export const certbot: Client = {
  program: "certbot",
  steps: (world) => {
    const client = certbotOf(world, "plain", "acme");
    const standalone = ["--standalone", "--http-01-port", String(world.httpPort)];
    const chain = () =>
      readFileSync(join(client.live("certbot.acme.test"), "fullchain.pem"), "utf8");
    const names = ["certbot.acme.test", "also.acme.test"];
    return [
      [
        "issue (http-01)",
        async () => {
          const wanted = names.flatMap((name) => ["-d", name]);
          await client.run("certonly", ...standalone, ...account, ...wanted);
          world.verify(chain(), names);
        },
      ],
      [
        "renew",
        async () => {
          const before = chain();
          await client.run("renew", "--force-renewal", "--no-random-sleep-on-renew");
          renewed(before, chain());
        },
      ],
      [
        "revoke",
        async () => {
          const cert = join(client.live("certbot.acme.test"), "cert.pem");
          await client.run(
            "revoke",
            "--cert-path",
            cert,
            "--reason",
            "superseded",
            "--no-delete-after-revoke",
          );
          await world.revoked(chain());
        },
      ],
      [
        "change and deactivate the account",
        async () => {
          await client.run("update_account", "-m", "other@acme.test", "--no-eff-email");
          await client.run("unregister");
        },
      ],
      ["wildcard (dns-01)", () => wildcard(world)],
      ["external account binding", () => bound(world)],
    ];
  },
};

async function wildcard(world: World): Promise<void> {
  const client = certbotOf(world, "wildcard", "roles/web/acme");
  const hook = (verb: string): string => {
    const path = join(client.home, `${verb}.sh`);
    const words = `${world.txtScript} ${verb} "_acme-challenge.$CERTBOT_DOMAIN" "$CERTBOT_VALIDATION"`;
    writeFileSync(path, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
    return path;
  };
  const hooks = ["--manual-auth-hook", hook("add"), "--manual-cleanup-hook", hook("clear")];
  const manual = ["--manual", "--preferred-challenges", "dns", ...hooks];
  const names = ["*.wild.acme.test", "wild.acme.test"];
  const wanted = names.flatMap((name) => ["-d", name]);
  await client.run("certonly", ...manual, ...account, ...wanted, "--cert-name", "wild");
  world.verify(readFileSync(join(client.live("wild"), "fullchain.pem"), "utf8"), names);
}

async function bound(world: World): Promise<void> {
  const client = certbotOf(world, "bound", "acme");
  const standalone = ["--standalone", "--http-01-port", String(world.httpPort)];
  const issue = (...args: string[]) =>
    client.run("certonly", ...standalone, ...account, ...args, "-d", "bound.acme.test");
  await world.call("POST", "config/acme", { eab_policy: "always-required" });
  try {
    await refused(issue(), "external account binding");
    const { id, key } = await world.binding();
    await issue("--eab-kid", id, "--eab-hmac-key", key);
  } finally {
    await world.call("POST", "config/acme", { eab_policy: "not-required" });
  }
  const chain = readFileSync(join(client.live("bound.acme.test"), "fullchain.pem"), "utf8");
  world.verify(chain, ["bound.acme.test"]);
}
