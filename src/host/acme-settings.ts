import type { AcmeSettings } from "../index.ts";

/** The ACME settings of a deployment. */
export interface AcmeEnv {
  /** Port dialled for http-01 instead of 80. */
  readonly ACME_HTTP_PORT?: string;
  /** Port dialled for tls-alpn-01 and for redirects to https instead of 443. */
  readonly ACME_TLS_PORT?: string;
  /**
   * `true` allows validation at private addresses, but not at loopback, link-local and metadata
   * addresses.
   */
  readonly ACME_PRIVATE_NETWORKS?: string;
  /**
   * New accounts an address and hour; 50 unless set, 0 for no limit. `public`: 50, and no limit for
   * loopback and private addresses.
   */
  readonly ACME_ACCOUNT_LIMIT?: string;
  /**
   * Maximum number of concurrent validations per mount; default 4, because the platform limits an
   * object to six connections and publishing CRLs needs some.
   */
  readonly ACME_CONNECTIONS?: string;
  /** If true or unparseable, ACME works only in mounts that always require a binding (B 5.3). */
  readonly SERVICE_DISABLE_PUBLIC_ACME?: string;
  /** Alias of the setting above. */
  readonly VAULT_DISABLE_PUBLIC_ACME?: string;
}

/** New accounts per client network and hour, because a deployment is open to the internet (D 5). */
const accountLimit = 50;
/** Connections for ACME validation: four of the six that Workers allow a Durable Object. */
const connections = 4;

/**
 * Parses the ACME settings. Throws the error that `wrong` creates from a sentence about an invalid
 * value.
 */
export function acmeSettingsOf(env: AcmeEnv, wrong: (text: string) => Error): AcmeSettings {
  const publicOnly = env.ACME_ACCOUNT_LIMIT === "public";
  const limit =
    env.ACME_ACCOUNT_LIMIT && !publicOnly ? Number(env.ACME_ACCOUNT_LIMIT) : accountLimit;
  if (!Number.isInteger(limit) || limit < 0)
    throw wrong(
      "ACME_ACCOUNT_LIMIT must be a whole number of accounts an hour, 0 for no limit, or public",
    );
  const atOnce = env.ACME_CONNECTIONS ? Number(env.ACME_CONNECTIONS) : connections;
  if (!Number.isInteger(atOnce) || atOnce < 2)
    throw wrong("ACME_CONNECTIONS must be a whole number of connections, 2 at least");
  const port = (name: "ACME_HTTP_PORT" | "ACME_TLS_PORT"): number | undefined => {
    const text = env[name];
    if (!text) return undefined;
    if (!/^[1-9][0-9]{0,4}$/.test(text) || Number(text) > 65_535)
      throw wrong(`${name} must be the number of a port`);
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

/** Any value enables it except the spellings of false in this API family. */
const isSet = (value: string | undefined): boolean =>
  value !== undefined && !/^(?:0|f|F|false|False|FALSE)$/.test(value);
