import { CaError } from "../../base/errors.ts";
import type { Ports } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { TargetRules } from "../../net/target.ts";
import type { AcmeConfig } from "../rows/config.ts";
import type { AcmeChallenge, AcmeIdentifier, AttestedKey, AuthzRow } from "../rows/records.ts";
import type { Proof } from "./proof.ts";

/** A challenge under validation. */
export interface ValidationAttempt {
  readonly authz: AuthzRow;
  readonly challenge: AcmeChallenge;
  readonly proof: Proof;
}

/**
 * A failure that would recur in every attempt: the response does not prove control of the name, or
 * the address is forbidden (B 5.10).
 */
export class PermanentFailure extends CaError {}

/** The network access of validations, and the rules that restrict it. */
export interface ValidationNetwork {
  readonly dial: NonNullable<Ports["dial"]>;
  readonly resolve: NonNullable<Ports["resolve"]>;
  readonly rules: TargetRules;
  /** Port to use instead of 80. */
  readonly httpPort: number;
  /** Port to use instead of 443. */
  readonly tlsPort: number;
  random(bytes: number): Uint8Array;
  /** Unix milliseconds. */
  now(): number;
  /** Returns a signal that aborts after a number of milliseconds of real time. */
  timeout(milliseconds: number): AbortSignal;
}

/** The request that a validation sends, and the answer that proves control of the name. */
export interface ChallengeQuestion {
  /**
   * The requested resource: the URL for http-01, the name of the TXT records for DNS challenges,
   * host and port for tls-alpn-01.
   */
  readonly asked: string;
  /**
   * The expected answer: the key authorization (http-01), base64url of its SHA-256 (dns-01,
   * dns-account-01), that hash in hexadecimal (tls-alpn-01), or the record (dns-persist-01).
   */
  readonly expected: string;
}

/** The members of every challenge type. */
interface ChallengeBase<Name extends string> {
  readonly name: Name;
  /**
   * Reports whether this challenge type can validate an identifier (B 5.10). Wildcard identifiers
   * begin with `*.`.
   */
  isOfferedFor(identifier: AcmeIdentifier): boolean;
  /** False if challenges of this type have no token. */
  readonly hasToken?: false;
  /** Whether failed attempts are limited per account and name. */
  readonly limitsFailures?: true;
  /** Returns additional members of challenge objects. */
  members?(config: Snapshot): Readonly<Record<string, unknown>>;
}

/** A challenge type whose proof the server fetches. */
export interface NetworkChallenge<Name extends string = string> extends ChallengeBase<Name> {
  /** Returns the question for a host that validates challenges itself. */
  question(
    name: string,
    proof: Proof,
    ports: Pick<ValidationNetwork, "httpPort" | "tlsPort">,
  ): ChallengeQuestion;
  /** False if validation needs only a resolver, and no connection. */
  readonly needsConnection: boolean;
  /**
   * Validates a name over the network. Returns the time until which the proof is valid (Unix
   * seconds), if it states one. Rejects with CaError `connection`, `dns`, `tls` or
   * `incorrect_response`, or with {@link PermanentFailure}.
   */
  validate(
    name: string,
    proof: Proof,
    network: ValidationNetwork,
    signal: AbortSignal,
  ): Promise<number | void>;
}

/** The context in which a response is verified. */
interface ResponseContext {
  readonly identifier: AcmeIdentifier;
  readonly proof: Proof;
  readonly config: AcmeConfig;
  /** Unix milliseconds. */
  readonly now: number;
}
/** A challenge type whose proof is in the client's response, which is verified at once. */
export interface ResponseChallenge<Name extends string = string> extends ChallengeBase<Name> {
  /**
   * Parses a response and returns its verifier. Throws `malformed` for a payload without a
   * response, which leaves the challenge pending. If the verifier rejects with a CaError, the
   * challenge becomes invalid.
   */
  respond(payload: Readonly<Record<string, unknown>>): ResponseVerifier;
}
/**
 * A function that verifies a parsed response and returns the key that it attests. Rejects with a
 * CaError if the response is not valid.
 */
export type ResponseVerifier = (context: ResponseContext) => Promise<AttestedKey>;

/**
 * A challenge type (RFC 8555 section 8). Each type has its own file, and `challenge-table.ts` lists
 * them.
 */
export type ChallengeType<Name extends string = string> =
  | NetworkChallenge<Name>
  | ResponseChallenge<Name>;

/** Reports whether an identifier is a wildcard. */
export const isWildcard = ({ type, value }: AcmeIdentifier): boolean =>
  type === "dns" && value.startsWith("*.");
/** Reports whether an identifier is a DNS name or an address. */
export const isHost = ({ type }: AcmeIdentifier): boolean => type === "dns" || type === "ip";
/** Returns a name as it is written in a URL and in `host:port`: IPv6 addresses in brackets. */
export const hostOf = (name: string): string => (name.includes(":") ? `[${name}]` : name);
