import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";

/** A DNS server on 127.0.0.1, over UDP and TCP. */
export interface NameServer {
  readonly port: number;
  /** Adds a TXT record. */
  txt(name: string, value: string): void;
  /** Removes one TXT record of a name; another order may still need the others. */
  clear(name: string, value: string): void;
  close(): void;
}

const types = { A: 1, SOA: 6, TXT: 16 } as const;
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
/** Encodes a resource record for the requested name. */
const record = (type: number, data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0xc0, 0x0c]),
    number(type),
    number(1),
    Buffer.from([0, 0, 0, 0]),
    number(data.length),
    data,
  ]);
const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split(".")
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/**
 * Starts a DNS server that answers 127.0.0.1 for every name below `.test`, and the TXT records that
 * were added.
 */
export async function nameServer(): Promise<NameServer> {
  const records = new Map<string, string[]>();
  const answersOf = (name: string, type: number): readonly Buffer[] => {
    if (type === types.A && name.endsWith(".test"))
      return [record(type, Buffer.from([127, 0, 0, 1]))];
    if (type === types.TXT)
      return (records.get(name) ?? []).map((text) =>
        record(type, Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])),
      );
    // clients find the zone of a name before they set records in it
    if (type === types.SOA && name === "acme.test")
      return [
        record(
          type,
          Buffer.concat([labels("ns.acme.test"), labels("host.acme.test"), Buffer.alloc(20)]),
        ),
      ];
    return [];
  };
  const reply = (query: Buffer): Buffer => {
    let at = 12;
    const parts: string[] = [];
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      parts.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const answers = answersOf(parts.join(".").toLowerCase(), query.readUInt16BE(at + 1));
    const counts = [1, answers.length, 0, 0].map(number);
    return Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x85, 0x80]),
      ...counts,
      query.subarray(12, at + 5),
      ...answers,
    ]);
  };
  const tcp = createServer((socket) => serve(socket, reply));
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const address = tcp.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const udp = createSocket("udp4");
  udp.on("message", (query, from) => udp.send(reply(query), from.port, from.address));
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  return {
    port,
    txt: (name, value) => void records.set(name, [...(records.get(name) ?? []), value]),
    clear: (name, value) =>
      void records.set(
        name,
        (records.get(name) ?? []).filter((text) => text !== value),
      ),
    close: () => {
      tcp.close();
      udp.close();
    },
  };
}

/** Answers queries over TCP, where each message is preceded by its length. */
function serve(socket: Socket, reply: (query: Buffer) => Buffer): void {
  let held = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    held = Buffer.concat([held, Buffer.from(chunk)]);
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const answer = reply(held.subarray(2, 2 + held.readUInt16BE(0)));
      held = held.subarray(2 + held.readUInt16BE(0));
      socket.write(Buffer.concat([number(answer.length), answer]));
    }
  });
}
