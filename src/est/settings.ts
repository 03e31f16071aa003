import { setting } from "../engine/snapshot.ts";
import { keys } from "../pki/rows/records.ts";

/** The accessors of the login methods that EST clients use. */
export interface EstAuthenticators {
  /** `cert_role` is the role of the login method. By default, it is the first role that matches. */
  readonly cert?: { readonly accessor: string; readonly cert_role?: string };
  readonly userpass?: { readonly accessor: string };
  readonly approle?: { readonly accessor: string };
}
/** The settings in `config/est` (B 6.1). */
export interface EstConfig {
  readonly enabled: boolean;
  readonly default_mount: boolean;
  /**
   * `sign-verbatim` or `role:<name>`. If it is empty, paths without a label or role are not served.
   */
  readonly default_path_policy: string;
  readonly label_to_path_policy: Readonly<Record<string, string>>;
  readonly authenticators: EstAuthenticators;
  readonly enable_sentinel_parsing: boolean;
  readonly audit_fields: readonly string[];
  /** Object identifiers and attributes that clients should include in CSRs. */
  readonly csr_attributes: readonly string[];
  /** Time of the last update (Unix ms), or 0 if the settings were never written. */
  readonly last_updated: number;
}
/** The EST settings of a mount, with their defaults. */
export const estConfig = setting<EstConfig>(keys.config("est"), {
  enabled: false,
  default_mount: false,
  default_path_policy: "",
  label_to_path_policy: {},
  authenticators: {},
  enable_sentinel_parsing: false,
  audit_fields: ["common_name", "alt_names", "ip_sans", "uri_sans"],
  csr_attributes: [],
  last_updated: 0,
});
