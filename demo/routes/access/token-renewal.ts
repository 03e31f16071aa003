import type { AuthReply } from "../../../src/client/auth.ts";
import type { Reply } from "../../api/transport.ts";
import { instant, lasting, seconds } from "../../lib/format.ts";

const capped = /^(?:TTL|Period) of "[^"]*" exceeded the effective max_ttl of "([^"]*)"/;

/**
 * Returns a renewal as a sentence, and its other warnings. The server warns of each renewal that
 * the maximum lifetime shortens, with two durations that may be equal.
 */
export function describeRenewal(
  { data, warnings }: Reply<AuthReply>,
  now: Date,
): { readonly title: string; readonly warnings: readonly string[] } {
  const limit = warnings.map((text) => capped.exec(text)?.[1]).find((text) => text !== undefined);
  const until = data.lease_duration
    ? `Token renewed until ${instant(new Date(now.getTime() + data.lease_duration * 1000))}`
    : "Token renewed";
  const total = seconds(limit ?? "");
  return {
    title: total ? `${until}, the end of its maximum lifetime of ${lasting(total)}` : until,
    warnings: warnings.filter((text) => !capped.test(text)),
  };
}
