import type { StoreContext } from "../engine/store-context.ts";
import type { AddressScope } from "../net/guarded-fetch-target.ts";
import { allowsPrivateNetworks, scopeFor } from "../net/outgoing-scope.ts";
import type { LogConfig } from "./rows/records.ts";

/**
 * Returns the scope of addresses allowed for witnesses. As with event sinks, the scope never
 * includes addresses of this machine.
 */
export const witnessScope = (
  storeContext: StoreContext,
  { roots }: Pick<LogConfig, "roots">,
): AddressScope => scopeFor(allowsPrivateNetworks(storeContext), roots);
