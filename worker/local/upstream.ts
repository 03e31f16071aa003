import { connect, type Socket } from "node:net";

/** What a connection to the runtime tells its owner. */
export interface UpstreamEvents {
  data: (chunk: Buffer) => void;
  drained: () => void;
  /**
   * @param stood whether there ever was a connection; if not, nothing that was written has arrived
   *   anywhere
   */
  closed: (stood: boolean) => void;
}

/**
 * Opens a connection to the runtime; what is written before it stands waits. However it ends,
 * `closed` is called last.
 */
export function dial(path: string, events: UpstreamEvents): Socket {
  const socket = connect(path);
  let stood = false;
  socket.once("connect", () => (stood = true));
  outliveBrokenWrites(socket);
  socket.on("data", events.data);
  socket.on("drain", events.drained);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => events.closed(stood));
  return socket;
}

/**
 * The runtime may answer before it has read the body (too large, not allowed) and then hang up. A
 * write into the broken connection would destroy the socket with the answer still unread; so such a
 * write counts as done, and the end of the answer ends the connection.
 */
function outliveBrokenWrites(socket: Socket): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, () => callback());
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) socket._writev = (chunks, callback) => writev(chunks, () => callback());
}
