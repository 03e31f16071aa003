import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed, needs } from "../support/programs.ts";
import { temporaryDirectory } from "../support/server.ts";
import { run } from "./acme/command.ts";
import { startWorld, type World } from "./acme/world.ts";
import { startServices, type Services } from "./platform/services.ts";

const source = join(import.meta.dirname, "go-acme");
const program = join(temporaryDirectory(), "go-acme");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: source, env, encoding: "utf8" });

let world: World;
let services: Services | undefined;
/** Why the modules are not available, if they are not. */
let missing = "";
beforeAll(async () => {
  if (!installed("go", "version")) return;
  const fetched = go("mod", "download");
  if (fetched.status !== 0) {
    missing = `golang.org/x/crypto cannot be had: ${fetched.stderr.trim().slice(0, 200)}`;
    return;
  }
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
  world = await startWorld();
});
afterAll(async () => {
  services?.close();
  await world?.stop();
});

describe("Go's golang.org/x/crypto/acme", () => {
  it("uses an account from registration to deactivation, and autocert obtains a certificate by tls-alpn-01", async (context) => {
    needs(context, "go", "version");
    context.skip(missing !== "", missing);
    await world.call("POST", "roles/bound", { allow_any_name: true, key_type: "any" }, true);
    const { id, key } = await world.binding("roles/bound/acme", true);
    const ports = [String(world.httpPort), String(world.tlsPort)];
    const args = [world.directory("acme", true), ...ports];
    expect(await run(program, ["open", ...args])).toMatch(/\ndone\n$/);
    await world.call("POST", "config/acme", { eab_policy: "always-required" }, true);
    const bound = [world.directory("roles/bound/acme", true), ...ports, id, key];
    expect(await run(program, ["bound", ...bound])).toMatch(/\ndone\n$/);
  });

  it("gets certificates that an external policy service allows, with and without a policy name", async (context) => {
    needs(context, "go", "version");
    context.skip(missing !== "", missing);
    services = await startServices();
    const { POLICY_URL, SERVICES_CA } = services.env;
    const service = { external_service_url: POLICY_URL, trusted_ca: SERVICES_CA };
    await world.call("POST", "config/external-policy", { enabled: true, ...service }, true);
    await world.call("POST", "config/acme", { eab_policy: "always-required" }, true);
    for (const prefix of ["external-policy/acme", "external-policy/servers/acme"]) {
      const { id, key } = await world.binding(prefix, true);
      const ports = [String(world.httpPort), String(world.tlsPort)];
      const args = [world.directory(prefix, true), ...ports, id, key];
      expect(await run(program, ["bound", ...args])).toMatch(/\ndone\n$/);
    }
  });
});
