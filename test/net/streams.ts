import type { Connection } from "../../src/engine/ports.ts";

/** What a peer of the tests sends, and what it was sent. */
export interface Peer extends Connection {
  /** All that was written so far. */
  readonly received: () => Uint8Array;
  readonly closed: () => boolean;
}
/** What happens once all parts are read. */
export type Then = "ends" | "stalls" | "breaks";

/** A connection whose other side sends these parts, one a read, and then does as is said. */
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
          // a stream that waits is one that is never told
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

/** Each character a byte. */
export const bytesOf = (part: string | Uint8Array): Uint8Array =>
  typeof part === "string" ? Uint8Array.from(part, (one) => one.charCodeAt(0)) : part;
