import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alice, world } from "../est/world.ts";
import { clockAt } from "../support/authority.ts";
import { installed, itWith, needs } from "../support/programs.ts";
import { temporaryDirectory } from "../support/server.ts";
import { run } from "./acme/command.ts";
import { serveTls, type TlsServer } from "./est/serve.ts";

const here = import.meta.dirname;
const directory = temporaryDirectory();
const program = join(directory, "go-est");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: join(here, "go-est"), env, encoding: "utf8" });

let server: TlsServer;
/** Why the modules are not available, if they are not. */
let missing = "";
beforeAll(async () => {
  const { a } = await world(
    { csr_attributes: ["1.2.840.113549.1.9.7"] },
    { clock: clockAt(Date.now()) },
  );
  server = await serveTls((request, tlsChain) => a.ca.fetch(request, { peer: { tlsChain } }));
  writeFileSync(join(directory, "server.pem"), server.ca);
  if (!installed("go", "version")) return;
  const fetched = go("mod", "download");
  if (fetched.status !== 0) {
    missing = `the client cannot be had: ${fetched.stderr.trim().slice(0, 200)}`;
    return;
  }
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
});
afterAll(() => server?.close());

const [user = "", password = ""] = alice.split(":");

describe("EST clients", () => {
  it("globalsign/est reads CA certificates and CSR attributes, enrols with a password, and re-enrols with the certificate", async (context) => {
    needs(context, "go", "version");
    context.skip(missing !== "", missing);
    for (const [label, name] of [
      ["", "one.example"],
      ["dev", "two.example"],
    ] as const) {
      const file = join(directory, "server.pem");
      const told = await run(program, [server.host, label, file, user, password, name]);
      expect(told.split("\n")).toEqual([
        "cacerts CN=Root CA",
        "csrattrs 1 0",
        "nobody 401",
        "wrong password 401",
        `enrolled CN=${name} [${name}]`,
        `enrolled again CN=${name} true`,
        "other names 400",
        "server's keys 404",
        "done",
        "",
      ]);
    }
  });

  itWith("curl", "--version")(
    "curl and openssl enrol with a password, and re-enrol with the certificate",
    async () => {
      const cwd = join(directory, "curl");
      mkdirSync(cwd);
      writeFileSync(join(cwd, "server.pem"), server.ca);
      const script = join(here, "est/curl.sh");
      const told = await run("bash", [script, `https://${server.host}`, alice, "curl.example"], {
        cwd,
      });
      expect(told).toMatch(/device\.pem: OK\nrenewed\.pem: OK\ndone\n$/);
    },
  );
});
