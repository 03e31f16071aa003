import type { Socket } from "node:net";
import { subscriberNetwork } from "../../src/base/network.ts";
import type { Limits } from "./limits.ts";

/** The operations of a connection that the table uses. */
interface Conversation {
  /** The state of the request; undefined while the client waits for its response. */
  readonly spare: ConnectionPhase | undefined;
  destroy(): void;
  /** Closes after the current request, or immediately if there is none. */
  finish(): void;
  /** Closes what has exceeded its timeout. */
  sweep(now: number): void;
}
/** One accepted client connection. */
export interface ClientConnection {
  /** The connection as it was accepted, below TLS. */
  readonly socket: Socket;
  /** Address and port; the socket itself if it has none. */
  readonly caller: string | Socket;
  readonly network: string;
  readonly since: number;
  /** Absent until the TLS handshake is complete and the server is open. */
  connection?: Conversation;
}

/** The phase of a connection: idle, reading a head, or transferring a request or response. */
export interface ConnectionPhase {
  readonly awaits: "nothing" | "head" | "request";
  readonly since: number;
}

/** Order in which connections are closed to make room. */
const order = { nothing: 0, head: 1, request: 2 };

/**
 * The open connections of a server. If a network has used its share, or the server is full, the
 * connection that has been idle longest is closed, or else one that is slow with a head, body or
 * response. Clients that wait for a response keep their connection.
 */
export class ConnectionTable {
  readonly #limits: Pick<Limits, "connections" | "connectionsOfAddress">;
  readonly #isShared: (address: string) => boolean;
  readonly #all = new Map<string | Socket, ClientConnection>();
  readonly #networks = new Map<string, Set<ClientConnection>>();
  #onEmpty: (() => void) | undefined;

  /**
   * @param isShared reports whether an address has many clients, like that of a proxy: no limit per
   * network applies to it
   */
  constructor(
    limits: Pick<Limits, "connections" | "connectionsOfAddress">,
    isShared: (address: string) => boolean = () => false,
  ) {
    this.#limits = limits;
    this.#isShared = isShared;
  }

  /** Admits an accepted socket; undefined if there is no room. */
  admit(socket: Socket): ClientConnection | undefined {
    const caller = callerOf(socket);
    const address = socket.remoteAddress ?? "";
    const network = subscriberNetwork(address);
    const neighbours = this.#networks.get(network) ?? new Set<ClientConnection>();
    const share = this.#isShared(address) ? Infinity : this.#limits.connectionsOfAddress;
    if (neighbours.size >= share && !this.#letGo(neighbours)) return undefined;
    if (this.#all.size >= this.#limits.connections && !this.#letGo(this.#all.values()))
      return undefined;
    const place: ClientConnection = { socket, caller, network, since: performance.now() };
    this.#all.set(caller, place);
    // closing the last connection of the network has removed the set
    this.#networks.set(network, neighbours.add(place));
    socket.once("close", () => this.#remove(place));
    return place;
  }

  /** Returns the connection of a socket after its TLS handshake. */
  of(socket: Socket): ClientConnection | undefined {
    return this.#all.get(callerOf(socket));
  }

  get size(): number {
    return this.#all.size;
  }

  /** Resolves when no caller is left. */
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
    // another connection may have the address and port of a closed one by now
    if (this.#all.get(place.caller) === place) this.#all.delete(place.caller);
    const neighbours = this.#networks.get(place.network);
    neighbours?.delete(place);
    if (neighbours?.size === 0) this.#networks.delete(place.network);
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
