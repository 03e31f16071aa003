/**
 * The time that Worker and objects go by, Unix milliseconds. They share their modules in a runtime
 * of its own, so that a test moves it for all of them at once.
 */
export const clock = { now: (): number => Date.now() };
