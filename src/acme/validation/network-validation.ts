import { acmeSettings } from "../../engine/acme-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports } from "../../engine/ports.ts";
import type { AcmeConfig } from "../../engine/settings.ts";
import { Final, type Asked } from "./challenge-type.ts";
import { judgeDns01 } from "./dns-01.ts";
import { judgeHttp01 } from "./http-01-validation.ts";
import type { Reach } from "./validation-network.ts";
import { resolverOf } from "./resolver.ts";
import { judgeTlsAlpn01 } from "./tls-alpn-01-validation.ts";

/**
 * Judges a challenge by asking. Rejects with CaError `connection`, `dns`, `tls` or
 * `incorrect_response`, or with {@link Final}.
 */
export async function judgeByAsking(
  ca: Mount,
  config: AcmeConfig,
  { authz, challenge: { type }, proof }: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { value: name } = authz.identifier;
  const resolve = resolverOf(ca.ports, config);
  if (type === "dns-01" && resolve) return judgeDns01(name, proof, { resolve, timeout }, signal);
  const reach = reachOf(ca, config, resolve);
  if (!resolve && authz.identifier.type === "dns")
    throw new Final("server_internal", `nothing here can resolve ${name}`);
  if (type === "http-01") return judgeHttp01(name, proof, reach, signal);
  if (type === "tls-alpn-01") return judgeTlsAlpn01(name, proof, reach, signal);
  throw new Final("server_internal", `nothing here can resolve ${name}`);
}

const timeout = (milliseconds: number): AbortSignal => AbortSignal.timeout(milliseconds);

/** Throws {@link Final} where this runtime has no way out. */
function reachOf(ca: Mount, config: AcmeConfig, resolve: Ports["resolve"]): Reach {
  const { ports } = ca;
  if (!ports.dial)
    throw new Final(
      "connection",
      "this authority runs where nothing can be connected to, and nobody decides about challenges in its place",
    );
  const { privateNetworks = false, httpPort = 80, tlsPort = 443 } = acmeSettings(ca.unit);
  return {
    dial: ports.dial.bind(ports),
    resolve: resolve ?? (() => Promise.reject(new TypeError("no resolver"))),
    rules: {
      permitted: config.challenge_permitted_ip_ranges,
      excluded: config.challenge_excluded_ip_ranges,
      privateNetworks,
    },
    httpPort,
    tlsPort,
    random: (bytes) => ports.random(bytes),
    now: () => ports.now(),
    timeout,
  };
}
