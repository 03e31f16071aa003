import { existsSync } from "node:fs";
import { sep } from "node:path";
import { LaunchError } from "../settings/launch-error.ts";

/** Matches hexadecimal digits, or octets that are all separated by colons or all by hyphens. */
const serialPattern = /^(?:[0-9a-f]+|[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+))$/i;

const isPath = (argument: string): boolean => argument.includes("/") || argument.includes(sep);

/**
 * Parses an argument that is a serial number or a file. Returns the serial number with an even
 * number of digits, or undefined for a path, for a name that exists, and for other text.
 */
export function parseSerialArgument(
  argument: string,
  exists: (path: string) => boolean = existsSync,
): string | undefined {
  if (isPath(argument) || !serialPattern.test(argument) || exists(argument)) return undefined;
  const isOdd = !/[:-]/.test(argument) && argument.length % 2 === 1;
  return isOdd ? `0${argument}` : argument;
}

/**
 * Throws a LaunchError if an argument is not a path and does not exist. The error says that it
 * has none of the other accepted forms either.
 */
export function checkFileArgument(argument: string, otherForms: string): void {
  if (argument === "-" || isPath(argument) || existsSync(argument)) return;
  throw new LaunchError(`File not found: ${argument}; it is not a ${otherForms} either.`);
}
