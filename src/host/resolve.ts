import type { Ports } from "../engine/ports.ts";

type Resolve = NonNullable<Ports["resolve"]>;

/** Where a deployment asks the DNS. */
export interface DnsEnv {
  /** Address of DNS over HTTPS (RFC 8484); that of 1.1.1.1 unless said, or a nameserver is. */
  readonly DNS_RESOLVER_URL?: string;
  /**
   * Address and port of a nameserver that is asked over TCP, as `npm start` reads it from its host;
   * `none`: the host has none.
   */
  readonly DNS_NAMESERVER?: string;
  /** The hosts file of the host that `npm start` runs on. */
  readonly DNS_HOSTS?: string;
}

/** Answers from every network of the platform, and keeps no client's address. */
const defaultUrl = "https://cloudflare-dns.com/dns-query";

/**
 * Asks the DNS where the deployment says; nameservers by connections of `dial`. What it takes is
 * loaded with the first question.
 */
export function resolverOf(env: DnsEnv, dial: NonNullable<Ports["dial"]>): Resolve {
  let made: Promise<Resolve> | undefined;
  return async (question, signal) => (await (made ??= resolverBy(env, dial)))(question, signal);
}

async function resolverBy(env: DnsEnv, dial: NonNullable<Ports["dial"]>): Promise<Resolve> {
  const { resolver, withHosts, nameserverOf, noNameserver } = await import("../net/dns.ts");
  const { overHttps, overTcp } = await import("../net/dns-transport.ts");
  const random: Ports["random"] = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
  const asking = (): Resolve => {
    const { DNS_RESOLVER_URL: url, DNS_NAMESERVER: named } = env;
    const nameserver = url ? undefined : nameserverOf(named ?? "");
    if (nameserver) return resolver(overTcp(dial, nameserver), random);
    if (!url && named) return noNameserver;
    return resolver(overHttps((to, request) => fetch(to, request), url || defaultUrl));
  };
  return env.DNS_HOSTS ? withHosts(env.DNS_HOSTS, asking()) : asking();
}
