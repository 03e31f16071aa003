import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { found, renewed, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

/**
 * Returns uacme, over HTTP because it has no setting for a trusted root. `txt`: it proves dns-01
 * challenges, otherwise http-01.
 */
function uacmeOf(world: World, name: string, txt = false) {
  const home = world.scratch(`uacme-${name}`);
  const hook = join(home, "hook.sh");
  const file = join(world.webroot, ".well-known/acme-challenge");
  const begin = txt
    ? `[ "$2" = dns-01 ] && ${world.txtScript} add "_acme-challenge.$3" "$5"`
    : `[ "$2" = http-01 ] && printf %s "$5" > "${file}/$4"`;
  const end = txt ? `${world.txtScript} clear "_acme-challenge.$3" "$5"` : `rm -f "${file}/$4"`;
  writeFileSync(hook, `#!/bin/sh\nif [ "$1" = begin ]; then ${begin}; else ${end}; fi\n`, {
    mode: 0o755,
  });
  const usual = ["-a", world.directory("acme", true), "-c", join(home, "conf"), "-y", "-v"];
  return {
    home,
    file: (domain: string) => join(home, "conf", domain, "cert.pem"),
    run: (...args: string[]) => world.serving(() => run("uacme", [...usual, "-h", hook, ...args])),
  };
}

export const uacme: Client = {
  program: "uacme",
  steps: (world) => {
    const client = uacmeOf(world, "plain");
    const domain = "uacme.acme.test";
    const chain = () => readFileSync(client.file(domain), "utf8");
    return [
      [
        "issue (http-01, over plain http)",
        async () => {
          await client.run("new", "uacme@acme.test");
          await client.run("issue", domain);
          world.verify(chain(), [domain], true);
        },
      ],
      [
        "renew after a key change",
        async () => {
          const before = chain();
          await client.run("newkey");
          await client.run("-f", "issue", domain);
          renewed(before, chain());
        },
      ],
      [
        "revoke",
        async () => {
          const before = chain();
          await client.run("revoke", client.file(domain));
          await world.revoked(before, true);
        },
      ],
      [
        "change and deactivate the account",
        async () => {
          await client.run("update", "other@acme.test");
          await client.run("deactivate");
        },
      ],
      [
        "wildcard (dns-01)",
        async () => {
          const wild = uacmeOf(world, "wildcard", true);
          const names = ["*.uacme-wild.acme.test", "uacme-wild.acme.test"];
          await wild.run("new");
          await wild.run("issue", ...names);
          world.verify(found(wild.home, "cert.pem"), names, true);
        },
      ],
      [
        "external account binding",
        async () => {
          const { id, key } = await world.binding("acme", true);
          await uacmeOf(world, "bound").run("-e", `${id}:${key}`, "new");
        },
      ],
    ];
  },
};
