import type { Socket } from "node:net";
import { subscriberNetwork } from "../../src/base/network.ts";
import type { Limits } from "./limits.ts";

/** What the server asks of the connection of a caller. */
export interface Conversation {
  /** What the caller is in the middle of; undefined while it waits for its response. */
  readonly spare: Spare | undefined;
  destroy(): void;
  /** Ends when the request under way is answered, at once when there is none. */
  finish(): void;
  /** Ends what has outlived its time. */
  sweep(now: number): void;
}
/** One caller of the server, from the moment it is accepted. */
export interface ClientConnection {
  /** The connection as it was accepted, below TLS. */
  readonly socket: Socket;
  /** Address and port; the socket itself where it has none. */
  readonly caller: string | Socket;
  readonly network: string;
  readonly since: number;
  /** Absent until TLS is agreed on and the server is open. */
  connection?: Conversation;
}

/**
 * What a caller is in the middle of: nothing, a head, or the rest of a request or of its response.
 */
export interface Spare {
  readonly awaits: "nothing" | "head" | "request";
  readonly since: number;
}

/** Who goes first where room is made. */
const order = { nothing: 0, head: 1, request: 2 };

/**
 * The callers that a server holds at once. A network that has its share, or a server that is full,
 * makes room by letting the caller go that has been idle for longest, or, where none is, one that
 * is slow with a head, a body or a response. Callers who wait for a response keep their place.
 */
export class ConnectionTable {
  readonly #limits: Pick<Limits, "connections" | "connectionsOfAddress">;
  readonly #isShared: (address: string) => boolean;
  readonly #all = new Map<string | Socket, ClientConnection>();
  readonly #networks = new Map<string, Set<ClientConnection>>();
  #onEmpty: (() => void) | undefined;

  /** @param isShared whether many callers have an address, as that of a proxy: it has no share */
  constructor(
    limits: Pick<Limits, "connections" | "connectionsOfAddress">,
    isShared: (address: string) => boolean = () => false,
  ) {
    this.#limits = limits;
    this.#isShared = isShared;
  }

  /**
   * Gives a place to a caller that has just been accepted, or undefined when nobody can make room.
   */
  take(socket: Socket): ClientConnection | undefined {
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
    // letting the last neighbour go has removed the set
    this.#networks.set(network, neighbours.add(place));
    socket.once("close", () => this.#remove(place));
    return place;
  }

  /** The place of a caller whose TLS is agreed on. */
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
    let found: { readonly place: ClientConnection; readonly spare: Spare } | undefined;
    for (const place of among) {
      const spare =
        place.connection === undefined
          ? { awaits: "nothing" as const, since: place.since }
          : place.connection.spare;
      if (spare !== undefined && (found === undefined || goesFirst(spare, found.spare)))
        found = { place, spare };
    }
    if (found === undefined) return false;
    const { place } = found;
    place.connection?.destroy();
    place.socket.destroy();
    this.#remove(place);
    return true;
  }

  #remove(place: ClientConnection): void {
    // the address and port of a caller that has gone may be another's by now
    if (this.#all.get(place.caller) === place) this.#all.delete(place.caller);
    const neighbours = this.#networks.get(place.network);
    neighbours?.delete(place);
    if (neighbours?.size === 0) this.#networks.delete(place.network);
    if (this.#all.size === 0) this.#onEmpty?.();
  }
}

function goesFirst(one: Spare, other: Spare): boolean {
  return one.awaits === other.awaits
    ? one.since < other.since
    : order[one.awaits] < order[other.awaits];
}

const callerOf = (socket: Socket): string | Socket =>
  socket.remoteAddress === undefined ? socket : `${socket.remoteAddress}:${socket.remotePort}`;
