import type { IconName, Tone } from "./icon.tsx";

/** The icon, color and label of a lint finding. The label is for screen readers. */
export const severityMarks: Readonly<
  Record<"error" | "warning" | "info", readonly [icon: IconName, tone: Tone, word: string]>
> = {
  error: ["x", "danger", "Error"],
  warning: ["warn", "warn", "Warning"],
  info: ["info", "info", "Note"],
};
