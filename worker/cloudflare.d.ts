/**
 * The declarations of the platform module that this Worker uses; the complete types would replace
 * those of the browser in `src/`.
 */
declare module "cloudflare:workers" {
  /** The bindings, for tests; the Worker gets them as an argument. */
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

/** A stream of known length; exists on Workers only. */
declare class FixedLengthStream {
  constructor(length: number);
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** Sockets as this Worker uses them. */
declare module "cloudflare:sockets" {
  /** A TCP connection; `opened` settles later. */
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    readonly opened: Promise<unknown>;
    readonly closed: Promise<void>;
    close(): Promise<void>;
  }
  export function connect(to: { readonly hostname: string; readonly port: number }): Socket;
}
