import type { StoreContext } from "../../engine/store-context.ts";

/** Deployment-wide ACME settings. */
export interface AcmeSettings {
  /** Whether mounts whose `eab_policy` is not `always-required` behave as if ACME were disabled. */
  readonly requireEab?: boolean;
  /**
   * Maximum number of accounts that one client address may create per hour; default 0, which means
   * no limit.
   */
  readonly accountLimit?: number;
  /** Whether the account limit also applies to loopback and private addresses; default true. */
  readonly limitPrivate?: boolean;
  /**
   * Whether all outgoing connections, not only those of ACME validation, may go to private
   * addresses; default false. Link-local and cloud metadata addresses are never allowed. For
   * managed keys and policy services, this is the default of `allow_private_network`, which also
   * allows loopback addresses.
   */
  readonly privateNetworks?: boolean;
  /**
   * Maximum number of concurrent challenge validations per mount; default 50. Lower it where the
   * platform allows few connections.
   */
  readonly connections?: number;
  /** Port for http-01 validation instead of 80. */
  readonly httpPort?: number;
  /** Port for tls-alpn-01 validation and https redirects instead of 443. */
  readonly tlsPort?: number;
}

/**
 * Names of the settings. They are members of an object, so that the compiler reports a missing
 * name.
 */
export const acmeSettingNames: { readonly [K in keyof AcmeSettings]-?: 0 } = {
  requireEab: 0,
  accountLimit: 0,
  limitPrivate: 0,
  privateNetworks: 0,
  connections: 0,
  httpPort: 0,
  tlsPort: 0,
};

/** Returns the ACME settings of a deployment; an empty object if there are none. */
export const acmeSettings = ({ features }: Pick<StoreContext, "features">): AcmeSettings =>
  // createCa types this option
  features["acme"] ?? {};
