/**
 * What the platform's own module gives to this Worker; the whole of its types would replace those
 * of the browser in `src/`.
 */
declare module "cloudflare:workers" {
  /** The bindings, for tests; the Worker is handed them. */
  export const env: unknown;
  export abstract class DurableObject<Env> {
    protected readonly ctx: import("@cloudflare/workers-types").DurableObjectState;
    protected readonly env: Env;
    constructor(ctx: import("@cloudflare/workers-types").DurableObjectState, env: Env);
  }
}

/** `wait` exists on Workers only. */
interface Scheduler {
  wait(ms: number): Promise<void>;
}

/** A stream whose length is known before its bytes; exists on Workers only. */
declare class FixedLengthStream {
  constructor(length: number);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** Sockets as this Worker uses them. */
declare module "cloudflare:sockets" {
  /** A TCP connection, which is `opened` later, or was refused by then. */
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    readonly opened: Promise<unknown>;
    readonly closed: Promise<void>;
    close(): Promise<void>;
  }
  export function connect(to: { readonly hostname: string; readonly port: number }): Socket;
}
