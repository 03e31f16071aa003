import type { AuthReply } from "./auth-reply.ts";
import type { WrapInfo } from "./wrapped.ts";

/** What a handler may choose of its reply. */
export interface Responded {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
/** A handler's outcome on its way to a style. */
export interface Outcome {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
  /** A token that was made or renewed. */
  readonly auth?: AuthReply | undefined;
  /** Unix milliseconds. */
  readonly modified?: number | undefined;
  readonly sharesDate?: boolean | undefined;
  /** Status of the reply, where it has data. */
  readonly status: number;
  /** Headers that the handler adds. */
  readonly headers?: Responded["headers"];
  /** What stands for the reply when it is wrapped. */
  readonly wrapInfo?: WrapInfo | undefined;
}
