// importers of this file need the ambient module, which cannot be imported
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./cloudflare.d.ts" />
import { connect, type Socket } from "cloudflare:sockets";
import type { Connection, Ports } from "../src/engine/ports.ts";
import { unlessAborted } from "../src/net/abort.ts";
import { NetError } from "../src/net/failure.ts";

const forgotten = (): undefined => undefined;

/**
 * Opens a TCP connection through the platform's sockets, which report no reason for a failure. On
 * the deployed platform, they cannot reach port 25 or the platform's own addresses.
 */
export const dial: NonNullable<Ports["dial"]> = async ({ address, port }, signal) => {
  signal.throwIfAborted();
  const socket = opening(address, port);
  // both promises reject on failure
  socket.closed.catch(forgotten);
  socket.opened.catch(forgotten);
  const close = (): void => {
    signal.removeEventListener("abort", close);
    // do not wait for pending operations, such as a connection that never opens
    socket.close().catch(forgotten);
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    await unlessAborted(socket.opened, signal);
  } catch (cause) {
    close();
    signal.throwIfAborted();
    throw noConnection(cause);
  }
  return { readable: socket.readable, writable: socket.writable, close } satisfies Connection;
};

const noConnection = (cause: unknown): NetError =>
  new NetError("connection", "the connection failed: refused, filtered or unreachable", {
    cause,
  });

function opening(address: string, port: number): Socket {
  const hostname = address.includes(":") ? `[${address}]` : address;
  try {
    return connect({ hostname, port });
  } catch (cause) {
    throw noConnection(cause);
  }
}
