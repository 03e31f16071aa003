/** The data that describes a certificate in an event. */
export interface CertificateData {
  /** Path of the mount. */
  readonly mount: string;
  /** Serial number as hexadecimal octets separated by colons. */
  readonly serial_number: string;
  /** ID of the issuer; "" if the certificate was not signed by an issuer of the mount. */
  readonly issuer_id: string;
  /** Name of the issuer; "" if it has none. */
  readonly issuer_name: string;
  /**
   * Role with which the certificate was issued; "" if there is none, for example for CA
   * certificates.
   */
  readonly role: string;
  /**
   * First 256 characters of the subject's first common name; "" if the subject has no common name.
   */
  readonly common_name: string;
  /** DNS names, email addresses, IP addresses and URIs, in this order, up to 32 KiB in total. */
  readonly names: readonly string[];
  /** Number of names that `names` does not contain. Absent if `names` is complete. */
  readonly names_omitted?: number;
  /** RFC 3339. */
  readonly not_before: string;
  /** RFC 3339. */
  readonly not_after: string;
}

/** The data of events about certificates, by type. */
export interface CertificateEvents {
  readonly "sealwright.certificate.issued": CertificateData;
  readonly "sealwright.certificate.revoked": CertificateData & {
    /** Time of the revocation (RFC 3339). */
    readonly revoked_at: string;
    /**
     * Name of the reason (RFC 5280 section 5.3.1), such as `keyCompromise`; "" if there is none.
     */
    readonly reason: string;
  };
  readonly "sealwright.certificate.expiring": CertificateData & {
    /** The threshold that was crossed: 30, 7 or 1 days before the certificate expires. */
    readonly days: number;
  };
}
