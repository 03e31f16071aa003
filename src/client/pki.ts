// Made by `npm run generate`; what is changed here is lost.
import type { CallOptions, DerSource, RawBytes, Warned, Warnings } from "./call.ts";
import type { Table } from "./table.ts";

/** An ACME account. */
export type AcmeAccountReply = {
  /** Id of the account: the last part of its URL. */
  readonly key_id: string;
  /** `valid`, `deactivated` by its client, or `revoked` by tidy or from here. */
  readonly status: "valid" | "deactivated" | "revoked";
  /** How to reach whoever has it, as its client said. */
  readonly contacts: readonly string[];
  /** RFC 3339. */
  readonly created_time: string;
  /** When it was revoked or deactivated, RFC 3339; empty before. */
  readonly revoked_time: string;
  /** The one directory where it is known, such as `roles/web/acme/`. */
  readonly directory: string;
  /** The external account binding that it was made with; empty for none. */
  readonly eab: {
    /** Id of the key. */
    readonly eab_id?: string;
    /** Always `hs`: the key is one for HMAC. */
    readonly key_type?: string;
    /** The directory that takes it. */
    readonly directory?: string;
    /** When it was made, RFC 3339. */
    readonly created_time?: string;
  };
};
/** The stored role. */
export type RoleReply = {
  /** The issuer that signs: `default`, an id or a name. */
  readonly issuer_ref: string;
  /** Lifetime when the request sets none; 0 means the mount's default. Seconds. */
  readonly ttl: number;
  /** Maximum lifetime; 0 means the mount's maximum. Seconds. */
  readonly max_ttl: number;
  /** Allow `localhost` and `localdomain`. */
  readonly allow_localhost: boolean;
  /** Domains that the other `allow_` fields apply to. */
  readonly allowed_domains: readonly string[];
  /** `allowed_domains` may contain identity templates. */
  readonly allowed_domains_template: boolean;
  /** Allow the domains themselves. */
  readonly allow_bare_domains: boolean;
  /** Allow subdomains of the domains, wildcards included. */
  readonly allow_subdomains: boolean;
  /** `*` in a domain matches any run of characters. */
  readonly allow_glob_domains: boolean;
  /** Allow every name. */
  readonly allow_any_name: boolean;
  /** Allow wildcard names that the other rules allow. */
  readonly allow_wildcard_certificates: boolean;
  /** Allow only names that are host names. */
  readonly enforce_hostnames: boolean;
  /** Allow IP addresses. */
  readonly allow_ip_sans: boolean;
  /** CIDR ranges that IP addresses must be in; empty allows any. */
  readonly allowed_ip_sans_cidr: readonly string[];
  /** URIs that are allowed, with `*` for any run of characters. */
  readonly allowed_uri_sans: readonly string[];
  /** `allowed_uri_sans` may contain identity templates. */
  readonly allowed_uri_sans_template: boolean;
  /** Values filled into templates may contain `*`. */
  readonly allow_globs_in_identity_templates: boolean;
  /** Other names that are allowed, each `<oid>;UTF8:<value>` with `*` in the value, or `*`. */
  readonly allowed_other_sans: readonly string[];
  /** Subject serial numbers that are allowed, with `*`. */
  readonly allowed_serial_numbers: readonly string[];
  /** User ids that are allowed, with `*`. */
  readonly allowed_user_ids: readonly string[];
  /** Certificates are for TLS servers. */
  readonly server_flag: boolean;
  /** Certificates are for TLS clients. */
  readonly client_flag: boolean;
  /** Certificates are for signing code. */
  readonly code_signing_flag: boolean;
  /** Certificates are for e-mail. */
  readonly email_protection_flag: boolean;
  /** `rsa`, `ec` or `ed25519`; or `any`, for signing requests only. */
  readonly key_type: "rsa" | "ec" | "ed25519" | "any";
  /** Key size in bits, for signing requests the minimum; 0 means 2048 (rsa) or 256 (ec). */
  readonly key_bits: number;
  /** Bits of the SHA-2 hash in signatures of RSA issuers: 256, 384 or 512; 0 means 256. */
  readonly signature_bits: 0 | 256 | 384 | 512;
  /** PSS signatures from RSA issuers. */
  readonly use_pss: boolean;
  /** Key usages by name; an empty list omits the extension. */
  readonly key_usage: readonly string[];
  /** Further extended key usages, by name. */
  readonly ext_key_usage: readonly string[];
  /** Further extended key usages, by OID. */
  readonly ext_key_usage_oids: readonly string[];
  /** When signing, take the common name from the request's CSR. */
  readonly use_csr_common_name: boolean;
  /** When signing, take alternative names from the request's CSR. */
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
  /** Return a lease with each certificate. */
  readonly generate_lease: boolean;
  /** Do not store certificates. */
  readonly no_store: boolean;
  /** Refuse metadata. */
  readonly no_store_metadata: boolean;
  /** Require a common name. */
  readonly require_cn: boolean;
  /** What a common name must be: `email`, `hostname` or both; `disabled` skips the checks. */
  readonly cn_validations: readonly ("email" | "hostname" | "disabled")[];
  /** Certificate policies: OIDs, or JSON objects with `oid`, `cps`, `notice`. */
  readonly policy_identifiers: readonly string[];
  /** Add an empty basic constraints extension to leaf certificates. */
  readonly basic_constraints_valid_for_non_ca: boolean;
  /** How far before the time of issue the validity starts. Seconds. */
  readonly not_before_duration: number;
  /** A fixed start of validity, RFC 3339. */
  readonly not_before: string;
  /** A fixed end of validity, RFC 3339. */
  readonly not_after: string;
  /**
   * What a request's `not_before` may be: `permit`, `duration` (no earlier than
   * not_before_duration), `forbid`.
   */
  readonly not_before_bound: "permit" | "duration" | "forbid";
  /**
   * What a request's `not_after` may be: `permit`, `ttl-limited` (no later than max_ttl), `forbid`,
   * or the latest date, RFC 3339.
   */
  readonly not_after_bound: string;
  /** `json-csr`: the subject's serial number may come from the CSR; `json`: from the body only. */
  readonly serial_number_source: "json-csr" | "json";
};
/** A key of the mount. */
export type KeyReply = {
  /** Its id. */
  readonly key_id: string;
  /** Its name, or empty. */
  readonly key_name: string;
  /** `rsa`, `ec` or `ed25519`. */
  readonly key_type: "rsa" | "ec" | "ed25519";
};
/** A new root certificate, its issuer and its key. */
export type RootReply = CertificateReply &
  PrivateKeyReply & {
    /** Id of the new issuer. */
    readonly issuer_id: string;
    /** Its name, or empty. */
    readonly issuer_name: string;
    /** Id of the new key. */
    readonly key_id: string;
    /** Its name, or empty. */
    readonly key_name: string;
  };
/** A new private key. */
export type PrivateKeyReply = {
  /** The private key, unless it is in an archive. It is not kept. */
  readonly private_key?: string;
  /** `rsa`, `ec` or `ed25519`. */
  readonly private_key_type?: "rsa" | "ec" | "ed25519";
};
/** A new certificate and its chain. */
export type CertificateReply = {
  /** End of validity, Unix seconds. */
  readonly expiration: number;
  /** The certificate. */
  readonly certificate: string;
  /** The certificate of the issuer. */
  readonly issuing_ca: string;
  /** The issuer and its parents. */
  readonly ca_chain?: readonly string[];
  /** Serial number: hexadecimal octets with colons. */
  readonly serial_number: string;
  /** Password of the archive, where it was drawn. It is not kept. */
  readonly pkcs12_password?: string;
  /** Password of the archive, where it was drawn. It is not kept. */
  readonly jks_password?: string;
};
/** What a tidy run removes. */
export type TidySettingsReply = {
  /** Remove certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_store: boolean;
  /**
   * Remove revoked certificates, with their entries in lists, that ended longer ago than
   * `revoked_safety_buffer`.
   */
  readonly tidy_revoked_certs: boolean;
  /** Find the issuer of revoked certificates whose issuer is not known or no longer here. */
  readonly tidy_revoked_cert_issuer_associations: boolean;
  /**
   * Remove issuers that ended longer ago than `issuer_safety_buffer`, but never the default issuer,
   * and no key.
   */
  readonly tidy_expired_issuers: boolean;
  /** Accepted for clients that set it: there is no such bundle here. */
  readonly tidy_move_legacy_ca_bundle: boolean;
  /**
   * Remove revocation requests that have waited for longer than `revocation_queue_safety_buffer`.
   */
  readonly tidy_revocation_queue: boolean;
  /**
   * Accepted for clients that set it: there is one cluster here, whose revocations
   * `tidy_revoked_certs` removes.
   */
  readonly tidy_cross_cluster_revoked_certs: boolean;
  /**
   * Remove ACME orders whose certificates have ended longer ago than `safety_buffer`, and accounts
   * and bindings that were unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme: boolean;
  /** Remove the metadata of certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_metadata: boolean;
  /** Accepted for clients that set it: there are no CMP nonces here. */
  readonly tidy_cmpv2_nonce_store: boolean;
  /** Remove stored certificates that are damaged or cannot be read. */
  readonly tidy_invalid_certs: boolean;
  /** How long a certificate must have ended before it is removed. Seconds. */
  readonly safety_buffer: number;
  /** How long an issuer must have ended before it is removed. Seconds. */
  readonly issuer_safety_buffer: number;
  /** How long an ACME account must have been unused before it is removed. Seconds. */
  readonly acme_account_safety_buffer: number;
  /** How long a revocation request may wait before it is removed. Seconds. */
  readonly revocation_queue_safety_buffer: number;
  /**
   * How long a revoked certificate must have ended before it is removed; `safety_buffer` unless
   * set. Seconds.
   */
  readonly revoked_safety_buffer: number;
  /** How long to wait between two steps, such as `250ms` or `1m30s`. */
  readonly pause_duration: string;
  /** How many entries one step takes: at least 5; more than 500 counts as 500. */
  readonly page_size: number;
};
/** What a tidy run removes. */
export type TidySettingsFields = {
  /** Remove certificates that ended longer ago than `safety_buffer`. Default: `false`. */
  readonly tidy_cert_store?: boolean | undefined;
  /**
   * Remove revoked certificates, with their entries in lists, that ended longer ago than
   * `revoked_safety_buffer`. Default: `false`.
   */
  readonly tidy_revoked_certs?: boolean | undefined;
  /**
   * Find the issuer of revoked certificates whose issuer is not known or no longer here. Default:
   * `false`.
   */
  readonly tidy_revoked_cert_issuer_associations?: boolean | undefined;
  /**
   * Remove issuers that ended longer ago than `issuer_safety_buffer`, but never the default issuer,
   * and no key. Default: `false`.
   */
  readonly tidy_expired_issuers?: boolean | undefined;
  /** Accepted for clients that set it: there is no such bundle here. Default: `false`. */
  readonly tidy_move_legacy_ca_bundle?: boolean | undefined;
  /**
   * Remove revocation requests that have waited for longer than `revocation_queue_safety_buffer`.
   * Default: `false`.
   */
  readonly tidy_revocation_queue?: boolean | undefined;
  /**
   * Accepted for clients that set it: there is one cluster here, whose revocations
   * `tidy_revoked_certs` removes. Default: `false`.
   */
  readonly tidy_cross_cluster_revoked_certs?: boolean | undefined;
  /**
   * Remove ACME orders whose certificates have ended longer ago than `safety_buffer`, and accounts
   * and bindings that were unused for longer than `acme_account_safety_buffer`. Default: `false`.
   */
  readonly tidy_acme?: boolean | undefined;
  /**
   * Remove the metadata of certificates that ended longer ago than `safety_buffer`. Default:
   * `false`.
   */
  readonly tidy_cert_metadata?: boolean | undefined;
  /** Accepted for clients that set it: there are no CMP nonces here. Default: `false`. */
  readonly tidy_cmpv2_nonce_store?: boolean | undefined;
  /** Remove stored certificates that are damaged or cannot be read. Default: `false`. */
  readonly tidy_invalid_certs?: boolean | undefined;
  /** Same as `tidy_revoked_certs`. */
  readonly tidy_revocation_list?: boolean | undefined;
  /**
   * How long a certificate must have ended before it is removed. Seconds, or a duration such as
   * `72h`. Default: `259200`.
   */
  readonly safety_buffer?: number | string | undefined;
  /**
   * How long an issuer must have ended before it is removed. Seconds, or a duration such as `72h`.
   * Default: `31536000`.
   */
  readonly issuer_safety_buffer?: number | string | undefined;
  /**
   * How long an ACME account must have been unused before it is removed. Seconds, or a duration
   * such as `72h`. Default: `2592000`.
   */
  readonly acme_account_safety_buffer?: number | string | undefined;
  /**
   * How long a revocation request may wait before it is removed. Seconds, or a duration such as
   * `72h`. Default: `172800`.
   */
  readonly revocation_queue_safety_buffer?: number | string | undefined;
  /**
   * How long a revoked certificate must have ended before it is removed; `safety_buffer` unless
   * set. Seconds, or a duration such as `72h`.
   */
  readonly revoked_safety_buffer?: number | string | undefined;
  /** How long to wait between two steps, such as `250ms` or `1m30s`. Default: `"0s"`. */
  readonly pause_duration?: string | undefined;
  /** How many entries one step takes: at least 5; more than 500 counts as 500. Default: `1000`. */
  readonly page_size?: number | undefined;
};
/** Paging of a listing. */
export type PageFields = {
  /** Entries after this key; the key need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of entries; 0 for all. Default: `0`. */
  readonly limit?: number | undefined;
};
/** Conditions of a certificate search. */
export type SearchFields = {
  /**
   * Prefix of the name that the certificate is indexed by: the first DNS name (in ASCII form), else
   * mail address, IP address or URI of its alternative names; without any of these the common name,
   * else another name. The index holds 253 octets of it and ignores the case of ASCII letters. Use
   * `san` to search all names.
   */
  readonly name?: string | undefined;
  /** The issuer: an id, a name, or `default`. */
  readonly issuer?: string | undefined;
  /** Name of the role. */
  readonly role?: string | undefined;
  /** Earliest end of validity, Unix seconds. */
  readonly not_after_from?: number | undefined;
  /** Latest end of validity, Unix seconds. */
  readonly not_after_to?: number | undefined;
  /**
   * Earliest begin of validity, Unix seconds: the moment of issue less the role's
   * `not_before_duration`.
   */
  readonly not_before_from?: number | undefined;
  /** Latest begin of validity, Unix seconds. */
  readonly not_before_to?: number | undefined;
  /** `valid`, `expired` or `revoked`. */
  readonly state?: "" | "valid" | "expired" | "revoked" | undefined;
  /** `acme`: issued by ACME; `api`: issued otherwise. */
  readonly source?: "" | "acme" | "api" | undefined;
  /** Account of ACME that it was issued to. */
  readonly acme_account?: string | undefined;
  /** Text that one of the names contains; the case of ASCII letters is ignored. */
  readonly san?: string | undefined;
  /**
   * SHA-256 of the certificate, or of its public key as SubjectPublicKeyInfo: 64 hexadecimal
   * digits, with or without colons.
   */
  readonly fingerprint?: string | undefined;
};
/** Fields of a role. */
export type RoleFields = NotBeforeField &
  SubjectFields & {
    /** The issuer that signs: `default`, an id or a name. Default: `"default"`. */
    readonly issuer_ref?: string | undefined;
    /**
     * Lifetime when the request sets none; 0 means the mount's default. Seconds, or a duration such
     * as `72h`. Default: `"0s"`.
     */
    readonly ttl?: number | string | undefined;
    /**
     * Maximum lifetime; 0 means the mount's maximum. Seconds, or a duration such as `72h`. Default:
     * `"0s"`.
     */
    readonly max_ttl?: number | string | undefined;
    /** Allow `localhost` and `localdomain`. Default: `true`. */
    readonly allow_localhost?: boolean | undefined;
    /** Domains that the other `allow_` fields apply to. */
    readonly allowed_domains?: string | readonly string[] | undefined;
    /** `allowed_domains` may contain identity templates. Default: `false`. */
    readonly allowed_domains_template?: boolean | undefined;
    /** Allow the domains themselves. Default: `false`. */
    readonly allow_bare_domains?: boolean | undefined;
    /** Allow subdomains of the domains, wildcards included. Default: `false`. */
    readonly allow_subdomains?: boolean | undefined;
    /** `*` in a domain matches any run of characters. Default: `false`. */
    readonly allow_glob_domains?: boolean | undefined;
    /** Allow every name. Default: `false`. */
    readonly allow_any_name?: boolean | undefined;
    /** Allow wildcard names that the other rules allow. Default: `true`. */
    readonly allow_wildcard_certificates?: boolean | undefined;
    /** Allow only names that are host names. Default: `true`. */
    readonly enforce_hostnames?: boolean | undefined;
    /** Allow IP addresses. Default: `true`. */
    readonly allow_ip_sans?: boolean | undefined;
    /** CIDR ranges that IP addresses must be in; empty allows any. */
    readonly allowed_ip_sans_cidr?: string | readonly string[] | undefined;
    /** URIs that are allowed, with `*` for any run of characters. */
    readonly allowed_uri_sans?: string | readonly string[] | undefined;
    /** `allowed_uri_sans` may contain identity templates. Default: `false`. */
    readonly allowed_uri_sans_template?: boolean | undefined;
    /** Values filled into templates may contain `*`. Default: `false`. */
    readonly allow_globs_in_identity_templates?: boolean | undefined;
    /** Other names that are allowed, each `<oid>;UTF8:<value>` with `*` in the value, or `*`. */
    readonly allowed_other_sans?: string | readonly string[] | undefined;
    /** Subject serial numbers that are allowed, with `*`. */
    readonly allowed_serial_numbers?: string | readonly string[] | undefined;
    /** User ids that are allowed, with `*`. */
    readonly allowed_user_ids?: string | readonly string[] | undefined;
    /** Certificates are for TLS servers. Default: `true`. */
    readonly server_flag?: boolean | undefined;
    /** Certificates are for TLS clients. Default: `true`. */
    readonly client_flag?: boolean | undefined;
    /** Certificates are for signing code. Default: `false`. */
    readonly code_signing_flag?: boolean | undefined;
    /** Certificates are for e-mail. Default: `false`. */
    readonly email_protection_flag?: boolean | undefined;
    /** `rsa`, `ec` or `ed25519`; or `any`, for signing requests only. Default: `"rsa"`. */
    readonly key_type?: "rsa" | "ec" | "ed25519" | "any" | undefined;
    /**
     * Key size in bits, for signing requests the minimum; 0 means 2048 (rsa) or 256 (ec). Default:
     * `0`.
     */
    readonly key_bits?: number | undefined;
    /**
     * Bits of the SHA-2 hash in signatures of RSA issuers: 256, 384 or 512; 0 means 256. Default:
     * `0`.
     */
    readonly signature_bits?: 0 | 256 | 384 | 512 | undefined;
    /** PSS signatures from RSA issuers. Default: `false`. */
    readonly use_pss?: boolean | undefined;
    /**
     * Key usages by name; an empty list omits the extension. Default:
     * `["DigitalSignature","KeyAgreement","KeyEncipherment"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Further extended key usages, by name. */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** Further extended key usages, by OID. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /** When signing, take the common name from the request's CSR. Default: `true`. */
    readonly use_csr_common_name?: boolean | undefined;
    /** When signing, take alternative names from the request's CSR. Default: `true`. */
    readonly use_csr_sans?: boolean | undefined;
    /** Return a lease with each certificate. Default: `false`. */
    readonly generate_lease?: boolean | undefined;
    /** Do not store certificates. Default: `false`. */
    readonly no_store?: boolean | undefined;
    /** Refuse metadata. Default: `false`. */
    readonly no_store_metadata?: boolean | undefined;
    /** Require a common name. Default: `true`. */
    readonly require_cn?: boolean | undefined;
    /**
     * What a common name must be: `email`, `hostname` or both; `disabled` skips the checks. Default:
     * `["email","hostname"]`.
     */
    readonly cn_validations?:
      | "email"
      | "hostname"
      | "disabled"
      | readonly ("email" | "hostname" | "disabled")[]
      | undefined;
    /** Certificate policies: OIDs, or JSON objects with `oid`, `cps`, `notice`. */
    readonly policy_identifiers?: string | readonly string[] | undefined;
    /** Add an empty basic constraints extension to leaf certificates. Default: `false`. */
    readonly basic_constraints_valid_for_non_ca?: boolean | undefined;
    /** A fixed start of validity, RFC 3339. */
    readonly not_before?: string | undefined;
    /** A fixed end of validity, RFC 3339. */
    readonly not_after?: string | undefined;
    /**
     * What a request's `not_before` may be: `permit`, `duration` (no earlier than
     * not_before_duration), `forbid`. Default: `"permit"`.
     */
    readonly not_before_bound?: "permit" | "duration" | "forbid" | undefined;
    /**
     * What a request's `not_after` may be: `permit`, `ttl-limited` (no later than max_ttl), `forbid`,
     * or the latest date, RFC 3339. Default: `"permit"`.
     */
    readonly not_after_bound?: string | undefined;
    /**
     * `json-csr`: the subject's serial number may come from the CSR; `json`: from the body only.
     * Default: `"json-csr"`.
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
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    /**
     * Common name of the subject. Also an alternative name when it is a host name or an e-mail
     * address.
     */
    readonly common_name?: string | undefined;
    /**
     * More names, separated by commas: host names or e-mail addresses. `2.5.4.5;UTF8:<value>` is a
     * further serial number of the subject.
     */
    readonly alt_names?: string | readonly string[] | undefined;
    /** IP addresses. */
    readonly ip_sans?: string | readonly string[] | undefined;
    /** URIs. */
    readonly uri_sans?: string | readonly string[] | undefined;
    /** Other names, each `<oid>;UTF8:<value>`. */
    readonly other_sans?: string | readonly string[] | undefined;
    /** Keep the common name out of the alternative names. Default: `false`. */
    readonly exclude_cn_from_sans?: boolean | undefined;
    /** Serial number attribute of the subject. The certificate's own serial number is random. */
    readonly serial_number?: string | undefined;
    /**
     * How many CAs may follow below this one; -1 for no limit, or one less than the signer allows.
     * Default: `-1`.
     */
    readonly max_path_length?: number | undefined;
    /** Take subject, names, key usages and extensions from the CSR. Default: `false`. */
    readonly use_csr_values?: boolean | undefined;
    /**
     * Key usages. CertSign and CRLSign are always set; of all others only DigitalSignature can be
     * added. Default: `["CertSign","CRLSign"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** The issuer, if the path does not name one. */
    readonly issuer_ref?: string | undefined;
    /**
     * Subject key identifier, hexadecimal; for mimicking an existing certificate when cross-signing.
     */
    readonly skid?: string | undefined;
    /** Apply the issuer's leaf_not_after_behavior instead of truncating. Default: `false`. */
    readonly enforce_leaf_not_after_behavior?: boolean | undefined;
    /**
     * Also import the certificate as an issuer of this mount, in the same change. The mount must hold
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
     * How many CAs may lie between this one and a leaf certificate; -1 for no limit. Default: `-1`.
     */
    readonly max_path_length?: number | undefined;
    /** Extended key usages by name; empty for no restriction. */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** Further extended key usages, as object identifiers. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /**
     * Key usages. CertSign and CRLSign are always set; of all others only DigitalSignature can be
     * added. Default: `["CertSign","CRLSign"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
  };
/** Fields of requests that sign a CSR as it is. */
export type VerbatimFields = LifetimeFields &
  CertificateFormatFields &
  MetadataFields &
  SignatureFields & {
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    /**
     * Key usages if the CSR requests none; an empty list omits the extension. Default:
     * `["DigitalSignature","KeyAgreement","KeyEncipherment"]`.
     */
    readonly key_usage?: string | readonly string[] | undefined;
    /** Extended key usages by name if the CSR requests none. */
    readonly ext_key_usage?: string | readonly string[] | undefined;
    /** Extended key usages by OID if the CSR requests none. */
    readonly ext_key_usage_oids?: string | readonly string[] | undefined;
    /** Accepted and ignored: the issuer's `leaf_not_after_behavior` applies. Default: `false`. */
    readonly enforce_leaf_not_after_behavior?: boolean | undefined;
    /** Leave self-signed certificates out of `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    /** Accepted and ignored: the subject comes from the CSR. */
    readonly common_name?: string | undefined;
    /** Accepted and ignored: the names come from the CSR. */
    readonly alt_names?: string | readonly string[] | undefined;
    /** Accepted and ignored: the names come from the CSR. */
    readonly ip_sans?: string | readonly string[] | undefined;
    /** Accepted and ignored: the names come from the CSR. */
    readonly uri_sans?: string | readonly string[] | undefined;
    /** Accepted and ignored: the names come from the CSR. */
    readonly other_sans?: string | readonly string[] | undefined;
    /** Accepted and ignored: the subject comes from the CSR. */
    readonly serial_number?: string | undefined;
    /** Accepted and ignored: the subject comes from the CSR. */
    readonly user_ids?: string | readonly string[] | undefined;
    /** The issuer, if neither path nor role names one. */
    readonly issuer_ref?: string | undefined;
  };
/** Fields of requests that sign a CSR by a role. */
export type SignFields = LeafFields & {
  /** Certificate signing request, PEM. */
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
    /** User ids of the subject. */
    readonly user_ids?: string | readonly string[] | undefined;
    /** Leave self-signed certificates out of `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
  };
/** A key in an external key service. */
export type ManagedKeyFields = {
  /** Name of the managed key; or send `managed_key_id`. */
  readonly managed_key_name?: string | undefined;
  /** UUID of the managed key; or send `managed_key_name`. */
  readonly managed_key_id?: string | undefined;
};
/** Name constraints of a CA certificate. */
export type ConstraintFields = {
  /** DNS domains that certificates below this CA may contain. */
  readonly permitted_dns_domains?: string | readonly string[] | undefined;
  /** DNS domains that certificates below this CA may not contain. */
  readonly excluded_dns_domains?: string | readonly string[] | undefined;
  /** IP ranges (CIDR) that certificates below this CA may contain. */
  readonly permitted_ip_ranges?: string | readonly string[] | undefined;
  /** IP ranges (CIDR) that certificates below this CA may not contain. */
  readonly excluded_ip_ranges?: string | readonly string[] | undefined;
  /** Mail addresses, hosts or domains that certificates below this CA may contain. */
  readonly permitted_email_addresses?: string | readonly string[] | undefined;
  /** Mail addresses, hosts or domains that certificates below this CA may not contain. */
  readonly excluded_email_addresses?: string | readonly string[] | undefined;
  /** URI hosts or domains that certificates below this CA may contain. */
  readonly permitted_uri_domains?: string | readonly string[] | undefined;
  /** URI hosts or domains that certificates below this CA may not contain. */
  readonly excluded_uri_domains?: string | readonly string[] | undefined;
};
/** RSA signature algorithm. */
export type SignatureFields = {
  /**
   * SHA-2 of 256, 384 or 512 bits for RSA signatures; 0 means 256. Other keys have a fixed hash.
   * Default: `0`.
   */
  readonly signature_bits?: 0 | 256 | 384 | 512 | undefined;
  /** PSS instead of PKCS#1 v1.5 for RSA signatures. Default: `false`. */
  readonly use_pss?: boolean | undefined;
};
/** Name, type and size of a new key. */
export type KeyFields = {
  /** Name of the new key. */
  readonly key_name?: string | undefined;
  /** `rsa`, `ec` or `ed25519`. Default: `"rsa"`. */
  readonly key_type?: "rsa" | "ec" | "ed25519" | undefined;
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
  /** Metadata to keep with the serial number: empty or base64. */
  readonly metadata?: string | undefined;
  /** Same as `metadata`. */
  readonly cert_metadata?: string | undefined;
};
/** Encoding of a private key in a reply. */
export type KeyFormatField = {
  /** Encoding of the private key: `der` (traditional) or `pkcs8`. Default: `"der"`. */
  readonly private_key_format?: "der" | "pkcs8" | undefined;
};
/** Alias of the key in a Java keystore. */
export type KeyAliasField = {
  /** Alias of the key in `jks_bundle`, in lower case. Default: `"1"`. */
  readonly jks_private_key_alias?: string | undefined;
};
/** Encoding of a certificate in a reply. */
export type CertificateFormatFields = {
  /**
   * Encoding of the result: `pem`, `der` (base64) or `pem_bundle`; or an archive, base64 in
   * `certificate`, with the key where one is made: `pkcs12_bundle` or `jks_bundle`. Default:
   * `"pem"`.
   */
  readonly format?: "pem" | "der" | "pem_bundle" | "pkcs12_bundle" | "jks_bundle" | undefined;
  /**
   * How `pkcs12_bundle` is protected: `modern2026` (PBMAC1), or `modern2023` for older readers.
   * Both encrypt with AES-256. Default: `"modern2026"`.
   */
  readonly pkcs12_encoder?: "modern2026" | "modern2023" | undefined;
  /** Password of `pkcs12_bundle`. One that is not sent is drawn and told in the reply. */
  readonly pkcs12_password?: string | undefined;
  /**
   * Password of `jks_bundle`, six characters or more. One that is not sent is drawn and told in the
   * reply: the format protects weaker ones badly.
   */
  readonly jks_password?: string | undefined;
};
/** Backdating of the validity. */
export type NotBeforeField = {
  /**
   * How far before the time of issue the validity starts. Seconds, or a duration such as `72h`.
   * Default: `"30s"`.
   */
  readonly not_before_duration?: number | string | undefined;
};
/** Validity of a certificate. */
export type LifetimeFields = {
  /**
   * Lifetime. At most the maximum of the role or of the mount. Seconds, or a duration such as
   * `72h`.
   */
  readonly ttl?: number | string | undefined;
  /** Start of validity, RFC 3339, where the role permits it; else it is backdated. */
  readonly not_before?: string | undefined;
  /** End of validity instead of `ttl`: `YYYY-MM-ddTHH:MM:SSZ`, up to 9999-12-31T23:59:59Z. */
  readonly not_after?: string | undefined;
};
/** Common name and subject alternative names of a certificate. */
export type NameFields = {
  /**
   * Common name of the subject. Also an alternative name when it is a host name or an e-mail
   * address.
   */
  readonly common_name?: string | undefined;
  /**
   * More names, separated by commas: host names or e-mail addresses. If the role refuses one of
   * them, it refuses the whole request.
   */
  readonly alt_names?: string | readonly string[] | undefined;
  /** IP addresses. */
  readonly ip_sans?: string | readonly string[] | undefined;
  /** URIs. */
  readonly uri_sans?: string | readonly string[] | undefined;
  /** Other names, each `<oid>;UTF8:<value>`. */
  readonly other_sans?: string | readonly string[] | undefined;
  /** Keep the common name out of the alternative names. Default: `false`. */
  readonly exclude_cn_from_sans?: boolean | undefined;
  /** Serial number attribute of the subject. The certificate's own serial number is random. */
  readonly serial_number?: string | undefined;
};

export type IssueInput = IssueFields & {
  /** Name of the role. */
  readonly role: string;
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref?: string | undefined;
};
export type IssueReply = CertificateReply & PrivateKeyReply & Warnings;
export type SignInput = SignFields & {
  /** Name of the role. */
  readonly role: string;
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref?: string | undefined;
};
export type SignReply = CertificateReply & Warnings;
export type SignVerbatimInput = VerbatimFields & {
  /** Name of the role. */
  readonly role?: string | undefined;
  /** The issuer: its name or its id, or `default`. */
  readonly path_ref?: string | undefined;
};
export type SignVerbatimReply = {
  /** End of validity, Unix seconds; not in the documented dialect. */
  readonly expiration?: number;
  /** The certificate. */
  readonly certificate: string;
  /** The certificate of the issuer. */
  readonly issuing_ca: string;
  /** The issuer and its parents. */
  readonly ca_chain?: readonly string[];
  /** Serial number: hexadecimal octets with colons. */
  readonly serial_number: string;
  /** Password of the archive, where it was drawn. It is not kept. */
  readonly pkcs12_password?: string;
  /** Password of the archive, where it was drawn. It is not kept. */
  readonly jks_password?: string;
} & Warnings;
export type ReadCaPemInput = {};
export type ReadCaPemReply = RawBytes | undefined;
export type ReadCaInput = ReadCaPemInput;
export type ReadCaReply = ReadCaPemReply;
export type ReadCaChainInput = ReadCaPemInput;
export type ReadCaChainReply = ReadCaPemReply;
export type ReadCaCertInput = ReadCaPemInput;
export type ReadCaCertReply = {
  /** The certificates or the CRL, PEM. */
  readonly certificate: string;
  /** Always 0. */
  readonly revocation_time: number;
  /** Always empty. */
  readonly revocation_time_rfc3339: string;
} & Warnings;
export type ReadChainCertInput = ReadCaPemInput;
export type ReadChainCertReply = {
  /** The certificates or the CRL, PEM. */
  readonly certificate: string;
  /** Always 0. */
  readonly revocation_time: number;
  /** Always empty. */
  readonly revocation_time_rfc3339: string;
  /** The same. */
  readonly ca_chain: string;
} & Warnings;
export type ReadCrlInput = ReadCaPemInput;
export type ReadCrlReply = ReadCaPemReply;
export type ReadCrlPemInput = ReadCaPemInput;
export type ReadCrlPemReply = ReadCaPemReply;
export type ReadCrlCertInput = ReadCaPemInput;
export type ReadCrlCertReply = ReadCaCertReply;
export type ReadDeltaCrlInput = ReadCaPemInput;
export type ReadDeltaCrlReply = ReadCaPemReply;
export type ReadDeltaCrlPemInput = ReadCaPemInput;
export type ReadDeltaCrlPemReply = ReadCaPemReply;
export type ReadDeltaCrlCertInput = ReadCaPemInput;
export type ReadDeltaCrlCertReply = ReadCaCertReply;
export type ReadUnifiedCrlInput = ReadCaPemInput;
export type ReadUnifiedCrlReply = ReadCaPemReply;
export type ReadUnifiedCrlPemInput = ReadCaPemInput;
export type ReadUnifiedCrlPemReply = ReadCaPemReply;
export type ReadUnifiedCrlCertInput = ReadCaPemInput;
export type ReadUnifiedCrlCertReply = ReadCaCertReply;
export type ReadUnifiedDeltaCrlInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlReply = ReadCaPemReply;
export type ReadUnifiedDeltaCrlPemInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlPemReply = ReadCaPemReply;
export type ReadUnifiedDeltaCrlCertInput = ReadCaPemInput;
export type ReadUnifiedDeltaCrlCertReply = ReadCaCertReply;
export type ReadShardCrlInput = {
  /**
   * The shard of the list: how many there are, a hyphen, and its number, as the address in the
   * certificate has it.
   */
  readonly shard: string;
};
export type ReadShardCrlReply = ReadCaPemReply;
export type ReadShardCrlPemInput = ReadShardCrlInput;
export type ReadShardCrlPemReply = ReadCaPemReply;
export type ReadShardDeltaInput = ReadShardCrlInput;
export type ReadShardDeltaReply = ReadCaPemReply;
export type ReadShardDeltaPemInput = ReadShardCrlInput;
export type ReadShardDeltaPemReply = ReadCaPemReply;
export type ReadCertInput = {
  /** Serial number: hexadecimal octets, with colons, with hyphens or without separators. */
  readonly serial: string;
};
export type ReadCertReply = {
  /** The certificate, PEM. */
  readonly certificate: string;
  /** When it was revoked, Unix seconds; 0 if it is not revoked. */
  readonly revocation_time: number;
  /** The same time in RFC 3339 form; empty if it is not revoked. */
  readonly revocation_time_rfc3339: string;
  /** Id of the issuer of a revoked certificate. */
  readonly issuer_id?: string;
  /** Key identifier of its issuer as the certificate has it, hexadecimal with colons. */
  readonly authority_key_id?: string;
} & Warnings;
export type ReadCertRawInput = ReadCertInput;
export type ReadCertRawReply = ReadCaPemReply;
export type ReadCertPemInput = ReadCertInput;
export type ReadCertPemReply = ReadCaPemReply;
export type ListCertsInput = PageFields;
export type ListCertsReply = {
  /** Serial numbers with colons, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ListRevokedInput = ListCertsInput;
export type ListRevokedReply = ListCertsReply;
export type ReadIssuerJsonInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
};
export type ReadIssuerJsonReply = {
  /** The certificate, PEM. */
  readonly certificate: string;
  /** The certificate and its parents, PEM. */
  readonly ca_chain: readonly string[];
  /** Its id. */
  readonly issuer_id: string;
  /** Its name, or empty. */
  readonly issuer_name: string;
} & Warnings;
export type ReadIssuerPemInput = ReadIssuerJsonInput;
export type ReadIssuerPemReply = ReadCaPemReply;
export type ReadIssuerDerInput = ReadIssuerJsonInput;
export type ReadIssuerDerReply = ReadCaPemReply;
export type ReadIssuerCrlInput = ReadIssuerJsonInput;
export type ReadIssuerCrlReply = {
  /** The CRL, PEM; empty when there is none. */
  readonly crl: string;
} & Warnings;
export type ReadIssuerCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerCrlDerReply = ReadCaPemReply;
export type ReadIssuerCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerCrlPemReply = ReadCaPemReply;
export type ReadIssuerDeltaCrlInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlReply = ReadIssuerCrlReply;
export type ReadIssuerDeltaCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlDerReply = ReadCaPemReply;
export type ReadIssuerDeltaCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerDeltaCrlPemReply = ReadCaPemReply;
export type ReadIssuerUnifiedCrlInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlReply = ReadIssuerCrlReply;
export type ReadIssuerUnifiedCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlDerReply = ReadCaPemReply;
export type ReadIssuerUnifiedCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedCrlPemReply = ReadCaPemReply;
export type ReadIssuerUnifiedDeltaCrlInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlReply = ReadIssuerCrlReply;
export type ReadIssuerUnifiedDeltaCrlDerInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlDerReply = ReadCaPemReply;
export type ReadIssuerUnifiedDeltaCrlPemInput = ReadIssuerJsonInput;
export type ReadIssuerUnifiedDeltaCrlPemReply = ReadCaPemReply;
export type ReadIssuerShardCrlInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
  /**
   * The shard of the list: how many there are, a hyphen, and its number, as the address in the
   * certificate has it.
   */
  readonly shard: string;
};
export type ReadIssuerShardCrlReply = ReadCaPemReply;
export type ReadIssuerShardCrlPemInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardCrlPemReply = ReadCaPemReply;
export type ReadIssuerShardDeltaInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardDeltaReply = ReadCaPemReply;
export type ReadIssuerShardDeltaPemInput = ReadIssuerShardCrlInput;
export type ReadIssuerShardDeltaPemReply = ReadCaPemReply;
export type AskOcspInput = {
  /** The OCSP request, DER. */
  readonly request: Uint8Array;
};
export type AskOcspReply = RawBytes;
export type ReadOcspInput = {
  /** The DER of an OCSP request, base64, percent-encoded or not. */
  readonly request: string;
};
export type ReadOcspReply = AskOcspReply;
export type AskUnifiedOcspInput = AskOcspInput;
export type AskUnifiedOcspReply = AskOcspReply;
export type ReadUnifiedOcspInput = ReadOcspInput;
export type ReadUnifiedOcspReply = AskOcspReply;
export type RevokeInput = {
  /** Reason code of the CRL entry by its name in RFC 5280 section 5.3.1, such as keyCompromise. */
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
      /** Serial number: hexadecimal, colons or hyphens between octets. */
      readonly serial_number: string;
      readonly certificate?: undefined;
    }
  | {
      readonly serial_number?: undefined;
      /** Certificate that an issuer of this mount signed, PEM. */
      readonly certificate: string | DerSource | readonly (string | DerSource)[];
    }
);
export type RevokeReply = {
  /** When it was revoked, Unix seconds; absent while it waits. */
  readonly revocation_time?: number;
  /** The same time in RFC 3339 form. */
  readonly revocation_time_rfc3339?: string;
  /**
   * `revoked`, or `pending` where the certificate is not here and cross_cluster_revocation is on.
   */
  readonly state: "revoked" | "pending";
} & Warnings;
export type RevokeWithKeyInput = {
  /** Reason code of the CRL entry by its name in RFC 5280 section 5.3.1, such as keyCompromise. */
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
  /** The private key of the certificate, PEM: PKCS#8, PKCS#1 or SEC1, not encrypted. */
  readonly private_key: string;
} & (
  | {
      /** Serial number: hexadecimal, colons or hyphens between octets. */
      readonly serial_number: string;
      readonly certificate?: undefined;
    }
  | {
      readonly serial_number?: undefined;
      /** Certificate that an issuer of this mount signed, PEM. */
      readonly certificate: string | DerSource | readonly (string | DerSource)[];
    }
);
export type RevokeWithKeyReply = RevokeReply;
export type RevokeIssuerInput = ReadIssuerJsonInput;
export type RevokeIssuerReply = {
  /** Its id. */
  readonly issuer_id: string;
  /** Its name, or empty. */
  readonly issuer_name: string;
  /** Id of its key, or empty. */
  readonly key_id: string;
  /** Its certificate, PEM. */
  readonly certificate: string;
  /** The certificate and its parents, PEM. */
  readonly ca_chain: readonly string[];
  /** Ids of a chain that was set manually, or null. */
  readonly manual_chain: readonly string[] | null;
  /**
   * What happens to certificates that would outlive it: `err`, `truncate`, `permit`,
   * `always_enforce_err`.
   */
  readonly leaf_not_after_behavior: "err" | "truncate" | "permit" | "always_enforce_err";
  /** What it may be used for, separated by commas. */
  readonly usage: string;
  /** Signature algorithm of its CRLs; empty for the key's default. */
  readonly revocation_signature_algorithm: string;
  /** Whether it is revoked. */
  readonly revoked: boolean;
  /** Its own URLs of its certificate. */
  readonly issuing_certificates: readonly string[];
  /** Its own URLs of its CRL. */
  readonly crl_distribution_points: readonly string[];
  /** Its own URLs of its delta CRL. */
  readonly delta_crl_distribution_points: readonly string[];
  /** Its own URLs of OCSP responders. */
  readonly ocsp_servers: readonly string[];
  /** Whether these URLs contain placeholders. */
  readonly enable_aia_url_templating: boolean;
  /**
   * Whether unknown critical extensions of its certificate and of leaves of sign-verbatim are
   * ignored.
   */
  readonly disable_critical_extension_checks: boolean;
  /** Whether its path length is ignored. */
  readonly disable_path_length_checks: boolean;
  /** Whether names that do not match along its chain are ignored. */
  readonly disable_name_checks: boolean;
  /** Whether the name constraints of its chain are ignored. */
  readonly disable_name_constraint_checks: boolean;
  /**
   * Whether OCSP answers `unknown` for serial numbers that this mount never issued, although the
   * issuer was imported with its key.
   */
  readonly ocsp_unknown_serials: boolean;
  /** When it was revoked, Unix seconds. */
  readonly revocation_time?: number;
  /** The same time in RFC 3339 form. */
  readonly revocation_time_rfc3339?: string;
} & Warnings;
export type ResignCrlsInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
  /** Number of the new CRL. Default: `0`. */
  readonly crl_number?: number | undefined;
  /** Number of the CRL that this delta CRL is based on; -1 for a complete CRL. Default: `-1`. */
  readonly delta_crl_base_number?: number | undefined;
  /** How long the CRL is valid. Default: `"72h"`. */
  readonly next_update?: string | undefined;
  /** `pem`, or `der` (base64). Default: `"pem"`. */
  readonly format?: "pem" | "der" | undefined;
  /** CRLs, one PEM block each. */
  readonly crls?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type ResignCrlsReply = {
  /** The signed CRL. */
  readonly crl: string;
} & Warnings;
export type SignRevocationListInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
  /** Number of the new CRL. Default: `0`. */
  readonly crl_number?: number | undefined;
  /** Number of the CRL that this delta CRL is based on; -1 for a complete CRL. Default: `-1`. */
  readonly delta_crl_base_number?: number | undefined;
  /** How long the CRL is valid. Default: `"72h"`. */
  readonly next_update?: string | undefined;
  /** `pem`, or `der` (base64). Default: `"pem"`. */
  readonly format?: "pem" | "der" | undefined;
  /** Entries of the CRL. */
  readonly revoked_certs?:
    | readonly {
        /** Serial number, hexadecimal. */
        readonly serial_number: string;
        /** When it was revoked: Unix seconds or RFC 3339. Unix seconds. */
        readonly revocation_time?: number | string | undefined;
        /** Extensions of the entry. */
        readonly extensions?:
          | readonly {
              /** Object identifier. */
              readonly id: string;
              /** Whether readers must know it. */
              readonly critical?: boolean | undefined;
              /** Value, base64. */
              readonly value: string;
            }[]
          | undefined;
      }[]
    | undefined;
  /** Extensions of the CRL. */
  readonly extensions?:
    | readonly {
        /** Object identifier. */
        readonly id: string;
        /** Whether readers must know it. */
        readonly critical?: boolean | undefined;
        /** Value, base64. */
        readonly value: string;
      }[]
    | undefined;
};
export type SignRevocationListReply = ResignCrlsReply;
export type ReadCrlConfigInput = ReadCaPemInput;
export type ReadCrlConfigReply = {
  /** How long a CRL is valid. */
  readonly expiry: string;
  /** Whether CRLs are no longer built. */
  readonly disable: boolean;
  /** Whether OCSP requests are refused. */
  readonly ocsp_disable: boolean;
  /** How long an OCSP answer is valid; 0: it names no end. */
  readonly ocsp_expiry: string;
  /** Whether CRLs are rebuilt shortly before they expire instead of after each revocation. */
  readonly auto_rebuild: boolean;
  /** How long before it expires a CRL is rebuilt. */
  readonly auto_rebuild_grace_period: string;
  /** Whether delta CRLs are built between complete ones. */
  readonly enable_delta: boolean;
  /** How often a delta CRL is built at most. */
  readonly delta_rebuild_interval: string;
  /** Whether expired certificates can be revoked. */
  readonly allow_expired_cert_revocation: boolean;
  /** Whether revocations of unknown serial numbers wait in a queue. */
  readonly cross_cluster_revocation: boolean;
  /** Whether the unified paths answer. */
  readonly unified_crl: boolean;
  /** Whether the local paths answer with the unified data; here both are the same. */
  readonly unified_crl_on_existing_paths: boolean;
  /** Most entries that a CRL may have; -1 for no limit. */
  readonly max_crl_entries: number;
  /** In how many CRLs new certificates are listed beside each other; 0: in one. */
  readonly shards: number;
} & Warnings;
export type WriteCrlConfigInput = {
  /** How long a CRL is valid, such as 72h. */
  readonly expiry?: string | undefined;
  /** Build one empty CRL, then none. */
  readonly disable?: boolean | undefined;
  /** Refuse OCSP requests. */
  readonly ocsp_disable?: boolean | undefined;
  /** How long an OCSP answer is valid; 0: it names no end. */
  readonly ocsp_expiry?: string | undefined;
  /** Rebuild CRLs shortly before they expire instead of after each revocation. */
  readonly auto_rebuild?: boolean | undefined;
  /** How long before it expires a CRL is rebuilt. */
  readonly auto_rebuild_grace_period?: string | undefined;
  /** Build delta CRLs between complete ones; demands `auto_rebuild`. */
  readonly enable_delta?: boolean | undefined;
  /** How often a delta CRL is built at most, such as 15m. */
  readonly delta_rebuild_interval?: string | undefined;
  /** Allow expired certificates to be revoked. */
  readonly allow_expired_cert_revocation?: boolean | undefined;
  /** Let revocations of unknown serial numbers wait in a queue; demands `auto_rebuild`. */
  readonly cross_cluster_revocation?: boolean | undefined;
  /** Answer on the unified paths; demands `auto_rebuild`. */
  readonly unified_crl?: boolean | undefined;
  /** Answer with the unified data on the local paths; demands `unified_crl`. */
  readonly unified_crl_on_existing_paths?: boolean | undefined;
  /** Most entries that a CRL may have; -1 for no limit. */
  readonly max_crl_entries?: number | undefined;
  /** In how many CRLs new certificates are listed, 0 to 256; each names the one that lists it. */
  readonly shards?: number | undefined;
};
export type WriteCrlConfigReply = ReadCrlConfigReply;
export type RotateCrlInput = ReadCaPemInput;
export type RotateCrlReply = {
  /** Always true; a CRL that could not be built is named in a warning. */
  readonly success: boolean;
} & Warnings;
export type RotateDeltaCrlInput = ReadCaPemInput;
export type RotateDeltaCrlReply = RotateCrlReply;
export type GenerateExportedRootInput = RootFields;
export type GenerateExportedRootReply = RootReply & Warnings;
export type GenerateRootFromKeyInput = RootFields & {
  /** The key to use: `default`, an id or a name. */
  readonly key_ref?: string | undefined;
};
export type GenerateRootFromKeyReply = GenerateExportedRootReply;
export type GenerateRootFromManagedKeyInput = ManagedKeyFields & RootFields;
export type GenerateRootFromManagedKeyReply = GenerateExportedRootReply;
export type GenerateRootInput = RootFields & {
  /** Where the key comes from. */
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
    /** Request basic constraints with CA:TRUE. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; empty to request none. */
    readonly key_usage?: string | readonly string[] | undefined;
  };
export type GenerateExportedIntermediateReply = PrivateKeyReply & {
  /** The request. */
  readonly csr: string;
  /** Id of the new key. */
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
    /** Request basic constraints with CA:TRUE. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; empty to request none. */
    readonly key_usage?: string | readonly string[] | undefined;
    /** The key to use: `default`, an id or a name. */
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
    /** Request basic constraints with CA:TRUE. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; empty to request none. */
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
    /** Where the key comes from. */
    readonly exported?: "internal" | "exported" | "existing" | "kms" | undefined;
    /** Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. Default: `"pem"`. */
    readonly format?: "pem" | "der" | "pem_bundle" | undefined;
    /** Request basic constraints with CA:TRUE. Default: `false`. */
    readonly add_basic_constraints?: boolean | undefined;
    /** Key usages to request; empty to request none. */
    readonly key_usage?: string | readonly string[] | undefined;
  };
export type GenerateIntermediateReply = GenerateExportedIntermediateReply;
export type SignIntermediateInput = IntermediateFields;
export type SignIntermediateReply = CertificateReply & {
  /** Id of the new issuer, with `set_signed`. */
  readonly issuer_id?: string;
} & Warnings;
export type SignSelfIssuedInput = {
  /** The self-issued CA certificate, PEM. */
  readonly certificate: string | DerSource | readonly (string | DerSource)[];
  /** Refuse if its key is of another type than the issuer's. Default: `false`. */
  readonly require_matching_certificate_algorithms?: boolean | undefined;
  /** The issuer, if the path does not name one. */
  readonly issuer_ref?: string | undefined;
};
export type SignSelfIssuedReply = {
  /** The certificate as signed by the issuer, PEM. */
  readonly certificate: string;
  /** The issuer's certificate, PEM. */
  readonly issuing_ca: string;
} & Warnings;
export type SignSelfIssuedWithInput = {
  /** The issuer, if the path does not name one. */
  readonly issuer_ref: string;
  /** The self-issued CA certificate, PEM. */
  readonly certificate: string | DerSource | readonly (string | DerSource)[];
  /** Refuse if its key is of another type than the issuer's. Default: `false`. */
  readonly require_matching_certificate_algorithms?: boolean | undefined;
};
export type SignSelfIssuedWithReply = SignSelfIssuedReply;
export type SetSignedInput = {
  /** CA certificates, PEM; also as PKCS#7 (`PKCS7` or `CMS`). */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** The same. */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type SetSignedReply = {
  /** Ids of the new issuers. */
  readonly imported_issuers: readonly string[] | null;
  /** Ids of the new keys. */
  readonly imported_keys: readonly string[] | null;
  /** Ids of the issuers that already existed. */
  readonly existing_issuers: readonly string[] | null;
  /** Ids of the keys that already existed. */
  readonly existing_keys: readonly string[] | null;
  /** Id of the key of each issuer, by the id of the issuer; empty where it has none. */
  readonly mapping: Readonly<Record<string, string>>;
} & Warnings;
export type ImportCertificatesInput = {
  /** CA certificates, PEM; also as PKCS#7 (`PKCS7` or `CMS`). */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** The same. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
};
export type ImportCertificatesReply = SetSignedReply;
export type ImportBundleInput = {
  /**
   * CA certificates and private keys, PEM, in any order; certificates also as PKCS#7 (`PKCS7` or
   * `CMS`).
   */
  readonly pem_bundle?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** The same. */
  readonly certificate?: string | DerSource | readonly (string | DerSource)[] | undefined;
  /** The same as a PKCS#12 archive instead: base64 of at most 1 MiB, under AES and a MAC. */
  readonly pkcs12?: string | DerSource | undefined;
  /** Password of `pkcs12`. */
  readonly pkcs12_password?: string | undefined;
};
export type ImportBundleReply = SetSignedReply;
export type ListIssuersInput = ListCertsInput;
export type ListIssuersReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Its name, or empty. */
        readonly issuer_name: string;
        /** Whether it is the default issuer. */
        readonly is_default: boolean;
        /** Serial number of its certificate. */
        readonly serial_number: string;
        /** Id of its key, or empty. */
        readonly key_id: string;
      }
    >
  >;
} & Warnings;
export type ReadIssuerInput = ReadIssuerJsonInput;
export type ReadIssuerReply = RevokeIssuerReply;
export type WriteIssuerInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
  /** Its name. */
  readonly issuer_name?: string | undefined;
  /**
   * What happens to certificates that would outlive it: `err`, `truncate`, `permit`,
   * `always_enforce_err`.
   */
  readonly leaf_not_after_behavior?:
    | "err"
    | "truncate"
    | "permit"
    | "always_enforce_err"
    | undefined;
  /**
   * Its chain as issuer references, starting with itself (`self`); empty to build the chain
   * automatically.
   */
  readonly manual_chain?: string | readonly string[] | undefined;
  /**
   * What it may be used for: `read-only`, `issuing-certificates`, `crl-signing`, `ocsp-signing`.
   */
  readonly usage?:
    | "read-only"
    | "issuing-certificates"
    | "crl-signing"
    | "ocsp-signing"
    | readonly ("read-only" | "issuing-certificates" | "crl-signing" | "ocsp-signing")[]
    | undefined;
  /**
   * Signature algorithm of its CRLs and OCSP responses, such as `SHA256WithRSAPSS`; empty for the
   * key's default.
   */
  readonly revocation_signature_algorithm?: string | undefined;
  /** Its own URLs of its certificate. */
  readonly issuing_certificates?: string | readonly string[] | undefined;
  /** Its own URLs of its CRL. */
  readonly crl_distribution_points?: string | readonly string[] | undefined;
  /** Its own URLs of its delta CRL. */
  readonly delta_crl_distribution_points?: string | readonly string[] | undefined;
  /** Its own URLs of OCSP responders. */
  readonly ocsp_servers?: string | readonly string[] | undefined;
  /** Whether these URLs contain placeholders. */
  readonly enable_aia_url_templating?: boolean | undefined;
  /** Issue even if its certificate, or a leaf of sign-verbatim, has unknown critical extensions. */
  readonly disable_critical_extension_checks?: boolean | undefined;
  /** Issue even if its path length does not allow it. */
  readonly disable_path_length_checks?: boolean | undefined;
  /** Issue even if issuer and subject names along its chain do not match. */
  readonly disable_name_checks?: boolean | undefined;
  /** Issue names that the name constraints of its chain forbid. */
  readonly disable_name_constraint_checks?: boolean | undefined;
  /**
   * Answer `unknown` over OCSP for serial numbers that this mount never issued, although the issuer
   * was imported with its key and may have issued them elsewhere.
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
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Its name, or empty. */
        readonly key_name: string;
        /** Whether it is the default key. */
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
  /** The key: its name or its id, or `default`. */
  readonly key_ref: string;
};
export type ReadKeyReply = KeyReply & {
  /** SHA-1 of its public key, hexadecimal with colons. */
  readonly subject_key_id: string;
  /** UUID of the managed key that it stands for; absent of others. */
  readonly managed_key_id?: string;
  /** Name of that managed key. */
  readonly managed_key_name?: string;
} & Warnings;
export type WriteKeyInput = {
  /** The key: its name or its id, or `default`. */
  readonly key_ref: string;
  /** The new name. */
  readonly key_name?: string | undefined;
};
export type WriteKeyReply = GenerateCaKeyReply;
export type DeleteKeyInput = ReadKeyInput;
export type DeleteKeyReply = DeleteIssuerReply;
export type ReadKeysConfigInput = ReadCaPemInput;
export type ReadKeysConfigReply = {
  /** Id of the default key, or empty. */
  readonly default: string;
} & Warnings;
export type WriteKeysConfigInput = {
  /** Id or name of the new default key. */
  readonly default: string;
};
export type WriteKeysConfigReply = ReadKeysConfigReply;
export type ReadIssuersConfigInput = ReadCaPemInput;
export type ReadIssuersConfigReply = {
  /** Id of the default issuer, or empty. */
  readonly default: string;
  /** Whether a new issuer with a key becomes the default. */
  readonly default_follows_latest_issuer: boolean;
} & Warnings;
export type WriteIssuersConfigInput = {
  /** Id or name of the new default issuer. */
  readonly default: string;
  /** Whether a new issuer with a key becomes the default. */
  readonly default_follows_latest_issuer?: boolean | undefined;
};
export type WriteIssuersConfigReply = ReadIssuersConfigReply;
export type ReplaceRootInput = {
  /** Id or name of the new default issuer. Default: `"next"`. */
  readonly default?: string | undefined;
  /** Whether a new issuer with a key becomes the default. */
  readonly default_follows_latest_issuer?: boolean | undefined;
};
export type ReplaceRootReply = ReadIssuersConfigReply;
export type ListRolesInput = ListCertsInput;
export type ListRolesReply = {
  /** Names, sorted. */
  readonly keys: readonly string[];
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
  /** URLs of the issuer's certificate. */
  readonly issuing_certificates: readonly string[];
  /** URLs of the CRL. */
  readonly crl_distribution_points: readonly string[];
  /** URLs of the delta CRL. */
  readonly delta_crl_distribution_points: readonly string[];
  /** URLs of OCSP responders. */
  readonly ocsp_servers: readonly string[];
  /** Whether the URLs contain placeholders such as {{issuer_id}}. */
  readonly enable_templating: boolean;
} & Warnings;
export type WriteUrlsInput = {
  /** URLs of the issuer's certificate. */
  readonly issuing_certificates?: string | readonly string[] | undefined;
  /** URLs of the CRL. */
  readonly crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs of the delta CRL. */
  readonly delta_crl_distribution_points?: string | readonly string[] | undefined;
  /** URLs of OCSP responders. */
  readonly ocsp_servers?: string | readonly string[] | undefined;
  /**
   * Whether the URLs contain placeholders: {{issuer_id}}, {{cluster_path}}, {{cluster_aia_path}}.
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
  /** URL of this mount for use in certificates; it may be plain HTTP. */
  readonly aia_path: string;
} & Warnings;
export type WriteClusterInput = {
  /** URL of this mount, including /v1. */
  readonly path?: string | undefined;
  /** URL of this mount for use in certificates; it may be plain HTTP. */
  readonly aia_path?: string | undefined;
};
export type WriteClusterReply = ReadClusterReply;
export type ReadAcmeConfigInput = ReadCaPemInput;
export type ReadAcmeConfigReply = {
  /** Whether ACME answers; it needs `config/cluster`'s `path`. */
  readonly enabled: boolean;
  /** Issuers that the path of a directory may name; `*` for all. */
  readonly allowed_issuers: readonly string[];
  /** Roles that may be used, by a path, a profile or the policy; `*` for all. */
  readonly allowed_roles: readonly string[];
  /** Whether certificates get the role's extended key usages rather than serverAuth alone. */
  readonly allow_role_ext_key_usage: boolean;
  /**
   * What directories without a role issue by: `sign-verbatim`, `forbid`, `role:<name>`, or
   * `external-policy`, which a `:<policy>` may follow.
   */
  readonly default_directory_policy: string;
  /** DNS server that challenges are looked up at, `<address>:<port>`; empty: the usual. */
  readonly dns_resolver: string;
  /**
   * Who needs an external account binding: `not-required`, `new-account-required` or
   * `always-required`.
   */
  readonly eab_policy: "not-required" | "new-account-required" | "always-required";
  /**
   * Longest lifetime of certificates, and the default where neither the role nor the mount sets
   * one, seconds.
   */
  readonly max_ttl: number;
  /** The only ranges (CIDR) that challenges may be taken to; empty: the public ones. */
  readonly challenge_permitted_ip_ranges: readonly string[];
  /** Ranges (CIDR) that no challenge is taken to. */
  readonly challenge_excluded_ip_ranges: readonly string[];
  /** How long challenges are tried before they have failed, seconds. */
  readonly challenge_timeout: number;
} & Warnings;
export type WriteAcmeConfigInput = {
  /** Whether ACME answers; it needs `config/cluster`'s `path`. */
  readonly enabled?: boolean | undefined;
  /** Issuers that the path of a directory may name; `*` for all. */
  readonly allowed_issuers?: string | readonly string[] | undefined;
  /** Roles that may be used, by a path, a profile or the policy; `*` for all. */
  readonly allowed_roles?: string | readonly string[] | undefined;
  /** Whether certificates get the role's extended key usages rather than serverAuth alone. */
  readonly allow_role_ext_key_usage?: boolean | undefined;
  /**
   * What directories without a role issue by: `sign-verbatim`, `forbid`, `role:<name>`, or
   * `external-policy`, which a `:<policy>` may follow.
   */
  readonly default_directory_policy?: string | undefined;
  /** DNS server that challenges are looked up at, `<address>:<port>`; empty: the usual. */
  readonly dns_resolver?: string | undefined;
  /**
   * Who needs an external account binding: `not-required`, `new-account-required` or
   * `always-required`.
   */
  readonly eab_policy?: "not-required" | "new-account-required" | "always-required" | undefined;
  /**
   * Longest lifetime of certificates, and the default where neither the role nor the mount sets
   * one, such as 720h; 0: 90 days. Seconds, or a duration such as `72h`.
   */
  readonly max_ttl?: number | string | undefined;
  /** The only ranges (CIDR) that challenges may be taken to; empty: the public ones. */
  readonly challenge_permitted_ip_ranges?: string | readonly string[] | undefined;
  /** Ranges (CIDR) that no challenge is taken to. */
  readonly challenge_excluded_ip_ranges?: string | readonly string[] | undefined;
  /**
   * How long challenges are tried before they have failed, at most an hour; 0: 30 seconds. Seconds,
   * or a duration such as `72h`.
   */
  readonly challenge_timeout?: number | string | undefined;
};
export type WriteAcmeConfigReply = ReadAcmeConfigReply;
export type ReadEstConfigInput = ReadCaPemInput;
export type ReadEstConfigReply = {
  /** Whether EST answers. */
  readonly enabled: boolean;
  /** Whether this mount answers `/.well-known/est/<operation>`: one of all mounts. */
  readonly default_mount: boolean;
  /** What paths without label and role issue by: `sign-verbatim` or `role:<name>`. */
  readonly default_path_policy: string;
  /**
   * What `/.well-known/est/<label>/<operation>` issues by, as above, by labels: each stands in one
   * mount.
   */
  readonly label_to_path_policy: Readonly<Record<string, string>>;
  /** Login methods that clients sign in by. */
  readonly authenticators: {
    /** By names and passwords. */
    readonly userpass?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
    };
    /** By role ids and secret ids. */
    readonly approle?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
    };
    /** By client certificates. */
    readonly cert?: {
      /** Accessor of the login method. */
      readonly accessor?: string;
      /** The one of its roles that admits them; any, unless said. */
      readonly cert_role?: string;
    };
  };
  /** Stored and returned; no effect. */
  readonly enable_sentinel_parsing: boolean;
  /**
   * What the audit tells of a CSR, names as hashes: `csr`, `common_name`, `alt_names`, `ip_sans`,
   * `uri_sans`, `other_sans`, `key_type` and others.
   */
  readonly audit_fields: readonly string[];
  /**
   * What `csrattrs` asks clients for: object identifiers, and attributes as `<oid>=<oid>`, further
   * values behind `+`.
   */
  readonly csr_attributes: readonly string[];
  /** When it was last written, RFC 3339. */
  readonly last_updated: string;
} & Warnings;
export type WriteEstConfigInput = {
  /** Whether EST answers. */
  readonly enabled?: boolean | undefined;
  /** Whether this mount answers `/.well-known/est/<operation>`: one of all mounts. */
  readonly default_mount?: boolean | undefined;
  /** What paths without label and role issue by: `sign-verbatim` or `role:<name>`. */
  readonly default_path_policy?: string | undefined;
  /**
   * What `/.well-known/est/<label>/<operation>` issues by, as above, by labels: each stands in one
   * mount.
   */
  readonly label_to_path_policy?: Readonly<Record<string, string>> | undefined;
  /** Login methods that clients sign in by. */
  readonly authenticators?:
    | {
        /** By names and passwords. */
        readonly userpass?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
            }
          | undefined;
        /** By role ids and secret ids. */
        readonly approle?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
            }
          | undefined;
        /** By client certificates. */
        readonly cert?:
          | {
              /** Accessor of the login method. */
              readonly accessor?: string | undefined;
              /** The one of its roles that admits them; any, unless said. */
              readonly cert_role?: string | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Stored and returned; no effect. */
  readonly enable_sentinel_parsing?: boolean | undefined;
  /**
   * What the audit tells of a CSR, names as hashes: `csr`, `common_name`, `alt_names`, `ip_sans`,
   * `uri_sans`, `other_sans`, `key_type` and others.
   */
  readonly audit_fields?: string | readonly string[] | undefined;
  /**
   * What `csrattrs` asks clients for: object identifiers, and attributes as `<oid>=<oid>`, further
   * values behind `+`.
   */
  readonly csr_attributes?: string | readonly string[] | undefined;
};
export type WriteEstConfigReply = ReadEstConfigReply;
export type ReadExternalPolicyInput = ReadCaPemInput;
export type ReadExternalPolicyReply = {
  /** Whether certificates are issued by external policy. */
  readonly enabled: boolean;
  /** URL that the policy service is asked at, https only. */
  readonly external_service_url: string;
  /**
   * Name of a service of the platform that is asked in the place of a server, such as a service
   * binding of the Worker.
   */
  readonly service: string;
  /** How long an answer may take, nanoseconds. */
  readonly timeout: number;
  /** CA certificates, PEM, one of which the server's chain leads to. */
  readonly trusted_ca: string;
  /**
   * Certificates of the server, PEM: exactly one of these is taken, whatever its names and
   * validity.
   */
  readonly trusted_leaf_certificate_bundle: string;
  /** Certificates that the service is shown, PEM, without their key. */
  readonly vault_client_cert_bundle: string;
  /**
   * JMESPath expression that picks what is sent of the caller's entity; empty: its id alone, `@`:
   * everything.
   */
  readonly entity_jmespath: string;
  /**
   * JMESPath expression that picks what is sent of the caller's groups; empty: nothing, `@`:
   * everything.
   */
  readonly group_jmespath: string;
  /**
   * Whether addresses of private networks and of the own machine may be asked; as
   * ACME_PRIVATE_NETWORKS of the deployment says unless sent.
   */
  readonly allow_private_network: boolean;
  /** When this was last written, RFC 3339. */
  readonly external_service_last_updated: string;
  /** Whether the last answer of the service was a valid one, as far as this process knows. */
  readonly external_service_validated: boolean;
  /** When the last valid answer came, RFC 3339, as far as this process knows; empty: never. */
  readonly last_successful_request: string;
  /** When there was no valid answer last, RFC 3339, as far as this process knows; empty: never. */
  readonly last_failed_request: string;
  /** Why there was none then; empty: never. */
  readonly last_failure: string;
} & Warnings;
export type WriteExternalPolicyInput = {
  /** Whether certificates are issued by external policy. */
  readonly enabled?: boolean | undefined;
  /** URL that the policy service is asked at, https only. */
  readonly external_service_url?: string | undefined;
  /**
   * Name of a service of the platform that is asked in the place of a server, such as a service
   * binding of the Worker.
   */
  readonly service?: string | undefined;
  /**
   * How long an answer may take, 1 to 60 seconds; 15s unless set. Seconds, or a duration such as
   * `72h`.
   */
  readonly timeout?: number | string | undefined;
  /** CA certificates, PEM, one of which the server's chain leads to. */
  readonly trusted_ca?: string | undefined;
  /**
   * Certificates of the server, PEM: exactly one of these is taken, whatever its names and
   * validity.
   */
  readonly trusted_leaf_certificate_bundle?: string | undefined;
  /** Private key and its certificates, PEM, that the service is shown; the key is not read back. */
  readonly vault_client_cert_bundle?: string | undefined;
  /**
   * JMESPath expression that picks what is sent of the caller's entity; empty: its id alone, `@`:
   * everything.
   */
  readonly entity_jmespath?: string | undefined;
  /**
   * JMESPath expression that picks what is sent of the caller's groups; empty: nothing, `@`:
   * everything.
   */
  readonly group_jmespath?: string | undefined;
  /**
   * Whether addresses of private networks and of the own machine may be asked; as
   * ACME_PRIVATE_NETWORKS of the deployment says unless sent.
   */
  readonly allow_private_network?: boolean | undefined;
};
export type WriteExternalPolicyReply = ReadExternalPolicyReply;
export type CheckExternalPolicyInput = {
  /** Name of the policy that is asked for. */
  readonly policy?: string | undefined;
};
export type CheckExternalPolicyReply = {
  /** Whether the service gave a valid answer: a certificate or a refusal. */
  readonly valid: boolean;
  /** Whether it would have a certificate issued. */
  readonly accepted: boolean;
  /** What the service says, or why there is no valid answer. */
  readonly message: string;
  /** How long it took. */
  readonly milliseconds: number;
} & Warnings;
export type ListRevocationQueueInput = ListCertsInput;
export type ListRevocationQueueReply = {
  /** Serial numbers with colons, sorted. */
  readonly keys: readonly string[];
  /** What is known of each, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Uuid of the deployment. */
        readonly requesting_cluster: string;
        /** True once the certificate is revoked. */
        readonly confirmed?: boolean;
        /** Uuid of the deployment, once it is revoked. */
        readonly confirmation_cluster?: string;
      }
    >
  >;
} & Warnings;
export type ListUnifiedRevokedInput = ListCertsInput;
export type ListUnifiedRevokedReply = {
  /** Serial numbers with colons, sorted. */
  readonly keys: readonly string[];
  /** Who has revoked each, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Uuid of the deployment. */
        readonly revoking_clusters: readonly string[];
      }
    >
  >;
} & Warnings;
export type ListCertDetailsInput = {
  /** Only serial numbers after this one. */
  readonly after?: string | undefined;
  /** Most certificates to return; 0 for 1000. Default: `0`. */
  readonly limit?: number | undefined;
};
export type ListCertDetailsReply = {
  /** Serial numbers with colons, sorted. */
  readonly keys: readonly string[];
  /** Details of each, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Common name of the subject. */
        readonly common_name: string;
        /** Id of the issuer, or empty. */
        readonly issuer: string;
        /** Name of the role, or empty. */
        readonly role: string;
        /** `rsa`, `ec` or `ed25519`; empty if the key is of another type. */
        readonly key_type: "rsa" | "ec" | "ed25519" | "";
        /** Size of the key in bits; 0 if the key is of another type. */
        readonly key_bits: number;
        /** Start of validity, RFC 3339. */
        readonly not_before: string;
        /** End of validity, RFC 3339. */
        readonly not_after: string;
        /** DNS names, five at most. */
        readonly dns_names: readonly string[];
        /** `acme` where ACME issued it, else `api`. */
        readonly source: string;
        /** Account of ACME that it was issued to. */
        readonly acme_account?: string;
        /** Order of ACME that it was issued for. */
        readonly acme_order?: string;
      }
    >
  >;
} & Warnings;
export type SearchCertsInput = SearchFields & {
  /** The `cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Most certificates to return; 0 for 100. Default: `0`. */
  readonly limit?: number | undefined;
};
export type SearchCertsReply = {
  /** Serial numbers with colons, in the order of the index that was used. */
  readonly keys: readonly string[];
  /** Details of each, by serial number. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Common name of the subject. */
        readonly common_name: string;
        /** Id of the issuer, or empty. */
        readonly issuer: string;
        /** Name of the role, or empty. */
        readonly role: string;
        /** `rsa`, `ec` or `ed25519`; empty if the key is of another type. */
        readonly key_type: "rsa" | "ec" | "ed25519" | "";
        /** Size of the key in bits; 0 if the key is of another type. */
        readonly key_bits: number;
        /** Start of validity, RFC 3339. */
        readonly not_before: string;
        /** End of validity, RFC 3339. */
        readonly not_after: string;
        /** DNS names, five at most. */
        readonly dns_names: readonly string[];
        /** `acme` where ACME issued it, else `api`. */
        readonly source: string;
        /** Account of ACME that it was issued to. */
        readonly acme_account?: string;
        /** Order of ACME that it was issued for. */
        readonly acme_order?: string;
        /** How many alternative names it has, of every kind. */
        readonly names: number;
        /** SHA-256 of the certificate, hexadecimal. */
        readonly fingerprint: string;
        /** `valid`, `expired` or `revoked`. */
        readonly state: "" | "valid" | "expired" | "revoked";
        /** When it was revoked, Unix seconds; 0 when it is not. */
        readonly revocation_time: number;
        /** Why it was revoked, by the name that revoke takes. */
        readonly revocation_reason?: string;
      }
    >
  >;
  /** Send this to get the next page; empty on the last page. */
  readonly cursor: string;
} & Warnings;
export type RevokeFoundInput = SearchFields & {
  /** Revoke every certificate of the mount; without any of the filters. Default: `false`. */
  readonly all?: boolean | undefined;
  /**
   * Serial numbers of the certificates to revoke, a thousand at most; without any of the filters.
   */
  readonly serial_numbers?: string | readonly string[] | undefined;
  /** Reason code for all of them by its name, as in revoke. */
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
  /** Revoke nothing: tell what the call would do. Default: `false`. */
  readonly dry_run?: boolean | undefined;
  /** The `cursor` of the previous call, to go on behind what it looked at. */
  readonly cursor?: string | undefined;
};
export type RevokeFoundReply = {
  /** Whether nothing was revoked. */
  readonly dry_run: boolean;
  /** How many certificates were revoked, or would be. */
  readonly revoked: number;
  /** Serial numbers of the first hundred of them, with colons. */
  readonly keys: readonly string[];
  /** How many of those found were revoked before. */
  readonly already_revoked: number;
  /** How many have ended, and are left as they are. */
  readonly expired: number;
  /** How many are issuers of the mount, which issuer/:issuer_ref/revoke revokes. */
  readonly issuers: number;
  /**
   * How many sign OCSP answers of an issuer now. Such a certificate is revoked by its serial
   * number, or replaced by issuer/:issuer_ref/ocsp-responder.
   */
  readonly responders: number;
  /**
   * How many more are to be revoked, as far as this call has looked; a warning tells whether there
   * may be others.
   */
  readonly left: number;
  /** Send this to go on; empty when all were looked at. */
  readonly cursor: string;
  /** Those of serial_numbers that no stored certificate has, as they were sent. */
  readonly unknown?: readonly string[];
} & Warnings;
export type ReadCertMetadataInput = ReadCertInput;
export type ReadCertMetadataReply = {
  /** Id of the issuer. */
  readonly issuer_id: string;
  /** End of validity, RFC 3339. */
  readonly expiration: string;
  /** The metadata, base64, as it was given. */
  readonly cert_metadata?: string;
  /** Name of the role, or empty. */
  readonly role: string;
  /** Serial number with colons. */
  readonly serial_number: string;
} & Warnings;
export type ListCertMetadataInput = ReadCaPemInput;
export type ListCertMetadataReply = ListCertsReply;
export type ReadCertBatchInput = {
  /** Serial numbers. */
  readonly serial_numbers?: string | readonly string[] | undefined;
};
export type ReadCertBatchReply = {
  /** PEM by serial number as it was asked; null for one that is not stored. */
  readonly certificates: Readonly<Record<string, string | null>>;
} & Warnings;
export type IssueByPolicyInput = CertificateFormatFields &
  KeyAliasField &
  KeyFormatField & {
    /** Name that the policy service is told. */
    readonly policy?: string | undefined;
    /** The issuer: its name or its id, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** `rsa`, `ec` or `ed25519`. Default: `"rsa"`. */
    readonly key_type?: "rsa" | "ec" | "ed25519" | undefined;
    /** Key size in bits; 0 means 2048 (rsa) or 256 (ec). Default: `0`. */
    readonly key_bits?: number | undefined;
    /** Leave self-signed certificates out of `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    readonly [name: string]: unknown;
  };
export type IssueByPolicyReply = IssueReply;
export type SignByPolicyInput = CertificateFormatFields &
  KeyFormatField & {
    /** Name that the policy service is told. */
    readonly policy?: string | undefined;
    /** The issuer: its name or its id, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    /** Leave self-signed certificates out of `ca_chain`. Default: `false`. */
    readonly remove_roots_from_chain?: boolean | undefined;
    readonly [name: string]: unknown;
  };
export type SignByPolicyReply = SignReply;
export type SignIntermediateByPolicyInput = CertificateFormatFields &
  KeyFormatField & {
    /** Name that the policy service is told. */
    readonly policy?: string | undefined;
    /** The issuer: its name or its id, or `default`. */
    readonly issuer_ref?: string | undefined;
    /** Certificate signing request, PEM. */
    readonly csr: string | DerSource;
    readonly [name: string]: unknown;
  };
export type SignIntermediateByPolicyReply = SignReply;
export type ExplainIssueInput = IssueInput;
export type ExplainIssueReply = {
  /** Whether the real call would issue a certificate. */
  readonly would_issue: boolean;
  /** Why it would not: the first rule that says no. */
  readonly refusal?: string;
  /**
   * Each rule that was asked, in the order of the real call. A refusal ends the list only when
   * nothing can be checked after it, as with a CSR that cannot be read.
   */
  readonly rules: readonly {
    /** The role's field, or the name of another rule. */
    readonly rule: string;
    /** What was asked of it. */
    readonly input: string;
    /** Whether it lets pass. */
    readonly allowed: boolean;
    /** Why not, as the refusal says it. */
    readonly reason?: string;
  }[];
  /** Findings. They never refuse. */
  readonly lint: readonly {
    /** How grave it is. */
    readonly severity: "error" | "warning" | "info";
    /** Where it is written. */
    readonly section: string;
    /** What it says. */
    readonly rule: string;
  }[];
  /**
   * The to-be-signed certificate, base64 DER, with a placeholder for its serial number. What a rule
   * refuses is shown as requested, or replaced: a lifetime by the longest that is allowed; names
   * that cannot be read are left out.
   */
  readonly tbs_certificate?: string;
  /** The warnings that the real call would give. */
  readonly warnings: readonly string[];
};
export type ExplainSignInput = SignInput;
export type ExplainSignReply = ExplainIssueReply;
export type ExplainVerbatimInput = SignVerbatimInput;
export type ExplainVerbatimReply = ExplainIssueReply;
export type MakeResponderInput = {
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref: string;
  /**
   * `rsa`, `ec` or `ed25519`. Unless given that of the issuer, but EC for Ed25519, which few
   * clients know.
   */
  readonly key_type?: "rsa" | "ec" | "ed25519" | undefined;
  /** Size of the key; 0 for the usual size, on curves P-256. Default: `0`. */
  readonly key_bits?: number | undefined;
};
export type MakeResponderReply = {
  /** Its certificate, PEM. */
  readonly certificate: string;
  /** Serial number of its certificate. */
  readonly serial_number: string;
  /** Start of its validity, RFC 3339. */
  readonly not_before: string;
  /** End of its validity, RFC 3339. */
  readonly not_after: string;
  /** `rsa`, `ec` or `ed25519`. */
  readonly key_type: "rsa" | "ec" | "ed25519";
  /** Size of its key in bits. */
  readonly key_bits: number;
  /**
   * When a new key and certificate take its place, RFC 3339; empty where none will, because it ends
   * with its issuer.
   */
  readonly next_renewal: string;
  /**
   * Whether it signs answers: not once it is revoked, damaged or has ended, or its issuer is
   * revoked. Then the issuer signs.
   */
  readonly active: boolean;
} & Warnings;
export type ReadResponderInput = ReadIssuerJsonInput;
export type ReadResponderReply = MakeResponderReply;
export type DeleteResponderInput = ReadIssuerJsonInput;
export type DeleteResponderReply = DeleteIssuerReply;
export type ListAcmeOrdersInput = {
  /** Only orders of this account; of at most 1000 of them. */
  readonly account_id?: string | undefined;
  /** Most orders to return: at most 1000; 0 for 100. Default: `0`. */
  readonly limit?: number | undefined;
};
export type ListAcmeOrdersReply = {
  /** Ids of orders, the newest first. */
  readonly keys: readonly string[];
  /** Each order, by its id. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Account that ordered it. */
        readonly account_id: string;
        /** Where it was ordered, such as `roles/web/acme`. */
        readonly directory: string;
        /** `pending`, `ready`, `valid` or `invalid`. */
        readonly status: "pending" | "ready" | "valid" | "invalid";
        /** Names and addresses that the certificate is for. */
        readonly identifiers: readonly string[];
        /** RFC 3339. */
        readonly created_time: string;
        /** When it ends unless a certificate came of it, RFC 3339. */
        readonly expires: string;
        /** Of the certificate, with colons; empty before there is one. */
        readonly cert_serial_number: string;
        /**
         * Why no certificate came of it: `type`, of RFC 8555 section 6.7 or the like, and `detail`;
         * absent without one.
         */
        readonly error?: Readonly<Record<string, unknown>>;
        /** What was proven, and what was not. */
        readonly authorizations: readonly {
          /** The name or address that is to be proven. */
          readonly identifier: string;
          /** `pending`, `valid`, `invalid` or `deactivated`. */
          readonly status: "pending" | "valid" | "invalid" | "deactivated";
          /** How it can be proven. */
          readonly challenges: readonly {
            /** `http-01`, `dns-01` or `tls-alpn-01`. */
            readonly type: "http-01" | "dns-01" | "tls-alpn-01";
            /** `pending`, `processing`, `valid` or `invalid`. */
            readonly status: "pending" | "processing" | "valid" | "invalid";
            /** How often it has failed. */
            readonly attempts: number;
            /**
             * Why its first attempt failed, or why it cannot succeed: `type`, of RFC 8555 section 6.7 or the
             * like, and `detail`; absent without one.
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
   * `Inactive`, `Running`, `Finished`, `Error`, `Cancelling` or `Cancelled`: of the run that is
   * under way, else of the last one.
   */
  readonly state: "Inactive" | "Running" | "Finished" | "Error" | "Cancelling" | "Cancelled";
  /** Remove certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_store: boolean | null;
  /**
   * Remove revoked certificates, with their entries in lists, that ended longer ago than
   * `revoked_safety_buffer`.
   */
  readonly tidy_revoked_certs: boolean | null;
  /** Find the issuer of revoked certificates whose issuer is not known or no longer here. */
  readonly tidy_revoked_cert_issuer_associations: boolean | null;
  /**
   * Remove issuers that ended longer ago than `issuer_safety_buffer`, but never the default issuer,
   * and no key.
   */
  readonly tidy_expired_issuers: boolean | null;
  /** Accepted for clients that set it: there is no such bundle here. */
  readonly tidy_move_legacy_ca_bundle: boolean | null;
  /**
   * Remove revocation requests that have waited for longer than `revocation_queue_safety_buffer`.
   */
  readonly tidy_revocation_queue: boolean | null;
  /**
   * Accepted for clients that set it: there is one cluster here, whose revocations
   * `tidy_revoked_certs` removes.
   */
  readonly tidy_cross_cluster_revoked_certs: boolean | null;
  /**
   * Remove ACME orders whose certificates have ended longer ago than `safety_buffer`, and accounts
   * and bindings that were unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme: boolean | null;
  /** Remove the metadata of certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_metadata: boolean | null;
  /** Accepted for clients that set it: there are no CMP nonces here. */
  readonly tidy_cmpv2_nonce_store: boolean | null;
  /** Remove stored certificates that are damaged or cannot be read. */
  readonly tidy_invalid_certs: boolean | null;
  /** How long a certificate must have ended before it is removed. */
  readonly safety_buffer: number | null;
  /** How long an issuer must have ended before it is removed. */
  readonly issuer_safety_buffer: number | null;
  /** How long an ACME account must have been unused before it is removed. */
  readonly acme_account_safety_buffer: number | null;
  /** How long a revocation request may wait before it is removed. */
  readonly revocation_queue_safety_buffer: number | null;
  /**
   * How long a revoked certificate must have ended before it is removed; `safety_buffer` unless
   * set.
   */
  readonly revoked_safety_buffer: number | null;
  /** How long to wait between two steps, such as `250ms` or `1m30s`. */
  readonly pause_duration: string | null;
  /** How many entries one step takes: at least 5; more than 500 counts as 500. */
  readonly page_size: number | null;
  /** What ended the run. */
  readonly error: string | null;
  /** What the run is doing; null when it has ended. */
  readonly message: string | null;
  /** When the run began, RFC 3339. */
  readonly time_started: string | null;
  /** When the run ended, RFC 3339. */
  readonly time_finished: string | null;
  /** When an automatic run ended last, RFC 3339. */
  readonly last_auto_tidy_finished: string | null;
  /** Certificates that were removed. */
  readonly cert_store_deleted_count: number | null;
  /** Revocations that were removed. */
  readonly revoked_cert_deleted_count: number | null;
  /** Revocations whose issuer was not known or no longer here. */
  readonly missing_issuer_cert_count: number | null;
  /** Revocation requests that were removed. */
  readonly revocation_queue_deleted_count: number | null;
  /** Revocations of other clusters that were removed. */
  readonly cross_revoked_cert_deleted_count: number | null;
  /** Records of metadata that were removed. */
  readonly cert_metadata_deleted_count: number | null;
  /** CMP nonces that were removed. */
  readonly cmpv2_nonce_deleted_count: number | null;
  /** ACME accounts that were looked at. */
  readonly total_acme_account_count: number | null;
  /** ACME accounts that were removed. */
  readonly acme_account_deleted_count: number | null;
  /** ACME accounts that were revoked. */
  readonly acme_account_revoked_count: number | null;
  /** ACME orders that were removed. */
  readonly acme_orders_deleted_count: number | null;
  /**
   * How many certificates are stored, while `maintain_stored_certificate_counts` is set: as counted
   * after the last run, and each hour.
   */
  readonly current_cert_store_count: number | null;
  /** How many of them are revoked, likewise. */
  readonly current_revoked_cert_count: number | null;
  /** Why there are no counts yet. */
  readonly certificate_counting_error?: string;
  /** The mount's uuid. */
  readonly internal_backend_uuid: string;
} & Warnings;
export type TidyStatusInput = ReadCaPemInput;
export type TidyStatusReply = TidyCancelReply;
export type ReadAutoTidyInput = ReadCaPemInput;
export type ReadAutoTidyReply = TidySettingsReply & {
  /** Whether tidy begins by itself. */
  readonly enabled: boolean;
  /** How long after the end of a run the next one begins; a minute at least. Seconds. */
  readonly interval_duration: number;
  /** The shortest wait before the first run. Seconds. */
  readonly min_startup_backoff_duration: number;
  /** The longest wait before the first run. Seconds. */
  readonly max_startup_backoff_duration: number;
  /** Whether the stored certificates are counted, for `tidy-status`. */
  readonly maintain_stored_certificate_counts: boolean;
  /** Whether each count is written to the log. */
  readonly publish_stored_certificate_count_metrics: boolean;
} & Warnings;
export type WriteAutoTidyInput = {
  /** Whether tidy begins by itself. */
  readonly enabled?: boolean | undefined;
  /**
   * How long after the end of a run the next one begins; a minute at least. Seconds, or a duration
   * such as `72h`.
   */
  readonly interval_duration?: number | string | undefined;
  /** The shortest wait before the first run. Seconds, or a duration such as `72h`. */
  readonly min_startup_backoff_duration?: number | string | undefined;
  /** The longest wait before the first run. Seconds, or a duration such as `72h`. */
  readonly max_startup_backoff_duration?: number | string | undefined;
  /** Remove certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_store?: boolean | undefined;
  /**
   * Remove revoked certificates, with their entries in lists, that ended longer ago than
   * `revoked_safety_buffer`.
   */
  readonly tidy_revoked_certs?: boolean | undefined;
  /** Find the issuer of revoked certificates whose issuer is not known or no longer here. */
  readonly tidy_revoked_cert_issuer_associations?: boolean | undefined;
  /**
   * Remove issuers that ended longer ago than `issuer_safety_buffer`, but never the default issuer,
   * and no key.
   */
  readonly tidy_expired_issuers?: boolean | undefined;
  /** Accepted for clients that set it: there is no such bundle here. */
  readonly tidy_move_legacy_ca_bundle?: boolean | undefined;
  /**
   * Remove revocation requests that have waited for longer than `revocation_queue_safety_buffer`.
   */
  readonly tidy_revocation_queue?: boolean | undefined;
  /**
   * Accepted for clients that set it: there is one cluster here, whose revocations
   * `tidy_revoked_certs` removes.
   */
  readonly tidy_cross_cluster_revoked_certs?: boolean | undefined;
  /**
   * Remove ACME orders whose certificates have ended longer ago than `safety_buffer`, and accounts
   * and bindings that were unused for longer than `acme_account_safety_buffer`.
   */
  readonly tidy_acme?: boolean | undefined;
  /** Remove the metadata of certificates that ended longer ago than `safety_buffer`. */
  readonly tidy_cert_metadata?: boolean | undefined;
  /** Accepted for clients that set it: there are no CMP nonces here. */
  readonly tidy_cmpv2_nonce_store?: boolean | undefined;
  /** Remove stored certificates that are damaged or cannot be read. */
  readonly tidy_invalid_certs?: boolean | undefined;
  /** Same as `tidy_revoked_certs`. */
  readonly tidy_revocation_list?: boolean | undefined;
  /**
   * How long a certificate must have ended before it is removed. Seconds, or a duration such as
   * `72h`.
   */
  readonly safety_buffer?: number | string | undefined;
  /**
   * How long an issuer must have ended before it is removed. Seconds, or a duration such as `72h`.
   */
  readonly issuer_safety_buffer?: number | string | undefined;
  /**
   * How long an ACME account must have been unused before it is removed. Seconds, or a duration
   * such as `72h`.
   */
  readonly acme_account_safety_buffer?: number | string | undefined;
  /**
   * How long a revocation request may wait before it is removed. Seconds, or a duration such as
   * `72h`.
   */
  readonly revocation_queue_safety_buffer?: number | string | undefined;
  /**
   * How long a revoked certificate must have ended before it is removed; `safety_buffer` unless
   * set. Seconds, or a duration such as `72h`.
   */
  readonly revoked_safety_buffer?: number | string | undefined;
  /** How long to wait between two steps, such as `250ms` or `1m30s`. */
  readonly pause_duration?: string | undefined;
  /** How many entries one step takes: at least 5; more than 500 counts as 500. */
  readonly page_size?: number | undefined;
  /** Whether the stored certificates are counted, for `tidy-status`. */
  readonly maintain_stored_certificate_counts?: boolean | undefined;
  /** Whether each count is written to the log. */
  readonly publish_stored_certificate_count_metrics?: boolean | undefined;
};
export type WriteAutoTidyReply = ReadAutoTidyReply;
export type NewEabInput = {
  /** Name of the role. */
  readonly role?: string | undefined;
  /** The issuer: its name or its id, or `default`. */
  readonly issuer_ref?: string | undefined;
  /** Name that the policy service is told. */
  readonly policy?: string | undefined;
};
export type NewEabReply = {
  /** What the ACME client calls the key identifier. */
  readonly id: string;
  /** Always `hs`: the key is one for HMAC. */
  readonly key_type: string;
  /** What the ACME client calls the HMAC key: base64url of 32 bytes. It is told only once. */
  readonly key: string;
  /**
   * The only directory that accepts the key, as a path below the mount, such as
   * `roles/web/acme/directory`.
   */
  readonly acme_directory: string;
  /** When it was made, RFC 3339. */
  readonly created_on: string;
} & Warnings;
export type ListEabInput = ListCertsInput;
export type ListEabReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
  /** What is known of each, by id; never its key. */
  readonly key_info: Readonly<
    Record<
      string,
      {
        /** Always `hs`: the key is one for HMAC. */
        readonly key_type: string;
        /**
         * The only directory that accepts the key, as a path below the mount, such as
         * `roles/web/acme/directory`.
         */
        readonly acme_directory: string;
        /** When it was made, RFC 3339. */
        readonly created_on: string;
      }
    >
  >;
} & Warnings;
export type DeleteEabInput = {
  /** Id of the binding. */
  readonly key_id: string;
};
export type DeleteEabReply = DeleteIssuerReply;
export type ListAcmeAccountsInput = ListCertsInput;
export type ListAcmeAccountsReply = {
  /** Ids, sorted. */
  readonly keys: readonly string[];
} & Warnings;
export type ReadAcmeAccountInput = {
  /** Id of the account. */
  readonly key_id: string;
};
export type ReadAcmeAccountReply = AcmeAccountReply & {
  /** Its orders, 10,000 at the most. */
  readonly orders: readonly {
    /** Id of the order. */
    readonly order_id: string;
    /** `pending`, `ready`, `valid` or `invalid`. */
    readonly status: "pending" | "ready" | "valid" | "invalid";
    /** The names and addresses that it is for. */
    readonly identifiers: readonly string[];
    /** Until when it can be completed, RFC 3339. */
    readonly order_expiry: string;
    /** When its certificate ends, RFC 3339; empty without one. */
    readonly cert_expiry: string;
    /** With colons; empty without a certificate. */
    readonly cert_serial_number: string;
  }[];
} & Warnings;
export type WriteAcmeAccountInput = {
  /** Id of the account. */
  readonly key_id: string;
  /** `revoked` or `valid`. */
  readonly status: "revoked" | "valid";
};
export type WriteAcmeAccountReply = AcmeAccountReply & Warnings;

/** Typed client: Every endpoint of a CA mount, such as `/v1/pki`. */
export interface PkiClient {
  /**
   * Generates a key and issues a certificate for it, as a role allows. The key is returned once and
   * not kept.
   * `POST /v1/pki/issue/:role`, `POST /v1/pki/issuer/:issuer_ref/issue/:role`. Fails with
   * `invalid_field`, `unknown_role`, `malformed`, `role_violation`, `unknown_issuer`,
   * `unusable_issuer`, `name_not_allowed`, `validity`, `constraint`.
   */
  issue(input: IssueInput, options?: CallOptions): Promise<IssueReply>;
  /**
   * Issues a certificate for the key of a certificate signing request, as a role allows.
   * `POST /v1/pki/sign/:role`, `POST /v1/pki/issuer/:issuer_ref/sign/:role`. Fails with
   * `invalid_field`, `unknown_role`, `malformed`, `role_violation`, `unknown_issuer`,
   * `unusable_issuer`, `bad_csr`, `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  sign(input: SignInput, options?: CallOptions): Promise<SignReply>;
  /**
   * Issues a certificate with the subject, names and extensions of a CSR as they are. It never
   * issues a CA certificate, nor one with an unknown critical extension unless the issuer's check
   * is disabled. For highly trusted callers only.
   * `POST /v1/pki/sign-verbatim(/:role+)`, `POST /v1/pki/issuer/:path_ref/sign-verbatim(/:role+)`.
   * Fails with `invalid_field`, `unknown_role`, `malformed`, `unknown_issuer`, `unusable_issuer`,
   * `bad_csr`, `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  signVerbatim(input: SignVerbatimInput, options?: CallOptions): Promise<SignVerbatimReply>;
  /**
   * The default issuer's certificate as PEM.
   * `GET /v1/pki/ca/pem`, `GET /v1/pki/cert/ca/raw/pem`. Needs no token.
   */
  readCaPem(input?: ReadCaPemInput, options?: CallOptions): Promise<ReadCaPemReply>;
  /**
   * The default issuer's certificate as DER.
   * `GET /v1/pki/ca`, `GET /v1/pki/cert/ca/raw`. Needs no token.
   */
  readCa(input?: ReadCaInput, options?: CallOptions): Promise<ReadCaReply>;
  /**
   * The default issuer's certificate and its parents as PEM.
   * `GET /v1/pki/ca_chain`. Needs no token.
   */
  readCaChain(input?: ReadCaChainInput, options?: CallOptions): Promise<ReadCaChainReply>;
  /**
   * The default issuer's certificate.
   * `GET /v1/pki/cert/ca`. Needs no token. Fails with `not_found`.
   */
  readCaCert(input?: ReadCaCertInput, options?: CallOptions): Promise<ReadCaCertReply>;
  /**
   * The default issuer's certificate and its parents, as one text.
   * `GET /v1/pki/cert/ca_chain`. Needs no token. Fails with `not_found`.
   */
  readChainCert(input?: ReadChainCertInput, options?: CallOptions): Promise<ReadChainCertReply>;
  /** The default issuer's CRL as DER. `GET /v1/pki/crl`. Needs no token. */
  readCrl(input?: ReadCrlInput, options?: CallOptions): Promise<ReadCrlReply>;
  /** The default issuer's CRL as PEM. `GET /v1/pki/crl/pem`. Needs no token. */
  readCrlPem(input?: ReadCrlPemInput, options?: CallOptions): Promise<ReadCrlPemReply>;
  /** The default issuer's CRL. `GET /v1/pki/cert/crl`. Needs no token. Fails with `not_found`. */
  readCrlCert(input?: ReadCrlCertInput, options?: CallOptions): Promise<ReadCrlCertReply>;
  /**
   * The default issuer's delta CRL as DER; without entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta`. Needs no token.
   */
  readDeltaCrl(input?: ReadDeltaCrlInput, options?: CallOptions): Promise<ReadDeltaCrlReply>;
  /**
   * The default issuer's delta CRL as PEM; without entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta/pem`. Needs no token.
   */
  readDeltaCrlPem(
    input?: ReadDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadDeltaCrlPemReply>;
  /**
   * The default issuer's delta CRL.
   * `GET /v1/pki/cert/delta-crl`. Needs no token. Fails with `not_found`.
   */
  readDeltaCrlCert(
    input?: ReadDeltaCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadDeltaCrlCertReply>;
  /**
   * The default issuer's unified CRL as DER; nothing while `unified_crl` is off.
   * `GET /v1/pki/unified-crl`. Needs no token.
   */
  readUnifiedCrl(input?: ReadUnifiedCrlInput, options?: CallOptions): Promise<ReadUnifiedCrlReply>;
  /**
   * The default issuer's unified CRL as PEM; nothing while `unified_crl` is off.
   * `GET /v1/pki/unified-crl/pem`. Needs no token.
   */
  readUnifiedCrlPem(
    input?: ReadUnifiedCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedCrlPemReply>;
  /**
   * The default issuer's unified CRL.
   * `GET /v1/pki/cert/unified-crl`. Needs no token. Fails with `not_found`.
   */
  readUnifiedCrlCert(
    input?: ReadUnifiedCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedCrlCertReply>;
  /**
   * The default issuer's unified delta CRL as DER; nothing while `unified_crl` is off.
   * `GET /v1/pki/unified-crl/delta`. Needs no token.
   */
  readUnifiedDeltaCrl(
    input?: ReadUnifiedDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlReply>;
  /**
   * The default issuer's unified delta CRL as PEM; nothing while `unified_crl` is off.
   * `GET /v1/pki/unified-crl/delta/pem`. Needs no token.
   */
  readUnifiedDeltaCrlPem(
    input?: ReadUnifiedDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlPemReply>;
  /**
   * The default issuer's unified delta CRL.
   * `GET /v1/pki/cert/unified-delta-crl`. Needs no token. Fails with `not_found`.
   */
  readUnifiedDeltaCrlCert(
    input?: ReadUnifiedDeltaCrlCertInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedDeltaCrlCertReply>;
  /**
   * The default issuer's CRL of a shard as DER.
   * `GET /v1/pki/crl/shard/:shard`, `GET /v1/pki/unified-crl/shard/:shard`. Needs no token.
   */
  readShardCrl(input: ReadShardCrlInput, options?: CallOptions): Promise<ReadShardCrlReply>;
  /**
   * The default issuer's CRL of a shard as PEM.
   * `GET /v1/pki/crl/pem/shard/:shard`, `GET /v1/pki/unified-crl/pem/shard/:shard`. Needs no token.
   */
  readShardCrlPem(
    input: ReadShardCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadShardCrlPemReply>;
  /**
   * The default issuer's delta CRL of a shard as DER; without entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta/shard/:shard`, `GET /v1/pki/unified-crl/delta/shard/:shard`. Needs no
   * token.
   */
  readShardDelta(input: ReadShardDeltaInput, options?: CallOptions): Promise<ReadShardDeltaReply>;
  /**
   * The default issuer's delta CRL of a shard as PEM; without entries while `enable_delta` is off.
   * `GET /v1/pki/crl/delta/pem/shard/:shard`, `GET /v1/pki/unified-crl/delta/pem/shard/:shard`.
   * Needs no token.
   */
  readShardDeltaPem(
    input: ReadShardDeltaPemInput,
    options?: CallOptions,
  ): Promise<ReadShardDeltaPemReply>;
  /**
   * Reads a stored certificate and whether it is revoked.
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
  /** Lists the serial numbers of the stored certificates. `LIST /v1/pki/certs`. */
  listCerts(input?: ListCertsInput, options?: CallOptions): Promise<ListCertsReply>;
  /** Lists the serial numbers of the revoked certificates. `LIST /v1/pki/certs/revoked`. */
  listRevoked(input?: ListRevokedInput, options?: CallOptions): Promise<ListRevokedReply>;
  /**
   * An issuer's certificate and chain.
   * `GET /v1/pki/issuer/:issuer_ref/json`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerJson(input: ReadIssuerJsonInput, options?: CallOptions): Promise<ReadIssuerJsonReply>;
  /**
   * An issuer's certificate as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerPem(input: ReadIssuerPemInput, options?: CallOptions): Promise<ReadIssuerPemReply>;
  /**
   * An issuer's certificate as DER.
   * `GET /v1/pki/issuer/:issuer_ref/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDer(input: ReadIssuerDerInput, options?: CallOptions): Promise<ReadIssuerDerReply>;
  /**
   * An issuer's CRL as PEM; empty when there is none.
   * `GET /v1/pki/issuer/:issuer_ref/crl`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrl(input: ReadIssuerCrlInput, options?: CallOptions): Promise<ReadIssuerCrlReply>;
  /**
   * An issuer's CRL as DER.
   * `GET /v1/pki/issuer/:issuer_ref/crl/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrlDer(
    input: ReadIssuerCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerCrlDerReply>;
  /**
   * An issuer's CRL as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerCrlPem(
    input: ReadIssuerCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerCrlPemReply>;
  /**
   * An issuer's delta CRL as PEM; empty when there is none.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrl(
    input: ReadIssuerDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlReply>;
  /**
   * An issuer's delta CRL as DER; without entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrlDer(
    input: ReadIssuerDeltaCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlDerReply>;
  /**
   * An issuer's delta CRL as PEM; without entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerDeltaCrlPem(
    input: ReadIssuerDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerDeltaCrlPemReply>;
  /**
   * An issuer's unified CRL as PEM; empty when there is none.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrl(
    input: ReadIssuerUnifiedCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlReply>;
  /**
   * An issuer's unified CRL as DER; nothing while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/der`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrlDer(
    input: ReadIssuerUnifiedCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlDerReply>;
  /**
   * An issuer's unified CRL as PEM; nothing while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/pem`. Needs no token. Fails with `unknown_issuer`.
   */
  readIssuerUnifiedCrlPem(
    input: ReadIssuerUnifiedCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedCrlPemReply>;
  /**
   * An issuer's unified delta CRL as PEM; empty when there is none.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrl(
    input: ReadIssuerUnifiedDeltaCrlInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlReply>;
  /**
   * An issuer's unified delta CRL as DER; nothing while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta/der`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrlDer(
    input: ReadIssuerUnifiedDeltaCrlDerInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlDerReply>;
  /**
   * An issuer's unified delta CRL as PEM; nothing while `unified_crl` is off.
   * `GET /v1/pki/issuer/:issuer_ref/unified-crl/delta/pem`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerUnifiedDeltaCrlPem(
    input: ReadIssuerUnifiedDeltaCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerUnifiedDeltaCrlPemReply>;
  /**
   * An issuer's CRL of a shard as DER.
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
   * An issuer's CRL of a shard as PEM.
   * `GET /v1/pki/issuer/:issuer_ref/crl/pem/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/pem/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardCrlPem(
    input: ReadIssuerShardCrlPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardCrlPemReply>;
  /**
   * An issuer's delta CRL of a shard as DER; without entries while `enable_delta` is off.
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
   * An issuer's delta CRL of a shard as PEM; without entries while `enable_delta` is off.
   * `GET /v1/pki/issuer/:issuer_ref/crl/delta/pem/shard/:shard`, `GET
   * /v1/pki/issuer/:issuer_ref/unified-crl/delta/pem/shard/:shard`. Needs no token. Fails with
   * `unknown_issuer`.
   */
  readIssuerShardDeltaPem(
    input: ReadIssuerShardDeltaPemInput,
    options?: CallOptions,
  ): Promise<ReadIssuerShardDeltaPemReply>;
  /**
   * Answers an OCSP request for certificates of this mount.
   * `POST /v1/pki/ocsp`. Needs no token. Fails with `unauthorized`.
   */
  askOcsp(input: AskOcspInput, options?: CallOptions): Promise<AskOcspReply>;
  /**
   * Answers an OCSP request that stands in the path, base64.
   * `GET /v1/pki/ocsp/:request+`. Needs no token. Fails with `unauthorized`.
   */
  readOcsp(input: ReadOcspInput, options?: CallOptions): Promise<ReadOcspReply>;
  /**
   * Answers an OCSP request for certificates of all clusters, while `unified_crl` is on.
   * `POST /v1/pki/unified-ocsp`. Needs no token. Fails with `unauthorized`.
   */
  askUnifiedOcsp(input: AskUnifiedOcspInput, options?: CallOptions): Promise<AskUnifiedOcspReply>;
  /**
   * Answers an OCSP request that stands in the path, base64, for certificates of all clusters,
   * while `unified_crl` is on.
   * `GET /v1/pki/unified-ocsp/:request+`. Needs no token. Fails with `unauthorized`.
   */
  readUnifiedOcsp(
    input: ReadUnifiedOcspInput,
    options?: CallOptions,
  ): Promise<ReadUnifiedOcspReply>;
  /**
   * Revokes a certificate by serial number or by certificate. If it is revoked already, the time of
   * that revocation is returned. One that is not here is queued where cross_cluster_revocation is
   * on in config/crl.
   * `POST /v1/pki/revoke`. Fails with `invalid_field`, `malformed`, `unknown_certificate`,
   * `is_issuer`, `bad_certificate`, `damaged`, `too_many_requests`.
   */
  revoke(input: RevokeInput, options?: CallOptions): Promise<RevokeReply>;
  /**
   * Revokes a certificate, by serial number or by certificate, for whoever holds its private key.
   * The key is compared and forgotten.
   * `POST /v1/pki/revoke-with-key`. Fails with `invalid_field`, `malformed`, `unknown_certificate`,
   * `is_issuer`, `bad_certificate`, `damaged`, `bad_key`.
   */
  revokeWithKey(input: RevokeWithKeyInput, options?: CallOptions): Promise<RevokeWithKeyReply>;
  /**
   * Revokes an issuer: it can no longer issue, and is listed on the CRLs of its parents in this
   * mount. This cannot be undone.
   * `POST /v1/pki/issuer/:issuer_ref/revoke`. Fails with `unknown_issuer`.
   */
  revokeIssuer(input: RevokeIssuerInput, options?: CallOptions): Promise<RevokeIssuerReply>;
  /**
   * Merges CRLs that were signed by the key of one issuer into one signed CRL. Nothing is stored.
   * `POST /v1/pki/issuer/:issuer_ref/resign-crls`. Fails with `malformed`, `unusable_issuer`.
   */
  resignCrls(input: ResignCrlsInput, options?: CallOptions): Promise<ResignCrlsReply>;
  /**
   * Signs a CRL with the given entries and extensions. Nothing is stored.
   * `POST /v1/pki/issuer/:issuer_ref/sign-revocation-list`. Fails with `malformed`,
   * `unusable_issuer`.
   */
  signRevocationList(
    input: SignRevocationListInput,
    options?: CallOptions,
  ): Promise<SignRevocationListReply>;
  /** Reads how CRLs are built. `GET /v1/pki/config/crl`. */
  readCrlConfig(input?: ReadCrlConfigInput, options?: CallOptions): Promise<ReadCrlConfigReply>;
  /**
   * Sets how CRLs are built; fields that are not sent stay as they are.
   * `POST /v1/pki/config/crl`. Fails with `invalid_field`, `malformed`.
   */
  writeCrlConfig(input?: WriteCrlConfigInput, options?: CallOptions): Promise<WriteCrlConfigReply>;
  /** Builds every CRL of the mount now. `GET /v1/pki/crl/rotate`. */
  rotateCrl(input?: RotateCrlInput, options?: CallOptions): Promise<RotateCrlReply>;
  /** Builds every delta CRL of the mount now. `GET /v1/pki/crl/rotate-delta`. */
  rotateDeltaCrl(input?: RotateDeltaCrlInput, options?: CallOptions): Promise<RotateDeltaCrlReply>;
  /**
   * Generates a key and a self-signed CA certificate as a new issuer, and returns the key once.
   * `POST /v1/pki/root/generate/exported`, `POST /v1/pki/issuers/generate/root/exported`. Fails
   * with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateExportedRoot(
    input?: GenerateExportedRootInput,
    options?: CallOptions,
  ): Promise<GenerateExportedRootReply>;
  /**
   * Generates a self-signed CA certificate for a key of the mount as a new issuer.
   * `POST /v1/pki/root/generate/existing`, `POST /v1/pki/issuers/generate/root/existing`. Fails
   * with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRootFromKey(
    input?: GenerateRootFromKeyInput,
    options?: CallOptions,
  ): Promise<GenerateRootFromKeyReply>;
  /**
   * Generates a self-signed CA certificate for a managed key as a new issuer.
   * `POST /v1/pki/root/generate/kms`, `POST /v1/pki/issuers/generate/root/kms`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRootFromManagedKey(
    input?: GenerateRootFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<GenerateRootFromManagedKeyReply>;
  /**
   * Generates a key and a self-signed CA certificate as a new issuer. The key never leaves the
   * mount.
   * `POST /v1/pki/root/generate/internal`, `POST /v1/pki/issuers/generate/root/internal`, `POST
   * /v1/pki/root/generate/:exported`, `POST /v1/pki/issuers/generate/root/:exported`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  generateRoot(input?: GenerateRootInput, options?: CallOptions): Promise<GenerateRootReply>;
  /**
   * Generates a new root beside the current one; `/root/replace` makes it the default later.
   * `POST /v1/pki/root/rotate/exported`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateExportedRoot(
    input?: RotateExportedRootInput,
    options?: CallOptions,
  ): Promise<RotateExportedRootReply>;
  /**
   * Generates a new root beside the current one; `/root/replace` makes it the default later.
   * `POST /v1/pki/root/rotate/existing`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateRootFromKey(
    input?: RotateRootFromKeyInput,
    options?: CallOptions,
  ): Promise<RotateRootFromKeyReply>;
  /**
   * Generates a new root beside the current one; `/root/replace` makes it the default later.
   * `POST /v1/pki/root/rotate/kms`. Fails with `invalid_field`, `malformed`, `already_exists`,
   * `bad_key`, `name_not_allowed`, `validity`, `constraint`.
   */
  rotateRootFromManagedKey(
    input?: RotateRootFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<RotateRootFromManagedKeyReply>;
  /**
   * Generates a new root beside the current one; `/root/replace` makes it the default later.
   * `POST /v1/pki/root/rotate/internal`, `POST /v1/pki/root/rotate/:exported`. Fails with
   * `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`, `validity`,
   * `constraint`.
   */
  rotateRoot(input?: RotateRootInput, options?: CallOptions): Promise<RotateRootReply>;
  /**
   * Generates a key and a certificate signing request for an intermediate CA, and returns the key
   * once.
   * `POST /v1/pki/intermediate/generate/exported`, `POST
   * /v1/pki/issuers/generate/intermediate/exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateExportedIntermediate(
    input?: GenerateExportedIntermediateInput,
    options?: CallOptions,
  ): Promise<GenerateExportedIntermediateReply>;
  /**
   * Generates a certificate signing request for a key of the mount, for example to have it
   * cross-signed.
   * `POST /v1/pki/intermediate/generate/existing`, `POST
   * /v1/pki/issuers/generate/intermediate/existing`, `POST /v1/pki/intermediate/cross-sign`. Fails
   * with `invalid_field`, `malformed`, `bad_key`, `name_not_allowed`, `validity`.
   */
  generateIntermediateFromKey(
    input?: GenerateIntermediateFromKeyInput,
    options?: CallOptions,
  ): Promise<GenerateIntermediateFromKeyReply>;
  /**
   * Generates a certificate signing request for a managed key.
   * `POST /v1/pki/intermediate/generate/kms`, `POST /v1/pki/issuers/generate/intermediate/kms`.
   * Fails with `invalid_field`, `malformed`, `already_exists`, `bad_key`, `name_not_allowed`,
   * `validity`.
   */
  generateIntermediateFromManagedKey(
    input?: GenerateIntermediateFromManagedKeyInput,
    options?: CallOptions,
  ): Promise<GenerateIntermediateFromManagedKeyReply>;
  /**
   * Generates a key and a certificate signing request for an intermediate CA. The key never leaves
   * the mount.
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
   * Signs a CA certificate for the key of a certificate signing request. Whoever may call this can
   * create certificates for any name.
   * `POST /v1/pki/root/sign-intermediate`, `POST /v1/pki/issuer/:issuer_ref/sign-intermediate`.
   * Fails with `invalid_field`, `malformed`, `unknown_issuer`, `unusable_issuer`, `bad_csr`,
   * `already_exists`, `bad_key`, `constraint`, `name_not_allowed`, `validity`.
   */
  signIntermediate(
    input: SignIntermediateInput,
    options?: CallOptions,
  ): Promise<SignIntermediateReply>;
  /**
   * Signs a self-issued CA certificate as it is; issuer and authority key identifier become those
   * of the signer, and URLs where the signer has some. For root rollover.
   * `POST /v1/pki/root/sign-self-issued`. Needs the capability `sudo`. Fails with
   * `bad_certificate`, `bad_key`, `constraint`, `name_not_allowed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`.
   */
  signSelfIssued(input: SignSelfIssuedInput, options?: CallOptions): Promise<SignSelfIssuedReply>;
  /**
   * Signs a self-issued CA certificate as it is; issuer and authority key identifier become those
   * of the signer, and URLs where the signer has some. For root rollover.
   * `POST /v1/pki/issuer/:issuer_ref/sign-self-issued`. Needs the capability `sudo`. Fails with
   * `bad_certificate`, `bad_key`, `constraint`, `name_not_allowed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`.
   */
  signSelfIssuedWith(
    input: SignSelfIssuedWithInput,
    options?: CallOptions,
  ): Promise<SignSelfIssuedWithReply>;
  /**
   * Imports CA certificates as issuers. An issuer whose key the mount holds can sign.
   * `POST /v1/pki/intermediate/set-signed`. Fails with `malformed`, `bad_certificate`.
   */
  setSigned(input?: SetSignedInput, options?: CallOptions): Promise<SetSignedReply>;
  /**
   * Imports CA certificates as issuers. Private keys are refused.
   * `POST /v1/pki/issuers/import/cert`. Fails with `malformed`, `bad_certificate`.
   */
  importCertificates(
    input?: ImportCertificatesInput,
    options?: CallOptions,
  ): Promise<ImportCertificatesReply>;
  /**
   * Imports CA certificates as issuers, and their private keys. Text between the blocks, CRLs and
   * EC parameters are ignored.
   * `POST /v1/pki/issuers/import/bundle`, `POST /v1/pki/config/ca`. Fails with `malformed`,
   * `bad_certificate`, `bad_key`.
   */
  importBundle(input?: ImportBundleInput, options?: CallOptions): Promise<ImportBundleReply>;
  /** Lists the issuers. `LIST /v1/pki/issuers`. Needs no token. */
  listIssuers(input?: ListIssuersInput, options?: CallOptions): Promise<ListIssuersReply>;
  /** Reads an issuer. `GET /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`. */
  readIssuer(input: ReadIssuerInput, options?: CallOptions): Promise<ReadIssuerReply>;
  /**
   * Sets every writable field of an issuer; a field that is not sent gets its default.
   * `POST /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`, `malformed`, `already_exists`.
   */
  writeIssuer(input: WriteIssuerInput, options?: CallOptions): Promise<WriteIssuerReply>;
  /**
   * Sets the fields of an issuer that are sent.
   * `PATCH /v1/pki/issuer/:issuer_ref`. Fails with `unknown_issuer`, `malformed`, `already_exists`.
   */
  patchIssuer(input: PatchIssuerInput, options?: CallOptions): Promise<PatchIssuerReply>;
  /** Deletes an issuer. Its key and its certificates stay. `DELETE /v1/pki/issuer/:issuer_ref`. */
  deleteIssuer(input: DeleteIssuerInput, options?: CallOptions): Promise<DeleteIssuerReply>;
  /**
   * Deletes every issuer and every key of the mount. Issued certificates stay stored.
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
   * Generates a CA key and returns it once.
   * `POST /v1/pki/keys/generate/exported`. Fails with `invalid_field`, `malformed`,
   * `already_exists`.
   */
  generateExportedCaKey(
    input?: GenerateExportedCaKeyInput,
    options?: CallOptions,
  ): Promise<GenerateExportedCaKeyReply>;
  /**
   * Makes a managed key a CA key of the mount. It stays where it is kept, and signs there.
   * `POST /v1/pki/keys/generate/kms`. Fails with `invalid_field`, `malformed`, `already_exists`.
   */
  generateManagedCaKey(
    input?: GenerateManagedCaKeyInput,
    options?: CallOptions,
  ): Promise<GenerateManagedCaKeyReply>;
  /**
   * Imports a private key as a CA key. Issuers with its public key can then sign.
   * `POST /v1/pki/keys/import`. Fails with `malformed`, `bad_key`, `already_exists`.
   */
  importKey(input: ImportKeyInput, options?: CallOptions): Promise<ImportKeyReply>;
  /**
   * Reads the id, name and type of a CA key, never the key itself.
   * `GET /v1/pki/key/:key_ref`. Fails with `unknown_key`.
   */
  readKey(input: ReadKeyInput, options?: CallOptions): Promise<ReadKeyReply>;
  /**
   * Sets the name of a CA key; an empty name removes it.
   * `POST /v1/pki/key/:key_ref`. Fails with `unknown_key`, `malformed`, `already_exists`.
   */
  writeKey(input: WriteKeyInput, options?: CallOptions): Promise<WriteKeyReply>;
  /**
   * Deletes a CA key that no issuer uses. It cannot be restored.
   * `DELETE /v1/pki/key/:key_ref`. Fails with `in_use`.
   */
  deleteKey(input: DeleteKeyInput, options?: CallOptions): Promise<DeleteKeyReply>;
  /** Reads which key is the default. `GET /v1/pki/config/keys`. */
  readKeysConfig(input?: ReadKeysConfigInput, options?: CallOptions): Promise<ReadKeysConfigReply>;
  /** Chooses the default key. `POST /v1/pki/config/keys`. Fails with `malformed`. */
  writeKeysConfig(
    input: WriteKeysConfigInput,
    options?: CallOptions,
  ): Promise<WriteKeysConfigReply>;
  /** Reads which issuer is the default. `GET /v1/pki/config/issuers`. */
  readIssuersConfig(
    input?: ReadIssuersConfigInput,
    options?: CallOptions,
  ): Promise<ReadIssuersConfigReply>;
  /** Chooses the default issuer. `POST /v1/pki/config/issuers`. Fails with `malformed`. */
  writeIssuersConfig(
    input: WriteIssuersConfigInput,
    options?: CallOptions,
  ): Promise<WriteIssuersConfigReply>;
  /**
   * Makes a new root, such as one from a rotation, the default issuer.
   * `POST /v1/pki/root/replace`. Fails with `malformed`.
   */
  replaceRoot(input?: ReplaceRootInput, options?: CallOptions): Promise<ReplaceRootReply>;
  /** Lists the names of the roles. `LIST /v1/pki/roles`. */
  listRoles(input?: ListRolesInput, options?: CallOptions): Promise<ListRolesReply>;
  /** Reads a role. `GET /v1/pki/roles/:name`. Fails with `not_found`. */
  readRole(input: ReadRoleInput, options?: CallOptions): Promise<ReadRoleReply>;
  /**
   * Creates or replaces a role; fields that are not sent get their defaults.
   * `POST /v1/pki/roles/:name`. Fails with `invalid_field`, `role_violation`, `bad_key`.
   */
  writeRole(input: WriteRoleInput, options?: CallOptions): Promise<WriteRoleReply>;
  /**
   * Changes the fields of a role that are sent.
   * `PATCH /v1/pki/roles/:name`. Fails with `invalid_field`, `role_violation`, `unknown_role`,
   * `bad_key`.
   */
  patchRole(input: PatchRoleInput, options?: CallOptions): Promise<PatchRoleReply>;
  /** Deletes a role. Certificates that it issued stay valid. `DELETE /v1/pki/roles/:name`. */
  deleteRole(input: DeleteRoleInput, options?: CallOptions): Promise<DeleteRoleReply>;
  /** Reads the URLs that certificates carry. `GET /v1/pki/config/urls`. */
  readUrls(input?: ReadUrlsInput, options?: CallOptions): Promise<ReadUrlsReply>;
  /**
   * Sets the URLs that certificates carry; fields that are not sent stay as they are. An empty list
   * clears a field.
   * `POST /v1/pki/config/urls`. Fails with `invalid_field`, `malformed`.
   */
  writeUrls(input?: WriteUrlsInput, options?: CallOptions): Promise<WriteUrlsReply>;
  /**
   * Sets the URLs that certificates carry to what this mount serves of each issuer, below the
   * address in config/cluster: the certificate, the CRL, the delta CRL where deltas are on, and
   * OCSP where it is on. URLs that are set already are replaced, and a warning names their fields.
   * `POST /v1/pki/config/urls/defaults`. Fails with `malformed`.
   */
  fillUrls(input?: FillUrlsInput, options?: CallOptions): Promise<FillUrlsReply>;
  /** Reads the mount's own URLs. `GET /v1/pki/config/cluster`. */
  readCluster(input?: ReadClusterInput, options?: CallOptions): Promise<ReadClusterReply>;
  /**
   * Sets the mount's own URLs; fields that are not sent stay as they are.
   * `POST /v1/pki/config/cluster`. Fails with `invalid_field`, `malformed`.
   */
  writeCluster(input?: WriteClusterInput, options?: CallOptions): Promise<WriteClusterReply>;
  /** Reads how ACME works in this mount. `GET /v1/pki/config/acme`. */
  readAcmeConfig(input?: ReadAcmeConfigInput, options?: CallOptions): Promise<ReadAcmeConfigReply>;
  /**
   * Sets how ACME works in this mount; fields that are not sent stay as they are.
   * `POST /v1/pki/config/acme`. Fails with `invalid_field`, `malformed`.
   */
  writeAcmeConfig(
    input?: WriteAcmeConfigInput,
    options?: CallOptions,
  ): Promise<WriteAcmeConfigReply>;
  /** Reads how EST works in this mount. `GET /v1/pki/config/est`. */
  readEstConfig(input?: ReadEstConfigInput, options?: CallOptions): Promise<ReadEstConfigReply>;
  /**
   * Sets how EST works in this mount; fields that are not sent stay as they are.
   * `POST /v1/pki/config/est`. Fails with `invalid_field`, `malformed`, `already_exists`.
   */
  writeEstConfig(input?: WriteEstConfigInput, options?: CallOptions): Promise<WriteEstConfigReply>;
  /**
   * Reads which external policy service decides what this mount issues by it.
   * `GET /v1/pki/config/external-policy`.
   */
  readExternalPolicy(
    input?: ReadExternalPolicyInput,
    options?: CallOptions,
  ): Promise<ReadExternalPolicyReply>;
  /**
   * Sets which external policy service decides; fields that are not sent stay as they are. With a
   * URL, trusted_ca or trusted_leaf_certificate_bundle is needed.
   * `POST /v1/pki/config/external-policy`. Fails with `bad_key`, `malformed`.
   */
  writeExternalPolicy(
    input?: WriteExternalPolicyInput,
    options?: CallOptions,
  ): Promise<WriteExternalPolicyReply>;
  /**
   * Asks the external policy service now, with a request whose answer is dropped: nothing is
   * issued.
   * `POST /v1/pki/config/external-policy/check`. Fails with `malformed`.
   */
  checkExternalPolicy(
    input?: CheckExternalPolicyInput,
    options?: CallOptions,
  ): Promise<CheckExternalPolicyReply>;
  /**
   * Lists the serial numbers that wait to be revoked, because their certificates are not here, and
   * those that were revoked when these came.
   * `LIST /v1/pki/certs/revocation-queue`.
   */
  listRevocationQueue(
    input?: ListRevocationQueueInput,
    options?: CallOptions,
  ): Promise<ListRevocationQueueReply>;
  /**
   * Lists the serial numbers of the revoked certificates of all clusters, which are those of this
   * deployment; nothing unless unified_crl is on in config/crl.
   * `LIST /v1/pki/certs/unified-revoked`.
   */
  listUnifiedRevoked(
    input?: ListUnifiedRevokedInput,
    options?: CallOptions,
  ): Promise<ListUnifiedRevokedReply>;
  /**
   * Lists stored certificates with details, at most 1000 per page.
   * `LIST /v1/pki/certs/detailed`. Fails with `malformed`, `damaged`.
   */
  listCertDetails(
    input?: ListCertDetailsInput,
    options?: CallOptions,
  ): Promise<ListCertDetailsReply>;
  /**
   * Searches the stored certificates by name prefix, issuer, role or expiry, filtered by state,
   * begin of validity, fingerprint and any name. Send `cursor` to get the next page.
   * `LIST /v1/pki/certs/search`. Fails with `malformed`, `damaged`.
   */
  searchCerts(input?: SearchCertsInput, options?: CallOptions): Promise<SearchCertsReply>;
  /**
   * Revokes the certificates that a search finds, 10,000 a call at the most, or those whose serial
   * numbers are sent, and builds the lists once. Those that are revoked already, have ended, or are
   * issuers of the mount or their OCSP responders are passed over and counted. Without a filter or
   * serial numbers it is refused unless `all` is true; `state` alone is no filter.
   * `POST /v1/pki/certs/revoke`. Fails with `invalid_field`, `malformed`.
   */
  revokeFound(input?: RevokeFoundInput, options?: CallOptions): Promise<RevokeFoundReply>;
  /**
   * Reads the metadata that was stored with a certificate.
   * `GET /v1/pki/cert-metadata/:serial`. Fails with `not_found`.
   */
  readCertMetadata(
    input: ReadCertMetadataInput,
    options?: CallOptions,
  ): Promise<ReadCertMetadataReply>;
  /** Lists the serial numbers that have metadata. `LIST /v1/pki/cert-metadata`. */
  listCertMetadata(
    input?: ListCertMetadataInput,
    options?: CallOptions,
  ): Promise<ListCertMetadataReply>;
  /**
   * Reads several stored certificates, a thousand at most.
   * `POST /v1/pki/batch/certs`. Fails with `malformed`, `damaged`.
   */
  readCertBatch(input?: ReadCertBatchInput, options?: CallOptions): Promise<ReadCertBatchReply>;
  /**
   * Generates a key and issues the certificate that the external policy service decides on; all
   * other parameters go to that service. The key is returned once and not kept.
   * `POST /v1/pki/external-policy/issue(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/issue(/:policy)`. Fails with `invalid_field`,
   * `malformed`, `policy_refused`, `policy_failed`, `unknown_issuer`, `unusable_issuer`,
   * `validity`, `constraint`, `busy`.
   */
  issueByPolicy(input?: IssueByPolicyInput, options?: CallOptions): Promise<IssueByPolicyReply>;
  /**
   * Issues the certificate that the external policy service decides on for the key of a certificate
   * signing request; all other parameters go to that service.
   * `POST /v1/pki/external-policy/sign(/:policy)`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy/sign(/:policy)`. Fails with `invalid_field`,
   * `bad_csr`, `bad_key`, `malformed`, `policy_refused`, `policy_failed`, `unknown_issuer`,
   * `unusable_issuer`, `validity`, `constraint`, `busy`.
   */
  signByPolicy(input: SignByPolicyInput, options?: CallOptions): Promise<SignByPolicyReply>;
  /**
   * Signs the CA certificate that the external policy service decides on for the key of a
   * certificate signing request; all other parameters go to that service. Whoever may call this,
   * and the service, can create certificates for any name.
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
   * A dry run of issue: what each rule says, and the certificate as it would be signed, for a
   * sample key. Nothing is stored.
   * `POST /v1/pki/explain/issue/:role`, `POST /v1/pki/issuer/:issuer_ref/explain/issue/:role`.
   * Fails with `unknown_role`.
   */
  explainIssue(input: ExplainIssueInput, options?: CallOptions): Promise<ExplainIssueReply>;
  /**
   * A dry run of sign: what each rule says, and the certificate as it would be signed. Nothing is
   * stored.
   * `POST /v1/pki/explain/sign/:role`, `POST /v1/pki/issuer/:issuer_ref/explain/sign/:role`. Fails
   * with `unknown_role`.
   */
  explainSign(input: ExplainSignInput, options?: CallOptions): Promise<ExplainSignReply>;
  /**
   * A dry run of sign-verbatim. Nothing is stored.
   * `POST /v1/pki/explain/sign-verbatim(/:role+)`, `POST
   * /v1/pki/issuer/:path_ref/explain/sign-verbatim(/:role+)`. Fails with `unknown_role`.
   */
  explainVerbatim(
    input: ExplainVerbatimInput,
    options?: CallOptions,
  ): Promise<ExplainVerbatimReply>;
  /**
   * Gives an issuer a responder: a key of its own, and a certificate for signing OCSP answers in
   * the issuer's place. It lasts 30 days and is renewed before. One that is there is replaced.
   * `POST /v1/pki/issuer/:issuer_ref/ocsp-responder`. Fails with `unknown_issuer`,
   * `unusable_issuer`, `invalid_field`, `validity`, `constraint`.
   */
  makeResponder(input: MakeResponderInput, options?: CallOptions): Promise<MakeResponderReply>;
  /**
   * Reads the responder of an issuer.
   * `GET /v1/pki/issuer/:issuer_ref/ocsp-responder`. Fails with `unknown_issuer`, `not_found`,
   * `damaged`.
   */
  readResponder(input: ReadResponderInput, options?: CallOptions): Promise<ReadResponderReply>;
  /**
   * Takes the responder away from an issuer, which signs OCSP answers by itself from then on. Its
   * certificate stays in the list of certificates and can be revoked there.
   * `DELETE /v1/pki/issuer/:issuer_ref/ocsp-responder`.
   */
  deleteResponder(
    input: DeleteResponderInput,
    options?: CallOptions,
  ): Promise<DeleteResponderReply>;
  /**
   * Lists the newest orders of ACME, with the reason of each challenge that failed.
   * `LIST /v1/pki/acme/mgmt/orders`.
   */
  listAcmeOrders(input?: ListAcmeOrdersInput, options?: CallOptions): Promise<ListAcmeOrdersReply>;
  /**
   * Begins to remove what is no longer needed; it goes on by itself, and tidy-status tells how far
   * it is.
   * `POST /v1/pki/tidy`. Fails with `invalid_field`, `malformed`.
   */
  tidy(input?: TidyInput, options?: CallOptions): Promise<TidyReply>;
  /** Ends the tidy that is under way after the step that it is at. `POST /v1/pki/tidy-cancel`. */
  tidyCancel(input?: TidyCancelInput, options?: CallOptions): Promise<TidyCancelReply>;
  /** Tells how far tidy is, or how it ended last. `GET /v1/pki/tidy-status`. */
  tidyStatus(input?: TidyStatusInput, options?: CallOptions): Promise<TidyStatusReply>;
  /** Reads when tidy begins by itself, and what it does then. `GET /v1/pki/config/auto-tidy`. */
  readAutoTidy(input?: ReadAutoTidyInput, options?: CallOptions): Promise<ReadAutoTidyReply>;
  /**
   * Sets when tidy begins by itself, and what it does then; fields that are not sent stay as they
   * are.
   * `POST /v1/pki/config/auto-tidy`. Fails with `invalid_field`, `malformed`.
   */
  writeAutoTidy(input?: WriteAutoTidyInput, options?: CallOptions): Promise<WriteAutoTidyReply>;
  /**
   * Makes a key with which one ACME account can be registered, in this directory alone. ACME need
   * not be enabled yet.
   * `POST /v1/pki/acme/new-eab`, `POST /v1/pki/roles/:role/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/roles/:role/acme/new-eab`, `POST
   * /v1/pki/external-policy(/:policy)/acme/new-eab`, `POST
   * /v1/pki/issuer/:issuer_ref/external-policy(/:policy)/acme/new-eab`.
   */
  newEab(input?: NewEabInput, options?: CallOptions): Promise<NewEabReply>;
  /** Lists the external account bindings that no account has used yet. `LIST /v1/pki/eab`. */
  listEab(input?: ListEabInput, options?: CallOptions): Promise<ListEabReply>;
  /**
   * Deletes an external account binding that no account has used yet.
   * `DELETE /v1/pki/eab/:key_id`.
   */
  deleteEab(input: DeleteEabInput, options?: CallOptions): Promise<DeleteEabReply>;
  /**
   * Lists the ids of the ACME accounts of all directories.
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
   * Revokes an ACME account, whose client may do nothing then, or makes a revoked one valid again.
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
  readCaPem: "raw GET /ca/pem|GET /cert/ca/raw/pem",
  readCa: "raw GET /ca|GET /cert/ca/raw",
  readCaChain: "raw GET /ca_chain",
  readCaCert: "GET /cert/ca",
  readChainCert: "GET /cert/ca_chain",
  readCrl: "raw GET /crl",
  readCrlPem: "raw GET /crl/pem",
  readCrlCert: "GET /cert/crl",
  readDeltaCrl: "raw GET /crl/delta",
  readDeltaCrlPem: "raw GET /crl/delta/pem",
  readDeltaCrlCert: "GET /cert/delta-crl",
  readUnifiedCrl: "raw GET /unified-crl",
  readUnifiedCrlPem: "raw GET /unified-crl/pem",
  readUnifiedCrlCert: "GET /cert/unified-crl",
  readUnifiedDeltaCrl: "raw GET /unified-crl/delta",
  readUnifiedDeltaCrlPem: "raw GET /unified-crl/delta/pem",
  readUnifiedDeltaCrlCert: "GET /cert/unified-delta-crl",
  readShardCrl: "raw GET /crl/shard/:shard|GET /unified-crl/shard/:shard",
  readShardCrlPem: "raw GET /crl/pem/shard/:shard|GET /unified-crl/pem/shard/:shard",
  readShardDelta: "raw GET /crl/delta/shard/:shard|GET /unified-crl/delta/shard/:shard",
  readShardDeltaPem: "raw GET /crl/delta/pem/shard/:shard|GET /unified-crl/delta/pem/shard/:shard",
  readCert: "GET /cert/:serial",
  readCertRaw: "raw GET /cert/:serial/raw",
  readCertPem: "raw GET /cert/:serial/raw/pem",
  listCerts: "LIST /certs",
  listRevoked: "LIST /certs/revoked",
  readIssuerJson: "GET /issuer/:issuer_ref/json",
  readIssuerPem: "raw GET /issuer/:issuer_ref/pem",
  readIssuerDer: "raw GET /issuer/:issuer_ref/der",
  readIssuerCrl: "GET /issuer/:issuer_ref/crl",
  readIssuerCrlDer: "raw GET /issuer/:issuer_ref/crl/der",
  readIssuerCrlPem: "raw GET /issuer/:issuer_ref/crl/pem",
  readIssuerDeltaCrl: "GET /issuer/:issuer_ref/crl/delta",
  readIssuerDeltaCrlDer: "raw GET /issuer/:issuer_ref/crl/delta/der",
  readIssuerDeltaCrlPem: "raw GET /issuer/:issuer_ref/crl/delta/pem",
  readIssuerUnifiedCrl: "GET /issuer/:issuer_ref/unified-crl",
  readIssuerUnifiedCrlDer: "raw GET /issuer/:issuer_ref/unified-crl/der",
  readIssuerUnifiedCrlPem: "raw GET /issuer/:issuer_ref/unified-crl/pem",
  readIssuerUnifiedDeltaCrl: "GET /issuer/:issuer_ref/unified-crl/delta",
  readIssuerUnifiedDeltaCrlDer: "raw GET /issuer/:issuer_ref/unified-crl/delta/der",
  readIssuerUnifiedDeltaCrlPem: "raw GET /issuer/:issuer_ref/unified-crl/delta/pem",
  readIssuerShardCrl:
    "raw GET /issuer/:issuer_ref/crl/shard/:shard|GET /issuer/:issuer_ref/crl/der/shard/:shard|GET /issuer/:issuer_ref/unified-crl/shard/:shard|GET /issuer/:issuer_ref/unified-crl/der/shard/:shard",
  readIssuerShardCrlPem:
    "raw GET /issuer/:issuer_ref/crl/pem/shard/:shard|GET /issuer/:issuer_ref/unified-crl/pem/shard/:shard",
  readIssuerShardDelta:
    "raw GET /issuer/:issuer_ref/crl/delta/shard/:shard|GET /issuer/:issuer_ref/crl/delta/der/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/der/shard/:shard",
  readIssuerShardDeltaPem:
    "raw GET /issuer/:issuer_ref/crl/delta/pem/shard/:shard|GET /issuer/:issuer_ref/unified-crl/delta/pem/shard/:shard",
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
  readAcmeConfig: "GET /config/acme",
  writeAcmeConfig: "POST /config/acme",
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
    "POST /external-policy/issue(/:policy)|POST /issuer/:issuer_ref/external-policy/issue(/:policy)",
  signByPolicy:
    "POST /external-policy/sign(/:policy)|POST /issuer/:issuer_ref/external-policy/sign(/:policy)",
  signIntermediateByPolicy:
    "POST /external-policy/sign-intermediate(/:policy)|POST /issuer/:issuer_ref/external-policy/sign-intermediate(/:policy)",
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
  newEab:
    "POST /acme/new-eab|POST /roles/:role/acme/new-eab|POST /issuer/:issuer_ref/acme/new-eab|POST /issuer/:issuer_ref/roles/:role/acme/new-eab|POST /external-policy(/:policy)/acme/new-eab|POST /issuer/:issuer_ref/external-policy(/:policy)/acme/new-eab",
  listEab: "info LIST /eab",
  deleteEab: "DELETE /eab/:key_id",
  listAcmeAccounts: "LIST /acme/mgmt/account/keyid",
  readAcmeAccount: "GET /acme/mgmt/account/keyid/:key_id",
  writeAcmeAccount: "POST /acme/mgmt/account/keyid/:key_id",
};
