import type { Ports } from "../engine/ports.ts";

type Resolve = NonNullable<Ports["resolve"]>;

/** The environment variables with the DNS settings of a deployment. */
export interface DnsEnv {
  /**
   * URL of a DNS over HTTPS server (RFC 8484). The default is Cloudflare's server, unless a
   * nameserver is set.
   */
  readonly DNS_RESOLVER_URL?: string;
  /**
   * Address and port of a nameserver, which is queried over TCP. `npm start` sets it to the
   * nameserver of its host, or to `none` if the host has no nameserver.
   */
  readonly DNS_NAMESERVER?: string;
  /** The contents of the hosts file of the machine on which `npm start` runs. */
  readonly DNS_HOSTS?: string;
}

/** A resolver that can be reached from everywhere on the platform and logs no client addresses. */
const defaultUrl = "https://cloudflare-dns.com/dns-query";

/**
 * Returns a function that resolves names according to the configuration of the deployment. It
 * connects to nameservers with `dial`, and imports the resolver on the first query.
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
