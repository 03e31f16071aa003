import { describe, expect, it } from "vitest";
import type { Mount } from "../../src/engine/mount.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { raw } from "../../src/wire/style.ts";
import { start } from "../support/authority.ts";
import { bench } from "./fixture.ts";

const shared = { style: raw, doc: "", body: {}, reply: {} } as const;
/** A mount whose handlers count their runs, and a clock. */
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

describe("a public reply that depends on its path alone", () => {
  it("is given again until what it is made of is a second old", async () => {
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
    // a clock that went back says nothing about how old it is
    clock.now -= 500;
    expect(await ask("kept/a")).toBe("run 4");
  });
  it("is made anew at once when the engine has forgotten what it read, as after a write of its own", async () => {
    const { ask, seen } = counting();
    await ask("kept/a");
    seen.mount?.forget();
    expect([await ask("kept/a"), await ask("kept/a")]).toEqual(["run 2", "run 2"]);
    seen.mount?.sys.cache.forget();
    expect(await ask("kept/a")).toBe("run 3");
  });
  it("is dropped when it is too old, so that callers who vary paths take no place of others", async () => {
    const { ask, clock } = counting();
    for (let i = 0; i < 199; i++) await ask(`kept/n${i}`);
    clock.now += 1000;
    expect([await ask("kept/a"), await ask("kept/b"), await ask("kept/a")]).toEqual([
      "run 200",
      "run 201",
      "run 200",
    ]);
  });
  it("is not given to a request that asks for more than its path", async () => {
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
    expect(await ask("kept/a?x=1")).toBe(`run ${seen.runs}`);
    expect(await ask("kept/a", {}, "HEAD")).toBe("");
    expect(await ask("kept/a", {}, "POST")).toBe("405");
  });
  it("is told to the log like any other", async () => {
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
  it("is the only one that is kept", async () => {
    const { ask } = counting();
    expect([await ask("made"), await ask("made")]).toEqual(["run 1", "run 2"]);
    expect([await ask("guarded"), await ask("guarded")]).toEqual(["run 3", "run 4"]);
    expect(await ask("guarded", { "x-service-token": "" })).toBe("403");
  });
});
