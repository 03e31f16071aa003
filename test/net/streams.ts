import type { Connection } from "../../src/engine/ports.ts";

/** A connection to a test peer, and the bytes written to it. */
export interface Peer extends Connection {
  /** Returns the bytes written so far. */
  readonly received: () => Uint8Array;
  readonly closed: () => boolean;
}
/** The behavior of the peer after all parts are read. */
export type Then = "ends" | "stalls" | "breaks";

/** Returns a connection whose peer sends these parts, one per read, and then acts as `then` says. */
export function peer(parts: readonly (string | Uint8Array)[], then: Then = "ends"): Peer {
  const written: Uint8Array[] = [];
  let closed = false;
  let next = 0;
  return {
    readable: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts[next++];
          if (part !== undefined) controller.enqueue(bytesOf(part));
          else if (then === "ends") controller.close();
          else if (then === "breaks") controller.error(new Error("ECONNRESET"));
          // a stream that stalls is never resolved
          else return new Promise<void>(() => undefined);
          return undefined;
        },
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<Uint8Array>({ write: (bytes) => void written.push(bytes) }),
    close: () => (closed = true),
    received: () => Uint8Array.from(written.flatMap((bytes) => [...bytes])),
    closed: () => closed,
  };
}

/** Converts characters to one byte each. */
export const bytesOf = (part: string | Uint8Array): Uint8Array =>
  typeof part === "string" ? Uint8Array.from(part, (one) => one.charCodeAt(0)) : part;
