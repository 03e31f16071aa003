import { CaError } from "../../base/errors.ts";
import { acmeSettings } from "../../engine/acme-settings.ts";
import type { AcmeChallenge, AuthzRow } from "../../engine/acme-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports, Probe } from "../../engine/ports.ts";
import type { AcmeConfig } from "../../engine/settings.ts";
import { judgeDns01, recordName } from "./dns-01.ts";
import { judgeHttp01 } from "./http-01.ts";
import { challengeUrl } from "./http-location.ts";
import { digestHex, digestText, type Proof } from "./proof.ts";
import type { Reach } from "./reach.ts";
import { resolverOf } from "./resolver.ts";
import { judgeTlsAlpn01 } from "./tls-alpn-01.ts";

/** A challenge as it is judged. */
export interface Asked {
  readonly authz: AuthzRow;
  readonly challenge: AcmeChallenge;
  readonly proof: Proof;
}
/** A refusal that no further attempt would change. */
export class Final extends CaError {}

/**
 * Judges a challenge by asking, where this runtime can dial, or by what its host decides, which is
 * final. Rejects with CaError `connection`, `dns`, `tls` or `incorrect_response`, or with
 * {@link Final}.
 */
export async function judge(
  ca: Mount,
  config: AcmeConfig,
  asked: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { ports } = ca;
  const { type } = asked.challenge;
  const { value: name } = asked.authz.identifier;
  const resolve = resolverOf(ports, config);
  if (!ports.dial && ports.challenger) return decided(ports.challenger, ca, asked, signal);
  if (type === "dns-01" && resolve)
    return judgeDns01(name, asked.proof, { resolve, timeout }, signal);
  const reach = reachOf(ca, config, resolve);
  if (type === "http-01") return judgeHttp01(name, asked.proof, reach, signal);
  if (type === "tls-alpn-01") return judgeTlsAlpn01(name, asked.proof, reach, signal);
  throw new Final("server_internal", `nothing here can resolve "${name}"`);
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

async function decided(
  challenger: NonNullable<Ports["challenger"]>,
  { unit }: Mount,
  { authz, challenge, proof }: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { type, value } = authz.identifier;
  const probe = { identifier: { type: type === "ip" ? "ip" : "dns", value }, signal } as const;
  try {
    await challenger({ ...probe, ...questionOf(challenge, value, proof, acmeSettings(unit)) });
  } catch (error) {
    signal.throwIfAborted();
    // what the host has decided, asking again would not change
    if (error instanceof CaError) throw new Final(error.code, error.message, { cause: error });
    throw error;
  }
}
/** What would have been asked, and what the answer would have to be. */
function questionOf(
  { type, token }: AcmeChallenge,
  name: string,
  proof: Proof,
  { httpPort = 80, tlsPort = 443 }: { readonly httpPort?: number; readonly tlsPort?: number },
): Pick<Probe, "type" | "asked" | "expected"> {
  if (type === "dns-01") return { type, asked: recordName(name), expected: digestText(proof) };
  if (type === "tls-alpn-01")
    return { type, asked: `${name}:${tlsPort}`, expected: digestHex(proof) };
  const url = new URL(challengeUrl(name, token));
  if (httpPort !== 80) url.port = String(httpPort);
  return { type: "http-01", asked: url.href, expected: proof.keyAuthorization };
}
