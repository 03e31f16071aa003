/** Lets whatever waits have its turn: long work is done in parts with this between them, so that it holds up nobody. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
