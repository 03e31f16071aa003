import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { parseRequestUrl } from "../../src/base/request-url.ts";
import type { IncomingRequest } from "../../src/index.ts";
import { BodyPace } from "../../server/http/body-pace.ts";
import { Connection, type Handler } from "../../server/http/connection.ts";
import { connectionLimits, defaultLimits } from "../../server/http/limits.ts";
import { ConnectionTable, type ClientConnection } from "../../server/http/connection-table.ts";
import { fixture, type Fixture } from "./http-fixture.ts";

/** Connects from the given loopback address. */
async function caller(at: Fixture, address: string, bytes = ""): Promise<Socket> {
  const socket = connect({
    host: "127.0.0.1",
    port: at.listener.port,
    localAddress: address,
    noDelay: true,
  }).resume();
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (bytes !== "") socket.write(bytes);
  return socket;
}

/** Returns the start of the response to a request; empty if the client is disconnected. */
async function served(at: Fixture, address: string): Promise<string> {
  const socket = await caller(
    at,
    address,
    "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  await once(socket, "close");
  return answer.slice(0, 12);
}

async function withPlaces<T>(
  connections: number,
  connectionsOfAddress: number,
  run: (at: Fixture) => Promise<T>,
): Promise<void> {
  const at = await fixture({ limits: { connections, connectionsOfAddress } });
  try {
    await run(at);
  } finally {
    await at.close();
  }
}

const [mine, theirs, others] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
const slow = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
const good = "HTTP/1.1 200";

/** Sends a request that gets no response, and waits until it has arrived. */
async function busy(at: Fixture, address: string): Promise<Socket> {
  const arrived = at.arrival();
  const socket = await caller(at, address, slow);
  await arrived;
  return socket;
}

describe("a server at its connection limit", () => {
  it("closes the connection that has been idle for longest", async () => {
    await withPlaces(3, 3, async (at) => {
      const [first, second, third] = [
        await caller(at, theirs),
        await caller(at, theirs),
        await caller(at, others),
      ];
      const gone = once(first, "close");
      expect(await served(at, mine)).toBe(good);
      await gone;
      expect([second.closed, third.closed]).toEqual([false, false]);
    });
  });

  it("keeps clients with a pending request, and closes idle clients before those in the middle of a head", async () => {
    await withPlaces(3, 3, async (at) => {
      const within = await caller(at, theirs, "GET / HTTP/1.1\r\n");
      const waiting = await busy(at, theirs);
      const idle = await caller(at, theirs);
      expect(await served(at, mine)).toBe(good);
      expect([within.closed, waiting.closed, idle.closed]).toEqual([false, false, true]);
      const again = await busy(at, mine);
      expect(await served(at, mine)).toBe(good);
      expect([within.closed, waiting.closed, again.closed]).toEqual([true, false, false]);
    });
  });

  it("closes a connection that is slow with its body before it rejects a new one", async () => {
    await withPlaces(2, 2, async (at) => {
      const waiting = await busy(at, others);
      const arrived = at.arrival();
      const sending = await caller(
        at,
        theirs,
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello",
      );
      await arrived;
      const gone = once(sending, "close");
      expect(await served(at, mine)).toBe(good);
      await gone;
      expect(waiting.closed).toBe(false);
    });
  });

  it("keeps a client whose body the handler has not read yet", async () => {
    const client = Object.assign(new EventEmitter(), {
      setNoDelay: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      destroy: () => undefined,
    });
    let body: IncomingRequest["body"] | undefined;
    const handler: Handler = {
      request: ({ method }, its) => {
        body = its;
        const url = parseRequestUrl("http://a/a");
        return { method, url, headers: new Headers(), body: its };
      },
      respond: () => new Promise(() => undefined),
    };
    // only the members that a connection uses
    const socket = client as unknown as Socket;
    const connection = new Connection(socket, { limits: defaultLimits, now: Date.now }, handler);
    client.emit(
      "data",
      Buffer.from("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"),
    );
    expect(connection.spare).toMatchObject({ awaits: "request" });
    client.emit("data", Buffer.alloc(2 ** 16));
    expect(connection.spare).toBeUndefined();
    body?.read(9_000_000, "too large").catch(() => undefined);
    expect(connection.spare).toMatchObject({ awaits: "request" });
    connection.destroy();
  });

  it("closes connections that await nothing first, then those in a head, then those in a body, of each the oldest first", () => {
    const places = new ConnectionTable({ connections: 5, connectionsOfAddress: 5 });
    const destroyed: number[] = [];
    const take = (port: number): ClientConnection | undefined => {
      const socket = Object.assign(new EventEmitter(), {
        remoteAddress: mine,
        remotePort: port,
        destroy: () => destroyed.push(port),
      });
      // only the members that the table uses
      return places.admit(socket as unknown as Socket);
    };
    const spares = [
      undefined,
      { awaits: "request", since: 2 },
      { awaits: "request", since: 1 },
      { awaits: "head", since: 4 },
      { awaits: "nothing", since: 5 },
    ] as const;
    for (const [port, spare] of spares.entries()) {
      const place = take(port);
      // only the members that are used
      if (place !== undefined)
        place.connection = { spare, destroy: () => undefined } as unknown as Connection;
    }
    for (let port = 10; port < 14; port++) {
      const place = take(port);
      if (place !== undefined) place.connection = { spare: undefined } as unknown as Connection;
    }
    expect([destroyed, take(20)]).toEqual([[4, 3, 2, 1], undefined]);
  });

  it("rejects new connections when all others have pending requests", async () => {
    await withPlaces(2, 2, async (at) => {
      const sockets = [await busy(at, theirs), await busy(at, others)];
      expect(await served(at, mine)).toBe("");
      expect(sockets.map(({ closed }) => closed)).toEqual([false, false]);
    });
  });
});

describe("connections per address", () => {
  it("an address at its limit loses its own oldest connection, not those of other addresses", async () => {
    await withPlaces(10, 2, async (at) => {
      const other = await caller(at, others);
      const [first, second] = [await caller(at, theirs), await caller(at, theirs)];
      const third = await caller(at, theirs);
      await once(first, "close");
      expect([other.closed, second.closed, third.closed]).toEqual([false, false, false]);
    });
  });

  it("an address whose connections all have pending requests is rejected, others are not", async () => {
    await withPlaces(10, 2, async (at) => {
      await busy(at, theirs);
      await busy(at, theirs);
      expect([await served(at, theirs), await served(at, mine)]).toEqual(["", good]);
    });
  });

  it("a closed connection no longer counts towards the limit of its address", async () => {
    await withPlaces(10, 1, async (at) => {
      for (let time = 0; time < 5; time++) expect(await served(at, mine)).toBe(good);
    });
  });
});

describe("the limit of open files", () => {
  it("limits the connections of a process, and leaves room for databases", () => {
    const limits = (connections: number) => ({
      connections,
      connectionsOfAddress: Math.ceil(connections / 2),
    });
    expect(connectionLimits(Infinity, 1)).toEqual(limits(1024));
    expect(connectionLimits(Infinity, 3)).toEqual(limits(342));
    expect(connectionLimits(1024, 1)).toEqual(limits(476));
    expect(connectionLimits(128, 1)).toEqual(limits(28));
    expect(() => connectionLimits(127, 1)).toThrow(/^The limit of open files is 127/);
  });
});

describe("BodyPace", () => {
  const limits = { ...defaultLimits, bodyMs: 1000, bodyTotalMs: 10_000, bodyBytesPerSecond: 100 };
  it("tolerates slow phases, but not a low average, a standstill or an exceeded total time", () => {
    const pace = new BodyPace(0);
    for (let now = 500; now <= 1000; now += 500) pace.arrived(1, now);
    expect(pace.fault(1010, limits)).toBeUndefined();
    pace.arrived(1, 1500);
    expect(pace.fault(1500, limits)).toBe("the request body arrives too slowly");
    pace.arrived(500, 1600);
    expect(pace.fault(2000, limits)).toBeUndefined();
    expect(pace.fault(2601, limits)).toBe("the request body stopped arriving");
    pace.arrived(1e6, 9999);
    expect(pace.fault(10_000, limits)).toBeUndefined();
    expect(pace.fault(10_001, limits)).toBe("the request body did not arrive in time");
  });

  it("does not count time in which the server does not read", () => {
    const pace = new BodyPace(0);
    pace.arrived(10, 100);
    pace.pause(200);
    expect([pace.fault(100_000, limits), pace.pausedFor(1200)]).toEqual([undefined, 1000]);
    pace.resume(100_000);
    expect([pace.fault(100_900, limits), pace.pausedFor(100_900)]).toEqual([undefined, 0]);
    expect(pace.fault(101_001, limits)).toBe("the request body stopped arriving");
  });
});
