/** Names of the months. */
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Length of a day in ms. */
export const day = 86_400_000;

/** Formats a date in UTC as `19 Oct 2026`. */
export const date = (time: Date): string =>
  `${time.getUTCDate()} ${months[time.getUTCMonth()] ?? ""} ${time.getUTCFullYear()}`;

const two = (n: number): string => String(n).padStart(2, "0");
/** Formats a time as `19 Oct 2026 07:41 UTC`. */
export const instant = (time: Date): string =>
  `${date(time)} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())} UTC`;

/** Formats a time as `07:41` in the local time zone. */
export const clock = (time: Date): string => `${two(time.getHours())}:${two(time.getMinutes())}`;

const count = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? "" : "s"}`;

function span(ms: number): string {
  const days = ms / day;
  if (days > 730) return count(Math.round(days / 365.25), "year");
  if (days > 90) return count(Math.round(days / 30.44), "month");
  if (days >= 1.5) return count(Math.round(days), "day");
  if (days * 24 >= 1.5) return count(Math.round(days * 24), "hour");
  return count(Math.max(1, Math.round(days * 1440)), "minute");
}

/** Formats a time relative to `now`, as `in 57 days`, `3 hours ago` or `just now`. */
export function distance(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime();
  if (Math.abs(ms) < 60_000) return ms < 0 ? "just now" : "in less than a minute";
  return ms < 0 ? `${span(-ms)} ago` : `in ${span(ms)}`;
}

/** Formats a duration, given in seconds, in words. */
export const lasting = (seconds: number): string => span(seconds * 1000);
