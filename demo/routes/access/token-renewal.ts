import type { AuthReply } from "../../../src/client/auth.ts";
import type { Reply } from "../../api/transport.ts";
import { instant, lasting, seconds } from "../../lib/format.ts";

/** The warning of the server that it shortened a lifetime. */
const ttlWarning = /^(?:TTL|Period) of "[^"]*" exceeded the effective max_ttl of "([^"]*)"/;

/**
 * Describes a renewal in a sentence, and returns its other warnings. The server warns whenever the
 * maximum lifetime shortens a renewal, even if the two durations that it names are equal.
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
