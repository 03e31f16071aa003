import type { AuthReply } from "../../../src/client/auth.ts";
import type { Reply } from "../../api/transport.ts";
import { instant, lasting } from "../../lib/time-text.ts";
import { seconds } from "../../lib/durations.ts";

/** Matches the server's warning that it shortened a lifetime. */
const ttlWarning = /^(?:TTL|Period) of "[^"]*" exceeded the effective max_ttl of "([^"]*)"/;

/**
 * Describes a renewal in one sentence, which replaces the server's warning about the maximum
 * lifetime, and returns the remaining warnings. The server sends that warning even if the requested
 * and the effective duration in it are equal.
 */
export function describeRenewal(
  { data, warnings }: Reply<AuthReply>,
  now: Date,
): { readonly title: string; readonly warnings: readonly string[] } {
  const limit = warnings
    .map((text) => ttlWarning.exec(text)?.[1])
    .find((text) => text !== undefined);
  const until = data.lease_duration
    ? `Token renewed until ${instant(new Date(now.getTime() + data.lease_duration * 1000))}`
    : "Token renewed";
  const total = seconds(limit ?? "");
  return {
    title: total ? `${until}, the end of its maximum lifetime of ${lasting(total)}` : until,
    warnings: warnings.filter((text) => !ttlWarning.test(text)),
  };
}
