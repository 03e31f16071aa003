import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sealwrightWorker, type WorkerOptions } from "../../worker/authority.ts";
import type { LogEvent } from "../../src/index.ts";
import type { Env } from "../../worker/ports.ts";

const own = (options: WorkerOptions<Env>, more: Partial<Env> = {}) => {
  const worker = sealwrightWorker<Env>(options);
  // the bindings are those of the deployment
  const bound = { ...(env as object), SEALING_KEY: btoa("k".repeat(32)), ...more } as Env;
  return async (path: string, token = "mine"): Promise<readonly [number, string]> => {
    const request = new Request(`https://own.example${path}`, {
      headers: { "x-service-token": token },
    });
    const answer = await worker.fetch(request, bound);
    return [answer.status, await answer.text()];
  };
};
const authenticate = async (token: string) =>
  token === "mine" ? { id: "me", policies: ["root"], can: () => true } : undefined;
const short = { SERVICE_ROOT_TOKEN: "short" };

it("a Worker with its own authentication ignores a short SERVICE_ROOT_TOKEN", async () => {
  for (const options of [{ authenticate }, { options: () => ({ authenticate }) }]) {
    const ask = own(options, short);
    expect((await ask("/v1/sys/mounts"))[0]).toBe(200);
    expect((await ask("/v1/sys/mounts", "short"))[0]).toBe(403);
  }
  const [status, text] = await own({}, short)("/v1/sys/mounts");
  expect([status, text]).toEqual([503, expect.stringContaining("at least 16 characters")]);
});

it("the client's address is the result of `peer`, never a header by itself", async () => {
  const seen: (string | undefined)[] = [];
  const asked = async (peer?: WorkerOptions<Env>["peer"]): Promise<void> => {
    const log = (event: LogEvent) => void seen.push(event.address);
    const options = { authenticate, ...(peer ? { peer } : {}), options: () => ({ log }) };
    const headers = { "cf-connecting-ip": "192.0.2.1", "x-real-ip": "192.0.2.2" };
    const bound = { ...(env as object), SEALING_KEY: btoa("k".repeat(32)) } as Env;
    const request = new Request("https://own.example/v1/sys/health", { headers });
    await sealwrightWorker<Env>(options).fetch(request, bound);
  };
  await asked();
  await asked(({ headers }) => ({ address: headers.get("x-real-ip") ?? undefined }));
  expect(seen).toEqual([undefined, "192.0.2.2"]);
});

it("a missing binding returns 503, and an unknown option throws", async () => {
  for (const options of [{ binding: "NONE" }, { published: "NONE" }])
    expect(await own(options)("/v1/sys/mounts")).toEqual([503, expect.stringContaining("NONE")]);
  expect(() => sealwrightWorker({ prefx: "/ca" } as object)).toThrow(
    "sealwrightWorker: unknown option prefx",
  );
  for (const prefix of ["ca", "/ca/", "/", "/ca?x"])
    expect(() => sealwrightWorker({ prefix })).toThrow(TypeError);
});
