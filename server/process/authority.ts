import { createCa, type Ca, type Ports } from "../../src/index.ts";
import { type HostEnvironment, hostOptions } from "../../src/host/options.ts";
import { type DnsEnv, resolverOf } from "../../src/host/resolve.ts";
import { hostTokens, keysOf } from "../../src/host/secrets.ts";
import { vaultOf } from "../../src/host/vault.ts";
import { nodeCrypto, nodeDial } from "../../src/node/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { serverLog } from "./server-log.ts";

/** The settings and secrets of an authority, by environment variable name. */
export type Variables = Readonly<Record<string, string>>;

/** The ports that a process provides to an authority. */
export interface AuthorityPorts extends Pick<
  Ports,
  "stores" | "now" | "once" | "wake" | "meter" | "server"
> {}

/** An authority that uses the stores of this process. */
export interface Authority {
  readonly ca: Ca;
  /** Origins from which browsers may call the API. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Creates the authority that the settings describe. Throws `NotConfigured` if a required setting is
 * missing or invalid.
 */
export function authorityOf(variables: Variables, ports: AuthorityPorts): Authority {
  const env: HostEnvironment & DnsEnv = variables;
  const { allowedOrigins, ...options } = hostOptions(env);
  const ca = createCa({
    ...options,
    ...serverLog(variables).requests,
    ...ports,
    vault: vaultOf(() => keysOf(variables), nodeCrypto),
    crypto: nodeCrypto,
    authenticate: hostTokens(variables),
    dial: nodeDial,
    resolve: resolverOf(env, nodeDial),
    fetch: (url, init) => fetch(url, init),
    apis: [varsApi],
  });
  return { ca, allowedOrigins };
}
