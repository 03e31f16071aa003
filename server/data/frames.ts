import type { Socket } from "node:net";
import { deserialize, serialize } from "node:v8";

/** Bytes before each message that say how long it is. */
const HEADER = 4;

/** Sends and receives messages over a socket between processes of one server. */
export function framesOver<In, Out>(
  socket: Socket,
  received: (message: In) => void,
): { send(message: Out): void } {
  let held: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    for (;;) {
      if (held.length - at < HEADER) break;
      const end = at + HEADER + held.readUInt32LE(at);
      if (held.length < end) break;
      // both ends are of one version, and write nothing else
      received(deserialize(held.subarray(at + HEADER, end)) as In);
      at = end;
    }
    held = held.subarray(at);
  });
  return {
    send(message) {
      const body = serialize(message);
      const frame = Buffer.allocUnsafe(HEADER + body.length);
      frame.writeUInt32LE(body.length, 0);
      body.copy(frame, HEADER);
      socket.write(frame);
    },
  };
}
