/**
 * Lets whatever waits have its turn: long work is done in parts with this between them, so that it
 * holds up nobody.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 0));

/** Waits for some milliseconds, while others have their turns. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
