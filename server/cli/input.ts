import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { UsageError } from "./flags.ts";
import { LaunchError } from "../settings/launch-error.ts";

/** Reads a file, or standard input for `-`. Throws {@link LaunchError} if it cannot be read. */
export async function readInput(path: string): Promise<string> {
  return new TextDecoder().decode(await readInputBytes(path));
}

/**
 * Reads the bytes of a file, or of standard input for `-`. Throws {@link LaunchError} if they
 * cannot be read.
 */
export async function readInputBytes(path: string): Promise<Uint8Array> {
  if (path === "-") return buffer(process.stdin);
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new LaunchError(`File not found: ${path}.`);
    if (code === "EISDIR") throw new LaunchError(`${path} is a directory, not a file.`);
    throw new LaunchError(`${path} cannot be read (${code}).`);
  }
}

/**
 * Decodes PEM text. Returns undefined for DER, even if the DER contains PEM, for example in an
 * extension. Recognizes DER by its first byte, "0", and a length byte of 128 or more, which ASCII
 * text does not contain.
 */
export function pemTextOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x30 && (bytes[1] ?? 0) >= 0x80) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes("-----BEGIN ") ? text : undefined;
}

/**
 * Parses `name=value` words. `name=@file` reads the value from a file, and `name=-` from standard
 * input. The values of a repeated name become an array.
 */
export async function parseAssignments(
  words: readonly string[],
): Promise<Readonly<Record<string, string | readonly string[]>>> {
  const values = new Map<string, readonly string[]>();
  for (const word of words) {
    const [, name, value = ""] = /^([^=]+)=([^]*)$/.exec(word) ?? [];
    // do not print the argument, because it may contain a secret
    if (name === undefined)
      throw new UsageError(
        "Each argument after the path must be name=value, name=@file or name=-.",
      );
    const isFile = value === "-" || (value.startsWith("@") && value.length > 1);
    const content = isFile
      ? (await readInput(value.replace(/^@/, ""))).replace(/\r?\n$/, "")
      : value;
    values.set(name, [...(values.get(name) ?? []), content]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}
