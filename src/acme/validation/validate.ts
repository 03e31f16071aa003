import { type Challenger, challengerOf } from "./host-decision.ts";
import { CaError } from "../../base/errors.ts";
import { importOnce } from "../../base/memo.ts";
import { acmeSettings } from "../rows/deployment-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { AcmeConfig } from "../rows/config.ts";
import { findNetworkChallenge, type NetworkChallengeName } from "./challenge-table.ts";
import {
  PermanentFailure,
  type NetworkChallenge,
  type ValidationAttempt,
} from "./challenge-type.ts";

/** Imported on demand, if the runtime can open connections or send DNS queries. */
const networkValidation = importOnce(() => import("./network-validation.ts"));

/**
 * Validates a challenge over the network if the runtime can open connections. Otherwise the host
 * decides. Returns and rejects like `NetworkChallenge.validate`.
 */
export async function validate(
  mount: Mount,
  config: AcmeConfig,
  attempt: ValidationAttempt,
  signal: AbortSignal,
): Promise<number | void> {
  const { storeContext } = mount;
  const name = attempt.challenge.type;
  const type = findNetworkChallenge(name);
  if (!type) throw new PermanentFailure("server_internal", `${name} is no longer supported`);
  const challenger = challengerOf(storeContext);
  if (challenger) return decideByHost(challenger, storeContext, { ...attempt, type }, signal);
  const { validateOverNetwork } = await networkValidation();
  return validateOverNetwork(mount, config, { ...attempt, type }, signal);
}

async function decideByHost(
  decide: Challenger,
  storeContext: Mount["storeContext"],
  {
    authz,
    proof,
    type,
  }: Omit<ValidationAttempt, "challenge"> & {
    readonly type: NetworkChallenge<NetworkChallengeName>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { type: kind, value } = authz.identifier;
  const { httpPort = 80, tlsPort = 443 } = acmeSettings(storeContext);
  try {
    await decide({
      type: type.name,
      identifier: { type: kind === "ip" ? "ip" : "dns", value },
      ...type.question(value, proof, { httpPort, tlsPort }),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    // the host's decision is final
    if (error instanceof CaError)
      throw new PermanentFailure(error.code, error.message, { cause: error });
    throw error;
  }
}
