import type { StoreContext } from "./store-context.ts";

/** How ACME behaves in a whole deployment. */
export interface AcmeSettings {
  /** Mounts whose `eab_policy` is not `always-required` behave as if ACME were disabled. */
  readonly requireEab?: boolean;
  /** Accounts that may be made from one address in one hour; 0, the default, is no limit. */
  readonly accountLimit?: number;
  /** Whether that limit holds for loopback and private addresses too; true unless set. */
  readonly limitPrivate?: boolean;
  /**
   * Validation may reach private addresses, though not loopback, link-local and metadata ones;
   * false unless said.
   */
  readonly privateNetworks?: boolean;
  /**
   * Challenges of one mount that are asked for at once; 50 unless said. Fewer where the platform
   * lets few connections stand.
   */
  readonly connections?: number;
  /** Port that http-01 is asked at in the place of 80. */
  readonly httpPort?: number;
  /** Port that tls-alpn-01 and redirects to https are asked at in the place of 443. */
  readonly tlsPort?: number;
}

/** Their names, as members: the compiler finds one that is missing. */
export const acmeSettingNames: { readonly [K in keyof AcmeSettings]-?: 0 } = {
  requireEab: 0,
  accountLimit: 0,
  limitPrivate: 0,
  privateNetworks: 0,
  connections: 0,
  httpPort: 0,
  tlsPort: 0,
};

/** The settings of ACME; where there are none it has the defaults. */
export const acmeSettings = ({ features }: Pick<StoreContext, "features">): AcmeSettings =>
  // whoever makes an authority is given this type for them
  features["acme"] ?? {};
