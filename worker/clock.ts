/**
 * The clock of the Worker and its Durable Objects (Unix ms). Within one runtime they share this
 * module, so a test sets the clock for all of them.
 */
export const clock = { now: (): number => Date.now() };
