import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { certificate, dial, listening, now } from "../net/tls-fixture.ts";
import { authority, clockAt } from "../support/authority.ts";
import { installed, needs } from "../support/programs.ts";
import { temporaryDirectory } from "../support/server.ts";

const program = join(temporaryDirectory(), "go-witness");
// use the installed Go and do not download another
const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
const go = (...args: readonly string[]) =>
  spawnSync("go", args, { cwd: join(import.meta.dirname, "go-witness"), env, encoding: "utf8" });

const ends: (() => void)[] = [];
afterAll(() => ends.forEach((end) => end()));

/** Starts the witness, and returns its verifier key and a function that calls it. */
async function started(log: string) {
  const child = spawn(program, ["witness.example/go", log], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill());
  // the program prints one line and then serves
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [vkey = "", port = ""] = line.toString().trim().split(" ");
  const call = (path: string, body: string) =>
    fetch(`http://127.0.0.1:${port}/${path}`, { method: "POST", body });
  return { vkey, call };
}

it("a witness of golang.org/x/mod/sumdb and filippo.io/torchwood cosigns each checkpoint and verifies published ones", async (context) => {
  needs(context, "go", "version");
  const fetched = installed("go", "version") ? go("mod", "download") : undefined;
  context.skip(fetched?.status !== 0, `the module cannot be had: ${fetched?.stderr.slice(0, 200)}`);
  const built = go("build", "-o", program, ".");
  expect(built.status, built.stderr).toBe(0);
  const ca = await certificate({ name: "CA of the witness", ca: true });
  const own = await certificate({ issuer: ca, names: { dns: ["witness.example"] } });
  const witness: { call?: (path: string, body: string) => Promise<Response> } = {};
  const statuses: number[] = [];
  // the engine requires HTTPS, and the witness speaks HTTP
  const server = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = request.url?.slice(1) ?? "";
      void witness.call?.(path, Buffer.concat(parts).toString()).then(async (answer) => {
        statuses.push(answer.status);
        response.writeHead(answer.status).end(await answer.text());
      });
    });
  });
  ends.push(() => server.close().closeAllConnections());
  const port = await listening(server);
  const a = authority({
    clock: clockAt(now * 1000),
    dial: async () => dial(port),
    resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
  });
  const { verifier_key } = await a.pki.writeLogConfig({ enabled: true, origin: "ca.test/log" });
  const grow = async (count: number): Promise<void> => {
    const numbers = Array.from({ length: count }, (_, crl_number) => crl_number);
    await Promise.all(
      numbers.map((n) => a.pki.signRevocationList({ issuer_ref: "root", crl_number: n })),
    );
    a.clock.advance(1);
    await a.ca.tick();
  };
  await a.root();
  // published before there is a witness, which therefore knows no tree yet
  await grow(3);
  const { vkey, call } = await started(verifier_key);
  witness.call = call;
  await a.pki.writeLogConfig({ witnesses: [`${vkey} https://witness.example`], ca_pem: ca.pem });
  const sizes: string[] = [];
  for (const count of [0, 5, 1, 300, 0]) {
    await grow(count);
    const checkpoint = (await a.pki.readLogCheckpoint()) ?? "";
    sizes.push(checkpoint.split("\n")[1] ?? "");
    expect(await (await call("verify", checkpoint)).text()).toBe("2 signatures, 0 unknown");
  }
  expect(sizes).toEqual(["5", "10", "11", "311", "311"]);
  // the first submission conflicts with the witness's empty tree; an unchanged checkpoint is not sent
  expect(statuses).toEqual([409, 200, 200, 200, 200]);
});
