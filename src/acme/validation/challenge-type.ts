import { CaError } from "../../base/errors.ts";
import type { Ports, Probe } from "../../engine/ports.ts";
import type { TargetRules } from "../../net/target.ts";
import type { AcmeChallenge, AcmeIdentifier, AuthzRow } from "../rows/records.ts";
import type { Proof } from "./proof.ts";

/** Name of a challenge type, as clients and hosts know it. */
export type ChallengeName = Probe["type"];

/** A challenge under validation. */
export interface ValidationAttempt {
  readonly authz: AuthzRow;
  readonly challenge: AcmeChallenge;
  readonly proof: Proof;
}

/**
 * A refusal that no further attempt would change: the network was reached and gave an answer that
 * cannot prove the name, or may not be asked (B 5.10).
 */
export class PermanentFailure extends CaError {}

/** The network as validations use it. */
export interface ValidationNetwork {
  readonly dial: NonNullable<Ports["dial"]>;
  readonly resolve: NonNullable<Ports["resolve"]>;
  readonly rules: TargetRules;
  /** The port that is dialled instead of 80. */
  readonly httpPort: number;
  /** The port that is dialled instead of 443. */
  readonly tlsPort: number;
  random(bytes: number): Uint8Array;
  /** Unix milliseconds. */
  now(): number;
  /** Aborts after some milliseconds of real time. */
  timeout(milliseconds: number): AbortSignal;
}

/** One type of challenges (RFC 8555 section 8): a file each, listed in `challenge-table.ts`. */
export interface ChallengeType<Name extends ChallengeName = ChallengeName> {
  readonly name: Name;
  /** Reports whether an identifier can be proven by it (B 5.10); a wildcard begins with `*.`. */
  isOfferedFor(identifier: AcmeIdentifier): boolean;
  /**
   * Returns what a validation would request and the response that proves the name, for a host that
   * decides in its place.
   */
  question(
    name: string,
    proof: Proof,
    ports: Pick<ValidationNetwork, "httpPort" | "tlsPort">,
  ): Pick<Probe, "asked" | "expected">;
  /** False where a resolver suffices, and nothing is connected to. */
  readonly needsConnection: boolean;
  /**
   * Validates a name over the network. Rejects with CaError `connection`, `dns`, `tls` or
   * `incorrect_response`, or with {@link PermanentFailure}.
   */
  validate(
    name: string,
    proof: Proof,
    network: ValidationNetwork,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Reports whether an identifier stands for all names one label below another. */
export const isWildcard = ({ type, value }: AcmeIdentifier): boolean =>
  type === "dns" && value.startsWith("*.");
/** Returns a name as a URL and `host:port` have it: addresses of IPv6 in brackets. */
export const hostOf = (name: string): string => (name.includes(":") ? `[${name}]` : name);
