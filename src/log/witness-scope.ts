import { acmeSettings } from "../acme/rows/deployment-settings.ts";
import type { StoreContext } from "../engine/store-context.ts";
import type { AddressScope } from "../net/guarded-fetch-target.ts";
import type { LogConfig } from "./rows/records.ts";

/**
 * Returns the scope of addresses allowed for witnesses. As with event sinks, the scope never
 * includes addresses of this machine.
 */
export const witnessScope = (
  storeContext: StoreContext,
  { roots }: Pick<LogConfig, "roots">,
): AddressScope =>
  acmeSettings(storeContext).privateNetworks === true || roots.length > 0 ? "private" : "public";
