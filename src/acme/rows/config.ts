import { configBytes, setting } from "../../engine/snapshot.ts";
import { keys } from "../../pki/rows/records.ts";

/** The settings in `config/acme` (B 5.3). `max_ttl` is in seconds. */
export interface AcmeConfig {
  readonly enabled: boolean;
  readonly allowed_issuers: readonly string[];
  readonly allowed_roles: readonly string[];
  readonly allow_role_ext_key_usage: boolean;
  /**
   * `forbid`, `sign-verbatim`, `role:<name>`, or `external-policy`, optionally with `:<policy>`.
   */
  readonly default_directory_policy: string;
  /** `<address>:<port>`; "" for the host's resolver. */
  readonly dns_resolver: string;
  readonly eab_policy: string;
  readonly max_ttl: number;
  readonly challenge_permitted_ip_ranges: readonly string[];
  readonly challenge_excluded_ip_ranges: readonly string[];
  /** Names of the challenge types that are offered. */
  readonly challenge_types: readonly string[];
  /** Domain names of the CA in dns-persist-01 records; if empty, the host of the mount's URL. */
  readonly issuer_domain_names: readonly string[];
  /** Whether a dns-persist-01 record with `policy=wildcard` authorizes subdomains. */
  readonly persistent_subdomains: boolean;
  /**
   * CA certificates (PEM) for Apple device attestations; if empty, no Apple attestations are
   * accepted.
   */
  readonly attestation_apple_roots: string;
  /** CA certificates (PEM) for TPM attestation keys; if empty, no TPM attestations are accepted. */
  readonly attestation_tpm_roots: string;
  /** CRLs (PEM) of CAs that issue attestation certificates; if empty, revocation is not checked. */
  readonly attestation_crls: string;
  /** Globs of the devices that may attest; if empty, any device may. */
  readonly attestation_devices: readonly string[];
  /** Parts of the certificate that contain the device name: some of {@link attestationPlaces}. */
  readonly attestation_names: readonly string[];
  /** Time in seconds after which a challenge that could not be validated fails. */
  readonly challenge_timeout: number;
}
/** The parts of a certificate that may contain the name of an attested device. */
export const attestationPlaces = ["san", "common_name", "serial_number"] as const;
/** The ACME settings of a mount, with their defaults. */
export const acmeConfig = setting<AcmeConfig>(keys.config("acme"), {
  enabled: false,
  allowed_issuers: ["*"],
  allowed_roles: ["*"],
  allow_role_ext_key_usage: false,
  default_directory_policy: "sign-verbatim",
  dns_resolver: "",
  eab_policy: "not-required",
  max_ttl: 90 * 24 * 3600,
  challenge_permitted_ip_ranges: [],
  challenge_excluded_ip_ranges: [],
  challenge_types: ["http-01", "dns-01", "tls-alpn-01"],
  issuer_domain_names: [],
  persistent_subdomains: false,
  attestation_apple_roots: "",
  attestation_tpm_roots: "",
  attestation_crls: "",
  attestation_devices: [],
  attestation_names: ["san"],
  challenge_timeout: 30,
});
/** Salt of the nonces, which is set when the mount is restored from a backup. */
export const nonceSalt = configBytes(keys.config("nonces"));
