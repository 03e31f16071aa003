// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, DerSource, Warned, Warnings, WithPrivateKey } from "./call.ts";
import type { Table } from "./table.ts";

/** An ACME account. */
export type AcmeAccountReply = {
  /** ID of the account: the last segment of its URL. */
  readonly key_id: string;
  /** `valid`, `deactivated` (by the client) or `revoked` (by tidy or an administrator). */
  readonly status: "valid" | "deactivated" | "revoked";
  /** Contact URLs that the client registered. */
  readonly contacts: readonly string[];
  /** When the account was created, RFC 3339. */
  readonly created_time: string;
  /** When the account was revoked or deactivated, RFC 3339; otherwise empty. */
  readonly revoked_time: string;
  /** The only directory in which the account exists, such as `roles/web/acme/`. */
  readonly directory: string;
  /** External account binding used at registration; empty if none. */
  readonly eab: {
    /** ID of the binding. */
    readonly eab_id?: string;
    /** Key type: always `hs`, an HMAC key. */
    readonly key_type?: string;
    /** Directory that accepts the binding. */
    readonly directory?: string;
    /** When the binding was created, RFC 3339. */
    readonly created_time?: string;
  };
};
/** The stored role. */
export type RoleReply = {
  /** Issuer that signs the certificates: `default`, an ID or a name. */
  readonly issuer_ref: string;
  /** Lifetime if the request specifies none; 0 means the mount's default. Seconds. */
  readonly ttl: number;
  /** Maximum lifetime; 0 means the mount's maximum. Seconds. */
  readonly max_ttl: number;
  /** Allow `localhost` and `localdomain`. */
  readonly allow_localhost: boolean;
  /** Domains to which `allow_bare_domains`, `allow_subdomains` and `allow_glob_domains` apply. */
  readonly allowed_domains: readonly string[];
  /** `allowed_domains` may contain identity templates. */
  readonly allowed_domains_template: boolean;
  /** Allow the domains in `allowed_domains` themselves. */
  readonly allow_bare_domains: boolean;
  /** Allow subdomains of `allowed_domains`, including wildcard names. */
  readonly allow_subdomains: boolean;
  /** Let `*` in `allowed_domains` match any text. */
  readonly allow_glob_domains: boolean;
  /** Allow any name. */
  readonly allow_any_name: boolean;
  /** Allow wildcard names that other rules allow. */
  readonly allow_wildcard_certificates: boolean;
  /** Allow only valid host names. */
  readonly enforce_hostnames: boolean;
  /** Allow IP addresses. */
  readonly allow_ip_sans: boolean;
  /** CIDR ranges in which IP addresses must be; if empty, any address is allowed. */
  readonly allowed_ip_sans_cidr: readonly string[];
  /** Allowed URIs; `*` matches any text. */
  readonly allowed_uri_sans: readonly string[];
  /** `allowed_uri_sans` may contain identity templates. */
  readonly allowed_uri_sans_template: boolean;
  /** Allow values that contain `*` to be filled into templates. */
  readonly allow_globs_in_identity_templates: boolean;
  /**
   * Allowed other names: `<oid>;UTF8:<value>`, where `*` in the value matches any text, or `*`
   * alone for all.
   */
  readonly allowed_other_sans: readonly string[];
  /**
   * Devices that may be attested with ACME: `permanent-identifier:<value>` or
   * `hardware-module:<value>`, where `*` in the value matches any text.
   */
  readonly allowed_device_identifiers: readonly string[];
  /** Allowed subject serial numbers; `*` matches any text. */
  readonly allowed_serial_numbers: readonly string[];
  /** Allowed user IDs; `*` matches any text. */
  readonly allowed_user_ids: readonly string[];
  /** Add the extended key usage for TLS servers. */
  readonly server_flag: boolean;
  /** Add the extended key usage for TLS clients. */
  readonly client_flag: boolean;
  /** Add the extended key usage for code signing. */
  readonly code_signing_flag: boolean;
  /** Add the extended key usage for email protection. */
  readonly email_protection_flag: boolean;
  /**
   * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`; or `any`, which allows only
   * signing CSRs.
   */
  readonly key_type: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87" | "any";
  /** Key size in bits, for CSRs the minimum; 0 means 2048 (rsa) or 256 (ec). */
  readonly key_bits: number;
  /** SHA-2 size for signatures by RSA issuers: 256, 384 or 512 bits; 0 means 256. */
  readonly signature_bits: 0 | 256 | 384 | 512;
  /** Use PSS instead of PKCS#1 v1.5 padding for signatures by RSA issuers. */
  readonly use_pss: boolean;
  /** Names of key usages; if empty, certificates have no key usage extension. */
  readonly key_usage: readonly string[];
  /** Names of additional extended key usages. */
  readonly ext_key_usage: readonly string[];
  /** OIDs of additional extended key usages. */
  readonly ext_key_usage_oids: readonly string[];
  /** When signing, take the common name from the CSR. */
  readonly use_csr_common_name: boolean;
  /** When signing, take alternative names from the CSR. */
  readonly use_csr_sans: boolean;
  /** Organizational units. */
  readonly ou: readonly string[];
  /** Organizations. */
  readonly organization: readonly string[];
  /** Countries, two letters each. */
  readonly country: readonly string[];
  /** Localities. */
  readonly locality: readonly string[];
  /** States or provinces. */
  readonly province: readonly string[];
  /** Street addresses. */
  readonly street_address: readonly string[];
  /** Postal codes. */
  readonly postal_code: readonly string[];
  /** Create a lease for each certificate. */
  readonly generate_lease: boolean;
  /** Do not store certificates after issuing them. */
  readonly no_store: boolean;
  /** Reject requests with metadata. */
  readonly no_store_metadata: boolean;
  /** Require a common name. */
  readonly require_cn: boolean;
  /**
   * Required format of the common name: `email`, `hostname` or both. `disabled` skips all checks of
   * the common name.
   */
  readonly cn_validations: readonly ("email" | "hostname" | "disabled")[];
  /** Certificate policies: OIDs, or JSON objects with `oid`, `cps` and `notice`. */
  readonly policy_identifiers: readonly string[];
  /** Add a basic constraints extension without CA rights to leaf certificates. */
  readonly basic_constraints_valid_for_non_ca: boolean;
  /** Time by which the start of validity is backdated. Seconds. */
  readonly not_before_duration: number;
  /** Fixed start of validity in RFC 3339 format. */
  readonly not_before: string;
  /** Fixed end of validity in RFC 3339 format. */
  readonly not_after: string;
  /**
   * Whether requests may set `not_before`: `permit`, `duration` (no earlier than
   * `not_before_duration` allows) or `forbid`.
   */
  readonly not_before_bound: "permit" | "duration" | "forbid";
  /**
   * Whether requests may set `not_after`: `permit`, `ttl-limited` (no later than `max_ttl` allows),
   * `forbid`, or the latest time allowed, in RFC 3339 format.
   */
  readonly not_after_bound: string;
  /**
   * Source of the subject's serial number attribute: `json-csr` (body or CSR) or `json` (body
   * only).
   */
  readonly serial_number_source: "json-csr" | "json";
};
/** A key of the mount. */
export type KeyReply = {
  /** ID of the key. */
  readonly key_id: string;
  /** Name of the key, or empty if it has none. */
  readonly key_name: string;
  /** `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. */
  readonly key_type: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87";
};
/** A new root certificate, its issuer and its key. */
export type RootReply = CertificateReply &
  PrivateKeyReply & {
    /** ID of the new issuer. */
    readonly issuer_id: string;
    /** Name of the new issuer, or empty if it has none. */
    readonly issuer_name: string;
    /** ID of the issuer's key. */
    readonly key_id: string;
    /** Name of the issuer's key, or empty if it has none. */
    readonly key_name: string;
  };
/** A new private key. */
export type PrivateKeyReply = {
  /** Private key, unless it is in an archive. It is not stored. */
  readonly private_key?: string;
  /** `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. */
  readonly private_key_type?: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87";
};
/** A new certificate and its chain. */
export type CertificateReply = {
  /** End of validity, Unix seconds. */
  readonly expiration: number;
  /** The certificate. */
  readonly certificate: string;
  /** Certificate of the issuer. */
  readonly issuing_ca: string;
  /** Certificates of the issuer and its parents. */
  readonly ca_chain?: readonly string[];
  /** Serial number: hexadecimal octets separated by colons. */
  readonly serial_number: string;
  /** Generated password of the archive. It is not stored. */
  readonly pkcs12_password?: string;
  /** Generated password of the archive. It is not stored. */
  readonly jks_password?: string;
};
/** Settings of a tidy run. */
export type TidySettingsReply = {
  /** Remove certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_store: boolean;
  /**
   * Remove revoked certificates that expired more than `revoked_safety_buffer` ago, with their CRL
   * entries.
   */
  readonly tidy_revoked_certs: boolean;
  /** Find a matching issuer for revoked certificates whose issuer is unknown or was deleted. */
  readonly tidy_revoked_cert_issuer_associations: boolean;
  /**
   * Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer.
   * Keeps their keys.
   */
  readonly tidy_expired_issuers: boolean;
  /** Accepted for compatibility; this server has no legacy CA bundle. */
  readonly tidy_move_legacy_ca_bundle: boolean;
  /** Remove queued revocation requests older than `revocation_queue_safety_buffer`. */
  readonly tidy_revocation_queue: boolean;
  /** Accepted for compatibility; there is only one cluster, which `tidy_revoked_certs` covers. */
  readonly tidy_cross_cluster_revoked_certs: boolean;
  /**
   * Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and
   * external account bindings that have been unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme: boolean;
  /** Remove the metadata of certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_metadata: boolean;
  /** Accepted for compatibility; this server has no CMP nonces. */
  readonly tidy_cmpv2_nonce_store: boolean;
  /** Remove stored certificates that are damaged or cannot be parsed. */
  readonly tidy_invalid_certs: boolean;
  /** Time after its expiry at which a certificate is removed. Seconds. */
  readonly safety_buffer: number;
  /** Time after its expiry at which an issuer is removed. Seconds. */
  readonly issuer_safety_buffer: number;
  /** Time for which an unused ACME account is kept. Seconds. */
  readonly acme_account_safety_buffer: number;
  /** Time for which a queued revocation request is kept. Seconds. */
  readonly revocation_queue_safety_buffer: number;
  /**
   * Time after its expiry at which a revoked certificate is removed; by default `safety_buffer`.
   * Seconds.
   */
  readonly revoked_safety_buffer: number;
  /** Pause between two steps of a run, such as `250ms` or `1m30s`. */
  readonly pause_duration: string;
  /** Number of entries per step, at least 5. Values above 500 count as 500. */
  readonly page_size: number;
};
/** Settings of a tidy run. */
export type TidySettingsFields = {
  /** Remove certificates that expired more than `safety_buffer` ago. Default: `false`. */
  readonly tidy_cert_store?: boolean | undefined;
  /**
   * Remove revoked certificates that expired more than `revoked_safety_buffer` ago, with their CRL
   * entries. Default: `false`.
   */
  readonly tidy_revoked_certs?: boolean | undefined;
  /**
   * Find a matching issuer for revoked certificates whose issuer is unknown or was deleted.
   * Default: `false`.
   */
  readonly tidy_revoked_cert_issuer_associations?: boolean | undefined;
  /**
   * Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer.
   * Keeps their keys. Default: `false`.
   */
  readonly tidy_expired_issuers?: boolean | undefined;
  /** Accepted for compatibility; this server has no legacy CA bundle. Default: `false`. */
  readonly tidy_move_legacy_ca_bundle?: boolean | undefined;
  /**
   * Remove queued revocation requests older than `revocation_queue_safety_buffer`. Default:
   * `false`.
   */
  readonly tidy_revocation_queue?: boolean | undefined;
  /**
   * Accepted for compatibility; there is only one cluster, which `tidy_revoked_certs` covers.
   * Default: `false`.
   */
  readonly tidy_cross_cluster_revoked_certs?: boolean | undefined;
  /**
   * Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and
   * external account bindings that have been unused for longer than `acme_account_safety_buffer`.
   * Default: `false`.
   */
  readonly tidy_acme?: boolean | undefined;
  /**
   * Remove the metadata of certificates that expired more than `safety_buffer` ago. Default:
   * `false`.
   */
  readonly tidy_cert_metadata?: boolean | undefined;
  /** Accepted for compatibility; this server has no CMP nonces. Default: `false`. */
  readonly tidy_cmpv2_nonce_store?: boolean | undefined;
  /** Remove stored certificates that are damaged or cannot be parsed. Default: `false`. */
  readonly tidy_invalid_certs?: boolean | undefined;
  /** Same as `tidy_revoked_certs`. */
  readonly tidy_revocation_list?: boolean | undefined;
  /**
   * Time after its expiry at which a certificate is removed. Seconds, or a duration such as `72h`.
   * Default: `259200`.
   */
  readonly safety_buffer?: number | string | undefined;
  /**
   * Time after its expiry at which an issuer is removed. Seconds, or a duration such as `72h`.
   * Default: `31536000`.
   */
  readonly issuer_safety_buffer?: number | string | undefined;
  /**
   * Time for which an unused ACME account is kept. Seconds, or a duration such as `72h`. Default:
   * `2592000`.
   */
  readonly acme_account_safety_buffer?: number | string | undefined;
  /**
   * Time for which a queued revocation request is kept. Seconds, or a duration such as `72h`.
   * Default: `172800`.
   */
  readonly revocation_queue_safety_buffer?: number | string | undefined;
  /**
   * Time after its expiry at which a revoked certificate is removed; by default `safety_buffer`.
   * Seconds, or a duration such as `72h`.
   */
  readonly revoked_safety_buffer?: number | string | undefined;
  /** Pause between two steps of a run, such as `250ms` or `1m30s`. Default: `"0s"`. */
  readonly pause_duration?: string | undefined;
  /** Number of entries per step, at least 5. Values above 500 count as 500. Default: `1000`. */
  readonly page_size?: number | undefined;
};
/** Paging of a listing. */
export type PageFields = {
  /** Return only entries after this key, which need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of entries to return; 0 means all. Default: `0`. */
  readonly limit?: number | undefined;
};
/** Conditions of a certificate search. */
export type SearchFields = {
  /**
   * Prefix of the indexed name, which is the first DNS name (in ASCII form), email address, IP
   * address or URI among the alternative names, in this order of preference, or else the common
   * name, or else another name. ASCII letters match in any case. Only the first 253 octets are
   * indexed. To search all names, use `san`.
   */
  readonly name?: string | undefined;
  /** Issuer of the certificates: an ID, a name, or `default`. */
  readonly issuer?: string | undefined;
  /** Name of the role under which the certificates were issued. */
  readonly role?: string | undefined;
  /** Earliest end of validity, Unix seconds. */
  readonly not_after_from?: number | undefined;
  /** Latest end of validity, Unix seconds. */
  readonly not_after_to?: number | undefined;
  /**
   * Earliest start of validity, Unix seconds. Validity usually starts at the time of issuance minus
   * the role's `not_before_duration`.
   */
  readonly not_before_from?: number | undefined;
  /** Latest start of validity, Unix seconds. */
  readonly not_before_to?: number | undefined;
  /** State of the certificates: `valid`, `expired` or `revoked`. */
  readonly state?: "" | "valid" | "expired" | "revoked" | undefined;
  /** `acme` for certificates issued with ACME, `api` for all others. */
  readonly source?: "" | "acme" | "api" | undefined;
  /** ID of the ACME account to which the certificates were issued. */
  readonly acme_account?: string | undefined;
  /** Substring of any of the certificate's names. ASCII letters match in any case. */
  readonly san?: string | undefined;
  /**
   * SHA-256 fingerprint of the certificate or of its SubjectPublicKeyInfo: 64 hexadecimal digits,
   * with or without colons.
   */
  readonly fingerprint?: string | undefined;
};
/** Fields of a role. */
export type RoleFields = NotBeforeField &
  SubjectFields & {
    /** Issuer that signs the certificates: `default`, an ID or a name. Default: `"default"`. */
    readonly issuer_ref?: string | undefined;
    /**
     * Lifetime if the request specifies none; 0 means the mount's default. Seconds, or a duration
     * such as `72h`. Default: `"0s"`.
     */
    readonly ttl?: number | string | undefined;
    /**
     * Maximum lifetime; 0 means the mount's maximum. Seconds, or a duration such as `72h`. Default:
     * `"0s"`.
     */
    readonly max_ttl?: number | string | undefined;
    /** Allow `localhost` and `localdomain`. Default: `true`. */
    readonly allow_localhost?: boolean | undefined;
    /** Domains to which `allow_bare_domains`, `allow_subdomains` and `allow_glob_domains` apply. */
    readonly allowed_domains?: string | readonly string[] | undefined;
    /** `allowed_domains` may contain identity templates. Default: `false`. */
    readonly allowed_domains_template?: boolean | undefined;
    /** Allow the domains in `allowed_domains` themselves. Default: `false`. */
    readonly allow_bare_domains?: boolean | undefined;
    /** Allow subdomains of `allowed_domains`, including wildcard names. Default: `false`. */
    readonly allow_subdomains?: boolean | undefined;
    /** Let `*` in `allowed_domains` match any text. Default: `false`. */
    readonly allow_glob_domains?: boolean | undefined;
    /** Allow any name. Default: `false`. */
    readonly allow_any_name?: boolean | undefined;
    /** Allow wildcard names that other rules allow. Default: `true`. */
    readonly allow_wildcard_certificates?: boolean | undefined;
    /** Allow only valid host names. Default: `true`. */
    readonly enforce_hostnames?: boolean | undefined;
    /** Allow IP addresses. Default: `true`. */
    readonly allow_ip_sans?: boolean | undefined;
    /** CIDR ranges in which IP addresses must be; if empty, any address is allowed. */
    readonly allowed_ip_sans_cidr?: string | readonly string[] | undefined;
    /** Allowed URIs; `*` matches any text. */
    readonly allowed_uri_sans?: string | readonly string[] | undefined;
    /** `allowed_uri_sans` may contain identity templates. Default: `false`. */
    readonly allowed_uri_sans_template?: boolean | undefined;
    /** Allow values that contain `*` to be filled into templates. Default: `false`. */
    readonly allow_globs_in_identity_templates?: boolean | undefined;
    /**
     * Allowed other names: `<oid>;UTF8:<value>`, where `*` in the value matches any text, or `*`
     * alone for all.
     */
    readonly allowed_other_sans?: string | readonly string[] | undefined;
    /**
     * Devices that may be attested with ACME: `permanent-identifier:<value>` or
     * `hardware-module:<value>`, where `*` in the value matches any text.
     */
    readonly allowed_device_identifiers?: string | readonly string[] | undefined;
    /** Allowed subject serial numbers; `*` matches any text. */
    readonly allowed_serial_numbers?: string | readonly string[] | undefined;
    /** Allowed user IDs; `*` matches any text. */
    readonly allowed_user_ids?: string | readonly string[] | undefined;
    /** Add the extended key usage for TLS servers. Default: `true`. */
    readonly server_flag?: boolean | undefined;
    /** Add the extended key usage for TLS clients. Default: `true`. */
    readonly client_flag?: boolean | undefined;
    /** Add the extended key usage for code signing. Default: `false`. */
    readonly code_signing_flag?: boolean | undefined;
    /** Add the extended key usage for email protection. Default: `false`. */
    readonly email_protection_flag?: boolean | undefined;
    /**
     * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`; or `any`, which allows only
     * signing CSRs. Default: `"rsa"`.
     */
    readonly key_type?:
      | "rsa"
      | "ec"
      | "ed25519"
      | "ml-dsa-44"
      | "ml-dsa-65"
      | "ml-dsa-87"
      | "any"
      | undefined;
    /** Key size in bits, for CSRs the minimum; 0 means 2048 (rsa) or 256 (ec). Default: `0`. */
    readonly key_bits?: number | undefined;
    /** SHA-2 size for signatures by RSA issuers: 256, 384 or 512 bits; 0 means 256. Default: `0`. */
    readonly signature_bits?: 0 | 256 | 384 | 512 | undefined;
    /** Use PSS instead of PKCS#1 v1.5 padding for signatures by RSA issuers. Default: `false`. */
    readonly use_pss?: boolean | undefined;
    /**
     * Names of key usages; if empty, certificates have no key usage extension. Default:
     * `["DigitalSignature","KeyAgreement","KeyEncipherment"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Names of additional extended key usages. */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** OIDs of additional extended key usages. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /** When signing, take the common name from the CSR. Default: `true`. */
    readonly use_csr_common_name?: boolean | undefined;
    /** When signing, take alternative names from the CSR. Default: `true`. */
    readonly use_csr_sans?: boolean | undefined;
    /** Create a lease for each certificate. Default: `false`. */
    readonly generate_lease?: boolean | undefined;
    /** Do not store certificates after issuing them. Default: `false`. */
    readonly no_store?: boolean | undefined;
    /** Reject requests with metadata. Default: `false`. */
    readonly no_store_metadata?: boolean | undefined;
    /** Require a common name. Default: `true`. */
    readonly require_cn?: boolean | undefined;
    /**
     * Required format of the common name: `email`, `hostname` or both. `disabled` skips all checks of
     * the common name. Default: `["email","hostname"]`.
     */
    readonly cn_validations?:
      | "email"
      | "hostname"
      | "disabled"
      | readonly ("email" | "hostname" | "disabled")[]
      | undefined;
    /** Certificate policies: OIDs, or JSON objects with `oid`, `cps` and `notice`. */
    readonly policy_identifiers?: string | readonly string[] | undefined;
    /** Add a basic constraints extension without CA rights to leaf certificates. Default: `false`. */
    readonly basic_constraints_valid_for_non_ca?: boolean | undefined;
    /** Fixed start of validity in RFC 3339 format. */
    readonly not_before?: string | undefined;
    /** Fixed end of validity in RFC 3339 format. */
    readonly not_after?: string | undefined;
    /**
     * Whether requests may set `not_before`: `permit`, `duration` (no earlier than
     * `not_before_duration` allows) or `forbid`. Default: `"permit"`.
     */
    readonly not_before_bound?: "permit" | "duration" | "forbid" | undefined;
    /**
     * Whether requests may set `not_after`: `permit`, `ttl-limited` (no later than `max_ttl` allows),
     * `forbid`, or the latest time allowed, in RFC 3339 format. Default: `"permit"`.
     */
    readonly not_after_bound?: string | undefined;
    /**
     * Source of the subject's serial number attribute: `json-csr` (body or CSR) or `json` (body
     * only). Default: `"json-csr"`.
     */
    readonly serial_number_source?: "json-csr" | "json" | undefined;
  };
/** Fields of requests that sign a CA certificate. */
export type IntermediateFields = LifetimeFields &
  NotBeforeField &
  CertificateFormatFields &
  KeyFormatField &
  SubjectFields &
  SignatureFields &
  ConstraintFields & {
    /** Certificate signing request (CSR), PEM. */
    readonly csr: string | DerSource;
    /**
     * Common name of the subject. Also added to the alternative names if it is a host name or email
     * address.
     */
    readonly common_name?: string | undefined;
    /**
     * Additional host names or email addresses, separated by commas. `2.5.4.5;UTF8:<value>` adds a
     * serial number to the subject.
     */
    readonly alt_names?: string | readonly string[] | undefined;
    /** IP addresses. */
    readonly ip_sans?: string | readonly string[] | undefined;
    /** URIs. */
    readonly uri_sans?: string | readonly string[] | undefined;
    /** Other names, each in the form `<oid>;UTF8:<value>`. */
    readonly other_sans?: string | readonly string[] | undefined;
    /** Do not add the common name to the alternative names. Default: `false`. */
    readonly exclude_cn_from_sans?: boolean | undefined;
    /** Serial number attribute of the subject. The certificate's own serial number is random. */
    readonly serial_number?: string | undefined;
    /**
     * Maximum number of CAs between this one and a leaf certificate. -1 means one less than the
     * signer allows, or unlimited if the signer has no limit. Default: `-1`.
     */
    readonly max_path_length?: number | undefined;
    /** Use the subject, names, key usages and extensions from the CSR. Default: `false`. */
    readonly use_csr_values?: boolean | undefined;
    /**
     * Key usages. CertSign and CRLSign are always included; only DigitalSignature can be added.
     * Default: `["CertSign","CRLSign"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Issuer to sign with, if the URL path does not name one. */
    readonly issuer_ref?: string | undefined;
    /**
     * Subject key identifier, hexadecimal, for example to match an existing certificate when
     * cross-signing.
     */
    readonly skid?: string | undefined;
    /**
     * Apply the issuer's `leaf_not_after_behavior` instead of truncating the validity to that of the
     * issuer. Default: `false`.
     */
    readonly enforce_leaf_not_after_behavior?: boolean | undefined;
    /**
     * Also import the certificate as an issuer of this mount, in the same change. The mount must have
     * its key. Default: `false`.
     */
    readonly set_signed?: boolean | undefined;
    /** Name of the new issuer, with `set_signed`. */
    readonly issuer_name?: string | undefined;
  };
/** Fields of requests for a root certificate. */
export type RootFields = NameFields &
  LifetimeFields &
  NotBeforeField &
  CertificateFormatFields &
  KeyAliasField &
  KeyFormatField &
  SubjectFields &
  KeyFields &
  SignatureFields &
  ConstraintFields & {
    /** Name of the new issuer. */
    readonly issuer_name?: string | undefined;
    /**
     * Maximum number of CAs between this one and a leaf certificate; -1 means unlimited. Default:
     * `-1`.
     */
    readonly max_path_length?: number | undefined;
    /**
     * Names of the extended key usages; if empty and without OIDs, the use of the CA is unrestricted.
     */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** OIDs of additional extended key usages. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /**
     * Key usages. CertSign and CRLSign are always included; only DigitalSignature can be added.
     * Default: `["CertSign","CRLSign"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
  };
/** Fields of requests that sign a CSR as it is. */
export type VerbatimFields = LifetimeFields &
  CertificateFormatFields &
  MetadataFields &
  SignatureFields & {
    /** Certificate signing request (CSR), PEM. */
    readonly csr: string | DerSource;
    /**
     * Names of the key usages if the CSR requests none; if empty, the certificate has no key usage
     * extension. Default: `["DigitalSignature","KeyAgreement","KeyEncipherment"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Names of the extended key usages if the CSR requests none. */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** OIDs of the extended key usages if the CSR requests none. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /** Ignored: the issuer's `leaf_not_after_behavior` applies. Default: `false`. */
    readonly enforce_leaf_not_after_behavior?: boolean | undefined;
    /** Omit self-signed certificates from `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    /** Ignored: the subject comes from the CSR. */
    readonly common_name?: string | undefined;
    /** Ignored: the names come from the CSR. */
    readonly alt_names?: string | readonly string[] | undefined;
    /** Ignored: the names come from the CSR. */
    readonly ip_sans?: string | readonly string[] | undefined;
    /** Ignored: the names come from the CSR. */
    readonly uri_sans?: string | readonly string[] | undefined;
    /** Ignored: the names come from the CSR. */
    readonly other_sans?: string | readonly string[] | undefined;
    /** Ignored: the subject comes from the CSR. */
    readonly serial_number?: string | undefined;
    /** Ignored: the subject comes from the CSR. */
    readonly user_ids?: string | readonly string[] | undefined;
    /** Issuer to sign with, if neither the URL path nor a role names one. */
    readonly issuer_ref?: string | undefined;
  };
/** Fields of requests that sign a CSR by a role. */
export type SignFields = LeafFields & {
  /** Certificate signing request (CSR), PEM. */
  readonly csr: string | DerSource;
};
/** Fields of requests for a leaf certificate and its key. */
export type IssueFields = KeyAliasField & LeafFields;
/** Fields of requests for leaf certificates. */
export type LeafFields = NameFields &
  LifetimeFields &
  CertificateFormatFields &
  KeyFormatField &
  MetadataFields & {
    /** User IDs in the subject. */
    readonly user_ids?: string | readonly string[] | undefined;
    /** Omit self-signed certificates from `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
  };
/** A key in an external key service. */
export type ManagedKeyFields = {
  /** Name of the managed key; an alternative to `managed_key_id`. */
  readonly managed_key_name?: string | undefined;
  /** UUID of the managed key; an alternative to `managed_key_name`. */
  readonly managed_key_id?: string | undefined;
};
/** Name constraints of a CA certificate. */
export type ConstraintFields = {
  /** DNS domains permitted in certificates below this CA. */
  readonly permitted_dns_domains?: string | readonly string[] | undefined;
  /** DNS domains excluded from certificates below this CA. */
  readonly excluded_dns_domains?: string | readonly string[] | undefined;
  /** IP ranges (CIDR) permitted in certificates below this CA. */
  readonly permitted_ip_ranges?: string | readonly string[] | undefined;
  /** IP ranges (CIDR) excluded from certificates below this CA. */
  readonly excluded_ip_ranges?: string | readonly string[] | undefined;
  /** Email addresses, hosts or domains permitted in certificates below this CA. */
  readonly permitted_email_addresses?: string | readonly string[] | undefined;
  /** Email addresses, hosts or domains excluded from certificates below this CA. */
  readonly excluded_email_addresses?: string | readonly string[] | undefined;
  /** URI hosts or domains permitted in certificates below this CA. */
  readonly permitted_uri_domains?: string | readonly string[] | undefined;
  /** URI hosts or domains excluded from certificates below this CA. */
  readonly excluded_uri_domains?: string | readonly string[] | undefined;
};
/** RSA signature algorithm. */
export type SignatureFields = {
  /**
   * SHA-2 size for RSA signatures: 256, 384 or 512 bits; 0 means 256. Ignored for other keys, whose
   * hash is fixed. Default: `0`.
   */
  readonly signature_bits?: 0 | 256 | 384 | 512 | undefined;
  /** Use PSS instead of PKCS#1 v1.5 padding for RSA signatures. Default: `false`. */
  readonly use_pss?: boolean | undefined;
};
/** Name, type and size of a new key. */
export type KeyFields = {
  /** Name of the new key. */
  readonly key_name?: string | undefined;
  /** `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. Default: `"rsa"`. */
  readonly key_type?:
    | "rsa"
    | "ec"
    | "ed25519"
    | "ml-dsa-44"
    | "ml-dsa-65"
    | "ml-dsa-87"
    | undefined;
  /** Key size in bits; 0 means 2048 (rsa) or 256 (ec). Default: `0`. */
  readonly key_bits?: number | undefined;
};
/** Subject attributes besides the common name. */
export type SubjectFields = {
  /** Organizational units. */
  readonly ou?: string | readonly string[] | undefined;
  /** Organizations. */
  readonly organization?: string | readonly string[] | undefined;
  /** Countries, two letters each. */
  readonly country?: string | readonly string[] | undefined;
  /** Localities. */
  readonly locality?: string | readonly string[] | undefined;
  /** States or provinces. */
  readonly province?: string | readonly string[] | undefined;
  /** Street addresses. */
  readonly street_address?: string | readonly string[] | undefined;
  /** Postal codes. */
  readonly postal_code?: string | readonly string[] | undefined;
};
/** Metadata stored with a certificate. */
export type MetadataFields = {
  /** Metadata to store with the certificate: base64 or empty. */
  readonly metadata?: string | undefined;
  /** Same as `metadata`. */
  readonly cert_metadata?: string | undefined;
};
/** Encoding of a private key in a reply. */
export type KeyFormatField = {
  /**
   * Encoding of the private key: `der` (traditional) or `pkcs8`. The library, called in process,
   * defaults to `pkcs8`. Default: `"der"`.
   */
  readonly private_key_format?: "der" | "pkcs8" | undefined;
};
/** Alias of the key in a Java keystore. */
export type KeyAliasField = {
  /** Alias of the key in `jks_bundle`, lowercase. Default: `"1"`. */
  readonly jks_private_key_alias?: string | undefined;
};
/** Encoding of a certificate in a reply. */
export type CertificateFormatFields = {
  /**
   * Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. With `pkcs12_bundle` or
   * `jks_bundle`, `certificate` is a base64 archive that also contains the key if one is generated.
   * Default: `"pem"`.
   */
  readonly format?: "pem" | "der" | "pem_bundle" | "pkcs12_bundle" | "jks_bundle" | undefined;
  /**
   * Encryption of `pkcs12_bundle`: `modern2026` (with PBMAC1), or `modern2023` for older software.
   * Both use AES-256. Default: `"modern2026"`.
   */
  readonly pkcs12_encoder?: "modern2026" | "modern2023" | undefined;
  /** Password for `pkcs12_bundle`. If absent, one is generated and returned. */
  readonly pkcs12_password?: string | undefined;
  /**
   * Password for `jks_bundle`, at least six characters. If absent, a strong one is generated and
   * returned. Choose a strong password: the format protects weak ones poorly.
   */
  readonly jks_password?: string | undefined;
};
/** Backdating of the validity. */
export type NotBeforeField = {
  /**
   * Time by which the start of validity is backdated. Seconds, or a duration such as `72h`.
   * Default: `"30s"`.
   */
  readonly not_before_duration?: number | string | undefined;
};
/** Validity of a certificate. */
export type LifetimeFields = {
  /** Lifetime, up to the maximum of the role or mount. Seconds, or a duration such as `72h`. */
  readonly ttl?: number | string | undefined;
  /**
   * Start of validity in RFC 3339 format, if the role permits it. If absent, validity starts
   * slightly in the past.
   */
  readonly not_before?: string | undefined;
  /** End of validity, used instead of `ttl`: `YYYY-MM-ddTHH:MM:SSZ`, up to 9999-12-31T23:59:59Z. */
  readonly not_after?: string | undefined;
};
/** Common name and subject alternative names of a certificate. */
export type NameFields = {
  /**
   * Common name of the subject. Also added to the alternative names if it is a host name or email
   * address.
   */
  readonly common_name?: string | undefined;
  /**
   * Additional host names or email addresses, separated by commas. If the role rejects one, the
   * whole request fails.
   */
  readonly alt_names?: string | readonly string[] | undefined;
  /** IP addresses. */
  readonly ip_sans?: string | readonly string[] | undefined;
  /** URIs. */
  readonly uri_sans?: string | readonly string[] | undefined;
  /** Other names, each in the form `<oid>;UTF8:<value>`. */
  readonly other_sans?: string | readonly string[] | undefined;
  /** Do not add the common name to the alternative names. Default: `false`. */
  readonly exclude_cn_from_sans?: boolean | undefined;
  /** Serial number attribute of the subject. The certificate's own serial number is random. */
  readonly serial_number?: string | undefined;
};

export type IssueInput = IssueFields & {
  /** Name of the role. */
  readonly role: string;
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref?: string | undefined;
};
export type IssueReply = CertificateReply & PrivateKeyReply & Warnings;
export type SignInput = SignFields & {
  /** Name of the role. */
  readonly role: string;
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref?: string | undefined;
};
export type SignReply = CertificateReply & Warnings;
export type SignVerbatimInput = VerbatimFields & {
  /** Name of the role. */
  readonly role?: string | undefined;
  /** Issuer: a name, an ID, or `default`. */
  readonly path_ref?: string | undefined;
};
export type SignVerbatimReply = {
  /** End of validity, Unix seconds; only in replies to requests with a Vault header. */
  readonly expiration?: number;
  /** The certificate. */
  readonly certificate: string;
  /** Certificate of the issuer. */
  readonly issuing_ca: string;
  /** Certificates of the issuer and its parents. */
  readonly ca_chain?: readonly string[];
  /** Serial number: hexadecimal octets separated by colons. */
  readonly serial_number: string;
  /** Generated password of the archive. It is not stored. */
  readonly pkcs12_password?: string;
  /** Generated password of the archive. It is not stored. */
  readonly jks_password?: string;
} & Warnings;
export type ReadCaPemInput = {};
export type ReadCaPemReply = string | undefined;
export type ReadCaInput = ReadCaPemInput;
export type ReadCaReply = Uint8Array | undefined;
export type ReadCaChainInput = ReadCaPemInput;
export type ReadCaChainReply = ReadCaPemReply;
export type ReadCaCertInput = ReadCaPemInput;
export type ReadCaCertReply = {
  /** Certificates or CRL, PEM. */
  readonly certificate: string;
  /** Always 0. */
  readonly revocation_time: number;
  /** Always empty. */
  readonly revocation_time_rfc3339: string;
} & Warnings;
export type ReadChainCertInput = ReadCaPemInput;
export type ReadChainCertReply = {
  /** Certificates or CRL, PEM. */
  readonly certificate: string;
  /** Always 0. */
  readonly revocation_time: number;
  /** Always empty. */
  readonly revocation_time_rfc3339: string;
  /** The same value as `certificate`. */
  readonly ca_chain: string;
} & Warnings;
export type ReadCrlInput = ReadCaPemInput;
export type ReadCrlReply = ReadCaReply;
export type ReadCrlPemInput = ReadCaPemInput;
export type ReadCrlPemReply = ReadCaPemReply;
export type ReadCrlCertInput = ReadCaPemInput;
export type ReadCrlCertReply = ReadCaCertReply;
export type ReadDeltaCrlInput = ReadCaPemInput;
export type ReadDeltaCrlReply = ReadCaReply;
export type ReadDeltaCrlPemInput = ReadCaPemInput;
export type ReadDeltaCrlPemReply = ReadCaPemReply;
export type ReadDeltaCrlCertInput = ReadCaPemInput;
export type ReadDeltaCrlCertReply = ReadCaCertReply;
export type ReadUnifiedCrlInput = ReadCaPemInput;
export type ReadUnifiedCrlReply = ReadCaReply;
export type ReadUnifiedCrlPemInput = ReadCaPemInput;
export type ReadUnifiedCrlPemReply = ReadCaPemReply;
export type ReadUnifiedCrlCertInput = ReadCaPemInput;
export type ReadUnifiedCrlCertReply = ReadCaCertReply;
export type ReadUnifiedDeltaCrlInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlReply = ReadCaReply;
export type ReadUnifiedDeltaCrlPemInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlPemReply = ReadCaPemReply;
export type ReadUnifiedDeltaCrlCertInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlCertReply = ReadCaCertReply;
export type ReadShardCrlInput = {
  /**
   * CRL shard: the number of shards, a hyphen, and the shard number, as in the URL in the
   * certificate.
   */
  readonly shard: string;
};
export type ReadShardCrlReply = ReadCaReply;
export type ReadShardCrlPemInput = ReadShardCrlInput;
export type ReadShardCrlPemReply = ReadCaPemReply;
export type ReadShardDeltaInput = ReadShardCrlInput;
export type ReadShardDeltaReply = ReadCaReply;
export type ReadShardDeltaPemInput = ReadShardCrlInput;
export type ReadShardDeltaPemReply = ReadCaPemReply;
export type ReadCertInput = {
  /** Serial number: hexadecimal octets, with colons, with hyphens or without separators. */
  readonly serial: string;
};
export type ReadCertReply = {
  /** Certificate, PEM. */
  readonly certificate: string;
  /** Time of revocation, Unix seconds; 0 if not revoked. */
  readonly revocation_time: number;
  /** Time of revocation, RFC 3339; empty if not revoked. */
  readonly revocation_time_rfc3339: string;
  /** ID of the issuer, if the certificate is revoked. */
  readonly issuer_id?: string;
  /** Authority key identifier of the certificate, hexadecimal with colons. */
  readonly authority_key_id?: string;
  /**
   * Index of the certificate's entry in the mount's log, if the log is enabled and the caller may
   * read it.
   */
  readonly log_index?: number;
  /** The log entry: DER, base64. */
  readonly log_entry?: string;
  /** Inclusion proof of the log entry, with the checkpoint (C2SP tlog-proof). */
  readonly log_proof?: string;
} & Warnings;
export type ReadCertRawInput = ReadCertInput;
export type ReadCertRawReply = ReadCaReply;
export type ReadCertPemInput = ReadCertInput;
export type ReadCertPemReply = ReadCaPemReply;
export type ListCertsInput = PageFields;
export type ListCertsReply = {
  /** Sorted serial numbers, hexadecimal octets separated by colons. */
  readonly keys: readonly string[];
} & Warnings;
export type ListRevokedInput = ListCertsInput;
export type ListRevokedReply = ListCertsReply;
export type ReadIssuerJsonInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
};
export type ReadIssuerJsonReply = {
  /** CA certificate, PEM. */
  readonly certificate: string;
  /** The chain, PEM: the CA certificate, followed by its issuers. */
  readonly ca_chain: readonly string[];
  /** ID of the issuer. */
  readonly issuer_id: string;
  /** Name of the issuer, or empty if it has none. */
  readonly issuer_name: string;
} & Warnings;
export type ReadIssuerPemInput = ReadIssuerJsonInput;
export type ReadIssuerPemReply = ReadCaPemReply;
export type ReadIssuerDerInput = ReadIssuerJsonInput;
export type ReadIssuerDerReply = ReadCaReply;
export type ReadIssuerCrlInput = ReadIssuerJsonInput;
export type ReadIssuerCrlReply = {
  /** CRL, PEM; empty if there is none. */
  readonly crl: string;
} & Warnings;
export type ReadIssuerCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerCrlDerReply = ReadCaReply;
export type ReadIssuerCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerCrlPemReply = ReadCaPemReply;
export type ReadIssuerDeltaCrlInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlReply = ReadIssuerCrlReply;
export type ReadIssuerDeltaCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlDerReply = ReadCaReply;
export type ReadIssuerDeltaCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlPemReply = ReadCaPemReply;
export type ReadIssuerUnifiedCrlInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlReply = ReadIssuerCrlReply;
export type ReadIssuerUnifiedCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlDerReply = ReadCaReply;
export type ReadIssuerUnifiedCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlPemReply = ReadCaPemReply;
export type ReadIssuerUnifiedDeltaCrlInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlReply = ReadIssuerCrlReply;
export type ReadIssuerUnifiedDeltaCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlDerReply = ReadCaReply;
export type ReadIssuerUnifiedDeltaCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlPemReply = ReadCaPemReply;
export type ReadIssuerShardCrlInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
  /**
   * CRL shard: the number of shards, a hyphen, and the shard number, as in the URL in the
   * certificate.
   */
  readonly shard: string;
};
export type ReadIssuerShardCrlReply = ReadCaReply;
export type ReadIssuerShardCrlPemInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardCrlPemReply = ReadCaPemReply;
export type ReadIssuerShardDeltaInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardDeltaReply = ReadCaReply;
export type ReadIssuerShardDeltaPemInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardDeltaPemReply = ReadCaPemReply;
export type AskOcspInput = {
  /** OCSP request, DER. */
  readonly request: Uint8Array;
};
export type AskOcspReply = Uint8Array;
export type ReadOcspInput = {
  /** OCSP request: DER, base64, optionally percent-encoded. */
  readonly request: string;
};
export type ReadOcspReply = AskOcspReply;
export type AskUnifiedOcspInput = AskOcspInput;
export type AskUnifiedOcspReply = AskOcspReply;
export type ReadUnifiedOcspInput = ReadOcspInput;
export type ReadUnifiedOcspReply = AskOcspReply;
export type RevokeInput = {
  /**
   * Reason for the revocation: the name of a CRLReason (RFC 5280 section 5.3.1), such as
   * keyCompromise.
   */
  readonly reason?:
    | "unspecified"
    | "keyCompromise"
    | "cACompromise"
    | "affiliationChanged"
    | "superseded"
    | "cessationOfOperation"
    | "privilegeWithdrawn"
    | "aACompromise"
    | undefined;
} & (
  | {
      /** Serial number of the certificate: hexadecimal octets, separated by colons or hyphens. */
      readonly serial_number: string;
      readonly certificate?: undefined;
    }
  | {
      readonly serial_number?: undefined;
      /** The certificate itself, PEM. It must be signed by an issuer of this mount. */
      readonly certificate: string | DerSource | readonly (string | DerSource)[];
    }
);
export type RevokeReply = {
  /** Time of revocation, Unix seconds; absent while pending. */
  readonly revocation_time?: number;
  /** Time of revocation, RFC 3339; absent while pending. */
  readonly revocation_time_rfc3339?: string;
  /**
   * `revoked`, or `pending` if the certificate is not stored here and cross_cluster_revocation is
   * enabled.
   */
  readonly state: "revoked" | "pending";
} & Warnings;
export type RevokeWithKeyInput = {
  /**
   * Reason for the revocation: the name of a CRLReason (RFC 5280 section 5.3.1), such as
   * keyCompromise.
   */
  readonly reason?:
    | "unspecified"
    | "keyCompromise"
    | "cACompromise"
    | "affiliationChanged"
    | "superseded"
    | "cessationOfOperation"
    | "privilegeWithdrawn"
    | "aACompromise"
    | undefined;
  /** Private key of the certificate, unencrypted PEM: PKCS#8, PKCS#1 or SEC1. */
  readonly private_key: string;
} & (
  | {
      /** Serial number of the certificate: hexadecimal octets, separated by colons or hyphens. */
      readonly serial_number: string;
      readonly certificate?: undefined;
    }
  | {
      readonly serial_number?: undefined;
      /** The certificate itself, PEM. It must be signed by an issuer of this mount. */
      readonly certificate: string | DerSource | readonly (string | DerSource)[];
    }
);
export type RevokeWithKeyReply = RevokeReply;
export type RevokeIssuerInput = ReadIssuerJsonInput;
export type RevokeIssuerReply = {
  /** ID of the issuer. */
  readonly issuer_id: string;
  /** Name of the issuer, or empty if it has none. */
  readonly issuer_name: string;
  /** ID of the issuer's key, or empty if the mount does not have it. */
  readonly key_id: string;
  /** CA certificate, PEM. */
  readonly certificate: string;
  /** The chain, PEM: the CA certificate, followed by its issuers. */
  readonly ca_chain: readonly string[];
  /** Start of validity, RFC 3339. */
  readonly not_before: string;
  /** End of validity, RFC 3339. */
  readonly not_after: string;
  /** IDs of the issuers in the manual chain, or null if the chain is built automatically. */
  readonly manual_chain: readonly string[] | null;
  /**
   * Handling of requests for certificates that would outlive the issuer: `err`, `truncate`,
   * `permit` or `always_enforce_err`.
   */
  readonly leaf_not_after_behavior: "err" | "truncate" | "permit" | "always_enforce_err";
  /** Allowed usages, separated by commas. */
  readonly usage: string;
  /** Signature algorithm for CRLs and OCSP responses; if empty, the default for the key. */
  readonly revocation_signature_algorithm: string;
  /** Whether the issuer is revoked. */
  readonly revoked: boolean;
  /** URLs of the issuer's certificate, overriding those of the mount. */
  readonly issuing_certificates: readonly string[];
  /** URLs of the issuer's CRL, overriding those of the mount. */
  readonly crl_distribution_points: readonly string[];
  /** URLs of the issuer's delta CRL, overriding those of the mount. */
  readonly delta_crl_distribution_points: readonly string[];
  /** URLs of OCSP responders, overriding those of the mount. */
  readonly ocsp_servers: readonly string[];
  /** Whether placeholders in these URLs are filled in. */
  readonly enable_aia_url_templating: boolean;
  /**
   * Whether unknown critical extensions in the issuer's chain and in certificates from
   * sign-verbatim are ignored.
   */
  readonly disable_critical_extension_checks: boolean;
  /** Whether path length constraints in the issuer's chain are ignored. */
  readonly disable_path_length_checks: boolean;
  /** Whether mismatched names in the issuer's chain are ignored. */
  readonly disable_name_checks: boolean;
  /** Whether name constraints in the issuer's chain are ignored. */
  readonly disable_name_constraint_checks: boolean;
  /**
   * Whether OCSP responds with `unknown` for serial numbers that this mount never issued, even if
   * the issuer was imported with its key.
   */
  readonly ocsp_unknown_serials: boolean;
  /** Time of revocation, Unix seconds; absent if not revoked. */
  readonly revocation_time?: number;
  /** Time of revocation, RFC 3339; absent if not revoked. */
  readonly revocation_time_rfc3339?: string;
} & Warnings;
export type ResignCrlsInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
  /** CRL number of the new CRL. Default: `0`. */
  readonly crl_number?: number | undefined;
  /** CRL number of the base CRL, for a delta CRL; -1 for a complete CRL. Default: `-1`. */
  readonly delta_crl_base_number?: number | undefined;
  /** Validity period of the CRL. Default: `"72h"`. */
  readonly next_update?: string | undefined;
  /** Encoding of the CRL: `pem` or `der` (base64). Default: `"pem"`. */
  readonly format?: "pem" | "der" | undefined;
  /** CRLs to merge, one PEM block each. */
  readonly crls?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type ResignCrlsReply = {
  /** The signed CRL. */
  readonly crl: string;
} & Warnings;
export type SignRevocationListInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
  /** CRL number of the new CRL. Default: `0`. */
  readonly crl_number?: number | undefined;
  /** CRL number of the base CRL, for a delta CRL; -1 for a complete CRL. Default: `-1`. */
  readonly delta_crl_base_number?: number | undefined;
  /** Validity period of the CRL. Default: `"72h"`. */
  readonly next_update?: string | undefined;
  /** Encoding of the CRL: `pem` or `der` (base64). Default: `"pem"`. */
  readonly format?: "pem" | "der" | undefined;
  /** Entries of the CRL. */
  readonly revoked_certs?:
    | readonly {
        /** Serial number of the revoked certificate, hexadecimal. */
        readonly serial_number: string;
        /** Time of revocation: Unix seconds or RFC 3339. Unix seconds. */
        readonly revocation_time?: number | string | undefined;
        /** CRL entry extensions. */
        readonly extensions?:
          | readonly {
              /** Object identifier (OID). */
              readonly id: string;
              /** Whether the extension is critical. */
              readonly critical?: boolean | undefined;
              /** Value, base64. */
              readonly value: string;
            }[]
          | undefined;
      }[]
    | undefined;
  /** CRL extensions. */
  readonly extensions?:
    | readonly {
        /** Object identifier (OID). */
        readonly id: string;
        /** Whether the extension is critical. */
        readonly critical?: boolean | undefined;
        /** Value, base64. */
        readonly value: string;
      }[]
    | undefined;
};
export type SignRevocationListReply = ResignCrlsReply;
export type ReadCrlConfigInput = ReadCaPemInput;
export type ReadCrlConfigReply = {
  /** Validity period of CRLs. */
  readonly expiry: string;
  /** Whether CRL building is disabled. */
  readonly disable: boolean;
  /** Whether OCSP is disabled. */
  readonly ocsp_disable: boolean;
  /** Validity period of OCSP responses; with 0, they have no `nextUpdate`. */
  readonly ocsp_expiry: string;
  /** Whether CRLs are rebuilt shortly before they expire instead of after each revocation. */
  readonly auto_rebuild: boolean;
  /** Time before the expiry of a CRL at which it is rebuilt. */
  readonly auto_rebuild_grace_period: string;
  /** Whether delta CRLs are built between complete CRLs. */
  readonly enable_delta: boolean;
  /** Minimum time between two delta CRLs. */
  readonly delta_rebuild_interval: string;
  /** Whether expired certificates can be revoked. */
  readonly allow_expired_cert_revocation: boolean;
  /** Whether requests to revoke unknown serial numbers are queued. */
  readonly cross_cluster_revocation: boolean;
  /** Whether CRLs are served on the unified paths. */
  readonly unified_crl: boolean;
  /** Whether the local paths serve the unified CRL, which is the same CRL on this server. */
  readonly unified_crl_on_existing_paths: boolean;
  /** Maximum number of entries in a CRL; -1 means unlimited. */
  readonly max_crl_entries: number;
  /** Number of CRL shards for new certificates; 0 means that the CRL is not sharded. */
  readonly shards: number;
} & Warnings;
export type WriteCrlConfigInput = {
  /** Validity period of CRLs, such as 72h. */
  readonly expiry?: string | undefined;
  /** Stop building CRLs, after one last, empty CRL. */
  readonly disable?: boolean | undefined;
  /** Disable OCSP. */
  readonly ocsp_disable?: boolean | undefined;
  /** Validity period of OCSP responses; with 0, they have no `nextUpdate`. */
  readonly ocsp_expiry?: string | undefined;
  /** Rebuild CRLs shortly before they expire instead of after each revocation. */
  readonly auto_rebuild?: boolean | undefined;
  /** Time before the expiry of a CRL at which it is rebuilt. */
  readonly auto_rebuild_grace_period?: string | undefined;
  /** Build delta CRLs between complete CRLs. Requires `auto_rebuild`. */
  readonly enable_delta?: boolean | undefined;
  /** Minimum time between two delta CRLs, such as 15m. */
  readonly delta_rebuild_interval?: string | undefined;
  /** Allow expired certificates to be revoked. */
  readonly allow_expired_cert_revocation?: boolean | undefined;
  /** Queue requests to revoke unknown serial numbers. Requires `auto_rebuild`. */
  readonly cross_cluster_revocation?: boolean | undefined;
  /** Serve CRLs on the unified paths. Requires `auto_rebuild`. */
  readonly unified_crl?: boolean | undefined;
  /** Serve the unified CRL on the local paths. Requires `unified_crl`. */
  readonly unified_crl_on_existing_paths?: boolean | undefined;
  /** Maximum number of entries in a CRL; -1 means unlimited. */
  readonly max_crl_entries?: number | undefined;
  /**
   * Number of CRL shards for new certificates, 0 to 256. Each certificate contains the URL of its
   * shard.
   */
  readonly shards?: number | undefined;
};
export type WriteCrlConfigReply = ReadCrlConfigReply;
export type RotateCrlInput = ReadCaPemInput;
export type RotateCrlReply = {
  /** Always true; warnings name CRLs that could not be built. */
  readonly success: boolean;
} & Warnings;
export type RotateDeltaCrlInput = ReadCaPemInput;
export type RotateDeltaCrlReply = RotateCrlReply;
export type GenerateExportedRootInput = RootFields;
export type GenerateExportedRootReply = RootReply & Warnings;
export type GenerateRootFromKeyInput = RootFields & {
  /** Key to use: `default`, an ID or a name. */
  readonly key_ref?: string | undefined;
};
export type GenerateRootFromKeyReply = GenerateExportedRootReply;
export type GenerateRootFromManagedKeyInput = ManagedKeyFields & RootFields;
export type GenerateRootFromManagedKeyReply = GenerateExportedRootReply;
export type GenerateRootInput = RootFields & {
  /** Source of the key. */
  readonly exported?: "internal" | "exported" | "existing" | "kms" | undefined;
};
export type GenerateRootReply = GenerateExportedRootReply;
export type RotateExportedRootInput = GenerateExportedRootInput;
export type RotateExportedRootReply = GenerateExportedRootReply;
export type RotateRootFromKeyInput = GenerateRootFromKeyInput;
export type RotateRootFromKeyReply = GenerateExportedRootReply;
export type RotateRootFromManagedKeyInput = GenerateRootFromManagedKeyInput;
export type RotateRootFromManagedKeyReply = GenerateExportedRootReply;
export type RotateRootInput = GenerateRootInput;
export type RotateRootReply = GenerateExportedRootReply;
export type GenerateExportedIntermediateInput = NameFields &
  LifetimeFields &
  NotBeforeField &
  KeyFormatField &
  SubjectFields &
  KeyFields &
  SignatureFields & {
    /** Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. Default: `"pem"`. */
    readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    /** Add basic constraints with CA:TRUE to the CSR. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; if empty, the CSR requests none. */
    readonly key_usage?: string | readonly string[] | undefined;
  };
export type GenerateExportedIntermediateReply = PrivateKeyReply & {
  /** The CSR. */
  readonly csr: string;
  /** ID of the key. */
  readonly key_id: string;
} & Warnings;
export type GenerateIntermediateFromKeyInput = NameFields &
  LifetimeFields &
  NotBeforeField &
  KeyFormatField &
  SubjectFields &
  KeyFields &
  SignatureFields & {
    /** Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. Default: `"pem"`. */
    readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    /** Add basic constraints with CA:TRUE to the CSR. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; if empty, the CSR requests none. */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Key to use: `default`, an ID or a name. */
    readonly key_ref?: string | undefined;
  };
export type GenerateIntermediateFromKeyReply = GenerateExportedIntermediateReply;
export type GenerateIntermediateFromManagedKeyInput = NameFields &
  LifetimeFields &
  NotBeforeField &
  KeyFormatField &
  SubjectFields &
  KeyFields &
  SignatureFields &
  ManagedKeyFields & {
    /** Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. Default: `"pem"`. */
    readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    /** Add basic constraints with CA:TRUE to the CSR. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; if empty, the CSR requests none. */
    readonly key_usage?: string | readonly string[] | undefined;
  };
export type GenerateIntermediateFromManagedKeyReply = GenerateExportedIntermediateReply;
export type GenerateIntermediateInput = NameFields &
  LifetimeFields &
  NotBeforeField &
  KeyFormatField &
  SubjectFields &
  KeyFields &
  SignatureFields & {
    /** Source of the key. */
    readonly exported?: "internal" | "exported" | "existing" | "kms" | undefined;
    /** Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. Default: `"pem"`. */
    readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    /** Add basic constraints with CA:TRUE to the CSR. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; if empty, the CSR requests none. */
    readonly key_usage?: string | readonly string[] | undefined;
  };
export type GenerateIntermediateReply = GenerateExportedIntermediateReply;
export type SignIntermediateInput = IntermediateFields;
export type SignIntermediateReply = CertificateReply & {
  /** ID of the new issuer, with `set_signed`. */
  readonly issuer_id?: string;
} & Warnings;
export type SignSelfIssuedInput = {
  /** Self-issued CA certificate to sign, PEM. */
  readonly certificate: string | DerSource | readonly (string | DerSource)[];
  /** Fail if the key type of the certificate differs from that of the issuer. Default: `false`. */
  readonly require_matching_certificate_algorithms?: boolean | undefined;
  /** Issuer to sign with, if the URL path does not name one. */
  readonly issuer_ref?: string | undefined;
};
export type SignSelfIssuedReply = {
  /** Certificate signed by the issuer, PEM. */
  readonly certificate: string;
  /** CA certificate of the issuer, PEM. */
  readonly issuing_ca: string;
} & Warnings;
export type SignSelfIssuedWithInput = {
  /** Issuer to sign with, if the URL path does not name one. */
  readonly issuer_ref: string;
  /** Self-issued CA certificate to sign, PEM. */
  readonly certificate: string | DerSource | readonly (string | DerSource)[];
  /** Fail if the key type of the certificate differs from that of the issuer. Default: `false`. */
  readonly require_matching_certificate_algorithms?: boolean | undefined;
};
export type SignSelfIssuedWithReply = SignSelfIssuedReply;
export type SetSignedInput = {
  /** CA certificates, PEM; PKCS#7 blocks (`PKCS7` or `CMS`) are also accepted. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** Same as `certificate`. */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type SetSignedReply = {
  /** IDs of the new issuers. */
  readonly imported_issuers: readonly string[] | null;
  /** IDs of the new keys. */
  readonly imported_keys: readonly string[] | null;
  /** IDs of the issuers in the import that already existed. */
  readonly existing_issuers: readonly string[] | null;
  /** IDs of the keys in the import that already existed. */
  readonly existing_keys: readonly string[] | null;
  /** Key ID of each issuer, by issuer ID; empty if the mount does not have the key. */
  readonly mapping: Readonly<Record<string, string>>;
} & Warnings;
export type ImportCertificatesInput = {
  /** CA certificates, PEM; PKCS#7 blocks (`PKCS7` or `CMS`) are also accepted. */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** Same as `pem_bundle`. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type ImportCertificatesReply = SetSignedReply;
export type ImportBundleInput = {
  /**
   * CA certificates and private keys, PEM, in any order. PKCS#7 blocks (`PKCS7` or `CMS`) are
   * accepted for certificates.
   */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** Same as `pem_bundle`. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /**
   * PKCS#12 archive to import instead of `pem_bundle`: base64, at most 1 MiB, encrypted with AES
   * and protected by a MAC.
   */
  readonly pkcs12?: string | DerSource | undefined;
  /** Password for `pkcs12`. */
  readonly pkcs12_password?: string | undefined;
};
export type ImportBundleReply = SetSignedReply;
export type ListIssuersInput = ListCertsInput;
export type ListIssuersReply = {
  /** Sorted IDs of the issuers. */
  readonly keys: readonly string[];
  /** Details of each issuer, by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name of the issuer, or empty if it has none. */
        readonly issuer_name: string;
        /** Whether this is the default issuer. */
        readonly is_default: boolean;
        /** Serial number of the issuer's certificate. */
        readonly serial_number: string;
        /** ID of the issuer's key, or empty if the mount does not have it. */
        readonly key_id: string;
        /** Whether the issuer is revoked. */
        readonly revoked: boolean;
        /**
         * Whether every certification path from the issuer to a root contains a revoked CA above the
         * issuer.
         */
        readonly issuer_revoked: boolean;
        /** Start of validity, RFC 3339. */
        readonly not_before: string;
        /** End of validity, RFC 3339. */
        readonly not_after: string;
      }
    >
  >;
} & Warnings;
export type ReadIssuerInput = ReadIssuerJsonInput;
export type ReadIssuerReply = RevokeIssuerReply;
export type WriteIssuerInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
  /** Name of the issuer. */
  readonly issuer_name?: string | undefined;
  /**
   * Handling of requests for certificates that would outlive the issuer: `err`, `truncate`,
   * `permit` or `always_enforce_err`.
   */
  readonly leaf_not_after_behavior?:
    | "err"
    | "truncate"
    | "permit"
    | "always_enforce_err"
    | undefined;
  /**
   * Manual chain: references to issuers, starting with this one (`self`). If empty, the chain is
   * built automatically.
   */
  readonly manual_chain?: string | readonly string[] | undefined;
  /** Allowed usages: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`. */
  readonly usage?:
    | "read-only"
    | "issuing-certificates"
    | "crl-signing"
    | "ocsp-signing"
    | readonly ("read-only" | "issuing-certificates" | "crl-signing" | "ocsp-signing")[]
    | undefined;
  /**
   * Signature algorithm for CRLs and OCSP responses, such as `SHA256WithRSAPSS`; if empty, the
   * default for the key.
   */
  readonly revocation_signature_algorithm?: string | undefined;
  /** URLs of the issuer's certificate, overriding those of the mount. */
  readonly issuing_certificates?: string | readonly string[] | undefined;
  /** URLs of the issuer's CRL, overriding those of the mount. */
  readonly crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs of the issuer's delta CRL, overriding those of the mount. */
  readonly delta_crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs of OCSP responders, overriding those of the mount. */
  readonly ocsp_servers?: string | readonly string[] | undefined;
  /** Whether to fill in placeholders in these URLs. */
  readonly enable_aia_url_templating?: boolean | undefined;
  /**
   * Issue certificates even if a certificate of the issuer's chain, or a certificate from
   * sign-verbatim, has unknown critical extensions.
   */
  readonly disable_critical_extension_checks?: boolean | undefined;
  /**
   * Issue certificates even if the path length of a certificate in the issuer's chain does not
   * allow it.
   */
  readonly disable_path_length_checks?: boolean | undefined;
  /** Issue certificates even if issuer and subject names in the issuer's chain do not match. */
  readonly disable_name_checks?: boolean | undefined;
  /** Issue certificates even with names that the name constraints in the issuer's chain forbid. */
  readonly disable_name_constraint_checks?: boolean | undefined;
  /**
   * Respond with `unknown` over OCSP for serial numbers that this mount never issued, even if the
   * issuer was imported with its key and may have issued them elsewhere.
   */
  readonly ocsp_unknown_serials?: boolean | undefined;
};
export type WriteIssuerReply = RevokeIssuerReply;
export type PatchIssuerInput = WriteIssuerInput;
export type PatchIssuerReply = RevokeIssuerReply;
export type DeleteIssuerInput = ReadIssuerJsonInput;
export type DeleteIssuerReply = Warned | undefined;
export type DeleteRootInput = ReadCaPemInput;
export type DeleteRootReply = DeleteIssuerReply;
export type ListKeysInput = ListCertsInput;
export type ListKeysReply = {
  /** Sorted IDs of the keys. */
  readonly keys: readonly string[];
  /** Details of each key, by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Name of the key, or empty if it has none. */
        readonly key_name: string;
        /** Whether this is the default key. */
        readonly is_default: boolean;
      }
    >
  >;
} & Warnings;
export type GenerateCaKeyInput = KeyFields;
export type GenerateCaKeyReply = KeyReply & Warnings;
export type GenerateExportedCaKeyInput = GenerateCaKeyInput;
export type GenerateExportedCaKeyReply = KeyReply & {
  /** The private key, PEM. */
  readonly private_key: string;
} & Warnings;
export type GenerateManagedCaKeyInput = ManagedKeyFields & {
  /** Name of the key. */
  readonly key_name?: string | undefined;
};
export type GenerateManagedCaKeyReply = GenerateCaKeyReply;
export type ImportKeyInput = {
  /** The private key, PEM: PKCS#8, PKCS#1 or SEC1. */
  readonly pem_bundle: string | DerSource | readonly (string | DerSource)[];
  /** Name of the key. */
  readonly key_name?: string | undefined;
};
export type ImportKeyReply = GenerateCaKeyReply;
export type ReadKeyInput = {
  /** Key: a name, an ID, or `default`. */
  readonly key_ref: string;
};
export type ReadKeyReply = KeyReply & {
  /** SHA-1 of the public key, hexadecimal with colons. */
  readonly subject_key_id: string;
  /** UUID of the managed key; absent for other keys. */
  readonly managed_key_id?: string;
  /** Name of the managed key; absent for other keys. */
  readonly managed_key_name?: string;
} & Warnings;
export type WriteKeyInput = {
  /** Key: a name, an ID, or `default`. */
  readonly key_ref: string;
  /** The new name. */
  readonly key_name?: string | undefined;
};
export type WriteKeyReply = GenerateCaKeyReply;
export type DeleteKeyInput = ReadKeyInput;
export type DeleteKeyReply = DeleteIssuerReply;
export type ReadKeysConfigInput = ReadCaPemInput;
export type ReadKeysConfigReply = {
  /** ID of the default key, or empty if there is none. */
  readonly default: string;
} & Warnings;
export type WriteKeysConfigInput = {
  /** ID or name of the new default key. */
  readonly default: string;
};
export type WriteKeysConfigReply = ReadKeysConfigReply;
export type ReadIssuersConfigInput = ReadCaPemInput;
export type ReadIssuersConfigReply = {
  /** ID of the default issuer, or empty if there is none. */
  readonly default: string;
  /** Whether a new issuer with a key becomes the default issuer. */
  readonly default_follows_latest_issuer: boolean;
} & Warnings;
export type WriteIssuersConfigInput = {
  /** ID or name of the new default issuer. */
  readonly default: string;
  /** Whether a new issuer with a key becomes the default issuer. */
  readonly default_follows_latest_issuer?: boolean | undefined;
};
export type WriteIssuersConfigReply = ReadIssuersConfigReply;
export type ReplaceRootInput = {
  /** ID or name of the new default issuer. Default: `"next"`. */
  readonly default?: string | undefined;
  /** Whether a new issuer with a key becomes the default issuer. */
  readonly default_follows_latest_issuer?: boolean | undefined;
};
export type ReplaceRootReply = ReadIssuersConfigReply;
export type ListRolesInput = PageFields & {
  /** Whether to return the fields of each role as well. Default: `false`. */
  readonly detailed?: boolean | undefined;
};
export type ListRolesReply = {
  /** Sorted names of the roles. */
  readonly keys: readonly string[];
  /** With `detailed`, the fields of those roles that the caller may read, by name. */
  readonly key_info?: Readonly<
    Record<
      string,
      {
        /** Issuer that signs the certificates: `default`, an ID or a name. */
        readonly issuer_ref?: string;
        /** Lifetime if the request specifies none; 0 means the mount's default. Seconds. */
        readonly ttl?: number;
        /** Maximum lifetime; 0 means the mount's maximum. Seconds. */
        readonly max_ttl?: number;
        /** Allow `localhost` and `localdomain`. */
        readonly allow_localhost?: boolean;
        /** Domains to which `allow_bare_domains`, `allow_subdomains` and `allow_glob_domains` apply. */
        readonly allowed_domains?: readonly string[];
        /** `allowed_domains` may contain identity templates. */
        readonly allowed_domains_template?: boolean;
        /** Allow the domains in `allowed_domains` themselves. */
        readonly allow_bare_domains?: boolean;
        /** Allow subdomains of `allowed_domains`, including wildcard names. */
        readonly allow_subdomains?: boolean;
        /** Let `*` in `allowed_domains` match any text. */
        readonly allow_glob_domains?: boolean;
        /** Allow any name. */
        readonly allow_any_name?: boolean;
        /** Allow wildcard names that other rules allow. */
        readonly allow_wildcard_certificates?: boolean;
        /** Allow only valid host names. */
        readonly enforce_hostnames?: boolean;
        /** Allow IP addresses. */
        readonly allow_ip_sans?: boolean;
        /** CIDR ranges in which IP addresses must be; if empty, any address is allowed. */
        readonly allowed_ip_sans_cidr?: readonly string[];
        /** Allowed URIs; `*` matches any text. */
        readonly allowed_uri_sans?: readonly string[];
        /** `allowed_uri_sans` may contain identity templates. */
        readonly allowed_uri_sans_template?: boolean;
        /** Allow values that contain `*` to be filled into templates. */
        readonly allow_globs_in_identity_templates?: boolean;
        /**
         * Allowed other names: `<oid>;UTF8:<value>`, where `*` in the value matches any text, or `*`
         * alone for all.
         */
        readonly allowed_other_sans?: readonly string[];
        /**
         * Devices that may be attested with ACME: `permanent-identifier:<value>` or
         * `hardware-module:<value>`, where `*` in the value matches any text.
         */
        readonly allowed_device_identifiers?: readonly string[];
        /** Allowed subject serial numbers; `*` matches any text. */
        readonly allowed_serial_numbers?: readonly string[];
        /** Allowed user IDs; `*` matches any text. */
        readonly allowed_user_ids?: readonly string[];
        /** Add the extended key usage for TLS servers. */
        readonly server_flag?: boolean;
        /** Add the extended key usage for TLS clients. */
        readonly client_flag?: boolean;
        /** Add the extended key usage for code signing. */
        readonly code_signing_flag?: boolean;
        /** Add the extended key usage for email protection. */
        readonly email_protection_flag?: boolean;
        /**
         * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`; or `any`, which allows only
         * signing CSRs.
         */
        readonly key_type?:
          | "rsa"
          | "ec"
          | "ed25519"
          | "ml-dsa-44"
          | "ml-dsa-65"
          | "ml-dsa-87"
          | "any";
        /** Key size in bits, for CSRs the minimum; 0 means 2048 (rsa) or 256 (ec). */
        readonly key_bits?: number;
        /** SHA-2 size for signatures by RSA issuers: 256, 384 or 512 bits; 0 means 256. */
        readonly signature_bits?: 0 | 256 | 384 | 512;
        /** Use PSS instead of PKCS#1 v1.5 padding for signatures by RSA issuers. */
        readonly use_pss?: boolean;
        /** Names of key usages; if empty, certificates have no key usage extension. */
        readonly key_usage?: readonly string[];
        /** Names of additional extended key usages. */
        readonly ext_key_usage?: readonly string[];
        /** OIDs of additional extended key usages. */
        readonly ext_key_usage_oids?: readonly string[];
        /** When signing, take the common name from the CSR. */
        readonly use_csr_common_name?: boolean;
        /** When signing, take alternative names from the CSR. */
        readonly use_csr_sans?: boolean;
        /** Organizational units. */
        readonly ou?: readonly string[];
        /** Organizations. */
        readonly organization?: readonly string[];
        /** Countries, two letters each. */
        readonly country?: readonly string[];
        /** Localities. */
        readonly locality?: readonly string[];
        /** States or provinces. */
        readonly province?: readonly string[];
        /** Street addresses. */
        readonly street_address?: readonly string[];
        /** Postal codes. */
        readonly postal_code?: readonly string[];
        /** Create a lease for each certificate. */
        readonly generate_lease?: boolean;
        /** Do not store certificates after issuing them. */
        readonly no_store?: boolean;
        /** Reject requests with metadata. */
        readonly no_store_metadata?: boolean;
        /** Require a common name. */
        readonly require_cn?: boolean;
        /**
         * Required format of the common name: `email`, `hostname` or both. `disabled` skips all checks of
         * the common name.
         */
        readonly cn_validations?: readonly ("email" | "hostname" | "disabled")[];
        /** Certificate policies: OIDs, or JSON objects with `oid`, `cps` and `notice`. */
        readonly policy_identifiers?: readonly string[];
        /** Add a basic constraints extension without CA rights to leaf certificates. */
        readonly basic_constraints_valid_for_non_ca?: boolean;
        /** Time by which the start of validity is backdated. Seconds. */
        readonly not_before_duration?: number;
        /** Fixed start of validity in RFC 3339 format. */
        readonly not_before?: string;
        /** Fixed end of validity in RFC 3339 format. */
        readonly not_after?: string;
        /**
         * Whether requests may set `not_before`: `permit`, `duration` (no earlier than
         * `not_before_duration` allows) or `forbid`.
         */
        readonly not_before_bound?: "permit" | "duration" | "forbid";
        /**
         * Whether requests may set `not_after`: `permit`, `ttl-limited` (no later than `max_ttl` allows),
         * `forbid`, or the latest time allowed, in RFC 3339 format.
         */
        readonly not_after_bound?: string;
        /**
         * Source of the subject's serial number attribute: `json-csr` (body or CSR) or `json` (body
         * only).
         */
        readonly serial_number_source?: "json-csr" | "json";
        /** Always false. */
        readonly allow_token_displayname?: boolean;
      }
    >
  >;
} & Warnings;
export type ReadRoleInput = {
  /** Name of the role. */
  readonly name: string;
};
export type ReadRoleReply = RoleReply & {
  /** Always false. */
  readonly allow_token_displayname: boolean;
} & Warnings;
export type WriteRoleInput = RoleFields & {
  /** Name of the role. */
  readonly name: string;
};
export type WriteRoleReply = ReadRoleReply;
export type PatchRoleInput = WriteRoleInput;
export type PatchRoleReply = ReadRoleReply;
export type DeleteRoleInput = ReadRoleInput;
export type DeleteRoleReply = DeleteIssuerReply;
export type ReadUrlsInput = ReadCaPemInput;
export type ReadUrlsReply = {
  /** URLs at which the issuer's certificate is available. */
  readonly issuing_certificates: readonly string[];
  /** URLs at which the CRL is available. */
  readonly crl_distribution_points: readonly string[];
  /** URLs at which the delta CRL is available. */
  readonly delta_crl_distribution_points: readonly string[];
  /** URLs of OCSP responders. */
  readonly ocsp_servers: readonly string[];
  /** Whether placeholders in the URLs, such as {{issuer_id}}, are filled in. */
  readonly enable_templating: boolean;
} & Warnings;
export type WriteUrlsInput = {
  /** URLs at which the issuer's certificate is available. */
  readonly issuing_certificates?: string | readonly string[] | undefined;
  /** URLs at which the CRL is available. */
  readonly crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs at which the delta CRL is available. */
  readonly delta_crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs of OCSP responders. */
  readonly ocsp_servers?: string | readonly string[] | undefined;
  /**
   * Whether to fill in placeholders in the URLs: {{issuer_id}}, {{cluster_path}} and
   * {{cluster_aia_path}}.
   */
  readonly enable_templating?: boolean | undefined;
};
export type WriteUrlsReply = ReadUrlsReply;
export type FillUrlsInput = ReadCaPemInput;
export type FillUrlsReply = ReadUrlsReply;
export type ReadClusterInput = ReadCaPemInput;
export type ReadClusterReply = {
  /** URL of this mount, including /v1. */
  readonly path: string;
  /** URL of this mount for use in certificates; may be plain HTTP. */
  readonly aia_path: string;
} & Warnings;
export type WriteClusterInput = {
  /** URL of this mount, including /v1. */
  readonly path?: string | undefined;
  /** URL of this mount for use in certificates; may be plain HTTP. */
  readonly aia_path?: string | undefined;
};
export type WriteClusterReply = ReadClusterReply;
export type ReadEstConfigInput = ReadCaPemInput;
export type ReadEstConfigReply = {
  /** Whether EST is enabled. */
  readonly enabled: boolean;
  /** Whether this mount serves `/.well-known/est/<operation>`; only one mount can. */
  readonly default_mount: boolean;
  /** Issuance policy of paths without a label or role: `sign-verbatim` or `role:<name>`. */
  readonly default_path_policy: string;
  /**
   * Issuance policies of `/.well-known/est/<label>/<operation>` by label; a label belongs to one
   * mount.
   */
  readonly label_to_path_policy: Readonly<Record<string, string>>;
  /** Login methods that clients authenticate with. */
  readonly authenticators: {
    /** Clients sign in with user names and passwords. */
    readonly userpass?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
    };
    /** Clients sign in with role IDs and secret IDs. */
    readonly approle?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
    };
    /** Clients sign in with client certificates. */
    readonly cert?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
      /** Role of the login method to sign in with; default: any. */
      readonly cert_role?: string;
    };
  };
  /** Stored and returned, but has no effect. */
  readonly enable_sentinel_parsing: boolean;
  /**
   * CSR fields to audit, with names hashed: `csr`, `common_name`, `alt_names`, `ip_sans`,
   * `uri_sans`, `other_sans`, `key_type` and others.
   */
  readonly audit_fields: readonly string[];
  /** Attributes returned by `csrattrs`: OIDs, or `<oid>=<oid>` with further values after `+`. */
  readonly csr_attributes: readonly string[];
  /** Time of the last update, RFC 3339. */
  readonly last_updated: string;
} & Warnings;
export type WriteEstConfigInput = {
  /** Whether EST is enabled. */
  readonly enabled?: boolean | undefined;
  /** Whether this mount serves `/.well-known/est/<operation>`; only one mount can. */
  readonly default_mount?: boolean | undefined;
  /** Issuance policy of paths without a label or role: `sign-verbatim` or `role:<name>`. */
  readonly default_path_policy?: string | undefined;
  /**
   * Issuance policies of `/.well-known/est/<label>/<operation>` by label; a label belongs to one
   * mount.
   */
  readonly label_to_path_policy?: Readonly<Record<string, string>> | undefined;
  /** Login methods that clients authenticate with. */
  readonly authenticators?:
    | {
        /** Clients sign in with user names and passwords. */
        readonly userpass?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
            }
          | undefined;
        /** Clients sign in with role IDs and secret IDs. */
        readonly approle?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
            }
          | undefined;
        /** Clients sign in with client certificates. */
        readonly cert?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
              /** Role of the login method to sign in with; default: any. */
              readonly cert_role?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Stored and returned, but has no effect. */
  readonly enable_sentinel_parsing?: boolean | undefined;
  /**
   * CSR fields to audit, with names hashed: `csr`, `common_name`, `alt_names`, `ip_sans`,
   * `uri_sans`, `other_sans`, `key_type` and others.
   */
  readonly audit_fields?: string | readonly string[] | undefined;
  /** Attributes returned by `csrattrs`: OIDs, or `<oid>=<oid>` with further values after `+`. */
  readonly csr_attributes?: string | readonly string[] | undefined;
};
export type WriteEstConfigReply = ReadEstConfigReply;
export type ReadExternalPolicyInput = ReadCaPemInput;
export type ReadExternalPolicyReply = {
  /** Whether external policy is enabled. */
  readonly enabled: boolean;
  /** URL (https) of the policy service. */
  readonly external_service_url: string;
  /**
   * Name of a platform service to call instead of a URL, such as a service binding of the Worker.
   */
  readonly service: string;
  /** Response timeout in nanoseconds. */
  readonly timeout: number;
  /** CA certificates (PEM), one of which the server's certificate must chain to. */
  readonly trusted_ca: string;
  /**
   * Accepted server certificates (PEM), which must match exactly; names and validity are not
   * checked.
   */
  readonly trusted_leaf_certificate_bundle: string;
  /** Client certificate chain (PEM) presented to the service, without the key. */
  readonly vault_client_cert_bundle: string;
  /**
   * JMESPath expression that selects the entity data to send. If empty, only the ID is sent; `@`
   * selects everything.
   */
  readonly entity_jmespath: string;
  /**
   * JMESPath expression that selects the group data to send. If empty, nothing is sent; `@` selects
   * everything.
   */
  readonly group_jmespath: string;
  /**
   * Whether the service may have a private or loopback address. The default is the deployment's
   * ACME_PRIVATE_NETWORKS.
   */
  readonly allow_private_network: boolean;
  /** Time of the last update, RFC 3339. */
  readonly external_service_last_updated: string;
  /** Whether the last response of the service was valid, as known to this instance. */
  readonly external_service_validated: boolean;
  /**
   * Time of the last valid response, RFC 3339, as known to this instance; empty if there was none.
   */
  readonly last_successful_request: string;
  /**
   * Time of the last failed request, RFC 3339, as known to this instance; empty if there was none.
   */
  readonly last_failed_request: string;
  /** Why the last failed request failed; empty if there was none. */
  readonly last_failure: string;
} & Warnings;
export type WriteExternalPolicyInput = {
  /** Whether external policy is enabled. */
  readonly enabled?: boolean | undefined;
  /** URL (https) of the policy service. */
  readonly external_service_url?: string | undefined;
  /**
   * Name of a platform service to call instead of a URL, such as a service binding of the Worker.
   */
  readonly service?: string | undefined;
  /** Response timeout, 1 to 60 seconds; default: 15s. Seconds, or a duration such as `72h`. */
  readonly timeout?: number | string | undefined;
  /** CA certificates (PEM), one of which the server's certificate must chain to. */
  readonly trusted_ca?: string | undefined;
  /**
   * Accepted server certificates (PEM), which must match exactly; names and validity are not
   * checked.
   */
  readonly trusted_leaf_certificate_bundle?: string | undefined;
  /**
   * Private key and client certificate chain (PEM) to authenticate to the service; the key is never
   * returned.
   */
  readonly vault_client_cert_bundle?: string | undefined;
  /**
   * JMESPath expression that selects the entity data to send. If empty, only the ID is sent; `@`
   * selects everything.
   */
  readonly entity_jmespath?: string | undefined;
  /**
   * JMESPath expression that selects the group data to send. If empty, nothing is sent; `@` selects
   * everything.
   */
  readonly group_jmespath?: string | undefined;
  /**
   * Whether the service may have a private or loopback address. The default is the deployment's
   * ACME_PRIVATE_NETWORKS.
   */
  readonly allow_private_network?: boolean | undefined;
};
export type WriteExternalPolicyReply = ReadExternalPolicyReply;
export type CheckExternalPolicyInput = {
  /** Name of the policy to test. */
  readonly policy?: string | undefined;
};
export type CheckExternalPolicyReply = {
  /** Whether the service returned a valid response: a certificate or a refusal. */
  readonly valid: boolean;
  /** Whether the service would allow issuance. */
  readonly accepted: boolean;
  /** Message from the service, or why its response is not valid. */
  readonly message: string;
  /** Response time in milliseconds. */
  readonly milliseconds: number;
} & Warnings;
export type ListRevocationQueueInput = ListCertsInput;
export type ListRevocationQueueReply = {
  /** Sorted serial numbers, hexadecimal octets separated by colons. */
  readonly keys: readonly string[];
  /** Details of each request, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** UUID of this deployment. */
        readonly requesting_cluster: string;
        /** True once the certificate is revoked. */
        readonly confirmed?: boolean;
        /** UUID of this deployment, once the certificate is revoked. */
        readonly confirmation_cluster?: string;
      }
    >
  >;
} & Warnings;
export type ListUnifiedRevokedInput = ListCertsInput;
export type ListUnifiedRevokedReply = {
  /** Sorted serial numbers, hexadecimal octets separated by colons. */
  readonly keys: readonly string[];
  /** UUIDs of the clusters that revoked each certificate, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** UUID of this deployment. */
        readonly revoking_clusters: readonly string[];
      }
    >
  >;
} & Warnings;
export type ListCertDetailsInput = {
  /** Return only certificates after this serial number, which need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of certificates to return, up to 1000; 0 means 1000. Default: `0`. */
  readonly limit?: number | undefined;
};
export type ListCertDetailsReply = {
  /** Sorted serial numbers, hexadecimal octets separated by colons. */
  readonly keys: readonly string[];
  /** Details of each certificate, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Common name of the subject. */
        readonly common_name: string;
        /** ID of the issuer, or empty if no issuer of the mount signed it. */
        readonly issuer: string;
        /** Name of the role, or empty if none was used. */
        readonly role: string;
        /** Whether this is a CA certificate. */
        readonly is_ca: boolean;
        /**
         * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`; empty if the key type is
         * unknown.
         */
        readonly key_type: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87" | "";
        /** Key size in bits; 0 if the key type is unknown. */
        readonly key_bits: number;
        /** Start of validity, RFC 3339. */
        readonly not_before: string;
        /** End of validity, RFC 3339. */
        readonly not_after: string;
        /** DNS names, at most five. */
        readonly dns_names: readonly string[];
        /** `acme` if the certificate was issued with ACME, otherwise `api`. */
        readonly source: string;
        /** ID of the ACME account to which the certificate was issued. */
        readonly acme_account?: string;
        /** ID of the ACME order for which the certificate was issued. */
        readonly acme_order?: string;
      }
    >
  >;
} & Warnings;
export type SearchCertsInput = SearchFields & {
  /**
   * `newest` returns the latest start of validity first. If empty, the order is that of the index
   * that the search uses.
   */
  readonly order?: "" | "newest" | undefined;
  /** `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Maximum number of certificates to return, up to 5000; 0 means 100. Default: `0`. */
  readonly limit?: number | undefined;
};
export type SearchCertsReply = {
  /** Serial numbers with colons, in the order that `order` states. */
  readonly keys: readonly string[];
  /** Details of each certificate, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Common name of the subject. */
        readonly common_name: string;
        /** ID of the issuer, or empty if no issuer of the mount signed it. */
        readonly issuer: string;
        /** Name of the role, or empty if none was used. */
        readonly role: string;
        /** Whether this is a CA certificate. */
        readonly is_ca: boolean;
        /**
         * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`; empty if the key type is
         * unknown.
         */
        readonly key_type: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87" | "";
        /** Key size in bits; 0 if the key type is unknown. */
        readonly key_bits: number;
        /** Start of validity, RFC 3339. */
        readonly not_before: string;
        /** End of validity, RFC 3339. */
        readonly not_after: string;
        /** DNS names, at most five. */
        readonly dns_names: readonly string[];
        /** `acme` if the certificate was issued with ACME, otherwise `api`. */
        readonly source: string;
        /** ID of the ACME account to which the certificate was issued. */
        readonly acme_account?: string;
        /** ID of the ACME order for which the certificate was issued. */
        readonly acme_order?: string;
        /**
         * The indexed name: the first subject alternative name (DNS, email, IP, then URI), otherwise the
         * common name, otherwise any other name in the certificate.
         */
        readonly name: string;
        /** Number of alternative names of all types together. */
        readonly names: number;
        /** SHA-256 fingerprint of the certificate, hexadecimal. */
        readonly fingerprint: string;
        /** `valid`, `expired` or `revoked`. */
        readonly state: "" | "valid" | "expired" | "revoked";
        /** Time of revocation, Unix seconds; 0 if not revoked. */
        readonly revocation_time: number;
        /** Reason for the revocation, by the names that revoke accepts. */
        readonly revocation_reason?: string;
      }
    >
  >;
  /** Value to send as `cursor` to get the next page; empty on the last page. */
  readonly cursor: string;
  /**
   * Order of `keys`: `newest`, or empty for the order of the index that the search uses. Also empty
   * while certificates stored by an earlier version are still being indexed.
   */
  readonly order: "" | "newest";
} & Warnings;
export type RevokeFoundInput = SearchFields & {
  /** Revoke every certificate of the mount. Cannot be combined with filters. Default: `false`. */
  readonly all?: boolean | undefined;
  /**
   * Serial numbers of the certificates to revoke, at most 1000. Cannot be combined with filters.
   */
  readonly serial_numbers?: string | readonly string[] | undefined;
  /** Reason for all revocations, by the names that revoke accepts. */
  readonly reason?:
    | "unspecified"
    | "keyCompromise"
    | "cACompromise"
    | "affiliationChanged"
    | "superseded"
    | "cessationOfOperation"
    | "privilegeWithdrawn"
    | "aACompromise"
    | undefined;
  /** Only report what the request would do. Default: `false`. */
  readonly dry_run?: boolean | undefined;
  /** `cursor` of the previous reply, to continue where that request stopped. */
  readonly cursor?: string | undefined;
};
export type RevokeFoundReply = {
  /** Whether this was a dry run. */
  readonly dry_run: boolean;
  /** Number of certificates that were (or would be) revoked. */
  readonly revoked: number;
  /** Serial numbers of the first hundred of these certificates, with colons. */
  readonly keys: readonly string[];
  /** Number of matches that were already revoked. */
  readonly already_revoked: number;
  /** Number of matches that were skipped because they have expired. */
  readonly expired: number;
  /**
   * Number of matches that were skipped because they belong to issuers of the mount. Revoke issuers
   * with issuer/:issuer_ref/revoke.
   */
  readonly issuers: number;
  /**
   * Number of matches that were skipped because they belong to active OCSP responders. Revoke these
   * by serial number, or replace them with issuer/:issuer_ref/ocsp-responder.
   */
  readonly responders: number;
  /**
   * Number of certificates that this request found but did not revoke. A warning says if there may
   * be more.
   */
  readonly left: number;
  /** Value to send as `cursor` to continue; empty when the search is complete. */
  readonly cursor: string;
  /** Serial numbers in the request for which no certificate is stored. */
  readonly unknown?: readonly string[];
} & Warnings;
export type ReadCertMetadataInput = ReadCertInput;
export type ReadCertMetadataReply = {
  /** ID of the issuer. */
  readonly issuer_id: string;
  /** End of validity, RFC 3339. */
  readonly expiration: string;
  /** Stored metadata, base64. */
  readonly cert_metadata?: string;
  /** Name of the role, or empty if none was used. */
  readonly role: string;
  /** Serial number: hexadecimal octets separated by colons. */
  readonly serial_number: string;
} & Warnings;
export type ListCertMetadataInput = ReadCaPemInput;
export type ListCertMetadataReply = ListCertsReply;
export type ReadCertBatchInput = {
  /** Serial numbers of the certificates to read. */
  readonly serial_numbers?: string | readonly string[] | undefined;
};
export type ReadCertBatchReply = {
  /** PEM certificates by serial number as requested; null if the certificate is not stored. */
  readonly certificates: Readonly<Record<string, string | null>>;
} & Warnings;
export type IssueByPolicyInput = CertificateFormatFields &
  KeyAliasField &
  KeyFormatField & {
    /** Name of the policy, which is sent to the policy service. */
    readonly policy?: string | undefined;
    /** Issuer: a name, an ID, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. Default: `"rsa"`. */
    readonly key_type?:
      | "rsa"
      | "ec"
      | "ed25519"
      | "ml-dsa-44"
      | "ml-dsa-65"
      | "ml-dsa-87"
      | undefined;
    /** Key size in bits; 0 means 2048 (rsa) or 256 (ec). Default: `0`. */
    readonly key_bits?: number | undefined;
    /** Omit self-signed certificates from `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    readonly [name: string]: unknown;
  };
export type IssueByPolicyReply = IssueReply;
export type SignByPolicyInput = CertificateFormatFields &
  KeyFormatField & {
    /** Name of the policy, which is sent to the policy service. */
    readonly policy?: string | undefined;
    /** Issuer: a name, an ID, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    /** Omit self-signed certificates from `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    readonly [name: string]: unknown;
  };
export type SignByPolicyReply = SignReply;
export type SignIntermediateByPolicyInput = CertificateFormatFields &
  KeyFormatField & {
    /** Name of the policy, which is sent to the policy service. */
    readonly policy?: string | undefined;
    /** Issuer: a name, an ID, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    readonly [name: string]: unknown;
  };
export type SignIntermediateByPolicyReply = SignReply;
export type ExplainIssueInput = IssueInput;
export type ExplainIssueReply = {
  /** Whether the real request would issue a certificate. */
  readonly would_issue: boolean;
  /** Error message of the first failed rule, if no certificate would be issued. */
  readonly refusal?: string;
  /**
   * The rules that were checked, in the order of the real request. A failed rule ends the list only
   * if nothing can be checked after it, for example if the CSR cannot be parsed.
   */
  readonly rules: readonly {
    /** Field of the role, or the name of another rule. */
    readonly rule: string;
    /** Value that was checked. */
    readonly input: string;
    /** Whether the request passes the rule. */
    readonly allowed: boolean;
    /** Error message, if the request does not pass the rule. */
    readonly reason?: string;
  }[];
  /** Lint findings, errors first. They never fail the request. */
  readonly lint: readonly {
    /** Severity of the finding. */
    readonly severity: "error" | "warning" | "info";
    /** Source of the rule. */
    readonly section: string;
    /** Stable name of the lint, such as `dns-label-long`. */
    readonly id: string;
    /** Description of the defect, with the offending value. */
    readonly rule: string;
  }[];
  /** Number of lints that were run; 0 if there was no certificate to check. */
  readonly lints_checked: number;
  /**
   * The TBSCertificate that would be signed: DER, base64, with a placeholder serial number.
   * Rejected values appear as requested, except that a lifetime is reduced to the maximum and
   * unreadable names are omitted.
   */
  readonly tbs_certificate?: string;
  /** Warnings that the real request would return. */
  readonly warnings: readonly string[];
};
export type ExplainSignInput = SignInput;
export type ExplainSignReply = ExplainIssueReply;
export type ExplainVerbatimInput = SignVerbatimInput;
export type ExplainVerbatimReply = ExplainIssueReply;
export type MakeResponderInput = {
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref: string;
  /**
   * `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. By default, the issuer's key
   * type, or EC for Ed25519, which few clients support.
   */
  readonly key_type?:
    | "rsa"
    | "ec"
    | "ed25519"
    | "ml-dsa-44"
    | "ml-dsa-65"
    | "ml-dsa-87"
    | undefined;
  /** Key size in bits; 0 means the default size, which is P-256 for EC. Default: `0`. */
  readonly key_bits?: number | undefined;
};
export type MakeResponderReply = {
  /** Responder certificate, PEM. */
  readonly certificate: string;
  /** Serial number of the responder certificate. */
  readonly serial_number: string;
  /** Start of validity, RFC 3339. */
  readonly not_before: string;
  /** End of validity, RFC 3339. */
  readonly not_after: string;
  /** `rsa`, `ec`, `ed25519`, `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`. */
  readonly key_type: "rsa" | "ec" | "ed25519" | "ml-dsa-44" | "ml-dsa-65" | "ml-dsa-87";
  /** Key size in bits. */
  readonly key_bits: number;
  /**
   * Time at which the key and certificate are renewed, RFC 3339; empty if they expire with the
   * issuer instead.
   */
  readonly next_renewal: string;
  /**
   * Whether the responder signs responses. It does not if it is revoked, damaged or expired, or if
   * its issuer is revoked; the issuer then signs.
   */
  readonly active: boolean;
} & Warnings;
export type ReadResponderInput = ReadIssuerJsonInput;
export type ReadResponderReply = MakeResponderReply;
export type DeleteResponderInput = ReadIssuerJsonInput;
export type DeleteResponderReply = DeleteIssuerReply;
export type ListAcmeOrdersInput = {
  /** Return only orders of this account, selected from at most 1000 of its orders. */
  readonly account_id?: string | undefined;
  /** Maximum number of orders to return, up to 1000; 0 means 100. Default: `0`. */
  readonly limit?: number | undefined;
};
export type ListAcmeOrdersReply = {
  /** Order IDs, newest first. */
  readonly keys: readonly string[];
  /** Details of each order by ID. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** ID of the account that placed the order. */
        readonly account_id: string;
        /** Directory of the order, such as `roles/web/acme`. */
        readonly directory: string;
        /** `pending`, `ready`, `valid` or `invalid`. */
        readonly status: "pending" | "ready" | "valid" | "invalid";
        /** DNS names and IP addresses of the order. */
        readonly identifiers: readonly string[];
        /** When the order was created, RFC 3339. */
        readonly created_time: string;
        /** When the order expires if it is not completed, RFC 3339. */
        readonly expires: string;
        /** Serial number of the certificate, with colons; empty until issued. */
        readonly cert_serial_number: string;
        /**
         * Error that made the order fail: `type` (RFC 8555 section 6.7 or similar) and `detail`; absent
         * if it did not fail.
         */
        readonly error?: Readonly<Record<string, unknown>>;
        /** Authorizations of the order. */
        readonly authorizations: readonly {
          /** DNS name or IP address to be validated. */
          readonly identifier: string;
          /** `pending`, `valid`, `invalid`, `deactivated` or `revoked`. */
          readonly status: "pending" | "valid" | "invalid" | "deactivated" | "revoked";
          /** Challenges of the authorization. */
          readonly challenges: readonly {
            /**
             * `http-01`, `dns-01`, `tls-alpn-01`, `dns-account-01`, `dns-persist-01` or `device-attest-01`.
             */
            readonly type:
              | "http-01"
              | "dns-01"
              | "tls-alpn-01"
              | "dns-account-01"
              | "dns-persist-01"
              | "device-attest-01";
            /** `pending`, `processing`, `valid` or `invalid`. */
            readonly status: "pending" | "processing" | "valid" | "invalid";
            /** Number of failed attempts. */
            readonly attempts: number;
            /**
             * Error of the first attempt, or the reason why the challenge cannot succeed: `type` (RFC 8555
             * section 6.7 or similar) and `detail`; absent if it did not fail.
             */
            readonly error?: Readonly<Record<string, unknown>>;
          }[];
        }[];
      }
    >
  >;
} & Warnings;
export type TidyInput = TidySettingsFields;
export type TidyReply = DeleteIssuerReply;
export type TidyCancelInput = ReadCaPemInput;
export type TidyCancelReply = {
  /**
   * State of the current or last run: `Inactive`, `Running`, `Finished`, `Error`, `Cancelling` or
   * `Cancelled`.
   */
  readonly state: "Inactive" | "Running" | "Finished" | "Error" | "Cancelling" | "Cancelled";
  /** Remove certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_store: boolean | null;
  /**
   * Remove revoked certificates that expired more than `revoked_safety_buffer` ago, with their CRL
   * entries.
   */
  readonly tidy_revoked_certs: boolean | null;
  /** Find a matching issuer for revoked certificates whose issuer is unknown or was deleted. */
  readonly tidy_revoked_cert_issuer_associations: boolean | null;
  /**
   * Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer.
   * Keeps their keys.
   */
  readonly tidy_expired_issuers: boolean | null;
  /** Accepted for compatibility; this server has no legacy CA bundle. */
  readonly tidy_move_legacy_ca_bundle: boolean | null;
  /** Remove queued revocation requests older than `revocation_queue_safety_buffer`. */
  readonly tidy_revocation_queue: boolean | null;
  /** Accepted for compatibility; there is only one cluster, which `tidy_revoked_certs` covers. */
  readonly tidy_cross_cluster_revoked_certs: boolean | null;
  /**
   * Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and
   * external account bindings that have been unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme: boolean | null;
  /** Remove the metadata of certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_metadata: boolean | null;
  /** Accepted for compatibility; this server has no CMP nonces. */
  readonly tidy_cmpv2_nonce_store: boolean | null;
  /** Remove stored certificates that are damaged or cannot be parsed. */
  readonly tidy_invalid_certs: boolean | null;
  /** Time after its expiry at which a certificate is removed. */
  readonly safety_buffer: number | null;
  /** Time after its expiry at which an issuer is removed. */
  readonly issuer_safety_buffer: number | null;
  /** Time for which an unused ACME account is kept. */
  readonly acme_account_safety_buffer: number | null;
  /** Time for which a queued revocation request is kept. */
  readonly revocation_queue_safety_buffer: number | null;
  /**
   * Time after its expiry at which a revoked certificate is removed; by default `safety_buffer`.
   */
  readonly revoked_safety_buffer: number | null;
  /** Pause between two steps of a run, such as `250ms` or `1m30s`. */
  readonly pause_duration: string | null;
  /** Number of entries per step, at least 5. Values above 500 count as 500. */
  readonly page_size: number | null;
  /** Error that ended the run, or null. */
  readonly error: string | null;
  /** Description of the current activity; null after the run. */
  readonly message: string | null;
  /** Start of the run, RFC 3339. */
  readonly time_started: string | null;
  /** End of the run, RFC 3339. */
  readonly time_finished: string | null;
  /** End of the last automatic run, RFC 3339. */
  readonly last_auto_tidy_finished: string | null;
  /** Number of removed certificates. */
  readonly cert_store_deleted_count: number | null;
  /** Number of removed revocations. */
  readonly revoked_cert_deleted_count: number | null;
  /** Number of revocations whose issuer was unknown or deleted. */
  readonly missing_issuer_cert_count: number | null;
  /** Number of removed revocation requests. */
  readonly revocation_queue_deleted_count: number | null;
  /** Number of removed revocations of other clusters. */
  readonly cross_revoked_cert_deleted_count: number | null;
  /** Number of removed metadata records. */
  readonly cert_metadata_deleted_count: number | null;
  /** Number of removed CMP nonces. */
  readonly cmpv2_nonce_deleted_count: number | null;
  /** Number of checked ACME accounts. */
  readonly total_acme_account_count: number | null;
  /** Number of removed ACME accounts. */
  readonly acme_account_deleted_count: number | null;
  /** Number of deactivated ACME accounts. */
  readonly acme_account_revoked_count: number | null;
  /** Number of removed ACME orders. */
  readonly acme_orders_deleted_count: number | null;
  /**
   * Number of stored certificates, if `maintain_stored_certificate_counts` is set. Counted after
   * each run and hourly.
   */
  readonly current_cert_store_count: number | null;
  /**
   * Number of revoked certificates, if `maintain_stored_certificate_counts` is set. Counted after
   * each run and hourly.
   */
  readonly current_revoked_cert_count: number | null;
  /** Explains why the counts are not yet available. */
  readonly certificate_counting_error?: string;
  /** UUID of the mount. */
  readonly internal_backend_uuid: string;
} & Warnings;
export type TidyStatusInput = ReadCaPemInput;
export type TidyStatusReply = TidyCancelReply;
export type ReadAutoTidyInput = ReadCaPemInput;
export type ReadAutoTidyReply = TidySettingsReply & {
  /** Whether tidy runs automatically. */
  readonly enabled: boolean;
  /** Time between the end of a run and the start of the next run, at least one minute. Seconds. */
  readonly interval_duration: number;
  /** Minimum delay before the first run. Seconds. */
  readonly min_startup_backoff_duration: number;
  /** Maximum delay before the first run. Seconds. */
  readonly max_startup_backoff_duration: number;
  /** Whether to count stored and revoked certificates, for `tidy-status`. */
  readonly maintain_stored_certificate_counts: boolean;
  /** Whether to log each count. */
  readonly publish_stored_certificate_count_metrics: boolean;
} & Warnings;
export type WriteAutoTidyInput = {
  /** Whether tidy runs automatically. */
  readonly enabled?: boolean | undefined;
  /**
   * Time between the end of a run and the start of the next run, at least one minute. Seconds, or a
   * duration such as `72h`.
   */
  readonly interval_duration?: number | string | undefined;
  /** Minimum delay before the first run. Seconds, or a duration such as `72h`. */
  readonly min_startup_backoff_duration?: number | string | undefined;
  /** Maximum delay before the first run. Seconds, or a duration such as `72h`. */
  readonly max_startup_backoff_duration?: number | string | undefined;
  /** Remove certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_store?: boolean | undefined;
  /**
   * Remove revoked certificates that expired more than `revoked_safety_buffer` ago, with their CRL
   * entries.
   */
  readonly tidy_revoked_certs?: boolean | undefined;
  /** Find a matching issuer for revoked certificates whose issuer is unknown or was deleted. */
  readonly tidy_revoked_cert_issuer_associations?: boolean | undefined;
  /**
   * Remove issuers that expired more than `issuer_safety_buffer` ago, except the default issuer.
   * Keeps their keys.
   */
  readonly tidy_expired_issuers?: boolean | undefined;
  /** Accepted for compatibility; this server has no legacy CA bundle. */
  readonly tidy_move_legacy_ca_bundle?: boolean | undefined;
  /** Remove queued revocation requests older than `revocation_queue_safety_buffer`. */
  readonly tidy_revocation_queue?: boolean | undefined;
  /** Accepted for compatibility; there is only one cluster, which `tidy_revoked_certs` covers. */
  readonly tidy_cross_cluster_revoked_certs?: boolean | undefined;
  /**
   * Remove ACME orders whose certificates expired more than `safety_buffer` ago, and accounts and
   * external account bindings that have been unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme?: boolean | undefined;
  /** Remove the metadata of certificates that expired more than `safety_buffer` ago. */
  readonly tidy_cert_metadata?: boolean | undefined;
  /** Accepted for compatibility; this server has no CMP nonces. */
  readonly tidy_cmpv2_nonce_store?: boolean | undefined;
  /** Remove stored certificates that are damaged or cannot be parsed. */
  readonly tidy_invalid_certs?: boolean | undefined;
  /** Same as `tidy_revoked_certs`. */
  readonly tidy_revocation_list?: boolean | undefined;
  /**
   * Time after its expiry at which a certificate is removed. Seconds, or a duration such as `72h`.
   */
  readonly safety_buffer?: number | string | undefined;
  /** Time after its expiry at which an issuer is removed. Seconds, or a duration such as `72h`. */
  readonly issuer_safety_buffer?: number | string | undefined;
  /** Time for which an unused ACME account is kept. Seconds, or a duration such as `72h`. */
  readonly acme_account_safety_buffer?: number | string | undefined;
  /** Time for which a queued revocation request is kept. Seconds, or a duration such as `72h`. */
  readonly revocation_queue_safety_buffer?: number | string | undefined;
  /**
   * Time after its expiry at which a revoked certificate is removed; by default `safety_buffer`.
   * Seconds, or a duration such as `72h`.
   */
  readonly revoked_safety_buffer?: number | string | undefined;
  /** Pause between two steps of a run, such as `250ms` or `1m30s`. */
  readonly pause_duration?: string | undefined;
  /** Number of entries per step, at least 5. Values above 500 count as 500. */
  readonly page_size?: number | undefined;
  /** Whether to count stored and revoked certificates, for `tidy-status`. */
  readonly maintain_stored_certificate_counts?: boolean | undefined;
  /** Whether to log each count. */
  readonly publish_stored_certificate_count_metrics?: boolean | undefined;
};
export type WriteAutoTidyReply = ReadAutoTidyReply;
export type ReadAcmeConfigInput = ReadCaPemInput;
export type ReadAcmeConfigReply = {
  /** Whether ACME is enabled; requires `path` in `config/cluster`. */
  readonly enabled: boolean;
  /** Issuers allowed in directory paths; `*` allows all. */
  readonly allowed_issuers: readonly string[];
  /** Roles allowed in a path, as a profile or in the policy; `*` allows all. */
  readonly allowed_roles: readonly string[];
  /** Whether certificates get the extended key usages of the role instead of serverAuth only. */
  readonly allow_role_ext_key_usage: boolean;
  /**
   * Issuance policy of directories without a role: `sign-verbatim`, `forbid`, `role:<name>`, or
   * `external-policy`, optionally with `:<policy>`.
   */
  readonly default_directory_policy: string;
  /** DNS server for challenge lookups, `<address>:<port>`; if empty, the default resolver. */
  readonly dns_resolver: string;
  /**
   * When an external account binding is required: `not-required`, `new-account-required` or
   * `always-required`.
   */
  readonly eab_policy: "not-required" | "new-account-required" | "always-required";
  /**
   * Maximum lifetime of certificates in seconds; also the default if neither role nor mount sets
   * one.
   */
  readonly max_ttl: number;
  /** The only address ranges (CIDR) that challenges may connect to; if empty, public addresses. */
  readonly challenge_permitted_ip_ranges: readonly string[];
  /** Address ranges (CIDR) that challenges never connect to. */
  readonly challenge_excluded_ip_ranges: readonly string[];
  /**
   * Challenge types that orders are offered: `http-01`, `dns-01`, `tls-alpn-01`, `dns-account-01`,
   * `dns-persist-01`, `device-attest-01`.
   */
  readonly challenge_types: readonly string[];
  /**
   * Domain names that identify this CA in dns-persist-01 DNS records, at most 10; if empty, the
   * host name in the mount's URL.
   */
  readonly issuer_domain_names: readonly string[];
  /**
   * Whether a dns-persist-01 DNS record with `policy=wildcard` also authorizes the subdomains of
   * its name.
   */
  readonly persistent_subdomains: boolean;
  /** CA certificates (PEM) for Apple device attestations; if empty, none are accepted. */
  readonly attestation_apple_roots: string;
  /** CA certificates (PEM) for TPM attestation keys; if empty, no TPM attestations are accepted. */
  readonly attestation_tpm_roots: string;
  /**
   * CRLs (PEM) of the CAs below the attestation roots. Attestations with revoked certificates are
   * rejected. If empty, revocation is not checked.
   */
  readonly attestation_crls: string;
  /**
   * Serial numbers and other identifiers of devices that may attest, in which `*` stands for any
   * characters; if empty, any device may attest.
   */
  readonly attestation_devices: readonly string[];
  /**
   * Parts of the certificate that contain the name of the device: `san`, `common_name`,
   * `serial_number`; if empty, none.
   */
  readonly attestation_names: readonly string[];
  /** Time for which a challenge is retried before it fails, in seconds. */
  readonly challenge_timeout: number;
} & Warnings;
export type WriteAcmeConfigInput = {
  /** Whether ACME is enabled; requires `path` in `config/cluster`. */
  readonly enabled?: boolean | undefined;
  /** Issuers allowed in directory paths; `*` allows all. */
  readonly allowed_issuers?: string | readonly string[] | undefined;
  /** Roles allowed in a path, as a profile or in the policy; `*` allows all. */
  readonly allowed_roles?: string | readonly string[] | undefined;
  /** Whether certificates get the extended key usages of the role instead of serverAuth only. */
  readonly allow_role_ext_key_usage?: boolean | undefined;
  /**
   * Issuance policy of directories without a role: `sign-verbatim`, `forbid`, `role:<name>`, or
   * `external-policy`, optionally with `:<policy>`.
   */
  readonly default_directory_policy?: string | undefined;
  /** DNS server for challenge lookups, `<address>:<port>`; if empty, the default resolver. */
  readonly dns_resolver?: string | undefined;
  /**
   * When an external account binding is required: `not-required`, `new-account-required` or
   * `always-required`.
   */
  readonly eab_policy?: "not-required" | "new-account-required" | "always-required" | undefined;
  /**
   * Maximum lifetime of certificates, such as 720h; also the default if neither role nor mount sets
   * one. 0 means 90 days. Seconds, or a duration such as `72h`.
   */
  readonly max_ttl?: number | string | undefined;
  /** The only address ranges (CIDR) that challenges may connect to; if empty, public addresses. */
  readonly challenge_permitted_ip_ranges?: string | readonly string[] | undefined;
  /** Address ranges (CIDR) that challenges never connect to. */
  readonly challenge_excluded_ip_ranges?: string | readonly string[] | undefined;
  /**
   * Challenge types that orders are offered: `http-01`, `dns-01`, `tls-alpn-01`, `dns-account-01`,
   * `dns-persist-01`, `device-attest-01`.
   */
  readonly challenge_types?: string | readonly string[] | undefined;
  /**
   * Domain names that identify this CA in dns-persist-01 DNS records, at most 10; if empty, the
   * host name in the mount's URL.
   */
  readonly issuer_domain_names?: string | readonly string[] | undefined;
  /**
   * Whether a dns-persist-01 DNS record with `policy=wildcard` also authorizes the subdomains of
   * its name.
   */
  readonly persistent_subdomains?: boolean | undefined;
  /** CA certificates (PEM) for Apple device attestations; if empty, none are accepted. */
  readonly attestation_apple_roots?: string | undefined;
  /** CA certificates (PEM) for TPM attestation keys; if empty, no TPM attestations are accepted. */
  readonly attestation_tpm_roots?: string | undefined;
  /**
   * CRLs (PEM) of the CAs below the attestation roots. Attestations with revoked certificates are
   * rejected. If empty, revocation is not checked.
   */
  readonly attestation_crls?: string | undefined;
  /**
   * Serial numbers and other identifiers of devices that may attest, in which `*` stands for any
   * characters; if empty, any device may attest.
   */
  readonly attestation_devices?: string | readonly string[] | undefined;
  /**
   * Parts of the certificate that contain the name of the device: `san`, `common_name`,
   * `serial_number`; if empty, none.
   */
  readonly attestation_names?: string | readonly string[] | undefined;
  /**
   * Time for which a challenge is retried before it fails, at most one hour; 0 means 30 seconds.
   * Seconds, or a duration such as `72h`.
   */
  readonly challenge_timeout?: number | string | undefined;
};
export type WriteAcmeConfigReply = ReadAcmeConfigReply;
export type ReadLogConfigInput = ReadCaPemInput;
export type ReadLogConfigReply = {
  /** Whether every use of the mount's keys is logged. */
  readonly enabled: boolean;
  /** Name of the log in checkpoints; empty until the log is first enabled. */
  readonly origin: string;
  /** Whether callers without a token may read the log. */
  readonly public: boolean;
  /** Content of new entries: `full` or `hashes`. */
  readonly entries: "full" | "hashes";
  /** Verifier key for checkpoints (C2SP signed-note); empty until the log is first enabled. */
  readonly verifier_key: string;
  /** Verifier key and URL of each witness. */
  readonly witnesses: readonly string[];
  /** Number of cosignatures that a checkpoint requires. */
  readonly witnesses_required: number;
  /** CA certificates (PEM) trusted for the witnesses' servers; empty for the platform's CAs. */
  readonly ca_pem: string;
  /** Witnesses that did not cosign the last checkpoint. */
  readonly witness_failures?: readonly {
    /** Name of the witness. */
    readonly name: string;
    /** Why the witness did not cosign the last checkpoint. */
    readonly reason: string;
  }[];
  /**
   * Time since which fewer witnesses than required cosign, so that no checkpoint is published. Unix
   * seconds.
   */
  readonly unpublished_since?: number;
} & Warnings;
export type WriteLogConfigInput = {
  /** Whether every use of the mount's keys is logged. */
  readonly enabled?: boolean | undefined;
  /**
   * Name of the log, such as `ca.example.com/v1/pki/log`. Default: the cluster path of the mount.
   * The name cannot be changed later.
   */
  readonly origin?: string | undefined;
  /** Whether callers without a token may read the log. */
  readonly public?: boolean | undefined;
  /**
   * Content of new entries: `full` for the signed certificates and CSRs, `hashes` for only their
   * SHA-256.
   */
  readonly entries?: "full" | "hashes" | undefined;
  /**
   * Witnesses that cosign checkpoints (C2SP tlog-witness), each as a verifier key, a space and a
   * URL.
   */
  readonly witnesses?: string | readonly string[] | undefined;
  /**
   * Number of cosignatures that a checkpoint must have to be published. Default: the number of
   * witnesses.
   */
  readonly witnesses_required?: number | undefined;
  /**
   * CA certificates (PEM), one of which each witness's server certificate must chain to. Default:
   * the platform's CAs.
   */
  readonly ca_pem?: string | undefined;
};
export type WriteLogConfigReply = ReadLogConfigReply;
export type ReadLogCheckpointInput = ReadCaPemInput;
export type ReadLogCheckpointReply = ReadCaPemReply;
export type ReadLogTileInput = {
  /**
   * Level and index of the tile, as in C2SP tlog-tiles: `0/000`, `0/x001/234.p/5`, `entries/000`.
   */
  readonly tile: string;
};
export type ReadLogTileReply = ReadCaReply;
export type NewEabInput = {
  /**
   * Role for all orders of the binding's accounts; only in a directory whose path names no role.
   */
  readonly role?: string | undefined;
  /** Issuer: a name, an ID, or `default`. */
  readonly issuer_ref?: string | undefined;
  /** Name of the policy, which is sent to the policy service. */
  readonly policy?: string | undefined;
  /**
   * Identifiers that the binding's accounts may order: DNS names in which `*` stands for any
   * characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of
   * roles. If absent, any name and address, but no device.
   */
  readonly allowed_identifiers?: string | readonly string[] | undefined;
  /**
   * Whether orders are ready at once, without a challenge. Requires `allowed_identifiers`, and sudo
   * on this path. Devices must still attest.
   */
  readonly preauthorized?: boolean | undefined;
  /** Number of accounts that can register with the binding, 1 to 10,000. */
  readonly max_uses?: number | undefined;
  /** Time from which the binding's accounts can no longer order or finalize, RFC 3339. */
  readonly expires?: string | undefined;
  /**
   * Key-value pairs (strings), stored as JSON with each certificate (`cert-metadata`) and in log
   * and audit events; at most 16 pairs, 1,024 characters in total.
   */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};
export type NewEabReply = {
  /** Key identifier to configure in the ACME client. */
  readonly id: string;
  /** Key type: always `hs`, an HMAC key. */
  readonly key_type: string;
  /** HMAC key to configure in the ACME client: 32 bytes, base64url. Returned only once. */
  readonly key: string;
  /**
   * The only directory that accepts the key, relative to the mount, such as
   * `roles/web/acme/directory`.
   */
  readonly acme_directory: string;
  /** When the key was created, RFC 3339. */
  readonly created_on: string;
} & Warnings;
export type ListEabInput = ListCertsInput;
export type ListEabReply = {
  /** IDs of the bindings, sorted. */
  readonly keys: readonly string[];
  /** Details of each binding by ID, without its key. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Key type: always `hs`, an HMAC key. */
        readonly key_type: string;
        /**
         * The only directory that accepts the key, relative to the mount, such as
         * `roles/web/acme/directory`.
         */
        readonly acme_directory: string;
        /** When the key was created, RFC 3339. */
        readonly created_on: string;
        /** `valid`, `expired` or `revoked`; absent without limits. */
        readonly status?: "valid" | "expired" | "revoked";
        /**
         * Role for all orders of the binding's accounts; only in a directory whose path names no role.
         */
        readonly role?: string;
        /**
         * Identifiers that the binding's accounts may order: DNS names in which `*` stands for any
         * characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of
         * roles. If absent, any name and address, but no device.
         */
        readonly allowed_identifiers?: readonly string[];
        /** Whether orders are ready at once, without a challenge. */
        readonly preauthorized?: boolean;
        /** Number of accounts that can register with the binding. */
        readonly max_uses?: number;
        /** Time from which the binding's accounts can no longer order or finalize, RFC 3339. */
        readonly expires?: string;
        /** When the binding was revoked, RFC 3339. */
        readonly revoked_on?: string;
        /** Strings stored with each certificate, and in log and audit events. */
        readonly metadata?: Readonly<Record<string, string>>;
      }
    >
  >;
} & Warnings;
export type ReadEabInput = {
  /** ID of the binding. */
  readonly key_id: string;
};
export type ReadEabReply = {
  /** Key type: always `hs`, an HMAC key. */
  readonly key_type: string;
  /**
   * The only directory that accepts the key, relative to the mount, such as
   * `roles/web/acme/directory`.
   */
  readonly acme_directory: string;
  /** When the key was created, RFC 3339. */
  readonly created_on: string;
  /** `valid`, `expired` or `revoked`; absent without limits. */
  readonly status?: "valid" | "expired" | "revoked";
  /**
   * Role for all orders of the binding's accounts; only in a directory whose path names no role.
   */
  readonly role?: string;
  /**
   * Identifiers that the binding's accounts may order: DNS names in which `*` stands for any
   * characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of
   * roles. If absent, any name and address, but no device.
   */
  readonly allowed_identifiers?: readonly string[];
  /** Whether orders are ready at once, without a challenge. */
  readonly preauthorized?: boolean;
  /** Number of accounts that can register with the binding. */
  readonly max_uses?: number;
  /** Time from which the binding's accounts can no longer order or finalize, RFC 3339. */
  readonly expires?: string;
  /** When the binding was revoked, RFC 3339. */
  readonly revoked_on?: string;
  /** Strings stored with each certificate, and in log and audit events. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** IDs of the accounts registered with the binding, at most 1000. */
  readonly accounts: readonly string[];
} & Warnings;
export type TightenEabInput = {
  /** ID of the binding. */
  readonly key_id: string;
  /**
   * Role for all orders of the binding's accounts; only in a directory whose path names no role.
   */
  readonly role?: string | undefined;
  /**
   * Identifiers that the binding's accounts may order: DNS names in which `*` stands for any
   * characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of
   * roles. If absent, any name and address, but no device.
   */
  readonly allowed_identifiers?: string | readonly string[] | undefined;
  /**
   * Whether orders are ready at once, without a challenge. Requires `allowed_identifiers`, and sudo
   * on this path. Devices must still attest.
   */
  readonly preauthorized?: boolean | undefined;
  /** Number of accounts that can register with the binding, 1 to 10,000. */
  readonly max_uses?: number | undefined;
  /** Time from which the binding's accounts can no longer order or finalize, RFC 3339. */
  readonly expires?: string | undefined;
};
export type TightenEabReply = {
  /** `valid`, `expired` or `revoked`; absent without limits. */
  readonly status?: "valid" | "expired" | "revoked";
  /**
   * Role for all orders of the binding's accounts; only in a directory whose path names no role.
   */
  readonly role?: string;
  /**
   * Identifiers that the binding's accounts may order: DNS names in which `*` stands for any
   * characters, including dots; CIDR ranges; and devices as in `allowed_device_identifiers` of
   * roles. If absent, any name and address, but no device.
   */
  readonly allowed_identifiers?: readonly string[];
  /** Whether orders are ready at once, without a challenge. */
  readonly preauthorized?: boolean;
  /** Number of accounts that can register with the binding. */
  readonly max_uses?: number;
  /** Time from which the binding's accounts can no longer order or finalize, RFC 3339. */
  readonly expires?: string;
  /** When the binding was revoked, RFC 3339. */
  readonly revoked_on?: string;
  /** Strings stored with each certificate, and in log and audit events. */
  readonly metadata?: Readonly<Record<string, string>>;
} & Warnings;
export type DeleteEabInput = ReadEabInput;
export type DeleteEabReply = DeleteIssuerReply;
export type ListAcmeAccountsInput = PageFields & {
  /** Whether to return the fields of each account too. Default: `false`. */
  readonly detailed?: boolean | undefined;
};
export type ListAcmeAccountsReply = {
  /** Account IDs, sorted. */
  readonly keys: readonly string[];
  /** With `detailed`: the fields of each account that the caller may read, by ID. */
  readonly key_info?: Readonly<
    Record<
      string,
      {
        /** ID of the account: the last segment of its URL. */
        readonly key_id: string;
        /** `valid`, `deactivated` (by the client) or `revoked` (by tidy or an administrator). */
        readonly status: "valid" | "deactivated" | "revoked";
        /** Contact URLs that the client registered. */
        readonly contacts: readonly string[];
        /** When the account was created, RFC 3339. */
        readonly created_time: string;
        /** When the account was revoked or deactivated, RFC 3339; otherwise empty. */
        readonly revoked_time: string;
        /** The only directory in which the account exists, such as `roles/web/acme/`. */
        readonly directory: string;
        /** External account binding used at registration; empty if none. */
        readonly eab: {
          /** ID of the binding. */
          readonly eab_id?: string;
          /** Key type: always `hs`, an HMAC key. */
          readonly key_type?: string;
          /** Directory that accepts the binding. */
          readonly directory?: string;
          /** When the binding was created, RFC 3339. */
          readonly created_time?: string;
        };
      }
    >
  >;
} & Warnings;
export type ReadAcmeAccountInput = {
  /** ID of the account. */
  readonly key_id: string;
};
export type ReadAcmeAccountReply = AcmeAccountReply & {
  /** Orders of the account, at most 10,000. */
  readonly orders: readonly {
    /** ID of the order. */
    readonly order_id: string;
    /** `pending`, `ready`, `valid` or `invalid`. */
    readonly status: "pending" | "ready" | "valid" | "invalid";
    /** DNS names and IP addresses of the order. */
    readonly identifiers: readonly string[];
    /** When the order expires, RFC 3339. */
    readonly order_expiry: string;
    /** When the certificate expires, RFC 3339; empty if none was issued. */
    readonly cert_expiry: string;
    /** Serial number of the certificate, with colons; empty if none was issued. */
    readonly cert_serial_number: string;
  }[];
} & Warnings;
export type WriteAcmeAccountInput = {
  /** ID of the account. */
  readonly key_id: string;
  /** New status: `revoked` or `valid`. */
  readonly status: "revoked" | "valid";
};
export type WriteAcmeAccountReply = AcmeAccountReply & Warnings;

/** Typed client: Every endpoint of a CA mount, such as `/v1/pki`. */
export interface PkiClient {
  /**
   * Generates a key and issues a certificate for it under a role. The private key is returned only
   * in this reply and is not stored.
   * `POST /v1/pki/issue/:role`, `POST /v1/pki/issuer/:issuer_ref/issue/:role`. Fails with
   * `invalid_field`, `unknown_role`, `malformed`, `role_violation`, `unknown_issuer`,
   * `unusable_issuer`, `name_not_allowed`, `validity`, `constraint`.
   */
  issue(
    input: IssueInput & { readonly format?: "pem" | "der" | "pem_bundle" | undefined },
    options?: CallOptions,
  ): Promise<WithPrivateKey<IssueReply>>;
  /**
   * Generates a key and issues a certificate for it under a role. The private key is returned only
   * in this reply and is not stored.
   * `POST /v1/pki/issue/:role`, `POST /v1/pki/issuer/:issuer_ref/issue/:role`. Fails with
   * `invalid_field`, `unknown_role`, `malformed`, `role_violation`, `unknown_issuer`,
   * `unusable_issuer`, `name_not_allowed`, `validity`, `constraint`.
   */
  issue(input: IssueInput, options?: CallOptions): Promise<IssueReply>;
  /**
   * Issues a certificate for the key in a CSR under a role.
   * `POST /v1/pki/sign/:role`, `POST /v1/pki/issuer/:issuer_ref/sign/:role`. Fails with
   * `invalid_field`, `unknown_role`, `malformed`, `role_violation`, `unknown_issuer`,
   * `unusable_issuer`, `bad_csr`, `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  sign(input: SignInput, options?: CallOptions): Promise<SignReply>;
  /**
   * Issues a certificate with the unchanged subject, names and extensions of a CSR. Never issues CA
   * certificates, and issues unknown critical extensions only if the issuer's check is disabled.
   * Allow this only for highly trusted callers.
   * `POST /v1/pki/sign-verbatim(/:role+)`, `POST /v1/pki/issuer/:path_ref/sign-verbatim(/:role+)`.
   * Fails with `invalid_field`, `unknown_role`, `malformed`, `unknown_issuer`, `unusable_issuer`,
   * `bad_csr`, `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  signVerbatim(input: SignVerbatimInput, options?: CallOptions): Promise<SignVerbatimReply>;
  /**
   * Returns the default issuer's certificate as PEM.
   * `GET /v1/pki/ca/pem`, `GET /v1/pki/cert/ca/raw/pem`. Needs no token.
   */
  readCaPem(input?: ReadCaPemInput, options?: CallOptions): Promise<ReadCaPemReply>;
  /**
   * Returns the default issuer's certificate as DER.
   * `GET /v1/pki/ca`, `GET /v1/pki/cert/ca/raw`. Needs no token.
   */
  readCa(input?: ReadCaInput, options?: CallOptions): Promise<ReadCaReply>;
  /**
   * Returns the default issuer's certificate chain as PEM.
   * `GET /v1/pki/ca_chain`. Needs no token.
   */
  readCaChain(input?: ReadCaChainInput, options?: CallOptions): Promise<ReadCaChainReply>;
  /**
   * Returns the default issuer's certificate.
   * `GET /v1/pki/cert/ca`. Needs no token. Fails with `not_found`.
   */
  readCaCert(input?: ReadCaCertInput, options?: CallOptions): Promise<ReadCaCertReply>;
  /**
   * Returns the default issuer's certificate chain as one string.
   * `GET /v1/pki/cert/ca_chain`. Needs no token. Fails with `not_found`.
   */
  readChainCert(input?: ReadChainCertInput, options?: CallOptions): Promise<ReadChainCertReply>;
  /** Returns the default issuer's CRL as DER. `GET /v1/pki/crl`. Needs no token. */
  readCrl(input?: ReadCrlInput, options?: CallOptions): Promise<ReadCrlReply>;
  /** Returns the default issuer's CRL as PEM. `GET /v1/pki/crl/pem`. Needs no token. */
  readCrlPem(input?: ReadCrlPemInput, options?: CallOptions): Promise<ReadCrlPemReply>;
  /**
   * Returns the default issuer's CRL.
   * `GET /v1/pki/cert/crl`. Needs no token. Fails with `not_found`.
   */
  readCrlCert(input?: ReadCrlCertInput, options?: CallOptions): Promise<ReadCrlCertReply>;
  /**
   * Returns the default issuer's delta CRL as DER. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta`. Needs no token.
   */
  readDeltaCrl(input?: ReadDeltaCrlInput, options?: CallOptions): Promise<ReadDeltaCrlReply>;
  /**
   * Returns the default issuer's delta CRL as PEM. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta/pem`. Needs no token.
   */
  readDeltaCrlPem(
    input?: ReadDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadDeltaCrlPemReply>;
  /**
   * Returns the default issuer's delta CRL.
   * `GET /v1/pki/cert/delta-crl`. Needs no token. Fails with `not_found`.
   */
  readDeltaCrlCert(
    input?: ReadDeltaCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadDeltaCrlCertReply>;
  /**
   * Returns the default issuer's unified CRL as DER. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/unified-crl`. Needs no token.
   */
  readUnifiedCrl(input?: ReadUnifiedCrlInput, options?: CallOptions): Promise<ReadUnifiedCrlReply>;
  /**
   * Returns the default issuer's unified CRL as PEM. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/unified-crl/pem`. Needs no token.
   */
  readUnifiedCrlPem(
    input?: ReadUnifiedCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedCrlPemReply>;
  /**
   * Returns the default issuer's unified CRL.
   * `GET /v1/pki/cert/unified-crl`. Needs no token. Fails with `not_found`.
   */
  readUnifiedCrlCert(
    input?: ReadUnifiedCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedCrlCertReply>;
  /**
   * Returns the default issuer's unified delta CRL as DER. The reply is empty while `unified_crl`
   * is off.
   * `GET /v1/pki/unified-crl/delta`. Needs no token.
   */
  readUnifiedDeltaCrl(
    input?: ReadUnifiedDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlReply>;
  /**
   * Returns the default issuer's unified delta CRL as PEM. The reply is empty while `unified_crl`
   * is off.
   * `GET /v1/pki/unified-crl/delta/pem`. Needs no token.
   */
  readUnifiedDeltaCrlPem(
    input?: ReadUnifiedDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlPemReply>;
  /**
   * Returns the default issuer's unified delta CRL.
   * `GET /v1/pki/cert/unified-delta-crl`. Needs no token. Fails with `not_found`.
   */
  readUnifiedDeltaCrlCert(
    input?: ReadUnifiedDeltaCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlCertReply>;
  /**
   * Returns the default issuer's CRL of a shard as DER.
   * `GET /v1/pki/crl/shard/:shard`, `GET /v1/pki/unified-crl/shard/:shard`. Needs no token.
   */
  readShardCrl(input: ReadShardCrlInput, options?: CallOptions): Promise<ReadShardCrlReply>;
  /**
   * Returns the default issuer's CRL of a shard as PEM.
   * `GET /v1/pki/crl/pem/shard/:shard`, `GET /v1/pki/unified-crl/pem/shard/:shard`. Needs no token.
   */
  readShardCrlPem(
    input: ReadShardCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadShardCrlPemReply>;
  /**
   * Returns the default issuer's delta CRL of a shard as DER. It has no entries while
   * `enable_delta` is off.
   * `GET /v1/pki/crl/delta/shard/:shard`, `GET /v1/pki/unified-crl/delta/shard/:shard`. Needs no
   * token.
   */
  readShardDelta(input: ReadShardDeltaInput, options?: CallOptions): Promise<ReadShardDeltaReply>;
  /**
   * Returns the default issuer's delta CRL of a shard as PEM. It has no entries while
   * `enable_delta` is off.
   * `GET /v1/pki/crl/delta/pem/shard/:shard`, `GET /v1/pki/unified-crl/delta/pem/shard/:shard`.
   * Needs no token.
   */
  readShardDeltaPem(
    input: ReadShardDeltaPemInput,
    options?: CallOptions,
  ): Promise<ReadShardDeltaPemReply>;
  /**
   * Reads a stored certificate and its revocation status.
   * `GET /v1/pki/cert/:serial`. Needs no token. Fails with `not_found`, `damaged`.
   */
  readCert(input: ReadCertInput, options?: CallOptions): Promise<ReadCertReply>;
  /**
   * Reads a stored certificate as DER.
   * `GET /v1/pki/cert/:serial/raw`. Needs no token. Fails with `damaged`.
   */
  readCertRaw(input: ReadCertRawInput, options?: CallOptions): Promise<ReadCertRawReply>;
  /**
   * Reads a stored certificate as PEM.
   * `GET /v1/pki/cert/:serial/raw/pem`. Needs no token. Fails with `damaged`.
   */
  readCertPem(input: ReadCertPemInput, options?: CallOptions): Promise<ReadCertPemReply>;
  /** Lists the serial numbers of all stored certificates. `LIST /v1/pki/certs`. */
  listCerts(input?: ListCertsInput, options?: CallOptions): Promise<ListCertsReply>;
  /** Lists the serial numbers of all revoked certificates. `LIST /v1/pki/certs/revoked`. */
  listRevoked(input?: ListRevokedInput, options?: CallOptions): Promise<ListRevokedReply>;
  /**
   * Returns an issuer's certificate and chain.
   * `GET /v1/pki/issuer/:issuer_ref/json`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerJson(input: ReadIssuerJsonInput, options?: CallOptions): Promise<ReadIssuerJsonReply>;
  /**
   * Returns an issuer's certificate as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerPem(input: ReadIssuerPemInput, options?: CallOptions): Promise<ReadIssuerPemReply>;
  /**
   * Returns an issuer's certificate as DER.
   * `GET /v1/pki/issuer/:issuer_ref/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDer(input: ReadIssuerDerInput, options?: CallOptions): Promise<ReadIssuerDerReply>;
  /**
   * Returns an issuer's CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrl(input: ReadIssuerCrlInput, options?: CallOptions): Promise<ReadIssuerCrlReply>;
  /**
   * Returns an issuer's CRL as DER.
   * `GET /v1/pki/issuer/:issuer_ref/crl/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrlDer(
    input: ReadIssuerCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerCrlDerReply>;
  /**
   * Returns an issuer's CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrlPem(
    input: ReadIssuerCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerCrlPemReply>;
  /**
   * Returns an issuer's delta CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrl(
    input: ReadIssuerDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlReply>;
  /**
   * Returns an issuer's delta CRL as DER. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrlDer(
    input: ReadIssuerDeltaCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlDerReply>;
  /**
   * Returns an issuer's delta CRL as PEM. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrlPem(
    input: ReadIssuerDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlPemReply>;
  /**
   * Returns an issuer's unified CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrl(
    input: ReadIssuerUnifiedCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlReply>;
  /**
   * Returns an issuer's unified CRL as DER. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrlDer(
    input: ReadIssuerUnifiedCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlDerReply>;
  /**
   * Returns an issuer's unified CRL as PEM. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrlPem(
    input: ReadIssuerUnifiedCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlPemReply>;
  /**
   * Returns an issuer's unified delta CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrl(
    input: ReadIssuerUnifiedDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlReply>;
  /**
   * Returns an issuer's unified delta CRL as DER. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta/der`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrlDer(
    input: ReadIssuerUnifiedDeltaCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlDerReply>;
  /**
   * Returns an issuer's unified delta CRL as PEM. The reply is empty while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta/pem`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrlPem(
    input: ReadIssuerUnifiedDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlPemReply>;
  /**
   * Returns an issuer's CRL of a shard as DER.
   * `GET /v1/pki/issuer/:issuer_ref/crl/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/crl/der/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/der/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardCrl(
    input: ReadIssuerShardCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardCrlReply>;
  /**
   * Returns an issuer's CRL of a shard as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl/pem/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/pem/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardCrlPem(
    input: ReadIssuerShardCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardCrlPemReply>;
  /**
   * Returns an issuer's delta CRL of a shard as DER. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/crl/delta/der/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/delta/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/delta/der/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardDelta(
    input: ReadIssuerShardDeltaInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardDeltaReply>;
  /**
   * Returns an issuer's delta CRL of a shard as PEM. It has no entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/pem/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/delta/pem/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardDeltaPem(
    input: ReadIssuerShardDeltaPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardDeltaPemReply>;
  /**
   * Responds to an OCSP request for certificates of this mount.
   * `POST /v1/pki/ocsp`. Needs no token. Fails with `unauthorized`.
   */
  askOcsp(input: AskOcspInput, options?: CallOptions): Promise<AskOcspReply>;
  /**
   * Responds to an OCSP request in the URL path, base64.
   * `GET /v1/pki/ocsp/:request+`. Needs no token. Fails with `unauthorized`.
   */
  readOcsp(input: ReadOcspInput, options?: CallOptions): Promise<ReadOcspReply>;
  /**
   * Responds to an OCSP request for certificates of all clusters, if `unified_crl` is enabled.
   * `POST /v1/pki/unified-ocsp`. Needs no token. Fails with `unauthorized`.
   */
  askUnifiedOcsp(input: AskUnifiedOcspInput, options?: CallOptions): Promise<AskUnifiedOcspReply>;
  /**
   * Responds to an OCSP request in the URL path, base64, for certificates of all clusters, if
   * `unified_crl` is enabled.
   * `GET /v1/pki/unified-ocsp/:request+`. Needs no token. Fails with `unauthorized`.
   */
  readUnifiedOcsp(
    input: ReadUnifiedOcspInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedOcspReply>;
  /**
   * Revokes a certificate, given its serial number or the certificate itself. If it is already
   * revoked, returns the original time of revocation. If it is not stored here and
   * cross_cluster_revocation is enabled in config/crl, queues the revocation.
   * `POST /v1/pki/revoke`. Fails with `invalid_field`, `malformed`, `unknown_certificate`,
   * `is_issuer`, `bad_certificate`, `damaged`, `too_many_requests`.
   */
  revoke(input: RevokeInput, options?: CallOptions): Promise<RevokeReply>;
  /**
   * Revokes a certificate, given its serial number or the certificate itself, if the caller proves
   * possession of the private key. The key is not stored.
   * `POST /v1/pki/revoke-with-key`. Fails with `invalid_field`, `malformed`, `unknown_certificate`,
   * `is_issuer`, `bad_certificate`, `damaged`, `bad_key`.
   */
  revokeWithKey(input: RevokeWithKeyInput, options?: CallOptions): Promise<RevokeWithKeyReply>;
  /**
   * Revokes an issuer. It can no longer issue certificates, and is listed on the CRLs of the
   * issuers in this mount that signed it. This cannot be undone.
   * `POST /v1/pki/issuer/:issuer_ref/revoke`. Fails with `unknown_issuer`.
   */
  revokeIssuer(input: RevokeIssuerInput, options?: CallOptions): Promise<RevokeIssuerReply>;
  /**
   * Merges CRLs that were signed with the issuer's key into one signed CRL. Stores nothing.
   * `POST /v1/pki/issuer/:issuer_ref/resign-crls`. Fails with `malformed`, `unusable_issuer`.
   */
  resignCrls(input: ResignCrlsInput, options?: CallOptions): Promise<ResignCrlsReply>;
  /**
   * Signs a CRL with the given entries and extensions. Stores nothing.
   * `POST /v1/pki/issuer/:issuer_ref/sign-revocation-list`. Fails with `malformed`,
   * `unusable_issuer`.
   */
  signRevocationList(
    input: SignRevocationListInput,
    options?: CallOptions,
  ): Promise<SignRevocationListReply>;
  /** Reads the CRL configuration. `GET /v1/pki/config/crl`. */
  readCrlConfig(input?: ReadCrlConfigInput, options?: CallOptions): Promise<ReadCrlConfigReply>;
  /**
   * Updates the CRL configuration. Omitted fields keep their values.
   * `POST /v1/pki/config/crl`. Fails with `invalid_field`, `malformed`.
   */
  writeCrlConfig(input?: WriteCrlConfigInput, options?: CallOptions): Promise<WriteCrlConfigReply>;
  /** Builds all CRLs of the mount now. `GET /v1/pki/crl/rotate`. */
  rotateCrl(input?: RotateCrlInput, options?: CallOptions): Promise<RotateCrlReply>;
  /** Builds all delta CRLs of the mount now. `GET /v1/pki/crl/rotate-delta`. */
  rotateDeltaCrl(input?: RotateDeltaCrlInput, options?: CallOptions): Promise<RotateDeltaCrlReply>;
  /**
   * Generates a key and a self-signed CA certificate, and adds it as a new issuer. Returns the
   * private key in this reply only.
   * `POST /v1/pki/root/generate/exported`, `POST /v1/pki/issuers/generate/root/exported`. Fails
   * with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateExportedRoot(
    input?: GenerateExportedRootInput & {
      readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    },
    options?: CallOptions,
  ): Promise<WithPrivateKey<GenerateExportedRootReply>>;
  /**
   * Generates a key and a self-signed CA certificate, and adds it as a new issuer. Returns the
   * private key in this reply only.
   * `POST /v1/pki/root/generate/exported`, `POST /v1/pki/issuers/generate/root/exported`. Fails
   * with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateExportedRoot(
    input?: GenerateExportedRootInput,
    options?: CallOptions,
  ): Promise<GenerateExportedRootReply>;
  /**
   * Generates a self-signed CA certificate for an existing key of the mount, and adds it as a new
   * issuer.
   * `POST /v1/pki/root/generate/existing`, `POST /v1/pki/issuers/generate/root/existing`. Fails
   * with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRootFromKey(
    input?: GenerateRootFromKeyInput,
    options?: CallOptions,
  ): Promise<GenerateRootFromKeyReply>;
  /**
   * Generates a self-signed CA certificate for a managed key, and adds it as a new issuer.
   * `POST /v1/pki/root/generate/kms`, `POST /v1/pki/issuers/generate/root/kms`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRootFromManagedKey(
    input?: GenerateRootFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<GenerateRootFromManagedKeyReply>;
  /**
   * Generates a key and a self-signed CA certificate, and adds it as a new issuer. The key never
   * leaves the mount.
   * `POST /v1/pki/root/generate/internal`, `POST /v1/pki/issuers/generate/root/internal`, `POST
   * /v1/pki/root/generate/:exported`, `POST /v1/pki/issuers/generate/root/:exported`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRoot(input?: GenerateRootInput, options?: CallOptions): Promise<GenerateRootReply>;
  /**
   * Generates a new root alongside the current one. Use `/root/replace` to make it the default
   * issuer later.
   * `POST /v1/pki/root/rotate/exported`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateExportedRoot(
    input?: RotateExportedRootInput & {
      readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    },
    options?: CallOptions,
  ): Promise<WithPrivateKey<RotateExportedRootReply>>;
  /**
   * Generates a new root alongside the current one. Use `/root/replace` to make it the default
   * issuer later.
   * `POST /v1/pki/root/rotate/exported`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateExportedRoot(
    input?: RotateExportedRootInput,
    options?: CallOptions,
  ): Promise<RotateExportedRootReply>;
  /**
   * Generates a new root alongside the current one. Use `/root/replace` to make it the default
   * issuer later.
   * `POST /v1/pki/root/rotate/existing`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateRootFromKey(
    input?: RotateRootFromKeyInput,
    options?: CallOptions,
  ): Promise<RotateRootFromKeyReply>;
  /**
   * Generates a new root alongside the current one. Use `/root/replace` to make it the default
   * issuer later.
   * `POST /v1/pki/root/rotate/kms`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateRootFromManagedKey(
    input?: RotateRootFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<RotateRootFromManagedKeyReply>;
  /**
   * Generates a new root alongside the current one. Use `/root/replace` to make it the default
   * issuer later.
   * `POST /v1/pki/root/rotate/internal`, `POST /v1/pki/root/rotate/:exported`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  rotateRoot(input?: RotateRootInput, options?: CallOptions): Promise<RotateRootReply>;
  /**
   * Generates a key and a CSR for an intermediate CA, and returns the private key in this reply
   * only.
   * `POST /v1/pki/intermediate/generate/exported`, `POST
   * /v1/pki/issuers/generate/intermediate/exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateExportedIntermediate(
    input?: GenerateExportedIntermediateInput & {
      readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    },
    options?: CallOptions,
  ): Promise<WithPrivateKey<GenerateExportedIntermediateReply>>;
  /**
   * Generates a key and a CSR for an intermediate CA, and returns the private key in this reply
   * only.
   * `POST /v1/pki/intermediate/generate/exported`, `POST
   * /v1/pki/issuers/generate/intermediate/exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateExportedIntermediate(
    input?: GenerateExportedIntermediateInput,
    options?: CallOptions,
  ): Promise<GenerateExportedIntermediateReply>;
  /**
   * Generates a CSR for an existing key of the mount, for example for cross-signing.
   * `POST /v1/pki/intermediate/generate/existing`, `POST
   * /v1/pki/issuers/generate/intermediate/existing`, `POST /v1/pki/intermediate/cross-sign`. Fails
   * with `invalid_field`, `malformed`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateIntermediateFromKey(
    input?: GenerateIntermediateFromKeyInput,
    options?: CallOptions,
  ): Promise<GenerateIntermediateFromKeyReply>;
  /**
   * Generates a CSR for a managed key.
   * `POST /v1/pki/intermediate/generate/kms`, `POST /v1/pki/issuers/generate/intermediate/kms`.
   * Fails with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`,
   * `validity`.
   */
  generateIntermediateFromManagedKey(
    input?: GenerateIntermediateFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<GenerateIntermediateFromManagedKeyReply>;
  /**
   * Generates a key and a CSR for an intermediate CA. The key never leaves the mount.
   * `POST /v1/pki/intermediate/generate/internal`, `POST
   * /v1/pki/issuers/generate/intermediate/internal`, `POST
   * /v1/pki/intermediate/generate/:exported`, `POST
   * /v1/pki/issuers/generate/intermediate/:exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateIntermediate(
    input?: GenerateIntermediateInput,
    options?: CallOptions,
  ): Promise<GenerateIntermediateReply>;
  /**
   * Issues a CA certificate for the key in a CSR. Callers can thereby create certificates for any
   * name.
   * `POST /v1/pki/root/sign-intermediate`, `POST /v1/pki/issuer/:issuer_ref/sign-intermediate`.
   * Fails with `invalid_field`, `malformed`, `unknown_issuer`, `unusable_issuer`, `bad_csr`,
   * `already_exists`, `bad_key`, `constraint`, `name_not_allowed`, `validity`.
   */
  signIntermediate(
    input: SignIntermediateInput,
    options?: CallOptions,
  ): Promise<SignIntermediateReply>;
  /**
   * Signs a self-issued CA certificate with an issuer, for a root rollover. Replaces only the
   * issuer name, the authority key identifier, and the URLs, if the issuer has any; truncates the
   * validity if necessary.
   * `POST /v1/pki/root/sign-self-issued`. Needs the capability `sudo`. Fails with
   * `bad_certificate`, `bad_key`, `constraint`, `name_not_allowed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`.
   */
  signSelfIssued(input: SignSelfIssuedInput, options?: CallOptions): Promise<SignSelfIssuedReply>;
  /**
   * Signs a self-issued CA certificate with an issuer, for a root rollover. Replaces only the
   * issuer name, the authority key identifier, and the URLs, if the issuer has any; truncates the
   * validity if necessary.
   * `POST /v1/pki/issuer/:issuer_ref/sign-self-issued`. Needs the capability `sudo`. Fails with
   * `bad_certificate`, `bad_key`, `constraint`, `name_not_allowed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`.
   */
  signSelfIssuedWith(
    input: SignSelfIssuedWithInput,
    options?: CallOptions,
  ): Promise<SignSelfIssuedWithReply>;
  /**
   * Imports CA certificates as issuers. An issuer can sign if the mount has its key.
   * `POST /v1/pki/intermediate/set-signed`. Fails with `malformed`, `bad_certificate`.
   */
  setSigned(input?: SetSignedInput, options?: CallOptions): Promise<SetSignedReply>;
  /**
   * Imports CA certificates as issuers. Private keys are rejected.
   * `POST /v1/pki/issuers/import/cert`. Fails with `malformed`, `bad_certificate`.
   */
  importCertificates(
    input?: ImportCertificatesInput,
    options?: CallOptions,
  ): Promise<ImportCertificatesReply>;
  /**
   * Imports CA certificates as issuers, together with private keys. Ignores CRLs, EC parameters,
   * and text between the blocks.
   * `POST /v1/pki/issuers/import/bundle`, `POST /v1/pki/config/ca`. Fails with `malformed`,
   * `bad_certificate`, `bad_key`.
   */
  importBundle(input?: ImportBundleInput, options?: CallOptions): Promise<ImportBundleReply>;
  /** Lists the issuers of the mount. `LIST /v1/pki/issuers`. Needs no token. */
  listIssuers(input?: ListIssuersInput, options?: CallOptions): Promise<ListIssuersReply>;
  /** Reads an issuer. `GET /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`. */
  readIssuer(input: ReadIssuerInput, options?: CallOptions): Promise<ReadIssuerReply>;
  /**
   * Sets all writable fields of an issuer. Omitted fields are reset to their defaults.
   * `POST /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`, `malformed`, `already_exists`.
   */
  writeIssuer(input: WriteIssuerInput, options?: CallOptions): Promise<WriteIssuerReply>;
  /**
   * Updates an issuer. Omitted fields keep their values.
   * `PATCH /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`, `malformed`, `already_exists`.
   */
  patchIssuer(input: PatchIssuerInput, options?: CallOptions): Promise<PatchIssuerReply>;
  /**
   * Deletes an issuer. Keeps its key and the certificates it issued.
   * `DELETE /v1/pki/issuer/:issuer_ref`.
   */
  deleteIssuer(input: DeleteIssuerInput, options?: CallOptions): Promise<DeleteIssuerReply>;
  /**
   * Deletes all issuers and keys of the mount. Keeps the certificates they issued.
   * `DELETE /v1/pki/root`. Needs the capability `sudo`.
   */
  deleteRoot(input?: DeleteRootInput, options?: CallOptions): Promise<DeleteRootReply>;
  /** Lists the CA keys of the mount. `LIST /v1/pki/keys`. */
  listKeys(input?: ListKeysInput, options?: CallOptions): Promise<ListKeysReply>;
  /**
   * Generates a CA key that never leaves the mount.
   * `POST /v1/pki/keys/generate/internal`. Fails with `invalid_field`, `malformed`,
   * `already_exists`.
   */
  generateCaKey(input?: GenerateCaKeyInput, options?: CallOptions): Promise<GenerateCaKeyReply>;
  /**
   * Generates a CA key, and returns the private key in this reply only.
   * `POST /v1/pki/keys/generate/exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`.
   */
  generateExportedCaKey(
    input?: GenerateExportedCaKeyInput,
    options?: CallOptions,
  ): Promise<GenerateExportedCaKeyReply>;
  /**
   * Adds a managed key as a CA key of the mount. The key stays in the external service, which signs
   * with it.
   * `POST /v1/pki/keys/generate/kms`. Fails with `invalid_field`, `malformed`, `already_exists`.
   */
  generateManagedCaKey(
    input?: GenerateManagedCaKeyInput,
    options?: CallOptions,
  ): Promise<GenerateManagedCaKeyReply>;
  /**
   * Imports a private key as a CA key. Issuers that have its public key can then sign.
   * `POST /v1/pki/keys/import`. Fails with `malformed`, `bad_key`, `already_exists`.
   */
  importKey(input: ImportKeyInput, options?: CallOptions): Promise<ImportKeyReply>;
  /**
   * Reads the ID, name and type of a CA key, but not the private key.
   * `GET /v1/pki/key/:key_ref`. Fails with `unknown_key`.
   */
  readKey(input: ReadKeyInput, options?: CallOptions): Promise<ReadKeyReply>;
  /**
   * Sets the name of a CA key. An empty name removes the current name.
   * `POST /v1/pki/key/:key_ref`. Fails with `unknown_key`, `malformed`, `already_exists`.
   */
  writeKey(input: WriteKeyInput, options?: CallOptions): Promise<WriteKeyReply>;
  /**
   * Deletes a CA key that no issuer uses. This cannot be undone.
   * `DELETE /v1/pki/key/:key_ref`. Fails with `in_use`.
   */
  deleteKey(input: DeleteKeyInput, options?: CallOptions): Promise<DeleteKeyReply>;
  /** Reads the default key of the mount. `GET /v1/pki/config/keys`. */
  readKeysConfig(input?: ReadKeysConfigInput, options?: CallOptions): Promise<ReadKeysConfigReply>;
  /** Sets the default key of the mount. `POST /v1/pki/config/keys`. Fails with `malformed`. */
  writeKeysConfig(
    input: WriteKeysConfigInput,
    options?: CallOptions,
  ): Promise<WriteKeysConfigReply>;
  /** Reads the default issuer of the mount. `GET /v1/pki/config/issuers`. */
  readIssuersConfig(
    input?: ReadIssuersConfigInput,
    options?: CallOptions,
  ): Promise<ReadIssuersConfigReply>;
  /**
   * Sets the default issuer of the mount.
   * `POST /v1/pki/config/issuers`. Fails with `malformed`.
   */
  writeIssuersConfig(
    input: WriteIssuersConfigInput,
    options?: CallOptions,
  ): Promise<WriteIssuersConfigReply>;
  /**
   * Makes a new root, for example one created by a rotation, the default issuer.
   * `POST /v1/pki/root/replace`. Fails with `malformed`.
   */
  replaceRoot(input?: ReplaceRootInput, options?: CallOptions): Promise<ReplaceRootReply>;
  /** Lists the names of the roles. `LIST /v1/pki/roles`. */
  listRoles(input?: ListRolesInput, options?: CallOptions): Promise<ListRolesReply>;
  /** Reads a role. `GET /v1/pki/roles/:name`. Fails with `not_found`. */
  readRole(input: ReadRoleInput, options?: CallOptions): Promise<ReadRoleReply>;
  /**
   * Creates or replaces a role. Omitted fields are set to their defaults.
   * `POST /v1/pki/roles/:name`. Fails with `invalid_field`, `role_violation`, `bad_key`.
   */
  writeRole(input: WriteRoleInput, options?: CallOptions): Promise<WriteRoleReply>;
  /**
   * Updates a role. Omitted fields keep their values.
   * `PATCH /v1/pki/roles/:name`. Fails with `invalid_field`, `role_violation`, `unknown_role`,
   * `bad_key`.
   */
  patchRole(input: PatchRoleInput, options?: CallOptions): Promise<PatchRoleReply>;
  /** Deletes a role. Certificates issued under it stay valid. `DELETE /v1/pki/roles/:name`. */
  deleteRole(input: DeleteRoleInput, options?: CallOptions): Promise<DeleteRoleReply>;
  /** Reads the URLs that certificates contain. `GET /v1/pki/config/urls`. */
  readUrls(input?: ReadUrlsInput, options?: CallOptions): Promise<ReadUrlsReply>;
  /**
   * Updates the URLs that certificates contain. Omitted fields keep their values; an empty list
   * clears a field.
   * `POST /v1/pki/config/urls`. Fails with `invalid_field`, `malformed`.
   */
  writeUrls(input?: WriteUrlsInput, options?: CallOptions): Promise<WriteUrlsReply>;
  /**
   * Sets the URLs that certificates contain to those that this mount serves, based on
   * `config/cluster`: the certificate, CRL, delta CRL and OCSP URLs of each issuer, if enabled.
   * Warns about URLs that are replaced.
   * `POST /v1/pki/config/urls/defaults`. Fails with `malformed`.
   */
  fillUrls(input?: FillUrlsInput, options?: CallOptions): Promise<FillUrlsReply>;
  /** Reads the external URLs of the mount. `GET /v1/pki/config/cluster`. */
  readCluster(input?: ReadClusterInput, options?: CallOptions): Promise<ReadClusterReply>;
  /**
   * Updates the external URLs of the mount. Omitted fields keep their values.
   * `POST /v1/pki/config/cluster`. Fails with `invalid_field`, `malformed`.
   */
  writeCluster(input?: WriteClusterInput, options?: CallOptions): Promise<WriteClusterReply>;
  /** Reads the EST configuration of the mount. `GET /v1/pki/config/est`. */
  readEstConfig(input?: ReadEstConfigInput, options?: CallOptions): Promise<ReadEstConfigReply>;
  /**
   * Updates the given fields of the EST configuration.
   * `POST /v1/pki/config/est`. Fails with `invalid_field`, `malformed`, `already_exists`.
   */
  writeEstConfig(input?: WriteEstConfigInput, options?: CallOptions): Promise<WriteEstConfigReply>;
  /**
   * Reads the configuration of the external policy service.
   * `GET /v1/pki/config/external-policy`.
   */
  readExternalPolicy(
    input?: ReadExternalPolicyInput,
    options?: CallOptions,
  ): Promise<ReadExternalPolicyReply>;
  /**
   * Updates the given fields of the external policy configuration. A URL requires trusted_ca or
   * trusted_leaf_certificate_bundle.
   * `POST /v1/pki/config/external-policy`. Fails with `bad_key`, `malformed`.
   */
  writeExternalPolicy(
    input?: WriteExternalPolicyInput,
    options?: CallOptions,
  ): Promise<WriteExternalPolicyReply>;
  /**
   * Sends a test request to the external policy service. Nothing is issued.
   * `POST /v1/pki/config/external-policy/check`. Fails with `malformed`.
   */
  checkExternalPolicy(
    input?: CheckExternalPolicyInput,
    options?: CallOptions,
  ): Promise<CheckExternalPolicyReply>;
  /**
   * Lists the queued requests to revoke certificates that are not stored here, and those that were
   * completed once the certificate was presented.
   * `LIST /v1/pki/certs/revocation-queue`.
   */
  listRevocationQueue(
    input?: ListRevocationQueueInput,
    options?: CallOptions,
  ): Promise<ListRevocationQueueReply>;
  /**
   * Lists the serial numbers of the revoked certificates of all clusters, which are those of this
   * deployment. Fails with not_found unless unified_crl is enabled in config/crl.
   * `LIST /v1/pki/certs/unified-revoked`.
   */
  listUnifiedRevoked(
    input?: ListUnifiedRevokedInput,
    options?: CallOptions,
  ): Promise<ListUnifiedRevokedReply>;
  /**
   * Lists the stored certificates with details, up to 1000 per page.
   * `LIST /v1/pki/certs/detailed`. Fails with `malformed`, `damaged`.
   */
  listCertDetails(
    input?: ListCertDetailsInput,
    options?: CallOptions,
  ): Promise<ListCertDetailsReply>;
  /**
   * Searches the stored certificates by name prefix, issuer, role or expiry, and filters them by
   * state, start of validity, fingerprint or any name. To get the next page, send `cursor`.
   * `LIST /v1/pki/certs/search`. Fails with `malformed`, `damaged`.
   */
  searchCerts(input?: SearchCertsInput, options?: CallOptions): Promise<SearchCertsReply>;
  /**
   * Revokes the certificates that match a search, at most 10,000 per request, or those with the
   * given serial numbers, then builds the CRLs once. Skips and counts certificates that are already
   * revoked, have expired, or belong to issuers or OCSP responders. Requires a filter (`state`
   * alone does not count as one), serial numbers, or `all`.
   * `POST /v1/pki/certs/revoke`. Fails with `invalid_field`, `malformed`.
   */
  revokeFound(input?: RevokeFoundInput, options?: CallOptions): Promise<RevokeFoundReply>;
  /**
   * Reads the metadata stored with a certificate.
   * `GET /v1/pki/cert-metadata/:serial`. Fails with `not_found`.
   */
  readCertMetadata(
    input: ReadCertMetadataInput,
    options?: CallOptions,
  ): Promise<ReadCertMetadataReply>;
  /**
   * Lists the serial numbers of the certificates that have metadata.
   * `LIST /v1/pki/cert-metadata`.
   */
  listCertMetadata(
    input?: ListCertMetadataInput,
    options?: CallOptions,
  ): Promise<ListCertMetadataReply>;
  /**
   * Reads up to 1000 stored certificates.
   * `POST /v1/pki/batch/certs`. Fails with `malformed`, `damaged`.
   */
  readCertBatch(input?: ReadCertBatchInput, options?: CallOptions): Promise<ReadCertBatchReply>;
  /**
   * Generates a key and issues a certificate as decided by the external policy service, which
   * receives all other parameters. The key is returned once and not stored.
   * `POST /v1/pki/external-policy/issue(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/issue(/:policy)`. Fails with `invalid_field`,
   * `malformed`, `policy_refused`, `policy_failed`, `unknown_issuer`, `unusable_issuer`,
   * `validity`, `constraint`, `busy`.
   */
  issueByPolicy(
    input?: IssueByPolicyInput & { readonly format?: "pem" | "der" | "pem_bundle" | undefined },
    options?: CallOptions,
  ): Promise<WithPrivateKey<IssueByPolicyReply>>;
  /**
   * Generates a key and issues a certificate as decided by the external policy service, which
   * receives all other parameters. The key is returned once and not stored.
   * `POST /v1/pki/external-policy/issue(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/issue(/:policy)`. Fails with `invalid_field`,
   * `malformed`, `policy_refused`, `policy_failed`, `unknown_issuer`, `unusable_issuer`,
   * `validity`, `constraint`, `busy`.
   */
  issueByPolicy(input?: IssueByPolicyInput, options?: CallOptions): Promise<IssueByPolicyReply>;
  /**
   * Issues a certificate for a CSR as decided by the external policy service, which receives all
   * other parameters.
   * `POST /v1/pki/external-policy/sign(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/sign(/:policy)`. Fails with `invalid_field`,
   * `bad_csr`, `bad_key`, `malformed`, `policy_refused`, `policy_failed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`, `constraint`, `busy`.
   */
  signByPolicy(input: SignByPolicyInput, options?: CallOptions): Promise<SignByPolicyReply>;
  /**
   * Signs a CA certificate for a CSR as decided by the external policy service, which receives all
   * other parameters. Callers of this endpoint, and the service, can create certificates for any
   * name.
   * `POST /v1/pki/external-policy/sign-intermediate(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/sign-intermediate(/:policy)`. Fails with
   * `invalid_field`, `bad_csr`, `bad_key`, `malformed`, `policy_refused`, `policy_failed`,
   * `unknown_issuer`, `unusable_issuer`, `validity`, `constraint`, `busy`.
   */
  signIntermediateByPolicy(
    input: SignIntermediateByPolicyInput,
    options?: CallOptions,
  ): Promise<SignIntermediateByPolicyReply>;
  /**
   * Explains an issue request without storing anything: the result of each rule, and the
   * certificate that would be signed for a sample key.
   * `POST /v1/pki/explain/issue/:role`, `POST /v1/pki/issuer/:issuer_ref/explain/issue/:role`.
   * Fails with `unknown_role`.
   */
  explainIssue(input: ExplainIssueInput, options?: CallOptions): Promise<ExplainIssueReply>;
  /**
   * Explains a sign request without storing anything: the result of each rule, and the certificate
   * that would be signed.
   * `POST /v1/pki/explain/sign/:role`, `POST /v1/pki/issuer/:issuer_ref/explain/sign/:role`. Fails
   * with `unknown_role`.
   */
  explainSign(input: ExplainSignInput, options?: CallOptions): Promise<ExplainSignReply>;
  /**
   * Explains a sign-verbatim request without storing anything.
   * `POST /v1/pki/explain/sign-verbatim(/:role+)`, `POST
   * /v1/pki/issuer/:path_ref/explain/sign-verbatim(/:role+)`. Fails with `unknown_role`.
   */
  explainVerbatim(
    input: ExplainVerbatimInput,
    options?: CallOptions,
  ): Promise<ExplainVerbatimReply>;
  /**
   * Creates or replaces the OCSP responder of an issuer: a key with a certificate, which signs
   * responses on behalf of the issuer. The certificate is valid for 30 days, and is renewed
   * automatically.
   * `POST /v1/pki/issuer/:issuer_ref/ocsp-responder`. Fails with `unknown_issuer`,
   * `unusable_issuer`, `invalid_field`, `validity`, `constraint`.
   */
  makeResponder(input: MakeResponderInput, options?: CallOptions): Promise<MakeResponderReply>;
  /**
   * Reads the OCSP responder of an issuer.
   * `GET /v1/pki/issuer/:issuer_ref/ocsp-responder`. Fails with `unknown_issuer`, `not_found`,
   * `damaged`.
   */
  readResponder(input: ReadResponderInput, options?: CallOptions): Promise<ReadResponderReply>;
  /**
   * Removes the OCSP responder of an issuer, which then signs responses itself. The responder
   * certificate stays stored and can be revoked.
   * `DELETE /v1/pki/issuer/:issuer_ref/ocsp-responder`.
   */
  deleteResponder(
    input: DeleteResponderInput,
    options?: CallOptions,
  ): Promise<DeleteResponderReply>;
  /**
   * Lists the newest ACME orders with the error of each failed challenge.
   * `LIST /v1/pki/acme/mgmt/orders`.
   */
  listAcmeOrders(input?: ListAcmeOrdersInput, options?: CallOptions): Promise<ListAcmeOrdersReply>;
  /**
   * Starts a tidy run, which removes obsolete data in the background. Use tidy-status to follow its
   * progress.
   * `POST /v1/pki/tidy`. Fails with `invalid_field`, `malformed`.
   */
  tidy(input?: TidyInput, options?: CallOptions): Promise<TidyReply>;
  /**
   * Cancels the current tidy run, which ends after its current step.
   * `POST /v1/pki/tidy-cancel`.
   */
  tidyCancel(input?: TidyCancelInput, options?: CallOptions): Promise<TidyCancelReply>;
  /**
   * Returns the progress of the current tidy run, or the result of the last one.
   * `GET /v1/pki/tidy-status`.
   */
  tidyStatus(input?: TidyStatusInput, options?: CallOptions): Promise<TidyStatusReply>;
  /** Reads the settings of automatic tidy. `GET /v1/pki/config/auto-tidy`. */
  readAutoTidy(input?: ReadAutoTidyInput, options?: CallOptions): Promise<ReadAutoTidyReply>;
  /**
   * Updates the settings of automatic tidy. Omitted fields keep their values.
   * `POST /v1/pki/config/auto-tidy`. Fails with `invalid_field`, `malformed`.
   */
  writeAutoTidy(input?: WriteAutoTidyInput, options?: CallOptions): Promise<WriteAutoTidyReply>;
  /** Reads the ACME configuration of the mount. `GET /v1/pki/config/acme`. */
  readAcmeConfig(input?: ReadAcmeConfigInput, options?: CallOptions): Promise<ReadAcmeConfigReply>;
  /**
   * Updates the given fields of the ACME configuration.
   * `POST /v1/pki/config/acme`. Fails with `invalid_field`, `malformed`.
   */
  writeAcmeConfig(
    input?: WriteAcmeConfigInput,
    options?: CallOptions,
  ): Promise<WriteAcmeConfigReply>;
  /** Returns the settings of the mount's log. `GET /v1/pki/config/log`. */
  readLogConfig(input?: ReadLogConfigInput, options?: CallOptions): Promise<ReadLogConfigReply>;
  /**
   * Updates the given settings of the mount's log. Enabling it for the first time creates its key.
   * Disabling it keeps the tree, which continues when the log is enabled again. Both, and a change
   * of `entries`, are recorded in the log.
   * `POST /v1/pki/config/log`. Fails with `invalid_field`, `malformed`, `conflict`.
   */
  writeLogConfig(input?: WriteLogConfigInput, options?: CallOptions): Promise<WriteLogConfigReply>;
  /**
   * Returns the signed checkpoint of the log (C2SP tlog-checkpoint). Requires a token with the
   * `read` capability unless the log is public.
   * `GET /v1/pki/log/checkpoint`. Needs no token. Fails with `forbidden`, `not_found`.
   */
  readLogCheckpoint(
    input?: ReadLogCheckpointInput,
    options?: CallOptions,
  ): Promise<ReadLogCheckpointReply>;
  /**
   * Returns a tile of the log (C2SP tlog-tiles): `<level>/<index>` for hashes, `entries/<index>`
   * for entries, followed by `.p/<width>` if the tile is partial. Requires a token with the `read`
   * capability unless the log is public.
   * `GET /v1/pki/log/tile/:tile+`. Needs no token. Fails with `forbidden`, `not_found`.
   */
  readLogTile(input: ReadLogTileInput, options?: CallOptions): Promise<ReadLogTileReply>;
  /**
   * Creates an external account binding key with which one ACME account, or `max_uses` accounts,
   * can register, only in this directory. The limits apply to these accounts as long as they exist.
   * ACME need not be enabled yet.
   * `POST /v1/pki/acme/new-eab`, `POST /v1/pki/roles/:role/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/roles/:role/acme/new-eab`, `POST
   * /v1/pki/external-policy(/:policy)/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy(/:policy)/acme/new-eab`. Fails with `invalid_field`,
   * `malformed`, `invalid_profile`, `forbidden`.
   */
  newEab(input?: NewEabInput, options?: CallOptions): Promise<NewEabReply>;
  /** Lists the unused external account bindings, and those with limits. `LIST /v1/pki/eab`. */
  listEab(input?: ListEabInput, options?: CallOptions): Promise<ListEabReply>;
  /**
   * Reads an external account binding that is unused or has limits, and the accounts registered
   * with it.
   * `GET /v1/pki/eab/:key_id`. Fails with `not_found`.
   */
  readEab(input: ReadEabInput, options?: CallOptions): Promise<ReadEabReply>;
  /**
   * Tightens the limits of an external account binding for its existing and future accounts. Limits
   * can never be relaxed.
   * `POST /v1/pki/eab/:key_id`. Fails with `not_found`, `invalid_field`, `invalid_profile`.
   */
  tightenEab(input: TightenEabInput, options?: CallOptions): Promise<TightenEabReply>;
  /**
   * Deletes an unused external account binding, or revokes one with limits: no more accounts can
   * register with it, and its accounts can no longer order or finalize.
   * `DELETE /v1/pki/eab/:key_id`.
   */
  deleteEab(input: DeleteEabInput, options?: CallOptions): Promise<DeleteEabReply>;
  /**
   * Lists the IDs of the ACME accounts of all directories.
   * `LIST /v1/pki/acme/mgmt/account/keyid`.
   */
  listAcmeAccounts(
    input?: ListAcmeAccountsInput,
    options?: CallOptions,
  ): Promise<ListAcmeAccountsReply>;
  /**
   * Reads an ACME account and its orders.
   * `GET /v1/pki/acme/mgmt/account/keyid/:key_id`. Fails with `not_found`.
   */
  readAcmeAccount(
    input: ReadAcmeAccountInput,
    options?: CallOptions,
  ): Promise<ReadAcmeAccountReply>;
  /**
   * Revokes an ACME account, or reactivates a revoked one. A revoked account cannot make requests.
   * `POST /v1/pki/acme/mgmt/account/keyid/:key_id`. Fails with `not_found`, `malformed`.
   */
  writeAcmeAccount(
    input: WriteAcmeAccountInput,
    options?: CallOptions,
  ): Promise<WriteAcmeAccountReply>;
}

/** Every endpoint of a CA mount, such as `/v1/pki`. */
export const pki: Table<PkiClient> = {
  issue: "POST /issue/:role|POST /issuer/:issuer_ref/issue/:role",
  sign: "POST /sign/:role|POST /issuer/:issuer_ref/sign/:role",
  signVerbatim: "POST /sign-verbatim(/:role+)|POST /issuer/:path_ref/sign-verbatim(/:role+)",
  readCaPem: "raw text GET /ca/pem|GET /cert/ca/raw/pem",
  readCa: "raw GET /ca|GET /cert/ca/raw",
  readCaChain: "raw text GET /ca_chain",
  readCaCert: "GET /cert/ca",
  readChainCert: "GET /cert/ca_chain",
  readCrl: "raw GET /crl",
  readCrlPem: "raw text GET /crl/pem",
  readCrlCert: "GET /cert/crl",
  readDeltaCrl: "raw GET /crl/delta",
  readDeltaCrlPem: "raw text GET /crl/delta/pem",
  readDeltaCrlCert: "GET /cert/delta-crl",
  readUnifiedCrl: "raw GET /unified-crl",
  readUnifiedCrlPem: "raw text GET /unified-crl/pem",
  readUnifiedCrlCert: "GET /cert/unified-crl",
  readUnifiedDeltaCrl: "raw GET /unified-crl/delta",
  readUnifiedDeltaCrlPem: "raw text GET /unified-crl/delta/pem",
  readUnifiedDeltaCrlCert: "GET /cert/unified-delta-crl",
  readShardCrl: "raw GET /crl/shard/:shard|GET /unified-crl/shard/:shard",
  readShardCrlPem: "raw text GET /crl/pem/shard/:shard|GET /unified-crl/pem/shard/:shard",
  readShardDelta: "raw GET /crl/delta/shard/:shard|GET /unified-crl/delta/shard/:shard",
  readShardDeltaPem:
    "raw text GET /crl/delta/pem/shard/:shard|GET /unified-crl/delta/pem/shard/:shard",
  readCert: "GET /cert/:serial",
  readCertRaw: "raw GET /cert/:serial/raw",
  readCertPem: "raw text GET /cert/:serial/raw/pem",
  listCerts: "LIST /certs",
  listRevoked: "LIST /certs/revoked",
  readIssuerJson: "GET /issuer/:issuer_ref/json",
  readIssuerPem: "raw text GET /issuer/:issuer_ref/pem",
  readIssuerDer: "raw GET /issuer/:issuer_ref/der",
  readIssuerCrl: "GET /issuer/:issuer_ref/crl",
  readIssuerCrlDer: "raw GET /issuer/:issuer_ref/crl/der",
  readIssuerCrlPem: "raw text GET /issuer/:issuer_ref/crl/pem",
  readIssuerDeltaCrl: "GET /issuer/:issuer_ref/crl/delta",
  readIssuerDeltaCrlDer: "raw GET /issuer/:issuer_ref/crl/delta/der",
  readIssuerDeltaCrlPem: "raw text GET /issuer/:issuer_ref/crl/delta/pem",
  readIssuerUnifiedCrl: "GET /issuer/:issuer_ref/unified-crl",
  readIssuerUnifiedCrlDer: "raw GET /issuer/:issuer_ref/unified-crl/der",
  readIssuerUnifiedCrlPem: "raw text GET /issuer/:issuer_ref/unified-crl/pem",
  readIssuerUnifiedDeltaCrl: "GET /issuer/:issuer_ref/unified-crl/delta",
  readIssuerUnifiedDeltaCrlDer: "raw GET /issuer/:issuer_ref/unified-crl/delta/der",
  readIssuerUnifiedDeltaCrlPem: "raw text GET /issuer/:issuer_ref/unified-crl/delta/pem",
  readIssuerShardCrl:
    "raw GET /issuer/:issuer_ref/crl/shard/:shard|GET /issuer/:issuer_ref/crl/der/shard/:shard|GET /issuer/:issuer_ref/unified-crl/shard/:shard|GET /issuer/:issuer_ref/unified-crl/der/shard/:shard",
  readIssuerShardCrlPem:
    "raw text GET /issuer/:issuer_ref/crl/pem/shard/:shard|GET /issuer/:issuer_ref/unified-crl/pem/shard/:shard",
  readIssuerShardDelta:
    "raw GET /issuer/:issuer_ref/crl/delta/shard/:shard|GET /issuer/:issuer_ref/crl/delta/der/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/der/shard/:shard",
  readIssuerShardDeltaPem:
    "raw text GET /issuer/:issuer_ref/crl/delta/pem/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/pem/shard/:shard",
  askOcsp: "raw body=request:application/ocsp-request POST /ocsp",
  readOcsp: "raw body=request:application/ocsp-request rest GET /ocsp/:request+",
  askUnifiedOcsp: "raw body=request:application/ocsp-request POST /unified-ocsp",
  readUnifiedOcsp: "raw body=request:application/ocsp-request rest GET /unified-ocsp/:request+",
  revoke: "POST /revoke",
  revokeWithKey: "POST /revoke-with-key",
  revokeIssuer: "POST /issuer/:issuer_ref/revoke",
  resignCrls: "POST /issuer/:issuer_ref/resign-crls",
  signRevocationList: "POST /issuer/:issuer_ref/sign-revocation-list",
  readCrlConfig: "GET /config/crl",
  writeCrlConfig: "POST /config/crl",
  rotateCrl: "GET /crl/rotate",
  rotateDeltaCrl: "GET /crl/rotate-delta",
  generateExportedRoot: "POST /root/generate/exported|POST /issuers/generate/root/exported",
  generateRootFromKey: "POST /root/generate/existing|POST /issuers/generate/root/existing",
  generateRootFromManagedKey: "POST /root/generate/kms|POST /issuers/generate/root/kms",
  generateRoot:
    "POST /root/generate/internal|POST /issuers/generate/root/internal|POST /root/generate/:exported|POST /issuers/generate/root/:exported",
  rotateExportedRoot: "POST /root/rotate/exported",
  rotateRootFromKey: "POST /root/rotate/existing",
  rotateRootFromManagedKey: "POST /root/rotate/kms",
  rotateRoot: "POST /root/rotate/internal|POST /root/rotate/:exported",
  generateExportedIntermediate:
    "POST /intermediate/generate/exported|POST /issuers/generate/intermediate/exported",
  generateIntermediateFromKey:
    "POST /intermediate/generate/existing|POST /issuers/generate/intermediate/existing|POST /intermediate/cross-sign",
  generateIntermediateFromManagedKey:
    "POST /intermediate/generate/kms|POST /issuers/generate/intermediate/kms",
  generateIntermediate:
    "POST /intermediate/generate/internal|POST /issuers/generate/intermediate/internal|POST /intermediate/generate/:exported|POST /issuers/generate/intermediate/:exported",
  signIntermediate: "POST /root/sign-intermediate|POST /issuer/:issuer_ref/sign-intermediate",
  signSelfIssued: "POST /root/sign-self-issued",
  signSelfIssuedWith: "POST /issuer/:issuer_ref/sign-self-issued",
  setSigned: "POST /intermediate/set-signed",
  importCertificates: "POST /issuers/import/cert",
  importBundle: "POST /issuers/import/bundle|POST /config/ca",
  listIssuers: "info LIST /issuers",
  readIssuer: "GET /issuer/:issuer_ref",
  writeIssuer: "POST /issuer/:issuer_ref",
  patchIssuer: "PATCH /issuer/:issuer_ref",
  deleteIssuer: "DELETE /issuer/:issuer_ref",
  deleteRoot: "DELETE /root",
  listKeys: "info LIST /keys",
  generateCaKey: "POST /keys/generate/internal",
  generateExportedCaKey: "POST /keys/generate/exported",
  generateManagedCaKey: "POST /keys/generate/kms",
  importKey: "POST /keys/import",
  readKey: "GET /key/:key_ref",
  writeKey: "POST /key/:key_ref",
  deleteKey: "DELETE /key/:key_ref",
  readKeysConfig: "GET /config/keys",
  writeKeysConfig: "POST /config/keys",
  readIssuersConfig: "GET /config/issuers",
  writeIssuersConfig: "POST /config/issuers",
  replaceRoot: "POST /root/replace",
  listRoles: "LIST /roles",
  readRole: "GET /roles/:name",
  writeRole: "POST /roles/:name",
  patchRole: "PATCH /roles/:name",
  deleteRole: "DELETE /roles/:name",
  readUrls: "GET /config/urls",
  writeUrls: "POST /config/urls",
  fillUrls: "POST /config/urls/defaults",
  readCluster: "GET /config/cluster",
  writeCluster: "POST /config/cluster",
  readEstConfig: "GET /config/est",
  writeEstConfig: "POST /config/est",
  readExternalPolicy: "GET /config/external-policy",
  writeExternalPolicy: "POST /config/external-policy",
  checkExternalPolicy: "POST /config/external-policy/check",
  listRevocationQueue: "info LIST /certs/revocation-queue",
  listUnifiedRevoked: "info LIST /certs/unified-revoked",
  listCertDetails: "info LIST /certs/detailed",
  searchCerts: "LIST /certs/search",
  revokeFound: "POST /certs/revoke",
  readCertMetadata: "GET /cert-metadata/:serial",
  listCertMetadata: "LIST /cert-metadata",
  readCertBatch: "POST /batch/certs",
  issueByPolicy:
    "free= POST /external-policy/issue(/:policy)|POST /issuer/:issuer_ref/external-policy/issue(/:policy)",
  signByPolicy:
    "free=csr POST /external-policy/sign(/:policy)|POST /issuer/:issuer_ref/external-policy/sign(/:policy)",
  signIntermediateByPolicy:
    "free=csr POST /external-policy/sign-intermediate(/:policy)|POST /issuer/:issuer_ref/external-policy/sign-intermediate(/:policy)",
  explainIssue: "POST /explain/issue/:role|POST /issuer/:issuer_ref/explain/issue/:role",
  explainSign: "POST /explain/sign/:role|POST /issuer/:issuer_ref/explain/sign/:role",
  explainVerbatim:
    "POST /explain/sign-verbatim(/:role+)|POST /issuer/:path_ref/explain/sign-verbatim(/:role+)",
  makeResponder: "POST /issuer/:issuer_ref/ocsp-responder",
  readResponder: "GET /issuer/:issuer_ref/ocsp-responder",
  deleteResponder: "DELETE /issuer/:issuer_ref/ocsp-responder",
  listAcmeOrders: "info LIST /acme/mgmt/orders",
  tidy: "POST /tidy",
  tidyCancel: "POST /tidy-cancel",
  tidyStatus: "GET /tidy-status",
  readAutoTidy: "GET /config/auto-tidy",
  writeAutoTidy: "POST /config/auto-tidy",
  readAcmeConfig: "GET /config/acme",
  writeAcmeConfig: "POST /config/acme",
  readLogConfig: "GET /config/log",
  writeLogConfig: "POST /config/log",
  readLogCheckpoint: "raw text GET /log/checkpoint",
  readLogTile: "raw GET /log/tile/:tile+",
  newEab:
    "POST /acme/new-eab|POST /roles/:role/acme/new-eab|POST /issuer/:issuer_ref/acme/new-eab|POST /issuer/:issuer_ref/roles/:role/acme/new-eab|POST /external-policy(/:policy)/acme/new-eab|POST /issuer/:issuer_ref/external-policy(/:policy)/acme/new-eab",
  listEab: "info LIST /eab",
  readEab: "GET /eab/:key_id",
  tightenEab: "POST /eab/:key_id",
  deleteEab: "DELETE /eab/:key_id",
  listAcmeAccounts: "LIST /acme/mgmt/account/keyid",
  readAcmeAccount: "GET /acme/mgmt/account/keyid/:key_id",
  writeAcmeAccount: "POST /acme/mgmt/account/keyid/:key_id",
};
