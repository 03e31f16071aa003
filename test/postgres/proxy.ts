import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP proxy in front of PostgreSQL, which parses messages. */
export interface Proxy {
  readonly port: number;
  /** Returns the number of messages in both directions since the last call of `cutAt`. */
  messages(): number;
  /** Cuts the connection at a message, where 1 is the next one. */
  cutAt(message: number): void;
  /** Makes the server shut down the next connection just when it becomes ready. */
  shutDownNext(): void;
  /** Cuts all connections. */
  cutNow(): void;
  close(): Promise<void>;
}

const text = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");
/** The message of a server that shuts down. */
const shutdown = Buffer.concat([Buffer.from("E\0\0\0"), Buffer.of(text.length + 4), text]);

/** Starts a proxy to a local port. */
export async function startProxy(to: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let [count, cut] = [0, Infinity];
  let isShutDown = false;
  const pass = (from: Socket, target: Socket, beginsBare: boolean): void => {
    let rest: Buffer = Buffer.alloc(0);
    let bare = beginsBare;
    from.on("data", (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        // the first message of a client has no type before its length
        const head = bare ? 0 : 1;
        if (rest.length < head + 4) return;
        const length = head + rest.readUInt32BE(head);
        if (rest.length < length) return;
        bare = false;
        count += 1;
        if (count === cut) {
          for (const socket of [from, target]) socket.destroy();
          return;
        }
        const message = rest.subarray(0, length);
        const ends = isShutDown && !beginsBare && message[0] === 0x5a;
        target.write(ends ? Buffer.concat([message, shutdown]) : message);
        if (ends) isShutDown = false;
        rest = rest.subarray(length);
      }
    });
    from.on("error", () => target.destroy());
    from.on("close", () => target.destroy());
  };
  const server = createServer((client) => {
    const backend = connect(to, "127.0.0.1");
    for (const socket of [client, backend]) sockets.add(socket.setNoDelay(true));
    pass(client, backend, true);
    pass(backend, client, false);
  });
  const cutNow = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    messages: () => count,
    cutAt(message) {
      [count, cut] = [0, message];
    },
    shutDownNext: () => void (isShutDown = true),
    cutNow,
    async close() {
      cutNow();
      server.close();
      await once(server, "close");
    },
  };
}
