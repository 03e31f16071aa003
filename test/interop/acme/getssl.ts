import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, renewed } from "./client.ts";
import { run } from "./command.ts";

/** getssl, a shell script that is not packaged: its checkout must be in PATH. */
export const getssl: Client = {
  program: "getssl",
  steps: (world) => {
    const home = world.scratch("getssl");
    const domain = "Mixed.GetSSL.acme.test";
    const work = join(home, domain);
    const chain = () => readFileSync(join(work, "chain.pem"), "utf8");
    const issue = (...args: string[]) =>
      world.serving(() =>
        run("getssl", ["-w", home, "-U", ...args, domain], {
          cwd: home,
          env: { CURL_CA_BUNDLE: world.trusted },
        }),
      );
    return [
      [
        "issue for a name with upper-case letters (http-01)",
        async () => {
          mkdirSync(work, { recursive: true });
          writeFileSync(
            join(work, "getssl.cfg"),
            [
              `CA="${world.directory()}"`,
              `ACL=('${join(world.webroot, ".well-known/acme-challenge")}')`,
              `DOMAIN_CHAIN_LOCATION="${join(work, "chain.pem")}"`,
              'SANS=""',
              'SKIP_HTTP_TOKEN_CHECK="true"',
              'CHECK_REMOTE="false"',
              // getssl resolves names with dig
              `DNS_CHECK_OPTIONS="-p ${world.dns.port} @127.0.0.1"`,
              'ACCOUNT_EMAIL="getssl@acme.test"',
              `ACCOUNT_KEY="${join(home, "account.key")}"`,
            ].join("\n"),
          );
          await issue();
          world.verify(chain(), [domain.toLowerCase()]);
        },
      ],
      [
        "renew",
        async () => {
          const before = chain();
          await issue("-f");
          renewed(before, chain());
        },
      ],
    ];
  },
};
