import type { AcmeSettings } from "../index.ts";

/** The environment variables with the ACME settings of a deployment. */
export interface AcmeEnv {
  /** Port that is used for http-01 instead of 80. */
  readonly ACME_HTTP_PORT?: string;
  /** Port that is used for tls-alpn-01, and for redirects to https, instead of 443. */
  readonly ACME_TLS_PORT?: string;
  /**
   * `true` allows private addresses for all outgoing connections, not only for those of ACME
   * validation: see `AcmeSettings.privateNetworks`.
   */
  readonly ACME_PRIVATE_NETWORKS?: string;
  /**
   * Maximum number of new accounts per client network and hour. The default is 50, and 0 means no
   * limit. With `public`, the limit is 50, but there is no limit for loopback and private
   * addresses.
   */
  readonly ACME_ACCOUNT_LIMIT?: string;
  /**
   * Maximum number of concurrent validations per mount. The default is 4, because a Durable Object
   * may have six connections, some of which are needed to publish CRLs.
   */
  readonly ACME_CONNECTIONS?: string;
  /**
   * If this is set to anything but false, ACME is enabled only in mounts that require external
   * account binding for every account (B 5.3).
   */
  readonly SERVICE_DISABLE_PUBLIC_ACME?: string;
  /** Alias of `SERVICE_DISABLE_PUBLIC_ACME`. */
  readonly VAULT_DISABLE_PUBLIC_ACME?: string;
}

/**
 * Default limit on new accounts per client network and hour. It is needed because deployments are
 * open to the internet (D 5).
 */
const accountLimit = 50;
/**
 * Default number of connections for ACME validation: four of the six that a Durable Object may
 * have.
 */
const connections = 4;

/**
 * Parses the ACME settings. For an invalid value, throws the error that `wrong` creates from a
 * message.
 */
export function acmeSettingsOf(env: AcmeEnv, wrong: (text: string) => Error): AcmeSettings {
  const publicOnly = env.ACME_ACCOUNT_LIMIT === "public";
  const limit =
    env.ACME_ACCOUNT_LIMIT && !publicOnly ? Number(env.ACME_ACCOUNT_LIMIT) : accountLimit;
  if (!Number.isInteger(limit) || limit < 0)
    throw wrong(
      "ACME_ACCOUNT_LIMIT must be a number of accounts per hour, 0 for no limit, or public",
    );
  const atOnce = env.ACME_CONNECTIONS ? Number(env.ACME_CONNECTIONS) : connections;
  if (!Number.isInteger(atOnce) || atOnce < 2)
    throw wrong("ACME_CONNECTIONS must be an integer of at least 2");
  const port = (name: "ACME_HTTP_PORT" | "ACME_TLS_PORT"): number | undefined => {
    const text = env[name];
    if (!text) return undefined;
    if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535)
      throw wrong(`${name} must be a port number`);
    return Number(text);
  };
  const [httpPort, tlsPort] = [port("ACME_HTTP_PORT"), port("ACME_TLS_PORT")];
  return {
    requireEab: isSet(env.SERVICE_DISABLE_PUBLIC_ACME) || isSet(env.VAULT_DISABLE_PUBLIC_ACME),
    accountLimit: limit,
    ...(publicOnly ? { limitPrivate: false } : {}),
    connections: atOnce,
    privateNetworks: env.ACME_PRIVATE_NETWORKS === "true",
    ...(httpPort === undefined ? {} : { httpPort }),
    ...(tlsPort === undefined ? {} : { tlsPort }),
  };
}

/**
 * Reports whether a setting is enabled: it is present, and its value is none of the spellings of
 * false in this API family.
 */
const isSet = (value: string | undefined): boolean =>
  value !== undefined && !/^(?:0|f|F|false|False|FALSE)$/.test(value);
