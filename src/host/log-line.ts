import { refusals } from "../base/errors.ts";
import type { LogEvent } from "../index.ts";

/** Severity of a log line. */
export type LogLevel = "error" | "warn" | "info";

/**
 * Returns the severity of a request: `error` if the server failed, `warn` if it rejected the
 * request, and `info` otherwise.
 */
export function levelOf({ status, refusal, cause }: LogEvent): LogLevel {
  if (cause !== undefined) return "error";
  // in the compat dialect, some rejections have the status 500
  if (refusal !== undefined && Object.hasOwn(refusals, refusal)) {
    const statuses = refusals[refusal as keyof typeof refusals];
    return statuses.status < 500 ? "warn" : "error";
  }
  return status >= 500 ? "error" : status >= 400 ? "warn" : "info";
}

/** Formats a request as a line of JSON with an RFC 3339 time. */
export function jsonLine({ cause, time, ...event }: LogEvent): string {
  return JSON.stringify({
    ...event,
    ...(time === undefined ? {} : { time: new Date(time).toISOString() }),
    ...(cause === undefined ? {} : { cause: describeCause(cause) }),
  });
}

/** Returns the stack of an error, or the JSON of any other value that was thrown. */
export const describeCause = (cause: unknown): string =>
  cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause);
