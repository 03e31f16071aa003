import { acmeSettings } from "../rows/deployment-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports } from "../../engine/ports.ts";
import type { AcmeConfig } from "../rows/config.ts";
import { overTcp } from "../../net/dns-transport.ts";
import { nameserverOf, resolver } from "../../net/dns.ts";
import { allowsPrivateNetworks } from "../../net/outgoing-scope.ts";
import {
  PermanentFailure,
  type NetworkChallenge,
  type ValidationAttempt,
  type ValidationNetwork,
} from "./challenge-type.ts";

/** Validates a challenge over the network. Returns and rejects like `NetworkChallenge.validate`. */
export async function validateOverNetwork(
  mount: Mount,
  config: AcmeConfig,
  {
    authz,
    proof,
    type,
  }: Omit<ValidationAttempt, "challenge"> & { readonly type: NetworkChallenge },
  signal: AbortSignal,
): Promise<number | void> {
  const { type: kind, value: name } = authz.identifier;
  const resolve = resolverOf(mount.ports, config);
  if (!mount.ports.dial && (type.needsConnection || !resolve))
    throw new PermanentFailure(
      "connection",
      "this server cannot open connections, and no `challenger` is configured",
    );
  if (!resolve && (kind === "dns" || !type.needsConnection))
    throw new PermanentFailure(
      "server_internal",
      `no DNS resolver is configured; cannot resolve ${name}`,
    );
  return type.validate(name, proof, networkOf(mount, config, resolve), signal);
}

/**
 * Returns the resolver: `dns_resolver` over TCP, or else the runtime's resolver. Returns undefined
 * if there is none.
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

function networkOf(
  { ports, storeContext }: Mount,
  config: AcmeConfig,
  resolve: Ports["resolve"],
): ValidationNetwork {
  const { httpPort = 80, tlsPort = 443 } = acmeSettings(storeContext);
  return {
    dial:
      ports.dial?.bind(ports) ??
      (() =>
        Promise.reject(
          new TypeError("this platform cannot open outgoing connections (no `dial` port)"),
        )),
    resolve: resolve ?? (() => Promise.reject(new TypeError("no resolver"))),
    rules: {
      permitted: config.challenge_permitted_ip_ranges,
      excluded: config.challenge_excluded_ip_ranges,
      privateNetworks: allowsPrivateNetworks(storeContext),
    },
    httpPort,
    tlsPort,
    random: (bytes) => ports.random(bytes),
    now: () => ports.now(),
    timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
  };
}
