/** Formats rows as aligned columns, without trailing spaces. */
export function formatColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Prints a value as one JSON document. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}

/** Prints the warnings in a response to standard error. */
export function printWarnings(reply: unknown): void {
  const warnings: unknown =
    typeof reply === "object" && reply !== null ? Reflect.get(reply, "warnings") : undefined;
  const texts = typeof warnings === "string" ? warnings.split("\n") : warnings;
  if (Array.isArray(texts))
    for (const text of texts.map(String))
      if (text !== "") console.error(`Warning: ${printable(text)}`);
}

/** Replaces control characters in text from the server, because they could control the terminal. */
export const printable = (text: string): string => text.replace(/(?![\t\n])\p{Cc}/gu, "?");

/** Formats a time as `2026-11-28 04:00 UTC`. */
export const formatTime = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const day = 86_400_000;

/** Formats the time until or since an event: "in 29 days", "2 days ago". */
export function formatDistance(milliseconds: number): string {
  const size = Math.abs(milliseconds);
  const [amount, unit] =
    size >= 2 * day
      ? [size / day, "days"]
      : size >= 7_200_000
        ? [size / 3_600_000, "hours"]
        : [size / 60_000, "minutes"];
  const text = `${Math.floor(amount)} ${unit}`;
  return milliseconds < 0 ? `${text} ago` : `in ${text}`;
}

/**
 * Formats an expiry as a time and the distance to it. Returns `-` if the server sent none, as
 * earlier versions do.
 */
export function formatExpiry(notAfter: string | undefined, now: number): string {
  const expiry = Date.parse(notAfter ?? "");
  return Number.isNaN(expiry) ? "-" : `${formatTime(expiry)} (${formatDistance(expiry - now)})`;
}
