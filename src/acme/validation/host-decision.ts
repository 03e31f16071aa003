import type { StoreContext } from "../../engine/store-context.ts";
import type { NetworkChallengeName } from "./challenge-table.ts";
import type { ChallengeQuestion } from "./challenge-type.ts";

/**
 * A challenge that a host without outgoing connections decides: whether the client of an ACME order
 * controls a name.
 */
export interface Probe extends ChallengeQuestion {
  /** Challenge type, such as `http-01`. */
  readonly type: NetworkChallengeName;
  /** The identifier of the authorization, without "*.". */
  readonly identifier: {
    /** Identifier type. */
    readonly type: "dns" | "ip";
    /** DNS name or IP address. */
    readonly value: string;
  };
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

/**
 * A function that validates a challenge in a host without `dial`, such as a page. Resolves if the
 * challenge is met. Otherwise rejects with a `CaError` whose code is the reason: `connection`,
 * `dns`, `tls` or `incorrect_response`.
 */
export type Challenger = (probe: Probe) => Promise<void>;

/**
 * Returns the function with which the host validates challenges, or undefined if the runtime can
 * open connections.
 */
export const challengerOf = ({
  ports,
  features,
}: Pick<StoreContext, "ports" | "features">): Challenger | undefined =>
  // `features` is untyped here; createCa declares this option as a Challenger
  ports.dial ? undefined : (features["challenger"] as Challenger | undefined);
