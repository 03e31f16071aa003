import { describe, expect, it } from "vitest";
import type { Mount } from "../../src/engine/mount.ts";
import type { Reply } from "../../src/wire/call.ts";
import { endpoint, type RoutedCall, type Outcome } from "../../src/wire/endpoint.ts";
import { bytes } from "../../src/wire/field.ts";
import { raw } from "../../src/wire/style.ts";
import { start } from "../support/authority.ts";
import { bench } from "./fixture.ts";

const shared = { style: raw, doc: "", body: {}, reply: {} } as const;
/** Creates a mount whose handlers count their runs, and a clock. */
function counting() {
  const clock = { now: start };
  const seen: { runs: number; mount?: Mount } = { runs: 0 };
  const answer = (ca: Mount, since?: number) => {
    seen.mount = ca;
    const told = `run ${++seen.runs}`;
    const reply = { type: "text/plain", bytes: told, etag: '"1"' } as const;
    return since === undefined ? reply : { ...reply, since };
  };
  const public_ = { ...shared, access: "open" } as const;
  const endpoints = [
    endpoint({
      ...public_,
      id: "kept",
      at: ["GET /kept/:name"],
      run: async (ca) => {
        await ca.config();
        return answer(ca, ca.checked);
      },
    }),
    endpoint({ ...public_, id: "made", at: ["GET /made"], run: async (ca) => answer(ca) }),
    endpoint({
      ...shared,
      access: "token",
      id: "guarded",
      at: ["GET /guarded"],
      run: async (ca) => answer(ca, ca.ports.now()),
    }),
  ];
  const { fetch, events } = bench(endpoints, { now: () => clock.now });
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const { status, text } = await fetch(method, `/v1/pki/${path}`, { headers });
    return status === 200 ? text : String(status);
  };
  return { clock, seen, ask, events };
}

describe("a cached public reply that depends on its path alone", () => {
  it("is reused until its sources are a second old", async () => {
    const { ask, clock } = counting();
    expect([await ask("kept/a"), await ask("kept/a"), await ask("kept/b")]).toEqual([
      "run 1",
      "run 1",
      "run 2",
    ]);
    clock.now += 999;
    expect(await ask("kept/a")).toBe("run 1");
    clock.now += 1;
    expect(await ask("kept/a")).toBe("run 3");
    // after the clock moved back, the age is unknown
    clock.now -= 500;
    expect(await ask("kept/a")).toBe("run 4");
  });
  it("is computed again if the engine has dropped its cache, as after a write", async () => {
    const { ask, seen } = counting();
    await ask("kept/a");
    seen.mount?.forget();
    expect([await ask("kept/a"), await ask("kept/a")]).toEqual(["run 2", "run 2"]);
    seen.mount?.sys.cache.forget();
    expect(await ask("kept/a")).toBe("run 3");
  });
  it("is dropped when it is too old, so that callers that vary paths do not displace other replies", async () => {
    const { ask, clock } = counting();
    for (let i = 0; i < 199; i++) await ask(`kept/n${i}`);
    clock.now += 1000;
    expect([await ask("kept/a"), await ask("kept/b"), await ask("kept/a")]).toEqual([
      "run 200",
      "run 201",
      "run 200",
    ]);
  });
  it("is not returned to a request that asks for more than the path", async () => {
    const { ask, seen } = counting();
    await ask("kept/a");
    for (const [headers, answer] of [
      [{ "if-none-match": '"1"' }, "304"],
      [{ "x-vault-namespace": "team" }, "404"],
      [{ "x-service-namespace": "team" }, "404"],
      [{ "x-http-method-override": "LIST" }, "405"],
      [{ "x-service-wrap-ttl": "never" }, "400"],
    ] as const)
      expect([headers, await ask("kept/a", headers)]).toEqual([headers, answer]);
    expect(await ask("kept/a?list=true")).toBe("405");
    expect(await ask("kept/a?x=1", { "x-vault-request": "true" })).toBe(`run ${seen.runs}`);
    expect(await ask("kept/a?x=1")).toBe("400");
    expect(await ask("kept/a", {}, "HEAD")).toBe("");
    expect(await ask("kept/a", {}, "POST")).toBe("405");
  });
  it("is logged like any other", async () => {
    const { ask, events } = counting();
    for (const token of ["", "good"]) await ask("kept/a", { "x-service-token": token });
    await ask("kept/b");
    const [first, again, other] = events.map(({ request, ...event }) => ({
      ...event,
      request: String(request).length,
    }));
    expect(again).toEqual({ ...first, fields: { method: "GET", dialect: "documented" } });
    expect(other).toEqual(again);
    expect(new Set(events.map(({ request }) => request)).size).toBe(3);
  });
  it("requires an open endpoint and a known age", async () => {
    const { ask } = counting();
    expect([await ask("made"), await ask("made")]).toEqual(["run 1", "run 2"]);
    expect([await ask("guarded"), await ask("guarded")]).toEqual(["run 3", "run 4"]);
    expect(await ask("guarded", { "x-service-token": "" })).toBe("403");
  });
});

describe("a cached public reply to a request body", () => {
  const type = "application/question";
  function asking() {
    const clock = { now: start };
    const seen = { runs: 0, current: true };
    const style = {
      ...raw,
      whole: "question",
      accepts: { POST: type },
      read: async ({ body }: RoutedCall) => ({ question: await body() }),
      reply: ({ data }: Outcome): Reply => ({
        status: 200,
        headers: {},
        body: String(data),
        since: clock.now,
        isCurrent: () => seen.current,
      }),
    } as const;
    const answers = endpoint({
      style,
      access: "open",
      id: "answers",
      at: ["POST /answers"],
      doc: "",
      body: { question: bytes.required("") },
      bodyLimits: { bytes: 8, members: 0 },
      reply: {},
      run: async (_, { question }) => `run ${++seen.runs} of ${String(question)}`,
    });
    const { fetch } = bench([answers], { now: () => clock.now });
    const ask = async (body: string, headers: Record<string, string> = {}, query = "") => {
      // as every HTTP client sends it
      const length = { "content-length": String(body.length) };
      const init = { body, headers: { "content-type": type, ...length, ...headers } };
      const { status, text } = await fetch("POST", `/v1/pki/answers${query}`, init);
      return status === 200 ? text : String(status);
    };
    return { clock, seen, ask };
  }

  it("is returned for the same body until it is a second old or no longer current", async () => {
    const { clock, seen, ask } = asking();
    expect([await ask("a"), await ask("b"), await ask("a")]).toEqual([
      "run 1 of 97",
      "run 2 of 98",
      "run 1 of 97",
    ]);
    clock.now += 999;
    expect(await ask("a")).toBe("run 1 of 97");
    seen.current = false;
    expect(await ask("a")).toBe("run 3 of 97");
    seen.current = true;
    clock.now += 1000;
    expect(await ask("a")).toBe("run 4 of 97");
  });

  it("is not returned for another media type, another namespace, or with a query string", async () => {
    const { ask } = asking();
    await ask("a");
    expect(await ask("a", { "content-type": `${type}; x=y` })).toBe("run 2 of 97");
    expect(await ask("a", { "x-vault-namespace": "team" })).toBe("404");
    expect(await ask("a", {}, "?x=y")).toBe("400");
    expect(await ask("a")).toBe("run 2 of 97");
  });

  it("does not bypass the body limit of the endpoint", async () => {
    const { ask } = asking();
    await ask("a");
    expect([await ask("a".repeat(8)), await ask("a".repeat(9))]).toEqual([
      expect.stringContaining("run 2"),
      "413",
    ]);
  });
});
