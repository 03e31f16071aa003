import tls from "node:tls";

/**
 * Returns the roots that Node and this machine trust, PEM; undefined for Node's own selection, in
 * releases that cannot read the machine's (before 22.15).
 */
export function trustedRoots(): string[] | undefined {
  const read: unknown = Reflect.get(tls, "getCACertificates");
  if (typeof read !== "function") return undefined;
  return [...new Set([...tls.getCACertificates("default"), ...tls.getCACertificates("system")])];
}
