import type { IconName, Tone } from "./icon.tsx";

/** The icon, the color and the label (for screen readers) of lint findings, by severity. */
export const severityMarks: Readonly<
  Record<"error" | "warning" | "info", readonly [icon: IconName, tone: Tone, word: string]>
> = {
  error: ["x", "danger", "Error"],
  warning: ["warn", "warn", "Warning"],
  info: ["info", "info", "Note"],
};
