/** The HTTP statuses of an error code. */
interface Statuses {
  readonly status: number;
  /** Status for reads, if different. */
  readonly read?: number;
  /** Status in the compat dialect, if different (D 1 row 6). */
  readonly compat?: number;
}

/**
 * Every error code that an API can return, with its HTTP status. Handlers only state a code; styles
 * format the error.
 */
export const refusals = {
  /** The request cannot be parsed: it is not JSON, or a field or header has the wrong form. */
  malformed: { status: 400 },
  /** A field has an invalid value, or a required field is missing. */
  invalid_field: { status: 400 },
  /** The request has a field that the endpoint does not know, such as a misspelled one. */
  unknown_field: { status: 400 },
  /** Something with this name or path already exists. */
  already_exists: { status: 400 },
  /** The role does not allow a requested name. */
  name_not_allowed: { status: 400 },
  /** The role forbids a property other than a name, such as the key type or a usage. */
  role_violation: { status: 400 },
  /** No role has this name. */
  unknown_role: { status: 400 },
  /** No certificate has this serial number. */
  unknown_certificate: { status: 400 },
  /** No issuer has this name or ID, or no default issuer is set. */
  unknown_issuer: { status: 400, read: 404, compat: 500 },
  /** No AppRole has this name. */
  unknown_app_role: { status: 400, compat: 500 },
  /** No key has this name or ID. */
  unknown_key: { status: 400, read: 404, compat: 500 },
  /** The CSR cannot be parsed, or its signature is invalid. */
  bad_csr: { status: 400 },
  /** The key cannot be parsed, is too weak, or does not match its certificate. */
  bad_key: { status: 400 },
  /** The certificate cannot be parsed, or is unsuitable for the request. */
  bad_certificate: { status: 400 },
  /** The requested validity is empty, or longer than the role, the mount or the issuer allows. */
  validity: { status: 400 },
  /** The certificate would violate a constraint of its issuer's chain. */
  constraint: { status: 400 },
  /** The certificate belongs to an issuer of the mount. Use the endpoints for issuers. */
  is_issuer: { status: 400 },
  /** The object cannot be deleted, because another object refers to it. */
  in_use: { status: 400 },
  /** The issuer cannot sign: it has no key, is expired or revoked, or lacks the required usage. */
  unusable_issuer: { status: 400 },
  /** The external policy service rejected the request. */
  policy_refused: { status: 400 },
  /** Nothing is mounted at this path. */
  no_mount: { status: 400 },
  /** The token is missing or invalid (variables API). */
  unauthorized: { status: 401 },
  /** The token is missing, invalid or expired, or its policies do not allow the request. */
  forbidden: { status: 403 },
  /** The resource does not exist. */
  not_found: { status: 404 },
  /** No endpoint has this path. */
  no_route: { status: 404 },
  /** The path exists only on other servers with this API. */
  unsupported_path: { status: 404 },
  /** The path does not support this HTTP method. */
  unsupported_operation: { status: 405 },
  /** The object was changed concurrently, or its state does not allow the change. */
  conflict: { status: 409 },
  /** The body, or an entry in it, is larger than allowed. */
  too_large: { status: 413 },
  /** The endpoint does not support the media type of the body. */
  unsupported_media: { status: 415 },
  /** The JSON:API document is invalid (variables API). */
  invalid_document: { status: 422 },
  /** A rate limit was exceeded; `Retry-After` says when to try again. */
  too_many_requests: { status: 429 },
  /** The token is longer than any valid token. */
  header_too_large: { status: 431 },
  /** A stored row cannot be parsed. Restore a backup. */
  damaged: { status: 500 },
  /** The external policy service did not respond, or its response is invalid. */
  policy_failed: { status: 500 },
  /** The external key service did not sign, or returned an invalid signature. */
  signer_failed: { status: 500 },
  /** The request failed temporarily and changed nothing. `Retry-After` says when to retry. */
  busy: { status: 503 },
  /** The storage failed. The change may or may not have been made. */
  storage: { status: 503 },
  /** ACME: no account has this key. */
  account_does_not_exist: { status: 400 },
  /** ACME: the certificate is already revoked. */
  already_revoked: { status: 400 },
  /** ACME: the attestation of a device is not acceptable. */
  bad_attestation_statement: { status: 400 },
  /** ACME: the nonce is unknown or was already used. */
  bad_nonce: { status: 400 },
  /** ACME: the server does not accept the public key. */
  bad_public_key: { status: 400 },
  /** ACME: the server does not accept the revocation reason. */
  bad_revocation_reason: { status: 400 },
  /** ACME: the server does not accept the signature algorithm. */
  bad_signature_algorithm: { status: 400 },
  /** ACME: there are several errors, listed as subproblems. */
  compound: { status: 400 },
  /** ACME: the response to a challenge is not the expected response. */
  incorrect_response: { status: 400 },
  /** ACME: a contact is invalid. */
  invalid_contact: { status: 400 },
  /** ACME: the mount has no such profile. */
  invalid_profile: { status: 400 },
  /** ACME: the server does not issue certificates for this identifier. */
  rejected_identifier: { status: 400 },
  /** ACME: the server does not support the scheme of a contact. */
  unsupported_contact: { status: 400 },
  /** ACME: the server does not support the type of an identifier. */
  unsupported_identifier: { status: 400 },
  /** ACME: the account is not authorized to do this. */
  acme_unauthorized: { status: 401 },
  /** ACME: an external account binding is required. */
  external_account_required: { status: 401 },
  /** ACME: the user must act first, for example agree to new terms of service. */
  user_action_required: { status: 401 },
  /** ACME: the server forbids the request. */
  acme_forbidden: { status: 403 },
  /** ACME: the order is not ready to be finalized. */
  order_not_ready: { status: 403 },
  /** ACME is not enabled on this mount. */
  acme_disabled: { status: 404 },
  /** ACME: another order already replaces this certificate. */
  already_replaced: { status: 409 },
  /** ACME: a rate limit was exceeded. */
  rate_limited: { status: 429 },
  /** ACME: the server could not connect to the host under validation. */
  connection: { status: 500 },
  /** ACME: a DNS query during validation failed. */
  dns: { status: 500 },
  /** ACME: the TLS handshake during validation failed. */
  tls: { status: 500 },
  /** A bug in the server. The cause is in the server's log. */
  server_internal: { status: 500 },
} as const satisfies Record<string, Statuses>;

/** An error code that the server returns. */
export type Refusal = keyof typeof refusals;

/**
 * An error code as the typed client sees it. Later versions may add codes.
 * - a key of `refusals`: the code that the server returned;
 * - `bad_response`: the client cannot parse the response;
 * - `unknown`: the response has no code, for example because a proxy sent it.
 */
export type ErrorCode = Refusal | "bad_response" | "unknown";

/** The response header that carries the code of an error. */
export const errorCodeHeader = "x-error-code";

/**
 * Returns the status of an error code. `read` is true if the request is a read, and `compat` is
 * true if it uses the compat dialect.
 */
export function statusOfRefusal(code: Refusal, read: boolean, compat = false): number {
  const row: Statuses = refusals[code];
  return (compat ? row.compat : undefined) ?? (read ? row.read : undefined) ?? row.status;
}

/** Options of an error other than its message. */
interface RefusalOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
}

/** An error that the library throws. Later versions keep `code`, but may change the message. */
export abstract class SealwrightError extends Error {
  abstract readonly code: ErrorCode;
}

/**
 * An error whose message is shown to the caller: the server rejects or cannot process the request.
 */
export class CaError extends SealwrightError {
  override readonly name = "CaError";
  /** Error code: a key of the `refusals` table. */
  readonly code: Refusal;
  /** For a temporary error, the time in seconds after which to retry. */
  readonly retryAfter: number;
  constructor(code: Refusal, detail: string, options: RefusalOptions = {}) {
    const { cause, retryAfter = 1 } = options;
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
/** Returns the error for a request that is malformed, with a description of the defect. */
export const malformed = (defect: string): CaError => new CaError("malformed", defect);

/**
 * Returns the result of `work`. If `work` throws a `CaError`, throws a `CaError` with the code
 * `code`, and with `prefix` before the message.
 */
export function recode<T>(code: Refusal, work: () => T, prefix = ""): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaError ? new CaError(code, prefix + error.message) : error;
  }
}
