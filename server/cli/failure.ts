import { UsageError } from "./flags.ts";
import { LaunchError } from "./launch-error.ts";

/**
 * Returns what to print for an error: its message for user mistakes and for system errors. Anything
 * else is a bug and is printed with its stack.
 */
export function describeError(error: unknown): unknown {
  if (error instanceof LaunchError || error instanceof UsageError) return error.message;
  return error instanceof Error && "syscall" in error ? `System error: ${error.message}.` : error;
}
