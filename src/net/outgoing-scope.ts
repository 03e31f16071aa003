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
 * Returns which addresses a connection to a server may use. A server that is authenticated with
 * configured roots (DER) may have a private address; one that is authenticated with the platform's
 * roots may not, unless private networks are permitted. Addresses of this machine are never
 * permitted.
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
