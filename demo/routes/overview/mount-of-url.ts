/** Matches the part of a path that follows the path of a mount. */
const below = /\/(?:acme|ca|ca_chain|cert|certs|crl|est|issuer|ocsp|roles|unified-.*)(?:\/.*)?$/;

/**
 * Returns the path with `/v1/` of the other mount that a URL names. Returns undefined if the URL
 * belongs to the mount with the URL `own`, or to another server.
 */
export function otherMountIn(url: string, own: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const [named, mount] = [new URL(url), new URL(own)];
  const root = mount.pathname.slice(0, mount.pathname.indexOf("/v1/")) + "/v1/";
  // certificates often contain http URLs of a server that the console reaches with https
  if (named.host !== mount.host || !named.pathname.startsWith(root)) return undefined;
  if (`${named.pathname}/`.startsWith(`${mount.pathname}/`)) return undefined;
  return named.pathname
    .slice(root.length - "/v1/".length)
    .replace(below, "")
    .replace(/\/$/, "");
}
