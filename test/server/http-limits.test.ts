import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Limits } from "../../server/http/limits.ts";
import { threadTime } from "../support/spent.ts";
import { exchange, fixture, type Fixture } from "./http-fixture.ts";

async function withLimits<T>(
  limits: Partial<Limits>,
  run: (at: Fixture) => Promise<T>,
): Promise<T> {
  const at = await fixture({ limits: { lingerMs: 20, ...limits } });
  try {
    return await run(at);
  } finally {
    await at.close();
  }
}

it("an incomplete head gets 408 after its timeout", async () => {
  await withLimits({ headMs: 20 }, async (at) => {
    expect(await exchange(at.listener.port, "GET / HTTP/1.1\r\nHost: a\r\nX:")).toMatch(
      /^HTTP\/1\.1 408 /,
    );
    expect(at.seen).toEqual([]);
  });
});

it("many blanks in a header cost little CPU time", async () => {
  await withLimits({}, async (at) => {
    const blanks = " ".repeat(60_000);
    const begun = threadTime();
    for (const lines of [
      `Host: a\r\nConnection: a${blanks}x`,
      `Host: a\r\nConnection: ${blanks.slice(9000)}close${blanks.slice(0, 1000)}`,
    ])
      expect(
        await exchange(
          at.listener.port,
          `GET /a HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`,
        ),
      ).toMatch(/^HTTP\/1\.1 (?:200|431) /);
    expect(
      await exchange(at.listener.port, `GET /a HTTP/1.1\r\nHost: a${blanks}x\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 400 /);
    // CPU time of this thread, in which the server runs
    expect(threadTime() - begun).toBeLessThan(2000);
  });
});

it("a body that stops arriving gets 408", async () => {
  await withLimits({ bodyMs: 20 }, async (at) => {
    expect(
      await exchange(
        at.listener.port,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello",
      ),
    ).toMatch(/^HTTP\/1\.1 408 /);
    expect(at.seen).toEqual([]);
  });
});

it("an idle connection is closed without a response, but not while a request is pending", async () => {
  // long enough for a request to arrive on a busy machine
  await withLimits({ idleMs: 500 }, async (at) => {
    const waiting = connect(at.listener.port, "127.0.0.1");
    waiting.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await exchange(at.listener.port, "")).toBe("");
    expect(await exchange(at.listener.port, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(
      /GET \/a 0$/,
    );
    expect(waiting.closed).toBe(false);
    waiting.destroy();
  });
});

it("a client that does not read its response is disconnected", async () => {
  await withLimits({ takeMs: 20 }, async (at) => {
    const socket = connect(at.listener.port, "127.0.0.1").pause();
    socket.on("error", () => undefined);
    socket.write("GET /huge HTTP/1.1\r\nHost: a\r\n\r\n");
    await at.arrival();
    await expect.poll(() => at.listener.connections).toBe(0);
    socket.destroy();
  });
});

it("a body that arrives too slowly gets 408", async () => {
  await withLimits({ bodyMs: 1000, bodyBytesPerSecond: 1e9 }, async (at) => {
    const socket = connect(at.listener.port, "127.0.0.1").setNoDelay(true);
    socket.on("error", () => undefined);
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n");
    const dribble = (): void =>
      void (socket.destroyed || (socket.write("x"), setTimeout(dribble, 1)));
    dribble();
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 [^]*arrives too slowly/);
    socket.destroy();
    expect(at.seen).toEqual([]);
  });
});

it("a body that exceeds the total timeout gets 408", async () => {
  await withLimits({ bodyTotalMs: 20 }, async (at) => {
    const bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    expect(await exchange(at.listener.port, bytes)).toMatch(
      /^HTTP\/1\.1 408 [^]*did not arrive in time/,
    );
  });
});

it("a request that is not answered in time gets 504", async () => {
  await withLimits({ answerMs: 20 }, async (at) => {
    const requests =
      "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    expect(await exchange(at.listener.port, requests)).toMatch(
      /^HTTP\/1\.1 504 Gateway Timeout\r\n[^]*did not answer in time; the request may have been carried out"\]\}$/,
    );
    expect(at.seen).toEqual([]);
  });
});

it("a request whose body is not read in time gets 504", async () => {
  await withLimits({ answerMs: 20, bodyMs: 10_000 }, async (at) => {
    const head = `POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * 2 ** 20}\r\n\r\n`;
    const socket = connect(at.listener.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(head);
    socket.write(Buffer.alloc(16 * 2 ** 20));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 504 /);
    socket.destroy();
  });
});

it("an endless response is cut off when the server closes", async () => {
  const at = await fixture();
  const answer = exchange(at.listener.port, "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
  await at.arrival();
  await at.listener.close(20);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*first\r\n$/);
});

it("a closing server completes pending requests with Connection: close", async () => {
  const at = await fixture();
  const socket = connect(at.listener.port, "127.0.0.1");
  const arrival = at.arrival();
  socket.write("POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel");
  await arrival;
  const closed = at.listener.close(10_000);
  socket.write("lo");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/\r\nConnection: close\r\n[^]*POST \/last 5$/);
  await closed;
});

it("a client that reads no responses has only a few requests in progress, however many it sends", async () => {
  await withLimits({}, async (at) => {
    const asked = 400;
    const one = "GET /page HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
    const socket = connect(at.listener.port, "127.0.0.1").pause();
    socket.write(one.repeat(asked));
    const pages = (): number => at.seen.filter(({ url }) => url === "/page").length;
    for (let before = -1; before !== pages();) {
      before = pages();
      for (let n = 0; n < 5; n++)
        await exchange(at.listener.port, "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    }
    expect(pages()).toBeLessThan(asked);
    socket.resume();
    await expect.poll(pages).toBe(asked);
    socket.destroy();
  });
});
