/** An operating system with its own trust store. */
export type System = "linux" | "macos" | "windows" | "ios" | "android";

const marks: readonly (readonly [mark: RegExp, system: System])[] = [
  [/android/i, "android"],
  [/iphone|ipad|ipod/i, "ios"],
  [/win/i, "windows"],
  [/mac/i, "macos"],
];

/** Returns the operating system in a User-Agent string, or Linux if it is unknown. */
const systemOf = (agent: string): System =>
  marks.find(([mark]) => mark.test(agent))?.[1] ?? "linux";

/** Returns the operating system of the user. */
export const ownSystem = (): System => systemOf(navigator.userAgent);
