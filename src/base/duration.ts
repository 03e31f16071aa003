import { CaError } from "./errors.ts";

/** Nanoseconds per unit, as integers so that `2.3m` is exactly 138 s. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const nanosecondsPerSecond = 1_000_000_000n;
/** Seconds in 2^63 - 1 nanoseconds (about 292 years), the limit of Go's durations. */
const maxSeconds = 9_223_372_036;
/**
 * Maximum length of a duration string: twice that of the longest plausible one, with three numbers
 * of 19 digits, fractions and units.
 */
const maxTextLength = 128;

/**
 * Parses a duration and returns whole seconds. Accepts seconds as a number or a string, `<n>d`, and
 * Go's syntax (`1h30m`, `1.5h`), truncated to seconds. An empty string is 0. Returns undefined for
 * `undefined` and `null`. Throws `invalid_field` for other values, and for durations that are
 * negative or longer than 292 years.
 */
export function parseDuration(raw: unknown): number | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (typeof raw !== "number" && typeof raw !== "string")
    throw new CaError(
      "invalid_field",
      "expected a duration: a number of seconds, or a string such as 72h",
    );
  const seconds = typeof raw === "number" ? raw : textSeconds(raw);
  if (seconds === undefined || !Number.isInteger(seconds))
    throw new CaError("invalid_field", `invalid duration "${String(raw).slice(0, maxTextLength)}"`);
  if (seconds < 0) throw new CaError("invalid_field", `cannot provide negative value '${seconds}'`);
  if (seconds > maxSeconds)
    throw new CaError("invalid_field", `a duration must be at most ${maxSeconds} seconds`);
  // converts -0, the result of truncating "-0.5s", to 0
  return seconds + 0;
}

function textSeconds(text: string): number | undefined {
  if (text === "") return 0;
  if (text.length > maxTextLength) return undefined;
  const whole = /^([+-]?\d+)(d?)$/.exec(text);
  if (whole) return Number(whole[1]) * (whole[2] === "d" ? 86_400 : 1);
  const nanoseconds = unitNanoseconds(text);
  return nanoseconds === undefined ? undefined : Number(nanoseconds / nanosecondsPerSecond);
}

/**
 * Parses a duration in Go's syntax (`1m30s`, `250ms`) or in seconds, and returns whole
 * milliseconds. The duration may be negative. Returns undefined if it is invalid or longer than 292
 * years.
 */
export function parseMilliseconds(text: string): number | undefined {
  if (text.length > maxTextLength) return undefined;
  const nanoseconds = /^[+-]?\d+$/.test(text)
    ? BigInt(text) * nanosecondsPerSecond
    : unitNanoseconds(text);
  if (nanoseconds === undefined) return undefined;
  const milliseconds = Number(nanoseconds / 1_000_000n) + 0;
  return Math.abs(milliseconds) > maxSeconds * 1000 ? undefined : milliseconds;
}

function unitNanoseconds(text: string): bigint | undefined {
  const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0n;
  for (part.lastIndex = sign.length; part.lastIndex < text.length;) {
    const match = part.exec(text);
    const [, whole = "", fraction = "", unit = ""] = match ?? [];
    const nanoseconds = units[unit];
    if (nanoseconds === undefined || whole + fraction === "") return undefined;
    total +=
      BigInt(whole) * nanoseconds +
      (BigInt(fraction) * nanoseconds) / 10n ** BigInt(fraction.length);
  }
  if (text.length === sign.length) return undefined;
  return sign === "-" ? -total : total;
}

/** Formats seconds as Go does: `768h0m0s`, `1m30s`, `0s`, `250ms`. Truncates to milliseconds. */
export function goDuration(seconds: number): string {
  const milliseconds = Math.trunc(Math.abs(seconds) * 1000 + 1e-6);
  const size = milliseconds / 1000;
  if (size > 0 && size < 1) return `${seconds < 0 ? "-" : ""}${milliseconds}ms`;
  const [h, m, s] = [
    Math.floor(size / 3600),
    Math.floor(size / 60) % 60,
    (milliseconds % 60_000) / 1000,
  ];
  const text = size < 60 ? `${s}s` : size < 3600 ? `${m}m${s}s` : `${h}h${m}m${s}s`;
  return seconds < 0 ? `-${text}` : text;
}

/** Formats whole seconds in the largest unit that divides them: `72h`, `90m`, `45s`, `0s`. */
export function shortDuration(seconds: number): string {
  if (seconds !== 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  if (seconds !== 0 && seconds % 60 === 0) return `${seconds / 60}m`;
  return `${seconds}s`;
}

const instantPattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,64})?(?:Z|([+-])(\d\d):(\d\d))$/;
/**
 * Unix seconds of 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range in which years have four
 * digits.
 */
const [firstInstant, lastInstant] = [-62_167_219_200, 253_402_300_799];

/**
 * Parses an RFC 3339 time and returns Unix seconds. Truncates fractions. Throws `invalid_field` for
 * any other string, and for leap seconds, days that do not exist and years beyond 9999.
 */
export function parseInstant(text: string): number {
  const match = instantPattern.exec(text);
  const seconds = match ? instantSeconds(match) : undefined;
  if (seconds === undefined) {
    throw new CaError(
      "invalid_field",
      `cannot parse "${text.slice(0, maxTextLength)}" as an RFC 3339 time such as 2030-01-02T03:04:05Z`,
    );
  }
  return seconds;
}

function instantSeconds(match: RegExpExecArray): number | undefined {
  const [, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHours, offsetMinutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59)
    return undefined;
  const date = dateOf(match);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const seconds = sumOf(match);
  return seconds >= firstInstant && seconds <= lastInstant ? seconds : undefined;
}
function dateOf([, year, month, day]: RegExpExecArray): Date {
  const date = new Date(0);
  // does not use Date.UTC, which treats the years 0 to 99 as 1900 to 1999
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date;
}
function sumOf(match: RegExpExecArray): number {
  const [, , , , hour, minute, second, sign, offsetHours = 0, offsetMinutes = 0] = match;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const time = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return dateOf(match).getTime() / 1000 + time - offset;
}

const looseInstant = new RegExp(instantPattern.source.replace("\\d{4}", "\\d{4,6}"));
/**
 * Adds up the fields of a time to Unix seconds without checking their ranges, so that it accepts
 * 24:00:00 and the year 10000, which RFC 3339 does not. Strings with the same sum mean the same
 * time. Returns undefined for strings that do not look like a time.
 */
export function instantSum(text: string): number | undefined {
  const match = looseInstant.exec(text);
  return match ? sumOf(match) : undefined;
}

/** Formats Unix seconds as RFC 3339 in UTC: `2030-01-02T03:04:05Z`. */
export function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

/**
 * Formats Unix milliseconds as RFC 3339 in UTC, with a fraction only if it is not zero:
 * `2030-01-02T03:04:05.12Z`, `2030-01-02T03:04:05Z`.
 */
export function rfc3339nano(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.?0*Z$/, "Z");
}
