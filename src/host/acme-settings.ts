import type { AcmeSettings } from "../index.ts";

/** How a deployment wants ACME. */
export interface AcmeEnv {
  /** Port that http-01 is asked at in the place of 80. */
  readonly ACME_HTTP_PORT?: string;
  /** Port that tls-alpn-01 and redirects to https are asked at in the place of 443. */
  readonly ACME_TLS_PORT?: string;
  /** `true`: private addresses may be asked, though not loopback, link-local and metadata ones. */
  readonly ACME_PRIVATE_NETWORKS?: string;
  /**
   * New accounts an address and hour; 50 unless set, 0 for no limit. `public`: 50, and no limit for
   * loopback and private addresses.
   */
  readonly ACME_ACCOUNT_LIMIT?: string;
  /**
   * Challenges of one mount that are asked for at once; 4 unless said, since the platform lets an
   * object hold six connections, and the lists it publishes need some.
   */
  readonly ACME_CONNECTIONS?: string;
  /** True, or not to be read: ACME works in mounts only that always require a binding (B 5.3). */
  readonly SERVICE_DISABLE_PUBLIC_ACME?: string;
  /** The same by its other name. */
  readonly VAULT_DISABLE_PUBLIC_ACME?: string;
}

/** A deployment is open to strangers (D 5). */
const accountLimit = 50;
/** Of the six connections that the platform lets an object hold. */
const connections = 4;

/** The settings of ACME. Throws what `wrong` makes of a sentence about one that cannot be read. */
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

/** Whoever sets it wants it, but for the ways to write no that this API family knows. */
const isSet = (value: string | undefined): boolean =>
  value !== undefined && !/^(?:0|f|F|false|False|FALSE)$/.test(value);
