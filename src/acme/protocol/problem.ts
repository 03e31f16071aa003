import { CaError, refusals, type Refusal } from "../../base/errors.ts";
import { jwsAlgorithms } from "../../jose/signature.ts";
import type { AcmeError } from "../rows/records.ts";

/** Prefix of ACME error types (RFC 8555 section 6.7). */
const errorPrefix = "urn:ietf:params:acme:error:";

/** Error types of codes that only ACME uses. Their HTTP status does not determine the type. */
const ownTypes = {
  account_does_not_exist: "accountDoesNotExist",
  already_revoked: "alreadyRevoked",
  bad_attestation_statement: "badAttestationStatement",
  bad_nonce: "badNonce",
  bad_public_key: "badPublicKey",
  bad_revocation_reason: "badRevocationReason",
  bad_signature_algorithm: "badSignatureAlgorithm",
  compound: "compound",
  incorrect_response: "incorrectResponse",
  invalid_contact: "invalidContact",
  invalid_profile: "invalidProfile",
  rejected_identifier: "rejectedIdentifier",
  unsupported_contact: "unsupportedContact",
  unsupported_identifier: "unsupportedIdentifier",
  acme_unauthorized: "unauthorized",
  external_account_required: "externalAccountRequired",
  user_action_required: "userActionRequired",
  acme_forbidden: "unauthorized",
  order_not_ready: "orderNotReady",
  acme_disabled: "malformed",
  already_replaced: "alreadyReplaced",
  rate_limited: "rateLimited",
  connection: "connection",
  dns: "dns",
  tls: "tls",
  server_internal: "serverInternal",
} as const satisfies Partial<Record<Refusal, string>>;
/** Error types of codes that other APIs use too. */
const sharedTypes: Partial<Record<Refusal, string>> = {
  name_not_allowed: "rejectedIdentifier",
  role_violation: "badCSR",
  bad_csr: "badCSR",
  bad_key: "badPublicKey",
  policy_refused: "unauthorized",
  unauthorized: "unauthorized",
  forbidden: "unauthorized",
  too_many_requests: "rateLimited",
};
const types: Partial<Record<Refusal, string>> = { ...ownTypes, ...sharedTypes };

/**
 * Returns the error type of a code, without its prefix: by default `malformed` for a status below
 * 500, and `serverInternal` for any other.
 */
export const problemTypeOf = (code: Refusal): string =>
  types[code] ?? (refusals[code].status < 500 ? "malformed" : "serverInternal");
/** Reports whether only ACME uses a code. */
export const isOfAcme = (code: Refusal): boolean => Object.hasOwn(ownTypes, code);

/** One of several problems with a request (RFC 8555 section 6.7.1). */
export interface Subproblem {
  readonly code: Refusal;
  readonly detail: string;
  /** The identifier that the problem concerns. */
  readonly identifier?: { readonly type: string; readonly value: string };
}
/**
 * An error whose problem document has additional members, or whose response has additional headers.
 */
export class AcmeProblem extends CaError {
  readonly subproblems: readonly Subproblem[];
  /** Headers of the response by lower-case name, such as `location`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Accepted values of `alg`; by default, those accepted in requests. */
  readonly algorithms: readonly string[] | undefined;
  constructor(
    code: Refusal,
    detail: string,
    {
      subproblems = [],
      headers = {},
      algorithms,
    }: Partial<Pick<AcmeProblem, "subproblems" | "headers" | "algorithms">>,
  ) {
    super(code, detail);
    this.subproblems = subproblems;
    this.headers = headers;
    this.algorithms = algorithms;
  }
}

/**
 * Replaces double quotes, because some shell clients that parse JSON truncate a string at the first
 * one.
 */
const withoutQuotes = (detail: string): string => detail.replaceAll('"', "'");
type Document = Readonly<Record<string, unknown>>;

const subproblemDocument = ({ code, detail, identifier }: Subproblem): Document => ({
  type: errorPrefix + problemTypeOf(code),
  detail: withoutQuotes(detail),
  ...(identifier ? { identifier } : {}),
});
const plainProblem = { subproblems: [], algorithms: undefined };
/** Returns the problem document of an error (B 5.12). Omits the details of an internal error. */
export function problemDocument(error: unknown): Document {
  if (!(error instanceof CaError))
    return { type: `${errorPrefix}serverInternal`, detail: "internal error" };
  const { subproblems, algorithms } = error instanceof AcmeProblem ? error : plainProblem;
  return {
    type: errorPrefix + problemTypeOf(error.code),
    detail: withoutQuotes(error.message),
    ...(subproblems.length > 0 ? { subproblems: subproblems.map(subproblemDocument) } : {}),
    // RFC 8555 section 6.2 requires `algorithms` in this problem document
    ...(error.code === "bad_signature_algorithm"
      ? { algorithms: algorithms ?? jwsAlgorithms }
      : {}),
  };
}
/** Returns the problem document of a stored error. */
export const storedProblem = ({ type, detail, subproblems }: AcmeError): Document => ({
  type: errorPrefix + type,
  detail: withoutQuotes(detail),
  ...(subproblems?.length ? { subproblems: subproblems.map(storedProblem) } : {}),
});
