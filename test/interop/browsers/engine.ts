import { firefox } from "./firefox.ts";
import { webkit } from "./webkit.ts";

/** A window of a browser. */
export interface Window {
  /** Evaluates an expression in the page and returns its value as JSON; promises are awaited. */
  evaluate(expression: string): Promise<unknown>;
  /** Closes the browser cleanly. */
  close(): Promise<void>;
}

/** The storage mode of a window: persistent, private, or blocked. */
export type Manner = "kept" | "private" | "blocked";

/** An installed browser. */
export interface Engine {
  readonly name: "firefox" | "webkit";
  /** Returns the program's version text. */
  version(): Promise<string>;
  /** Opens a URL in a window that stores its data in `profile`, an existing folder. */
  open(profile: string, url: string, manner?: Manner): Promise<Window>;
  /** The storage modes that it supports. */
  readonly manners: readonly Manner[];
}

/** The installed browsers. */
export const engines: readonly Engine[] = [firefox(), webkit()].filter(
  (engine) => engine !== undefined,
);

/** Wraps an expression so that its value is JSON text. */
export const asJson = (expression: string): string =>
  `(async () => JSON.stringify((await (${expression})) ?? null))()`;
