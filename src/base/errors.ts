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
  unknown_key: { status: 400, read: 404, compat: 500 },
  bad_csr: { status: 400 },
  bad_key: { status: 400 },
  bad_certificate: { status: 400 },
  validity: { status: 400 },
  constraint: { status: 400 },
  is_issuer: { status: 400 },
  in_use: { status: 400 },
  unusable_issuer: { status: 400 },
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
  busy: { status: 503 },
  storage: { status: 503 },
} as const satisfies Record<string, Statuses>;

/** A code of the refusal table. */
export type Refusal = keyof typeof refusals;

/** The status of a code on a read or a write; `compat`: in the compat dialect. */
export function statusOfRefusal(code: Refusal, read: boolean, compat = false): number {
  const row: Statuses = refusals[code];
  return (compat ? row.compat : undefined) ?? (read ? row.read : undefined) ?? row.status;
}

/** A refusal: the request was understood and is not granted. Its message is shown to the caller. */
export class CaError extends Error {
  override readonly name = "CaError";
  readonly code: Refusal;
  /** Of what is refused for now only: after how many seconds it is worth trying again. */
  readonly retryAfter: number;
  constructor(code: Refusal, detail: string, options?: { cause?: unknown; retryAfter?: number }) {
    super(detail, options);
    this.code = code;
    this.retryAfter = options?.retryAfter ?? 1;
  }
}
