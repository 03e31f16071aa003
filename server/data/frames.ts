import type { Socket } from "node:net";
import { deserialize, serialize } from "node:v8";

/** Size of the length field before each message, in bytes. */
const headerBytes = 4;

/** Sends and receives serialized messages over a socket between processes of one server. */
export function framesOver<In, Out>(
  socket: Socket,
  received: (message: In) => void,
): { send(message: Out): void } {
  let buffered: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    let at = 0;
    for (;;) {
      if (buffered.length - at < headerBytes) break;
      const end = at + headerBytes + buffered.readUInt32LE(at);
      if (buffered.length < end) break;
      // the cast is safe: both ends run the same version, and the peer sends only such messages
      received(deserialize(buffered.subarray(at + headerBytes, end)) as In);
      at = end;
    }
    buffered = buffered.subarray(at);
  });
  return {
    send(message) {
      const body = serialize(message);
      const frame = Buffer.allocUnsafe(headerBytes + body.length);
      frame.writeUInt32LE(body.length, 0);
      body.copy(frame, headerBytes);
      socket.write(frame);
    },
  };
}
