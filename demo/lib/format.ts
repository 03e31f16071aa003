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

/** Formats a time relative to `now`, as `in 57 days` or `3 hours ago`. */
export function distance(time: Date, now: Date): string {
  const ms = time.getTime() - now.getTime();
  return ms < 0 ? `${span(-ms)} ago` : `in ${span(ms)}`;
}

/** Formats a duration in seconds in words. */
export const lasting = (seconds: number): string => span(seconds * 1000);

/** Splits hexadecimal into groups of four. */
export const groups = (hex: string): string => (hex.match(/.{1,4}/g) ?? []).join(" ");

/** Removes colons, hyphens and spaces from hexadecimal. */
export const bareHex = (text: string): string => text.replace(/[\s:-]/g, "").toLowerCase();

/** Formats hexadecimal digits as the API formats serial numbers: `4f:61:d6:7d`. */
export const colons = (hex: string): string => (bareHex(hex).match(/../g) ?? []).join(":");

/** Formats a number of bytes as `3.1 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

// Matches control characters, soft hyphens, zero-width and bidirectional marks, line separators,
// interlinear and tag characters, and lone surrogates.
const unseen =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

/** Escapes invisible and reordering characters in untrusted text, as `‹U+202E›`. */
export const visible = (text: string): string =>
  text.replace(
    unseen,
    (character) =>
      `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );

/**
 * Escapes the same characters in JSON as `\u202e`, so that the displayed JSON stays valid and equal
 * when copied.
 */
export const visibleJson = (json: string): string =>
  json.replace(unseen, (character) =>
    character === "\n"
      ? character
      : Array.from(
          { length: character.length },
          (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
        ).join(""),
  );

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];
/** Reports whether a string contains letters of several scripts, as lookalike names do. */
export const mixed = (text: string): boolean =>
  scripts.filter((script) => script.test(text)).length > 1;

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

/**
 * Converts a string, number or boolean from a response to a string. Returns `otherwise` for any
 * other value.
 */
export const plain = (value: unknown, otherwise = ""): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : otherwise;

/**
 * Returns an unused name: the given name if it is free or empty, otherwise the name with the first
 * free number.
 */
export function freeName(name: string, used: readonly string[]): string {
  let free = name;
  for (let n = 2; free !== "" && used.includes(free); n++) free = `${name}-${n}`;
  return free;
}

/**
 * Returns a name for the successor of a CA with the next generation number: `Acme Root G2` for
 * `Acme Root G1`. A name without a number gets `G2`.
 */
export const nextName = (name: string): string =>
  /(?<!\d)\d{1,3}$/.test(name)
    ? name.replace(/(?<!\d)\d{1,3}$/, (number) =>
        String(Number(number) + 1).padStart(number.length, "0"),
      )
    : `${name} G2`;

/**
 * Returns why an API name is invalid, or an empty string if it is valid. An empty name is valid.
 */
export const wrongName = (name: string): string =>
  name === "" || /^\w(?:[\w.-]*\w)?$/.test(name)
    ? ""
    : `${name}: letters, digits, and . - _ inside`;

/**
 * Returns why a token cannot be sent in a header, or an empty string if it can. An empty token is
 * valid.
 */
export const wrongToken = (token: string): string =>
  /^[!-~]*$/.test(token.trim()) ? "" : "A token is printable ASCII without spaces";

/**
 * Reports whether a string looks like a token, which must not be searched for or written into a
 * URL. A host name with the same prefix contains another dot.
 */
export const isTokenLike = (text: string): boolean =>
  /^(?:hv[sb]|[sbv])\.[\w-]{12,}={0,2}$/.test(text.trim());

/** Converts a certificate's name to a file name: letters, digits, dots and hyphens. */
export const fileName = (name: string): string =>
  name
    .replace(/^\*/, "wildcard")
    .replace(/[^A-Za-z0-9.-]+/g, "-")
    .replace(/^[.-]+|-+$/g, "") || "certificate";

/**
 * Formats `ECDSAWithSHA256` as `ECDSA with SHA-256`, and `SHA256WithRSAPSS` as `RSA-PSS with
 * SHA-256`. Returns other names unchanged.
 */
export function signatureName(name: string): string {
  const [, front = "", back = ""] = /^(\w+)With(\w+)$/.exec(name) ?? [];
  if (front === "") return name;
  const [key, hash] = /^(SHA|MD)\d/.test(front) ? [back, front] : [front, back];
  return `${key.replace("RSAPSS", "RSA-PSS")} with ${hash.replace(/^SHA/, "SHA-")}`;
}

/** Parses a duration in a role from the API and returns seconds. */
export const roleSeconds = (value: unknown): number =>
  typeof value === "number" ? value : (seconds(plain(value)) ?? 0);
