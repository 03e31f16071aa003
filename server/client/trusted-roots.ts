import tls from "node:tls";

/**
 * Returns the root certificates (PEM) that Node and this machine trust. Returns undefined, which
 * selects Node's defaults, if Node cannot read the machine's roots, as in versions before 22.15.
 */
export function trustedRoots(): string[] | undefined {
  const read: unknown = Reflect.get(tls, "getCACertificates");
  if (typeof read !== "function") return undefined;
  return [...new Set([...tls.getCACertificates("default"), ...tls.getCACertificates("system")])];
}
