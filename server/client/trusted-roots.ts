import tls from "node:tls";

/**
 * Returns the PEM roots that Node and this machine trust. Returns undefined, which selects Node's
 * defaults, in releases before 22.15, which cannot read the machine's roots.
 */
export function trustedRoots(): string[] | undefined {
  const read: unknown = Reflect.get(tls, "getCACertificates");
  if (typeof read !== "function") return undefined;
  return [...new Set([...tls.getCACertificates("default"), ...tls.getCACertificates("system")])];
}
