import type { Ports } from "../../engine/ports.ts";
import type { AcmeConfig } from "../../engine/settings.ts";
import { overTcp } from "../../net/dns-transport.ts";
import { nameserverOf, resolver } from "../../net/dns.ts";

/**
 * Who is asked for names: `dns_resolver`, over TCP, else that of the surroundings; undefined where
 * there is none.
 */
export function resolverOf(
  ports: Pick<Ports, "dial" | "resolve" | "random">,
  { dns_resolver }: Pick<AcmeConfig, "dns_resolver">,
): Ports["resolve"] {
  const nameserver = dns_resolver === "" ? undefined : nameserverOf(dns_resolver);
  const dial = ports.dial?.bind(ports);
  return nameserver && dial
    ? resolver(overTcp(dial, nameserver), (bytes) => ports.random(bytes))
    : ports.resolve?.bind(ports);
}
