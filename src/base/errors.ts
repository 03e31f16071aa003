/** The statuses of a refusal. */
interface Statuses {
  readonly status: number;
  /** On reads, where it differs. */
  readonly read?: number;
  /** In the compat dialect, where it differs (D 1 row 6). */
  readonly compat?: number;
  /**
   * Its error type in ACME, behind `urn:ietf:params:acme:error:` (RFC 8555 section 6.7). Unless
   * said: `malformed` where the status is below 500, else `serverInternal`.
   */
  readonly acme?: string;
  /** Nothing but ACME refuses so: elsewhere its status alone does not tell of it. */
  readonly only?: "acme";
}

/**
 * Every refusal an API of the authority can give, and its HTTP status. The one table that knows
 * them: styles render it, handlers only name a code.
 */
export const refusals = {
  malformed: { status: 400 },
  invalid_field: { status: 400 },
  already_exists: { status: 400 },
  name_not_allowed: { status: 400, acme: "rejectedIdentifier" },
  role_violation: { status: 400, acme: "badCSR" },
  unknown_role: { status: 400 },
  unknown_certificate: { status: 400 },
  unknown_issuer: { status: 400, read: 404, compat: 500 },
  unknown_app_role: { status: 400, compat: 500 },
  unknown_key: { status: 400, read: 404, compat: 500 },
  bad_csr: { status: 400, acme: "badCSR" },
  bad_key: { status: 400, acme: "badPublicKey" },
  bad_certificate: { status: 400 },
  validity: { status: 400 },
  constraint: { status: 400 },
  is_issuer: { status: 400 },
  in_use: { status: 400 },
  unusable_issuer: { status: 400 },
  policy_refused: { status: 400, acme: "unauthorized" },
  no_mount: { status: 400 },
  unauthorized: { status: 401, acme: "unauthorized" },
  forbidden: { status: 403, acme: "unauthorized" },
  not_found: { status: 404 },
  no_route: { status: 404 },
  unsupported_path: { status: 404 },
  unsupported_operation: { status: 405 },
  conflict: { status: 409 },
  too_large: { status: 413 },
  unsupported_media: { status: 415 },
  invalid_document: { status: 422 },
  too_many_requests: { status: 429, acme: "rateLimited" },
  header_too_large: { status: 431 },
  damaged: { status: 500 },
  policy_failed: { status: 500 },
  signer_failed: { status: 500 },
  busy: { status: 503 },
  storage: { status: 503 },
  account_does_not_exist: { status: 400, acme: "accountDoesNotExist", only: "acme" },
  already_revoked: { status: 400, acme: "alreadyRevoked", only: "acme" },
  bad_nonce: { status: 400, acme: "badNonce", only: "acme" },
  bad_public_key: { status: 400, acme: "badPublicKey", only: "acme" },
  bad_revocation_reason: { status: 400, acme: "badRevocationReason", only: "acme" },
  bad_signature_algorithm: { status: 400, acme: "badSignatureAlgorithm", only: "acme" },
  compound: { status: 400, acme: "compound", only: "acme" },
  incorrect_response: { status: 400, acme: "incorrectResponse", only: "acme" },
  invalid_contact: { status: 400, acme: "invalidContact", only: "acme" },
  invalid_profile: { status: 400, acme: "invalidProfile", only: "acme" },
  rejected_identifier: { status: 400, acme: "rejectedIdentifier", only: "acme" },
  unsupported_contact: { status: 400, acme: "unsupportedContact", only: "acme" },
  unsupported_identifier: { status: 400, acme: "unsupportedIdentifier", only: "acme" },
  acme_unauthorized: { status: 401, acme: "unauthorized", only: "acme" },
  external_account_required: { status: 401, acme: "externalAccountRequired", only: "acme" },
  user_action_required: { status: 401, acme: "userActionRequired", only: "acme" },
  acme_forbidden: { status: 403, acme: "unauthorized", only: "acme" },
  order_not_ready: { status: 403, acme: "orderNotReady", only: "acme" },
  acme_disabled: { status: 404, only: "acme" },
  already_replaced: { status: 409, acme: "alreadyReplaced", only: "acme" },
  rate_limited: { status: 429, acme: "rateLimited", only: "acme" },
  connection: { status: 500, acme: "connection", only: "acme" },
  dns: { status: 500, acme: "dns", only: "acme" },
  tls: { status: 500, acme: "tls", only: "acme" },
  server_internal: { status: 500, acme: "serverInternal", only: "acme" },
} as const satisfies Record<string, Statuses>;

/** A code of the refusal table. */
export type Refusal = keyof typeof refusals;

/** The status of a code on a read or a write; `compat`: in the compat dialect. */
export function statusOfRefusal(code: Refusal, read: boolean, compat = false): number {
  const row: Statuses = refusals[code];
  return (compat ? row.compat : undefined) ?? (read ? row.read : undefined) ?? row.status;
}

/** The error type of a code in ACME (RFC 8555 section 6.7), without its prefix. */
export function acmeTypeOf(code: Refusal): string {
  const { acme, status }: Statuses = refusals[code];
  return acme ?? (status < 500 ? "malformed" : "serverInternal");
}
/** Whether nothing but ACME refuses with a code. */
export const isOfAcme = (code: Refusal): boolean => "only" in refusals[code];

/** One of several faults of a request in ACME (RFC 8555 section 6.7.1). */
export interface Subproblem {
  readonly code: Refusal;
  readonly detail: string;
  /** What it is about. */
  readonly identifier?: { readonly type: string; readonly value: string };
}
/** What a refusal may say beside its text. */
interface RefusalOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly subproblems?: readonly Subproblem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly algorithms?: readonly string[];
}

/** A refusal: the request was understood and is not granted. Its message is shown to the caller. */
export class CaError extends Error {
  override readonly name = "CaError";
  readonly code: Refusal;
  /** Of what is refused for now only: after how many seconds it is worth trying again. */
  readonly retryAfter: number;
  /** Faults that problem documents of ACME list one by one; elsewhere they are not shown. */
  readonly subproblems: readonly Subproblem[];
  /** Headers that replies of ACME carry with it, such as `location`, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What ACME takes in the place of an `alg`: that of requests unless said. */
  readonly algorithms: readonly string[] | undefined;
  constructor(code: Refusal, detail: string, options: RefusalOptions = {}) {
    const { cause, retryAfter = 1, subproblems = [], headers = {}, algorithms } = options;
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = retryAfter;
    this.subproblems = subproblems;
    this.headers = headers;
    this.algorithms = algorithms;
  }
}

/** Returns the result of `work`. Throws its `CaError` with another code and a prefix. */
export function recode<T>(code: Refusal, work: () => T, prefix = ""): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaError ? new CaError(code, prefix + error.message) : error;
  }
}
