import type { Ports } from "../engine/ports.ts";

type Resolve = NonNullable<Ports["resolve"]>;

/** The DNS settings of a deployment. */
export interface DnsEnv {
  /** URL of DNS over HTTPS (RFC 8484); default 1.1.1.1, unless a nameserver is set. */
  readonly DNS_RESOLVER_URL?: string;
  /**
   * Address and port of a nameserver, queried over TCP, as `npm start` reads it from its host;
   * `none` if the host has none.
   */
  readonly DNS_NAMESERVER?: string;
  /** The hosts file of the host that `npm start` runs on. */
  readonly DNS_HOSTS?: string;
}

/** A resolver that is reachable from the whole platform and logs no client addresses. */
const defaultUrl = "https://cloudflare-dns.com/dns-query";

/**
 * Resolves names as the deployment is configured; nameservers are reached through `dial`. The code
 * is loaded with the first query.
 */
export function resolverOf(env: DnsEnv, dial: NonNullable<Ports["dial"]>): Resolve {
  let loading: Promise<Resolve> | undefined;
  return async (question, signal) => (await (loading ??= resolverBy(env, dial)))(question, signal);
}

async function resolverBy(env: DnsEnv, dial: NonNullable<Ports["dial"]>): Promise<Resolve> {
  const { resolver, withHosts, nameserverOf, noNameserver } = await import("../net/dns.ts");
  const { overHttps, overTcp } = await import("../net/dns-transport.ts");
  const random: Ports["random"] = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
  const configured = (): Resolve => {
    const { DNS_RESOLVER_URL: url, DNS_NAMESERVER: address } = env;
    const nameserver = url ? undefined : nameserverOf(address ?? "");
    if (nameserver) return resolver(overTcp(dial, nameserver), random);
    if (!url && address) return noNameserver;
    return resolver(overHttps((to, request) => fetch(to, request), url || defaultUrl));
  };
  return env.DNS_HOSTS ? withHosts(env.DNS_HOSTS, configured()) : configured();
}
