/** The statuses of a refusal. */
interface Statuses {
  readonly status: number;
  /** On reads, where it differs. */
  readonly read?: number;
  /** In the compat dialect, where it differs (D 1 row 6). */
  readonly compat?: number;
}

/**
 * Every refusal an API of the authority can give, and its HTTP status. The one table that knows
 * them: styles render it, handlers only name a code.
 */
export const refusals = {
  malformed: { status: 400 },
  invalid_field: { status: 400 },
  already_exists: { status: 400 },
  name_not_allowed: { status: 400 },
  role_violation: { status: 400 },
  unknown_role: { status: 400 },
  unknown_certificate: { status: 400 },
  unknown_issuer: { status: 400, read: 404, compat: 500 },
  unknown_app_role: { status: 400, compat: 500 },
  unknown_key: { status: 400, read: 404, compat: 500 },
  bad_csr: { status: 400 },
  bad_key: { status: 400 },
  bad_certificate: { status: 400 },
  validity: { status: 400 },
  constraint: { status: 400 },
  is_issuer: { status: 400 },
  in_use: { status: 400 },
  unusable_issuer: { status: 400 },
  policy_refused: { status: 400 },
  no_mount: { status: 400 },
  unauthorized: { status: 401 },
  forbidden: { status: 403 },
  not_found: { status: 404 },
  no_route: { status: 404 },
  unsupported_path: { status: 404 },
  unsupported_operation: { status: 405 },
  conflict: { status: 409 },
  too_large: { status: 413 },
  unsupported_media: { status: 415 },
  invalid_document: { status: 422 },
  too_many_requests: { status: 429 },
  header_too_large: { status: 431 },
  damaged: { status: 500 },
  policy_failed: { status: 500 },
  signer_failed: { status: 500 },
  busy: { status: 503 },
  storage: { status: 503 },
  account_does_not_exist: { status: 400 },
  already_revoked: { status: 400 },
  bad_nonce: { status: 400 },
  bad_public_key: { status: 400 },
  bad_revocation_reason: { status: 400 },
  bad_signature_algorithm: { status: 400 },
  compound: { status: 400 },
  incorrect_response: { status: 400 },
  invalid_contact: { status: 400 },
  invalid_profile: { status: 400 },
  rejected_identifier: { status: 400 },
  unsupported_contact: { status: 400 },
  unsupported_identifier: { status: 400 },
  acme_unauthorized: { status: 401 },
  external_account_required: { status: 401 },
  user_action_required: { status: 401 },
  acme_forbidden: { status: 403 },
  order_not_ready: { status: 403 },
  acme_disabled: { status: 404 },
  already_replaced: { status: 409 },
  rate_limited: { status: 429 },
  connection: { status: 500 },
  dns: { status: 500 },
  tls: { status: 500 },
  server_internal: { status: 500 },
} as const satisfies Record<string, Statuses>;

/** A code of the refusal table. */
export type Refusal = keyof typeof refusals;

/** The status of a code on a read or a write; `compat`: in the compat dialect. */
export function statusOfRefusal(code: Refusal, read: boolean, compat = false): number {
  const row: Statuses = refusals[code];
  return (compat ? row.compat : undefined) ?? (read ? row.read : undefined) ?? row.status;
}

/** What a refusal may say beside its text. */
interface RefusalOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
}

/** A refusal: the request was understood and is not granted. Its message is shown to the caller. */
export class CaError extends Error {
  override readonly name = "CaError";
  readonly code: Refusal;
  /** Of what is refused for now only: after how many seconds it is worth trying again. */
  readonly retryAfter: number;
  constructor(code: Refusal, detail: string, options: RefusalOptions = {}) {
    const { cause, retryAfter = 1 } = options;
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = retryAfter;
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
