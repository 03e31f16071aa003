import { join } from "node:path";
import type { Client } from "./client.ts";
import { isInstalled, run } from "./command.ts";

/** The gem of Debian's package ruby-acme-client. */
export const rubyAcmeClient: Client = {
  program: "ruby-acme-client",
  install: async () => {
    if (!isInstalled("ruby")) return "ruby is not installed";
    const found = await run("gem", ["list", "--exact", "acme-client"]);
    return found.includes("acme-client (") ? undefined : "the gem acme-client is not installed";
  },
  steps: (world) => [
    [
      "issue (http-01), revoke",
      async () => {
        const name = "ruby.acme.test";
        const challenges = join(world.webroot, ".well-known/acme-challenge");
        const output = await world.serving(() =>
          run("ruby", [
            join(import.meta.dirname, "ruby.rb"),
            world.directory(),
            challenges,
            name,
            world.trusted,
          ]),
        );
        const chain = output.slice(output.indexOf("-----BEGIN"));
        world.verify(chain, [name]);
        await world.revoked(chain);
      },
    ],
  ],
};
