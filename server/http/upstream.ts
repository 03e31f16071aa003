import { connect, type Socket } from "node:net";
import type { Limits } from "./limits.ts";

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

/** What the connections of one front to its runtime share. */
export interface UpstreamSettings {
  /** The runtime's Unix socket. */
  readonly path: string;
  readonly limits: Pick<Limits, "reuseMs" | "answerMs">;
  /** Connections that the front has ended and the runtime has yet to close. */
  readonly closing: Set<Socket>;
}

/**
 * One caller's connection to the runtime, which outlives a request where the next one may follow on
 * it. Only the current one tells of its end.
 */
export class Upstream {
  readonly #settings: UpstreamSettings;
  readonly #events: UpstreamEvents;
  #socket: Socket | undefined;
  /** Since when it has had no request; -Infinity where none may follow, undefined within one. */
  #idleSince: number | undefined;

  constructor(settings: UpstreamSettings, events: UpstreamEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Whether something can be written to it. */
  get open(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed;
  }

  /** Makes it ready for a request: as it is, or anew where it has rested too long. */
  begin(): void {
    const old = this.#socket;
    const rested = performance.now() - (this.#idleSince ?? -Infinity);
    if (old === undefined || !old.writable || rested >= this.#settings.limits.reuseMs) this.#dial();
    this.#idleSince = undefined;
  }

  #dial(): void {
    this.destroy();
    const socket = dial(this.#settings.path, {
      data: (chunk) => {
        if (socket === this.#socket) this.#events.data(chunk);
      },
      drained: () => {
        if (socket === this.#socket) this.#events.drained();
      },
      closed: (stood) => {
        if (socket !== this.#socket) return;
        this.#socket = undefined;
        this.#events.closed(stood);
      },
    });
    this.#socket = socket;
  }

  /** The request is answered; `reusable`: another may follow. */
  rest(now: number, reusable: boolean): void {
    this.#idleSince = reusable ? now : -Infinity;
  }

  /** Answers false where the runtime takes no more for now. */
  write(bytes: Buffer): boolean {
    return this.#socket?.write(bytes) ?? true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /**
   * Ends the connection, and with it the request under way. Where there is none, it waits for the
   * runtime to close its side: until then the runtime has a file open for it.
   */
  destroy(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined || socket.destroyed) return;
    if (this.#idleSince === undefined) return void socket.destroy();
    const { closing, limits } = this.#settings;
    closing.add(socket);
    socket.once("close", () => closing.delete(socket));
    socket.setTimeout(limits.answerMs, () => socket.destroy());
    socket.end();
    socket.resume();
  }
}

/**
 * Opens a connection to the runtime; what is written before it stands waits. However it ends,
 * `closed` is called last.
 */
function dial(path: string, events: UpstreamEvents): Socket {
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
