/** `config/external-policy` (B 7.1). */
export interface ExternalPolicyConfig {
  readonly enabled: boolean;
  /**
   * URL of the policy service; "" if a service of the platform or a function of the host decides.
   */
  readonly external_service_url: string;
  /** Name of a service of the platform; "" for none. */
  readonly service: string;
  /** Timeout of a request to the service, seconds. */
  readonly timeout: number;
  /** PEM, as configured. */
  readonly trusted_ca: string;
  /** PEM, as configured. */
  readonly trusted_leaf_certificate_bundle: string;
  /** Client certificate for the service; null for none. */
  readonly client: PolicyClient | null;
  readonly entity_jmespath: string;
  readonly group_jmespath: string;
  /** null: the default of the deployment. */
  readonly allow_private_network: boolean | null;
  /** Time of the last change (Unix ms); 0 if never changed. */
  readonly updated: number;
}
/** A client certificate for the policy service, and its key. */
export interface PolicyClient {
  /** DER, leaf first. */
  readonly chain: readonly Uint8Array[];
  /** SubjectPublicKeyInfo of the key, DER. */
  readonly spki: Uint8Array;
  /** PKCS#8, sealed. */
  readonly sealed: Uint8Array;
}

/** The kind of endpoint that requested the certificate. */
export type IssuanceMode = "sign" | "issue" | "ica" | "acme";
/** The request body for a policy service (B 7.3). */
export interface ExternalPolicyRequest {
  readonly request_version: 1;
  readonly request_uuid: string;
  readonly synchronous: true;
  /** The caller's fields, unchanged, and the CSR as PEM. */
  readonly user_request_key_values: Readonly<Record<string, unknown>> & { readonly csr: string };
  /** Absent without an entity, and for ACME. */
  readonly identity_request_key_values?: {
    readonly entity_id: string;
    readonly entity?: unknown;
    readonly groups?: unknown;
  };
  /** ACME only. */
  readonly acme_request_key_values?: AcmeOfPolicy;
  readonly vault_request_values: {
    readonly policy_name?: string;
    readonly mount: string;
    readonly ns: string;
    readonly vault_is_performance_standby: false;
    readonly vault_is_performance_secondary: false;
    readonly issuance_mode: IssuanceMode;
    readonly vault_generated_private_key: boolean;
    readonly requested_issuer_name: string;
    readonly requested_issuer_id: string;
    readonly requested_issuer_cert: string;
    readonly requested_issuance_config: {
      readonly aia_values: {
        readonly issuing_certificates: readonly string[];
        readonly crl_distribution_points: readonly string[];
        readonly delta_crl_distribution_points: readonly string[];
        readonly ocsp_servers: readonly string[];
        readonly enable_templating: boolean;
      };
      readonly leaf_not_after_behavior: string;
      readonly mount_default_ttl: string;
      readonly mount_max_ttl: string;
    };
  };
}
/** The answer of a policy service (B 7.4): a rejection, or what to issue. */
export type ExternalPolicyAnswer =
  | {
      /** Must be that of the request. */
      readonly request_uuid: string;
      /** Reason of the rejection, shown to the caller. */
      readonly error: string;
    }
  | {
      /** Must be that of the request. */
      readonly request_uuid: string;
      /** PEM template of the certificate, for the public key of the CSR, signed by any key. */
      readonly certificate: string;
      /** Name or id of the issuer, or `default`. */
      readonly issuer_ref: string;
      readonly store_certificate: boolean;
      /** Only if the certificate is stored. */
      readonly generate_lease: boolean;
      /** Passed on to the caller. */
      readonly warnings?: readonly string[];
    };
/** The ACME order in a request to a policy service. */
export interface AcmeOfPolicy {
  readonly authorizations: readonly Readonly<Record<string, unknown>>[];
  readonly account: {
    readonly id: string;
    readonly directory: string;
    readonly contact: readonly string[];
    /** RFC 3339. */
    readonly created_date: string;
    readonly eab?: {
      readonly key_id: string;
      readonly key_type: string;
      readonly created_date: string;
    };
  };
}
