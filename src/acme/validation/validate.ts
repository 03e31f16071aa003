import { CaError } from "../../base/errors.ts";
import { importOnce } from "../../base/import-once.ts";
import { acmeSettings } from "../../engine/acme-settings.ts";
import type { AcmeChallenge } from "../rows/records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Ports, Probe } from "../../engine/ports.ts";
import type { AcmeConfig } from "../../engine/settings.ts";
import { Final, type Asked } from "./challenge-type.ts";
import { challengeUrl } from "./http-location.ts";
import { digestHex, digestText, recordName, type Proof } from "./proof.ts";

/** Nothing of it weighs where nothing can be asked. */
const asking = importOnce(() => import("./network-validation.ts"));

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
  const { dial, challenger } = ca.ports;
  if (!dial && challenger) return decided(challenger, ca, asked, signal);
  const { judgeByAsking } = await asking();
  return judgeByAsking(ca, config, asked, signal);
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
const isSix = (name: string): boolean => name.includes(":");
/** What would have been asked, and what the answer would have to be. */
function questionOf(
  { type, token }: AcmeChallenge,
  name: string,
  proof: Proof,
  { httpPort = 80, tlsPort = 443 }: { readonly httpPort?: number; readonly tlsPort?: number },
): Pick<Probe, "type" | "asked" | "expected"> {
  if (type === "dns-01") return { type, asked: recordName(name), expected: digestText(proof) };
  if (type === "tls-alpn-01")
    return {
      type,
      asked: `${isSix(name) ? `[${name}]` : name}:${tlsPort}`,
      expected: digestHex(proof),
    };
  const url = new URL(challengeUrl(name, token));
  if (httpPort !== 80) url.port = String(httpPort);
  return { type: "http-01", asked: url.href, expected: proof.keyAuthorization };
}
