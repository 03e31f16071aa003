/**
 * Every refusal the authority can give: HTTP status, status in the compat dialect where it differs,
 * ACME problem type (RFC 8555 section 6.7). The one table that knows them; styles render it,
 * handlers only name a code.
 */
export const refusals = {
  malformed: [400, "malformed"],
  invalid_field: [400, "malformed"],
  already_exists: [400, "malformed"],
  name_not_allowed: [400, "rejectedIdentifier"],
  role_violation: [400, "rejectedIdentifier"],
  unknown_role: [400, "malformed"],
  bad_csr: [400, "badCSR"],
  bad_key: [400, "badPublicKey"],
  bad_certificate: [400, "malformed"],
  validity: [400, "malformed"],
  constraint: [400, "rejectedIdentifier"],
  is_issuer: [400, "malformed"],
  in_use: [400, "malformed"],
  unusable_issuer: [400, "serverInternal"],
  unknown_issuer: [400, "serverInternal", 500],
  unknown_issuer_read: [404, "serverInternal", 500],
  unknown_key: [400, "serverInternal", 500],
  unknown_key_read: [404, "serverInternal", 500],
  no_mount: [400, "malformed"],
  forbidden: [403, "unauthorized"],
  not_found: [404, "malformed"],
  not_found_write: [400, "malformed"],
  no_route: [404, "malformed"],
  unsupported_path: [404, "malformed"],
  unsupported_operation: [405, "malformed"],
  too_large: [413, "malformed"],
  unsupported_media: [415, "malformed"],
  header_too_large: [431, "malformed"],
  damaged: [500, "serverInternal"],
  busy: [503, "serverInternal"],
  storage: [503, "serverInternal"],
} as const satisfies Record<string, readonly [status: number, acme: string, compat?: number]>;

/** A code of the refusal table. */
export type Refusal = keyof typeof refusals;

/** A refusal: the request was understood and is not granted. Its message is shown to the caller. */
export class CaError extends Error {
  override readonly name = "CaError";
  readonly code: Refusal;
  /** Of `busy`: after how many seconds it is worth trying again. */
  readonly retryAfter: number;
  constructor(code: Refusal, detail: string, options?: { cause?: unknown; retryAfter?: number }) {
    super(detail, options);
    this.code = code;
    this.retryAfter = options?.retryAfter ?? 1;
  }
}
