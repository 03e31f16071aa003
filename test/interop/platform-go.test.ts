import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed, needs } from "../support/programs.ts";
import { startServer, temporaryDirectory, type RunningServer } from "../support/server.ts";
import { run } from "./acme/command.ts";
import { startServices, type Services } from "./platform/services.ts";

const source = join(import.meta.dirname, "go-platform");
const program = join(temporaryDirectory(), "go-platform");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: source, env, encoding: "utf8" });

let server: RunningServer | undefined;
let services: Services | undefined;
/** Why the modules are not available, if they are not. */
let missing = "";
beforeAll(async () => {
  if (!installed("go", "version")) return;
  const fetched = go("mod", "download");
  if (fetched.status !== 0) {
    missing = `the SDK cannot be had: ${fetched.stderr.trim().slice(0, 200)}`;
    return;
  }
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
  [server, services] = await Promise.all([startServer(), startServices()]);
});
afterAll(async () => {
  services?.close();
  await server?.stop();
});

describe("the Go SDK of this API family", () => {
  it("works with mounts, certificates, policies, tokens, leases, wrapping, logins, managed keys and an external policy service", async (context) => {
    needs(context, "go", "version");
    context.skip(missing !== "", missing);
    if (!server || !services) throw new Error("the server did not start");
    const env = { BAO_TOKEN: server.token, ...services.env };
    const told = await run(program, [server.url], { env });
    expect(told).toMatch(/\ndone\n$/);
  });
});
