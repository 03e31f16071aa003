import { firefox } from "./firefox.ts";
import { webkit } from "./webkit.ts";

/** A window of a browser. */
export interface Window {
  /** The value of an expression in the page, as JSON; a promise is awaited. */
  evaluate(expression: string): Promise<unknown>;
  /** Ends the browser in order. */
  close(): Promise<void>;
}

/** How a window treats what a page stores: as ever, as a private window does, or not at all. */
export type Manner = "kept" | "private" | "blocked";

/** A browser that is installed on this machine. */
export interface Engine {
  readonly name: "firefox" | "webkit";
  /** What the program says it is. */
  version(): Promise<string>;
  /** Opens an address in a window that keeps what it stores in `profile`, a folder that exists. */
  open(profile: string, url: string, manner?: Manner): Promise<Window>;
  /** The manners it can be told. */
  readonly manners: readonly Manner[];
}

/** The browsers that are installed. */
export const engines: readonly Engine[] = [firefox(), webkit()].filter(
  (engine) => engine !== undefined,
);

/** An expression whose value is JSON text. */
export const asJson = (expression: string): string =>
  `(async () => JSON.stringify((await (${expression})) ?? null))()`;
