import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { renewed, type Client } from "./client.ts";
import { run } from "./command.ts";

export const acmeTiny: Client = {
  program: "acme-tiny",
  steps: (world) => {
    const home = world.scratch("acme-tiny");
    const names = ["tiny.acme.test", "tiny2.acme.test"];
    const [account, key, csr] = ["account.key", "tls.key", "tls.csr"].map((name) =>
      join(home, name),
    ) as [string, string, string];
    let chain = "";
    const openssl = (...args: string[]) => spawnSync("openssl", args, { encoding: "utf8" });
    const issue = async (): Promise<string> => {
      const files = ["--account-key", account, "--csr", csr];
      const places = ["--acme-dir", join(world.webroot, ".well-known/acme-challenge")];
      const output = await world.serving(() =>
        run(
          "acme-tiny",
          [
            ...files,
            ...places,
            "--directory-url",
            world.directory(),
            "--disable-check",
            "--contact",
            "mailto:tiny@acme.test",
          ],
          { env: { SSL_CERT_FILE: world.trusted } },
        ),
      );
      return output.slice(output.indexOf("-----BEGIN"));
    };
    return [
      [
        "issue (http-01)",
        async () => {
          openssl("genrsa", "-out", account, "2048");
          const san = `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`;
          const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", csr];
          openssl("req", "-new", ...made, "-subj", "/", "-addext", san);
          chain = await issue();
          world.verify(chain, names);
        },
      ],
      ["renew", async () => renewed(chain, await issue())],
      ["revoke", async () => "unsupported"],
      ["wildcard (dns-01)", async () => "unsupported"],
      ["external account binding", async () => "unsupported"],
    ];
  },
};
