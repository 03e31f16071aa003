/** A system whose store of roots is its own. */
export type System = "linux" | "macos" | "windows" | "ios" | "android";

const marks: readonly (readonly [mark: RegExp, system: System])[] = [
  [/android/i, "android"],
  [/iphone|ipad|ipod/i, "ios"],
  [/win/i, "windows"],
  [/mac/i, "macos"],
];

/** The system that a browser says it runs on; Linux where it says nothing that is known. */
const systemOf = (agent: string): System =>
  marks.find(([mark]) => mark.test(agent))?.[1] ?? "linux";

/** The system of whoever looks. */
export const ownSystem = (): System => systemOf(navigator.userAgent);
