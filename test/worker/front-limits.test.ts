import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Limits } from "../../worker/local/limits.ts";
import { exchange, fixture, type Fixture } from "./front-fixture.ts";

async function withLimits<T>(limits: Partial<Limits>, run: (at: Fixture) => Promise<T>): Promise<T> {
  const at = await fixture({ limits: { lingerMs: 20, ...limits } });
  try {
    return await run(at);
  } finally {
    await at.close();
  }
}

it("a head that does not end in time is answered with 408", async () => {
  await withLimits({ headMs: 20 }, async (at) => {
    expect(await exchange(at.front.port, "GET / HTTP/1.1\r\nHost: a\r\nX:")).toMatch(/^HTTP\/1\.1 408 /);
    expect(at.seen).toEqual([]);
  });
});

it("blanks inside a header cost nobody else's time", async () => {
  await withLimits({}, async (at) => {
    const blanks = " ".repeat(60_000);
    const begun = performance.now();
    for (const lines of [`Host: a\r\nConnection: a${blanks}x`, `Host: a\r\nConnection: ${blanks.slice(9000)}close${blanks.slice(0, 1000)}`])
      expect(await exchange(at.front.port, `GET /a HTTP/1.1\r\n${lines}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 (?:200|431) /);
    expect(await exchange(at.front.port, `GET /a HTTP/1.1\r\nHost: a${blanks}x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

it("a body that stops arriving is answered with 408", async () => {
  await withLimits({ bodyMs: 20 }, async (at) => {
    expect(await exchange(at.front.port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello")).toMatch(/^HTTP\/1\.1 408 /);
    expect(at.seen).toEqual([]);
  });
});

it("an idle connection is closed without a word, one that waits for its answer is not", async () => {
  await withLimits({ idleMs: 20 }, async (at) => {
    const waiting = connect(at.front.port, "127.0.0.1");
    waiting.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await exchange(at.front.port, "")).toBe("");
    expect(await exchange(at.front.port, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/GET \/a 0$/);
    expect(waiting.closed).toBe(false);
    waiting.destroy();
  });
});

it("a caller that does not take its answer is let go", async () => {
  await withLimits({ takeMs: 20 }, async (at) => {
    const socket = connect(at.front.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write("GET /huge HTTP/1.1\r\nHost: a\r\n\r\n");
    const [, response] = (await once(at.upstream, "request")) as [unknown, ServerResponse];
    if (!response.closed) await once(response, "close");
    expect(response.writableFinished).toBe(false);
    socket.destroy();
  });
});

it("callers above the limit are turned away", async () => {
  await withLimits({ connections: 1 }, async (at) => {
    const first = connect(at.front.port, "127.0.0.1");
    first.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(first, "data");
    expect(await exchange(at.front.port, "GET /b HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("");
    first.destroy();
  });
});

it("a runtime that is away is a 502", async () => {
  await withLimits({}, async (at) => {
    at.upstream.closeAllConnections();
    await new Promise((resolve) => at.upstream.close(resolve));
    expect(await exchange(at.front.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 502 /);
    await new Promise<void>((resolve) => void at.upstream.listen(0, resolve));
  });
});

it("a closing front answers what is under way and takes nothing more", async () => {
  const at = await fixture();
  const socket = connect(at.front.port, "127.0.0.1");
  socket.write("POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel");
  await once(at.upstream, "request");
  const closed = at.front.close(10_000);
  socket.write("lo");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/POST \/last 5$/);
  await closed;
  at.upstream.closeAllConnections();
  at.upstream.close();
});
