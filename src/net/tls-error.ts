/** Numbers of the alerts (RFC 8446 section 6). */
const alertNumbers = {
  close_notify: 0,
  unexpected_message: 10,
  bad_record_mac: 20,
  record_overflow: 22,
  handshake_failure: 40,
  bad_certificate: 42,
  unsupported_certificate: 43,
  certificate_revoked: 44,
  certificate_expired: 45,
  certificate_unknown: 46,
  illegal_parameter: 47,
  unknown_ca: 48,
  access_denied: 49,
  decode_error: 50,
  decrypt_error: 51,
  protocol_version: 70,
  insufficient_security: 71,
  internal_error: 80,
  inappropriate_fallback: 86,
  user_canceled: 90,
  no_renegotiation: 100,
  missing_extension: 109,
  unsupported_extension: 110,
  unrecognized_name: 112,
  bad_certificate_status_response: 113,
  unknown_psk_identity: 115,
  certificate_required: 116,
  no_application_protocol: 120,
} as const;

/** The name of an alert, such as `handshake_failure`. */
export type AlertName = keyof typeof alertNumbers;

const alertNames = new Map<number, string>(
  Object.entries(alertNumbers).map(([name, number]) => [number, name]),
);
/** Returns the number of an alert. */
export const alertNumber = (name: AlertName): number => alertNumbers[name];
/** Returns the name of an alert, or a string such as `alert 99` if the alert is unknown. */
export const alertName = (number: number): string => alertNames.get(number) ?? `alert ${number}`;

/**
 * The kinds of TLS errors:
 * - `alert`: the peer sent an alert;
 * - `protocol`: the peer violated the protocol or does not use TLS;
 * - `trust`: the peer's certificates are not trusted;
 * - `closed`: the connection is closed;
 * - `aborted`: the caller's signal aborted. Its reason is the cause of the error.
 */
type TlsFault = "alert" | "protocol" | "trust" | "closed" | "aborted";

/** An error of a TLS connection. The message contains no secrets. */
export class TlsError extends Error {
  readonly kind: TlsFault;
  /** Name of the alert that was received (for `alert` and `closed`) or sent. */
  readonly alert: string | undefined;

  constructor(
    kind: TlsFault,
    message: string,
    more: { readonly alert?: string; readonly cause?: unknown } = {},
  ) {
    super(message, "cause" in more ? { cause: more.cause } : undefined);
    this.name = "TlsError";
    this.kind = kind;
    this.alert = more.alert;
  }
}

/** Returns the error for a protocol violation by the peer. `alert` is the alert to send. */
export const violation = (alert: AlertName, why: string): TlsError =>
  new TlsError("protocol", `TLS: ${why}`, { alert });

/** Returns the error for untrusted certificates. `alert` is the alert to send. */
export const untrusted = (alert: AlertName, why: string): TlsError =>
  new TlsError("trust", `TLS: ${why}`, { alert });

/** Returns the number of the alert to send for an error, or undefined if no alert is to be sent. */
export function alertFor(error: unknown): number | undefined {
  if (!(error instanceof TlsError)) return alertNumbers.internal_error;
  if (error.kind !== "protocol" && error.kind !== "trust") return undefined;
  for (const [number, name] of alertNames) if (name === error.alert) return number;
  return alertNumbers.internal_error;
}
