import type { StoreContext } from "../engine/store-context.ts";
import type { AddressScope } from "./guarded-fetch-target.ts";

/**
 * Reports whether the deployment permits private addresses in all outgoing connections:
 * `ACME_PRIVATE_NETWORKS`, or `acme.privateNetworks` of `createCa`. Their names are from a time
 * when only ACME opened connections.
 */
export const allowsPrivateNetworks = ({ features }: Pick<StoreContext, "features">): boolean =>
  features["privateNetworks"] === true;

/**
 * Returns the scope of addresses for a server that is authenticated by its own roots (DER), or by
 * the platform's roots if there are none. The scope never includes addresses of this machine.
 */
export const scopeFor = (privateNetworks: boolean, roots: readonly Uint8Array[]): AddressScope =>
  privateNetworks || roots.length > 0 ? "private" : "public";

/**
 * Returns the scope of addresses that the deployment permits for a server with these roots, as
 * {@link scopeFor} does.
 */
export const outgoingScope = (
  storeContext: Pick<StoreContext, "features">,
  roots: readonly Uint8Array[],
): AddressScope => scopeFor(allowsPrivateNetworks(storeContext), roots);
