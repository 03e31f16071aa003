import { join } from "node:path";
import { found, refused, renewed, type Client } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

function legoOf(world: World, name: string, prefix = "acme") {
  const path = world.scratch(`lego-${name}`);
  const usual = ["--server", world.directory(prefix), "--path", path, "--email", "lego@acme.test"];
  return {
    chain: (domain: string) => found(join(path, "certificates"), `${domain}.crt`),
    run: (...args: string[]) =>
      run("lego", [...usual, "--accept-tos", ...args], {
        env: {
          LEGO_CA_CERTIFICATES: world.trusted,
          EXEC_PATH: world.txtScript,
          EXEC_POLLING_INTERVAL: "1",
          EXEC_SEQUENCE_INTERVAL: "1",
        },
      }),
  };
}

export const lego: Client = {
  program: "lego",
  steps: (world) => {
    const client = legoOf(world, "plain");
    const http = ["--http", "--http.port", `127.0.0.1:${world.httpPort}`];
    const domain = "lego.acme.test";
    return [
      [
        "issue (http-01)",
        async () => {
          await client.run("-d", domain, ...http, "run");
          world.verify(client.chain(domain), [domain]);
        },
      ],
      [
        "renew",
        async () => {
          const before = client.chain(domain);
          await client.run("-d", domain, ...http, "renew", "--days", "9999", "--no-random-sleep");
          renewed(before, client.chain(domain));
        },
      ],
      [
        "revoke",
        async () => {
          await client.run("-d", domain, ...http, "revoke", "--keep", "--reason", "1");
          await world.revoked(client.chain(domain));
        },
      ],
      [
        "tls-alpn-01",
        async () => {
          const alpn = legoOf(world, "alpn", "roles/web/acme");
          const tls = ["--tls", "--tls.port", `127.0.0.1:${world.tlsPort}`];
          await alpn.run("-d", "alpn.acme.test", ...tls, "run");
          world.verify(alpn.chain("alpn.acme.test"), ["alpn.acme.test"]);
        },
      ],
      ["wildcard (dns-01)", () => wildcard(world)],
      ["external account binding", () => bound(world, http)],
    ];
  },
};

async function wildcard(world: World): Promise<void> {
  const client = legoOf(world, "wildcard");
  const names = ["*.lego-wild.acme.test", "lego-wild.acme.test"];
  const resolver = ["--dns.resolvers", `127.0.0.1:${world.dns.port}`, "--dns.disable-cp"];
  const script = ["--dns", "exec", ...resolver];
  await client.run(...names.flatMap((name) => ["-d", name]), ...script, "run");
  world.verify(client.chain("_.lego-wild.acme.test"), names);
}

async function bound(world: World, http: readonly string[]): Promise<void> {
  const client = legoOf(world, "bound");
  await world.call("POST", "config/acme", { eab_policy: "new-account-required" });
  try {
    await refused(client.run("-d", "a.acme.test", ...http, "run"), "external account binding");
    const { id, key } = await world.binding();
    await client.run(
      "-d",
      "lego-bound.acme.test",
      "--eab",
      "--kid",
      id,
      "--hmac",
      key,
      ...http,
      "run",
    );
  } finally {
    await world.call("POST", "config/acme", { eab_policy: "not-required" });
  }
  world.verify(client.chain("lego-bound.acme.test"), ["lego-bound.acme.test"]);
}
