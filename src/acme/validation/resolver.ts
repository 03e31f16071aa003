import type { Ports } from "../../engine/ports.ts";
import type { AcmeConfig } from "../../engine/settings.ts";

/** Who is asked for names: the configured resolver, else that of the surroundings. */
export const resolverOf = (
  ports: Pick<Ports, "dial" | "resolve">,
  _config: Pick<AcmeConfig, "dns_resolver">,
): Ports["resolve"] => ports.resolve;
