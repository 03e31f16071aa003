import type { Socket } from "node:net";
import { subscriberNetwork } from "../../src/base/network.ts";
import type { Limits } from "./limits.ts";

/** The part of a connection that the table uses. */
interface Conversation {
  /**
   * The phase of the connection if it may be closed to make room; undefined while the client waits
   * for its response.
   */
  readonly spare: ConnectionPhase | undefined;
  destroy(): void;
  /** Closes the connection after the current request, or immediately if there is none. */
  finish(): void;
  /** Closes the connection if it has exceeded a timeout. */
  sweep(now: number): void;
}
/** An accepted client connection. */
export interface ClientConnection {
  /** The accepted TCP or Unix socket, below TLS. */
  readonly socket: Socket;
  /** Address and port of the client, or the socket itself if it has none. */
  readonly caller: string | Socket;
  readonly network: string;
  readonly since: number;
  /** Absent until the TLS handshake is complete and the server has been opened. */
  connection?: Conversation;
}

/**
 * The phase of a connection: idle, receiving a request head, or transferring a body or a response.
 */
export interface ConnectionPhase {
  readonly awaits: "nothing" | "head" | "request";
  readonly since: number;
}

/** Order in which connections are closed to make room, by phase. */
const order = { nothing: 0, head: 1, request: 2 };

/**
 * The open connections of a server. To make room if the server is full or a network has used its
 * share, the table closes the connection that has been idle longest. If none is idle, it closes one
 * whose client is slow with a head, a body or a response. Clients that wait for a response keep
 * their connections.
 */
export class ConnectionTable {
  readonly #limits: Pick<Limits, "connections" | "connectionsOfAddress">;
  readonly #isShared: (address: string) => boolean;
  readonly #all = new Map<string | Socket, ClientConnection>();
  readonly #networks = new Map<string, Set<ClientConnection>>();
  #onEmpty: (() => void) | undefined;

  /**
   * @param isShared reports whether many clients share an address, such as that of a proxy, to
   * which no limit per network applies
   */
  constructor(
    limits: Pick<Limits, "connections" | "connectionsOfAddress">,
    isShared: (address: string) => boolean = () => false,
  ) {
    this.#limits = limits;
    this.#isShared = isShared;
  }

  /** Admits an accepted socket. Returns undefined if there is no room for it. */
  admit(socket: Socket): ClientConnection | undefined {
    const caller = callerOf(socket);
    const address = socket.remoteAddress ?? "";
    const network = subscriberNetwork(address);
    const neighbors = this.#networks.get(network) ?? new Set<ClientConnection>();
    const share = this.#isShared(address) ? Infinity : this.#limits.connectionsOfAddress;
    if (neighbors.size >= share && !this.#letGo(neighbors)) return undefined;
    if (this.#all.size >= this.#limits.connections && !this.#letGo(this.#all.values()))
      return undefined;
    const place: ClientConnection = { socket, caller, network, since: performance.now() };
    this.#all.set(caller, place);
    // set the network again, because closing the network's last connection has removed it
    this.#networks.set(network, neighbors.add(place));
    socket.once("close", () => this.#remove(place));
    return place;
  }

  /**
   * Returns the accepted connection that belongs to a socket after its TLS handshake, if there is
   * one.
   */
  of(socket: Socket): ClientConnection | undefined {
    return this.#all.get(callerOf(socket));
  }

  get size(): number {
    return this.#all.size;
  }

  /** Resolves when no connection is left. */
  async emptied(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  [Symbol.iterator](): IterableIterator<ClientConnection> {
    return this.#all.values();
  }

  #letGo(among: Iterable<ClientConnection>): boolean {
    let best: { readonly place: ClientConnection; readonly spare: ConnectionPhase } | undefined;
    for (const place of among) {
      const spare =
        place.connection === undefined
          ? { awaits: "nothing" as const, since: place.since }
          : place.connection.spare;
      if (spare !== undefined && (best === undefined || closesBefore(spare, best.spare)))
        best = { place, spare };
    }
    if (best === undefined) return false;
    const { place } = best;
    place.connection?.destroy();
    place.socket.destroy();
    this.#remove(place);
    return true;
  }

  #remove(place: ClientConnection): void {
    // a new connection may already use the address and port of the closed one
    if (this.#all.get(place.caller) === place) this.#all.delete(place.caller);
    const neighbors = this.#networks.get(place.network);
    neighbors?.delete(place);
    if (neighbors?.size === 0) this.#networks.delete(place.network);
    if (this.#all.size === 0) this.#onEmpty?.();
  }
}

function closesBefore(one: ConnectionPhase, other: ConnectionPhase): boolean {
  return one.awaits === other.awaits
    ? one.since < other.since
    : order[one.awaits] < order[other.awaits];
}

const callerOf = (socket: Socket): string | Socket =>
  socket.remoteAddress === undefined ? socket : `${socket.remoteAddress}:${socket.remotePort}`;
