import { setting } from "../../engine/snapshot.ts";
import { keys } from "../../pki/rows/records.ts";

/** The settings in `config/external-policy` (B 7.1). */
export interface ExternalPolicyConfig {
  readonly enabled: boolean;
  /** URL of the policy service; "" if a platform service or a function of the host decides. */
  readonly external_service_url: string;
  /** Name of a platform service, or "". */
  readonly service: string;
  /** Timeout of a request to the service, in seconds. */
  readonly timeout: number;
  /** Trust anchors for the service (PEM), as configured. */
  readonly trusted_ca: string;
  /** Accepted server certificates (PEM), as configured. */
  readonly trusted_leaf_certificate_bundle: string;
  /** Client certificate for the service, or null. */
  readonly client: PolicyClient | null;
  readonly entity_jmespath: string;
  readonly group_jmespath: string;
  /** Whether the service may have a private address; null means the deployment's default. */
  readonly allow_private_network: boolean | null;
  /** Time of the last change (Unix ms), or 0 if never changed. */
  readonly updated: number;
}
/** A client certificate for the policy service, and its key. */
export interface PolicyClient {
  /** DER, leaf first. */
  readonly chain: readonly Uint8Array[];
  /** DER-encoded SubjectPublicKeyInfo of the key. */
  readonly spki: Uint8Array;
  /** Sealed PKCS#8 key. */
  readonly sealed: Uint8Array;
}
/** The external policy settings of a mount, with their defaults. */
export const externalPolicyConfig = setting<ExternalPolicyConfig>(keys.config("external-policy"), {
  enabled: false,
  external_service_url: "",
  service: "",
  timeout: 15,
  trusted_ca: "",
  trusted_leaf_certificate_bundle: "",
  client: null,
  entity_jmespath: "",
  group_jmespath: "",
  allow_private_network: null,
  updated: 0,
});

/** The kind of endpoint through which the certificate was requested. */
export type IssuanceMode = "sign" | "issue" | "ica" | "acme";
/** The request body for a policy service (B 7.3). */
export interface ExternalPolicyRequest {
  /** Version of this format. */
  readonly request_version: 1;
  /** ID of the request, which the response must contain. */
  readonly request_uuid: string;
  /** Always true: the caller waits for the response. */
  readonly synchronous: true;
  /** The caller's fields, unchanged, and the CSR as PEM. */
  readonly user_request_key_values: Readonly<Record<string, unknown>> & {
    /** CSR, PEM. */
    readonly csr: string;
  };
  /** Identity of the caller. Absent for ACME and for callers without an entity. */
  readonly identity_request_key_values?: {
    /** ID of the caller's entity. */
    readonly entity_id: string;
    /** The part of the entity that `entity_jmespath` selects. */
    readonly entity?: unknown;
    /** The part of the entity's groups that `group_jmespath` selects. */
    readonly groups?: unknown;
  };
  /** The ACME order. Absent for other requests. */
  readonly acme_request_key_values?: AcmeOfPolicy;
  /** Details of the request and the mount. */
  readonly vault_request_values: {
    /** Name of the policy in the URL path, if any. */
    readonly policy_name?: string;
    /** Path of the mount. */
    readonly mount: string;
    /** Namespace; always the root. */
    readonly ns: string;
    /** Always false. */
    readonly vault_is_performance_standby: false;
    /** Always false. */
    readonly vault_is_performance_secondary: false;
    /** Kind of endpoint that was called. */
    readonly issuance_mode: IssuanceMode;
    /** Whether the CA generated the key. */
    readonly vault_generated_private_key: boolean;
    /** Name of the requested issuer, or empty. */
    readonly requested_issuer_name: string;
    /** ID of the requested issuer. */
    readonly requested_issuer_id: string;
    /** Certificate of the requested issuer, PEM. */
    readonly requested_issuer_cert: string;
    /** Settings of the mount and the issuer. */
    readonly requested_issuance_config: {
      /** URLs for new certificates. */
      readonly aia_values: {
        /** URLs of the issuer's certificate. */
        readonly issuing_certificates: readonly string[];
        /** URLs of the CRL. */
        readonly crl_distribution_points: readonly string[];
        /** URLs of the delta CRL. */
        readonly delta_crl_distribution_points: readonly string[];
        /** URLs of OCSP responders. */
        readonly ocsp_servers: readonly string[];
        /** Whether the URLs contain templates. */
        readonly enable_templating: boolean;
      };
      /** Behavior of the issuer for certificates that would expire after its own certificate. */
      readonly leaf_not_after_behavior: string;
      /** Default lifetime of the mount. */
      readonly mount_default_ttl: string;
      /** Maximum lifetime of the mount. */
      readonly mount_max_ttl: string;
    };
  };
}
/** The response of a policy service (B 7.4): a rejection, or the certificate to issue. */
export type ExternalPolicyAnswer =
  | {
      /** ID of the request. */
      readonly request_uuid: string;
      /** Reason for the rejection, shown to the caller. */
      readonly error: string;
    }
  | {
      /** ID of the request. */
      readonly request_uuid: string;
      /**
       * Template of the certificate (PEM), with the public key of the CSR. It may be signed with
       * any key.
       */
      readonly certificate: string;
      /** Name or ID of the issuer, or `default`. */
      readonly issuer_ref: string;
      /** Whether to store the certificate. */
      readonly store_certificate: boolean;
      /** Whether to create a lease. Requires that the certificate is stored. */
      readonly generate_lease: boolean;
      /** Warnings for the caller. */
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
