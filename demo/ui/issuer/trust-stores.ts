/** A system that has its own trust store. */
export type System = "linux" | "macos" | "windows" | "ios" | "android";

const marks: readonly (readonly [mark: RegExp, system: System])[] = [
  [/android/i, "android"],
  [/iphone|ipad|ipod/i, "ios"],
  [/win/i, "windows"],
  [/mac/i, "macos"],
];

/** Returns the system of a browser by its user agent; Linux if unknown. */
const systemOf = (agent: string): System =>
  marks.find(([mark]) => mark.test(agent))?.[1] ?? "linux";

/** Returns the reader's system. */
export const ownSystem = (): System => systemOf(navigator.userAgent);
