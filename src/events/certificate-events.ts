/** A certificate, as events describe it. */
export interface CertificateData {
  /** Path of the mount. */
  readonly mount: string;
  /** Hexadecimal octets, separated by colons. */
  readonly serial_number: string;
  /** ID of the issuer; "" if no issuer of the mount signed it. */
  readonly issuer_id: string;
  /** Name of the issuer; "" if it has none. */
  readonly issuer_name: string;
  /** Role it was issued under; "" without one, as for CA certificates. */
  readonly role: string;
  /** First common name of the subject, its first 256 characters; "" if it has none. */
  readonly common_name: string;
  /** DNS names, e-mail addresses, IP addresses and URIs, in this order: the first 32 KiB. */
  readonly names: readonly string[];
  /** Number of names left out of `names`; absent if there are none. */
  readonly names_omitted?: number;
  /** RFC 3339. */
  readonly not_before: string;
  /** RFC 3339. */
  readonly not_after: string;
}

/** Data of the events about certificates, by type. */
export interface CertificateEvents {
  readonly "sealwright.certificate.issued": CertificateData;
  readonly "sealwright.certificate.revoked": CertificateData & {
    /** Time of the revocation, RFC 3339. */
    readonly revoked_at: string;
    /** Reason by name (RFC 5280 section 5.3.1), such as `keyCompromise`; "" if none was given. */
    readonly reason: string;
  };
  readonly "sealwright.certificate.expiring": CertificateData & {
    /** The threshold that was crossed: 30, 7 or 1 days before the certificate expires. */
    readonly days: number;
  };
}
