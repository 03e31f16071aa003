import { seconds } from "./durations.ts";

const units = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/**
 * Describes an entered duration as `= 90 days` or `= 1 hour 30 minutes` and, from two years on,
 * also in years. Returns an empty string for zero and for invalid durations.
 */
export function durationText(typed: string): string {
  const total = seconds(typed) ?? 0;
  if (total === 0 || !Number.isSafeInteger(total)) return "";
  let left = total;
  const parts = units.flatMap(([unit, name]) => {
    const whole = Math.floor(left / unit);
    left -= whole * unit;
    return whole === 0 ? [] : [`${whole.toLocaleString("en")} ${name}${whole === 1 ? "" : "s"}`];
  });
  const years = total / (365.25 * 86_400);
  const about = years < 1.99 ? "" : `, about ${Math.round(years)} years`;
  return `= ${parts.join(" ")}${about}`;
}
