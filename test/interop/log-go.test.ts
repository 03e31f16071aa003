import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { requestListener } from "../../src/node/request-listener.ts";
import { authority } from "../support/authority.ts";
import { installed, needs } from "../support/programs.ts";
import { temporaryDirectory } from "../support/server.ts";
import { run } from "./acme/command.ts";

const directory = temporaryDirectory();
const program = join(directory, "go-log");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: join(import.meta.dirname, "go-log"), env, encoding: "utf8" });

const a = authority();
const server = createServer(requestListener(a.ca));
afterAll(() => server.close());

it("golang.org/x/mod/sumdb verifies the checkpoint, entries and proofs of a log with several levels of tiles", async (context) => {
  needs(context, "go", "version");
  const fetched = installed("go", "version") ? go("mod", "download") : undefined;
  context.skip(fetched?.status !== 0, `the module cannot be had: ${fetched?.stderr.slice(0, 200)}`);
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
  const { verifier_key } = await a.pki.writeLogConfig({
    enabled: true,
    public: true,
    origin: "ca.test/log",
  });
  await a.root();
  const grow = async (count: number): Promise<void> => {
    const numbers = Array.from({ length: count }, (_, crl_number) => crl_number);
    await Promise.all(
      numbers.map((n) => a.pki.signRevocationList({ issuer_ref: "root", crl_number: n })),
    );
    a.clock.advance(1);
    await a.ca.tick();
  };
  await grow(5);
  const previous = join(directory, "checkpoint");
  writeFileSync(previous, (await a.pki.readLogCheckpoint()) ?? "");
  await grow(260);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // a server that listens on a port has an address object
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1/pki/log`;
  expect((await run(program, [url, verifier_key, previous])).trim().split("\n")).toEqual([
    "root true",
    "included 267",
    "consistent 7 267",
  ]);
});
