import type { StoreContext } from "../../engine/store-context.ts";
import type { NetworkChallengeName } from "./challenge-table.ts";
import type { ChallengeQuestion } from "./challenge-type.ts";

/**
 * A question whether the applicant of an ACME order controls a name, for hosts that cannot open
 * connections.
 */
export interface Probe extends ChallengeQuestion {
  /** Type of the challenge. */
  readonly type: NetworkChallengeName;
  /** The identifier of the authorization, without "*.". */
  readonly identifier: {
    /** Type of the identifier. */
    readonly type: "dns" | "ip";
    /** DNS name or IP address. */
    readonly value: string;
  };
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

/**
 * Validates a challenge where there is no `dial`, as in a page; resolves if it is met. Rejects with
 * a `CaError` with the reason: `connection`, `dns`, `tls`, `incorrect_response`.
 */
export type Challenger = (probe: Probe) => Promise<void>;

/** Returns the function of the host that decides challenges; undefined if connections do. */
export const challengerOf = ({
  ports,
  features,
}: Pick<StoreContext, "ports" | "features">): Challenger | undefined =>
  // createCa types this option
  ports.dial ? undefined : (features["challenger"] as Challenger | undefined);
