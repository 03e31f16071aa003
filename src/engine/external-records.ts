/** `config/external-policy` (B 7.1). */
export interface ExternalPolicyConfig {
  readonly enabled: boolean;
  /** "" where a service of the platform, or a function of the host, is asked. */
  readonly external_service_url: string;
  /** Name of a service of the platform; "" for none. */
  readonly service: string;
  /** Seconds that an answer may take. */
  readonly timeout: number;
  /** PEM, as it was given. */
  readonly trusted_ca: string;
  /** PEM, as it was given. */
  readonly trusted_leaf_certificate_bundle: string;
  /** Who we are to the service; null: nobody. */
  readonly client: PolicyClient | null;
  readonly entity_jmespath: string;
  readonly group_jmespath: string;
  /** null: as the deployment says. */
  readonly allow_private_network: boolean | null;
  /** When it was last written, Unix milliseconds; 0: never. */
  readonly updated: number;
}
/** A certificate that a policy service is shown, and its key. */
export interface PolicyClient {
  /** DER, our own first. */
  readonly chain: readonly Uint8Array[];
  /** SubjectPublicKeyInfo of the key, DER. */
  readonly spki: Uint8Array;
  /** PKCS#8. */
  readonly sealed: Uint8Array;
}

/** How a certificate comes to be asked for. */
export type IssuanceMode = "sign" | "issue" | "ica" | "acme";
/** What a policy service is sent (B 7.3). */
export interface ExternalPolicyRequest {
  readonly request_version: 1;
  readonly request_uuid: string;
  readonly synchronous: true;
  /** What the caller sent, as it came, and the CSR, PEM. */
  readonly user_request_key_values: Readonly<Record<string, unknown>> & { readonly csr: string };
  /** Absent without an entity, and for ACME. */
  readonly identity_request_key_values?: {
    readonly entity_id: string;
    readonly entity?: unknown;
    readonly groups?: unknown;
  };
  /** For ACME only. */
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
/** What a policy service answers (B 7.4): a refusal, or what is to be issued. */
export type ExternalPolicyAnswer =
  | {
      /** That of the request. */
      readonly request_uuid: string;
      /** Why nothing is issued; the caller reads it. */
      readonly error: string;
    }
  | {
      /** That of the request. */
      readonly request_uuid: string;
      /** As it should be issued: PEM, for the public key of the CSR, signed with whatever key. */
      readonly certificate: string;
      /** Name or id of the issuer, or `default`. */
      readonly issuer_ref: string;
      readonly store_certificate: boolean;
      /** Only of a certificate that is stored. */
      readonly generate_lease: boolean;
      /** For the caller. */
      readonly warnings?: readonly string[];
    };
/** What a policy service is told of an order of ACME. */
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
