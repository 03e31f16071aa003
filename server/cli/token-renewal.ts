import { auth, client, RefusedError, type Transport } from "../../src/client/index.ts";
import { oneLine } from "./failure.ts";
import { formatTime } from "./output.ts";

/** The clock and the log of token renewals. */
interface TokenPorts {
  /** Returns the time in Unix ms. */
  now(): number;
  report(sentence: string): void;
}

/** A server, and the caller's token for it. */
interface TokenServer {
  readonly name: string;
  readonly token: string;
  readonly send: Transport;
}

/** Minimum interval between two renewals of a token, and pause after a failure (ms). */
const [minPause, failurePause] = [5_000, 600_000];

/**
 * Returns a function that renews a token once half of its lifetime is over, and resolves with the
 * time of the next call, in Unix ms. The function reports once if the token can no longer be
 * renewed, or if the server rejects it.
 */
export function tokenRenewal({ now, report }: TokenPorts): (at: TokenServer) => Promise<number> {
  const nextCalls = new Map<string, number>();
  const reported = new Set<string>();
  const reportOnce = (sentence: string): void => {
    if (!reported.has(sentence)) report(sentence);
    reported.add(sentence);
  };
  return async (server) => {
    const { name, token } = server;
    if (token === "") return Infinity;
    const planned = nextCalls.get(token) ?? 0;
    if (now() < planned) return planned;
    let next = now() + failurePause;
    try {
      const { expiry, wait, isLast } = await renewAtHalf(server);
      next = now() + wait;
      if (isLast)
        reportOnce(
          `The token for ${name} expires at ${formatTime(now() + expiry)} and cannot be renewed; log in again before that.`,
        );
    } catch (error) {
      if (error instanceof RefusedError) reportOnce(describeRefusal(name, error));
    }
    nextCalls.set(token, next);
    return next;
  };
}

/**
 * Describes why a token cannot be renewed: it is invalid, or its policies do not allow the renewal.
 */
function describeRefusal(name: string, { message }: RefusedError): string {
  if (isInvalidToken(message))
    return `${name} rejected the token: ${oneLine(message)}. Log in again.`;
  return `The token for ${name} cannot be renewed: ${oneLine(message)}. Its policies must allow auth/token/lookup-self and auth/token/renew-self, as the default policy does.`;
}

/** Reports whether an error is about the token itself, not about its permissions. */
export const isInvalidToken = (message: string): boolean => message.includes("invalid token");

interface TokenState {
  /** Time until the token expires (ms). */
  readonly expiry: number;
  /** Time until the next call (ms). */
  readonly wait: number;
  /**
   * Whether the expiry is final, because the token is not renewable or cannot be extended any
   * further.
   */
  readonly isLast: boolean;
}

async function renewAtHalf({ send }: TokenServer): Promise<TokenState> {
  const tokens = client(auth, "/v1/auth", send);
  const { ttl, creation_ttl: lifetime, renewable } = await tokens.lookupSelf();
  if (ttl === 0) return { expiry: Infinity, wait: Infinity, isLast: false };
  const isDue = renewable && ttl <= lifetime / 2;
  const left = isDue ? (await tokens.renewSelf()).lease_duration : ttl;
  const isLast = !renewable || (isDue && left <= ttl + 1);
  const wait = isLast ? left : Math.max(left - lifetime / 2, left / 10);
  return { expiry: left * 1000, wait: Math.max(wait * 1000, minPause), isLast };
}
