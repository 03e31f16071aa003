/**
 * The clock of Worker and objects, Unix milliseconds. Within one runtime they share modules, so
 * that a test sets it for all of them.
 */
export const clock = { now: (): number => Date.now() };
