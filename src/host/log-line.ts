import { refusals } from "../base/errors.ts";
import type { LogEvent } from "../index.ts";

/** Severity of a line of the log. */
export type LogLevel = "error" | "warn" | "info";

/** Returns `error` for a request that the server failed to answer, `warn` for a rejected one. */
export function levelOf({ status, refusal, cause }: LogEvent): LogLevel {
  if (cause !== undefined) return "error";
  // some rejections have a status of 500 in the compat dialect
  if (refusal !== undefined && Object.hasOwn(refusals, refusal)) {
    const statuses = refusals[refusal as keyof typeof refusals];
    return statuses.status < 500 ? "warn" : "error";
  }
  return status >= 500 ? "error" : status >= 400 ? "warn" : "info";
}

/** Returns a request as one line of JSON, with an RFC 3339 time. */
export function jsonLine({ cause, time, ...event }: LogEvent): string {
  return JSON.stringify({
    ...event,
    ...(time === undefined ? {} : { time: new Date(time).toISOString() }),
    ...(cause === undefined ? {} : { cause: describeCause(cause) }),
  });
}

/** Returns the stack of an error, or JSON of anything else that was thrown. */
export const describeCause = (cause: unknown): string =>
  cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause);
