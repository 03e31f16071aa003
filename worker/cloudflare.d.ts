/**
 * The declarations of the platform's module that this Worker uses. The complete types would replace
 * the browser's types in `src/`.
 */
declare module "cloudflare:workers" {
  /** The bindings, for tests. The Worker itself receives them as an argument. */
  export const env: unknown;
  export abstract class DurableObject<Env> {
    protected readonly ctx: import("@cloudflare/workers-types").DurableObjectState;
    protected readonly env: Env;
    constructor(ctx: import("@cloudflare/workers-types").DurableObjectState, env: Env);
  }
}

/** The platform's scheduler. `wait` exists only on Workers. */
interface Scheduler {
  wait(ms: number): Promise<void>;
}

/** A stream of known length, which exists only on Workers. */
declare class FixedLengthStream {
  constructor(length: number);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** The declarations of the platform's sockets that this Worker uses. */
declare module "cloudflare:sockets" {
  /** A TCP connection. `opened` settles once the connection is open or has failed. */
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    readonly opened: Promise<unknown>;
    readonly closed: Promise<void>;
    close(): Promise<void>;
  }
  export function connect(to: { readonly hostname: string; readonly port: number }): Socket;
}
