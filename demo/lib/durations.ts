import { toText } from "./to-text.ts";

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/**
 * Parses a duration such as `90d`, `72h`, `1h30m`, `1.5h` or `3600` and returns whole seconds, or
 * undefined if it is invalid.
 */
export function seconds(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  if (!/^(\d+(\.\d+)?[smhd])+$/.test(trimmed)) return undefined;
  const parts = [...trimmed.matchAll(/([\d.]+)([smhd])/g)].map(
    ([, count, unit = ""]) => Number(count) * (unitSeconds[unit] ?? 0),
  );
  // floating-point products are inexact: without the tolerance, 2.3 min would be rounded down to
  // 137 s
  return Math.floor(parts.reduce((sum, part) => sum + part, 0) + 1e-6);
}

/** Formats seconds as a duration in the largest unit that divides them, such as `90d`. */
export function duration(seconds: number): string {
  const [unit, letter] = (
    [
      [86_400, "d"],
      [3600, "h"],
      [60, "m"],
    ] as const
  ).find(([unit]) => seconds > 0 && seconds % unit === 0) ?? [1, "s"];
  return `${seconds / unit}${letter}`;
}

/** Parses a duration of a role in an API response, and returns seconds. */
export const roleSeconds = (value: unknown): number =>
  typeof value === "number" ? value : (seconds(toText(value)) ?? 0);
