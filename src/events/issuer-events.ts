/** The data of events about issuers, by type. */
export interface IssuerEvents {
  readonly "sealwright.issuer.expiring": {
    /** Path of the mount. */
    readonly mount: string;
    readonly issuer_id: string;
    /** Name of the issuer; "" if it has none. */
    readonly issuer_name: string;
    /** First common name of the subject; "" if it has none. */
    readonly common_name: string;
    /** Serial number as hexadecimal octets separated by colons. */
    readonly serial_number: string;
    /** RFC 3339. */
    readonly not_after: string;
    /** The threshold that was crossed: 30, 7 or 1 days before the issuer expires. */
    readonly days: number;
  };
  readonly "sealwright.crl.failed": {
    /** Path of the mount. */
    readonly mount: string;
    /** The CRL set of the issuer, followed by the shard if the CRLs are sharded. */
    readonly crl: string;
    /** The warning that `sys/health` shows. */
    readonly reason: string;
  };
}
